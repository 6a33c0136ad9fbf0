/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mtree report: what the collectives of a job did.
 */
#include "tools/command.h"
#include "tools/report/file.h"
#include "tools/report/html.h"

#include "base/log.h"
#include "report/report.h"

#include <errno.h>
#include <string.h>

typedef enum { FORM_TEXT, FORM_JSON, FORM_HTML } form_t;

static mtree_status_t write_form(json_t *report, form_t form, FILE *out)
{
    switch (form) {
    case FORM_JSON:
        return command_print_json(json_incref(report), out);
    case FORM_HTML:
        return report_html_write(report, out);
    default:
        mtree_report_print(report, out);
        return MTREE_OK;
    }
}

static int run_report(const char *path, form_t form, const char *output)
{
    FILE *out = stdout;
    mtree_status_t status;
    json_t *report;

    if (report_file_read(path, &report) != MTREE_OK) {
        return COMMAND_FAILED;
    }
    if (output != NULL) {
        out = fopen(output, "we");
    }
    status = out == NULL ? MTREE_ERR_IO : write_form(report, form, out);
    if (out == NULL || fflush(out) != 0 || (output != NULL && fclose(out) != 0)) {
        mtree_error("%s: cannot be written: %s", output != NULL ? output : "the output",
                    strerror(errno));
        status = MTREE_ERR_IO;
    }
    json_decref(report);
    return status == MTREE_OK ? COMMAND_OK : COMMAND_FAILED;
}

static int run(int argc, char **argv)
{
    static const struct option options[] = {
        {"help", no_argument, NULL, 'h'},
        {"html", no_argument, NULL, 'H'},
        {"json", no_argument, NULL, 'j'},
        {"output", required_argument, NULL, 'o'},
        {NULL, 0, NULL, 0},
    };
    const char *output = NULL;
    form_t form = FORM_TEXT;
    int option;

    while ((option = getopt_long(argc, argv, "hHjo:", options, NULL)) != -1) {
        switch (option) {
        case 'h':
            return command_help(&command_report);
        case 'H':
            form = FORM_HTML;
            break;
        case 'j':
            form = FORM_JSON;
            break;
        case 'o':
            output = optarg;
            break;
        default:
            return COMMAND_MISUSED;
        }
    }
    if (optind + 1 != argc) {
        return command_misuse(&command_report, "one report file is needed");
    }
    return run_report(argv[optind], form, output);
}

const command_t command_report = {
    .name = "report",
    .summary = "show what the collectives of a job did and took",
    .help =
        "Usage: mtree report [OPTION]... FILE\n"
        "Print the page of a report, which a job writes with --mca coll_mtree_report "
        "FILE.\n"
        "Times are those of rank 0; what is marked as predicted comes from the "
        "simulator.\n\n"
        "  -H, --html            a page for browsers that needs nothing else: the map, "
        "the\n"
        "                        trees, a timeline and the tables\n"
        "  -j, --json            the report itself (docs/report.md)\n"
        "  -o, --output FILE     write there instead of standard output\n"
        "  -h, --help            this text\n",
    .run = run,
};
