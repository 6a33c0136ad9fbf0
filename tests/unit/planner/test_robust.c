/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Robust packings of an all-to-all: they carry as much of equal blocks as others, and
 * take not much longer than any plan could where one host sends far more.
 */
#include "papers/published/lp.h"
#include "tests/unit/given.h"
#include "tests/unit/planner/demands.h"
#include "tests/unit/planner/networks.h"

#define MAX_HOSTS 16
#define SKEW      10

/* What a plan for all hosts may take of the least time for one that sends SKEW times as
 * much.  Others take more than twice that time on B4. */
#define MOST_LATE 1.75

static mtree_topology_t *network(int number)
{
    switch (number) {
    case 0:
        return map_file(TOPOLOGIES "/b4.dot");
    case 1:
        return network_b4(3);
    case 2:
        return network_random(10, 22, 5, true, 0);
    default:
        return map_shape("torus:4x4", 1e9, 0);
    }
}

static mtree_plan_t *plan_for(const char *algorithm, const mtree_plan_t *keep)
{
    return NETWORK_PLAN(topology, .collective = MTREE_ALLTOALL, .algorithm = algorithm,
                        .max_trees = 10, .keep = keep);
}

/* Seconds for which @a plan keeps the busiest arc busy, where each host sends @a bits to
 * each other, and @a root SKEW times as much. */
static double busiest(const mtree_plan_t *plan, int root, double bits)
{
    UNIT_FREED double *load = calloc(2 * (size_t)topology->num_links, sizeof(*load));

    for (int t = 0; t < plan->num_trees; t++) {
        double times = plan->trees[t].root == root ? SKEW : 1;

        mtree_plan_tree_load(plan, t, routes,
                             plan->trees[t].share * times * bits * num_hosts, load);
    }
    return mtree_plan_busiest(topology, load);
}

/* What any plan takes for that at least. */
static double least(int root, double bits)
{
    double demand[MAX_HOSTS * MAX_HOSTS];

    for (int pair = 0; pair < num_hosts * num_hosts; pair++) {
        demand[pair] = pair / num_hosts == root ? SKEW * bits / 8 : bits / 8;
    }
    return demands_least_seconds(topology, demand);
}

/* How many times as long as needed @a plan takes, of the host where that is most. */
static double latest(const mtree_plan_t *plan)
{
    double most = 0;

    for (int root = 0; root < num_hosts; root++) {
        most = fmax(most, busiest(plan, root, 1e6) / least(root, 1e6));
    }
    return most;
}

UNIT_FIXTURE(NULL, forget)

UNIT_LOOP(equal_blocks_lose_nothing_and_unequal_ones_gain, 0, 4)
{
    OWNED(plan) *packing = NULL, *robust = NULL;

    given_routes(network(_i));
    packing = plan_for("packing", NULL);
    robust = plan_for("robust", NULL);
    ck_assert_str_eq(robust->algorithm, "robust");
    ck_assert_double_ge(robust->throughput, 0.92 * packing->throughput);
    ck_assert_double_le(robust->throughput, robust->bound * (1 + 1e-9));
    ck_assert(!mtree_lp_is_available() || latest(robust) <= MOST_LATE);
}

UNIT_NEEDS(mtree_lp_is_available())

/* On B4 others leave a host's links idle. */
UNIT_TEST(a_packing_alone_is_late)
{
    OWNED(plan) *packing = NULL;

    given_routes(network(0));
    packing = plan_for("packing", NULL);
    ck_assert_double_ge(latest(packing), MOST_LATE);
}

/* Other rates for the same trees stay robust, also where a link has lost capacity. */
UNIT_LOOP(other_rates_stay_robust, 0, 2)
{
    static const double parts[] = {1, 0.6};
    OWNED(plan) *first = NULL, *again = NULL;

    given_routes(network(0));
    first = plan_for("robust", NULL);
    map_scale(topology, 4, parts[_i]);
    again = plan_for("robust", first);
    ck_assert_str_eq(again->algorithm, "robust");
    ck_assert_double_ge(again->throughput, 0.5 * first->throughput);
    ck_assert_double_le(latest(again), MOST_LATE);
}
