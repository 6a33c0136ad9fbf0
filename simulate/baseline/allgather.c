/* SPDX-License-Identifier: BSD-3-Clause */
#include "simulate/baseline/build.h"

/* Block @a index of RESULT. */
static mtree_place_t result(const mtree_baseline_call_t *call, int index)
{
    return mtree_place(MTREE_BUFFER_RESULT,
                       (size_t)index * (call->count / (size_t)call->num_ranks));
}

/* Elements in @a blocks blocks. */
static size_t length(const mtree_baseline_call_t *call, int blocks)
{
    return (size_t)blocks * (call->count / (size_t)call->num_ranks);
}

static void begin(mtree_program_t *program, const mtree_baseline_call_t *call, int index)
{
    mtree_program_copy(program, result(call, index), mtree_place(MTREE_BUFFER_INPUT, 0),
                       length(call, 1));
}

/* A binomial gather, which is what Open MPI gathers by from 8 ranks on, and its default
 * broadcast. */
void mtree_build_allgather_linear(mtree_program_t *program,
                                  const mtree_baseline_call_t *call)
{
    mtree_baseline_call_t part = *call;
    mtree_rank_tree_t tree;
    int i, child, end = call->rank + 1;

    part.root = 0;
    begin(program, call, call->rank);
    mtree_tree_in_order_binomial(call->rank, call->num_ranks, 0, &tree);
    for (i = 0; i < tree.num_children; i++) {
        child = tree.children[i];
        end = child + (child - call->rank);
        end = end < call->num_ranks ? end : call->num_ranks;
        mtree_program_recv_now(program, child, result(call, child),
                               length(call, end - child));
    }
    if (tree.parent >= 0) {
        mtree_program_send_now(program, tree.parent, result(call, call->rank),
                               length(call, end - call->rank));
    }
    mtree_build_default_bcast(program, &part);
}

/* Blocks are kept in the order of the ranks from the own one on, and turned at the end.
 */
void mtree_build_allgather_bruck(mtree_program_t *program,
                                 const mtree_baseline_call_t *call)
{
    const int size = call->num_ranks;
    int distance, blocks;

    begin(program, call, 0);
    for (distance = 1; distance < size; distance *= 2) {
        blocks = distance <= size / 2 ? distance : size - distance;
        mtree_program_exchange(program, (call->rank - distance + size) % size,
                               result(call, 0), length(call, blocks),
                               (call->rank + distance) % size, result(call, distance),
                               length(call, blocks));
    }
    mtree_program_copy(program, mtree_place(MTREE_BUFFER_WORK, 0), result(call, 0),
                       length(call, size));
    mtree_program_copy(program, result(call, call->rank),
                       mtree_place(MTREE_BUFFER_WORK, 0),
                       length(call, size - call->rank));
    mtree_program_copy(program, result(call, 0),
                       mtree_place(MTREE_BUFFER_WORK, length(call, size - call->rank)),
                       length(call, call->rank));
}

/* For a power of two only; Open MPI takes Bruck's algorithm for other numbers. */
void mtree_build_allgather_doubling(mtree_program_t *program,
                                    const mtree_baseline_call_t *call)
{
    int distance, mine, theirs;

    if (mtree_power_of_two(call->num_ranks) != call->num_ranks) {
        mtree_build_allgather_bruck(program, call);
        return;
    }
    begin(program, call, call->rank);
    for (distance = 1; distance < call->num_ranks; distance *= 2) {
        mine = call->rank / distance * distance;
        theirs = mine ^ distance;
        mtree_program_exchange(program, call->rank ^ distance, result(call, mine),
                               length(call, distance), call->rank ^ distance,
                               result(call, theirs), length(call, distance));
    }
}

void mtree_build_allgather_ring(mtree_program_t *program,
                                const mtree_baseline_call_t *call)
{
    const int size = call->num_ranks;
    int k;

    begin(program, call, call->rank);
    for (k = 0; k < size - 1; k++) {
        mtree_program_exchange(program, (call->rank + 1) % size,
                               result(call, (call->rank - k + size) % size),
                               length(call, 1), (call->rank + size - 1) % size,
                               result(call, (call->rank - k - 1 + size) % size),
                               length(call, 1));
    }
}

/* Pairs swap their blocks, then pairs of blocks go by turns to the right and to the left;
 * for an even number of ranks only, Open MPI takes the ring for an odd one. */
void mtree_build_allgather_neighbor(mtree_program_t *program,
                                    const mtree_baseline_call_t *call)
{
    const int size = call->num_ranks;
    const bool even = call->rank % 2 == 0;
    const int side[2] = {even ? 1 : size - 1, even ? size - 1 : 1};
    const int offset[2] = {even ? 2 : size - 2, even ? size - 2 : 2};
    int received[2], sent, peer, i;

    if (size % 2 != 0) {
        mtree_build_allgather_ring(program, call);
        return;
    }
    begin(program, call, call->rank);
    peer = (call->rank + side[0]) % size;
    mtree_program_exchange(program, peer, result(call, call->rank), length(call, 1), peer,
                           result(call, peer), length(call, 1));
    sent = call->rank - call->rank % 2;
    received[0] = sent;
    received[1] = sent;
    for (i = 1; i < size / 2; i++) {
        peer = (call->rank + side[i % 2]) % size;
        received[i % 2] = (received[i % 2] + offset[i % 2]) % size;
        mtree_program_exchange(program, peer, result(call, sent), length(call, 2), peer,
                               result(call, received[i % 2]), length(call, 2));
        sent = received[i % 2];
    }
}

/* For two ranks; the ring is the same for them and serves any number. */
void mtree_build_allgather_two(mtree_program_t *program,
                               const mtree_baseline_call_t *call)
{
    mtree_build_allgather_ring(program, call);
}
