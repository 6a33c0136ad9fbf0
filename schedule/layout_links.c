/* SPDX-License-Identifier: BSD-3-Clause */
#include "schedule/chunks.h"
#include "schedule/layout_private.h"
#include "schedule/placement.h"
#include "schedule/plan_part.h"

#include <math.h>
#include <string.h>

/* Numbers for which lists get memory at a time. */
#define LIST_ROOM 256

/*
 * The ranks below @a rank in tree number @a number of @a part, the part of its host whose
 * leader in this tree is @a leader: @a rank first, parents before children, the subtrees
 * of children in the order of a layout.  How many; @a below has memory for twice the
 * ranks of the call.
 */
static int list_below(const mtree_plan_part_t *part, const mtree_placement_t *placement,
                      int number, int rank, int leader, int *below)
{
    const mtree_part_tree_t *tree = &part->trees[number];
    int count = mtree_placement_walk(placement, rank, leader, number, below);

    /* The ranks of a host come before those of the hosts below it. */
    for (int i = 1; i < tree->num_below && rank == leader; i++) {
        int other = mtree_placement_leader(placement, tree->below[i], number);

        count += mtree_placement_walk(placement, other, other, number, below + count);
    }
    return count;
}

/* Where the subtree of each of @a children begins in @a below. */
static void find_below(const int *below, const int *children, int num_children,
                       int *first)
{
    int place = 0;

    for (int i = 0; i < num_children; i++) {
        while (below[place] != children[i]) {
            place++;
        }
        first[i] = place;
    }
}

void mtree_layout_add_peer(mtree_layout_builder_t *builder, int rank, double rate,
                           double latency)
{
    double trip = 2 * latency;

    if (builder->rates[rank] < 0) {
        builder->rates[rank] = 0;
        builder->layout->num_peers++;
    }
    builder->rates[rank] += rate;
    builder->trips[rank] = fmax(builder->trips[rank], trip);
}

/* The layout's copy of @a num numbers, in memory that many short lists share. */
static const int *builder_copy(mtree_layout_builder_t *builder, const int *numbers,
                               int num)
{
    int *copy;

    if (num > builder->num_free) {
        builder->num_free = num > LIST_ROOM ? num : LIST_ROOM;
        MTREE_ARENA_ARRAY(&builder->layout->arena, builder->free,
                          (size_t)builder->num_free);
    }
    copy = memcpy(builder->free, numbers, (size_t)num * sizeof(*copy));
    builder->free += num;
    builder->num_free -= num;
    return copy;
}

void mtree_layout_set_children(mtree_layout_builder_t *builder, mtree_stream_t *stream,
                               int num)
{
    stream->num_children = num;
    if (num > 0) {
        stream->children = builder_copy(builder, builder->children, num);
    }
    if (num > 0 && builder->stepped) {
        stream->child_steps = builder_copy(builder, builder->steps, num);
    }
}

/* This rank is a leader in tree number @a number: its parent and its children on other
 * hosts, after the @a num on its own.  How many children there are then. */
static int builder_link_hosts(mtree_layout_builder_t *builder, mtree_stream_t *stream,
                              int number, int root_host, int root_rank, int num)
{
    const mtree_placement_t *placement = builder->placement;
    const mtree_part_tree_t *tree = &builder->part->trees[number];
    int above = mtree_plan_part_towards(builder->part, number, root_host);
    double rate = builder->personalized ? 0 : tree->rate; /* else by its blocks */

    for (int e = 0; e < tree->num_edges; e++) {
        const mtree_part_edge_t *edge = &tree->edges[e];
        int step = builder->stepped ? edge->step : 0;
        int peer = mtree_placement_leader(placement, edge->host, number);

        if (e == above) {
            peer = root_rank >= 0 && edge->host == root_host ? root_rank : peer;
            stream->parent = peer;
            stream->parent_step = step;
        } else {
            builder->steps[num] = step;
            builder->children[num++] = peer;
        }
        mtree_layout_add_peer(builder, peer, rate, edge->latency);
        builder->sent[peer] += (e == above ? stream->up : stream->down) ? rate : 0;
    }
    return num;
}

/* The blocks that the edges of a personalized stream carry, and so their rates. */
static void builder_add_below(mtree_layout_builder_t *builder, mtree_stream_t *stream,
                              int number, int leader)
{
    const mtree_placement_t *placement = builder->placement;
    const mtree_part_tree_t *tree = &builder->part->trees[number];
    mtree_below_t *below = &builder->below[stream->number];
    const int *children = builder->children;
    double rate = tree->rate * builder->load / placement->num_ranks;
    int *places;

    below->num = list_below(builder->part, placement, number, builder->rank, leader,
                            builder->ranks);
    places = builder->ranks + below->num;
    find_below(builder->ranks, children, stream->num_children, places);
    below->ranks =
        builder_copy(builder, builder->ranks, below->num + stream->num_children);
    below->places = below->ranks + below->num;
    for (int i = 0; i < stream->num_children; i++) {
        int end = i + 1 < stream->num_children ? places[i + 1] : below->num;

        if (placement->host[children[i]] != placement->host[builder->rank]) {
            mtree_layout_add_peer(builder, children[i], rate * (end - places[i]), 0);
            builder->sent[children[i]] += stream->down ? rate * (end - places[i]) : 0;
        }
    }
    if (builder->rank == leader && stream->parent >= 0) {
        mtree_layout_add_peer(builder, stream->parent, rate * below->num, 0);
        builder->sent[stream->parent] += stream->up ? rate * below->num : 0;
    }
}

/* This rank's neighbours in tree number @a number, rooted in @a root_host. */
void mtree_layout_link(mtree_layout_builder_t *builder, mtree_stream_t *stream,
                       int number, int root_host, int root_rank)
{
    const mtree_placement_t *placement = builder->placement;
    int host = placement->host[builder->rank];
    int leader = root_rank >= 0 && host == root_host
                     ? root_rank
                     : mtree_placement_leader(placement, host, number);
    int num;

    mtree_placement_neighbours(placement, builder->rank, leader, number, &stream->parent,
                               builder->children, &num);
    for (int i = 0; i < num; i++) {
        mtree_layout_add_peer(builder, builder->children[i], 0, 0);
        builder->steps[i] = 0;
    }
    if (builder->rank == leader) {
        num = builder_link_hosts(builder, stream, number, root_host, root_rank, num);
    } else {
        mtree_layout_add_peer(builder, stream->parent, 0, 0);
    }
    mtree_layout_set_children(builder, stream, num);
    if (builder->personalized) {
        builder_add_below(builder, stream, number, leader);
    }
}

bool mtree_layout_is_direct(const mtree_layout_builder_t *builder)
{
    return builder->part->is_direct &&
           (builder->personalized || builder->call->collective == MTREE_ALLGATHER);
}

/*
 * Do windows begin with slow start?  Where hosts forward blocks for others, several of
 * them send over the same link, and all have blocks to send when the call begins.  Other
 * calls are fed as their data comes.
 */
static bool builder_slow_start(const mtree_layout_builder_t *builder, bool is_direct)
{
    double trip = 0;

    if (!builder->personalized || is_direct) {
        return false;
    }
    for (int rank = 0; rank < builder->num_all; rank++) {
        trip = fmax(trip, builder->trips[rank]);
    }
    return mtree_chunk_slow_start(trip);
}

/* Bytes that may be outstanding to a peer.  In an allgather, in a direct exchange and
 * with slow start only what is sent counts, not what comes the other way. */
static void builder_fill_window(const mtree_layout_builder_t *builder, mtree_peer_t *peer,
                                bool is_direct, bool slow_start)
{
    bool sent_alone =
        is_direct || slow_start || builder->call->collective == MTREE_ALLGATHER;
    double rate = (sent_alone ? builder->sent : builder->rates)[peer->rank];
    double trip = builder->trips[peer->rank];
    size_t chunk = builder->largest_chunk;

    peer->window = is_direct ? mtree_chunk_direct_window(rate, trip, chunk)
                             : mtree_chunk_window(rate, trip, chunk);
    peer->initial_window = peer->window;
    if (slow_start && mtree_chunk_initial_window(rate, chunk) < peer->window) {
        peer->initial_window = mtree_chunk_initial_window(rate, chunk);
    }
}

/* The peers, in ascending rank, with their windows. */
void mtree_layout_fill_peers(mtree_layout_builder_t *builder)
{
    mtree_layout_t *layout = builder->layout;
    mtree_peer_t *peer =
        MTREE_ARENA_ARRAY(&layout->arena, layout->peers, (size_t)layout->num_peers);
    bool is_direct = mtree_layout_is_direct(builder);
    bool slow_start = builder_slow_start(builder, is_direct);

    for (int rank = 0; rank < builder->num_all; rank++) {
        double rate = builder->rates[rank];

        if (rate < 0) {
            continue;
        }
        *peer = (mtree_peer_t){.rank = rank,
                               .rate = rate,
                               .trip = builder->trips[rank],
                               .is_relay =
                                   mtree_placement_is_relay(builder->placement, rank)};
        builder_fill_window(builder, peer, is_direct, slow_start);
        if (rank < builder->rank) {
            layout->first_peer++;
        }
        peer++;
    }
}
