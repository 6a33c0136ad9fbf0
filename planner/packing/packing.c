/* SPDX-License-Identifier: BSD-3-Clause */
#include "planner/packing/packing.h"

#include "planner/graph/candidates.h"
#include "planner/packing/bottleneck.h"
#include "planner/packing/mwu.h"
#include "planner/packing/select.h"
#include "planner/solver/lp.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

/* The gap at which column generation stops, and spreading, which is for large networks.
 */
#define TOLERANCE     1e-7
#define MWU_TOLERANCE 2e-4

/* Steps of work (10 to 20 nanoseconds each) that each stage may take. */
#define LP_WORK     2e8
#define MWU_WORK    8e9
#define SHAPE_WORK  1.5e8
#define LOW_WORK    5e7
#define REPACK_WORK 1e9
#define HINT_WORK   1.5e7
#define SELECT_WORK 6e7

/* Of all-to-all on a network that is too large for the simplex method. */
#define ALLTOALL_TOLERANCE 5e-3

/* Where there are so many edges that one tree takes a tenth of a second, less is close
 * enough. */
#define HUGE_EDGES     100000
#define HUGE_TOLERANCE 2e-3

/* Beyond this many constraints the simplex method takes too long, for throughput or for a
 * size.
 */
#define MAX_LP_LINES    1200
#define MAX_SHAPE_LINES 600

/* Where the shape of trees counts in a network too large for the simplex method, no more
 * than this many. */
#define LARGE_TREES 16

/* Few trees are chosen for the time that the last ones need, this often, with these parts
 * of the work. */
static const double choice_parts[] = {0.2, 0.5, 0.3};

#define MAX_CHOICES ((int)(sizeof(choice_parts) / sizeof(choice_parts[0])))
#define CHOICE_GAIN 0.02

/* A tree with less than this part of its group's rate has none but for rounding. */
#define LEAST_RATE 1e-9

/* A tree that delivers less than this part of an even share only adds overhead. */
#define LEAST_SHARE 1e-3

/* What the predicted time may grow by, if that takes fewer trees: messages to many are
 * what it does not count. */
#define FEWER_COST 0.01

/* A plan in the making. */
typedef struct {
    mtree_colgen_t *colgen;
    mtree_tree_set_t set;  /* what becomes the plan; empty: the master's solution */
    mtree_tree_set_t hint; /* the packing of most throughput, when it does not */
    double x;    /* bits/s that every group gets from the set, or would at no latency */
    double time; /* seconds for the size; 0: throughput */
} packing_t;

/* The blocks that a message is of: the linear program is about one, as each tree carries
 * one for each host, or each group sends one. */
static double num_blocks(const mtree_colgen_t *colgen)
{
    return colgen->candidates->is_personalized ? colgen->candidates->num_hosts
                                               : colgen->master->num_groups;
}

/* What a tree carries that has rate 1 in the linear program. */
static double blocks_per_tree(const mtree_colgen_t *colgen)
{
    return colgen->candidates->is_personalized ? colgen->candidates->num_hosts : 1.0;
}

/* The request's least rate, as the linear program counts. */
static double least_rate(const mtree_colgen_t *colgen)
{
    return colgen->problem->request->min_rate / blocks_per_tree(colgen);
}

/* Make a plan of a set of trees. */
static mtree_status_t make_plan(const mtree_colgen_t *colgen, const mtree_tree_set_t *set,
                                mtree_plan_t **plan_p)
{
    mtree_status_t status =
        mtree_problem_plan(colgen->problem, "packing", set->num_trees, plan_p);

    for (int t = 0; t < set->num_trees && status == MTREE_OK; ++t) {
        mtree_tree_t *tree = &(*plan_p)->trees[t];

        tree->root = set->trees[t].root;
        tree->rate = set->rate[t] * blocks_per_tree(colgen);
        mtree_columns_parents(colgen->columns, &set->trees[t], tree->parent, NULL);
    }
    if (status == MTREE_OK) {
        (*plan_p)->bound = colgen->bound * num_blocks(colgen);
        status = mtree_bottleneck_describe(colgen->problem, colgen->candidates,
                                           colgen->bound_price, &(*plan_p)->limit);
    }
    return status;
}

/* Bits of a block. */
static double group_bits(const mtree_colgen_t *colgen)
{
    return 8.0 * colgen->problem->request->bytes / num_blocks(colgen);
}

/* Rows of the linear program: what it costs grows with their square. */
static int num_lines(const packing_t *packing)
{
    return packing->colgen->candidates->num_constraints +
           packing->colgen->master->num_groups;
}

/* Is there a solver, and is the linear program of no more than @a most rows? */
static bool suits_lp(const packing_t *packing, int most)
{
    return mtree_lp_is_available() && num_lines(packing) <= most;
}

/* Is it all-to-all between too many hosts for a linear program? */
static bool is_large_alltoall(const packing_t *packing)
{
    return packing->colgen->candidates->is_personalized &&
           packing->colgen->master->num_groups > 1 && num_lines(packing) > MAX_LP_LINES;
}

/* Will few trees be chosen, so that the packing of many only guides the search? */
static bool wants_few(const packing_t *packing)
{
    return packing->colgen->problem->request->max_trees > 0 &&
           packing->colgen->master->num_groups == 1;
}

/* Does the shape of trees count, besides what they carry? */
static bool shape_counts(const packing_t *packing)
{
    const mtree_plan_request_t *request = packing->colgen->problem->request;

    return request->bytes > 0.0 || request->max_height > 0;
}

/* Other rates for the trees of the set: mostly they carry as much as any trees do, and
 * their prices prove it. */
static mtree_status_t fit_rates(packing_t *packing)
{
    mtree_colgen_t *colgen = packing->colgen;
    mtree_status_t status = mtree_tree_set_refit(colgen, &packing->set);

    packing->x = mtree_tree_set_least(&packing->set, colgen->master->num_groups);
    mtree_tree_set_trim(&packing->set, 0, packing->x * LEAST_RATE);
    return status == MTREE_OK ? mtree_colgen_prove(colgen) : status;
}

/*
 * As much as can be carried.  Multiplicative weights come within a small part of it, and
 * prove that in most cases.  Column generation, which starts from their trees, goes the
 * rest of the way where that is wanted and its linear program is not too large.
 */
static mtree_status_t pack_throughput(packing_t *packing)
{
    mtree_colgen_t *colgen = packing->colgen;
    bool is_huge = colgen->candidates->num_edges > HUGE_EDGES;
    double tolerance = is_large_alltoall(packing) ? ALLTOALL_TOLERANCE
                       : is_huge                  ? HUGE_TOLERANCE
                                                  : MWU_TOLERANCE;
    mtree_status_t status = mtree_mwu_pack(
        colgen, false, tolerance, colgen->work + MWU_WORK, &packing->set, &packing->x);
    bool is_close = packing->x >= colgen->bound * (1.0 - tolerance);

    if (status != MTREE_OK || (is_close && wants_few(packing))) {
        return status;
    }
    if (!mtree_lp_is_available()) {
        return is_close ? MTREE_OK : fit_rates(packing);
    }
    if (num_lines(packing) > MAX_LP_LINES) {
        return MTREE_OK;
    }
    status = mtree_colgen_run(colgen, TOLERANCE, colgen->work + LP_WORK);
    if (status == MTREE_OK && colgen->master->x > packing->x) {
        mtree_tree_set_clear(&packing->set);
        packing->x = colgen->master->x;
    }
    return status == MTREE_ERR_SOLVER ? MTREE_OK : status;
}

/* The lowest tree, at the rate that the network gives it; no tree, where none keeps the
 * limit on height. */
static mtree_status_t find_lowest(packing_t *packing, mtree_tree_set_t *lowest_p)
{
    mtree_colgen_t *colgen = packing->colgen;
    const mtree_candidates_t *candidates = colgen->candidates;
    const mtree_column_t *lowest;
    const mtree_prim_options_t options = {.distance_price = 1.0,
                                          .max_height = colgen->columns->max_height};
    int given = mtree_colgen_root(colgen, 0), num_hosts = candidates->num_hosts;
    double work = colgen->work + LOW_WORK;
    mtree_status_t status = mtree_tree_set_create(colgen, 1, lowest_p);

    memset(colgen->constraint_price, 0,
           (size_t)candidates->num_constraints * sizeof(*colgen->constraint_price));
    for (int i = 0; i < (candidates->directed ? 1 : num_hosts); ++i) {
        int number, root = candidates->directed ? given : i;

        if (status == MTREE_OK && colgen->work < work &&
            mtree_prim_run(colgen->prim, colgen->constraint_price, root, &options,
                           colgen->edges)) {
            status = mtree_columns_add(colgen->columns, 0, root, colgen->edges, &number);
            colgen->work += num_hosts * num_hosts + 4.0 * candidates->num_edges;
        }
    }
    lowest = mtree_columns_lowest(colgen->columns);
    if (status == MTREE_OK && lowest != NULL) {
        mtree_tree_set_append(lowest_p, lowest, 1.0);
        status = mtree_tree_set_refit(colgen, lowest_p);
    }
    return status;
}

/* For a size: the lowest tree, where it is faster than the packing, from which few trees
 * are chosen then. */
static mtree_status_t begin_with_lowest(packing_t *packing, double bits)
{
    mtree_tree_set_t lowest = {0};
    mtree_status_t status;
    double time;

    packing->time = mtree_tree_set_time(&packing->set, bits);
    mtree_master_set_time(packing->colgen->master, packing->time);
    status = find_lowest(packing, &lowest);
    time = mtree_tree_set_time(&lowest, bits);
    if (status != MTREE_OK || !(time < packing->time)) {
        mtree_tree_set_clear(&lowest);
        return status;
    }
    packing->time = time;
    mtree_master_set_time(packing->colgen->master, time);
    packing->hint = packing->set;
    packing->set = lowest;
    return MTREE_OK;
}

/*
 * Without the linear program the packing of most throughput stays, unless the height of
 * its trees is limited.  For a size few trees are chosen from it.
 */
static mtree_status_t pack_without_lp(packing_t *packing)
{
    mtree_colgen_t *colgen = packing->colgen;
    double bits = group_bits(colgen);
    mtree_status_t status = MTREE_OK;

    if (colgen->columns->max_height > 0) {
        mtree_tree_set_clear(&packing->set);
        status = mtree_mwu_pack(colgen, true, MWU_TOLERANCE, colgen->work + SHAPE_WORK,
                                &packing->set, &packing->x);
        if (status == MTREE_ERR_NOT_FOUND) {
            return mtree_tree_set_create(colgen, 0, &packing->set);
        }
    }
    if (status == MTREE_OK && bits > 0.0 && colgen->master->num_groups == 1) {
        status = begin_with_lowest(packing, bits);
    }
    return status;
}

/* Trees whose shape suits the limit on height and the size. */
static mtree_status_t pack_shaped(packing_t *packing)
{
    mtree_colgen_t *colgen = packing->colgen;
    double bits = group_bits(colgen);
    double work = colgen->work + (wants_few(packing) ? HINT_WORK : SHAPE_WORK);
    mtree_status_t status = MTREE_OK;

    if (packing->set.trees == NULL) {
        status = mtree_tree_set_from_master(colgen, &packing->set);
    }
    if (status == MTREE_OK && !suits_lp(packing, MAX_SHAPE_LINES)) {
        return pack_without_lp(packing);
    }
    if (status == MTREE_OK) {
        status = mtree_colgen_enumerate(colgen);
    }
    if (status != MTREE_OK) {
        return status;
    }
    packing->hint = packing->set;
    packing->set = (mtree_tree_set_t){0};
    status = bits > 0.0 ? mtree_colgen_run_time(colgen, bits, work, &packing->time)
                        : mtree_colgen_run_shaped(colgen, work);
    packing->x = colgen->master->x;
    return status;
}

/*
 * At most @a max_trees trees.  When a size is given, the weight of a tree depends on the
 * time that all need, so they are chosen again for the time that the last ones need.
 */
static mtree_status_t choose_few(packing_t *packing, int max_trees)
{
    mtree_colgen_t *colgen = packing->colgen;
    double min_rate = least_rate(colgen);
    double bits = group_bits(colgen);
    const mtree_tree_set_t *hint =
        packing->hint.num_trees > 0 ? &packing->hint : &packing->set;
    mtree_status_t status = MTREE_OK;

    for (int choice = 0; choice < MAX_CHOICES && status == MTREE_OK; ++choice) {
        double part = packing->time > 0.0 ? choice_parts[choice] : 1.0;
        mtree_tree_set_t few = {0};
        double time;

        status = mtree_select_trees(colgen, hint, max_trees, min_rate, packing->x,
                                    part * SELECT_WORK, &few);
        if (status != MTREE_OK) {
            break;
        }
        time = packing->time > 0.0 ? mtree_tree_set_time(&few, bits) : INFINITY;
        if (packing->set.num_trees <= max_trees && time >= packing->time) {
            mtree_tree_set_clear(&few);
            break;
        }
        mtree_tree_set_clear(&packing->set);
        packing->set = few;
        hint = &packing->set;
        if (!isfinite(time) ||
            (choice > 0 && time > packing->time * (1.0 - CHOICE_GAIN))) {
            break;
        }
        packing->time = time;
        mtree_master_set_time(colgen->master, time);
        if (suits_lp(packing, MAX_SHAPE_LINES)) {
            status = mtree_colgen_solve(colgen, colgen->work + SELECT_WORK);
            packing->x = colgen->master->x;
        }
    }
    return status;
}

/* How many trees the request allows per group; 0: any number. */
static int tree_limit(const packing_t *packing)
{
    const mtree_plan_request_t *request = packing->colgen->problem->request;
    double min_rate = least_rate(packing->colgen);

    if (min_rate > 0.0 && packing->x / min_rate < packing->set.num_trees) {
        int most = (int)fmax(1.0, packing->x / min_rate);

        return request->max_trees == 0 || most < request->max_trees ? most
                                                                    : request->max_trees;
    }
    return request->max_trees;
}

/* The trees that keep the request's limits. */
static mtree_status_t choose_trees(packing_t *packing)
{
    mtree_colgen_t *colgen = packing->colgen;
    const mtree_plan_request_t *request = colgen->problem->request;
    bool is_master = packing->set.trees == NULL, is_unshaped;
    mtree_status_t status =
        is_master ? mtree_tree_set_from_master(colgen, &packing->set) : MTREE_OK;
    int max_trees;

    if (status != MTREE_OK || packing->set.num_trees == 0) {
        return status;
    }
    if (colgen->master->num_groups > 1) {
        mtree_tree_set_trim(&packing->set, request->max_trees, least_rate(colgen));
        return is_large_alltoall(packing)
                   ? mtree_mwu_repack(colgen, ALLTOALL_TOLERANCE,
                                      colgen->work + REPACK_WORK, &packing->set)
                   : mtree_tree_set_refit(colgen, &packing->set);
    }
    max_trees = tree_limit(packing);
    is_unshaped = packing->time > 0.0 && !suits_lp(packing, MAX_SHAPE_LINES);
    max_trees = max_trees == 0 && is_unshaped ? LARGE_TREES : max_trees;
    if (max_trees > 0 && (packing->set.num_trees > max_trees || is_unshaped)) {
        return choose_few(packing, max_trees);
    }
    if (is_master) {
        mtree_tree_set_clear(&packing->set);
        status = mtree_master_finish(colgen->master);
        if (status == MTREE_OK) {
            status = mtree_tree_set_from_master(colgen, &packing->set);
        }
    }
    return status;
}

/* The fastest @a count trees, with the rates that suit these best. */
static mtree_status_t take_fastest(packing_t *packing, int count, mtree_tree_set_t *few_p)
{
    mtree_colgen_t *colgen = packing->colgen;
    const mtree_tree_set_t *set = &packing->set;
    mtree_status_t status = mtree_tree_set_create(colgen, set->num_trees, few_p);

    for (int t = 0; t < set->num_trees && status == MTREE_OK; ++t) {
        mtree_tree_set_append(few_p, &set->trees[t], set->rate[t]);
    }
    if (status == MTREE_OK) {
        mtree_tree_set_trim(few_p, count, 0.0);
        status = mtree_tree_set_refit(colgen, few_p);
    }
    return status;
}

/*
 * Fewer trees than are allowed, where they take hardly longer: many packings carry the
 * same, and on a star one chain carries as much as with nine trees from one to all others
 * beside it.
 */
static mtree_status_t choose_fewer(packing_t *packing)
{
    double bits = group_bits(packing->colgen);
    double most = mtree_tree_set_time(&packing->set, bits) * (1.0 + FEWER_COST);

    if (packing->time <= 0.0 || !wants_few(packing)) {
        return MTREE_OK;
    }
    for (int count = 1; count < packing->set.num_trees; ++count) {
        mtree_tree_set_t few = {0};
        mtree_status_t status = take_fastest(packing, count, &few);

        if (status == MTREE_OK && mtree_tree_set_time(&few, bits) <= most) {
            mtree_tree_set_clear(&packing->set);
            packing->set = few;
            break;
        }
        mtree_tree_set_clear(&few);
        if (status != MTREE_OK) {
            return status;
        }
    }
    return MTREE_OK;
}

static mtree_status_t pack(packing_t *packing)
{
    mtree_status_t status = pack_throughput(packing);

    if (status == MTREE_OK && shape_counts(packing)) {
        status = pack_shaped(packing);
    }
    if (status == MTREE_OK) {
        status = choose_trees(packing);
    }
    if (status == MTREE_OK) {
        status = choose_fewer(packing);
    }
    if (status == MTREE_OK && packing->time > 0.0) {
        mtree_tree_set_drop_small(&packing->set, packing->time, LEAST_SHARE);
    }
    return status;
}

mtree_status_t mtree_packing_plan(const mtree_problem_t *problem, mtree_plan_t **plan_p)
{
    mtree_candidates_t *candidates = NULL;
    packing_t packing = {.colgen = NULL};
    mtree_status_t status = mtree_candidates_create(problem, &candidates);

    if (status == MTREE_OK) {
        status = mtree_colgen_create(problem, candidates, &packing.colgen);
    }
    if (status == MTREE_OK) {
        status = pack(&packing);
    }
    if (status == MTREE_OK) {
        status = make_plan(packing.colgen, &packing.set, plan_p);
    }
    mtree_tree_set_clear(&packing.set);
    mtree_tree_set_clear(&packing.hint);
    mtree_colgen_destroy(packing.colgen);
    return status;
}
