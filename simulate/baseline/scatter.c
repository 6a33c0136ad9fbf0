/* SPDX-License-Identifier: BSD-3-Clause */
#include "simulate/baseline/algorithms.h"

/* The root's vector is in INPUT; each rank's block goes to its place in RESULT. */

/* The root sends one block after the other, or all @a together. */
static void scatter(const mtree_baseline_call_t *call, bool together)
{
    size_t first, request;

    if (call->rank != call->root) {
        mtree_add_recv(call, call->root, mtree_blocks(call, call->rank, 1));
        return;
    }
    mtree_add_copy(call, call->root, MTREE_BUFFER_INPUT, call->root);
    first = call->program->num_steps;
    for (int peer = 0; peer < call->num_ranks; peer++) {
        if (peer != call->root) {
            request = mtree_add_block_send(call, peer);
            if (!together) {
                mtree_program_wait(call->program, request);
            }
        }
    }
    if (together) {
        mtree_program_wait_all(call->program, first);
    }
}

static void linear(const mtree_baseline_call_t *call)
{
    scatter(call, false);
}

static void linear_nb(const mtree_baseline_call_t *call)
{
    scatter(call, true);
}

/* Blocks are kept in the order of the positions, the own one first, until the end. */
static void binomial(const mtree_baseline_call_t *call)
{
    if (call->rank == call->root) {
        mtree_add_rotation(call, MTREE_BUFFER_INPUT, mtree_around(call, -call->root));
    }
    mtree_build_binomial(call, mtree_blocks, false);
    mtree_add_copy(call, call->rank, MTREE_BUFFER_RESULT, mtree_position(call));
}

static const mtree_baseline_t algorithms[] = {
    {MTREE_SCATTER, "basic_linear", false, linear, NULL},
    {MTREE_SCATTER, "binomial", false, binomial, NULL},
    {MTREE_SCATTER, "linear_nb", false, linear_nb, NULL},
};

/* clang-format off */
static const mtree_rule_t rules[] = {
    {4, 2, "linear_nb"}, {4, 131072, "basic_linear"}, {4, 262144, "linear_nb"},
    {4, MTREE_ANY, "basic_linear"},
    {8, 2048, "binomial"}, {8, 4096, "basic_linear"}, {8, 8192, "binomial"},
    {8, 32768, "basic_linear"}, {8, 1048576, "linear_nb"}, {8, MTREE_ANY, "basic_linear"},
    {16, 16384, "binomial"}, {16, 1048576, "linear_nb"}, {16, MTREE_ANY, "basic_linear"},
    {32, 16384, "binomial"}, {32, 32768, "basic_linear"}, {32, MTREE_ANY, "linear_nb"},
    {64, 512, "binomial"}, {64, 8192, "linear_nb"}, {64, 16384, "binomial"},
    {64, MTREE_ANY, "linear_nb"},
    {MTREE_ANY, 512, "binomial"}, {MTREE_ANY, MTREE_ANY, "linear_nb"},
};
/* clang-format on */

const mtree_baseline_list_t mtree_baselines_scatter = {
    algorithms, sizeof(algorithms) / sizeof(algorithms[0]), rules, NULL};
