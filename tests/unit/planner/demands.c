/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/planner/demands.h"
#include "papers/published/lp.h"
#include "tests/unit/maps.h"

/* Rates and bits of the program are in units of this, so that its numbers are near 1. */
#define UNIT 1e8

/* A flow of host number @a from over each arc: it takes capacity, and comes from one
 * vertex to another. */
static void add_flow(mtree_lp_t *lp, const mtree_topology_t *topology, int from,
                     int first_arc)
{
    for (int arc = 0; arc < 2 * topology->num_links; arc++) {
        const int first = from * topology->num_vertices;
        const int ends[] = {first + mtree_arc_from(topology, arc),
                            first + mtree_arc_to(topology, arc), first_arc + arc};
        const double flow[] = {-1, 1, 1};

        mtree_lp_add_column(lp, 0, 3, ends, flow);
    }
}

double demands_least_seconds(const mtree_topology_t *topology, const double *demand)
{
    const int vertices = topology->num_vertices;
    const size_t room = (size_t)vertices * (size_t)vertices;
    UNIT_FREED int *hosts = malloc((size_t)vertices * sizeof(*hosts));
    UNIT_FREED int *rows = malloc(room * sizeof(*rows));
    UNIT_FREED double *values = malloc(room * sizeof(*values));
    const int num_hosts = map_hosts(topology, hosts);
    int count = 0;
    double seconds;
    mtree_lp_t *lp;

    unit_ok(mtree_lp_create(&lp));
    /* What host number h sends leaves at vertex v what v is to get: row h * vertices + v;
     * then the arcs. */
    mtree_lp_add_rows(lp, num_hosts * vertices, 0, INFINITY);
    for (int arc = 0; arc < 2 * topology->num_links; arc++) {
        mtree_lp_add_rows(lp, 1, -INFINITY, mtree_arc_capacity(topology, arc) / UNIT);
    }
    for (int h = 0; h < num_hosts; h++) {
        mtree_lp_bound_row(lp, h * vertices + hosts[h], -INFINITY, INFINITY);
        for (int to = 0; to < num_hosts; to++) {
            if (to != h) {
                rows[count] = h * vertices + hosts[to];
                values[count++] = -8 * demand[h * num_hosts + to] / UNIT;
            }
        }
    }
    mtree_lp_add_column(lp, 1, count, rows, values);
    for (int h = 0; h < num_hosts; h++) {
        add_flow(lp, topology, h, num_hosts * vertices);
    }
    unit_ok(mtree_lp_solve(lp));
    seconds = 1 / lp->objective;
    mtree_lp_destroy(lp);
    return seconds;
}
