/* SPDX-License-Identifier: BSD-3-Clause */
#include "simulate/baseline/algorithms.h"

/* From rank to rank, whole vectors. */
static void linear(const mtree_baseline_call_t *call)
{
    mtree_add_input(call);
    if (call->rank > 0) {
        mtree_add_recv_and_fold(call, call->rank - 1);
    }
    if (call->rank + 1 < call->num_ranks) {
        mtree_add_send(call, call->rank + 1, mtree_vector(call));
    }
}

/* Ranks whose numbers differ in one bit exchange the sums over their subcubes, those of
 * the lower bits first; what comes from lower ranks is part of the result. */
static void doubling(const mtree_baseline_call_t *call)
{
    const mtree_place_t inbox = mtree_place(MTREE_BUFFER_INBOX, 0);
    const mtree_place_t sum = mtree_place(MTREE_BUFFER_WORK, 0);

    mtree_add_input(call);
    mtree_program_copy(call->program, sum, mtree_place(MTREE_BUFFER_INPUT, 0),
                       call->count);
    for (int mask = 1; mask < call->num_ranks; mask *= 2) {
        int peer = call->rank ^ mask;
        size_t first = call->program->num_steps;

        if (peer >= call->num_ranks) {
            continue;
        }
        (void)mtree_program_send(call->program, peer, sum, call->count);
        (void)mtree_program_recv(call->program, peer, inbox, call->count);
        mtree_program_wait_all(call->program, first);
        if (call->rank > peer) {
            mtree_program_fold(call->program, mtree_result(0), inbox, call->count);
        }
        mtree_program_fold(call->program, sum, inbox, call->count);
    }
}

static const mtree_baseline_t algorithms[] = {
    {MTREE_SCAN, "linear", false, linear, NULL},
    {MTREE_SCAN, "recursive_doubling", false, doubling, NULL},
};

/* The tuned component has no fixed decision here; that of basic is linear. */
static const mtree_rule_t rules[] = {{MTREE_ANY, MTREE_ANY, "linear"}};

const mtree_baseline_list_t mtree_baselines_scan = {
    algorithms, sizeof(algorithms) / sizeof(algorithms[0]), rules, NULL};
