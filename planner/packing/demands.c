/* SPDX-License-Identifier: BSD-3-Clause */
#include "planner/packing/demands.h"

#include "planner/packing/bottleneck.h"
#include "planner/packing/mwu.h"

#include <math.h>

/* A mean demand is this many blocks, so that rounding loses little; but a host sends no
 * more than MOST_BLOCKS, which are counted as integers on all of a path. */
#define MEAN_BLOCKS 1000.0
#define MOST_BLOCKS (double)(1 << 24)

/* As for equal blocks (planner/packing/packing.c). */
#define TOLERANCE     1e-7
#define MWU_TOLERANCE 5e-3
#define MWU_WORK      8e9
#define LP_WORK       2e8
#define MAX_LP_LINES  1200

/* Blocks per byte of @a demand. */
static double blocks_per_byte(const double *demand, int num_hosts)
{
    double sum = 0.0, most = 0.0;
    int count = 0;

    for (int i = 0; i < num_hosts; ++i) {
        double row = 0.0;

        for (int j = 0; j < num_hosts; ++j) {
            double bytes =
                i == j ? 0.0 : demand[(size_t)i * (size_t)num_hosts + (size_t)j];

            row += bytes;
            count += bytes > 0.0;
        }
        sum += row;
        most = fmax(most, row);
    }
    return fmin(MEAN_BLOCKS * count / sum, MOST_BLOCKS / most);
}

/* Demands in whole blocks, rounded down: what is proved for less holds for all of it. */
static mtree_status_t set_blocks(const mtree_problem_t *problem, const double *demand,
                                 double per_byte, mtree_candidates_t *candidates)
{
    size_t num_hosts = (size_t)problem->num_hosts;
    double sum = 0.0;
    int *blocks, count = 0;

    MTREE_ARENA_ARRAY(problem->arena, blocks, num_hosts * num_hosts);
    if (blocks == NULL) {
        return MTREE_ERR_NO_MEMORY;
    }
    for (size_t i = 0; i < num_hosts; ++i) {
        for (size_t j = 0; j < num_hosts; ++j) {
            size_t pair = i * num_hosts + j;

            blocks[pair] = i == j ? 0 : (int)floor(demand[pair] * per_byte);
            sum += blocks[pair];
            count += blocks[pair] > 0;
        }
    }
    candidates->blocks = blocks;
    candidates->mean_blocks = count > 0 ? sum / count : 1.0;
    return MTREE_OK;
}

static mtree_status_t find_bound(mtree_colgen_t *colgen)
{
    const mtree_candidates_t *candidates = colgen->candidates;
    bool suits_lp = mtree_lp_is_available() &&
                    candidates->num_constraints + candidates->num_hosts <= MAX_LP_LINES;
    mtree_tree_set_t set = {0};
    double x;
    mtree_status_t status =
        mtree_mwu_pack(colgen, false, MWU_TOLERANCE, MWU_WORK, &set, &x);

    if (status == MTREE_OK && suits_lp) {
        status = mtree_colgen_run(colgen, TOLERANCE, colgen->work + LP_WORK);
    }
    mtree_tree_set_clear(&set);
    return status == MTREE_ERR_SOLVER ? MTREE_OK : status;
}

mtree_status_t mtree_demands_bound(const mtree_problem_t *problem, const double *demand,
                                   double *seconds_p, char **limit_p)
{
    double per_byte = blocks_per_byte(demand, problem->num_hosts);
    mtree_candidates_t *candidates = NULL;
    mtree_colgen_t *colgen = NULL;
    mtree_status_t status = mtree_candidates_create(problem, &candidates);

    if (status == MTREE_OK) {
        status = set_blocks(problem, demand, per_byte, candidates);
    }
    if (status == MTREE_OK) {
        status = mtree_colgen_create(problem, candidates, &colgen);
    }
    if (status == MTREE_OK) {
        status = find_bound(colgen);
    }
    if (status == MTREE_OK) {
        /* A block is 8 / per_byte bits, and the bound is of blocks' bits per second. */
        *seconds_p = 8.0 / per_byte / colgen->bound;
        status =
            mtree_bottleneck_describe(problem, candidates, colgen->bound_price, limit_p);
    }
    mtree_colgen_destroy(colgen);
    return status;
}
