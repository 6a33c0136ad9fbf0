/* SPDX-License-Identifier: BSD-3-Clause */
#include "simulate/baseline/build.h"

static mtree_place_t result(size_t offset)
{
    return mtree_place(MTREE_BUFFER_RESULT, offset);
}

void mtree_build_allreduce_linear(mtree_program_t *program,
                                  const mtree_baseline_call_t *call)
{
    mtree_baseline_call_t part = *call;

    part.root = 0;
    mtree_build_linear_reduce(program, &part);
    mtree_build_linear_bcast(program, &part);
}

void mtree_build_allreduce_nonoverlapping(mtree_program_t *program,
                                          const mtree_baseline_call_t *call)
{
    mtree_baseline_call_t part = *call;

    part.root = 0;
    mtree_build_default_reduce(program, &part);
    mtree_build_default_bcast(program, &part);
}

/* Ranks beyond a power of two first give their part to the odd neighbour, and get the sum
 * from it. */
void mtree_build_allreduce_doubling(mtree_program_t *program,
                                    const mtree_baseline_call_t *call)
{
    const mtree_place_t work = mtree_place(MTREE_BUFFER_WORK, 0);
    const int power = mtree_power_of_two(call->num_ranks);
    const int excess = call->num_ranks - power;
    const bool paired = call->rank < 2 * excess;
    int mine = paired ? call->rank / 2 : call->rank - excess;
    int distance, other, peer;

    mtree_program_copy(program, result(0), mtree_place(MTREE_BUFFER_INPUT, 0),
                       call->count);
    if (paired && call->rank % 2 == 0) {
        mtree_program_send_now(program, call->rank + 1, result(0), call->count);
        mtree_program_recv_now(program, call->rank + 1, result(0), call->count);
        return;
    }
    if (paired) {
        mtree_program_recv_now(program, call->rank - 1, work, call->count);
        mtree_program_fold(program, result(0), work, call->count);
    }
    for (distance = 1; distance < power; distance *= 2) {
        other = mine ^ distance;
        peer = other < excess ? other * 2 + 1 : other + excess;
        mtree_program_exchange(program, peer, result(0), call->count, peer, work,
                               call->count);
        mtree_program_fold(program, result(0), work, call->count);
    }
    if (paired) {
        mtree_program_send_now(program, call->rank - 1, result(0), call->count);
    }
}

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
            mtree_program_fold(program, result(block.offset), last_inbox, block.count);
        }
        if (k < size) {
            mtree_program_send_now(program, next, result(block.offset), block.count);
        }
        last_request = request;
        last_inbox = inbox;
    }
}

static void ring(mtree_program_t *program, const mtree_baseline_call_t *call,
                 size_t phases)
{
    const int size = call->num_ranks;
    mtree_block_t sent, received;
    size_t phase;
    int k;

    mtree_program_copy(program, result(0), mtree_place(MTREE_BUFFER_INPUT, 0),
                       call->count);
    for (phase = 0; phase < phases; phase++) {
        mtree_build_ring_reduce(program, call, 0, phase, phases);
    }
    for (k = 0; k < size - 1; k++) {
        sent = segment_of_block(call, call->rank + 1 - k, 0, 1);
        received = segment_of_block(call, call->rank - k, 0, 1);
        mtree_program_exchange(program, (call->rank + 1) % size, result(sent.offset),
                               sent.count, (call->rank + size - 1) % size,
                               result(received.offset), received.count);
    }
}

void mtree_build_allreduce_ring(mtree_program_t *program,
                                const mtree_baseline_call_t *call)
{
    if (call->count < (size_t)call->num_ranks) {
        mtree_build_allreduce_doubling(program, call);
    } else {
        ring(program, call, 1);
    }
}

void mtree_build_allreduce_segmented_ring(mtree_program_t *program,
                                          const mtree_baseline_call_t *call)
{
    const size_t size = (size_t)call->num_ranks;
    const size_t turn = size * call->segment; /* elements in a phase */
    size_t phases;

    if (call->segment == 0 || call->count < turn) {
        mtree_build_allreduce_ring(program, call);
        return;
    }
    phases = call->count / turn;
    if (call->count % turn >= size && call->count % turn > turn / 2) {
        phases++;
    }
    ring(program, call, phases);
}

int mtree_vector_halving_rank(const mtree_vector_halving_t *halving, int new_rank)
{
    return new_rank < halving->excess ? 2 * new_rank : new_rank + halving->excess;
}

/* In the pairs beyond the power of two each rank sums one half; the odd one gives its
 * half away. */
static void fold_pairs(mtree_program_t *program, const mtree_baseline_call_t *call)
{
    const size_t left = call->count / 2;
    const size_t right = call->count - left;
    const bool odd = call->rank % 2 != 0;
    const int peer = odd ? call->rank - 1 : call->rank + 1;
    const mtree_place_t inbox = mtree_place(MTREE_BUFFER_WORK, odd ? left : 0);

    if (odd) {
        mtree_program_exchange(program, peer, result(0), left, peer, inbox, right);
        mtree_program_fold(program, result(left), inbox, right);
        mtree_program_send_now(program, peer, result(left), right);
    } else {
        mtree_program_exchange(program, peer, result(left), right, peer, inbox, left);
        mtree_program_fold(program, result(0), inbox, left);
        mtree_program_recv_now(program, peer, result(left), right);
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
    mtree_program_copy(program, result(0), mtree_place(MTREE_BUFFER_INPUT, 0),
                       call->count);
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
        mtree_program_exchange(
            program, peer, result(halving->given[s].offset), halving->given[s].count,
            peer, mtree_place(MTREE_BUFFER_WORK, window.offset), window.count);
        mtree_program_fold(program, result(window.offset),
                           mtree_place(MTREE_BUFFER_WORK, window.offset), window.count);
    }
    halving->num_steps = s;
}

void mtree_build_allreduce_rabenseifner(mtree_program_t *program,
                                        const mtree_baseline_call_t *call)
{
    mtree_vector_halving_t halving;
    int s, peer;

    if (call->count < (size_t)mtree_power_of_two(call->num_ranks)) {
        mtree_build_allreduce_linear(program, call);
        return;
    }
    mtree_build_vector_halving(program, call, &halving);
    for (s = halving.num_steps - 1; s >= 0 && halving.new_rank >= 0; s--) {
        peer = mtree_vector_halving_rank(&halving, halving.new_rank ^ (1 << s));
        mtree_program_exchange(program, peer, result(halving.kept[s].offset),
                               halving.kept[s].count, peer,
                               result(halving.given[s].offset), halving.given[s].count);
    }
    if (call->rank < 2 * halving.excess && call->rank % 2 == 0) {
        mtree_program_send_now(program, call->rank + 1, result(0), call->count);
    } else if (call->rank < 2 * halving.excess) {
        mtree_program_recv_now(program, call->rank - 1, result(0), call->count);
    }
}
