/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mtree draw: a picture of a network, and of the trees on it.
 */
#include "tools/planned_network.h"
#include "tools/topology_json.h"

#include "base/memory.h"
#include "topo/dot/read.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    const char *plan, *output;
    bool with_options; /* planning options were given */
    bool network;      /* without trees */
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
    {"json", 'j', OPTION_FLAG, offsetof(arguments_t, json),
     .help = "print the use of the links as JSON; -o may be left out"},
    {0}};

/* The end of the file's name is the format that Graphviz is asked for; "": it is none. */
static const char *find_format(const char *output)
{
    static const char *const formats[] = {"svg", "png", "pdf", "dot", NULL};
    const char *dot = (output != NULL) ? strrchr(output, '.') : NULL;

    for (int i = 0; dot != NULL && formats[i] != NULL; ++i) {
        if (strcmp(dot + 1, formats[i]) == 0) {
            return formats[i];
        }
    }
    return "";
}

/* Give the @a links the part of its capacity that each direction carries. */
static void add_use(const planned_network_t *planned, json_t *links)
{
    double *load = mtree_calloc(2 * (size_t)planned->topology->num_links, sizeof(*load));
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
    }
    free(load);
}

/* Add the plan as JSON to @a given, and the vertices of its hosts. */
static void add_plan(const planned_network_t *planned, json_t *given)
{
    json_t *vertices = json_array(), *json = planned_network_json(planned->plan);

    network_json_mark(planned->plan, planned->hosts, planned->routes,
                      json_object_get(given, "network"), json);
    for (int h = 0; h < planned->num_hosts; h++) {
        json_array_append_new(vertices, json_integer(planned->hosts[h]));
    }
    json_object_set_new(given, "plan", json);
    json_object_set_new(given, "vertices", vertices);
}

/*
 * Give the program of Python, tools/drawing, {network, plan, vertices}: the network as
 * reports have it, with its use, and, if there is one, the plan, with the arcs of its
 * trees, and its hosts' vertices.
 */
static void give(const planned_network_t *planned)
{
    json_t *given = json_pack("{s:o}", "network", network_json(planned->topology));

    add_use(planned, json_object_get(json_object_get(given, "network"), "links"));
    if (planned->plan != NULL) {
        add_plan(planned, given);
    }
    command_give("draw", given);
}

/* The topology with the plan that was given, with a new one, or alone. */
static void prepare(const arguments_t *arguments, const char *topology,
                    planned_network_t *planned)
{
    if (arguments->plan != NULL) {
        planned_network_read(arguments->plan, topology, planned);
    } else if (arguments->network) {
        command_must(mtree_topology_read(topology, &planned->topology));
    } else {
        planned_network_run(&arguments->planning, topology, planned);
    }
}

static int run(int argc, char **argv)
{
    static planned_network_t planned;
    arguments_t arguments = {0};
    const char *words[1 + sizeof(options) / sizeof(options[0])] = {NULL};
    const option_group_t groups[] = {
        {options, .data = &arguments, .texts = words + 1},
        {plan_options, .data = &arguments.planning, .given_p = &arguments.with_options},
        {plan_size_option, .data = &arguments.planning,
         .given_p = &arguments.with_options},
        {0}};

    plan_options_init(&arguments.planning);
    options_parse(&command_draw, groups, argc, argv);
    words[0] = find_format(arguments.output);
    if (arguments.output == NULL ? !arguments.json : words[0][0] == '\0') {
        return command_misuse(
            &command_draw,
            "-o FILE is needed, whose name ends in .svg, .png, .pdf or .dot");
    }
    if (arguments.plan != NULL && arguments.with_options) {
        return command_misuse(&command_draw,
                              "--plan and planning options exclude each other");
    }
    if (arguments.network && (arguments.plan != NULL || arguments.with_options)) {
        return command_misuse(&command_draw,
                              "--network draws no trees; leave the other options out");
    }
    prepare(&arguments, argv[optind], &planned);
    give(&planned);
    return command_become("draw", "drawing", words);
}

const command_t command_draw = {
    .name = "draw",
    .summary = "draw a topology and the trees of a plan",
    .usage = "[OPTION]... FILE.dot -o OUT.svg|png|pdf|dot",
    .help = "Draw the network and the trees of a plan: a colour each, a dot in that "
            "colour at the\nroot, and the use of every link in per cent; full links are "
            "wide.  lon and lat, or\npos, of the file say where a node is; what has none "
            "goes around its neighbour.\nRelays have a double line around them.\n",
    .examples = {"mtree draw examples/sites.dot -o sites.svg",
                 "mtree draw --plan plan.json examples/sites.dot -o trees.pdf"},
    .print_more = plan_options_print_algorithms,
    .least_arguments = 1,
    .most_arguments = 1,
    .needs = "one topology file is needed",
    .run = run,
};
