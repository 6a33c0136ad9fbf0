/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mtree report: what the collectives of a job did.  Here are the options and what follows
 * from the report's counts; Python shows it: the folder reporter.
 */
#include "tools/options.h"

#include "base/file.h"
#include "base/log.h"
#include "base/printable.h"
#include "report/derive.h"
#include "report/members.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    bool html, json, openmetrics;
    const char *output;
} arguments_t;

/* Lists that every report has. */
static const char *const lists[] = {"topologies", "plans", "communicators", "timeline",
                                    "times"};

/* A string is replaced by one of the same length. */
static void make_text_printable(json_t *string)
{
    char *text = strdup(json_string_value(string));

    if (text != NULL && mtree_make_printable(text)) {
        (void)json_string_set(string, text);
    }
    free(text);
}

static void make_printable(json_t *report)
{
    const char *key;
    json_t *value;
    size_t i;

    if (json_is_string(report)) {
        make_text_printable(report);
    }
    json_array_foreach (report, i, value) {
        make_printable(value);
    }
    json_object_foreach (report, key, value) {
        make_printable(value);
    }
}

/* Read the report in @a text; @a name stands for its file in messages. */
static mtree_status_t parse(const char *text, const char *name, json_t **report_p)
{
    json_error_t error;
    json_t *report = json_loads(text, 0, &error);
    const char *format;

    if (report == NULL) {
        mtree_error("%s:%d: not a report: %s; write one with coll_mtree_report", name,
                    error.line, error.text);
        return MTREE_ERR_INVALID;
    }
    format = mtree_report_text(report, "format");
    if (strcmp(format, MTREE_REPORT_FORMAT) != 0) {
        mtree_error("%s: \"format\" is '%s', not '%s'; write the report with the mtree "
                    "that reads it",
                    name, format, MTREE_REPORT_FORMAT);
        json_decref(report);
        return MTREE_ERR_INVALID;
    }
    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
        if (!json_is_array(json_object_get(report, lists[i]))) {
            mtree_error("%s: there is no list \"%s\"; was the report written whole?",
                        name, lists[i]);
            json_decref(report);
            return MTREE_ERR_INVALID;
        }
    }
    /* No topology can have other names. */
    make_printable(json_object_get(report, "topologies"));
    make_printable(json_object_get(report, "plans"));
    if (mtree_report_derive(report) != MTREE_OK) {
        json_decref(report);
        return MTREE_ERR_INVALID;
    }
    *report_p = report;
    return MTREE_OK;
}

static mtree_status_t read_report(const char *path, json_t **report_p)
{
    size_t length;
    char *text;
    mtree_status_t status = mtree_file_read(path, &text, &length);

    if (status == MTREE_OK) {
        status = parse(text, path, report_p);
        free(text);
    }
    return status;
}

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

    status = read_report(path, &report);
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
