/* SPDX-License-Identifier: BSD-3-Clause */
#include "simulate/baseline/algorithms.h"
#include "simulate/baseline/reducing.h"

/* To rank 0 and from there to all, linearly. */
static void linear(mtree_program_t *program, const mtree_baseline_call_t *call)
{
    mtree_baseline_call_t part = *call;

    part.root = 0;
    mtree_build_linear_reduce(program, &part);
    mtree_build_linear_bcast(program, &part);
}

/* The same, each half as Open MPI does it by default. */
static void nonoverlapping(mtree_program_t *program, const mtree_baseline_call_t *call)
{
    mtree_baseline_call_t part = *call;

    part.root = 0;
    mtree_build_default_reduce(program, &part);
    mtree_build_default_bcast(program, &part);
}

/* Ranks beyond a power of two first give their part to the odd neighbour, and get the sum
 * from it. */
static void doubling(mtree_program_t *program, const mtree_baseline_call_t *call)
{
    const mtree_place_t work = mtree_place(MTREE_BUFFER_WORK, 0);
    const mtree_block_t vector = {0, call->count};
    const int power = mtree_power_of_two(call->num_ranks);
    const int excess = call->num_ranks - power;
    const bool paired = call->rank < 2 * excess;
    int mine = paired ? call->rank / 2 : call->rank - excess;
    int distance, other, peer;

    mtree_program_begin(program, call->count);
    if (paired && call->rank % 2 == 0) {
        mtree_program_send_block(program, call->rank + 1, vector);
        mtree_program_recv_block(program, call->rank + 1, vector);
        return;
    }
    if (paired) {
        mtree_program_recv_now(program, call->rank - 1, work, call->count);
        mtree_program_fold(program, mtree_result(0), work, call->count);
    }
    for (distance = 1; distance < power; distance *= 2) {
        other = mine ^ distance;
        peer = other < excess ? other * 2 + 1 : other + excess;
        mtree_program_swap_and_fold(program, peer, vector, MTREE_BUFFER_WORK, vector);
    }
    if (paired) {
        mtree_program_send_block(program, call->rank - 1, vector);
    }
}

static void ring_in_phases(mtree_program_t *program, const mtree_baseline_call_t *call,
                           size_t phases)
{
    const int size = call->num_ranks;

    mtree_program_begin(program, call->count);
    for (size_t phase = 0; phase < phases; phase++) {
        mtree_build_ring_reduce(program, call, 0, phase, phases);
    }
    for (int k = 0; k < size - 1; k++) {
        mtree_program_exchange_blocks(
            program, (call->rank + 1) % size, mtree_ring_block(call, call->rank + 1 - k),
            (call->rank + size - 1) % size, mtree_ring_block(call, call->rank - k));
    }
}

static void ring(mtree_program_t *program, const mtree_baseline_call_t *call)
{
    if (call->count < (size_t)call->num_ranks) {
        doubling(program, call);
    } else {
        ring_in_phases(program, call, 1);
    }
}

static void segmented_ring(mtree_program_t *program, const mtree_baseline_call_t *call)
{
    const size_t size = (size_t)call->num_ranks;
    const size_t phase = size * call->segment; /* elements */
    size_t phases;

    if (call->segment == 0 || call->count < phase) {
        ring(program, call);
        return;
    }
    phases = call->count / phase;
    if (call->count % phase >= size && call->count % phase > phase / 2) {
        phases++;
    }
    ring_in_phases(program, call, phases);
}

static void rabenseifner(mtree_program_t *program, const mtree_baseline_call_t *call)
{
    const mtree_block_t vector = {0, call->count};
    mtree_vector_halving_t halving;
    int s, peer;

    if (call->count < (size_t)mtree_power_of_two(call->num_ranks)) {
        linear(program, call);
        return;
    }
    mtree_build_vector_halving(program, call, &halving);
    for (s = halving.num_steps - 1; s >= 0 && halving.new_rank >= 0; s--) {
        peer = mtree_vector_halving_rank(&halving, halving.new_rank ^ (1 << s));
        mtree_program_exchange_blocks(program, peer, halving.kept[s], peer,
                                      halving.given[s]);
    }
    if (call->rank < 2 * halving.excess && call->rank % 2 == 0) {
        mtree_program_send_block(program, call->rank + 1, vector);
    } else if (call->rank < 2 * halving.excess) {
        mtree_program_recv_block(program, call->rank - 1, vector);
    }
}

static const mtree_baseline_t algorithms[] = {
    {MTREE_ALLREDUCE, "basic_linear", false, linear, NULL},
    {MTREE_ALLREDUCE, "nonoverlapping", false, nonoverlapping, NULL},
    {MTREE_ALLREDUCE, "recursive_doubling", false, doubling, NULL},
    {MTREE_ALLREDUCE, "ring", false, ring, NULL},
    {MTREE_ALLREDUCE, "segmented_ring", true, segmented_ring, NULL},
    {MTREE_ALLREDUCE, "rabenseifner", false, rabenseifner, NULL},
};

/* clang-format off */
static const mtree_rule_t rules[] = {
    {4, 8, "ring"}, {4, 4096, "recursive_doubling"}, {4, 8192, "ring"},
    {4, 16384, "recursive_doubling"}, {4, 65536, "ring"}, {4, 262144, "segmented_ring"},
    {4, MTREE_ANY, "rabenseifner"},
    {8, 16, "ring"}, {8, 8192, "recursive_doubling"}, {8, MTREE_ANY, "rabenseifner"},
    {16, 8192, "recursive_doubling"}, {16, MTREE_ANY, "rabenseifner"},
    {32, 64, "segmented_ring"}, {32, 4096, "recursive_doubling"},
    {32, MTREE_ANY, "rabenseifner"},
    {64, 128, "segmented_ring"}, {64, MTREE_ANY, "rabenseifner"},
    {128, 262144, "recursive_doubling"}, {128, MTREE_ANY, "rabenseifner"},
    {256, 131072, "nonoverlapping"}, {256, 262144, "recursive_doubling"},
    {256, MTREE_ANY, "rabenseifner"},
    {512, 4096, "nonoverlapping"}, {512, MTREE_ANY, "rabenseifner"},
    {2048, 2048, "nonoverlapping"}, {2048, 16384, "recursive_doubling"},
    {2048, MTREE_ANY, "rabenseifner"},
    {4096, 2048, "nonoverlapping"}, {4096, 4096, "segmented_ring"},
    {4096, 16384, "recursive_doubling"}, {4096, MTREE_ANY, "rabenseifner"},
    {MTREE_ANY, 2048, "nonoverlapping"}, {MTREE_ANY, 16384, "segmented_ring"},
    {MTREE_ANY, 32768, "recursive_doubling"}, {MTREE_ANY, MTREE_ANY, "rabenseifner"},
};
/* clang-format on */

const mtree_baseline_list_t mtree_baselines_allreduce = {
    algorithms, sizeof(algorithms) / sizeof(algorithms[0]), rules};
