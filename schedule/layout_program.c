/* SPDX-License-Identifier: BSD-3-Clause */
/* The layout of a call over a plan that names a rank program.  Every rank builds its own
 * program without a message. */
#include "schedule/layout_private.h"

#include <stdlib.h>

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

static int compare_peers(const void *a, const void *b)
{
    return ((const mtree_peer_t *)a)->rank - ((const mtree_peer_t *)b)->rank;
}

/* List the other ends of all messages. */
static void find_peers(mtree_layout_t *layout)
{
    const mtree_program_t *program = layout->program;
    mtree_peer_t *peers;
    int num = 0;

    MTREE_ARENA_ARRAY(&layout->arena, layout->peers, program->num_steps);
    peers = layout->peers;
    for (size_t i = 0; i < program->num_steps && peers != NULL; i++) {
        if (program->steps[i].kind == MTREE_STEP_SEND ||
            program->steps[i].kind == MTREE_STEP_RECV) {
            peers[num++].rank = program->steps[i].peer;
        }
    }
    qsort(peers, (size_t)num, sizeof(*peers), compare_peers);
    for (int i = 0; i < num; i++) {
        if (i == 0 || peers[i].rank != peers[i - 1].rank) {
            peers[layout->num_peers++] = peers[i];
        }
    }
}

/* @a leader is [num_hosts], @a children [ranks]. */
static mtree_status_t build(const mtree_plan_part_t *part,
                            const mtree_placement_t *placement, const mtree_call_t *call,
                            int rank, int *leader, int *children,
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
    mtree_placement_hang(placement, rank, leader[placement->host[rank]], TREE,
                         &job.parent, children, &job.num_children);
    return mtree_program_build(part->program, &job, program);
}

/* The bytes of the longest message; 0: any. */
static size_t longest_message(const mtree_plan_part_t *part, const mtree_call_t *call)
{
    return call->longest_bytes > 0 &&
                   (part->message_bytes == 0 || part->message_bytes > call->longest_bytes)
               ? call->longest_bytes
               : part->message_bytes;
}

/* The units in a message of @a bytes; 0: it may have any length. */
static size_t units_of(size_t bytes, size_t unit_bytes)
{
    return bytes == 0 || unit_bytes == 0 ? 0
           : bytes < unit_bytes          ? 1
                                         : bytes / unit_bytes;
}

mtree_status_t mtree_layout_fill_program(const mtree_plan_part_t *part,
                                         const mtree_placement_t *placement,
                                         const mtree_call_t *call, int rank,
                                         mtree_layout_t *layout)
{
    mtree_arena_t arena = {0};
    int *leader, *children;
    mtree_status_t status;

    if (!mtree_program_does(part->program, call->collective) ||
        part->num_hosts != placement->num_hosts) {
        return MTREE_ERR_UNSUPPORTED;
    }
    layout->num_streams = 1;
    layout->has_result =
        mtree_collective_result(call->collective, rank, call->root) != MTREE_PART_NONE;
    MTREE_ARENA_ARRAY(&arena, leader, (size_t)placement->num_hosts);
    MTREE_ARENA_ARRAY(&arena, children, (size_t)placement->num_ranks);
    MTREE_ARENA_ARRAY(&layout->arena, layout->program, 1);
    status = arena.status;
    if (status == MTREE_OK && layout->program != NULL) {
        layout->program->overlap = call->overlap;
        layout->program->piece = units_of(longest_message(part, call), call->unit_bytes);
        status = build(part, placement, call, rank, leader, children, layout->program);
        find_peers(layout);
    }
    mtree_arena_cleanup(&arena);
    return status;
}
