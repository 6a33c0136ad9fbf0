/* SPDX-License-Identifier: BSD-3-Clause */
/* The layout of a call over a plan that names a rank program.  Every rank builds its own
 * program without a message. */
#include "schedule/chunks.h"
#include "schedule/layout_private.h"

/* The number of the tree whose leaders communicate for their hosts. */
#define TREE 0

/* The leader of each host.  That of the root's host is the root. */
static void fill_leaders(const mtree_placement_t *placement, const mtree_call_t *call,
                         int *leader)
{
    for (int host = 0; host < placement->num_hosts; host++) {
        leader[host] = mtree_placement_leader(placement, host, TREE);
    }
    if (mtree_collective_has_root(call->collective)) {
        leader[placement->host[call->root]] = call->root;
    }
}

/* List the other ends of all messages; @a is_peer is [num_ranks] false. */
static void find_peers(mtree_layout_t *layout, int num_ranks, bool *is_peer)
{
    const mtree_program_t *program = layout->program;
    int num = 0;

    for (size_t i = 0; i < program->num_steps; i++) {
        const mtree_step_t *step = &program->steps[i];

        if (step->kind == MTREE_STEP_SEND || step->kind == MTREE_STEP_RECV) {
            num += !is_peer[step->peer];
            is_peer[step->peer] = true;
        }
    }
    MTREE_ARENA_ARRAY(&layout->arena, layout->peers, (size_t)num);
    for (int rank = 0; rank < num_ranks; rank++) {
        if (is_peer[rank]) {
            layout->peers[layout->num_peers++].rank = rank;
        }
    }
}

/* @a leader is [num_hosts], @a children [ranks]. */
static void build(const mtree_plan_part_t *part, const mtree_placement_t *placement,
                  const mtree_call_t *call, int rank, int *leader, int *children,
                  mtree_program_t *program)
{
    mtree_program_job_t job = {.collective = call->collective,
                               .root = call->root,
                               .units = call->units,
                               .is_exclusive = call->is_exclusive,
                               .blocks = call->blocks,
                               .num_ranks = placement->num_ranks,
                               .num_hosts = placement->num_hosts,
                               .host = placement->host,
                               .order = part->order,
                               .shape = part->shape,
                               .leader = leader,
                               .rank = rank,
                               .children = children};

    fill_leaders(placement, call, leader);
    mtree_placement_neighbours(placement, rank, leader[placement->host[rank]], TREE,
                               &job.parent, children, &job.num_children);
    mtree_program_build(part->program, &job, program);
}

/* The units of the longest message; 0: any. */
static size_t longest_message(const mtree_plan_part_t *part, const mtree_call_t *call)
{
    size_t bytes = part->message_bytes > 0 ? part->message_bytes : call->longest_bytes;

    return bytes == 0 || call->unit_bytes == 0 ? 0 : mtree_chunk_units(call, bytes);
}

mtree_status_t mtree_layout_fill_program(const mtree_plan_part_t *part,
                                         const mtree_placement_t *placement,
                                         const mtree_call_t *call, int rank,
                                         mtree_layout_t *layout)
{
    mtree_arena_t arena = {0};
    int *leader, *children;
    bool *is_peer;

    if (!mtree_program_does(part->program, call->collective) ||
        part->num_hosts != placement->num_hosts) {
        return MTREE_ERR_UNSUPPORTED;
    }
    layout->num_streams = 1;
    layout->has_result =
        mtree_collective_result(call->collective, rank, call->root) != MTREE_PART_NONE;
    MTREE_ARENA_ARRAY(&arena, leader, (size_t)placement->num_hosts);
    MTREE_ARENA_ARRAY(&arena, children, (size_t)placement->num_ranks);
    MTREE_ARENA_ARRAY(&arena, is_peer, (size_t)placement->num_ranks);
    MTREE_ARENA_ARRAY(&layout->arena, layout->program, 1);
    layout->program->overlap = call->overlap;
    layout->program->piece = longest_message(part, call);
    build(part, placement, call, rank, leader, children, layout->program);
    find_peers(layout, placement->num_ranks, is_peer);
    mtree_arena_cleanup(&arena);
    return MTREE_OK;
}
