/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/report.h"

#include "report/derive.h"
#include "report/members.h"

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
