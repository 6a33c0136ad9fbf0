/* SPDX-License-Identifier: BSD-3-Clause */
#include "schedule/layout_private.h"

#include "base/memory.h"
#include "schedule/chunks.h"

#include <math.h>
#include <stdlib.h>

/*
 * Seconds by which a tree may be ahead of the last one.  Trees wait for each other at
 * links that they share.  A tree that runs ahead on an idle link takes capacity from the
 * others at later links (notes/performance.md).
 */
#define MAX_LEAD 0.15

/* Units by which rounding may make the part of a shorter block longer than that of the
 * longest one. */
#define PART_SPARE 2

/*
 * Streams of two batches: so many run at a time, and have tags.  With fewer ones of an
 * all-to-all each rank can use all trees of its host; from so many on its ranks share
 * them out.
 */
#define MANY_STREAMS (2 * (size_t)MTREE_BATCH_STREAMS)

/* Bytes of the longest message of a lockstep. */
#define LARGEST_MESSAGE ((size_t)1 << 30)

/* Blocks that an edge below the root of a personalized tree carries at most, the same on
 * all ranks; 1 for other trees. */
static size_t builder_widest(const mtree_layout_builder_t *builder,
                             const mtree_part_tree_t *tree)
{
    size_t others = (size_t)builder->placement->num_ranks - 1;
    size_t widest = (size_t)(tree->widest > 0 ? tree->widest : 1) * builder->most_ranks;

    if (!builder->personalized || others == 0) {
        return 1;
    }
    return widest < others ? widest : others;
}

/* The bits/s of a personalized stream over the widest edge at its root. */
static double builder_widest_rate(const mtree_layout_builder_t *builder,
                                  const mtree_part_tree_t *tree, double load)
{
    return tree->rate * load * (double)builder_widest(builder, tree) /
           builder->placement->num_ranks;
}

/* Chunks that a receiver has memory for, the same on all ranks. */
static size_t builder_window(const mtree_layout_builder_t *builder,
                             const mtree_part_tree_t *tree, size_t length, size_t chunk)
{
    double rate = builder_widest_rate(builder, tree, builder->load);
    double part = 1.0 / (double)builder->num_running;
    size_t most, window;

    /* A lockstep ends when all of it has been sent, so its receiver never grants credit.
     */
    if (builder->stepped) {
        return length / chunk + 1;
    }
    if (!builder->personalized) {
        return mtree_chunk_slots(builder->call, tree->rate, tree->latency, chunk);
    }
    if (builder->outstanding > 0) {
        part = mtree_chunk_outstanding(builder->call, rate, tree->latency) /
               builder->outstanding;
    }
    chunk *= builder_widest(builder, tree);
    most = (size_t)(part * MTREE_LAYOUT_FORWARD_BYTES /
                    ((double)chunk * (double)builder->call->unit_bytes));
    window = mtree_chunk_slots(builder->call, rate, tree->latency, chunk);
    return window < most ? window : most < 2 ? 2 : most;
}

void mtree_layout_add_stream(mtree_layout_builder_t *builder, int number, int root_host,
                             int root_rank, size_t offset, size_t length, size_t chunk)
{
    const mtree_part_tree_t *tree = &builder->part->trees[number];
    mtree_collective_t collective = builder->call->collective;
    mtree_layout_t *layout = builder->layout;
    mtree_stream_t *stream = &layout->streams[layout->num_streams];
    double bytes = (double)length * (double)builder->call->unit_bytes;

    stream->offset = offset;
    stream->length = length;
    stream->chunk = stream->stride = chunk;
    stream->window = builder_window(builder, tree, length, chunk);
    if (tree->rate > 0) {
        builder->seconds = fmax(
            builder->seconds,
            8.0 * bytes * (builder->personalized ? builder->placement->num_ranks : 1) /
                (tree->rate * builder->load));
    }
    stream->number = layout->num_streams;
    stream->below = builder->below == NULL ? NULL : &builder->below[stream->number];
    stream->tree = number;
    layout->num_streams++;
    if (mtree_collective_is_prefix(collective)) {
        mtree_layout_link_prefix(builder, stream, number, root_rank);
        return;
    }
    if (mtree_plan_part_is_outside(builder->part, tree)) {
        stream->length = 0;
    }
    stream->up = mtree_collective_goes_up(collective);
    stream->down = mtree_collective_goes_down(collective);
    stream->block = mtree_collective_has_blocks(collective) ? root_rank : -1;
    mtree_layout_link(builder, stream, number, root_host, root_rank);
}

/* Units of a chunk, where it is personalized of each block: what the user asks for, else
 * what the plan says. */
size_t mtree_layout_chunk(mtree_layout_builder_t *builder, const mtree_part_tree_t *tree,
                          size_t length, size_t longest)
{
    size_t widest = builder_widest(builder, tree);
    size_t unit = builder->call->unit_bytes * widest;
    size_t bytes = builder->call->chunk_bytes;
    size_t chunk;

    /* Nothing is forwarded before the lockstep has ended. */
    if (builder->stepped) {
        bytes = length * unit < LARGEST_MESSAGE ? length * unit : LARGEST_MESSAGE;
    }

    if (bytes == 0) {
        bytes = tree->chunk_bytes > 0
                    ? tree->chunk_bytes
                    : mtree_chunk_default(length * unit, longest * unit);
    }
    chunk = mtree_chunk_units(builder->call, bytes) / widest;
    chunk = chunk == 0 ? 1 : chunk;
    if (chunk * unit > builder->largest_chunk) {
        builder->largest_chunk = chunk * unit;
    }
    return chunk;
}

/* Cut units [offset, offset + units), where it is personalized of each block, into the
 * shares of the trees that serve rank @a source (-1: all trees, each with its own root)
 * and add a stream for each. */
static void builder_add_part(mtree_layout_builder_t *builder, int source, size_t offset,
                             size_t units)
{
    mtree_layout_parts_t parts = mtree_layout_parts(builder, source);
    double largest = 0;
    size_t longest;

    while (mtree_layout_parts_next(&parts)) {
        largest = fmax(largest, parts.share);
    }
    longest = (size_t)(largest * (double)units) + 1;
    parts = mtree_layout_parts(builder, source);
    while (mtree_layout_parts_next(&parts)) {
        const mtree_part_tree_t *tree = &builder->part->trees[parts.tree];
        size_t from = (size_t)(parts.begin * (double)units + 0.5), chunk;
        size_t to =
            parts.end > 1 - 1e-9 ? units : (size_t)(parts.end * (double)units + 0.5);

        to = to > units ? units : to;
        from = from > to ? to : from;
        to += builder->personalized ? PART_SPARE : 0;
        builder->load = parts.load;
        chunk = mtree_layout_chunk(builder, tree, to - from, longest);
        if (builder->personalized) {
            builder->below[builder->layout->num_streams] =
                (mtree_below_t){.begin = parts.begin,
                                .end = parts.end,
                                .longest = chunk * builder_widest(builder, tree),
                                .root = source,
                                .headed = builder->call->unequal};
        }
        mtree_layout_add_stream(builder, parts.tree,
                                source < 0 ? tree->root
                                           : builder->placement->host[source],
                                source, offset + from, to - from, chunk);
    }
}

static mtree_status_t builder_check(const mtree_layout_builder_t *builder)
{
    const mtree_plan_part_t *part = builder->part;
    const mtree_call_t *call = builder->call;

    if (part->num_hosts != builder->placement->num_hosts ||
        part->num_relays != builder->placement->num_relays ||
        part->host != builder->placement->host[builder->rank]) {
        return MTREE_ERR_INVALID;
    }
    if (part->num_relays > 0 && mtree_collective_has_demands(call->collective)) {
        return MTREE_ERR_UNSUPPORTED;
    }
    if (part->collective == MTREE_ALLREDUCE &&
        !mtree_collective_has_demands(call->collective)) {
        return MTREE_OK;
    }
    if (part->collective != call->collective ||
        (mtree_collective_has_demands(call->collective) && part->num_steps > 0)) {
        return MTREE_ERR_UNSUPPORTED;
    }
    if (mtree_collective_has_root(call->collective) &&
        part->root != builder->placement->host[call->root]) {
        return MTREE_ERR_UNSUPPORTED;
    }
    return MTREE_OK;
}

static size_t builder_num_streams(const mtree_layout_builder_t *builder)
{
    size_t streams = 0;

    if (!mtree_collective_has_blocks(builder->call->collective)) {
        return (size_t)builder->part->num_trees;
    }
    if (mtree_collective_is_prefix(builder->call->collective)) {
        return mtree_layout_prefix_streams(builder);
    }
    for (int rank = 0; rank < builder->placement->num_ranks; rank++) {
        mtree_layout_parts_t parts = mtree_layout_parts(builder, rank);

        while (mtree_layout_parts_next(&parts)) {
            streams++;
        }
    }
    return streams;
}

/* Do all ranks know that all blocks are of one length? */
static bool builder_is_alike(const mtree_layout_builder_t *builder)
{
    const size_t *blocks = builder->call->blocks;
    int ranks = builder->placement->num_ranks;

    for (int r = 1; blocks != NULL && r < ranks; r++) {
        if (blocks[r + 1] - blocks[r] != blocks[1] - blocks[0]) {
            return false;
        }
    }
    return !builder->call->unequal;
}

/* Do the ranks of a host share out its trees?  They have the same to send, so that each
 * tree carries its share. */
static bool builder_is_sectioned(const mtree_layout_builder_t *builder)
{
    return builder->call->collective == MTREE_ALLTOALL && builder->blocks_alike &&
           mtree_placement_most_ranks(builder->placement) > 1 &&
           builder_num_streams(builder) > MANY_STREAMS;
}

/* Units of the blocks, where all ranks know them; the longest is at least an estimate. */
static void builder_find_blocks(mtree_layout_builder_t *builder)
{
    const mtree_call_t *call = builder->call;
    size_t ranks = (size_t)builder->placement->num_ranks;
    size_t *units;

    builder->longest_block = call->units / ranks;
    if (call->unequal) {
        return;
    }
    units = MTREE_ARENA_ARRAY(&builder->layout->arena, builder->layout->blocks, ranks);
    builder->layout->blocks_alike = builder->blocks_alike;
    for (size_t r = 0; r < ranks; r++) {
        units[r] = call->blocks == NULL ? call->units / ranks
                                        : call->blocks[r + 1] - call->blocks[r];
        if (units[r] > builder->longest_block) {
            builder->longest_block = units[r];
        }
    }
}

/* What all streams have outstanding.  The ranks of a host together use its trees as much
 * as if each used all of them, whether the call is sectioned or not. */
static double builder_outstanding(const mtree_layout_builder_t *builder)
{
    const bool has_blocks = mtree_collective_has_blocks(builder->call->collective);
    const int *first = builder->placement->first;
    double sum = 0;

    for (int t = 0; t < builder->part->num_trees; t++) {
        const mtree_part_tree_t *tree = &builder->part->trees[t];
        const int ranks = has_blocks ? first[tree->root + 1] - first[tree->root] : 1;

        sum += ranks * mtree_chunk_outstanding(builder->call,
                                               builder_widest_rate(builder, tree, 1),
                                               tree->latency);
    }
    return sum;
}

/* Before the streams of a personalized call are added. */
static void builder_prepare_blocks(mtree_layout_builder_t *builder)
{
    size_t streams = builder_num_streams(builder);
    bool is_batched = streams >= MANY_STREAMS;

    builder->most_ranks = (size_t)mtree_placement_most_ranks(builder->placement);
    builder->num_running = is_batched ? MANY_STREAMS : streams + 1;
    builder->outstanding = is_batched ? 0 : builder_outstanding(builder);
    MTREE_ARENA_ARRAY(&builder->layout->arena, builder->below, streams);
    builder_find_blocks(builder);
}

static void builder_add_parts(mtree_layout_builder_t *builder)
{
    const mtree_call_t *call = builder->call;
    const size_t ranks = (size_t)builder->placement->num_ranks;
    size_t units = call->units;

    if (mtree_collective_is_prefix(call->collective)) {
        mtree_layout_add_prefix(builder);
        return;
    }
    if (builder->personalized) {
        builder_prepare_blocks(builder);
        units = builder->longest_block;
    }
    if (!mtree_collective_has_blocks(call->collective)) {
        bool has_root = mtree_collective_has_root(call->collective);

        builder_add_part(builder, has_root ? call->root : -1, 0, units);
        return;
    }
    for (size_t r = 0; r < ranks; r++) {
        size_t from = call->blocks != NULL ? call->blocks[r] : call->units / ranks * r;
        size_t to =
            call->blocks != NULL ? call->blocks[r + 1] : call->units / ranks * (r + 1);

        if (builder->personalized) {
            from = 0;
            to = units;
        }
        builder_add_part(builder, (int)r, from, to - from);
    }
}

static void builder_run(mtree_layout_builder_t *builder)
{
    mtree_layout_t *layout = builder->layout;
    const mtree_call_t *call = builder->call;

    for (int r = 0; r < builder->num_all; r++) {
        builder->rates[r] = -1;
    }
    /* All streams of a lockstep run at a time, so it has no more than have tags. */
    layout->num_steps = builder->part->collective == call->collective &&
                                builder_num_streams(builder) <= MANY_STREAMS
                            ? builder->part->num_steps
                            : 0;
    builder->stepped = layout->num_steps > 0;
    builder_add_parts(builder);
    mtree_layout_fill_peers(builder);
    /* In a direct exchange no later link waits for a stream.  In a scan the last one may
     * be so because what it carries has not come yet. */
    layout->max_lead = builder->stepped || builder->seconds == 0 ||
                               mtree_layout_is_direct(builder) ||
                               mtree_collective_is_prefix(call->collective)
                           ? INFINITY
                           : MAX_LEAD / builder->seconds;
    layout->is_relay = builder->rank >= builder->placement->num_ranks;
    layout->batch = builder->stepped ? layout->num_streams : MTREE_BATCH_STREAMS;
    layout->paced = call->units * call->unit_bytes > MTREE_LAYOUT_UNPACED_BYTES;
}

static void builder_alloc(mtree_layout_builder_t *builder)
{
    size_t all = (size_t)builder->num_all;
    mtree_layout_t *layout = builder->layout;

    MTREE_ARENA_ARRAY(&builder->scratch, builder->ranks, 6 * all);
    MTREE_ARENA_ARRAY(&builder->scratch, builder->rates, 3 * all);
    MTREE_ARENA_ARRAY(&layout->arena, layout->streams, builder_num_streams(builder));
    builder->children = builder->ranks + 2 * all;
    builder->steps = builder->children + 2 * all;
    builder->trips = builder->rates + all;
    builder->sent = builder->trips + all;
}

static mtree_status_t fill_trees(const mtree_plan_part_t *part,
                                 const mtree_placement_t *placement,
                                 const mtree_call_t *call, int rank,
                                 mtree_layout_t *layout)
{
    mtree_layout_builder_t builder = {.part = part,
                                      .placement = placement,
                                      .call = call,
                                      .rank = rank,
                                      .num_all =
                                          placement->num_ranks + placement->num_relays,
                                      .layout = layout,
                                      .load = 1};
    const mtree_status_t status = builder_check(&builder);

    if (status != MTREE_OK) {
        return status;
    }
    builder.personalized = mtree_collective_is_personalized(call->collective);
    builder.blocks_alike = builder_is_alike(&builder);
    builder.sectioned = builder_is_sectioned(&builder);
    builder_alloc(&builder);
    builder_run(&builder);
    mtree_arena_cleanup(&builder.scratch);
    return MTREE_OK;
}

mtree_status_t mtree_layout_create(const mtree_plan_part_t *part,
                                   const mtree_placement_t *placement,
                                   const mtree_call_t *call, int rank,
                                   mtree_layout_t **layout_p)
{
    mtree_status_t status = mtree_collective_check(call->collective);
    mtree_layout_t *layout;

    if (status != MTREE_OK) {
        return status;
    }
    layout = mtree_calloc(1, sizeof(*layout));
    status = part->order != NULL
                 ? mtree_layout_fill_program(part, placement, call, rank, layout)
                 : fill_trees(part, placement, call, rank, layout);
    if (status != MTREE_OK) {
        mtree_layout_destroy(layout);
        return status;
    }
    *layout_p = layout;
    return MTREE_OK;
}

void mtree_layout_destroy(mtree_layout_t *layout)
{
    if (layout != NULL) {
        if (layout->program != NULL) {
            mtree_program_clear(layout->program);
        }
        mtree_arena_cleanup(&layout->arena);
        free(layout);
    }
}
