/* SPDX-License-Identifier: BSD-3-Clause */
#include "schedule/layout.h"

#include "base/array.h"
#include "schedule/chunks.h"
#include "schedule/lanes.h"

#include <math.h>
#include <stdlib.h>

/*
 * Seconds by which a tree may be ahead of the last one.  Trees wait for each other at
 * links that they share.  A tree that runs ahead on an idle link takes capacity from the
 * others at later links (docs/performance.md).
 */
#define MAX_LEAD 0.15

/* Bytes of the longest message of a lockstep. */
#define LARGEST_MESSAGE ((size_t)1 << 30)

/* A layout while it is made. */
typedef struct {
    const mtree_plan_part_t *part;
    const mtree_placement_t *placement;
    const mtree_call_t *call;
    int rank;
    mtree_layout_t *layout;
    int num_children, children_room, steps_room; /* of all streams so far */
    double *rates;        /* [num_ranks] bits/s planned to and from each rank; -1: not a
                             neighbour */
    double *trips;        /* [num_ranks] seconds to each rank and back */
    bool stepped;         /* the plan's lockstep steps fit the call */
    double seconds;       /* of the longest stream at its rate */
    size_t largest_chunk; /* bytes */
    mtree_status_t status;
} builder_t;

static void builder_add_peer(builder_t *builder, int rank, double rate, double latency)
{
    double trip = 2 * latency;

    if (builder->rates[rank] < 0) {
        builder->rates[rank] = 0;
        builder->layout->num_peers++;
    }
    builder->rates[rank] += rate;
    builder->trips[rank] = fmax(builder->trips[rank], trip);
}

/* Make room for @a more children. */
static void builder_reserve(builder_t *builder, int more)
{
    int count = builder->num_children + more;

    if (builder->status == MTREE_OK) {
        builder->status = mtree_array_reserve(
            &builder->layout->children_room, &builder->children_room, count, sizeof(int));
    }
    if (builder->status == MTREE_OK && builder->stepped) {
        builder->status = mtree_array_reserve(&builder->layout->steps_room,
                                              &builder->steps_room, count, sizeof(int));
    }
}

/* This rank is a leader in tree number @a number: its parent and its children on other
 * hosts, after those on its own. */
static void builder_link_hosts(builder_t *builder, mtree_stream_t *stream, int number,
                               int root_host, int root_rank)
{
    const mtree_placement_t *placement = builder->placement;
    const mtree_part_tree_t *tree = &builder->part->trees[number];
    int *children = builder->layout->children_room + builder->num_children;
    int above = mtree_plan_part_towards(builder->part, number, root_host);

    for (int e = 0; e < tree->num_edges; e++) {
        const mtree_part_edge_t *edge = &tree->edges[e];
        int step = builder->stepped ? edge->step : 0;
        int peer = mtree_placement_leader(placement, edge->host, number);

        if (e == above) {
            peer = root_rank >= 0 && edge->host == root_host ? root_rank : peer;
            stream->parent = peer;
            stream->parent_step = step;
        } else {
            if (builder->stepped) {
                builder->layout
                    ->steps_room[builder->num_children + stream->num_children] = step;
            }
            children[stream->num_children++] = peer;
        }
        builder_add_peer(builder, peer, tree->rate, edge->latency);
    }
}

/* This rank's neighbours in tree number @a number, rooted in @a root_host. */
static void builder_link(builder_t *builder, mtree_stream_t *stream, int number,
                         int root_host, int root_rank)
{
    const mtree_placement_t *placement = builder->placement;
    int host = placement->host[builder->rank];
    int leader = root_rank >= 0 && host == root_host
                     ? root_rank
                     : mtree_placement_leader(placement, host, number);
    int *children;

    builder_reserve(builder, builder->part->trees[number].num_edges +
                                 placement->first[host + 1] - placement->first[host]);
    if (builder->status != MTREE_OK) {
        return;
    }
    children = builder->layout->children_room + builder->num_children;
    mtree_placement_hang(placement, builder->rank, leader, number, &stream->parent,
                         children, &stream->num_children);
    for (int i = 0; i < stream->num_children; i++) {
        builder_add_peer(builder, children[i], 0, 0);
        if (builder->stepped) {
            builder->layout->steps_room[builder->num_children + i] = 0;
        }
    }
    if (builder->rank == leader) {
        builder_link_hosts(builder, stream, number, root_host, root_rank);
    } else {
        builder_add_peer(builder, stream->parent, 0, 0);
    }
    builder->num_children += stream->num_children;
}

/* Add tree number @a number, rooted in @a root_host, carrying @a length units from @a
 * offset on. */
static void builder_add_stream(builder_t *builder, int number, int root_host,
                               int root_rank, size_t offset, size_t length, size_t chunk)
{
    const mtree_part_tree_t *tree = &builder->part->trees[number];
    mtree_collective_t collective = builder->call->collective;
    mtree_layout_t *layout = builder->layout;
    mtree_stream_t *stream = &layout->streams[layout->num_streams];

    stream->offset = offset;
    stream->length = length;
    stream->chunk = chunk;
    /* A lockstep ends when all of it has been sent, so its receiver never grants credit.
     */
    stream->window = builder->stepped ? length / chunk + 1
                                      : mtree_chunk_slots(builder->call, tree->rate,
                                                          tree->latency, chunk);
    if (tree->rate > 0) {
        builder->seconds =
            fmax(builder->seconds,
                 8.0 * (double)length * (double)builder->call->unit_bytes / tree->rate);
    }
    stream->reduce = mtree_collective_reduces(collective);
    stream->broadcast = mtree_collective_broadcasts(collective);
    stream->number = layout->num_streams;
    stream->tree = number;
    stream->block = mtree_collective_has_blocks(collective) ? root_rank : -1;
    layout->num_streams++;
    builder_link(builder, stream, number, root_host, root_rank);
}

/* Units of a chunk: what the user asks for, else what the plan says. */
static size_t builder_chunk(builder_t *builder, const mtree_part_tree_t *tree,
                            size_t length, size_t longest)
{
    size_t unit = builder->call->unit_bytes;
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
    chunk = mtree_chunk_units(builder->call, bytes);
    if (chunk * unit > builder->largest_chunk) {
        builder->largest_chunk = chunk * unit;
    }
    return chunk;
}

/* Has every rank trees of its own, rooted in its host? */
static bool builder_has_own_trees(const builder_t *builder)
{
    return mtree_collective_has_blocks(builder->part->collective);
}

/* The trees that serve rank @a source (-1: all ranks together): *count_p of them.  NULL:
 * all in order. */
static const int *builder_trees(const builder_t *builder, int source, int *count_p)
{
    const mtree_plan_part_t *part = builder->part;
    int host;

    if (!builder_has_own_trees(builder)) {
        *count_p = part->num_trees;
        return NULL;
    }
    host = builder->placement->host[source];
    *count_p = part->first[host + 1] - part->first[host];
    return part->by_root + part->first[host];
}

/*
 * Cut units [offset, offset + units) into the shares of the trees that serve rank
 * @a source (-1: all trees, each with its own root) and add a stream for each.
 */
static void builder_add_part(builder_t *builder, int source, size_t offset, size_t units)
{
    const mtree_part_tree_t *trees = builder->part->trees;
    double begin = 0, largest = 0;
    int count;
    const int *numbers = builder_trees(builder, source, &count);

    for (int i = 0; i < count; i++) {
        largest = fmax(largest, trees[numbers == NULL ? i : numbers[i]].share);
    }
    for (int i = 0; i < count; i++) {
        int t = numbers == NULL ? i : numbers[i];
        double end = begin + trees[t].share;
        size_t from = (size_t)(begin * (double)units + 0.5);
        size_t to = end > 1 - 1e-9 ? units : (size_t)(end * (double)units + 0.5);

        to = to > units ? units : to;
        from = from > to ? to : from;
        builder_add_stream(builder, t,
                           source < 0 ? trees[t].root : builder->placement->host[source],
                           source, offset + from, to - from,
                           builder_chunk(builder, &trees[t], to - from,
                                         (size_t)(largest * (double)units) + 1));
        begin = end;
    }
}

static mtree_status_t builder_check(const builder_t *builder)
{
    const mtree_plan_part_t *part = builder->part;
    const mtree_call_t *call = builder->call;

    if (mtree_collective_check(call->collective) != MTREE_OK) {
        return MTREE_ERR_INVALID;
    }
    if (part->num_hosts != builder->placement->num_hosts ||
        part->host != builder->placement->host[builder->rank]) {
        return MTREE_ERR_INVALID;
    }
    /* Streams carry the same to all below. */
    if (mtree_collective_is_personalized(call->collective)) {
        return MTREE_ERR_UNSUPPORTED;
    }
    if (part->collective == MTREE_ALLREDUCE) {
        return MTREE_OK;
    }
    if (part->collective != call->collective) {
        return MTREE_ERR_UNSUPPORTED;
    }
    if (mtree_collective_has_root(call->collective) &&
        part->root != builder->placement->host[call->root]) {
        return MTREE_ERR_UNSUPPORTED;
    }
    return MTREE_OK;
}

static void builder_add_parts(builder_t *builder)
{
    const mtree_call_t *call = builder->call;
    size_t ranks = (size_t)builder->placement->num_ranks;

    if (!mtree_collective_has_blocks(call->collective)) {
        bool has_root = mtree_collective_has_root(call->collective);

        builder_add_part(builder, has_root ? call->root : -1, 0, call->units);
        return;
    }
    for (size_t r = 0; r < ranks; r++) {
        size_t from = call->blocks != NULL ? call->blocks[r] : call->units / ranks * r;
        size_t to =
            call->blocks != NULL ? call->blocks[r + 1] : call->units / ranks * (r + 1);

        builder_add_part(builder, (int)r, from, to - from);
    }
}

/* The peers, in ascending rank, with their windows. */
static void builder_fill_peers(builder_t *builder)
{
    mtree_layout_t *layout = builder->layout;
    mtree_peer_t *peer = malloc(((size_t)layout->num_peers + 1) * sizeof(*peer));

    layout->peers = peer;
    if (peer == NULL) {
        builder->status = MTREE_ERR_NO_MEMORY;
        return;
    }
    for (int rank = 0; rank < builder->placement->num_ranks; rank++) {
        double rate = builder->rates[rank];

        if (rate < 0) {
            continue;
        }
        peer->rank = rank;
        peer->window =
            mtree_chunk_window(rate, builder->trips[rank], builder->largest_chunk);
        if (rank < builder->rank) {
            layout->first_peer++;
        }
        peer++;
    }
}

/* Now that they stay where they are, streams can point to their children. */
static void builder_fill_children(builder_t *builder)
{
    mtree_layout_t *layout = builder->layout;
    int at = 0;

    for (int s = 0; s < layout->num_streams; s++) {
        layout->streams[s].children = layout->children_room + at;
        layout->streams[s].child_steps =
            builder->stepped ? layout->steps_room + at : NULL;
        at += layout->streams[s].num_children;
    }
}

static size_t builder_num_streams(const builder_t *builder)
{
    int ranks = builder->placement->num_ranks, count;
    size_t streams = 0;

    if (!mtree_collective_has_blocks(builder->call->collective)) {
        return (size_t)builder->part->num_trees;
    }
    for (int rank = 0; rank < ranks; rank++) {
        (void)builder_trees(builder, rank, &count);
        streams += (size_t)count;
    }
    return streams;
}

static void builder_run(builder_t *builder)
{
    mtree_layout_t *layout = builder->layout;
    const mtree_call_t *call = builder->call;

    for (int r = 0; r < builder->placement->num_ranks; r++) {
        builder->rates[r] = -1;
        builder->trips[r] = 0;
    }
    layout->num_steps =
        builder->part->collective == call->collective ? builder->part->num_steps : 0;
    builder->stepped = layout->num_steps > 0;
    builder_add_parts(builder);
    if (builder->status == MTREE_OK) {
        builder_fill_children(builder);
        builder_fill_peers(builder);
    }
    layout->max_lead = builder->stepped || builder->seconds == 0
                           ? INFINITY
                           : MAX_LEAD / builder->seconds;
    layout->num_lanes = mtree_lanes(call->collective);
    layout->paced = call->units * call->unit_bytes > MTREE_LAYOUT_UNPACED_BYTES;
}

mtree_status_t mtree_layout_create(const mtree_plan_part_t *part,
                                   const mtree_placement_t *placement,
                                   const mtree_call_t *call, int rank,
                                   mtree_layout_t **layout_p)
{
    size_t ranks = (size_t)placement->num_ranks;
    builder_t builder = {
        .part = part, .placement = placement, .call = call, .rank = rank};
    mtree_status_t status = builder_check(&builder);

    if (status != MTREE_OK) {
        return status;
    }
    builder.layout = calloc(1, sizeof(*builder.layout));
    builder.rates = malloc(2 * ranks * sizeof(double));
    builder.trips = builder.rates + ranks;
    if (builder.layout != NULL) {
        builder.layout->streams =
            calloc(builder_num_streams(&builder) + 1, sizeof(mtree_stream_t));
    }
    builder.status =
        builder.layout == NULL || builder.rates == NULL || builder.layout->streams == NULL
            ? MTREE_ERR_NO_MEMORY
            : MTREE_OK;
    if (builder.status == MTREE_OK) {
        builder_run(&builder);
    }
    free(builder.rates);
    if (builder.status != MTREE_OK) {
        mtree_layout_destroy(builder.layout);
        return builder.status;
    }
    *layout_p = builder.layout;
    return MTREE_OK;
}

void mtree_layout_destroy(mtree_layout_t *layout)
{
    if (layout != NULL) {
        free(layout->children_room);
        free(layout->steps_room);
        free(layout->streams);
        free(layout->peers);
        free(layout);
    }
}
