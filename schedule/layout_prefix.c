/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Scans: streams lead from each rank to the next one, between hosts over the trees of the
 * first of the two hosts, cut where they lead to the second.
 */
#include "schedule/layout_private.h"

/* What shares may be off that add up to one. */
#define ROUNDING 1e-9

/* Are rank @a source and the next one on one host? */
static bool stays(const mtree_layout_builder_t *builder, int source)
{
    const int *host = builder->placement->host;

    return host[source] == host[source + 1];
}

/* The tree whose chunks are the longest: within a host they need not be shorter. */
static int longest_chunk(const mtree_plan_part_t *part)
{
    int longest = 0;

    for (int t = 1; t < part->num_trees; t++) {
        if (part->trees[t].chunk_bytes > part->trees[longest].chunk_bytes) {
            longest = t;
        }
    }
    return longest;
}

size_t mtree_layout_prefix_streams(const mtree_layout_builder_t *builder)
{
    const int *first = builder->part->first;
    size_t streams = 0;

    for (int r = 0; r + 1 < builder->placement->num_ranks; r++) {
        int host = builder->placement->host[r];

        streams += stays(builder, r) ? 1 : (size_t)(first[host + 1] - first[host]);
    }
    return streams;
}

/* Units of a section of which the largest @a share is a message of at most @a chunk. */
static size_t section_width(size_t chunk, double share)
{
    size_t width = (size_t)((double)chunk / share * (1 - ROUNDING));

    return width == 0 ? 1 : width;
}

/* A stream in tree number @a number that takes @a piece units, from the @a from-th on, of
 * each section of @a width units. */
static void add_slices(mtree_layout_builder_t *builder, int number, int source,
                       size_t from, size_t piece, size_t width)
{
    mtree_layout_t *layout = builder->layout;
    size_t units = builder->call->units;
    size_t rest = units % width < from ? 0 : units % width - from;
    size_t length = units / width * piece + (rest < piece ? rest : piece);

    mtree_layout_add_stream(builder, number, -1, source, from, length,
                            piece == 0 ? 1 : piece);
    layout->streams[layout->num_streams - 1].stride = width;
}

/*
 * The streams from @a source to the next host.  The vector is cut into sections, and each
 * stream takes its share of every section.  So what the next rank sends on, over shares
 * of its own, is there as early in each of its streams.  Of shares that are one piece of
 * the vector each, it would have to wait for most of one before it began with the next.
 */
static void add_streams(mtree_layout_builder_t *builder, int source)
{
    const mtree_plan_part_t *part = builder->part;
    int host = builder->placement->host[source];
    const int *numbers = part->by_root + part->first[host];
    int count = part->first[host + 1] - part->first[host];
    const mtree_part_tree_t *largest = &part->trees[numbers[0]];
    size_t length, width;
    double begin = 0;

    for (int i = 1; i < count; i++) {
        if (part->trees[numbers[i]].share > largest->share) {
            largest = &part->trees[numbers[i]];
        }
    }
    length = (size_t)(largest->share * (double)builder->call->units) + 1;
    width = section_width(mtree_layout_chunk(builder, largest, length, length),
                          largest->share);
    for (int i = 0; i < count; i++) {
        double end = begin + part->trees[numbers[i]].share;
        size_t from = (size_t)(begin * (double)width + 0.5);
        size_t to = end > 1 - ROUNDING ? width : (size_t)(end * (double)width + 0.5);

        add_slices(builder, numbers[i], source, from, to - from, width);
        begin = end;
    }
}

void mtree_layout_add_prefix(mtree_layout_builder_t *builder)
{
    mtree_layout_t *layout = builder->layout;
    size_t units = builder->call->units;
    int longest = longest_chunk(builder->part);

    for (int r = 0; r + 1 < builder->placement->num_ranks; r++) {
        int before = layout->num_streams;

        if (stays(builder, r)) {
            size_t chunk =
                mtree_layout_chunk(builder, &builder->part->trees[longest], units, units);

            mtree_layout_add_stream(builder, longest, -1, r, 0, units, chunk);
        } else {
            add_streams(builder, r);
        }
        if (builder->rank == r + 1) {
            layout->first_in = before;
            layout->num_in = layout->num_streams - before;
        } else if (builder->rank == r) {
            layout->num_out = layout->num_streams - before;
        }
    }
}

/* The rank at @a host that takes part in a stream from rank @a source to the next. */
static int member(const mtree_layout_builder_t *builder, int number, int source, int host)
{
    const mtree_placement_t *placement = builder->placement;

    return host == placement->host[source] ? source
           : host == placement->host[source + 1]
               ? source + 1
               : mtree_placement_leader(placement, host, number);
}

/* Note the rank at the end of @a edge, which is returned. */
static int add_neighbour(mtree_layout_builder_t *builder, int number, int source,
                         const mtree_part_edge_t *edge)
{
    int peer = member(builder, number, source, edge->host);

    mtree_layout_add_peer(builder, peer, builder->part->trees[number].rate,
                          edge->latency);
    return peer;
}

/* Between two hosts. */
static void link_hosts(mtree_layout_builder_t *builder, mtree_stream_t *stream,
                       int number, int source)
{
    const mtree_plan_part_t *part = builder->part;
    const mtree_part_tree_t *tree = &part->trees[number];
    int to = builder->placement->host[source + 1];

    if (!mtree_plan_part_is_above(part, number, to) ||
        member(builder, number, source, part->host) != builder->rank) {
        return;
    }
    if (builder->rank != source) {
        builder->children[0] =
            add_neighbour(builder, number, source, &tree->edges[tree->parent]);
        mtree_layout_set_children(builder, stream, 1);
    }
    if (builder->rank != source + 1) {
        stream->parent =
            add_neighbour(builder, number, source,
                          &tree->edges[mtree_plan_part_towards(part, number, to)]);
    }
}

/* Between ranks of one host. */
static void link_ranks(mtree_layout_builder_t *builder, mtree_stream_t *stream,
                       int source)
{
    if (builder->rank == source) {
        stream->parent = source + 1;
    } else if (builder->rank == source + 1) {
        builder->children[0] = source;
        mtree_layout_set_children(builder, stream, 1);
    } else {
        return;
    }
    mtree_layout_add_peer(builder, builder->rank == source ? source + 1 : source, 0, 0);
}

void mtree_layout_link_prefix(mtree_layout_builder_t *builder, mtree_stream_t *stream,
                              int number, int source)
{
    stream->up = true;
    stream->parent = -1;
    stream->block = -1;
    if (stays(builder, source)) {
        link_ranks(builder, stream, source);
    } else {
        link_hosts(builder, stream, number, source);
    }
    stream->forwards = stream->num_children > 0 && stream->parent >= 0;
    stream->continues = builder->rank == source && source > 0;
}
