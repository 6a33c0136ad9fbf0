/* SPDX-License-Identifier: BSD-3-Clause */
#include "simulate/baseline/algorithms.h"

/* To rank 0 and from there to all, linearly. */
static void linear(const mtree_baseline_call_t *call)
{
    mtree_build_linear_reduce(call);
    mtree_build_linear_bcast(call);
}

/* The same, each half as Open MPI does it by default. */
static void nonoverlapping(const mtree_baseline_call_t *call)
{
    mtree_build_default(call, MTREE_REDUCE);
    mtree_build_default(call, MTREE_BCAST);
}

static void doubling(const mtree_baseline_call_t *call)
{
    const mtree_block_t vector = mtree_vector(call);
    const mtree_members_t pairs = mtree_build_pairs(call);

    for (int mask = 1; mask < pairs.power && pairs.mine >= 0; mask *= 2) {
        mtree_add_swap_and_fold(call, mtree_member_rank(&pairs, pairs.mine ^ mask),
                                vector, vector);
    }
    mtree_add_to_sitting(call, &pairs, vector);
}

static void ring_in_phases(const mtree_baseline_call_t *call, size_t phases)
{
    mtree_add_input(call);
    for (size_t phase = 0; phase < phases; phase++) {
        mtree_build_ring_reduce(call, 0, phase, phases);
    }
    mtree_build_ring_gather(call, call->rank + 1, mtree_blocks);
}

static void ring(const mtree_baseline_call_t *call)
{
    if (call->count < (size_t)call->num_ranks) {
        doubling(call);
    } else {
        ring_in_phases(call, 1);
    }
}

static void segmented_ring(const mtree_baseline_call_t *call)
{
    const size_t size = (size_t)call->num_ranks;
    const size_t phase = size * call->segment; /* elements */
    size_t phases;

    if (call->segment == 0 || call->count < phase) {
        ring(call);
        return;
    }
    phases = call->count / phase;
    if (call->count % phase >= size && call->count % phase > phase / 2) {
        phases++;
    }
    ring_in_phases(call, phases);
}

static void rabenseifner(const mtree_baseline_call_t *call)
{
    mtree_members_t members;

    if (call->count < (size_t)mtree_power_of_two(call->num_ranks)) {
        linear(call);
        return;
    }
    members = mtree_build_vector_halving(call);
    for (int mask = members.power / 2; mask > 0 && members.mine >= 0; mask /= 2) {
        const int other = members.mine ^ mask;

        mtree_add_exchange(call, mtree_member_rank(&members, other),
                           mtree_vector_window(call, &members, members.mine, mask),
                           mtree_member_rank(&members, other),
                           mtree_vector_window(call, &members, other, mask));
    }
    mtree_add_to_sitting(call, &members, mtree_vector(call));
}

/* All vectors to all ranks by the default allgather, and then the sum of them. */
static void allgather_reduce(const mtree_baseline_call_t *call)
{
    mtree_baseline_call_t whole = *call;

    whole.count = call->count * (size_t)call->num_ranks;
    mtree_build_default(&whole, MTREE_ALLGATHER);
    for (size_t rank = 1; rank < (size_t)call->num_ranks; rank++) {
        mtree_program_fold(call->program, mtree_result(0),
                           mtree_result(rank * call->count), call->count);
    }
}

static const mtree_baseline_t algorithms[] = {
    {MTREE_ALLREDUCE, "basic_linear", false, linear, NULL},
    {MTREE_ALLREDUCE, "nonoverlapping", false, nonoverlapping, NULL},
    {MTREE_ALLREDUCE, "recursive_doubling", false, doubling, NULL},
    {MTREE_ALLREDUCE, "ring", false, ring, NULL},
    {MTREE_ALLREDUCE, "segmented_ring", true, segmented_ring, NULL},
    {MTREE_ALLREDUCE, "rabenseifner", false, rabenseifner, NULL},
    {MTREE_ALLREDUCE, "allgather_reduce", false, allgather_reduce, NULL},
};

/* clang-format off */
/* Of 65 and more ranks, on one host or apart. */
#define RULES_OF_MANY                                                                   \
    {128, 262144, "recursive_doubling"}, {128, MTREE_ANY, "rabenseifner"},              \
    {256, 131072, "nonoverlapping"}, {256, 262144, "recursive_doubling"},               \
    {256, MTREE_ANY, "rabenseifner"},                                                   \
    {512, 4096, "nonoverlapping"}, {512, MTREE_ANY, "rabenseifner"},                    \
    {2048, 2048, "nonoverlapping"}, {2048, 16384, "recursive_doubling"},                \
    {2048, MTREE_ANY, "rabenseifner"},                                                  \
    {4096, 2048, "nonoverlapping"}, {4096, 4096, "segmented_ring"},                     \
    {4096, 16384, "recursive_doubling"}, {4096, MTREE_ANY, "rabenseifner"},             \
    {MTREE_ANY, 2048, "nonoverlapping"}, {MTREE_ANY, 16384, "segmented_ring"},          \
    {MTREE_ANY, 32768, "recursive_doubling"}, {MTREE_ANY, MTREE_ANY, "rabenseifner"}

static const mtree_rule_t rules[] = {
    {4, 8, "ring"}, {4, 4096, "recursive_doubling"}, {4, 8192, "ring"},
    {4, 16384, "recursive_doubling"}, {4, 65536, "ring"}, {4, 262144, "segmented_ring"},
    {4, MTREE_ANY, "rabenseifner"},
    {8, 16, "ring"}, {8, 8192, "recursive_doubling"}, {8, MTREE_ANY, "rabenseifner"},
    {16, 8192, "recursive_doubling"}, {16, MTREE_ANY, "rabenseifner"},
    {32, 64, "segmented_ring"}, {32, 4096, "recursive_doubling"},
    {32, MTREE_ANY, "rabenseifner"},
    {64, 128, "segmented_ring"}, {64, MTREE_ANY, "rabenseifner"},
    RULES_OF_MANY,
};

static const mtree_rule_t rules_apart[] = {
    {3, MTREE_ANY, "recursive_doubling"},
    {4, MTREE_ANY, "allgather_reduce"},
    {8, 1048576, "allgather_reduce"}, {8, MTREE_ANY, "recursive_doubling"},
    {16, 262144, "allgather_reduce"}, {16, 1048576, "rabenseifner"},
    {16, MTREE_ANY, "recursive_doubling"},
    {32, 32768, "allgather_reduce"}, {32, 131072, "nonoverlapping"},
    {32, MTREE_ANY, "rabenseifner"},
    {65, 32768, "allgather_reduce"}, {65, 131072, "recursive_doubling"},
    {65, MTREE_ANY, "rabenseifner"},
    RULES_OF_MANY,
};
/* clang-format on */

const mtree_baseline_list_t mtree_baselines_allreduce = {
    algorithms, sizeof(algorithms) / sizeof(algorithms[0]), rules, rules_apart};
