/* SPDX-License-Identifier: BSD-3-Clause */
#include "simulate/baseline/algorithms.h"

/* A rank's own block is in INPUT; they come together in RESULT. */

/* The root receives one block after the other.  With @a asks a rank sends when the root
 * tells it to, here by one element. */
static void gather(const mtree_baseline_call_t *call, bool asks)
{
    const mtree_place_t word = mtree_place(MTREE_BUFFER_WORK, 0);

    if (call->rank != call->root) {
        if (asks) {
            mtree_program_recv_now(call->program, call->root, word, 1);
        }
        mtree_program_send_now(call->program, call->root,
                               mtree_place(MTREE_BUFFER_INPUT, 0),
                               mtree_blocks(call, call->rank, 1).count);
        return;
    }
    mtree_add_copy(call, call->root, MTREE_BUFFER_INPUT, 0);
    for (int peer = 0; peer < call->num_ranks; peer++) {
        const mtree_block_t block = mtree_blocks(call, peer, 1);
        size_t request;

        if (peer != call->root) {
            request = mtree_program_recv(call->program, peer, mtree_result(block.offset),
                                         block.count);
            if (asks) {
                mtree_program_send_now(call->program, peer, word, 1);
            }
            mtree_program_wait(call->program, request);
        }
    }
}

static void linear(const mtree_baseline_call_t *call)
{
    gather(call, false);
}

static void linear_sync(const mtree_baseline_call_t *call)
{
    gather(call, true);
}

/* Blocks are kept in the order of the positions, and rotated by the root. */
void mtree_build_binomial_gather(const mtree_baseline_call_t *call)
{
    mtree_add_copy(call, mtree_position(call), MTREE_BUFFER_INPUT, 0);
    mtree_build_binomial(call, mtree_blocks, true);
    if (call->rank == call->root && call->root > 0) {
        mtree_add_rotation(call, MTREE_BUFFER_RESULT, call->root);
    }
}

static const mtree_baseline_t algorithms[] = {
    {MTREE_GATHER, "basic_linear", false, linear, NULL},
    {MTREE_GATHER, "binomial", false, mtree_build_binomial_gather, NULL},
    {MTREE_GATHER, "linear_sync", false, linear_sync, NULL},
};

/* clang-format off */
static const mtree_rule_t rules[] = {
    {4, 2, "linear_sync"}, {4, 4, "basic_linear"}, {4, 32768, "binomial"},
    {4, 65536, "basic_linear"}, {4, 131072, "binomial"}, {4, MTREE_ANY, "linear_sync"},
    {8, 1024, "binomial"}, {8, 8192, "basic_linear"}, {8, 32768, "binomial"},
    {8, 262144, "basic_linear"}, {8, MTREE_ANY, "linear_sync"},
    {256, MTREE_ANY, "binomial"},
    {512, 2048, "binomial"}, {512, 8192, "basic_linear"}, {512, MTREE_ANY, "binomial"},
    {MTREE_ANY, MTREE_ANY, "binomial"},
};
/* clang-format on */

const mtree_baseline_list_t mtree_baselines_gather = {
    algorithms, sizeof(algorithms) / sizeof(algorithms[0]), rules, NULL};
