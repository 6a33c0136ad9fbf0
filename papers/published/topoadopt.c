/* SPDX-License-Identifier: BSD-3-Clause */
#include "papers/published/topoadopt.h"

#include "base/random.h"
#include "papers/published/forest.h"

#include <math.h>
#include <string.h>

#define NUM_MOVES 1000
#define HOT       0.05  /* first temperature, as a part of the first value */
#define COLD      0.001 /* last temperature, the same */

/* The annealing.  A state is num_trees * (num_hosts - 1) edges. */
typedef struct {
    const mtree_candidates_t *candidates;
    mtree_random_t random;
    int num_trees;
    size_t length;          /* of a state */
    int *now, *next, *best; /* states */
    int *group;             /* [num_hosts] */
    int *deck;              /* [num_edges] edges in random order */
    double now_value, best_value;
} annealing_t;

/* The hosts that `edges` but the one at `without` join get a common number. */
static void mark_groups(const annealing_t *annealing, const int *edges, int num,
                        int without)
{
    const mtree_candidates_t *candidates = annealing->candidates;
    int n = candidates->num_hosts, *group = annealing->group;

    for (int host = 0; host < n; host++) {
        group[host] = host;
    }
    for (int i = 0; i < num; i++) {
        int from = group[candidates->from[edges[i]]],
            to = group[candidates->to[edges[i]]];

        for (int host = 0; i != without && host < n; host++) {
            group[host] = group[host] == to ? from : group[host];
        }
    }
}

static int draw(annealing_t *annealing, int count)
{
    return (int)mtree_random_below(&annealing->random, (uint64_t)count);
}

static void shuffle(annealing_t *annealing)
{
    for (int i = annealing->candidates->num_edges - 1; i > 0; i--) {
        int j = draw(annealing, i + 1);
        int edge = annealing->deck[i];

        annealing->deck[i] = annealing->deck[j];
        annealing->deck[j] = edge;
    }
}

/* The first edge of the deck that joins two groups; the candidates connect all hosts, so
 * there is one. */
static int draw_joining(const annealing_t *annealing)
{
    const mtree_candidates_t *candidates = annealing->candidates;
    int i = 0;

    while (annealing->group[candidates->from[annealing->deck[i]]] ==
           annealing->group[candidates->to[annealing->deck[i]]]) {
        i++;
    }
    return annealing->deck[i];
}

static void draw_tree(annealing_t *annealing, int *edges)
{
    shuffle(annealing);
    for (int num = 0; num < annealing->candidates->num_hosts - 1; num++) {
        mark_groups(annealing, edges, num, -1);
        edges[num] = draw_joining(annealing);
    }
}

/* Replace one edge of one tree of the state. */
static void move(annealing_t *annealing, int *state)
{
    int num_edges = annealing->candidates->num_hosts - 1;
    int tree = draw(annealing, annealing->num_trees);
    int *edges = state + (size_t)tree * (size_t)num_edges;
    int at = draw(annealing, num_edges);

    mark_groups(annealing, edges, num_edges, at);
    shuffle(annealing);
    edges[at] = draw_joining(annealing);
}

/* The trees of a state with their best rates.  Owned by the caller. */
static mtree_status_t make_forest(const annealing_t *annealing, const int *state,
                                  double min_rate, mtree_forest_t **forest_p)
{
    const mtree_candidates_t *candidates = annealing->candidates;
    mtree_forest_t *forest = mtree_forest_create(candidates);
    mtree_status_t status;

    for (int tree = 0; tree < annealing->num_trees; tree++) {
        const int *edges = state + tree * (candidates->num_hosts - 1);

        mtree_forest_add(forest, edges, mtree_forest_center(candidates, edges), 0);
    }
    status = mtree_forest_select(forest, 0, min_rate);
    if (status != MTREE_OK) {
        mtree_forest_destroy(forest);
        return status;
    }
    *forest_p = forest;
    return MTREE_OK;
}

static mtree_status_t evaluate(const annealing_t *annealing, const int *state,
                               double *value_p)
{
    mtree_forest_t *forest;
    mtree_status_t status = make_forest(annealing, state, 0, &forest);

    if (status == MTREE_OK) {
        *value_p = mtree_forest_rate(forest);
        mtree_forest_destroy(forest);
    }
    return status;
}

static void adopt(annealing_t *annealing, double value)
{
    memcpy(annealing->now, annealing->next, annealing->length * sizeof(*annealing->now));
    annealing->now_value = value;
    if (value > annealing->best_value) {
        memcpy(annealing->best, annealing->next,
               annealing->length * sizeof(*annealing->best));
        annealing->best_value = value;
    }
}

static mtree_status_t anneal(annealing_t *annealing)
{
    double value, first;
    mtree_status_t status;

    for (int tree = 0; tree < annealing->num_trees; tree++) {
        draw_tree(annealing,
                  annealing->next + tree * (annealing->candidates->num_hosts - 1));
    }
    status = evaluate(annealing, annealing->next, &first);
    if (status != MTREE_OK) {
        return status;
    }
    adopt(annealing, first);
    for (int i = 0; i < NUM_MOVES && status == MTREE_OK; i++) {
        double temperature = first * HOT * pow(COLD / HOT, (double)i / NUM_MOVES);

        memcpy(annealing->next, annealing->now,
               annealing->length * sizeof(*annealing->now));
        move(annealing, annealing->next);
        status = evaluate(annealing, annealing->next, &value);
        if (status == MTREE_OK &&
            (value >= annealing->now_value ||
             mtree_random_fraction(&annealing->random) <
                 exp((value - annealing->now_value) / temperature))) {
            adopt(annealing, value);
        }
    }
    return status;
}

static mtree_status_t init_annealing(annealing_t *annealing,
                                     const mtree_problem_t *problem)
{
    mtree_candidates_t *candidates;
    mtree_status_t status = mtree_candidates_create(problem, &candidates);

    if (status != MTREE_OK) {
        return status;
    }
    annealing->candidates = candidates;
    annealing->random.state = problem->request->seed;
    annealing->num_trees = problem->request->max_trees > 0 ? problem->request->max_trees
                                                           : MTREE_TOPOADOPT_TREES;
    annealing->length =
        (size_t)annealing->num_trees * (size_t)(candidates->num_hosts - 1);
    MTREE_ARENA_ARRAY(problem->arena, annealing->now, annealing->length);
    MTREE_ARENA_ARRAY(problem->arena, annealing->next, annealing->length);
    MTREE_ARENA_ARRAY(problem->arena, annealing->best, annealing->length);
    MTREE_ARENA_ARRAY(problem->arena, annealing->group, (size_t)candidates->num_hosts);
    MTREE_ARENA_ARRAY(problem->arena, annealing->deck, (size_t)candidates->num_edges);
    for (int edge = 0; edge < candidates->num_edges; edge++) {
        annealing->deck[edge] = edge;
    }
    return MTREE_OK;
}

mtree_status_t mtree_topoadopt_plan(const mtree_problem_t *problem, mtree_plan_t **plan_p)
{
    annealing_t annealing = {.best_value = -1};
    mtree_forest_t *forest = NULL;
    mtree_status_t status = init_annealing(&annealing, problem);

    if (status == MTREE_OK) {
        status = anneal(&annealing);
    }
    if (status == MTREE_OK) {
        status =
            make_forest(&annealing, annealing.best, problem->request->min_rate, &forest);
    }
    if (status == MTREE_OK) {
        *plan_p = mtree_forest_plan(forest, problem, "topoadopt");
    }
    mtree_forest_destroy(forest);
    return status;
}
