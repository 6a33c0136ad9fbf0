/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/export/msccl_program.h"

#include "base/array.h"
#include "tools/export/msccl_transfers.h"

#include <stdlib.h>

/* What a GPU has of a piece. */
typedef struct {
    msccl_place_t place;
    int block, step; /* the step that put it there; -1: it is the input */
} holding_t;

typedef struct {
    const mtree_plan_t *plan;
    int chunks;
    msccl_transfers_t order;
    holding_t *holdings; /* [pieces x hosts] */
} maker_t;

const char *msccl_program_obstacle(mtree_collective_t collective)
{
    if (mtree_collective_has_root(collective)) {
        return "an algorithm of MSCCL serves calls of any root";
    }
    if (mtree_collective_is_personalized(collective) ||
        mtree_collective_is_prefix(collective)) {
        return "its trees carry something else on each edge, which is not exported";
    }
    return NULL;
}

/* The place of a piece in a buffer that has a block per rank, or in one that has not. */
static msccl_place_t place_of(const maker_t *maker, int piece, char buffer)
{
    const mtree_collective_t collective = maker->plan->collective;
    const bool has_blocks = mtree_collective_has_blocks(collective);
    const char own = mtree_collective_goes_up(collective) ? 'o' : 'i';
    const int block = has_blocks && buffer != own
                          ? maker->plan->trees[maker->order.pieces[piece].tree].root
                          : 0;

    return (msccl_place_t){buffer,
                           block * maker->chunks + maker->order.pieces[piece].first};
}

/* Everything that GPUs begin with is input. */
static mtree_status_t make_holdings(maker_t *maker)
{
    const size_t num_hosts = (size_t)maker->plan->num_hosts,
                 count = (size_t)maker->order.num_pieces * num_hosts;

    free(maker->holdings);
    maker->holdings = calloc(count + 1, sizeof(*maker->holdings));
    if (maker->holdings == NULL) {
        return MTREE_ERR_NO_MEMORY;
    }
    for (size_t i = 0; i < count; i++) {
        maker->holdings[i] =
            (holding_t){place_of(maker, (int)(i / num_hosts), 'i'), -1, -1};
    }
    return MTREE_OK;
}

/* The thread block of @a gpu for what goes to @a send, or comes from @a recv; added when
 * there is none yet. */
static mtree_status_t find_block(msccl_gpu_t *gpu, int send, int recv, int channel,
                                 int *block_p)
{
    mtree_status_t status;

    for (int i = 0; i < gpu->num_blocks; i++) {
        const msccl_block_t *block = &gpu->blocks[i];

        if (block->send == send && block->recv == recv && block->channel == channel) {
            *block_p = i;
            return MTREE_OK;
        }
    }
    status = mtree_array_reserve(&gpu->blocks, &gpu->block_room, gpu->num_blocks + 1,
                                 sizeof(*gpu->blocks));
    if (status == MTREE_OK) {
        gpu->blocks[gpu->num_blocks] =
            (msccl_block_t){.send = send, .recv = recv, .channel = channel};
        *block_p = gpu->num_blocks++;
    }
    return status;
}

/* Append a step to thread block number @a number; it waits for what @a holding needs. */
static mtree_status_t add_step(msccl_gpu_t *gpu, int number, msccl_step_t step,
                               const holding_t *holding)
{
    msccl_block_t *block = &gpu->blocks[number];
    mtree_status_t status = mtree_array_reserve(
        &block->steps, &block->step_room, block->num_steps + 1, sizeof(*block->steps));

    if (status != MTREE_OK) {
        return status;
    }
    step.wait_block = step.wait_step = -1;
    if (holding != NULL && holding->block >= 0 && holding->block != number) {
        step.wait_block = holding->block;
        step.wait_step = holding->step;
        gpu->blocks[holding->block].steps[holding->step].is_awaited = true;
    }
    block->steps[block->num_steps++] = step;
    return MTREE_OK;
}

/*
 * Where @a host puts what it receives of a piece.  Its output, but for sums of others'
 * blocks.  Sums that come from several children wait for each other by their holding.
 */
static msccl_place_t target_of(const maker_t *maker, int piece, int host)
{
    const mtree_plan_t *plan = maker->plan;
    const bool passes_on = !mtree_collective_goes_down(plan->collective) &&
                           plan->trees[maker->order.pieces[piece].tree].root != host;

    return place_of(maker, piece, passes_on ? 's' : 'o');
}

/* The two steps of a transfer, on the GPU that sends and on the one that receives. */
static mtree_status_t add_steps(const maker_t *maker, const msccl_transfer_t *transfer,
                                msccl_program_t *program)
{
    const msccl_piece_t *piece = &maker->order.pieces[transfer->piece];
    const int parent = maker->plan->trees[piece->tree].parent[transfer->host];
    const int sender = transfer->up ? transfer->host : parent,
              receiver = transfer->up ? parent : transfer->host;
    const int channel = piece->tree % program->num_channels;
    msccl_gpu_t *to = &program->gpus[receiver], *from = &program->gpus[sender];
    holding_t
        *row = &maker->holdings[(size_t)transfer->piece * (size_t)maker->plan->num_hosts],
        *held = &row[receiver];
    const msccl_place_t target = target_of(maker, transfer->piece, receiver);
    msccl_step_t step = {MSCCL_SEND, row[sender].place, target, piece->count, 0, 0, 0};
    int block;
    mtree_status_t status = find_block(from, receiver, -1, channel, &block);

    if (status == MTREE_OK) {
        status = add_step(from, block, step, &row[sender]);
    }
    if (status == MTREE_OK) {
        status = find_block(to, -1, sender, channel, &block);
    }
    if (status != MTREE_OK) {
        return status;
    }
    step.kind = transfer->up ? MSCCL_RECV_REDUCE : MSCCL_RECV;
    step.source = transfer->up ? held->place : step.source;
    status = add_step(to, block, step, transfer->up ? held : NULL);
    if (status == MTREE_OK) {
        *held = (holding_t){target, block, to->blocks[block].num_steps - 1};
        if (target.buffer == 's' && to->scratch < target.first + piece->count) {
            to->scratch = target.first + piece->count;
        }
    }
    return status;
}

/* What a GPU has as input and wants as output, and nobody sends to it. */
static mtree_status_t add_copies(const maker_t *maker, msccl_program_t *program)
{
    const mtree_plan_t *plan = maker->plan;
    mtree_status_t status = MTREE_OK;

    for (int i = 0; i < maker->order.num_pieces && status == MTREE_OK; i++) {
        const int root = plan->trees[maker->order.pieces[i].tree].root;
        const msccl_step_t step = {MSCCL_COPY,
                                   place_of(maker, i, 'i'),
                                   place_of(maker, i, 'o'),
                                   maker->order.pieces[i].count,
                                   0,
                                   0,
                                   0};
        int block;

        if (mtree_collective_goes_up(plan->collective) && plan->num_hosts > 1) {
            continue; /* the root adds what comes from its children */
        }
        status = find_block(&program->gpus[root], -1, -1, 0, &block);
        if (status == MTREE_OK) {
            status = add_step(&program->gpus[root], block, step, NULL);
        }
    }
    return status;
}

/* Blocks of @a gpu on @a channel that send, or that receive. */
static int count_peers(const msccl_gpu_t *gpu, int channel, bool send)
{
    int count = 0;

    for (int i = 0; i < gpu->num_blocks; i++) {
        const msccl_block_t *block = &gpu->blocks[i];

        count += block->channel == channel && (send ? block->send : block->recv) >= 0;
    }
    return count;
}

static bool keeps_limits(const msccl_program_t *program)
{
    for (int i = 0; i < program->num_gpus; i++) {
        const msccl_gpu_t *gpu = &program->gpus[i];
        int nodes = 1 + program->num_gpus + gpu->num_blocks;

        for (int b = 0; b < gpu->num_blocks; b++) {
            nodes += gpu->blocks[b].num_steps;
            if (gpu->blocks[b].num_steps > MSCCL_MAX_STEPS) {
                return false;
            }
        }
        for (int channel = 0; channel < program->num_channels; channel++) {
            if (count_peers(gpu, channel, true) > MSCCL_MAX_PEERS ||
                count_peers(gpu, channel, false) > MSCCL_MAX_PEERS) {
                return false;
            }
        }
        if (gpu->num_blocks > MSCCL_MAX_BLOCKS || nodes > MSCCL_MAX_NODES) {
            return false;
        }
    }
    return true;
}

/* The program with @a num_channels channels. */
static mtree_status_t fill_program(maker_t *maker, int num_channels,
                                   msccl_program_t *program)
{
    const int num_gpus = maker->plan->num_hosts;
    mtree_status_t status = make_holdings(maker);

    *program = (msccl_program_t){maker->chunks, num_channels, num_gpus,
                                 calloc((size_t)num_gpus, sizeof(*program->gpus))};
    if (program->gpus == NULL) {
        program->num_gpus = 0;
        return MTREE_ERR_NO_MEMORY;
    }
    for (int i = 0; i < maker->order.num_transfers && status == MTREE_OK; i++) {
        status = add_steps(maker, &maker->order.transfers[i], program);
    }
    if (status == MTREE_OK) {
        status = add_copies(maker, program);
    }
    return status == MTREE_OK && !keeps_limits(program) ? MTREE_ERR_LIMIT : status;
}

mtree_status_t msccl_program_make(const mtree_plan_t *plan, int chunks,
                                  msccl_program_t *program)
{
    maker_t maker = {.plan = plan, .chunks = chunks};
    mtree_status_t status = msccl_transfers_make(plan, chunks, &maker.order);

    if (status == MTREE_OK) {
        status = MTREE_ERR_LIMIT;
    }
    for (int channels = 1; channels <= MSCCL_MAX_CHANNELS && status == MTREE_ERR_LIMIT;
         channels++) {
        status = fill_program(&maker, channels, program);
        if (status != MTREE_OK) {
            msccl_program_cleanup(program);
        }
    }
    msccl_transfers_cleanup(&maker.order);
    free(maker.holdings);
    return status;
}

void msccl_program_cleanup(msccl_program_t *program)
{
    for (int i = 0; i < program->num_gpus; i++) {
        for (int b = 0; b < program->gpus[i].num_blocks; b++) {
            free(program->gpus[i].blocks[b].steps);
        }
        free(program->gpus[i].blocks);
    }
    free(program->gpus);
    *program = (msccl_program_t){0};
}
