/* SPDX-License-Identifier: BSD-3-Clause */
#include "schedule/layout.h"

#include "schedule/lanes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/*
 * Equal numbers of chunks per tree were faster than equal sizes, since the slowest tree
 * ends last.  This number keeps every hop busy.  A message above LARGEST_CHUNK leaves
 * TCP's eager protocol; below SMALLEST_CHUNK the cost of each message on the processors
 * shows (docs/performance.md).
 */
#define CHUNKS_PER_TREE 128
#define LARGEST_CHUNK   32768
#define SMALLEST_CHUNK  16384

/* Chunks in a queue beyond those on the link in a round trip. */
#define QUEUED_CHUNKS 6
/* Bytes of the queue that each peer gets at least, where all peers share it. */
#define LEAST_QUEUE 32768

/* Bytes, for a neighbour on the same host or of unknown rate. */
#define DEFAULT_WINDOW 262144

/*
 * Seconds by which a tree may be ahead of the last one.  Trees wait for each other at
 * links that they share.  A tree that runs ahead on an idle link takes capacity from the
 * others at later links (docs/performance.md).
 */
#define MAX_LEAD 0.15

/* Seconds that a credit may take beyond the round trip. */
#define CREDIT_DELAY 0.1

/* Bytes of the longest message of a lockstep. */
#define LARGEST_MESSAGE ((size_t)1 << 30)

#define LEAST_WINDOW_CHUNKS 4
#define MOST_WINDOW_CHUNKS  512

/* A layout while it is made. */
typedef struct {
    const mtree_plan_t *plan;
    const mtree_placement_t *placement;
    const mtree_call_t *call;
    int rank;
    mtree_layout_t *layout;
    int children_used;
    double *work;    /* the memory of the four arrays below */
    double *latency; /* [num_hosts] to the parent, in the tree at hand */
    double *
        rates; /* [num_ranks] bits/s planned to and from each rank; -1: not a neighbour */
    double *trips;        /* [num_ranks] seconds to each rank and back */
    int *parent;          /* [num_hosts] in the tree at hand */
    bool stepped;         /* the plan's lockstep steps fit the call */
    double seconds;       /* of the longest stream at its rate */
    size_t largest_chunk; /* bytes */
} builder_t;

/* The tree's parents with @a root as its root: the links between the two roots are
 * reversed. */
static void builder_root_tree(builder_t *builder, const mtree_tree_t *tree, int root)
{
    size_t hosts = (size_t)builder->plan->num_hosts;
    int host = root, above = -1;
    double latency = 0;

    memcpy(builder->parent, tree->parent, hosts * sizeof(int));
    memcpy(builder->latency, tree->latency, hosts * sizeof(double));
    while (host >= 0) {
        int next = builder->parent[host];
        double next_latency = builder->latency[host];

        builder->parent[host] = above;
        builder->latency[host] = latency;
        above = host;
        latency = next_latency;
        host = next;
    }
}

static void builder_add_peer(builder_t *builder, int rank, double rate, double latency)
{
    double trip = 2 * latency;

    if (builder->rates[rank] < 0) {
        builder->rates[rank] = 0;
        builder->layout->num_peers++;
    }
    builder->rates[rank] += rate;
    builder->trips[rank] = builder->trips[rank] > trip ? builder->trips[rank] : trip;
}

/*
 * Chunks that a receiver needs memory for, so that the credit for a free slot is back
 * before the sender has used up the others.  Everything here comes from the plan, so both
 * ends compute the same.
 */
static size_t builder_window(const builder_t *builder, const mtree_tree_t *tree,
                             size_t chunk)
{
    double latency = 0, chunks;

    for (int host = 0; host < builder->plan->num_hosts; host++) {
        latency = builder->latency[host] > latency ? builder->latency[host] : latency;
    }
    chunks = tree->rate / 8 * (4 * latency + CREDIT_DELAY) /
             ((double)chunk * (double)builder->call->unit_bytes);
    if (chunks > MOST_WINDOW_CHUNKS - LEAST_WINDOW_CHUNKS) {
        return MOST_WINDOW_CHUNKS;
    }
    return LEAST_WINDOW_CHUNKS + (size_t)chunks;
}

/* This rank is a leader in tree number @a number: its parent and @a children on other
 * hosts, after those on its own. */
static void builder_link_hosts(builder_t *builder, mtree_stream_t *stream, int *children,
                               int *steps, int number, int root_rank)
{
    const mtree_placement_t *placement = builder->placement;
    const mtree_tree_t *tree = &builder->plan->trees[number];
    double rate = tree->rate;
    int host = placement->host[builder->rank];
    int above = builder->parent[host];

    if (above >= 0) {
        stream->parent = root_rank >= 0 && above == placement->host[root_rank]
                             ? root_rank
                             : mtree_placement_leader(placement, above, number);
        builder_add_peer(builder, stream->parent, rate, builder->latency[host]);
        stream->parent_step = builder->stepped ? tree->step[host] : 0;
    }
    for (int below = 0; below < placement->num_hosts; below++) {
        if (builder->parent[below] == host) {
            int child = mtree_placement_leader(placement, below, number);

            steps[stream->num_children] = builder->stepped ? tree->step[below] : 0;
            children[stream->num_children++] = child;
            builder_add_peer(builder, child, rate, builder->latency[below]);
        }
    }
}

/* Add tree number @a number, rooted in builder->parent, carrying @a length units from @a
 * offset on. */
static void builder_add_stream(builder_t *builder, int number, int root_rank,
                               size_t offset, size_t length, size_t chunk)
{
    const mtree_placement_t *placement = builder->placement;
    const mtree_tree_t *tree = &builder->plan->trees[number];
    mtree_collective_t collective = builder->call->collective;
    mtree_layout_t *layout = builder->layout;
    mtree_stream_t *stream = &layout->streams[layout->num_streams];
    int *children = layout->children_room + builder->children_used;
    int *steps = layout->steps_room + builder->children_used;
    int host = placement->host[builder->rank];
    int root_host = root_rank < 0 ? -1 : placement->host[root_rank];
    int leader =
        host == root_host ? root_rank : mtree_placement_leader(placement, host, number);

    stream->offset = offset;
    stream->length = length;
    stream->chunk = chunk;
    /* A lockstep ends when all of it has been sent, so its receiver never grants credit.
     */
    stream->window =
        builder->stepped ? length / chunk + 1 : builder_window(builder, tree, chunk);
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
    stream->children = children;
    stream->child_steps = steps;
    layout->num_streams++;
    mtree_placement_hang(placement, builder->rank, leader, number, &stream->parent,
                         children, &stream->num_children);
    for (int i = 0; i < stream->num_children; i++) {
        builder_add_peer(builder, children[i], 0, 0);
    }
    if (builder->rank == leader) {
        builder_link_hosts(builder, stream, children, steps, number, root_rank);
    } else {
        builder_add_peer(builder, stream->parent, 0, 0);
    }
    builder->children_used += stream->num_children;
}

size_t mtree_layout_default_chunk(size_t length, size_t longest)
{
    size_t pieces = (longest + SMALLEST_CHUNK - 1) / SMALLEST_CHUNK;
    size_t bytes;

    pieces = pieces > CHUNKS_PER_TREE ? CHUNKS_PER_TREE : pieces;
    bytes = pieces == 0 ? length : (length + pieces - 1) / pieces;
    bytes = bytes < SMALLEST_CHUNK ? SMALLEST_CHUNK : bytes;
    return bytes > LARGEST_CHUNK ? LARGEST_CHUNK : bytes;
}

size_t mtree_layout_chunk(const mtree_call_t *call, size_t bytes)
{
    if (call->longest_bytes > 0 && bytes > call->longest_bytes) {
        bytes = call->longest_bytes;
    }
    return bytes < call->unit_bytes ? 1 : bytes / call->unit_bytes;
}

/* Units of a chunk: what the user asks for, else what the plan says. */
static size_t builder_chunk(builder_t *builder, const mtree_tree_t *tree, size_t length,
                            size_t longest)
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
                    : mtree_layout_default_chunk(length * unit, longest * unit);
    }
    chunk = mtree_layout_chunk(builder->call, bytes);
    if (chunk * unit > builder->largest_chunk) {
        builder->largest_chunk = chunk * unit;
    }
    return chunk;
}

/*
 * Cut units [offset, offset + units) into the shares of the trees that serve rank @a
 * source
 * (-1: all trees, each with its own root) and add a stream for each.
 */
static void builder_add_part(builder_t *builder, int source, size_t offset, size_t units)
{
    const mtree_plan_t *plan = builder->plan;
    int host = source < 0 ? -1 : builder->placement->host[source];
    bool own_trees = mtree_collective_has_blocks(plan->collective);
    double begin = 0, largest = 0;

    for (int t = 0; t < plan->num_trees; t++) {
        if (!own_trees || plan->trees[t].root == host) {
            largest = plan->trees[t].share > largest ? plan->trees[t].share : largest;
        }
    }
    for (int t = 0; t < plan->num_trees; t++) {
        const mtree_tree_t *tree = &plan->trees[t];
        double end;
        size_t from, to;

        if (own_trees && tree->root != host) {
            continue;
        }
        end = begin + tree->share;
        from = (size_t)(begin * (double)units + 0.5);
        to = end > 1 - 1e-9 ? units : (size_t)(end * (double)units + 0.5);
        to = to > units ? units : to;
        from = from > to ? to : from;
        builder_root_tree(builder, tree, host < 0 ? tree->root : host);
        builder_add_stream(builder, t, source, offset + from, to - from,
                           builder_chunk(builder, tree, to - from,
                                         (size_t)(largest * (double)units) + 1));
        begin = end;
    }
}

static mtree_status_t builder_check(const builder_t *builder)
{
    const mtree_plan_t *plan = builder->plan;
    const mtree_call_t *call = builder->call;

    if (mtree_collective_check(call->collective) != MTREE_OK) {
        return MTREE_ERR_INVALID;
    }
    if (plan->num_hosts != builder->placement->num_hosts) {
        return MTREE_ERR_INVALID;
    }
    if (plan->collective == MTREE_ALLREDUCE) {
        return MTREE_OK;
    }
    if (plan->collective != call->collective) {
        return MTREE_ERR_UNSUPPORTED;
    }
    if (mtree_collective_has_root(call->collective) &&
        plan->root != builder->placement->host[call->root]) {
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

size_t mtree_layout_window(double rate, double trip, size_t chunk, int sharers)
{
    size_t link = rate > 0 ? (size_t)(rate / 8 * trip) : DEFAULT_WINDOW;
    size_t queue = QUEUED_CHUNKS * chunk;
    size_t part = queue / (size_t)sharers;

    part = part < LEAST_QUEUE ? LEAST_QUEUE : part;
    return link + (part < queue ? part : queue);
}

/* Peers that share a queue.  In a direct exchange, where all trees end at the root's
 * neighbours, all peers are behind the same link.  With a queue for each, all would wait
 * for those that were served first. */
static int builder_sharers(const builder_t *builder)
{
    const mtree_plan_t *plan = builder->plan;

    for (int t = 0; t < plan->num_trees; t++) {
        if (mtree_tree_height(&plan->trees[t], plan->num_hosts) > 1) {
            return 1;
        }
    }
    return plan->num_trees == 1 ? 1 : builder->layout->num_peers;
}

/* The peers, in ascending rank, with their windows. */
static void builder_fill_peers(builder_t *builder)
{
    mtree_peer_t *peer = builder->layout->peers;
    int sharers = builder_sharers(builder);

    for (int rank = 0; rank < builder->placement->num_ranks; rank++) {
        double rate = builder->rates[rank];

        if (rate < 0) {
            continue;
        }
        peer->rank = rank;
        peer->window = mtree_layout_window(rate, builder->trips[rank],
                                           builder->largest_chunk, sharers);
        if (rank < builder->rank) {
            builder->layout->first_peer++;
        }
        peer++;
    }
}

static mtree_status_t builder_alloc(builder_t *builder)
{
    const mtree_placement_t *placement = builder->placement;
    mtree_collective_t collective = builder->call->collective;
    size_t hosts = (size_t)placement->num_hosts;
    size_t ranks = (size_t)placement->num_ranks;
    int host = placement->host[builder->rank];
    bool blocks = mtree_collective_has_blocks(collective);
    size_t streams = (size_t)builder->plan->num_trees * (blocks ? ranks : 1);
    /* In one stream a rank has at most the other ranks of its host and all other hosts as
     * children. */
    size_t children =
        hosts + (size_t)(placement->first[host + 1] - placement->first[host]);
    mtree_layout_t *layout = calloc(
        1, sizeof(*layout) + streams * sizeof(mtree_stream_t) +
               ranks * sizeof(mtree_peer_t) + 2 * streams * children * sizeof(int));
    double *work = malloc((hosts + 2 * ranks) * sizeof(double) + hosts * sizeof(int));

    if (layout == NULL || work == NULL) {
        free(layout);
        free(work);
        return MTREE_ERR_NO_MEMORY;
    }
    layout->streams = (mtree_stream_t *)(layout + 1);
    layout->peers = (mtree_peer_t *)(layout->streams + streams);
    layout->children_room = (int *)(layout->peers + ranks);
    layout->steps_room = layout->children_room + streams * children;
    builder->layout = layout;
    builder->work = work;
    builder->latency = work;
    builder->rates = work + hosts;
    builder->trips = builder->rates + ranks;
    builder->parent = (int *)(builder->trips + ranks);
    return MTREE_OK;
}

mtree_status_t mtree_layout_create(const mtree_plan_t *plan,
                                   const mtree_placement_t *placement,
                                   const mtree_call_t *call, int rank,
                                   mtree_layout_t **layout_p)
{
    builder_t builder = {
        .plan = plan, .placement = placement, .call = call, .rank = rank};
    mtree_status_t status = builder_check(&builder);

    if (status == MTREE_OK) {
        status = builder_alloc(&builder);
    }
    if (status != MTREE_OK) {
        return status;
    }
    for (int r = 0; r < placement->num_ranks; r++) {
        builder.rates[r] = -1;
        builder.trips[r] = 0;
    }
    builder.layout->num_steps =
        plan->collective == call->collective ? mtree_plan_num_steps(plan) : 0;
    builder.stepped = builder.layout->num_steps > 0;
    builder_add_parts(&builder);
    builder_fill_peers(&builder);
    builder.layout->max_lead =
        builder.stepped || builder.seconds == 0 ? INFINITY : MAX_LEAD / builder.seconds;
    builder.layout->num_lanes = mtree_lanes(call->collective);
    builder.layout->paced = call->units * call->unit_bytes > MTREE_LAYOUT_UNPACED_BYTES;
    free(builder.work);
    *layout_p = builder.layout;
    return MTREE_OK;
}

void mtree_layout_destroy(mtree_layout_t *layout)
{
    free(layout);
}
