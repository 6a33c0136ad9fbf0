/* SPDX-License-Identifier: BSD-3-Clause */
#include "planner/plan/plan.h"
#include "planner/relays/relays.h"
#include "topo/adjacency.h"

#include <math.h>
#include <string.h>

/* Capacity below this part of the largest is what rounding leaves. */
#define TINY 1e-9

typedef struct {
    const mtree_topology_t *topology;
    const int *hosts; /* [num_hosts] */
    int num_hosts;
    mtree_adjacency_t adjacency;
    double tiny;
    double *left; /* [2 x links] of each arc; what flows one way adds to the other */
    int *into;  /* [vertices] the arc that reached each; -1: not reached, -2: a source */
    int *queue; /* [vertices] */
    bool *is_source; /* [vertices] */
} cuts_t;

static mtree_status_t cuts_init(cuts_t *cuts, mtree_arena_t *arena)
{
    size_t vertices = (size_t)cuts->topology->num_vertices;
    size_t arcs = 2 * (size_t)cuts->topology->num_links;
    mtree_status_t status = mtree_adjacency_init(&cuts->adjacency, cuts->topology, arena);

    MTREE_ARENA_ARRAY(arena, cuts->left, arcs);
    MTREE_ARENA_ARRAY(arena, cuts->into, vertices);
    MTREE_ARENA_ARRAY(arena, cuts->queue, vertices);
    MTREE_ARENA_ARRAY(arena, cuts->is_source, vertices);
    return status != MTREE_OK ? status : arena->status;
}

/* Find a shortest way with room from a source to @a sink. */
static bool find_way(cuts_t *cuts, int sink)
{
    const mtree_topology_t *topology = cuts->topology;
    int reached = 0;

    for (int v = 0; v < topology->num_vertices; v++) {
        cuts->into[v] = cuts->is_source[v] ? -2 : -1;
        if (cuts->is_source[v]) {
            cuts->queue[reached++] = v;
        }
    }
    for (int q = 0; q < reached && cuts->into[sink] == -1; q++) {
        int from = cuts->queue[q];

        for (int i = cuts->adjacency.first[from]; i < cuts->adjacency.first[from + 1];
             i++) {
            int arc = cuts->adjacency.arcs[i], to = mtree_arc_to(topology, arc);

            if (cuts->left[arc] > cuts->tiny && cuts->into[to] == -1) {
                cuts->into[to] = arc;
                cuts->queue[reached++] = to;
            }
        }
    }
    return cuts->into[sink] >= 0;
}

/* Fill the way that was found; bits/s. */
static double fill_way(cuts_t *cuts, int sink)
{
    const mtree_topology_t *topology = cuts->topology;
    double room = INFINITY;

    for (int v = sink; cuts->into[v] >= 0; v = mtree_arc_from(topology, cuts->into[v])) {
        room = fmin(room, cuts->left[cuts->into[v]]);
    }
    for (int v = sink; cuts->into[v] >= 0; v = mtree_arc_from(topology, cuts->into[v])) {
        cuts->left[cuts->into[v]] -= room;
        cuts->left[cuts->into[v] ^ 1] += room;
    }
    return room;
}

/* The greatest flow from host @a source, or, when that is -1, from all others together,
 * to host @a sink; this is the least cut between them. */
static double flow_to(cuts_t *cuts, int source, int sink)
{
    double flow = 0.0;

    memset(cuts->is_source, 0,
           (size_t)cuts->topology->num_vertices * sizeof(*cuts->is_source));
    for (int i = 0; i < cuts->num_hosts; i++) {
        cuts->is_source[cuts->hosts[i]] = i != sink && (source < 0 || i == source);
    }
    for (int arc = 0; arc < 2 * cuts->topology->num_links; arc++) {
        cuts->left[arc] = mtree_arc_capacity(cuts->topology, arc);
        cuts->tiny = fmax(cuts->tiny, TINY * cuts->left[arc]);
    }
    while (find_way(cuts, cuts->hosts[sink])) {
        flow += fill_way(cuts, cuts->hosts[sink]);
    }
    return flow;
}

/* All of the message passes from the root to each other host, or back, or both. */
static double bound_whole(cuts_t *cuts, mtree_collective_t collective, int root)
{
    double least = INFINITY;

    for (int host = 0; host < cuts->num_hosts; host++) {
        if (host != root && mtree_collective_goes_down(collective)) {
            least = fmin(least, flow_to(cuts, root, host));
        }
        if (host != root && mtree_collective_goes_up(collective)) {
            least = fmin(least, flow_to(cuts, host, root));
        }
    }
    return least;
}

/* A block of n passes between every two hosts; all others' n - 1 enter a host. */
static double bound_blocks(cuts_t *cuts)
{
    int n = cuts->num_hosts;
    double least = INFINITY;

    for (int to = 0; to < n; to++) {
        least = fmin(least, flow_to(cuts, -1, to) * n / (n - 1));
        for (int from = 0; from < n; from++) {
            least = from == to ? least : fmin(least, flow_to(cuts, from, to) * n);
        }
    }
    return least;
}

mtree_status_t mtree_relays_cut_bound(const mtree_topology_t *topology, const int *hosts,
                                      int num_hosts, mtree_collective_t collective,
                                      int root, double *bound_p)
{
    mtree_arena_t arena = {0};
    cuts_t cuts = {.topology = topology, .hosts = hosts, .num_hosts = num_hosts};
    mtree_status_t status = MTREE_OK;

    *bound_p = 0.0;
    if (num_hosts > 1 && !mtree_collective_is_personalized(collective)) {
        status = cuts_init(&cuts, &arena);
        if (status == MTREE_OK) {
            *bound_p = mtree_collective_has_blocks(collective)
                           ? bound_blocks(&cuts)
                           : bound_whole(&cuts, collective, root < 0 ? 0 : root);
        }
    }
    mtree_arena_cleanup(&arena);
    return status;
}
