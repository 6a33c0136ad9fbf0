/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which trees carry what.
 *
 * Where the blocks are those of one rank, the trees that are rooted in its host do.  In a
 * sectioned call the trees of a host lie on a line from 0 to 1, each as long as its
 * share, and each of its ranks uses the section of its number.  All together they use
 * each tree as much as if each used all of them, over far fewer streams.
 */
#include "schedule/layout_private.h"

/* Parts of the line that are shorter are due to rounding. */
#define NO_PART 1e-9

mtree_layout_parts_t mtree_layout_parts(const mtree_layout_builder_t *builder, int source)
{
    const mtree_plan_part_t *part = builder->part;
    const mtree_placement_t *placement = builder->placement;
    mtree_layout_parts_t parts = {
        .builder = builder, .load = 1, .count = part->num_trees, .to = 1};
    int host;

    if (!mtree_collective_has_blocks(part->collective)) {
        return parts;
    }
    host = placement->host[source];
    parts.numbers = part->by_root + part->first[host];
    parts.count = part->first[host + 1] - part->first[host];
    if (builder->sectioned) {
        int ranks = placement->first[host + 1] - placement->first[host];
        int number = placement->position[source] - placement->first[host];

        parts.from = (double)number / ranks;
        parts.to = (double)(number + 1) / ranks;
    }
    return parts;
}

/* Cut the tree from parts->begin to parts->end on the line to what is in the section.
 * False: nothing. */
static bool parts_cut(mtree_layout_parts_t *parts)
{
    double length = parts->to - parts->from, share = parts->share;

    if (parts->end <= parts->from + NO_PART || parts->begin >= parts->to - NO_PART) {
        return false;
    }
    parts->begin =
        parts->begin < parts->from + NO_PART ? 0 : (parts->begin - parts->from) / length;
    parts->end =
        parts->end > parts->to - NO_PART ? 1 : (parts->end - parts->from) / length;
    parts->share = parts->end - parts->begin;
    parts->load = parts->share / share;
    return true;
}

bool mtree_layout_parts_next(mtree_layout_parts_t *parts)
{
    while (parts->next < parts->count) {
        int i = parts->next++;

        parts->tree = parts->numbers == NULL ? i : parts->numbers[i];
        parts->share = parts->builder->part->trees[parts->tree].share;
        parts->begin = parts->at;
        parts->end = parts->at += parts->share;
        if (!parts->builder->sectioned || parts_cut(parts)) {
            return true;
        }
    }
    return false;
}
