/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/array.h"
#include "schedule/chunks.h"
#include "schedule/layout_private.h"
#include "schedule/placement.h"
#include "schedule/plan_part.h"

#include <math.h>
#include <stdlib.h>

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

/* Make room for @a more children. */
void mtree_layout_reserve(mtree_layout_builder_t *builder, int more)
{
    mtree_layout_t *layout = builder->layout;
    int count = builder->num_children + more;

    if (builder->personalized) {
        builder->status = mtree_array_reserve(
            &layout->below_room, &builder->below_room,
            builder->num_below + 2 * builder->placement->num_ranks, sizeof(int));
    }
    if (builder->personalized && builder->status == MTREE_OK) {
        builder->status = mtree_array_reserve(&layout->places_room, &builder->places_room,
                                              count, sizeof(int));
    }

    if (builder->status == MTREE_OK) {
        builder->status = mtree_array_reserve(
            &layout->children_room, &builder->children_room, count, sizeof(int));
    }
    if (builder->status == MTREE_OK && builder->stepped) {
        builder->status = mtree_array_reserve(&layout->steps_room, &builder->steps_room,
                                              count, sizeof(int));
    }
}

/* This rank is a leader in tree number @a number: its parent and its children on other
 * hosts, after those on its own. */
static void builder_link_hosts(mtree_layout_builder_t *builder, mtree_stream_t *stream,
                               int number, int root_host, int root_rank)
{
    const mtree_placement_t *placement = builder->placement;
    const mtree_part_tree_t *tree = &builder->part->trees[number];
    int *children = builder->layout->children_room + builder->num_children;
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
            if (builder->stepped) {
                builder->layout
                    ->steps_room[builder->num_children + stream->num_children] = step;
            }
            children[stream->num_children++] = peer;
        }
        mtree_layout_add_peer(builder, peer, rate, edge->latency);
        builder->sent[peer] += (e == above ? stream->up : stream->down) ? rate : 0;
    }
}

/* The blocks that the edges of a personalized stream carry, and so their rates. */
static void builder_add_below(mtree_layout_builder_t *builder, mtree_stream_t *stream,
                              int number, int leader)
{
    const mtree_placement_t *placement = builder->placement;
    const mtree_part_tree_t *tree = &builder->part->trees[number];
    mtree_below_t *below = &builder->layout->below[stream->number];
    int *ranks = builder->layout->below_room + builder->num_below;
    int *places = builder->layout->places_room + builder->num_children;
    const int *children = builder->layout->children_room + builder->num_children;
    double rate = tree->rate * builder->load / placement->num_ranks;

    below->num =
        list_below(builder->part, placement, number, builder->rank, leader, ranks);
    find_below(ranks, children, stream->num_children, places);
    builder->num_below += below->num;
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
    int *children;

    mtree_layout_reserve(builder, builder->part->trees[number].num_edges +
                                      placement->first[host + 1] -
                                      placement->first[host]);
    if (builder->status != MTREE_OK) {
        return;
    }
    children = builder->layout->children_room + builder->num_children;
    mtree_placement_hang(placement, builder->rank, leader, number, &stream->parent,
                         children, &stream->num_children);
    for (int i = 0; i < stream->num_children; i++) {
        mtree_layout_add_peer(builder, children[i], 0, 0);
        if (builder->stepped) {
            builder->layout->steps_room[builder->num_children + i] = 0;
        }
    }
    if (builder->rank == leader) {
        builder_link_hosts(builder, stream, number, root_host, root_rank);
    } else {
        mtree_layout_add_peer(builder, stream->parent, 0, 0);
    }
    if (builder->personalized) {
        builder_add_below(builder, stream, number, leader);
    }
    builder->num_children += stream->num_children;
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
    mtree_peer_t *peer = malloc(((size_t)layout->num_peers + 1) * sizeof(*peer));
    bool is_direct = mtree_layout_is_direct(builder);
    bool slow_start = builder_slow_start(builder, is_direct);

    layout->peers = peer;
    if (peer == NULL) {
        builder->status = MTREE_ERR_NO_MEMORY;
        return;
    }
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

/* Now that they stay where they are, streams can point to their children. */
void mtree_layout_fill_children(mtree_layout_builder_t *builder)
{
    mtree_layout_t *layout = builder->layout;
    int at = 0, below = 0;

    for (int s = 0; s < layout->num_streams; s++) {
        layout->streams[s].children = layout->children_room + at;
        if (builder->personalized) {
            layout->below[s].places = layout->places_room + at;
            layout->below[s].ranks = layout->below_room + below;
            layout->streams[s].below = &layout->below[s];
            below += layout->below[s].num;
        }
        layout->streams[s].child_steps =
            builder->stepped ? layout->steps_room + at : NULL;
        at += layout->streams[s].num_children;
    }
}
