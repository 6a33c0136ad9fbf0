/* SPDX-License-Identifier: BSD-3-Clause */
#include "papers/baselines/steiner_baselines.h"

#include "base/memory.h"
#include "papers/published/steiner.h"
#include "planner/regular/trees.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Workers are numbered by their place in `active`; loads are parts of the parameters. */
typedef struct {
    const mtree_topology_t *topology;
    const int *active;
    int num_active;
    mtree_routes_t *routes;
    double *load; /* [arcs] of the phase in the making */
    int *first;   /* [num_machines + 1] the first worker of each machine that has any, and
                     num_active */
    int num_machines; /* that have any */
    double seconds;   /* of the phases done, for one bit */
} cost_t;

const char *mtree_steiner_baseline_name(mtree_steiner_baseline_t baseline)
{
    static const char *const names[MTREE_BASELINE_LAST] = {
        "blink", "plink", "ring", "double_tree", "parameter_server"};

    return names[baseline];
}

static void send_part(cost_t *cost, int from, int to, double part)
{
    MTREE_ROUTE_ARCS (arc, cost->routes, from, to) {
        cost->load[arc] += part;
    }
}

static void end_phase(cost_t *cost)
{
    double longest = 0.0;

    for (int arc = 0; arc < 2 * cost->topology->num_links; arc++) {
        if (cost->load[arc] > 0.0) {
            longest =
                fmax(longest, cost->load[arc] / mtree_arc_capacity(cost->topology, arc));
            cost->load[arc] = 0.0;
        }
    }
    cost->seconds += longest;
}

static void cost_ring(cost_t *cost)
{
    int n = cost->num_active;

    for (int i = 0; i < n; i++) {
        send_part(cost, i, (i + 1) % n, 2.0 * (n - 1) / n);
    }
    end_phase(cost);
}

static void cost_parameter_server(cost_t *cost)
{
    int n = cost->num_active;

    for (int server = 0; server < n; server++) {
        for (int worker = 0; worker < n; worker++) {
            send_part(cost, worker, server, 1.0 / n);
            send_part(cost, server, worker, 1.0 / n);
        }
    }
    end_phase(cost);
}

static void cost_double_tree(cost_t *cost)
{
    int n = cost->num_active;
    int *parent = mtree_malloc(2 * (size_t)n * sizeof(*parent));

    mtree_double_tree_parents(n, parent);
    for (int i = 0; i < 2 * n; i++) {
        if (parent[i] >= 0) {
            send_part(cost, i % n, parent[i], 0.5);
            send_part(cost, parent[i], i % n, 0.5);
        }
    }
    end_phase(cost);
    free(parent);
}

/* Leaders are the machines' first workers: stars in the machines, a binary tree over the
 * leaders. */
static void cost_plink(cost_t *cost)
{
    for (int phase = 0; phase < 2; phase++) {
        for (int m = 0; m < cost->num_machines; m++) {
            for (int i = cost->first[m] + 1; i < cost->first[m + 1]; i++) {
                if (phase == 0) {
                    send_part(cost, i, cost->first[m], 1.0);
                } else {
                    send_part(cost, cost->first[m], i, 1.0);
                }
            }
        }
        end_phase(cost);
    }
    for (int m = 1; m < cost->num_machines; m++) {
        send_part(cost, cost->first[m], cost->first[(m - 1) / 2], 1.0);
        send_part(cost, cost->first[(m - 1) / 2], cost->first[m], 1.0);
    }
    end_phase(cost);
}

/* Seconds to reduce one bit, or to broadcast it, inside the slowest machine, over packed
 * trees of its workers. */
static mtree_status_t pack_machines(const cost_t *cost, double *seconds_p)
{
    double longest = 0.0;
    mtree_status_t status = MTREE_OK;

    for (int m = 0; m < cost->num_machines && status == MTREE_OK; m++) {
        int workers = cost->first[m + 1] - cost->first[m];
        mtree_steiner_request_t request = {.topology = cost->topology,
                                           .hosts = cost->active + cost->first[m],
                                           .num_hosts = workers,
                                           .num_active = workers,
                                           .mode = MTREE_STEINER_BROADCAST,
                                           .root = -1};
        mtree_steiner_packing_t *packing;

        if (workers > 1) {
            status = mtree_steiner_pack(&request, &packing);
        }
        if (workers > 1 && status == MTREE_OK) {
            longest = fmax(longest, 1.0 / packing->chi);
            mtree_steiner_packing_destroy(packing);
        }
    }
    *seconds_p = longest;
    return status;
}

/*
 * Each of as many rings as the smallest machine has active workers goes through one
 * worker of every machine.
 */
static mtree_status_t cost_blink(cost_t *cost)
{
    int machines = cost->num_machines;
    int rings = cost->num_active;
    double inside;
    mtree_status_t status = pack_machines(cost, &inside);

    if (status != MTREE_OK) {
        return status;
    }
    cost->seconds += 2.0 * inside;
    for (int m = 0; m < machines; m++) {
        int workers = cost->first[m + 1] - cost->first[m];

        rings = workers < rings ? workers : rings;
    }
    for (int ring = 0; ring < rings && machines > 1; ring++) {
        for (int m = 0; m < machines; m++) {
            send_part(cost, cost->first[m] + ring, cost->first[(m + 1) % machines] + ring,
                      2.0 * (machines - 1) / machines / rings);
        }
    }
    end_phase(cost);
    return MTREE_OK;
}

static mtree_status_t add_phases(cost_t *cost, mtree_steiner_baseline_t baseline)
{
    switch (baseline) {
    case MTREE_BASELINE_BLINK:
        return cost_blink(cost);
    case MTREE_BASELINE_PLINK:
        cost_plink(cost);
        break;
    case MTREE_BASELINE_RING:
        cost_ring(cost);
        break;
    case MTREE_BASELINE_DOUBLE_TREE:
        cost_double_tree(cost);
        break;
    case MTREE_BASELINE_PARAMETER_SERVER:
        cost_parameter_server(cost);
        break;
    case MTREE_BASELINE_LAST:
        break;
    }
    return MTREE_OK;
}

mtree_status_t mtree_steiner_baseline_seconds(const mtree_topology_t *topology,
                                              const mtree_steiner_machines_t *machines,
                                              const int *active, int num_active,
                                              mtree_steiner_baseline_t baseline,
                                              double bytes, double *seconds_p)
{
    cost_t cost = {.topology = topology, .active = active, .num_active = num_active};
    mtree_status_t status =
        mtree_routes_create(topology, active, num_active, &cost.routes);

    if (status != MTREE_OK) {
        return status;
    }
    cost.load = mtree_calloc(2 * (size_t)topology->num_links, sizeof(*cost.load));
    cost.first = mtree_malloc(((size_t)num_active + 1) * sizeof(*cost.first));
    for (int i = 0; i < num_active; i++) {
        if (i == 0 ||
            active[i] / machines->num_gpus != active[i - 1] / machines->num_gpus) {
            cost.first[cost.num_machines++] = i;
        }
    }
    cost.first[cost.num_machines] = num_active;
    status = add_phases(&cost, baseline);
    if (status == MTREE_OK) {
        *seconds_p = cost.seconds * 8.0 * bytes;
    }
    mtree_routes_destroy(cost.routes);
    free(cost.load);
    free(cost.first);
    return status;
}
