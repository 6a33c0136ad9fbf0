/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/report.h"

#include "report/derive.h"
#include "report/page.h"

#include "base/file.h"
#include "base/log.h"
#include "base/printable.h"

#include <stdlib.h>
#include <string.h>

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

void mtree_report_make_printable(json_t *report)
{
    const char *key;
    json_t *value;
    size_t i;

    if (json_is_string(report)) {
        make_text_printable(report);
    }
    json_array_foreach (report, i, value) {
        mtree_report_make_printable(value);
    }
    json_object_foreach (report, key, value) {
        mtree_report_make_printable(value);
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
    format = mtree_page_text(report, "format");
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
    mtree_report_make_printable(json_object_get(report, "topologies"));
    mtree_report_make_printable(json_object_get(report, "plans"));
    if (mtree_report_derive(report) != MTREE_OK) {
        json_decref(report);
        return MTREE_ERR_INVALID;
    }
    *report_p = report;
    return MTREE_OK;
}

mtree_status_t mtree_report_read(const char *path, json_t **report_p)
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

/* A table under a head line, unless it has no rows; it is released. */
static void print_table(mtree_table_t *table, FILE *out)
{
    if (mtree_table_has_rows(table)) {
        mtree_table_print(table, out);
    }
    mtree_table_destroy(table);
}

/* The trees of the plan that moved most in a communicator, and what they gave. */
static void print_trees(const json_t *report, const json_t *communicator, FILE *out)
{
    const json_t *heaviest = NULL;
    char name[128];
    size_t i;
    json_t *calls;

    json_array_foreach (json_object_get(communicator, "calls"), i, calls) {
        if (json_object_get(calls, "trees_bps") != NULL &&
            json_object_get(calls, "plan") != NULL &&
            mtree_page_number(calls, "bytes") > mtree_page_number(heaviest, "bytes")) {
            heaviest = calls;
        }
    }
    if (heaviest != NULL) {
        fprintf(out, "\nTrees of %s\n",
                mtree_page_calls_name(heaviest, name, sizeof(name)));
        print_table(mtree_page_trees(report, mtree_page_plan_of(report, heaviest)), out);
    }
}

static void print_communicators(const json_t *report, FILE *out)
{
    mtree_table_t *fallbacks;
    size_t i;
    json_t *communicator;

    json_array_foreach (json_object_get(report, "communicators"), i, communicator) {
        fputc('\n', out);
        mtree_page_communicator(report, i, out);
        fputc('\n', out);
        print_table(mtree_page_calls(report, communicator), out);
        fallbacks = mtree_page_fallbacks(communicator);
        if (mtree_table_has_rows(fallbacks)) {
            fputc('\n', out);
        }
        print_table(fallbacks, out);
        print_trees(report, communicator, out);
    }
}

/* The @a lines about number @a number that are not empty. */
static void print_lines(const mtree_page_line_t *lines, const json_t *report,
                        size_t number, FILE *out)
{
    for (; *lines != NULL; lines++) {
        char *text = mtree_page_line_text(*lines, report, number);

        if (text != NULL && text[0] != '\0') {
            fprintf(out, "%s\n", text);
        }
        free(text);
    }
}

void mtree_report_print(json_t *report, FILE *out)
{
    const json_t *topologies = json_object_get(report, "topologies");

    mtree_report_make_printable(report);
    print_lines(mtree_page_job_lines, report, 0, out);
    if (json_object_get(report, "obstacle") != NULL) {
        fprintf(out, "MPI_COMM_WORLD was not served: %s\n",
                mtree_page_text(report, "obstacle"));
    }
    for (size_t i = 0; i < json_array_size(topologies); i++) {
        fputs("\nTopology ", out);
        mtree_page_topology(report, i, out);
        fputc('\n', out);
        print_lines(mtree_page_map_lines, report, i, out);
    }
    print_communicators(report, out);
}

mtree_status_t mtree_report_print_text(const char *text, const char *name, FILE *out)
{
    json_t *report;
    mtree_status_t status = parse(text, name, &report);

    if (status == MTREE_OK) {
        mtree_report_print(report, out);
        json_decref(report);
    }
    return status;
}
