/* SPDX-License-Identifier: BSD-3-Clause */
#include "planner/bound/slowest_flow.h"

#include "base/arena.h"
#include "planner/bound/quickest_flow.h"
#include "planner/tuning.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Bits that pass between a host, the begin, and another one or all that are so far away.
 */
typedef struct {
    double least; /* seconds that they take at least */
    double bits;
    double far; /* seconds of the shortest path to the nearest of several */
    int begin;
    int end;   /* -1: several */
    int count; /* of them */
} need_t;

/* How far away a host is. */
typedef struct {
    double seconds;
    int host;
} far_t;

/* The search for flows in one direction. */
typedef struct {
    const mtree_topology_t *topology;
    const int *hosts; /* [num_hosts] */
    int num_hosts;
    mtree_collective_t collective;
    double bits;   /* that pass between two hosts */
    bool reversed; /* flows end at the hosts where they are said to begin */
    mtree_quickest_flow_t *flow;
    int num_begins;   /* hosts at which flows begin that are looked at */
    bool *is_begin;   /* [num_hosts] */
    double *out, *in; /* [num_vertices] bits/s of the links from and to a vertex */
    double *seconds;  /* [num_vertices] of the shortest path */
    far_t *far;       /* [num_hosts] the others, the farthest first */
    bool *ends;       /* [num_hosts] those at the other end of a flow */
    int *several;     /* [num_hosts] their vertices */
    bool *slow_ends;  /* [num_hosts] of the slowest flow in this direction */
    int slow_begin;   /* where that begins; -1: none is the slowest */
    int num_needs;
    need_t *needs; /* [2 x num_begins x num_hosts] */
    mtree_slowest_t *path, *slowest;
    mtree_arena_t arena;
} search_t;

/* Is each byte for, or of, one host alone?  Then what all others have adds up. */
static bool has_own_blocks(mtree_collective_t collective)
{
    return mtree_collective_is_personalized(collective) ||
           mtree_collective_has_block_per_host(collective);
}

/* Does what one host has spread to others (or to all, a block each), and does what others
 * have come together at one?  Where all depend on all alike, one of both says it. */
static bool spreads(mtree_collective_t collective)
{
    return mtree_collective_has_root(collective)
               ? mtree_collective_goes_down(collective)
               : mtree_collective_goes_up(collective) ||
                     mtree_collective_has_demands(collective);
}

static bool comes_together(mtree_collective_t collective)
{
    return mtree_collective_has_root(collective)
               ? mtree_collective_goes_up(collective)
               : mtree_collective_goes_down(collective) && has_own_blocks(collective);
}

static void measure_links(search_t *search)
{
    const mtree_topology_t *topology = search->topology;

    for (int arc = 0; arc < 2 * topology->num_links; arc++) {
        const double capacity =
            mtree_arc_capacity(topology, search->reversed ? arc ^ 1 : arc);

        search->out[mtree_arc_from(topology, arc)] += capacity;
        search->in[mtree_arc_to(topology, arc)] += capacity;
    }
}

static void search_init(search_t *search, int num_begins)
{
    const size_t vertices = (size_t)search->topology->num_vertices;
    const size_t hosts = (size_t)search->num_hosts;
    mtree_arena_t *arena = &search->arena;

    search->num_begins = num_begins;
    search->slow_begin = -1;
    MTREE_ARENA_ARRAY(arena, search->is_begin, hosts);
    MTREE_ARENA_ARRAY(arena, search->out, vertices);
    MTREE_ARENA_ARRAY(arena, search->in, vertices);
    MTREE_ARENA_ARRAY(arena, search->seconds, vertices);
    MTREE_ARENA_ARRAY(arena, search->far, hosts);
    MTREE_ARENA_ARRAY(arena, search->ends, hosts);
    MTREE_ARENA_ARRAY(arena, search->several, hosts);
    MTREE_ARENA_ARRAY(arena, search->slow_ends, hosts);
    MTREE_ARENA_ARRAY(arena, search->needs, 2 * hosts * (size_t)num_begins);
    measure_links(search);
    search->flow = mtree_quickest_flow_create(search->topology, search->reversed);
}

/* Keep the longer one; is it this one?  Flows that are reversed go the other way. */
static bool keep(const search_t *search, mtree_slowest_t *slowest, double seconds,
                 const need_t *need)
{
    if (!(seconds > slowest->seconds)) {
        return false;
    }
    *slowest = (mtree_slowest_t){
        .seconds = seconds,
        .from = search->reversed ? need->end : need->begin,
        .to = search->reversed ? need->begin : need->end,
        .count = need->count,
    };
    return true;
}

/* A need that latency and the links at the ends, of @a width bits/s, bound. */
static void add_need(search_t *search, need_t need, double width)
{
    need.least = need.far + need.bits / width;
    search->needs[search->num_needs++] = need;
}

static int compare_far(const void *one, const void *other)
{
    const far_t *a = one, *b = other;

    if (a->seconds != b->seconds) {
        return a->seconds > b->seconds ? -1 : 1;
    }
    return a->host - b->host;
}

/* List the other hosts, the farthest first. */
static void list_others(search_t *search, int begin)
{
    int num = 0;

    mtree_quickest_flow_distances(search->flow, search->hosts[begin], search->seconds);
    for (int host = 0; host < search->num_hosts; host++) {
        if (host != begin) {
            search->far[num++] = (far_t){search->seconds[search->hosts[host]], host};
        }
    }
    qsort(search->far, (size_t)num, sizeof(*search->far), compare_far);
}

/* What passes between host @a begin and the others. */
static void add_needs(search_t *search, int begin)
{
    const bool adds_up = has_own_blocks(search->collective);
    const double out = search->out[search->hosts[begin]];
    const int num = search->num_hosts - 1;

    list_others(search, begin);
    for (int i = 0; i < num; i++) {
        const far_t *far = &search->far[i];
        need_t need = {.bits = search->bits,
                       .far = far->seconds,
                       .begin = begin,
                       .end = far->host,
                       .count = 1};

        if (mtree_collective_is_prefix(search->collective) && far->host < begin) {
            continue;
        }
        (void)keep(search, search->path, far->seconds, &need);
        add_need(search, need, fmin(out, search->in[search->hosts[far->host]]));
        if (adds_up && i > 0 &&
            (i + 1 == num || search->far[i + 1].seconds < far->seconds)) {
            need.count = i + 1;
            need.bits *= i + 1;
            need.end = -1;
            add_need(search, need, out);
        }
    }
}

/* A host at which no flow begins yet: in the first half of many the one with the
 * narrowest links, then that which is farthest from the last one. */
static int next_begin(const search_t *search, int number)
{
    const double *out = search->out;
    const int *hosts = search->hosts;
    int best = -1;

    if (search->num_begins == search->num_hosts) {
        return number;
    }
    for (int i = 0; i < search->num_hosts; i++) {
        const int host = 2 * number < search->num_begins ? i : search->far[i].host;

        if (!search->is_begin[host] &&
            (best < 0 ||
             (2 * number < search->num_begins && out[hosts[host]] < out[hosts[best]]))) {
            best = host;
        }
    }
    return best;
}

/* Look at the hosts at which flows begin. */
static void list_needs(search_t *search, int root)
{
    for (int n = 0; n < search->num_begins && !mtree_quickest_flow_is_over(search->flow);
         n++) {
        const int begin = root >= 0 ? root : next_begin(search, n);

        search->is_begin[begin] = true;
        add_needs(search, begin);
    }
}

static int compare_needs(const void *one, const void *other)
{
    const need_t *a = one, *b = other;

    if (a->least != b->least) {
        return a->least > b->least ? -1 : 1;
    }
    if (a->begin != b->begin) {
        return a->begin - b->begin;
    }
    return a->end != b->end ? a->end - b->end : a->count - b->count;
}

/* The hosts at the other end of @a need, to search->ends. */
static void find_ends(search_t *search, const need_t *need)
{
    if (need->end < 0) {
        list_others(search, need->begin);
    }
    memset(search->ends, 0, (size_t)search->num_hosts * sizeof(*search->ends));
    for (int i = 0; i < need->count; i++) {
        search->ends[need->end < 0 ? search->far[i].host : need->end] = true;
    }
}

/* Look at the flow between host @a begin and search->ends.  True: it is the slowest so
 * far, and search->slow_ends are its ends. */
static bool try_flow(search_t *search, int begin)
{
    need_t need = {.begin = begin, .end = -1};
    double seconds;

    for (int host = 0; host < search->num_hosts; host++) {
        if (search->ends[host]) {
            search->several[need.count++] = search->hosts[host];
            need.end = need.count == 1 ? host : -1;
        }
    }
    if (need.count == 0) {
        return false;
    }
    seconds = mtree_quickest_flow_seconds(
        search->flow, search->hosts[begin], search->several, need.count,
        search->bits * need.count, search->slowest->seconds);
    if (!keep(search, search->slowest, seconds, &need)) {
        return false;
    }
    memcpy(search->slow_ends, search->ends,
           (size_t)search->num_hosts * sizeof(*search->ends));
    search->slow_begin = begin;
    return true;
}

/* Find the slowest flow, where latency and the links at both ends promise the most
 * first. */
static void try_flows(search_t *search)
{
    qsort(search->needs, (size_t)search->num_needs, sizeof(*search->needs),
          compare_needs);
    for (int n = 0; n < search->num_needs && !mtree_quickest_flow_is_over(search->flow);
         n++) {
        find_ends(search, &search->needs[n]);
        (void)try_flow(search, search->needs[n].begin);
    }
}

/* Let single hosts join the ends of the slowest flow, or leave them, as long as it gets
 * slower. */
static void change_ends(search_t *search)
{
    const int begin = search->slow_begin;
    bool improved = begin >= 0 && has_own_blocks(search->collective);

    while (improved) {
        improved = false;
        for (int host = 0;
             host < search->num_hosts && !mtree_quickest_flow_is_over(search->flow);
             host++) {
            memcpy(search->ends, search->slow_ends,
                   (size_t)search->num_hosts * sizeof(*search->ends));
            search->ends[host] = !search->ends[host] && host != begin;
            improved = try_flow(search, begin) || improved;
        }
    }
}

/* Hosts at which flows begin that may be looked at. */
static int most_begins(int num_hosts, int root)
{
    const int most = MTREE_SLOWEST_MOST_PAIRS / num_hosts;

    if (root >= 0) {
        return 1;
    }
    return most < 1 ? 1 : most < num_hosts ? most : num_hosts;
}

/* Look at the flows of one direction, and at no more than @a arcs of paths and again of
 * flows. */
static void look(search_t *search, int root, double arcs)
{
    search_init(search, most_begins(search->num_hosts, root));
    mtree_quickest_flow_limit(search->flow, arcs);
    list_needs(search, root);
    mtree_quickest_flow_limit(search->flow, arcs);
    try_flows(search);
    change_ends(search);
    (void)keep(search, search->slowest, search->needs[0].least, &search->needs[0]);
    mtree_quickest_flow_destroy(search->flow);
    mtree_arena_cleanup(&search->arena);
}

void mtree_slowest_flow(const mtree_topology_t *topology, const int *hosts, int num_hosts,
                        mtree_collective_t collective, int root, double bytes,
                        mtree_slowest_t *path_p, mtree_slowest_t *flow_p)
{
    const search_t search = {.topology = topology,
                             .hosts = hosts,
                             .num_hosts = num_hosts,
                             .collective = collective,
                             .bits = 8.0 * bytes /
                                     (has_own_blocks(collective) ? num_hosts : 1),
                             .path = path_p,
                             .slowest = flow_p};
    const bool both = spreads(collective) && comes_together(collective);

    root = mtree_collective_has_root(collective) ? root : -1;
    *path_p = *flow_p = (mtree_slowest_t){.seconds = -1.0};
    for (int reversed = 0; reversed <= 1; reversed++) {
        if (reversed ? comes_together(collective) : spreads(collective)) {
            search_t one = search;

            one.reversed = reversed;
            look(&one, root, MTREE_TUNED_STEP_WORK / (both ? 2 : 1));
        }
    }
}
