/* SPDX-License-Identifier: BSD-3-Clause */
#include "simulate/baseline/blocks.h"

mtree_block_t mtree_block(size_t count, size_t parts, size_t index)
{
    const size_t longer = count % parts; /* blocks with one element more */
    const size_t base = count / parts;

    return (mtree_block_t){index * base + (index < longer ? index : longer),
                           base + (index < longer ? 1 : 0)};
}

mtree_block_t mtree_blocks(const mtree_baseline_call_t *call, int first, int num)
{
    const size_t ranks = (size_t)call->num_ranks;
    const size_t offset = mtree_block(call->count, ranks, (size_t)first).offset;
    const size_t end = mtree_block(call->count, ranks, (size_t)(first + num)).offset;

    return (mtree_block_t){offset, end - offset};
}

mtree_block_t mtree_block_segment(mtree_block_t block, size_t length, size_t index)
{
    const size_t start = index * length;
    const size_t left = start < block.count ? block.count - start : 0;

    return (mtree_block_t){block.offset + start, left < length ? left : length};
}

void mtree_add_input(const mtree_baseline_call_t *call)
{
    mtree_program_copy(call->program, mtree_result(0), mtree_place(MTREE_BUFFER_INPUT, 0),
                       call->count);
}

void mtree_add_copy(const mtree_baseline_call_t *call, int to, mtree_buffer_t buffer,
                    int index)
{
    const mtree_block_t block = mtree_blocks(call, index, 1);

    mtree_program_copy(call->program, mtree_result(mtree_blocks(call, to, 1).offset),
                       mtree_place(buffer, block.offset), block.count);
}

void mtree_add_rotation(const mtree_baseline_call_t *call, mtree_buffer_t buffer,
                        int places)
{
    const size_t whole = mtree_blocks(call, 0, call->num_ranks).count;
    const size_t shift = mtree_blocks(call, 0, places).count;

    if (buffer == MTREE_BUFFER_RESULT) {
        buffer = MTREE_BUFFER_WORK;
        mtree_program_copy(call->program, mtree_place(buffer, 0), mtree_result(0), whole);
    }
    mtree_program_copy(call->program, mtree_result(shift), mtree_place(buffer, 0),
                       whole - shift);
    mtree_program_copy(call->program, mtree_result(0), mtree_place(buffer, whole - shift),
                       shift);
}

size_t mtree_add_block_send(const mtree_baseline_call_t *call, int peer)
{
    const mtree_block_t block = mtree_blocks(call, peer, 1);

    return mtree_program_send(call->program, peer,
                              mtree_place(MTREE_BUFFER_INPUT, block.offset), block.count);
}

void mtree_add_recv_and_fold(const mtree_baseline_call_t *call, int peer)
{
    const mtree_place_t inbox = mtree_place(MTREE_BUFFER_INBOX, 0);

    mtree_program_recv_now(call->program, peer, inbox, call->count);
    mtree_program_fold(call->program, mtree_result(0), inbox, call->count);
}

void mtree_add_transfer(const mtree_baseline_call_t *call, int from, int to,
                        mtree_block_t block)
{
    if (call->rank == from && from != to) {
        mtree_add_send(call, to, block);
    } else if (call->rank == to && from != to) {
        mtree_add_recv(call, from, block);
    }
}

void mtree_add_send(const mtree_baseline_call_t *call, int peer, mtree_block_t block)
{
    mtree_program_send_now(call->program, peer, mtree_result(block.offset), block.count);
}

void mtree_add_recv(const mtree_baseline_call_t *call, int peer, mtree_block_t block)
{
    mtree_program_recv_now(call->program, peer, mtree_result(block.offset), block.count);
}

/* MPI_Sendrecv; what comes in is received at @a to. */
static void exchange(const mtree_baseline_call_t *call, int send_peer, mtree_block_t sent,
                     int recv_peer, mtree_place_t to, size_t count)
{
    size_t request = mtree_program_recv(call->program, recv_peer, to, count);

    mtree_add_send(call, send_peer, sent);
    mtree_program_wait(call->program, request);
}

void mtree_add_exchange(const mtree_baseline_call_t *call, int send_peer,
                        mtree_block_t sent, int recv_peer, mtree_block_t received)
{
    exchange(call, send_peer, sent, recv_peer, mtree_result(received.offset),
             received.count);
}

void mtree_add_swap_and_fold(const mtree_baseline_call_t *call, int peer,
                             mtree_block_t sent, mtree_block_t summed)
{
    const mtree_place_t inbox = mtree_place(MTREE_BUFFER_INBOX, summed.offset);

    exchange(call, peer, sent, peer, inbox, summed.count);
    mtree_program_fold(call->program, mtree_result(summed.offset), inbox, summed.count);
}

void mtree_build_ring_gather(const mtree_baseline_call_t *call, int first,
                             mtree_blocks_func_t blocks)
{
    for (int k = 0; k < call->num_ranks - 1; k++) {
        mtree_add_exchange(call, mtree_around(call, call->rank + 1),
                           blocks(call, mtree_around(call, first - k), 1),
                           mtree_around(call, call->rank - 1),
                           blocks(call, mtree_around(call, first - k - 1), 1));
    }
}

/*
 * With a number of ranks that is no power of two some position has no partner at distance
 * `mask`, and gets what its half of the tree received from those that had one, by
 * recursive halving.
 */
static void double_rest(const mtree_baseline_call_t *call, mtree_blocks_func_t blocks,
                        int mask)
{
    const int position = mtree_position(call), mine = position / mask * mask;
    const int whole = call->num_ranks - mine - mask; /* partners that there are */
    const mtree_block_t block = blocks(call, mine + mask, mask);

    for (int distance = mask / 2; distance > 0; distance /= 2) {
        const int lower = position & ~distance, upper = position | distance;
        const int end = position / (2 * distance) * (2 * distance) + whole;

        if (lower < end && upper >= end) {
            mtree_add_transfer(call, mtree_around(call, lower + call->root),
                               mtree_around(call, upper + call->root), block);
        }
    }
}

void mtree_build_doubling_gather(const mtree_baseline_call_t *call,
                                 mtree_blocks_func_t blocks)
{
    const int size = call->num_ranks, position = mtree_position(call);

    for (int mask = 1; mask < size; mask *= 2) {
        const int mine = position / mask * mask, theirs = mine ^ mask;

        if ((position ^ mask) < size) {
            mtree_add_exchange(call, mtree_around(call, (position ^ mask) + call->root),
                               blocks(call, mine, mask),
                               mtree_around(call, (position ^ mask) + call->root),
                               blocks(call, theirs, mask));
        }
        if (theirs + mask > size) {
            double_rest(call, blocks, mask);
        }
    }
}

/* Of @a blocks those of the positions in the subtree of @a rank. */
static mtree_block_t subtree(const mtree_baseline_call_t *call, int rank,
                             mtree_blocks_func_t blocks)
{
    const int position = mtree_around(call, rank - call->root);
    const int rest = call->num_ranks - position, lowest = position & -position;

    return blocks(call, position, lowest > 0 && lowest < rest ? lowest : rest);
}

void mtree_build_binomial(const mtree_baseline_call_t *call, mtree_blocks_func_t blocks,
                          bool up)
{
    const mtree_rank_tree_t tree = mtree_rank_tree(call, mtree_tree_in_order_binomial);
    const mtree_block_t mine = subtree(call, call->rank, blocks);

    if (!up && tree.parent >= 0) {
        mtree_add_recv(call, tree.parent, mine);
    }
    for (int i = 0; i < tree.num_children; i++) {
        const int child = tree.children[up ? i : tree.num_children - 1 - i];

        mtree_add_transfer(call, up ? child : call->rank, up ? call->rank : child,
                           subtree(call, child, blocks));
    }
    if (up && tree.parent >= 0) {
        mtree_add_send(call, tree.parent, mine);
    }
}

void mtree_add_to_sitting(const mtree_baseline_call_t *call,
                          const mtree_members_t *members, mtree_block_t block)
{
    const int even = call->rank - call->rank % 2;

    if (call->rank < 2 * members->excess) {
        mtree_add_transfer(call, even + members->odd, even + 1 - members->odd, block);
    }
}

mtree_members_t mtree_build_pairs(const mtree_baseline_call_t *call)
{
    const mtree_members_t members = mtree_members_find(call->num_ranks, call->rank, 1);

    mtree_add_input(call);
    if (members.mine < 0) {
        mtree_add_send(call, call->rank + 1, mtree_vector(call));
    } else if (members.mine < members.excess) {
        mtree_add_recv_and_fold(call, call->rank - 1);
    }
    return members;
}

/* Segment @a phase of the block that is counted as @a block around the ring. */
static mtree_block_t segment_of_block(const mtree_baseline_call_t *call, int block,
                                      size_t phase, size_t phases)
{
    const mtree_block_t whole = mtree_blocks(call, mtree_around(call, block), 1);
    mtree_block_t inside = mtree_block(whole.count, phases, phase);

    inside.offset += whole.offset;
    return inside;
}

void mtree_build_ring_reduce(const mtree_baseline_call_t *call, int shift, size_t phase,
                             size_t phases)
{
    const int size = call->num_ranks, first = call->rank - shift;
    const size_t room = segment_of_block(call, 0, 0, phases).count;
    const mtree_place_t inbox[2] = {mtree_place(MTREE_BUFFER_INBOX, 0),
                                    mtree_place(MTREE_BUFFER_INBOX, room)};
    size_t request[2] = {0};
    mtree_block_t block = segment_of_block(call, first, phase, phases);

    for (int k = 1; k <= size; k++) {
        const mtree_block_t next = segment_of_block(call, first - k, phase, phases);

        request[k % 2] =
            mtree_program_recv(call->program, mtree_around(call, call->rank - 1),
                               inbox[k % 2], k < size ? next.count : 0);
        if (k > 1) {
            mtree_program_wait(call->program, request[(k - 1) % 2]);
            mtree_program_fold(call->program, mtree_result(block.offset),
                               inbox[(k - 1) % 2], block.count);
        }
        if (k < size) {
            mtree_add_send(call, mtree_around(call, call->rank + 1), block);
        }
        block = next;
    }
}

/* In the pairs beyond the power of two each rank sums one half; the odd one gives its
 * half away. */
static void fold_halves(const mtree_baseline_call_t *call)
{
    const mtree_block_t left = {0, call->count / 2};
    const mtree_block_t right = {left.count, call->count - left.count};

    if (call->rank % 2 != 0) {
        mtree_add_swap_and_fold(call, call->rank - 1, left, right);
        mtree_add_send(call, call->rank - 1, right);
    } else {
        mtree_add_swap_and_fold(call, call->rank + 1, right, left);
        mtree_add_recv(call, call->rank + 1, right);
    }
}

void mtree_build_halving(const mtree_baseline_call_t *call,
                         const mtree_members_t *members, mtree_window_func_t window,
                         bool doubles)
{
    int mask = doubles ? 1 : members->power / 2;

    while (members->mine >= 0 && mask > 0 && mask < members->power) {
        const int other = members->mine ^ mask;

        mtree_add_swap_and_fold(call, mtree_member_rank(members, other),
                                window(call, members, other, mask),
                                window(call, members, members->mine, mask));
        mask = doubles ? mask * 2 : mask / 2;
    }
}

mtree_block_t mtree_vector_window(const mtree_baseline_call_t *call,
                                  const mtree_members_t *members, int member, int mask)
{
    mtree_block_t window = mtree_vector(call);

    (void)members;
    for (int bit = 1; bit <= mask; bit *= 2) {
        const size_t low = window.count / 2;

        window = (member & bit) == 0
                     ? (mtree_block_t){window.offset, low}
                     : (mtree_block_t){window.offset + low, window.count - low};
    }
    return window;
}

mtree_members_t mtree_build_vector_halving(const mtree_baseline_call_t *call)
{
    const mtree_members_t members = mtree_members_find(call->num_ranks, call->rank, 0);

    mtree_add_input(call);
    if (call->rank < 2 * members.excess) {
        fold_halves(call);
    }
    mtree_build_halving(call, &members, mtree_vector_window, true);
    return members;
}
