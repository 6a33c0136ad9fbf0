/* SPDX-License-Identifier: BSD-3-Clause */
#include "topo/dot/read.h"

#include "base/log.h"
#include "base/units.h"
#include "topo/dot/cables.h"
#include "topo/dot/values.h"

#include <string.h>

/* A line with what is known of it. */
static void write_cost(const mtree_message_cost_t *cost, FILE *out)
{
    char text[MTREE_UNITS_LENGTH];

    if (cost->message > 0.0) {
        fprintf(out, "    graph [message_cost=\"%s\"",
                mtree_units_write_time(cost->message, text));
        if (cost->byte > 0.0) {
            fprintf(out, " copy_rate=\"%s\"",
                    mtree_units_write_rate(8.0 / cost->byte, text));
        }
        fputs("];\n", out);
    }
}

static void write_vertex(const mtree_vertex_t *vertex, FILE *out)
{
    char text[MTREE_UNITS_LENGTH];

    fprintf(out, "    \"%s\" [kind=%s", vertex->name,
            (vertex->kind == MTREE_VERTEX_SWITCH) ? "switch" : "host");
    if (strcmp(vertex->name, vertex->host) != 0) {
        fprintf(out, " host=\"%s\"", vertex->host);
    }
    if (vertex->has_position) {
        fprintf(out, " pos=\"%s,", mtree_units_write_number(vertex->x, text));
        fprintf(out, "%s\"", mtree_units_write_number(vertex->y, text));
    }
    if (vertex->relay != NULL) {
        fprintf(out, " relay=\"%s\"", vertex->relay);
    }
    fputs("];\n", out);
}

/* Write @a link with @a capacity; @a cable: the one that has it, NULL: none. */
static void write_edge(const mtree_topology_t *topology, const mtree_link_t *link,
                       const double capacity[2], const mtree_cable_t *cable, FILE *out)
{
    bool turned = (capacity[0] == 0);
    int from = turned ? link->v : link->u;
    int to = turned ? link->u : link->v;
    char text[MTREE_UNITS_LENGTH];

    fprintf(out, "    \"%s\" -- \"%s\" [capacity=\"%s\"", topology->vertices[from].name,
            topology->vertices[to].name, mtree_units_write_rate(capacity[turned], text));
    if (capacity[0] != capacity[1]) {
        fprintf(out, " capacity_back=\"%s\"",
                mtree_units_write_rate(capacity[!turned], text));
    }
    if (link->latency > 0) {
        fprintf(out, " latency=\"%s\"", mtree_units_write_time(link->latency, text));
    }
    mtree_dot_conditions_write(&link->conditions, out);
    if (cable != NULL) {
        mtree_dot_cable_write(cable, turned, out);
    }
    fputs("];\n", out);
}

/* Cables have the capacity of their link, by what each had of it; none without. */
static void write_link(const mtree_topology_t *topology, const mtree_link_t *link,
                       FILE *out)
{
    double sum[2] = {0, 0}, capacity[2];

    for (int c = 0; c < link->num_cables; ++c) {
        sum[0] += link->cables[c].capacity[0];
        sum[1] += link->cables[c].capacity[1];
    }
    for (int c = 0; c < link->num_cables; ++c) {
        for (int way = 0; way < 2; ++way) {
            capacity[way] = sum[way] > 0 ? link->cables[c].capacity[way] *
                                               (link->capacity[way] / sum[way])
                                         : 0;
        }
        if (capacity[0] > 0 || capacity[1] > 0) {
            write_edge(topology, link, capacity, &link->cables[c], out);
        }
    }
    if (link->num_cables == 0) {
        write_edge(topology, link, link->capacity, NULL, out);
    }
}

mtree_status_t mtree_topology_write(const mtree_topology_t *topology, FILE *out)
{
    fprintf(out, "graph \"%s\" {\n", topology->name);
    write_cost(&topology->cost, out);
    for (int i = 0; i < topology->num_vertices; ++i) {
        write_vertex(&topology->vertices[i], out);
    }
    for (int i = 0; i < topology->num_links; ++i) {
        write_link(topology, &topology->links[i], out);
    }
    fputs("}\n", out);
    if (fflush(out) != 0 || ferror(out)) {
        mtree_error("the topology %s cannot be written: is the disk full?",
                    topology->name);
        return MTREE_ERR_IO;
    }
    return MTREE_OK;
}
