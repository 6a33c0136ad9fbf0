/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mtree draw: a picture of a network, and of the trees on it.
 */
#include "tools/planned_network.h"

#include "base/units.h"
#include "report/network.h"
#include "topo/dot/read.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    const char *topology, *plan, *output, *format;
    bool with_options; /* planning options were given */
    bool network;      /* without trees */
    bool multiples;
    bool json;
    plan_options_t planning;
} arguments_t;

static const option_t options[] = {
    {"output", 'o', OPTION_TEXT, offsetof(arguments_t, output), .argument = "FILE",
     .help = "the picture; the end of its name says the format"},
    {"plan", 'p', OPTION_TEXT, offsetof(arguments_t, plan), .argument = "PLAN.json",
     .help = "a plan saved by mtree plan -o"},
    {"network", 'n', OPTION_FLAG, offsetof(arguments_t, network),
     .help = "the network alone"},
    {"multiples", 'M', OPTION_FLAG, offsetof(arguments_t, multiples),
     .help = "each tree on a small map of its own, side by side"},
    {"json", 'j', OPTION_FLAG, offsetof(arguments_t, json),
     .help = "print the use of the links as JSON; -o may be left out"},
    {0}};

/* The end of the file's name is the format that Graphviz is asked for. */
static const char *find_format(const char *output)
{
    static const char *const formats[] = {"svg", "png", "pdf", "dot", NULL};
    const char *dot = (output != NULL) ? strrchr(output, '.') : NULL;

    for (int i = 0; dot != NULL && formats[i] != NULL; ++i) {
        if (strcmp(dot + 1, formats[i]) == 0) {
            return formats[i];
        }
    }
    return NULL;
}

/* The part of its capacity that each direction of a link carries, and which trees cross
 * it.  @a load has room for all arcs. */
static void add_use(const planned_network_t *planned, json_t *links, double *load)
{
    const size_t room = 2 * (size_t)planned->topology->num_links * sizeof(double);
    size_t l;
    json_t *link;

    if (planned->plan != NULL) {
        mtree_plan_load(planned->plan, planned->routes, load);
    }
    json_array_foreach (links, l, link) {
        const double *capacity = planned->topology->links[l].capacity;

        json_object_set_new(
            link, "use",
            json_pack("[f, f]", capacity[0] > 0 ? load[2 * l] / capacity[0] : 0,
                      capacity[1] > 0 ? load[2 * l + 1] / capacity[1] : 0));
        json_object_set_new(link, "trees", json_array());
    }
    for (int t = 0; planned->plan != NULL && t < planned->plan->num_trees; t++) {
        memset(load, 0, room);
        mtree_plan_tree_load(planned->plan, t, planned->routes, 1, load);
        json_array_foreach (links, l, link) {
            if (load[2 * l] > 0 || load[2 * l + 1] > 0) {
                json_array_append_new(json_object_get(link, "trees"),
                                      json_integer(t + 1));
            }
        }
    }
}

/* The network as reports have it, with that; NULL: no memory. */
static json_t *network_json(const planned_network_t *planned)
{
    const mtree_topology_t *topology = planned->topology;
    double *load = calloc(2 * (size_t)topology->num_links + 1, sizeof(double));
    json_t *network = mtree_report_network(topology, topology, "");

    if (load != NULL) {
        add_use(planned, json_object_get(network, "links"), load);
    }
    for (int i = 0; planned->plan != NULL && i < planned->plan->num_relays; i++) {
        int vertex = planned->hosts[planned->num_hosts + i];

        json_object_set_new(
            json_array_get(json_object_get(network, "vertices"), (size_t)vertex), "relay",
            json_true());
    }
    free(load);
    return network;
}

static json_t *tree_json(const planned_network_t *planned, const mtree_tree_t *tree)
{
    char height[PLANNED_HEIGHT_LENGTH], share[16];

    snprintf(share, sizeof(share), "%.1f %%", 100 * tree->share);
    return json_pack(
        "{s:s, s:i, s:s, s:s, s:s}", "root", planned->plan->hosts[tree->root], "vertex",
        planned->hosts[tree->root], "rate", MTREE_UNITS_RATE(tree->rate), "share", share,
        "height", planned_network_height(planned->plan, tree, ", ", height));
}

/* Add the trees, and what the plan achieves, in a line. */
static void add_plan(json_t *given, const planned_network_t *planned)
{
    const mtree_plan_t *plan = planned->plan;
    char summary[128];
    json_t *trees = json_array();
    int used = snprintf(summary, sizeof(summary), "%s, %s",
                        mtree_collective_name(plan->collective),
                        MTREE_UNITS_RATE(plan->throughput));

    if (plan->bound > 0) {
        snprintf(summary + used, sizeof(summary) - (size_t)used, ", %.1f %% of the bound",
                 100 * plan->throughput / plan->bound);
    }
    for (int t = 0; t < plan->num_trees; t++) {
        json_array_append_new(trees, tree_json(planned, &plan->trees[t]));
    }
    json_object_set_new(given, "summary", json_string(summary));
    json_object_set_new(given, "trees", trees);
}

/* tools/drawing makes the picture. */
static mtree_status_t draw(const arguments_t *arguments, const planned_network_t *planned,
                           json_t *network)
{
    char path[COMMAND_PATH_ROOM], *text;
    const char *words[] = {"python3",
                           path,
                           arguments->multiples ? "multiples" : "map",
                           arguments->format,
                           arguments->output,
                           NULL};
    json_t *given = json_pack("{s:O}", "network", network);
    mtree_status_t status;

    if (planned->plan != NULL) {
        add_plan(given, planned);
    }
    status = command_give("draw", given);
    if (status == MTREE_OK) {
        status = command_read("draw", "drawing", words, &text);
    }
    if (status == MTREE_OK) {
        free(text);
    }
    return status;
}

/* Print {topology, links: [{from, to, capacity_bps, use, trees: [numbers from 1]}],
 * relays: [names]}, the last one where there are any. */
static mtree_status_t print_network(const json_t *network)
{
    json_t *links = json_object_get(network, "links"), *relays = json_array();
    json_t *object = json_pack("{s:O, s:O}", "topology", json_object_get(network, "name"),
                               "links", links);
    json_t *link, *vertex;
    size_t i;

    json_array_foreach (links, i, link) {
        json_object_del(link, "latency_s");
    }
    json_array_foreach (json_object_get(network, "vertices"), i, vertex) {
        if (json_object_get(vertex, "relay") != NULL) {
            json_array_append(relays, json_object_get(vertex, "name"));
        }
    }
    if (json_array_size(relays) > 0) {
        json_object_set(object, "relays", relays);
    }
    json_decref(relays);
    return command_print_json(object, stdout);
}

/* The topology with the plan that was given, with a new one, or alone. */
static mtree_status_t prepare(const arguments_t *arguments, planned_network_t *planned)
{
    if (arguments->plan != NULL) {
        return planned_network_read(arguments->plan, arguments->topology, planned);
    }
    if (arguments->network) {
        *planned = (planned_network_t){0};
        return mtree_topology_read(arguments->topology, &planned->topology);
    }
    return planned_network_run(&arguments->planning, arguments->topology, planned);
}

static int run_draw(const arguments_t *arguments)
{
    planned_network_t planned;
    mtree_status_t status = prepare(arguments, &planned);
    json_t *network;

    if (status != MTREE_OK) {
        return COMMAND_FAILED;
    }
    network = network_json(&planned);
    if (arguments->output != NULL) {
        status = draw(arguments, &planned, network);
    }
    if (status == MTREE_OK && arguments->json) {
        status = print_network(network);
    }
    json_decref(network);
    planned_network_cleanup(&planned);
    return command_exit(status);
}

static int run(int argc, char **argv)
{
    arguments_t arguments = {0};
    const option_group_t groups[] = {
        {options, .data = &arguments},
        {plan_options, .data = &arguments.planning, .given_p = &arguments.with_options},
        {plan_size_option, .data = &arguments.planning,
         .given_p = &arguments.with_options},
        {0}};
    int code;

    plan_options_init(&arguments.planning);
    code = options_parse(&command_draw, groups, argc, argv);
    if (code != OPTIONS_GO_ON) {
        return code;
    }
    arguments.format = find_format(arguments.output);
    if (arguments.output == NULL ? !arguments.json : arguments.format == NULL) {
        return command_misuse(
            &command_draw,
            "-o FILE is needed, whose name ends in .svg, .png, .pdf or .dot");
    }
    if (arguments.plan != NULL && arguments.with_options) {
        return command_misuse(&command_draw,
                              "--plan and planning options exclude each other");
    }
    if (arguments.network &&
        (arguments.multiples || arguments.plan != NULL || arguments.with_options)) {
        return command_misuse(&command_draw,
                              "--network draws no trees; leave the other options out");
    }
    arguments.topology = argv[optind];
    return run_draw(&arguments);
}

const command_t command_draw = {
    .name = "draw",
    .summary = "draw a topology and the trees of a plan",
    .usage = "[OPTION]... FILE.dot -o OUT.svg|png|pdf|dot",
    .help = "Draw the network and the trees of a plan: a colour each, a dot in that "
            "colour at the\nroot, and the use of every link in per cent; full links are "
            "wide.  lon and lat, or\npos, of the file say where a node is; what has none "
            "goes around its neighbour.\nRelays have a double line around them.\n",
    .examples =
        {"mtree draw examples/sites.dot -o sites.svg",
         "mtree draw --multiples --plan plan.json examples/sites.dot -o trees.pdf"},
    .print_more = plan_options_print_algorithms,
    .least_arguments = 1,
    .most_arguments = 1,
    .needs = "one topology file is needed",
    .run = run,
};
