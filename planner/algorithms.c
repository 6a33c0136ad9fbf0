/* SPDX-License-Identifier: BSD-3-Clause */
#include "planner/algorithms.h"

#include "base/log.h"
#include "base/nearest.h"
#include "planner/packing/packing.h"
#include "planner/published/multitree.h"
#include "planner/regular/chains.h"
#include "planner/regular/gateways.h"
#include "planner/regular/programs.h"
#include "planner/regular/shallow_tree.h"
#include "planner/regular/trees.h"

#include <stdio.h>
#include <string.h>

/* Sets of collectives.  None is "all": whoever adds a collective decides which algorithms
 * do it. */
#define ALLREDUCE MTREE_DOES(MTREE_ALLREDUCE)
#define ROOTED    (MTREE_DOES(MTREE_REDUCE) | MTREE_DOES(MTREE_BCAST))
#define BLOCKS    (MTREE_DOES(MTREE_ALLGATHER) | MTREE_DOES(MTREE_REDUCE_SCATTER))
#define PERSONALIZED                                                                     \
    (MTREE_DOES(MTREE_SCATTER) | MTREE_DOES(MTREE_GATHER) | MTREE_DOES(MTREE_ALLTOALL))

#define PREFIX MTREE_DOES(MTREE_SCAN)

/* The algorithms of every program; the first is the default. */
static const mtree_algorithm_t algorithms[] = {
    {"packing", "trees that together fill the links",
     ALLREDUCE | ROOTED | BLOCKS | PERSONALIZED | PREFIX, mtree_packing_plan, NULL, NULL,
     MTREE_SEARCHED},
    {"latency", "one low tree, for short messages",
     ALLREDUCE | ROOTED | BLOCKS | PERSONALIZED, mtree_shallow_tree_plan, NULL, NULL,
     MTREE_AT_ONCE},
    {"multitree", "MultiTree: one tree per host, grown in steps", ALLREDUCE | BLOCKS,
     mtree_multitree_plan, NULL, mtree_multitree_fits, MTREE_AT_ONCE},
    {"ring", "each block goes around all hosts", ALLREDUCE | BLOCKS, mtree_ring_plan,
     NULL, NULL, MTREE_AT_ONCE},
    {"segmented_ring", "the same, in segments", ALLREDUCE | BLOCKS, mtree_ring_plan, NULL,
     NULL, MTREE_AT_ONCE},
    {"direct", "each host sends to every other one itself",
     ALLREDUCE | BLOCKS | PERSONALIZED, mtree_direct_exchange_plan, NULL, NULL,
     MTREE_AT_ONCE},
    {MTREE_PLAN_ROBUST, "what each host sends, spread so that uneven sizes do no harm",
     MTREE_DOES(MTREE_ALLTOALL), mtree_robust_plan, NULL, NULL, MTREE_SEARCHED},
    {"gateways", "what a host sends to a site crosses the long links once", PERSONALIZED,
     mtree_gateways_plan, NULL, NULL, MTREE_SEARCHED},
    {"doubletree", "two binary trees of which each carries half", ALLREDUCE | ROOTED,
     mtree_double_tree_plan, NULL, NULL, MTREE_AT_ONCE},
    {"exchange", "each host sends its vector to all others, and all add",
     ALLREDUCE | MTREE_DOES(MTREE_REDUCE) | PREFIX, mtree_programs_plan, NULL,
     mtree_programs_fit, MTREE_AT_ONCE},
    {"bruck", "log2 rounds between any number of hosts, for short blocks",
     MTREE_DOES(MTREE_ALLGATHER) | MTREE_DOES(MTREE_ALLTOALL), mtree_programs_plan, NULL,
     mtree_programs_fit, MTREE_AT_ONCE},
    {"recursive_doubling", "log2 rounds of swaps with a partner, for short messages",
     ALLREDUCE | MTREE_DOES(MTREE_ALLGATHER), mtree_programs_plan, NULL,
     mtree_programs_fit, MTREE_AT_ONCE},
    {"recursive_halving", "swaps of halves, and of their sums (Rabenseifner)",
     ALLREDUCE | MTREE_DOES(MTREE_REDUCE_SCATTER), mtree_programs_plan, NULL,
     mtree_programs_fit, MTREE_AT_ONCE},
    {"staged_exchange", "exchanges in groups, and then between them", ALLREDUCE,
     mtree_programs_plan, NULL, mtree_programs_fit, MTREE_AT_ONCE},
    {"swing", "Swing: partners of a torus, so that all links are busy", ALLREDUCE,
     mtree_programs_plan, NULL, mtree_programs_fit, MTREE_AT_ONCE},
    {MTREE_PLAN_ARRIVAL, "chains, built in the order in which ranks arrive",
     ALLREDUCE | ROOTED, mtree_chains_plan, NULL, NULL, MTREE_BY_NAME},
};

#define NUM_ALGORITHMS ((int)(sizeof(algorithms) / sizeof(algorithms[0])))

/* Those that this program has added. */
static struct {
    const mtree_algorithm_t *rows; /* [count] */
    int count;
} added_algorithms;

void mtree_algorithms_add(const mtree_algorithm_t *rows, int count)
{
    added_algorithms.rows = rows;
    added_algorithms.count =
        count < MTREE_ALGORITHMS_MOST_ADDED ? count : MTREE_ALGORITHMS_MOST_ADDED;
}

static const mtree_algorithm_t *row(int number)
{
    return number < NUM_ALGORITHMS ? &algorithms[number]
                                   : &added_algorithms.rows[number - NUM_ALGORITHMS];
}

const char *const *mtree_algorithms_names(void)
{
    static const char *names[NUM_ALGORITHMS + MTREE_ALGORITHMS_MOST_ADDED + 1];

    for (int a = 0; a < NUM_ALGORITHMS + added_algorithms.count; ++a) {
        names[a] = row(a)->name;
    }
    return names;
}

static const mtree_algorithm_t *find(const char *name)
{
    for (int a = 0; a < NUM_ALGORITHMS + added_algorithms.count; ++a) {
        if (strcmp(name, row(a)->name) == 0) {
            return row(a);
        }
    }
    return NULL;
}

const char *mtree_algorithms_help(const char *name)
{
    const mtree_algorithm_t *algorithm = find(name);

    return algorithm != NULL ? algorithm->help : NULL;
}

const char *mtree_algorithms_unavailable(const char *name)
{
    const mtree_algorithm_t *algorithm = find(name);

    return algorithm != NULL && algorithm->has_solver != NULL && !algorithm->has_solver()
               ? "built without GLPK"
               : NULL;
}

bool mtree_algorithms_do(const char *name, mtree_collective_t collective)
{
    const mtree_algorithm_t *algorithm = find(name);

    return algorithm != NULL && mtree_collective_traits(collective) != NULL &&
           mtree_algorithms_unavailable(name) == NULL &&
           (algorithm->collectives & MTREE_DOES(collective)) != 0;
}

bool mtree_algorithms_fit(const char *name, const mtree_topology_t *topology,
                          int num_hosts, const mtree_plan_request_t *request)
{
    const mtree_algorithm_t *algorithm = find(name);
    const mtree_problem_t problem = {.topology = topology,
                                     .request = request,
                                     .num_hosts = num_hosts,
                                     .algorithm = name};

    return mtree_algorithms_do(name, request->collective) &&
           (algorithm->fits == NULL || algorithm->fits(&problem));
}

mtree_effort_t mtree_algorithms_effort(const char *name)
{
    const mtree_algorithm_t *algorithm = find(name);

    return algorithm == NULL ? MTREE_BY_NAME : algorithm->effort;
}

static void list_names(char *list, size_t bytes)
{
    size_t length = 0;

    for (const char *const *name = mtree_algorithms_names();
         *name != NULL && length < bytes; name++) {
        length += (size_t)snprintf(list + length, bytes - length, "%s%s",
                                   length == 0 ? "" : ", ", *name);
    }
}

mtree_status_t mtree_algorithms_choose(const mtree_plan_request_t *request,
                                       const mtree_algorithm_t **algorithm_p)
{
    const char *name =
        request->algorithm == NULL ? algorithms[0].name : request->algorithm;
    const char *unavailable = mtree_algorithms_unavailable(name);
    char advice[MTREE_NEAREST_ADVICE], list[512];

    *algorithm_p = find(name);
    if (*algorithm_p == NULL) {
        list_names(list, sizeof(list));
        mtree_error("planner: there is no algorithm %s%s; there are %s", name,
                    mtree_nearest_advice_of(name, mtree_algorithms_names(), advice),
                    list);
        return MTREE_ERR_NOT_FOUND;
    }
    if (unavailable != NULL) {
        mtree_error("planner: algorithm %s is not supported: %s; choose another", name,
                    unavailable);
        return MTREE_ERR_UNSUPPORTED;
    }
    if (!mtree_algorithms_do(name, request->collective)) {
        mtree_error(
            "planner: algorithm %s does not do %s; choose another, packing does all",
            name, mtree_collective_name(request->collective));
        return MTREE_ERR_UNSUPPORTED;
    }
    return MTREE_OK;
}
