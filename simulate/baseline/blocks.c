/* SPDX-License-Identifier: BSD-3-Clause */
#include "simulate/baseline/blocks.h"

mtree_block_t mtree_block(size_t count, size_t parts, size_t index)
{
    const size_t longer = count % parts; /* blocks with one element more */
    const size_t base = count / parts;

    return (mtree_block_t){index * base + (index < longer ? index : longer),
                           base + (index < longer ? 1 : 0)};
}

mtree_block_t mtree_even_blocks(const mtree_baseline_call_t *call, int first, int num)
{
    const size_t length = call->count / (size_t)call->num_ranks;

    return (mtree_block_t){(size_t)first * length, (size_t)num * length};
}

mtree_block_t mtree_block_segment(mtree_block_t block, size_t length, size_t index)
{
    const size_t start = index * length;
    const size_t left = start < block.count ? block.count - start : 0;

    return (mtree_block_t){block.offset + start, left < length ? left : length};
}

int mtree_power_of_two(int n)
{
    int power = 1;

    while (power <= n / 2) {
        power *= 2;
    }
    return power;
}

void mtree_add_input(const mtree_baseline_call_t *call)
{
    mtree_program_copy(call->program, mtree_result(0), mtree_place(MTREE_BUFFER_INPUT, 0),
                       call->count);
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

void mtree_add_swap(const mtree_baseline_call_t *call, int peer, mtree_block_t sent,
                    mtree_block_t received)
{
    mtree_add_exchange(call, peer, sent, peer, received);
}

void mtree_add_swap_and_fold(const mtree_baseline_call_t *call, int peer,
                             mtree_block_t sent, mtree_block_t summed)
{
    const mtree_place_t inbox = mtree_place(MTREE_BUFFER_INBOX, summed.offset);

    exchange(call, peer, sent, peer, inbox, summed.count);
    mtree_program_fold(call->program, mtree_result(summed.offset), inbox, summed.count);
}

void mtree_build_ring_gather(const mtree_baseline_call_t *call, int first,
                             mtree_block_func_t block)
{
    for (int k = 0; k < call->num_ranks - 1; k++) {
        mtree_add_exchange(call, mtree_around(call, call->rank + 1),
                           block(call, mtree_around(call, first - k)),
                           mtree_around(call, call->rank - 1),
                           block(call, mtree_around(call, first - k - 1)));
    }
}
