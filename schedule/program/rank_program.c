/* SPDX-License-Identifier: BSD-3-Clause */
#include "schedule/program/rank_program.h"

#include "base/arena.h"

#include <stdalign.h>
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
static mtree_status_t find_peers(mtree_rank_program_t *program)
{
    const mtree_program_t *of = &program->program;
    mtree_peer_t *peers = calloc(of->num_steps + 1, sizeof(*peers));
    int num = 0;

    program->layout = (mtree_layout_t){.num_streams = 1, .peers = peers};
    if (peers == NULL) {
        return MTREE_ERR_NO_MEMORY;
    }
    for (size_t i = 0; i < of->num_steps; i++) {
        if (of->steps[i].kind == MTREE_STEP_SEND ||
            of->steps[i].kind == MTREE_STEP_RECV) {
            peers[num++].rank = of->steps[i].peer;
        }
    }
    qsort(peers, (size_t)num, sizeof(*peers), compare_peers);
    for (int i = 0; i < num; i++) {
        if (i == 0 || peers[i].rank != peers[i - 1].rank) {
            peers[program->layout.num_peers++] = peers[i];
        }
    }
    return MTREE_OK;
}

/* @a leader is [num_hosts], @a children [ranks]. */
static mtree_status_t build(const mtree_plan_part_t *part,
                            const mtree_placement_t *placement, const mtree_call_t *call,
                            bool is_exclusive, int rank, int *leader, int *children,
                            mtree_program_t *program)
{
    mtree_program_job_t job = {.collective = call->collective,
                               .root = call->root,
                               .units = call->units,
                               .is_exclusive = is_exclusive,
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

size_t mtree_rank_program_overlap(const mtree_operation_data_t *data)
{
    return data->extent > 0 && data->span > (size_t)data->extent
               ? (data->span - 1) / (size_t)data->extent
               : 0;
}

mtree_status_t mtree_rank_program_create(const mtree_plan_part_t *part,
                                         const mtree_placement_t *placement,
                                         const mtree_call_t *call, bool is_exclusive,
                                         size_t overlap, int rank,
                                         mtree_rank_program_t **program_p)
{
    mtree_rank_program_t *program;
    mtree_arena_t arena = {0};
    int *leader, *children;
    mtree_status_t status;

    if (!mtree_program_does(part->program, call->collective) ||
        part->num_hosts != placement->num_hosts) {
        return MTREE_ERR_UNSUPPORTED;
    }
    program = calloc(1, sizeof(*program));
    MTREE_ARENA_ARRAY(&arena, leader, (size_t)placement->num_hosts);
    MTREE_ARENA_ARRAY(&arena, children, (size_t)placement->num_ranks);
    status = program == NULL ? MTREE_ERR_NO_MEMORY : arena.status;
    if (status == MTREE_OK) {
        program->program.overlap = overlap;
        program->program.piece = units_of(longest_message(part, call), call->unit_bytes);
        status = build(part, placement, call, is_exclusive, rank, leader, children,
                       &program->program);
    }
    if (status == MTREE_OK) {
        program->has_result = mtree_collective_result(call->collective, rank,
                                                      call->root) != MTREE_PART_NONE;
        status = find_peers(program);
    }
    mtree_arena_cleanup(&arena);
    if (status != MTREE_OK) {
        mtree_rank_program_destroy(program);
        return status;
    }
    *program_p = program;
    return MTREE_OK;
}

/* Bytes of memory for @a units, of which the next piece begins where any may. */
static size_t room_of(const mtree_operation_data_t *data, size_t units)
{
    size_t bytes = units == 0 ? 0 : (units - 1) * (size_t)data->extent + data->span;

    return (bytes + alignof(max_align_t) - 1) / alignof(max_align_t) *
           alignof(max_align_t);
}

/* Is @a buffer none of the user's, whose addresses may all be NULL (MPI_BOTTOM)? */
static bool is_made(const mtree_rank_program_t *program, int buffer)
{
    return buffer == MTREE_BUFFER_RESULT ? !program->has_result
                                         : buffer != MTREE_BUFFER_INPUT;
}

size_t mtree_rank_program_scratch(const mtree_rank_program_t *program,
                                  const mtree_operation_data_t *data)
{
    size_t bytes = 0;

    for (int b = 0; b < MTREE_BUFFER_LAST; b++) {
        bytes += is_made(program, b) ? room_of(data, program->program.lengths[b]) : 0;
    }
    return bytes;
}

mtree_status_t mtree_rank_program_start(const mtree_rank_program_t *program,
                                        mtree_transport_t *transport,
                                        const mtree_operation_data_t *data,
                                        mtree_operation_func_t func, void *arg,
                                        mtree_operation_t **operation_p)
{
    void *address[MTREE_BUFFER_LAST] = {
        [MTREE_BUFFER_INPUT] = (void *)data->input, [MTREE_BUFFER_RESULT] = data->output};
    const size_t bytes = mtree_rank_program_scratch(program, data);
    char *room = malloc(bytes), *at = room;

    if (room == NULL && bytes > 0) {
        return MTREE_ERR_NO_MEMORY;
    }
    for (int b = 0; b < MTREE_BUFFER_LAST; b++) {
        if (is_made(program, b)) {
            address[b] = mtree_address(at, -data->gap);
            at += room_of(data, program->program.lengths[b]);
        }
    }
    return mtree_program_start(&program->program, transport, data, address, room, func,
                               arg, operation_p);
}

void mtree_rank_program_destroy(mtree_rank_program_t *program)
{
    if (program != NULL) {
        mtree_program_clear(&program->program);
        free(program->layout.peers);
        free(program);
    }
}
