/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mtree report: what the collectives of a job did.
 */
#include "tools/options.h"

#include "report/page.h"
#include "report/report.h"

#include <stdlib.h>

/* @a text, which is released, as JSON. */
static json_t *take_text(char *text)
{
    json_t *json = json_string(text != NULL ? text : "");

    free(text);
    return json;
}

static json_t *lines_json(const json_t *report, const mtree_page_line_t *lines,
                          size_t number)
{
    json_t *texts = json_array();

    for (; *lines != NULL; lines++) {
        json_array_append_new(texts,
                              take_text(mtree_page_line_text(*lines, report, number)));
    }
    return texts;
}

/* The tables that have rows, or whose head is shown without them; they are released. */
static json_t *tables_json(mtree_table_t *const *tables, bool empty)
{
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);

    for (; *tables != NULL; tables++, empty = false) {
        if (out != NULL && (empty || mtree_table_has_rows(*tables))) {
            mtree_table_write_html(*tables, out);
        }
        mtree_table_destroy(*tables);
    }
    if (out != NULL) {
        (void)fclose(out);
    }
    return take_text(text);
}

static json_t *topology_page(const json_t *report, size_t number)
{
    mtree_table_t *links[] = {
        mtree_page_links(json_array_get(json_object_get(report, "topologies"), number)),
        NULL};

    return json_pack("{s:o, s:o, s:o}", "name",
                     take_text(mtree_page_line_text(mtree_page_topology, report, number)),
                     "lines", lines_json(report, mtree_page_map_lines, number), "links",
                     tables_json(links, false));
}

static json_t *communicator_page(const json_t *report, size_t number)
{
    const json_t *communicator =
        json_array_get(json_object_get(report, "communicators"), number);
    mtree_table_t *tables[] = {mtree_page_calls(report, communicator),
                               mtree_page_fallbacks(communicator), NULL};
    json_t *names = json_array(), *calls;
    char name[128];
    size_t i;

    json_array_foreach (json_object_get(communicator, "calls"), i, calls) {
        json_array_append_new(
            names, json_string(mtree_page_calls_name(calls, name, sizeof(name))));
    }
    return json_pack(
        "{s:o, s:o, s:o}", "name",
        take_text(mtree_page_line_text(mtree_page_communicator, report, number)), "names",
        names, "tables", tables_json(tables, true));
}

static json_t *plan_page(const json_t *report, size_t number)
{
    const json_t *plan = json_array_get(json_object_get(report, "plans"), number);
    mtree_table_t *trees[] = {mtree_page_trees(report, plan), NULL};

    return tables_json(trees, true);
}

/* What @a page_of gives of each member of the list @a key. */
static json_t *pages(const json_t *report, const char *key,
                     json_t *(*page_of)(const json_t *report, size_t number))
{
    json_t *list = json_array();

    for (size_t i = 0; i < json_array_size(json_object_get(report, key)); i++) {
        json_array_append_new(list, page_of(report, i));
    }
    return list;
}

/*
 * What tools/drawing/page.py makes that page of: @a report with the lines and tables of
 * the text page, {report, lines: [], topologies: [{name, lines, links}], communicators:
 * [{name, names: [of calls], tables}], plans: [table]}; tables are HTML, "" where they
 * have no rows.  The caller's; NULL: no memory.
 */
static json_t *html_page(json_t *report)
{
    return json_pack("{s:O, s:o, s:o, s:o, s:o}", "report", report, "lines",
                     lines_json(report, mtree_page_job_lines, 0), "topologies",
                     pages(report, "topologies", topology_page), "communicators",
                     pages(report, "communicators", communicator_page), "plans",
                     pages(report, "plans", plan_page));
}

typedef struct {
    bool html, json, openmetrics;
    const char *output;
} arguments_t;

static mtree_status_t write_report(const arguments_t *arguments, json_t *report,
                                   FILE *out)
{
    if (arguments->json) {
        return command_print_json(json_incref(report), out);
    }
    mtree_report_print(report, out);
    return MTREE_OK;
}

/* Become the program of Python that writes OpenMetrics or HTML; returns only when that
 * cannot be. */
static mtree_status_t become_writer(const arguments_t *arguments, json_t *report)
{
    char path[COMMAND_PATH_ROOM];
    const char *words[] = {"python3", path, arguments->output, NULL};
    const char *page_words[] = {"python3", path, "page", arguments->output, NULL};
    json_t *given = arguments->openmetrics ? json_incref(report) : html_page(report);
    mtree_status_t status = command_give("report", given);

    if (status != MTREE_OK) {
        return status;
    }
    return arguments->openmetrics ? command_become("report", "openmetrics.py", words)
                                  : command_become("report", "drawing", page_words);
}

static mtree_status_t run_report(const arguments_t *arguments, const char *path)
{
    mtree_status_t status;
    json_t *report;
    FILE *out;

    status = mtree_report_read(path, &report);
    if (status != MTREE_OK) {
        return status;
    }
    if (arguments->openmetrics || (arguments->html && !arguments->json)) {
        status = become_writer(arguments, report);
        json_decref(report);
        return status;
    }
    status = command_open(arguments->output, &out);
    if (status == MTREE_OK) {
        status = write_report(arguments, report, out);
        status = command_close(arguments->output, out, status);
    }
    json_decref(report);
    return status;
}

static int run(int argc, char **argv)
{
    static const option_t options[] = {
        {"html", 'H', OPTION_FLAG, offsetof(arguments_t, html),
         .help = "a page for browsers that needs nothing else: the map, the trees, a "
                 "timeline and the tables"},
        {"json", 'j', OPTION_FLAG, offsetof(arguments_t, json),
         .help = "the report itself, and what follows from it (docs/report.md)"},
        {"openmetrics", 'm', OPTION_FLAG, offsetof(arguments_t, openmetrics),
         .help = "its numbers as OpenMetrics text, for Prometheus"},
        {"output", 'o', OPTION_TEXT, offsetof(arguments_t, output), .argument = "FILE",
         .help = "write there instead of standard output"},
        {0}};
    arguments_t arguments = {0};
    const option_group_t groups[] = {{options, .data = &arguments}, {0}};
    int code = options_parse(&command_report, groups, argc, argv);

    if (code != OPTIONS_GO_ON) {
        return code;
    }
    return command_exit(run_report(&arguments, argv[optind]));
}

const command_t command_report = {
    .name = "report",
    .summary = "show what the collectives of a job did and took",
    .usage = "[OPTION]... FILE",
    .help = "Print the page of a report, which a job writes with --mca coll_mtree_report "
            "FILE.\n"
            "Times are those of rank 0, and measured; forecasts are called so.\n",
    .examples = {"mtree report report.json",
                 "mtree report --html report.json -o report.html"},
    .least_arguments = 1,
    .most_arguments = 1,
    .needs = "one report file is needed",
    .run = run,
};
