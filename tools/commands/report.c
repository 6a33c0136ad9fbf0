/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mtree report: what the collectives of a job did.  Here are the options, and what
 * needs the planner; Python derives the rest and shows it: the folder reporter.
 */
#include "tools/options.h"

#include "base/file.h"
#include "base/log.h"
#include "report/derive.h"

#include <stdlib.h>
#include <string.h>

/* Lists that every report has. */
static const char *const lists[] = {"topologies", "plans", "communicators", "times"};

static void check_form(const json_t *report)
{
    const char *format = json_string_value(json_object_get(report, "format"));

    if (format == NULL || strcmp(format, MTREE_REPORT_FORMAT) != 0) {
        mtree_error("\"format\" is '%s', not '%s'; write the report with the mtree that "
                    "reads it",
                    format == NULL ? "" : format, MTREE_REPORT_FORMAT);
        exit(COMMAND_FAILED);
    }
    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
        if (!json_is_array(json_object_get(report, lists[i]))) {
            mtree_error("there is no list \"%s\"; was the report written whole?",
                        lists[i]);
            exit(COMMAND_FAILED);
        }
    }
}

/* The report in @a text with what follows from it.  @a name stands for its file in
 * messages. */
static json_t *parse(const char *text, const char *name)
{
    json_error_t error;
    json_t *report = json_loads(text, 0, &error);

    if (report == NULL) {
        mtree_error("%s:%d: not a report: %s; write one with coll_mtree_report", name,
                    error.line, error.text);
        exit(COMMAND_FAILED);
    }
    mtree_log_about(name, NULL);
    check_form(report);
    command_must(mtree_report_derive(report));
    mtree_log_about(NULL, NULL);
    return report;
}

static int run(int argc, char **argv)
{
    static const option_t options[] = {
        {"html", 'H', OPTION_FLAG,
         .help = "a page for browsers that needs nothing else: the map, the trees and "
                 "the tables"},
        {"json", 'j', OPTION_FLAG,
         .help = "the report itself, and what follows from it (docs/report.md)"},
        {"openmetrics", 'm', OPTION_FLAG,
         .help = "its numbers as OpenMetrics text, for Prometheus"},
        {"output", 'o', OPTION_TEXT, .argument = "FILE",
         .help = "write there instead of standard output"},
        {0}};
    const char *words[2 + sizeof(options) / sizeof(options[0])] = {"report"};
    const option_group_t groups[] = {{options, .texts = words + 2}, {0}};
    size_t length;
    char *text;

    options_parse(&command_report, groups, argc, argv);
    words[1] = strcmp(argv[optind], "-") == 0 ? "standard input" : argv[optind];
    command_must(mtree_file_read(argv[optind], &text, &length));
    command_give("report", parse(text, words[1]));
    return command_become("report", "reporter", words);
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
