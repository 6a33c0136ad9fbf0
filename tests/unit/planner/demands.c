/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/planner/demands.h"
#include "tests/unit/maps.h"

#include "planner/packing/mwu.h"

#include <math.h>

/* A mean demand is this many blocks, so that rounding loses little; but a host sends no
 * more than MOST_BLOCKS, which are counted as integers on all of a path. */
#define MEAN_BLOCKS 1000.0
#define MOST_BLOCKS (double)(1 << 24)

/* How close bounds are, as a fraction. */
#define TOLERANCE 2e-4

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

/* Demands in whole blocks, rounded down: what is proved for less holds for all of it.
 * Returns the mean of those that are not 0. */
static double set_blocks(mtree_arena_t *arena, size_t num_hosts, const double *demand,
                         double per_byte, mtree_candidates_t *candidates)
{
    int *blocks, count = 0;
    double sum = 0.0;

    ck_assert_ptr_nonnull(MTREE_ARENA_ARRAY(arena, blocks, num_hosts * num_hosts));
    for (size_t pair = 0; pair < num_hosts * num_hosts; ++pair) {
        if (pair / num_hosts != pair % num_hosts) {
            blocks[pair] = (int)floor(demand[pair] * per_byte);
            sum += blocks[pair];
            count += blocks[pair] > 0;
        }
    }
    candidates->blocks = blocks;
    return sum / count;
}

double demands_least_seconds(const mtree_topology_t *topology, const double *demand)
{
    const mtree_plan_request_t request = {.collective = MTREE_ALLTOALL};
    mtree_arena_t arena = {0};
    mtree_problem_t problem = {
        .topology = topology, .request = &request, .arena = &arena};
    mtree_candidates_t *candidates;
    const mtree_mwu_lay_t what = {.tolerance = TOLERANCE,
                                  .levels = MTREE_MWU_MOST_LEVELS};
    mtree_tree_set_t *set = NULL;
    mtree_packer_t *packer;
    mtree_routes_t *routes;
    double per_byte, mean, seconds, x;
    int *hosts;

    ck_assert_ptr_nonnull(
        MTREE_ARENA_ARRAY(&arena, hosts, (size_t)topology->num_vertices));
    problem.num_hosts = map_hosts(topology, hosts);
    problem.hosts = hosts;
    unit_ok(mtree_routes_create(topology, hosts, problem.num_hosts, &routes));
    problem.routes = routes;
    unit_ok(mtree_candidates_create(&problem, &candidates));
    per_byte = blocks_per_byte(demand, problem.num_hosts);
    mean = set_blocks(&arena, (size_t)problem.num_hosts, demand, per_byte, candidates);
    packer = mtree_packer_create(&problem, candidates);
    /* Trees per second are so many times fewer. */
    packer->mean /= mean;
    unit_ok(mtree_mwu_lay(packer, &what, &set, &x));
    /* A block is 8 / per_byte bits, and the bound is of blocks' bits per second. */
    seconds = 8.0 / per_byte / packer->bound;
    mtree_tree_set_destroy(set);
    mtree_packer_destroy(packer);
    mtree_routes_destroy(routes);
    mtree_arena_cleanup(&arena);
    return seconds;
}
