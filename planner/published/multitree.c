/* SPDX-License-Identifier: BSD-3-Clause */
#include "planner/published/multitree.h"

#include "base/arena.h"
#include "base/log.h"
#include "topo/adjacency.h"

#include <math.h>
#include <string.h>

/* A capacity is a whole number of least capacities up to rounding. */
#define CONNECTION_SLACK 1e-9

/* The construction, between steps and within one. */
typedef struct {
    mtree_arena_t arena; /* of the arrays */
    const mtree_topology_t *topology;
    const int *hosts;
    mtree_adjacency_t adjacency; /* its arcs in the order in which they are tried */
    int num_hosts;
    mtree_multitree_visit_t visit;
    void *arg;
    bool *has;        /* [n * n] has the tree of root r host h, at r * n + h? */
    int step;         /* the number of this one */
    int *host_of;     /* [num_vertices] host number, -1: takes no part */
    int *connections; /* [2 * num_links] messages that the arc carries in a step */
    int *free;        /* [2 * num_links] of them, not yet taken in this step */
    int *order;       /* [n * n] each tree's hosts in the order of joining */
    int *joined;      /* [n] how many there are */
    int *cursor; /* [n] where in order a free parent may still be: those before failed in
                  * this step, and as arcs are only taken they stay so */
    int next_root; /* the first to try: after the tree that grew last, so that none is
                      always first */
    int *place;    /* [n] of the host's link among those of the switch that it hangs on */
    int *enter; /* [num_vertices] breadth-first search: arc that entered, -1: not seen */
    int *queue; /* [num_vertices] */
    int *path;  /* [num_vertices] arcs of the path found */
    int *old;   /* [n] the hosts that each tree had before the step */
} build_t;

/*
 * "It first checks the neighbors in Y dimension then in X dimension" (section III-C1).
 * Every host has to look in the same direction first, also where a torus wraps round, or
 * the trees crowd the same arcs: 6 instead of 5 steps on the 4x4 torus.  A grid's links,
 * each given from a host to the next one, distinguish the directions.
 */
static int order_of(const mtree_topology_t *topology, int arc)
{
    const mtree_vertex_t *from = &topology->vertices[mtree_arc_from(topology, arc)];
    const mtree_vertex_t *to = &topology->vertices[mtree_arc_to(topology, arc)];
    bool vertical = from->has_position && to->has_position && from->x == to->x;
    bool backwards = (arc & 1) != 0 && from->kind != MTREE_VERTEX_SWITCH &&
                     to->kind != MTREE_VERTEX_SWITCH;

    return (vertical ? 0 : 2) + (backwards ? 1 : 0);
}

static void order_arcs(const mtree_topology_t *topology, mtree_adjacency_t *adjacency,
                       int *scratch)
{
    for (int vertex = 0; vertex < topology->num_vertices; vertex++) {
        int *arcs = adjacency->arcs + adjacency->first[vertex];
        int num = adjacency->first[vertex + 1] - adjacency->first[vertex];
        int num_ordered = 0;

        for (int order = 0; order < 4; order++) {
            for (int i = 0; i < num; i++) {
                if (order_of(topology, arcs[i]) == order) {
                    scratch[num_ordered++] = arcs[i];
                }
            }
        }
        memcpy(arcs, scratch, (size_t)num * sizeof(*arcs));
    }
}

/* How many least capacities each arc holds; what reduce-scatter sends in the other
 * direction must fit as well. */
static void count_connections(const mtree_topology_t *topology, int *connections)
{
    double least = INFINITY;

    for (int link = 0; link < topology->num_links; link++) {
        const double *capacity = topology->links[link].capacity;

        if (capacity[0] > 0 && capacity[1] > 0) {
            least = fmin(least, fmin(capacity[0], capacity[1]));
        }
    }
    for (int arc = 0; arc < 2 * topology->num_links; arc++) {
        const double *capacity = topology->links[arc >> 1].capacity;

        connections[arc] =
            (int)fmin(fmin(capacity[0], capacity[1]) / least + CONNECTION_SLACK,
                      topology->num_vertices);
    }
}

static void allocate_build(build_t *build)
{
    size_t hosts = (size_t)build->num_hosts;
    size_t vertices = (size_t)build->topology->num_vertices;
    size_t arcs = 2 * (size_t)build->topology->num_links + 1;

    MTREE_ARENA_ARRAY(&build->arena, build->has, hosts * hosts);
    MTREE_ARENA_ARRAY(&build->arena, build->host_of, vertices);
    MTREE_ARENA_ARRAY(&build->arena, build->connections, arcs);
    MTREE_ARENA_ARRAY(&build->arena, build->free, arcs);
    MTREE_ARENA_ARRAY(&build->arena, build->order, hosts * hosts);
    MTREE_ARENA_ARRAY(&build->arena, build->joined, hosts);
    MTREE_ARENA_ARRAY(&build->arena, build->cursor, hosts);
    MTREE_ARENA_ARRAY(&build->arena, build->place, hosts);
    MTREE_ARENA_ARRAY(&build->arena, build->enter, vertices);
    MTREE_ARENA_ARRAY(&build->arena, build->queue, vertices);
    MTREE_ARENA_ARRAY(&build->arena, build->path, vertices);
    MTREE_ARENA_ARRAY(&build->arena, build->old, hosts);
    mtree_adjacency_init(&build->adjacency, build->topology, &build->arena);
}

/* Where the host's first link is among those of the vertex at its other end. */
static int find_place(const build_t *build, int vertex)
{
    const mtree_adjacency_t *adjacency = &build->adjacency;
    int place = 0, arc, other;

    if (adjacency->first[vertex] == adjacency->first[vertex + 1]) {
        return 0;
    }
    arc = adjacency->arcs[adjacency->first[vertex]];
    other = mtree_arc_to(build->topology, arc);
    while (adjacency->arcs[adjacency->first[other] + place] != (arc ^ 1)) {
        place++;
    }
    return place;
}

/* Lines 1 to 3: every host is the root of its tree. */
static void init_build(build_t *build)
{
    int n = build->num_hosts;

    for (int vertex = 0; vertex < build->topology->num_vertices; vertex++) {
        build->host_of[vertex] = -1;
        build->enter[vertex] = -1;
    }
    for (int root = 0; root < n; root++) {
        build->host_of[build->hosts[root]] = root;
        build->order[root * n] = root;
        build->joined[root] = 1;
        build->has[root * n + root] = true;
    }
    count_connections(build->topology, build->connections);
    order_arcs(build->topology, &build->adjacency, build->free);
    for (int host = 0; host < n; host++) {
        build->place[host] = find_place(build, build->hosts[host]);
    }
}

/*
 * The place of the arc at a vertex that is tried as number `i`.  Where a switch has
 * several free hosts the paper lets pick any.  Trying them from the one after the
 * parent's own place on, round, makes the parents of a switch pick different ones, and a
 * tree of equal shape for every root where the switches are alike.
 */
static int arc_to_try(const build_t *build, int vertex, int parent, int i)
{
    int first = build->adjacency.first[vertex];
    int num = build->adjacency.first[vertex + 1] - first;

    if (build->topology->vertices[vertex].kind != MTREE_VERTEX_SWITCH) {
        return build->adjacency.arcs[first + i];
    }
    return build->adjacency.arcs[first + (build->place[parent] + 1 + i) % num];
}

/*
 * Lines 9 and 10, and section III-C3: the first host in breadth-first order from `parent`
 * over free arcs that is not in the tree of `root`; -1: there is none.  build->enter and
 * the first *num_seen_p of build->queue hold the search.
 */
static int search_child(build_t *build, int root, int parent, int *num_seen_p)
{
    int n = build->num_hosts, start = build->hosts[parent];
    int head = 0, tail = 0, child = -1;

    build->queue[tail++] = start;
    while (head < tail && child < 0) {
        int vertex = build->queue[head++];
        int num = build->adjacency.first[vertex + 1] - build->adjacency.first[vertex];

        for (int i = 0; i < num && child < 0; i++) {
            int arc = arc_to_try(build, vertex, parent, i);
            int to = mtree_arc_to(build->topology, arc), host = build->host_of[to];

            if (build->free[arc] == 0 || to == start || build->enter[to] >= 0 ||
                (host >= 0 && build->has[root * n + host])) {
                continue;
            }
            build->enter[to] = arc;
            build->queue[tail++] = to;
            child = host;
        }
    }
    *num_seen_p = tail;
    return child;
}

/* The child found, and its path: *num_arcs_p arcs in build->path, from the child to the
 * parent. */
static int find_child(build_t *build, int root, int parent, int *num_arcs_p)
{
    int start = build->hosts[parent], num_arcs = 0, num_seen;
    int child = search_child(build, root, parent, &num_seen);
    int at = child < 0 ? start : build->hosts[child];

    for (; at != start; at = mtree_arc_from(build->topology, build->enter[at])) {
        build->path[num_arcs++] = build->enter[at];
    }
    for (int i = 0; i < num_seen; i++) {
        build->enter[build->queue[i]] = -1;
    }
    *num_arcs_p = num_arcs;
    return child;
}

/* Lines 11 to 13.  build->path runs from the child to the parent. */
static void join(build_t *build, int root, int parent, int child, int num_arcs)
{
    const mtree_multitree_edge_t edge = {root,        parent,      child,
                                         build->step, build->path, num_arcs};

    for (int i = 0; i < num_arcs; i++) {
        build->free[build->path[i]]--;
    }
    build->has[root * build->num_hosts + child] = true;
    build->order[root * build->num_hosts + build->joined[root]++] = child;
    build->visit(build->arg, &edge);
}

/* One tree takes its turn in a step: `old` of its hosts joined before the step.  Did it
 * get a host? */
static bool take_turn(build_t *build, int root, int old)
{
    int n = build->num_hosts;

    while (build->cursor[root] < old && build->joined[root] < n) {
        int parent = build->order[root * n + build->cursor[root]];
        int num_arcs, child = find_child(build, root, parent, &num_arcs);

        if (child >= 0) {
            join(build, root, parent, child, num_arcs);
            return true;
        }
        build->cursor[root]++;
    }
    return false;
}

/* Lines 5 to 14: one time step, in which the trees take turns until none finds a free
 * arc.  How many hosts joined? */
static int run_step(build_t *build)
{
    int n = build->num_hosts, num_joined = 0;
    bool any = true;

    build->step++;
    memcpy(build->free, build->connections,
           2 * (size_t)build->topology->num_links * sizeof(*build->free));
    memcpy(build->old, build->joined, (size_t)n * sizeof(*build->old));
    memset(build->cursor, 0, (size_t)n * sizeof(*build->cursor));
    while (any) {
        int begin = build->next_root;

        any = false;
        for (int turn = 0; turn < n; turn++) {
            int root = (begin + turn) % n;

            if (take_turn(build, root, build->old[root])) {
                build->next_root = (root + 1) % n;
                num_joined++;
                any = true;
            }
        }
    }
    return num_joined;
}

static mtree_status_t run_steps(build_t *build)
{
    int n = build->num_hosts, left = n * (n - 1);

    while (left > 0) {
        int num_joined = run_step(build);

        if (num_joined == 0) {
            mtree_error("multitree: in %s some of the %d hosts do not reach each other "
                        "over links "
                        "that carry both ways; choose packing",
                        build->topology->source, n);
            return MTREE_ERR_UNREACHABLE;
        }
        left -= num_joined;
    }
    return MTREE_OK;
}

mtree_status_t mtree_multitree_build(const mtree_topology_t *topology, const int *hosts,
                                     int num_hosts, mtree_multitree_visit_t visit,
                                     void *arg)
{
    build_t build = {.topology = topology,
                     .hosts = hosts,
                     .num_hosts = num_hosts,
                     .visit = visit,
                     .arg = arg};
    mtree_status_t status;

    allocate_build(&build);
    init_build(&build);
    status = run_steps(&build);
    mtree_arena_cleanup(&build.arena);
    return status;
}

bool mtree_multitree_fits(const mtree_problem_t *problem)
{
    const mtree_topology_t *topology = problem->topology;

    for (int link = 0; link < topology->num_links; link++) {
        const double *capacity = topology->links[link].capacity;

        if (capacity[0] <= 0.0 || capacity[1] <= 0.0) {
            return false;
        }
    }
    return true;
}

static void add_to_plan(void *arg, const mtree_multitree_edge_t *edge)
{
    mtree_tree_t *tree = &((mtree_plan_t *)arg)->trees[edge->root];

    tree->parent[edge->child] = edge->parent;
    tree->step[edge->child] = edge->step;
}

/* Without rates, mtree_plan_finish() gives all trees the highest common one. */
mtree_status_t mtree_multitree_plan(const mtree_problem_t *problem, mtree_plan_t **plan_p)
{
    *plan_p = mtree_problem_plan(problem, "multitree", problem->num_hosts);
    for (int root = 0; root < problem->num_hosts; root++) {
        (*plan_p)->trees[root].root = root;
    }
    return mtree_multitree_build(problem->topology, problem->hosts, problem->num_hosts,
                                 add_to_plan, *plan_p);
}
