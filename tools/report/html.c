/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/report/html.h"

#include "report/network.h"
#include "tools/map/layout.h"
#include "tools/map/scene.h"
#include "tools/map/svg.h"
#include "tools/report/parts.h"

#include "base/units.h"
#include "report/page.h"

#include <stdlib.h>
#include <string.h>

/* The vertices of the scene are those of the report, in its order. */
static void mark_relays(map_scene_t *scene, const json_t *vertices)
{
    for (int v = 0; v < scene->topology->num_vertices; v++) {
        scene->is_relay[v] =
            json_is_true(json_object_get(json_array_get(vertices, (size_t)v), "relay"));
    }
}

/* A tree's root and arcs, as the report has them. */
static mtree_status_t add_tree(map_scene_t *scene, const json_t *json, size_t plan,
                               size_t number, size_t siblings)
{
    const json_t *arcs = json_object_get(json, "arcs");
    mtree_status_t status;
    map_tree_t *tree;

    status = map_scene_add_tree(scene, (int)number, &tree);
    if (status != MTREE_OK) {
        return status;
    }
    tree->plan = (int)plan;
    tree->siblings = (int)siblings;
    tree->root_name = mtree_page_text(json, "root");
    tree->root = mtree_topology_find_host(scene->topology, tree->root_name);
    for (size_t a = 0; a < json_array_size(arcs); a++) {
        json_int_t arc = json_integer_value(json_array_get(arcs, a));

        if (arc >= 0 && arc < 2 * scene->topology->num_links) {
            tree->crossed[arc] = 1;
        }
    }
    return MTREE_OK;
}

static mtree_status_t add_trees(map_scene_t *scene, const json_t *report, size_t number)
{
    mtree_status_t status = MTREE_OK;
    size_t p, t;
    json_t *plan, *tree;

    json_array_foreach (json_object_get(report, "plans"), p, plan) {
        const json_t *trees = json_object_get(plan, "trees");

        if (!mtree_page_plan_is_on(plan, number)) {
            continue;
        }
        json_array_foreach (trees, t, tree) {
            if (status == MTREE_OK) {
                status = add_tree(scene, tree, p, t, json_array_size(trees));
            }
        }
    }
    return status;
}

/*
 * Make the scene of topology number @a number of @a report, with the trees of all plans
 * on it.  The topology at *topology_p and @a scene are
 * the caller's; @a report must outlive both.  MTREE_ERR_NO_MEMORY,
 * MTREE_ERR_INVALID (logged) when the report contradicts itself.
 */
static mtree_status_t create_scene(const json_t *report, size_t number,
                                   mtree_topology_t **topology_p, map_scene_t *scene)
{
    const json_t *json = json_array_get(json_object_get(report, "topologies"), number);
    const json_t *links = json_object_get(json, "links");
    mtree_status_t status = mtree_report_network_read(json, topology_p);

    if (status != MTREE_OK) {
        return status;
    }
    status = map_scene_init(scene, *topology_p);
    for (size_t arc = 0; status == MTREE_OK && arc < 2 * json_array_size(links); arc++) {
        const json_t *link = json_array_get(links, arc / 2);

        scene->use[arc] = mtree_page_direction(link, "use", arc % 2);
        scene->bytes[arc] = mtree_page_direction(link, "bytes", arc % 2);
    }
    if (status == MTREE_OK) {
        mark_relays(scene, json_object_get(json, "vertices"));
        status = add_trees(scene, report, number);
    }
    if (status != MTREE_OK) {
        map_scene_cleanup(scene);
        mtree_topology_destroy(*topology_p);
    }
    return status;
}

/* A line of the text page as a paragraph of @a kind, unless it is empty. */
static void write_line(const json_t *report, mtree_page_line_t line, size_t number,
                       const char *kind, FILE *out)
{
    char *text = mtree_page_line_text(line, report, number);

    if (text != NULL && text[0] != '\0') {
        fprintf(out, "<p class=\"%s\">", kind);
        mtree_table_escape(text, out);
        fputs("</p>\n", out);
    }
    free(text);
}

static void write_lines(const json_t *report, const mtree_page_line_t *lines,
                        size_t number, FILE *out)
{
    for (; *lines != NULL; lines++) {
        write_line(report, *lines, number, "soft", out);
    }
}

static void write_head(const json_t *report, FILE *out)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
          "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\"/>\n"
          "<title>mtree report</title>\n<style>",
          out);
    fputs(report_parts_style, out);
    fputs("</style>\n</head>\n<body>\n<main>\n<h1>mtree report</h1>\n", out);
    write_lines(report, mtree_page_job_lines, 0, out);
    if (json_object_get(report, "obstacle") != NULL) {
        fputs("<p class=\"bad\">MPI_COMM_WORLD was not served: ", out);
        mtree_table_escape(mtree_page_text(report, "obstacle"), out);
        fputs("</p>\n", out);
    }
}

static void write_card(const char *name, const char *value, FILE *out)
{
    fprintf(out, "<div class=\"card\"><span class=\"soft\">%s</span><b>%s</b></div>\n",
            name, value);
}

/* What was moved and how long it took, of all calls. */
static void write_cards(const json_t *report, FILE *out)
{
    double calls = 0, bytes = 0, seconds = 0;
    char text[MTREE_UNITS_LENGTH];
    size_t c, i;
    json_t *communicator, *line;

    json_array_foreach (json_object_get(report, "communicators"), c, communicator) {
        json_array_foreach (json_object_get(communicator, "calls"), i, line) {
            calls += mtree_page_number(line, "calls");
            bytes += mtree_page_number(line, "bytes");
            seconds += mtree_page_number(line, "shared_s");
        }
    }
    fputs("<div class=\"cards\">\n", out);
    snprintf(text, sizeof(text), "%.0f", calls);
    write_card("Collective calls", text, out);
    write_card("Data in them", mtree_units_format_size(bytes, text, sizeof(text)), out);
    write_card("Time in them", mtree_units_format_time(seconds, text, sizeof(text)), out);
    fputs("</div>\n", out);
}

/* A table in a fold, unless it has no rows; it is released. */
static void write_fold(const char *name, mtree_table_t *table, FILE *out)
{
    if (mtree_table_has_rows(table)) {
        fprintf(out, "<details><summary>%s</summary>\n", name);
        mtree_table_write_html(table, out);
        fputs("</details>\n", out);
    }
    mtree_table_destroy(table);
}

/* Who uses plan number @a plan: "allreduce 8 MB-16 MB". */
static void write_user(const json_t *report, size_t plan, FILE *out)
{
    const char *comma = "";
    char name[128];
    size_t c, i;
    json_t *communicator, *calls;

    json_array_foreach (json_object_get(report, "communicators"), c, communicator) {
        json_array_foreach (json_object_get(communicator, "calls"), i, calls) {
            if (json_object_get(calls, "plan") != NULL &&
                (size_t)mtree_page_number(calls, "plan") == plan) {
                fputs(comma, out);
                mtree_table_escape(mtree_page_calls_name(calls, name, sizeof(name)), out);
                comma = ", ";
            }
        }
    }
}

/* Checkboxes for the trees of plan number @a number, which are shown if it is @a first.
 */
static void write_picker(const json_t *report, size_t number, bool first, FILE *out)
{
    const json_t *plan = json_array_get(json_object_get(report, "plans"), number);
    const char *checked = first ? " checked=\"checked\"" : "";
    size_t count = json_array_size(json_object_get(plan, "trees"));

    fputs("<div class=\"picker\"><strong>Trees of ", out);
    write_user(report, number, out);
    fprintf(out,
            "</strong><label><input type=\"checkbox\" data-all=\"%zu\"%s/>all</label>",
            number, checked);
    for (size_t t = 0; t < count; t++) {
        fprintf(out,
                "<label><input type=\"checkbox\" data-tree=\"p%zut%zu\"%s/><i "
                "style=\"background:%s\"></i>%zu</label>",
                number, t + 1, checked, map_colour(t), t + 1);
    }
    fputs("</div>\n", out);
}

static mtree_status_t write_map(const json_t *report, size_t number, FILE *out)
{
    mtree_topology_t *topology;
    map_scene_t scene;
    mtree_status_t status = create_scene(report, number, &topology, &scene);

    if (status != MTREE_OK) {
        return status;
    }
    status = map_layout_find(&scene);
    if (status == MTREE_OK) {
        map_svg_write(&scene, out);
    }
    map_scene_cleanup(&scene);
    mtree_topology_destroy(topology);
    return status;
}

/* What the colours of links mean. */
static void write_keys(bool has_relays, FILE *out)
{
    fputs(
        "<div class=\"keys\"><span>Use of each direction while mtree's calls ran:</span>",
        out);
    for (int step = 0; step < MAP_SVG_STEPS; step++) {
        fprintf(out, "<span><i class=\"u%d\"></i>%d-%d %%</span>", step,
                100 * step / MAP_SVG_STEPS, 100 * (step + 1) / MAP_SVG_STEPS);
    }
    fprintf(out,
            "<span>on links: capacity and use, there / back if they differ; the wider, "
            "the fuller</span>%s</div>\n",
            has_relays ? "<span>double circle: a relay</span>" : "");
}

/* All that concerns topology @a number. */
static mtree_status_t write_network(const json_t *report, size_t number, FILE *out)
{
    const json_t *topology =
        json_array_get(json_object_get(report, "topologies"), number);
    const json_t *plans = json_object_get(report, "plans");
    bool first = true;
    mtree_status_t status;

    fputs("<h2>Network</h2>\n<section>\n", out);
    write_line(report, mtree_page_topology, number, "", out);
    write_lines(report, mtree_page_map_lines, number, out);
    status = write_map(report, number, out);
    if (status != MTREE_OK) {
        return status;
    }
    write_keys(mtree_page_has_relays(report, number), out);
    for (size_t p = 0; p < json_array_size(plans); p++) {
        if (mtree_page_plan_is_on(json_array_get(plans, p), number)) {
            write_picker(report, p, first, out);
            first = first && json_array_size(
                                 json_object_get(json_array_get(plans, p), "trees")) == 0;
        }
    }
    write_fold("All links", mtree_page_links(topology), out);
    fputs("</section>\n", out);
    return MTREE_OK;
}

static void write_communicator(const json_t *report, size_t number, FILE *out)
{
    const json_t *communicator =
        json_array_get(json_object_get(report, "communicators"), number);
    mtree_table_t *calls = mtree_page_calls(report, communicator);
    mtree_table_t *fallbacks = mtree_page_fallbacks(communicator);

    fputs("<section>\n", out);
    write_line(report, mtree_page_communicator, number, "name", out);
    mtree_table_write_html(calls, out);
    if (mtree_table_has_rows(fallbacks)) {
        mtree_table_write_html(fallbacks, out);
    }
    fputs("</section>\n", out);
    mtree_table_destroy(calls);
    mtree_table_destroy(fallbacks);
}

static void write_plans(const json_t *report, FILE *out)
{
    const json_t *plans = json_object_get(report, "plans");

    if (json_array_size(plans) == 0) {
        return;
    }
    fputs("<h2>Plans</h2>\n<section>\n", out);
    for (size_t p = 0; p < json_array_size(plans); p++) {
        const json_t *plan = json_array_get(plans, p);
        mtree_table_t *trees = mtree_page_trees(report, p);
        char rate[MTREE_UNITS_LENGTH];

        fputs("<details><summary>", out);
        write_user(report, p, out);
        fputs(": ", out);
        mtree_table_escape(mtree_page_text(plan, "algorithm"), out);
        fprintf(out, ", %s</summary>\n",
                mtree_units_format_rate(mtree_page_number(plan, "throughput_bps"), rate,
                                        sizeof(rate)));
        mtree_table_write_html(trees, out);
        fputs("</details>\n", out);
        mtree_table_destroy(trees);
    }
    fputs("</section>\n", out);
}

mtree_status_t report_html_write(const json_t *report, FILE *out)
{
    const json_t *communicators = json_object_get(report, "communicators");
    size_t topologies = json_array_size(json_object_get(report, "topologies"));
    mtree_status_t status = MTREE_OK;

    write_head(report, out);
    write_cards(report, out);
    for (size_t t = 0; t < topologies && status == MTREE_OK; t++) {
        status = write_network(report, t, out);
    }
    fputs("<h2>Timeline</h2>\n<section>\n", out);
    report_timeline_write(report, out);
    fputs("</section>\n<h2>Collectives</h2>\n", out);
    for (size_t c = 0; c < json_array_size(communicators); c++) {
        write_communicator(report, c, out);
    }
    write_plans(report, out);
    fputs("</main>\n<script>", out);
    fputs(report_parts_script, out);
    fputs("</script>\n</body>\n</html>\n", out);
    return status;
}
