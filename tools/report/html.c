/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/report/html.h"

#include "report/page.h"

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
        mtree_page_links(
            json_array_get(json_object_get(report, "topologies"), number)),
        NULL};

    return json_pack(
        "{s:o, s:o, s:o}", "name",
        take_text(mtree_page_line_text(mtree_page_topology, report, number)), "lines",
        lines_json(report, mtree_page_map_lines, number), "links",
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
    mtree_table_t *trees[] = {mtree_page_trees(report, number), NULL};

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

json_t *report_html_page(json_t *report)
{
    return json_pack("{s:O, s:o, s:o, s:o, s:o}", "report", report, "lines",
                     lines_json(report, mtree_page_job_lines, 0), "topologies",
                     pages(report, "topologies", topology_page), "communicators",
                     pages(report, "communicators", communicator_page), "plans",
                     pages(report, "plans", plan_page));
}
