/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Is a plan well formed, and does it keep the capacities?
 */
#include "planner/plan/plan.h"

#include "base/arena.h"
#include "base/log.h"
#include "base/units.h"
#include "planner/plan/messages.h"
#include "planner/program/build.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

/* What rounding in a file or a solver may add up to. */
#define SHARE_TOLERANCE    1e-6
#define CAPACITY_TOLERANCE 1e-6

/* More than any lockstep schedule of as many hosts as are accepted has. */
#define MAX_STEPS (1 << 20)

/* Log the fault; false. */
#define bad(...) (mtree_error(__VA_ARGS__), false)

static bool check_numbers(const mtree_plan_t *plan, int t)
{
    const mtree_tree_t *tree = &plan->trees[t];

    if (tree->root < 0 || tree->root >= mtree_plan_num_active(plan)) {
        return bad("plan: tree %d has root %d; the plan has %d hosts that are no relays",
                   t, tree->root, mtree_plan_num_active(plan));
    }
    if (!mtree_plan_is_rate(tree->rate)) {
        return bad("plan: tree %d has rate %g; give 0 or a rate of %g to %g b/s", t,
                   tree->rate, MTREE_PLAN_LEAST_RATE, MTREE_PLAN_MOST_RATE);
    }
    if (!isfinite(tree->share) || tree->share < 0.0 ||
        tree->share > 1.0 + SHARE_TOLERANCE) {
        return bad("plan: tree %d has share %g; shares lie between 0 and 1", t,
                   tree->share);
    }
    if (mtree_collective_has_root(plan->collective) && tree->root != plan->root) {
        return bad("plan: tree %d has root %s, but the %s is from %s", t,
                   plan->hosts[tree->root], mtree_collective_name(plan->collective),
                   plan->hosts[plan->root]);
    }
    return true;
}

static bool check_parents(const mtree_plan_t *plan, int t)
{
    const mtree_tree_t *tree = &plan->trees[t];

    for (int i = 0; i < plan->num_hosts; ++i) {
        int parent = tree->parent[i];

        if (i >= mtree_plan_num_active(plan) && mtree_tree_is_outside(tree, i)) {
            continue;
        }
        if (i == tree->root ? parent != -1 : parent < 0 || parent >= plan->num_hosts) {
            return bad("plan: tree %d gives host %s the parent %d; %s", t, plan->hosts[i],
                       parent,
                       i == tree->root ? "it is the root and has none"
                                       : "every host but the root needs one");
        }
        if (!isfinite(tree->latency[i]) || tree->latency[i] < 0.0) {
            return bad(
                "plan: tree %d has latency %g at host %s; give seconds of at least 0", t,
                tree->latency[i], plan->hosts[i]);
        }
    }
    return true;
}

/* Every host's chain of parents must end at the root, and a relay has no use for what
 * nobody below it gets.  @a waiting and @a below are scratch, [num_hosts]. */
static bool check_spans(const mtree_plan_t *plan, int t, int *waiting, int *below)
{
    const mtree_tree_t *tree = &plan->trees[t];

    for (int i = 0; i < plan->num_hosts; ++i) {
        below[i] = 1;
    }
    mtree_tree_add_up(tree->parent, plan->num_hosts, waiting, below);
    for (int i = 0; i < plan->num_hosts; ++i) {
        bool is_inner = below[i] > 1;

        /* On a cycle each host waits for the one below it. */
        if (waiting[i] > 0) {
            return bad("plan: tree %d has a cycle through host %s; a tree has none", t,
                       plan->hosts[i]);
        }
        if (i >= mtree_plan_num_active(plan) &&
            mtree_tree_is_outside(tree, i) == is_inner) {
            return bad("plan: tree %d has relay %s %s; a relay lies between two hosts", t,
                       plan->hosts[i], is_inner ? "without a parent" : "as a leaf");
        }
    }
    return true;
}

static bool has_steps(const mtree_plan_t *plan)
{
    for (int t = 0; t < plan->num_trees; ++t) {
        for (int i = 0; i < plan->num_hosts; ++i) {
            if (plan->trees[t].step[i] != 0) {
                return true;
            }
        }
    }
    return false;
}

/* Steps grow from the root down, or data would be sent before it is there. */
static bool check_steps(const mtree_plan_t *plan, int t)
{
    const mtree_tree_t *tree = &plan->trees[t];

    for (int i = 0; i < plan->num_hosts; ++i) {
        int above = i == tree->root ? -1 : tree->step[tree->parent[i]];

        if (tree->step[i] <= above || tree->step[i] > MAX_STEPS ||
            (i == tree->root && tree->step[i] != 0)) {
            return bad("plan: tree %d gives host %s step %d; the root has step 0, every "
                       "other host a later one than its parent, up to %d",
                       t, plan->hosts[i], tree->step[i], MAX_STEPS);
        }
    }
    return true;
}

static bool check_sum(double sum, const char *whose)
{
    return fabs(sum - 1.0) <= SHARE_TOLERANCE ||
           bad("plan: the shares%s%s sum to %.9g; they must sum to 1",
               whose == NULL ? "" : " of root ", whose == NULL ? "" : whose, sum);
}

/* @a sums is scratch, [num_hosts] zeros. */
static bool check_shares(const mtree_plan_t *plan, double *sums)
{
    double all = 0.0;
    bool ok = true;

    for (int t = 0; t < plan->num_trees; ++t) {
        sums[plan->trees[t].root] += plan->trees[t].share;
        all += plan->trees[t].share;
    }
    if (!mtree_collective_has_blocks(plan->collective)) {
        return check_sum(all, NULL);
    }
    for (int i = 0; i < mtree_plan_num_active(plan) && ok; ++i) {
        ok = check_sum(sums[i], plan->hosts[i]);
    }
    return ok;
}

static void add_route(const mtree_routes_t *routes, int from, int to, double rate,
                      double *load)
{
    MTREE_ROUTE_ARCS (arc, routes, from, to) {
        load[arc] += rate;
    }
}

void mtree_plan_tree_load(const mtree_plan_t *plan, int tree,
                          const mtree_routes_t *routes, double amount, double *load)
{
    const int *parent = plan->trees[tree].parent;
    double part[MTREE_TOPOLOGY_MAX_VERTICES];

    mtree_tree_parts(&plan->trees[tree], plan->num_hosts, plan->collective, part);
    for (int i = 0; i < plan->num_hosts; ++i) {
        if (mtree_collective_goes_down(plan->collective) && parent[i] >= 0) {
            add_route(routes, parent[i], i, amount * part[i], load);
        }
        if (mtree_collective_goes_up(plan->collective) && parent[i] >= 0) {
            add_route(routes, i, parent[i], amount * part[i], load);
        }
    }
}

static void add_program_load(const mtree_plan_t *plan, const mtree_routes_t *routes,
                             double amount, double *load)
{
    mtree_arena_t arena = {0};
    const mtree_messages_t messages =
        mtree_plan_program_messages(plan, NULL, 0.0, &arena);

    for (int m = 0; m < messages.count; ++m) {
        const mtree_message_t *message = &messages.list[m];

        add_route(routes, message->from, message->to, amount * message->part, load);
    }
    mtree_arena_cleanup(&arena);
}

void mtree_plan_call_load(const mtree_plan_t *plan, const mtree_routes_t *routes,
                          double amount, double *load)
{
    const double part = mtree_collective_root_bytes(plan->collective, amount,
                                                    mtree_plan_num_active(plan));

    if (plan->order != NULL) {
        add_program_load(plan, routes, amount, load);
    }
    for (int t = 0; t < plan->num_trees; ++t) {
        mtree_plan_tree_load(plan, t, routes, plan->trees[t].share * part, load);
    }
}

void mtree_plan_load(const mtree_plan_t *plan, const mtree_routes_t *routes, double *load)
{
    if (plan->order != NULL) {
        add_program_load(plan, routes, plan->throughput, load);
    }
    for (int t = 0; t < plan->num_trees; ++t) {
        mtree_plan_tree_load(plan, t, routes, plan->trees[t].rate, load);
    }
}

double mtree_plan_busiest(const mtree_topology_t *topology, const double *load)
{
    double busiest = 0.0;

    for (int arc = 0; arc < 2 * topology->num_links; ++arc) {
        if (load[arc] > 0.0) {
            busiest = fmax(busiest, load[arc] / mtree_arc_capacity(topology, arc));
        }
    }
    return busiest;
}

static bool check_capacities(const mtree_plan_t *plan, const mtree_topology_t *topology,
                             const mtree_routes_t *routes, mtree_arena_t *arena)
{
    const int num_arcs = 2 * topology->num_links;
    char rate[MTREE_UNITS_LENGTH], limit[MTREE_UNITS_LENGTH];
    double *load;

    MTREE_ARENA_ARRAY(arena, load, (size_t)num_arcs);
    mtree_plan_load(plan, routes, load);
    for (int arc = 0; arc < num_arcs; ++arc) {
        double capacity = mtree_arc_capacity(topology, arc);

        if (load[arc] > capacity * (1.0 + CAPACITY_TOLERANCE)) {
            return bad("plan: %s from %s to %s, whose capacity is %s; lower the rates",
                       mtree_units_format_rate(load[arc], rate, sizeof(rate)),
                       topology->vertices[mtree_arc_from(topology, arc)].name,
                       topology->vertices[mtree_arc_to(topology, arc)].name,
                       mtree_units_format_rate(capacity, limit, sizeof(limit)));
        }
    }
    return true;
}

/* Before anything is read of the hosts. */
static bool check_relays(const mtree_plan_t *plan, bool is_stepped)
{
    if (plan->num_relays < 0 || plan->num_relays >= plan->num_hosts) {
        return bad("plan: %d of %d hosts are relays; give a host that is none",
                   plan->num_relays, plan->num_hosts);
    }
    if (plan->num_relays > 0 &&
        (is_stepped || mtree_collective_has_demands(plan->collective))) {
        return bad("plan: %s with relays; only reductions, broadcasts and gatherings to "
                   "all have relays, and none in steps",
                   is_stepped ? "steps" : mtree_collective_name(plan->collective));
    }
    return true;
}

/* A program has all hosts in an order, @a seen is [num_hosts] zeros. */
static bool check_program(const mtree_plan_t *plan, int *seen)
{
    const mtree_program_kind_t kind = mtree_program_find(plan->algorithm);
    bool fits = plan->num_trees == 0 && plan->num_relays == 0;

    if (!mtree_program_does(kind, plan->collective)) {
        return bad("plan: %s is no program for %s; name another, or give trees",
                   plan->algorithm, mtree_collective_name(plan->collective));
    }
    if (plan->num_hosts > MTREE_PROGRAM_MOST_HOSTS) {
        return bad("plan: %s between %d hosts; programs serve at most %d",
                   plan->algorithm, plan->num_hosts, MTREE_PROGRAM_MOST_HOSTS);
    }
    if (!mtree_program_has_shape(kind, plan->shape, plan->num_hosts)) {
        if (kind != MTREE_PROGRAM_SWING && kind != MTREE_PROGRAM_STAGES) {
            return bad("plan: %s takes no \"shape\"; leave it out", plan->algorithm);
        }
        return bad("plan: %s needs a \"shape\" whose sizes make its %d hosts, of swing "
                   "powers of two",
                   plan->algorithm, plan->num_hosts);
    }
    for (int i = 0; i < plan->num_hosts && fits; ++i) {
        const int host = plan->order[i];

        fits = host >= 0 && host < plan->num_hosts && seen[host]++ == 0;
    }
    return fits || bad("plan: %s needs an order of all hosts, each once, and has neither "
                       "trees nor relays",
                       plan->algorithm);
}

static bool check_root(const mtree_plan_t *plan)
{
    return !mtree_collective_has_root(plan->collective) ||
           (plan->root >= 0 && plan->root < mtree_plan_num_active(plan)) ||
           bad("plan: %s from host %d of %d; name the root",
               mtree_collective_name(plan->collective), plan->root, plan->num_hosts);
}

mtree_status_t mtree_plan_check(const mtree_plan_t *plan,
                                const mtree_topology_t *topology,
                                const mtree_routes_t *routes)
{
    const bool is_stepped = has_steps(plan);
    bool ok = check_relays(plan, is_stepped) && check_root(plan);
    mtree_arena_t arena = {0};
    double *sums;
    int *seen, *waiting, *below;

    MTREE_ARENA_ARRAY(&arena, seen, (size_t)plan->num_hosts);
    MTREE_ARENA_ARRAY(&arena, waiting, (size_t)plan->num_hosts);
    MTREE_ARENA_ARRAY(&arena, below, (size_t)plan->num_hosts);
    MTREE_ARENA_ARRAY(&arena, sums, (size_t)plan->num_hosts);
    for (int t = 0; t < plan->num_trees && ok; ++t) {
        ok = check_numbers(plan, t) && check_parents(plan, t) &&
             check_spans(plan, t, waiting, below) &&
             (!is_stepped || check_steps(plan, t));
    }
    ok = ok &&
         (plan->order != NULL ? check_program(plan, seen) : check_shares(plan, sums)) &&
         (routes == NULL || check_capacities(plan, topology, routes, &arena));
    mtree_arena_cleanup(&arena);
    return ok ? MTREE_OK : MTREE_ERR_INVALID;
}
