/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mtree draw: a picture of a network, and of the trees on it.
 */
#include "config/mtree_config.h"

#include "tools/map/dot.h"
#include "tools/map/layout.h"
#include "tools/map/multiples.h"

#include "base/log.h"
#include "topo/dot/read.h"

#include <stdlib.h>
#include <string.h>

#ifdef HAVE_GRAPHVIZ
#include "tools/map/labels.h"

#define PNG_DPI "140"
#endif

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

static mtree_status_t write_text(const char *text, size_t length, const char *output)
{
    FILE *out;
    mtree_status_t status = command_open(output, &out);

    if (status == MTREE_OK) {
        (void)fwrite(text, 1, length, out);
        status = command_close(output, out, MTREE_OK);
    }
    return status;
}

#ifdef HAVE_GRAPHVIZ

/*
 * Draw the lines between the places, and then labels above them.  The layout is to be
 * freed with gvFreeLayout().
 */
static mtree_status_t lay_out(GVC_t *gvc, Agraph_t *graph)
{
    const bool labels = map_labels_take(graph) > 0;
    bool failed = gvLayout(gvc, graph, "neato") != 0;

    if (!failed && labels) {
        attach_attrs(graph);
        gvFreeLayout(gvc, graph);
        map_labels_place(graph);
        failed = gvLayout(gvc, graph, "nop2") != 0;
    }
    if (failed) {
        mtree_error("Graphviz could not lay the map out; draw to a .dot file instead");
        return MTREE_ERR_IO;
    }
    return MTREE_OK;
}

/* Lay the graph in @a text out and render it. */
static mtree_status_t render(const char *text, const char *format, const char *output)
{
    mtree_status_t status = MTREE_ERR_IO;
    GVC_t *gvc = gvContext();
    Agraph_t *graph = agmemread(text);
    unsigned length = 0;
    char *picture = NULL;

    agseterr(AGERR); /* its warnings are about looks */
    if (gvc == NULL || graph == NULL) {
        mtree_error("Graphviz cannot read the map; draw to a .dot file instead");
        goto out_close;
    }
    if (strcmp(format, "png") == 0) {
        agattr(graph, AGRAPH, "dpi", PNG_DPI);
    }
    status = lay_out(gvc, graph);
    if (status != MTREE_OK) {
        goto out_close;
    }
    if (gvRenderData(gvc, graph, format, &picture, &length) != 0 || picture == NULL) {
        mtree_error("Graphviz could not render %s; draw to a .dot file instead", format);
        status = MTREE_ERR_IO;
        goto out_layout;
    }
    status = write_text(picture, length, output);
    gvFreeRenderData(picture);

out_layout:
    gvFreeLayout(gvc, graph);
out_close:
    if (graph != NULL) {
        agclose(graph);
    }
    gvFreeContext(gvc);
    return status;
}

#else

static mtree_status_t render(const char *text, const char *format, const char *output)
{
    (void)text;
    (void)output;
    mtree_error("%s is not drawn: mtree was built without Graphviz; draw to a .dot file",
                format);
    return MTREE_ERR_UNSUPPORTED;
}

#endif

/* Write the scene as DOT. */
static mtree_status_t write_graph(const arguments_t *arguments, map_scene_t *scene,
                                  FILE *out)
{
    if (arguments->multiples) {
        return map_multiples_write(scene, out);
    }
    map_dot_write(scene, out);
    return MTREE_OK;
}

static mtree_status_t draw(const arguments_t *arguments, map_scene_t *scene)
{
    mtree_status_t status = map_layout_find(scene);
    char *text = NULL;
    size_t length = 0;
    FILE *out;

    if (status != MTREE_OK) {
        return status;
    }
    out = open_memstream(&text, &length);
    if (out != NULL) {
        status = write_graph(arguments, scene, out);
    }
    if (out == NULL || (fclose(out) != 0 && status == MTREE_OK)) {
        mtree_error("out of memory for the picture");
        status = MTREE_ERR_NO_MEMORY;
    }
    if (status == MTREE_OK) {
        status = (strcmp(arguments->format, "dot") == 0)
                     ? write_text(text, length, arguments->output)
                     : render(text, arguments->format, arguments->output);
    }
    free(text);
    return status;
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
    mtree_status_t status;
    planned_network_t planned;
    map_scene_t scene;

    status = prepare(arguments, &planned);
    if (status != MTREE_OK) {
        return COMMAND_FAILED;
    }
    status = map_scene_of_plan(&scene, &planned);
    if (status == MTREE_OK && arguments->output != NULL) {
        status = draw(arguments, &scene);
    }
    if (status == MTREE_OK && arguments->json) {
        status = command_print_json(map_scene_json(&scene), stdout);
    }
    map_scene_cleanup(&scene);
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
