/* SPDX-License-Identifier: BSD-3-Clause */
#include "simulate/baseline/reducing.h"

static mtree_block_t segment_of_block(const mtree_baseline_call_t *call, int block,
                                      size_t phase, size_t phases)
{
    const int size = call->num_ranks;
    mtree_block_t whole =
        mtree_block(call->count, (size_t)size, (size_t)((block % size + size) % size));
    mtree_block_t inside = mtree_block(whole.count, phases, phase);

    inside.offset += whole.offset;
    return inside;
}

mtree_block_t mtree_ring_block(const mtree_baseline_call_t *call, int block)
{
    return segment_of_block(call, block, 0, 1);
}

void mtree_build_ring_reduce(mtree_program_t *program, const mtree_baseline_call_t *call,
                             int shift, size_t phase, size_t phases)
{
    const int size = call->num_ranks;
    const int next = (call->rank + 1) % size;
    const int previous = (call->rank + size - 1) % size;
    const int first = call->rank - shift;
    const size_t room = segment_of_block(call, 0, 0, phases).count;
    mtree_block_t block;
    size_t request = 0, last_request = 0;
    mtree_place_t inbox, last_inbox = {0};
    int k;

    for (k = 1; k <= size; k++) {
        inbox = mtree_place(MTREE_BUFFER_INBOX, (size_t)(k % 2) * room);
        if (k < size) {
            request = mtree_program_recv(
                program, previous, inbox,
                segment_of_block(call, first - k, phase, phases).count);
        }
        block = segment_of_block(call, first - k + 1, phase, phases);
        if (k > 1) {
            mtree_program_wait(program, last_request);
            mtree_program_fold(program, mtree_result(block.offset), last_inbox,
                               block.count);
        }
        if (k < size) {
            mtree_program_send_now(program, next, mtree_result(block.offset),
                                   block.count);
        }
        last_request = request;
        last_inbox = inbox;
    }
}

int mtree_vector_halving_rank(const mtree_vector_halving_t *halving, int new_rank)
{
    return new_rank < halving->excess ? 2 * new_rank : new_rank + halving->excess;
}

/* In the pairs beyond the power of two each rank sums one half; the odd one gives its
 * half away. */
static void fold_pairs(mtree_program_t *program, const mtree_baseline_call_t *call)
{
    const mtree_block_t left = {0, call->count / 2};
    const mtree_block_t right = {left.count, call->count - left.count};
    const bool odd = call->rank % 2 != 0;
    const int peer = odd ? call->rank - 1 : call->rank + 1;

    if (odd) {
        mtree_program_swap_and_fold(program, peer, left, MTREE_BUFFER_WORK, right);
        mtree_program_send_block(program, peer, right);
    } else {
        mtree_program_swap_and_fold(program, peer, right, MTREE_BUFFER_WORK, left);
        mtree_program_recv_block(program, peer, right);
    }
}

void mtree_build_vector_halving(mtree_program_t *program,
                                const mtree_baseline_call_t *call,
                                mtree_vector_halving_t *halving)
{
    mtree_block_t window = {0, call->count}, low, high;
    int distance, other, peer, s = 0;

    halving->power = mtree_power_of_two(call->num_ranks);
    halving->excess = call->num_ranks - halving->power;
    mtree_program_begin(program, call->count);
    halving->new_rank = call->rank - halving->excess;
    if (call->rank < 2 * halving->excess) {
        fold_pairs(program, call);
        halving->new_rank = call->rank % 2 == 0 ? call->rank / 2 : -1;
    }
    for (distance = 1; distance < halving->power; distance *= 2, s++) {
        if (halving->new_rank < 0) {
            continue;
        }
        other = halving->new_rank ^ distance;
        peer = mtree_vector_halving_rank(halving, other);
        low = (mtree_block_t){window.offset, window.count / 2};
        high = (mtree_block_t){window.offset + low.count, window.count - low.count};
        halving->kept[s] = halving->new_rank < other ? low : high;
        halving->given[s] = halving->new_rank < other ? high : low;
        window = halving->kept[s];
        mtree_program_swap_and_fold(program, peer, halving->given[s], MTREE_BUFFER_WORK,
                                    window);
    }
    halving->num_steps = s;
}
