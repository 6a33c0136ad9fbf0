/* SPDX-License-Identifier: BSD-3-Clause */
#include "simulate/baseline/algorithms.h"

/* INPUT and RESULT have a block per rank: the one that goes to it, or comes from it. */

static size_t recv_block(const mtree_baseline_call_t *call, int peer)
{
    const mtree_block_t block = mtree_blocks(call, peer, 1);

    return mtree_program_recv(call->program, peer, mtree_result(block.offset),
                              block.count);
}

static void copy_own(const mtree_baseline_call_t *call)
{
    mtree_add_copy(call, call->rank, MTREE_BUFFER_INPUT, call->rank);
}

/* All receives, then all sends in the reverse order.  The algorithm with synchronisation
 * is the same, since by default it has no limit of requests. */
static void linear(const mtree_baseline_call_t *call)
{
    size_t first;

    copy_own(call);
    first = call->program->num_steps;
    for (int i = 1; i < call->num_ranks; i++) {
        (void)recv_block(call, mtree_around(call, call->rank + i));
    }
    for (int i = 1; i < call->num_ranks; i++) {
        (void)mtree_add_block_send(call, mtree_around(call, call->rank - i));
    }
    mtree_program_wait_all(call->program, first);
}

static void pairwise(const mtree_baseline_call_t *call)
{
    for (int step = 1; step < call->num_ranks; step++) {
        const size_t request = recv_block(call, mtree_around(call, call->rank - step));

        mtree_program_wait(
            call->program,
            mtree_add_block_send(call, mtree_around(call, call->rank + step)));
        mtree_program_wait(call->program, request);
    }
    copy_own(call);
}

/* Copy the blocks whose number has bit @a distance between RESULT and the beginning of
 * @a packed, where they lie one after the other; how many elements. */
static size_t copy_marked(const mtree_baseline_call_t *call, int distance,
                          mtree_buffer_t packed, bool pack)
{
    size_t at = 0;

    for (int i = distance; i < call->num_ranks; i += 2 * distance) {
        const int num = distance < call->num_ranks - i ? distance : call->num_ranks - i;
        const mtree_block_t run = mtree_blocks(call, i, num);
        const mtree_place_t here = mtree_result(run.offset);

        mtree_program_copy(call->program, pack ? mtree_place(packed, at) : here,
                           pack ? here : mtree_place(packed, at), run.count);
        at += run.count;
    }
    return at;
}

/* Blocks are rotated so that number i goes i ranks further; those with a bit set go as
 * far as it says, all in one message. */
static void bruck(const mtree_baseline_call_t *call)
{
    const int size = call->num_ranks;
    const mtree_block_t vector = mtree_blocks(call, 0, size);
    const mtree_place_t work = mtree_place(MTREE_BUFFER_WORK, 0);

    mtree_add_rotation(call, MTREE_BUFFER_INPUT, mtree_around(call, -call->rank));
    for (int distance = 1; distance < size; distance *= 2) {
        const size_t count = copy_marked(call, distance, MTREE_BUFFER_WORK, true);
        const size_t request =
            mtree_program_recv(call->program, mtree_around(call, call->rank - distance),
                               mtree_place(MTREE_BUFFER_INBOX, 0), count);

        mtree_program_send_now(call->program, mtree_around(call, call->rank + distance),
                               work, count);
        mtree_program_wait(call->program, request);
        (void)copy_marked(call, distance, MTREE_BUFFER_INBOX, false);
    }
    mtree_program_copy(call->program, work, mtree_result(0), vector.count);
    for (int i = 0; i < size; i++) {
        mtree_add_copy(call, mtree_around(call, call->rank - i), MTREE_BUFFER_WORK, i);
    }
}

/* Pairwise exchange of two ranks is the algorithm for two. */
static const mtree_baseline_t algorithms[] = {
    {MTREE_ALLTOALL, "linear", false, linear, NULL},
    {MTREE_ALLTOALL, "pairwise", false, pairwise, NULL},
    {MTREE_ALLTOALL, "modified_bruck", false, bruck, NULL},
    {MTREE_ALLTOALL, "linear_sync", false, linear, NULL},
    {MTREE_ALLTOALL, "two_proc", false, pairwise, NULL},
};

/* clang-format off */
static const mtree_rule_t rules[] = {
    {3, 2, "pairwise"}, {3, 4, "two_proc"}, {3, 16, "pairwise"}, {3, 64, "two_proc"},
    {3, 256, "pairwise"}, {3, 4096, "two_proc"}, {3, 32768, "pairwise"},
    {3, 262144, "linear_sync"}, {3, 1048576, "two_proc"}, {3, MTREE_ANY, "pairwise"},
    {8, 8192, "linear_sync"}, {8, 16384, "linear"}, {8, 65536, "linear_sync"},
    {8, 524288, "linear"}, {8, 1048576, "pairwise"}, {8, MTREE_ANY, "linear"},
    {16, 262144, "linear_sync"}, {16, MTREE_ANY, "linear"},
    {32, 4, "linear_sync"}, {32, 512, "modified_bruck"}, {32, 8192, "linear_sync"},
    {32, 32768, "linear"}, {32, 262144, "linear_sync"}, {32, 524288, "linear"},
    {32, MTREE_ANY, "linear_sync"},
    {64, 512, "modified_bruck"}, {64, 524288, "linear"}, {64, MTREE_ANY, "linear_sync"},
    {128, 1024, "modified_bruck"}, {128, 2048, "linear"}, {128, 4096, "linear_sync"},
    {128, 262144, "linear"}, {128, MTREE_ANY, "pairwise"},
    {256, 1024, "modified_bruck"}, {256, 2048, "linear_sync"}, {256, 262144, "linear"},
    {256, MTREE_ANY, "pairwise"},
    {512, 1024, "modified_bruck"}, {512, 8192, "linear_sync"}, {512, 32768, "linear"},
    {512, MTREE_ANY, "pairwise"},
    {1024, 512, "modified_bruck"}, {1024, 8192, "linear_sync"}, {1024, 16384, "linear"},
    {1024, 131072, "linear_sync"}, {1024, 262144, "linear"},
    {1024, MTREE_ANY, "pairwise"},
    {2048, 512, "modified_bruck"}, {2048, 1024, "linear_sync"}, {2048, 2048, "linear"},
    {2048, 16384, "linear_sync"}, {2048, 262144, "linear"},
    {2048, MTREE_ANY, "linear_sync"},
    {4096, 1024, "modified_bruck"}, {4096, 4096, "linear_sync"}, {4096, 8192, "linear"},
    {4096, 131072, "linear_sync"}, {4096, MTREE_ANY, "linear"},
    {MTREE_ANY, 2048, "modified_bruck"}, {MTREE_ANY, 8192, "linear_sync"},
    {MTREE_ANY, 16384, "linear"}, {MTREE_ANY, 32768, "linear_sync"},
    {MTREE_ANY, 65536, "linear"}, {MTREE_ANY, MTREE_ANY, "linear_sync"},
};
/* clang-format on */

const mtree_baseline_list_t mtree_baselines_alltoall = {
    algorithms, sizeof(algorithms) / sizeof(algorithms[0]), rules, NULL};
