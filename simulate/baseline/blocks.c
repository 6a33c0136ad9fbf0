/* SPDX-License-Identifier: BSD-3-Clause */
#include "simulate/baseline/blocks.h"

mtree_block_t mtree_block(size_t count, size_t parts, size_t index)
{
    const size_t longer = count % parts; /* blocks with one element more */
    const size_t base = count / parts;

    return (mtree_block_t){index * base + (index < longer ? index : longer),
                           base + (index < longer ? 1 : 0)};
}

mtree_block_t mtree_blocks(size_t count, size_t parts, size_t first, size_t last)
{
    const size_t start = mtree_block(count, parts, first).offset;

    return (mtree_block_t){start, mtree_block(count, parts, last).offset - start};
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

void mtree_program_begin(mtree_program_t *program, size_t count)
{
    mtree_program_copy(program, mtree_result(0), mtree_place(MTREE_BUFFER_INPUT, 0),
                       count);
}

void mtree_program_send_block(mtree_program_t *program, int peer, mtree_block_t block)
{
    mtree_program_send_now(program, peer, mtree_result(block.offset), block.count);
}

void mtree_program_recv_block(mtree_program_t *program, int peer, mtree_block_t block)
{
    mtree_program_recv_now(program, peer, mtree_result(block.offset), block.count);
}

void mtree_program_exchange_blocks(mtree_program_t *program, int send_peer,
                                   mtree_block_t sent, int recv_peer,
                                   mtree_block_t received)
{
    mtree_program_exchange(program, send_peer, mtree_result(sent.offset), sent.count,
                           recv_peer, mtree_result(received.offset), received.count);
}

void mtree_program_swap_and_fold(mtree_program_t *program, int peer, mtree_block_t sent,
                                 mtree_buffer_t buffer, mtree_block_t summed)
{
    const mtree_place_t inbox = mtree_place(buffer, summed.offset);

    mtree_program_exchange(program, peer, mtree_result(sent.offset), sent.count, peer,
                           inbox, summed.count);
    mtree_program_fold(program, mtree_result(summed.offset), inbox, summed.count);
}
