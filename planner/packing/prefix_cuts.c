/* SPDX-License-Identifier: BSD-3-Clause */
#include "planner/packing/prefix_cuts.h"
#include "planner/tuning.h"

#include <math.h>
#include <string.h>

/* Up to this number of hosts all sets are tried. */
#define FEW_HOSTS 12

/* A bound that is less by this part is a lower one. */
#define LEAST_DROP 1e-9

typedef struct {
    mtree_packer_t *packer;
    bool *inside;  /* [num_hosts] the set */
    int *edges;    /* [num_edges] that leave it and use no constraint taken yet */
    int *count;    /* [num_constraints] how many of these use each */
    double *price; /* [num_constraints] 1: taken */
    double *far;   /* [num_hosts] price of the path from the middle of a ball */
    int *order;    /* [num_hosts] by that, ascending */
    double best;   /* bits/s */
    double work;
} cuts_t;

/* How often the chain of hosts leaves the set. */
static int num_exits(const cuts_t *cuts)
{
    int exits = 0;

    for (int i = 0; i + 1 < cuts->packer->candidates->num_hosts; ++i) {
        exits += cuts->inside[i] && !cuts->inside[i + 1];
    }
    return exits;
}

/* List the edges that leave the set; how many. */
static int list_edges(cuts_t *cuts)
{
    const mtree_candidates_t *candidates = cuts->packer->candidates;
    int num = 0;

    memset(cuts->count, 0, (size_t)candidates->num_constraints * sizeof(*cuts->count));
    for (int edge = 0; edge < candidates->num_edges; ++edge) {
        if (!cuts->inside[candidates->from[edge]] || cuts->inside[candidates->to[edge]]) {
            continue;
        }
        cuts->edges[num++] = edge;
        for (int use = candidates->first[edge]; use < candidates->first[edge + 1];
             ++use) {
            ++cuts->count[candidates->constraints[use]];
        }
    }
    cuts->work += candidates->num_edges;
    return num;
}

/* The constraint that most edges use for its capacity. */
static int find_constraint(const cuts_t *cuts)
{
    const mtree_candidates_t *candidates = cuts->packer->candidates;
    double most = 0.0;
    int best = 0;

    for (int c = 0; c < candidates->num_constraints; ++c) {
        double worth = cuts->count[c] / candidates->capacity[c];

        if (worth > most) {
            most = worth;
            best = c;
        }
    }
    return best;
}

/* Take @a constraint: forget the edges that use it; how many are left of @a num. */
static int take_constraint(cuts_t *cuts, int constraint, int num)
{
    const mtree_candidates_t *candidates = cuts->packer->candidates;
    int left = 0;

    cuts->price[constraint] = 1.0;
    for (int e = 0; e < num; ++e) {
        int edge = cuts->edges[e];
        const int *use = candidates->constraints + candidates->first[edge];
        const int *end = candidates->constraints + candidates->first[edge + 1];
        bool uses_it = false;

        for (const int *at = use; at < end; ++at) {
            uses_it = uses_it || *at == constraint;
        }
        for (const int *at = use; at < end && uses_it; ++at) {
            --cuts->count[*at];
        }
        if (!uses_it) {
            cuts->edges[left++] = edge;
        }
        cuts->work += (double)(end - use);
    }
    return left;
}

/* The bound that the set gives, with its constraints in cuts->price; infinite: none. */
static double bound_of_set(cuts_t *cuts)
{
    const mtree_candidates_t *candidates = cuts->packer->candidates;
    int exits = num_exits(cuts), num;
    double capacity = 0.0;

    if (exits == 0) {
        return INFINITY;
    }
    memset(cuts->price, 0, (size_t)candidates->num_constraints * sizeof(*cuts->price));
    num = list_edges(cuts);
    while (num > 0) {
        int constraint = find_constraint(cuts);

        capacity += candidates->capacity[constraint];
        num = take_constraint(cuts, constraint, num);
        cuts->work += candidates->num_constraints;
    }
    return capacity / exits;
}

/* Look at the set: its bound may be the lowest so far. */
static void try_set(cuts_t *cuts)
{
    double bound = bound_of_set(cuts);

    if (bound < cuts->best * (1.0 - LEAST_DROP)) {
        cuts->best = bound;
        memcpy(cuts->packer->bound_price, cuts->price,
               (size_t)cuts->packer->candidates->num_constraints * sizeof(*cuts->price));
    }
}

static void try_all_sets(cuts_t *cuts)
{
    int num_hosts = cuts->packer->candidates->num_hosts;

    for (unsigned set = 1; set + 1 < 1u << num_hosts; ++set) {
        for (int i = 0; i < num_hosts; ++i) {
            cuts->inside[i] = (set >> i & 1) != 0;
        }
        try_set(cuts);
    }
}

/* The prices of the paths from @a middle, and the hosts in their order. */
static void measure_ball(cuts_t *cuts, const double *constraint_price, int middle)
{
    mtree_packer_t *packer = cuts->packer;
    const mtree_candidates_t *candidates = packer->candidates;
    static const mtree_prim_options_t plainly = {0};

    (void)mtree_prim_run(packer->prim, constraint_price, middle, &plainly, packer->edges);
    mtree_candidates_price(candidates, constraint_price, packer->price);
    cuts->order[0] = middle;
    /* Hosts join in the order of their prices. */
    for (int e = 0; e + 1 < candidates->num_hosts; ++e) {
        int edge = packer->edges[e];

        cuts->order[e + 1] = candidates->to[edge];
        cuts->far[candidates->to[edge]] =
            cuts->far[candidates->from[edge]] + packer->price[edge];
    }
    cuts->work += (double)candidates->num_hosts * candidates->num_hosts;
}

/* All balls around @a middle. */
static void try_balls(cuts_t *cuts, const double *constraint_price, int middle)
{
    const mtree_candidates_t *candidates = cuts->packer->candidates;
    int num_hosts = candidates->num_hosts;

    cuts->far[middle] = 0.0;
    measure_ball(cuts, constraint_price, middle);
    memset(cuts->inside, 0, (size_t)num_hosts * sizeof(*cuts->inside));
    for (int i = 0; i + 1 < num_hosts && cuts->work < MTREE_TUNED_STAGE_WORK; ++i) {
        cuts->inside[cuts->order[i]] = true;
        if (i == 0 || cuts->far[cuts->order[i + 1]] > cuts->far[cuts->order[i]]) {
            try_set(cuts);
        }
    }
}

/* All hosts but one. */
static void try_entrances(cuts_t *cuts)
{
    int num_hosts = cuts->packer->candidates->num_hosts;

    for (int i = 0; i < num_hosts; ++i) {
        cuts->inside[i] = true;
    }
    for (int i = 0; i < num_hosts; ++i) {
        cuts->inside[i] = false;
        try_set(cuts);
        cuts->inside[i] = true;
    }
}

void mtree_prefix_cuts_bound(mtree_packer_t *packer)
{
    const mtree_candidates_t *candidates = packer->candidates;
    mtree_arena_t *arena = packer->problem->arena;
    size_t num_hosts = (size_t)candidates->num_hosts;
    size_t num_constraints = (size_t)candidates->num_constraints;
    cuts_t cuts = {.packer = packer, .best = INFINITY};

    MTREE_ARENA_ARRAY(arena, cuts.inside, num_hosts);
    MTREE_ARENA_ARRAY(arena, cuts.order, num_hosts);
    MTREE_ARENA_ARRAY(arena, cuts.far, num_hosts);
    MTREE_ARENA_ARRAY(arena, cuts.edges, (size_t)candidates->num_edges);
    MTREE_ARENA_ARRAY(arena, cuts.count, num_constraints);
    MTREE_ARENA_ARRAY(arena, cuts.price, num_constraints);
    if (candidates->num_hosts <= FEW_HOSTS) {
        try_all_sets(&cuts);
    } else {
        memcpy(packer->constraint_price, packer->bound_price,
               num_constraints * sizeof(*packer->constraint_price));
        try_entrances(&cuts);
        for (int i = 0; i < candidates->num_hosts && cuts.work < MTREE_TUNED_STAGE_WORK;
             ++i) {
            try_balls(&cuts, packer->constraint_price, i);
        }
    }
    packer->bound = cuts.best;
}
