/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mtree report: what the collectives of a job did.  Here are the options and what follows
 * from the report's counts; Python shows it: the folder reporter.
 */
#include "tools/options.h"

#include "report/report.h"

typedef struct {
    bool html, json, openmetrics;
    const char *output;
} arguments_t;

static mtree_status_t write_json(const arguments_t *arguments, json_t *report)
{
    FILE *out;
    mtree_status_t status = command_open(arguments->output, &out);

    if (status == MTREE_OK) {
        status = command_print_json(json_incref(report), out);
        status = command_close(arguments->output, out, status);
    }
    return status;
}

/* Become the program of Python; returns only when that cannot be. */
static mtree_status_t become_reporter(const arguments_t *arguments, json_t *report)
{
    char path[COMMAND_PATH_ROOM];
    const char *words[] = {"python3", path,
                           arguments->openmetrics ? "openmetrics"
                           : arguments->html      ? "html"
                                                  : "text",
                           arguments->output, NULL};
    mtree_status_t status = command_give("report", json_incref(report));

    return status == MTREE_OK ? command_become("report", "reporter", words) : status;
}

static mtree_status_t run_report(const arguments_t *arguments, const char *path)
{
    mtree_status_t status;
    json_t *report;

    status = mtree_report_read(path, &report);
    if (status == MTREE_OK) {
        status = arguments->json && !arguments->openmetrics
                     ? write_json(arguments, report)
                     : become_reporter(arguments, report);
        json_decref(report);
    }
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
