/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/array.h"
#include "base/log.h"
#include "base/memory.h"
#include "papers/published/optree.h"

#include <stdlib.h>
#include <string.h>

/*
 * Invariant: at the start of every stage the ranks of each group together hold every
 * block exactly once.  A stage delivers each block that a member holds to one member of
 * every sibling, so that it then holds for the children, and at the end for every single
 * rank.
 */
typedef struct {
    mtree_optree_schedule_t *schedule;
    int num_sends, send_capacity;
    int stage;
    int *held;  /* [num_ranks] blocks each rank holds now */
    int *count; /* [num_ranks] blocks each rank held when the stage began */
    int *edge;  /* [num_groups + 1] first rank of each group, and one past the last */
    int *parts; /* [num_ranks + 1] the same of the groups that the stage makes */
    int num_groups;
} builder_t;

static void add_send(builder_t *builder, int from, int to, int clockwise)
{
    mtree_optree_schedule_t *schedule = builder->schedule;
    size_t num_ranks = (size_t)schedule->num_ranks;

    mtree_array_reserve(&schedule->sends, &builder->send_capacity, builder->num_sends + 1,
                        sizeof(*schedule->sends));
    schedule->sends[builder->num_sends++] =
        (mtree_optree_send_t){from, to, clockwise, builder->count[from]};
    memcpy(&schedule->blocks[(size_t)to * num_ranks + (size_t)builder->held[to]],
           &schedule->blocks[(size_t)from * num_ranks],
           (size_t)builder->count[from] * sizeof(int));
    builder->held[to] += builder->count[from];
}

/*
 * The first stage goes in the shorter direction round the ring; of opposite children,
 * every second pair goes in each direction, which is what keeps a fibre's load at Lemma
 * 1's ceil(m^2 / 8).
 */
static int goes_clockwise(const builder_t *builder, int from_child, int to_child,
                          int arity, int position)
{
    int ahead = (to_child - from_child + arity) % arity;
    int lower = from_child < to_child ? from_child : to_child;

    if (builder->stage > 0) {
        return to_child > from_child;
    }
    if (2 * ahead != arity) {
        return 2 * ahead < arity;
    }
    return (lower + position) % 2 == 0;
}

/* All sends of one group, whose children's edges are child[0 .. num_children]. */
static void exchange(builder_t *builder, const int *child, int num_children)
{
    int from, to, position;

    for (from = 0; from < num_children; from++) {
        for (position = 0; position < child[from + 1] - child[from]; position++) {
            for (to = 0; to < num_children; to++) {
                int size = child[to + 1] - child[to];

                if (to != from) {
                    add_send(builder, child[from] + position, child[to] + position % size,
                             goes_clockwise(builder, from, to, num_children, position));
                }
            }
        }
    }
}

/* Run one stage and replace the groups by their children. */
static void run_stage(builder_t *builder, int arity)
{
    int num_ranks = builder->schedule->num_ranks;
    int *edge = builder->parts;
    int num_edges = 0;
    int group, child;

    memcpy(builder->count, builder->held, (size_t)num_ranks * sizeof(*builder->count));
    for (group = 0; group < builder->num_groups; group++) {
        int first = builder->edge[group];
        int size = builder->edge[group + 1] - first;
        int children = size < arity ? size : arity;
        int start = num_edges;

        for (child = 0; child < children; child++) {
            /* The larger children come first. */
            edge[num_edges++] = first + child * (size / children) +
                                (child < size % children ? child : size % children);
        }
        edge[num_edges] = first + size;
        exchange(builder, &edge[start], children);
    }
    builder->parts = builder->edge;
    builder->edge = edge;
    builder->num_groups = num_edges;
}

static void run_stages(builder_t *builder)
{
    mtree_optree_schedule_t *schedule = builder->schedule;
    int rank;

    for (rank = 0; rank < schedule->num_ranks; rank++) {
        schedule->blocks[(size_t)rank * (size_t)schedule->num_ranks] = rank;
        builder->held[rank] = 1;
    }
    builder->edge[0] = 0;
    builder->edge[1] = schedule->num_ranks;
    builder->num_groups = 1;
    for (; builder->stage < schedule->num_stages; builder->stage++) {
        run_stage(builder, schedule->stages[builder->stage].arity);
        schedule->stage_send[builder->stage + 1] = builder->num_sends;
    }
}

static mtree_status_t check_arguments(int num_ranks, int num_stages, int num_wavelengths)
{
    if (num_ranks < 1 || num_stages < 1 || num_wavelengths < 1) {
        mtree_error(
            "optree: %d ranks, %d stages and %d wavelengths: each must be at least 1",
            num_ranks, num_stages, num_wavelengths);
        return MTREE_ERR_INVALID;
    }
    if (num_ranks > MTREE_OPTREE_MAX_RANKS || num_stages > MTREE_OPTREE_MAX_STAGES) {
        mtree_error(
            "optree: %d ranks in %d stages: at most %d ranks and %d stages are planned",
            num_ranks, num_stages, MTREE_OPTREE_MAX_RANKS, MTREE_OPTREE_MAX_STAGES);
        return MTREE_ERR_LIMIT;
    }
    return MTREE_OK;
}

mtree_status_t mtree_optree_schedule_create(int num_ranks, int num_stages,
                                            int num_wavelengths,
                                            mtree_optree_schedule_t **schedule_p)
{
    mtree_status_t status = check_arguments(num_ranks, num_stages, num_wavelengths);
    size_t ranks = (size_t)num_ranks;
    mtree_optree_schedule_t *schedule;
    builder_t builder = {0};

    if (status != MTREE_OK) {
        return status;
    }
    schedule = mtree_calloc(1, sizeof(*schedule));
    schedule->num_ranks = num_ranks;
    schedule->num_stages = num_stages;
    schedule->steps = mtree_optree_count_steps(num_ranks, num_stages, num_wavelengths,
                                               schedule->stages);
    builder.schedule = schedule;
    MTREE_ARENA_ARRAY(&schedule->arena, schedule->stage_send, (size_t)num_stages + 1);
    MTREE_ARENA_ARRAY(&schedule->arena, schedule->blocks, ranks * ranks);
    MTREE_ARENA_ARRAY(&schedule->arena, builder.held, ranks);
    MTREE_ARENA_ARRAY(&schedule->arena, builder.count, ranks);
    MTREE_ARENA_ARRAY(&schedule->arena, builder.edge, ranks + 1);
    MTREE_ARENA_ARRAY(&schedule->arena, builder.parts, ranks + 1);
    run_stages(&builder);
    *schedule_p = schedule;
    return MTREE_OK;
}

const int *mtree_optree_blocks(const mtree_optree_schedule_t *schedule, int rank)
{
    return &schedule->blocks[(size_t)rank * (size_t)schedule->num_ranks];
}

void mtree_optree_schedule_destroy(mtree_optree_schedule_t *schedule)
{
    if (schedule == NULL) {
        return;
    }
    mtree_arena_cleanup(&schedule->arena);
    free(schedule->sends);
    free(schedule);
}
