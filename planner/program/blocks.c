/* SPDX-License-Identifier: BSD-3-Clause */
#include "planner/program/kinds.h"

typedef struct {
    const mtree_program_job_t *job;
    const mtree_ranks_t *ranks;
    mtree_program_t *program;
    size_t *first; /* [num_hosts + 1] as of mtree_blocks_t */
    size_t *at;    /* [num_ranks] where in WORK the block of a rank begins */
} build_t;

static mtree_place_t work(const build_t *build, int rank)
{
    return mtree_place(MTREE_BUFFER_WORK, build->at[rank]);
}

/* Find where the blocks lie: those of a host by its ranks. */
static void arrange(build_t *build, const mtree_blocks_kind_t *kind)
{
    const mtree_program_job_t *job = build->job;
    size_t units = 0;
    int *sequence; /* places */

    MTREE_ARENA_ARRAY(build->ranks->arena, sequence, (size_t)job->num_hosts);
    MTREE_ARENA_ARRAY(build->ranks->arena, build->first, (size_t)job->num_hosts + 1);
    MTREE_ARENA_ARRAY(build->ranks->arena, build->at, (size_t)job->num_ranks);
    kind->order(job, build->ranks->place, sequence);
    for (int i = 0; i < job->num_hosts; i++) {
        build->first[i] = units;
        MTREE_RANKS_AT(rank, build->ranks, sequence[i])
        {
            build->at[rank] = units;
            units += mtree_block_size(job, rank);
        }
    }
    build->first[job->num_hosts] = units;
}

static void go_between(build_t *build, const mtree_blocks_kind_t *kind)
{
    build->program->ranks = build->ranks->leader;
    kind->between(&(mtree_blocks_t){.job = build->job,
                                    .program = build->program,
                                    .place = build->ranks->place,
                                    .first = build->first});
    build->program->ranks = NULL;
}

/* The leader collects the blocks of its host, and hands all of them down. */
static void build_allgather(build_t *build, const mtree_blocks_kind_t *kind)
{
    const mtree_program_job_t *job = build->job;
    const mtree_place_t all = mtree_place(MTREE_BUFFER_WORK, 0);
    const size_t units = build->first[job->num_hosts];
    size_t first = build->program->num_steps;

    MTREE_RANKS_AT(rank, build->ranks, build->ranks->place)
    {
        if (rank != job->rank && job->parent < 0) {
            (void)mtree_program_recv(build->program, rank, work(build, rank),
                                     mtree_block_size(job, rank));
        }
    }
    mtree_program_copy_block(
        build->program, job->rank, work(build, job->rank),
        mtree_place(MTREE_BUFFER_RESULT, mtree_block_begin(job, job->rank)),
        mtree_block_size(job, job->rank));
    mtree_program_wait_all(build->program, first);
    if (job->parent < 0) {
        go_between(build, kind);
    } else {
        mtree_program_send_now(build->program, build->ranks->leader[build->ranks->place],
                               work(build, job->rank), mtree_block_size(job, job->rank));
        mtree_program_recv_now(build->program, job->parent, all, units);
    }
    first = build->program->num_steps;
    for (int c = 0; c < job->num_children; c++) {
        (void)mtree_program_send(build->program, job->children[c], all, units);
    }
    for (int rank = 0; rank < job->num_ranks; rank++) {
        if (rank != job->rank) {
            mtree_program_copy_block(
                build->program, rank,
                mtree_place(MTREE_BUFFER_RESULT, mtree_block_begin(job, rank)),
                work(build, rank), mtree_block_size(job, rank));
        }
    }
    mtree_program_wait_sends(build->program, first);
}

/* Ranks add up to their leader, which gives each of them its block. */
static void build_reduce_scatter(build_t *build, const mtree_blocks_kind_t *kind)
{
    const mtree_program_job_t *job = build->job;
    const mtree_place_t all = mtree_place(MTREE_BUFFER_WORK, 0);
    const mtree_place_t result =
        mtree_place(MTREE_BUFFER_RESULT, mtree_block_begin(job, job->rank));
    const size_t units = build->first[job->num_hosts];
    size_t first;

    for (int rank = 0; rank < job->num_ranks; rank++) {
        mtree_program_copy(build->program, work(build, rank),
                           mtree_place(MTREE_BUFFER_INPUT, mtree_block_begin(job, rank)),
                           mtree_block_size(job, rank));
    }
    for (int c = 0; c < job->num_children; c++) {
        mtree_program_recv_and_fold(build->program, job->children[c], all, units);
    }
    if (job->parent >= 0) {
        mtree_program_send_now(build->program, job->parent, all, units);
        mtree_program_recv_now(build->program, build->ranks->leader[build->ranks->place],
                               result, mtree_block_size(job, job->rank));
        return;
    }
    go_between(build, kind);
    first = build->program->num_steps;
    MTREE_RANKS_AT(rank, build->ranks, build->ranks->place)
    {
        if (rank != job->rank) {
            (void)mtree_program_send(build->program, rank, work(build, rank),
                                     mtree_block_size(job, rank));
        }
    }
    mtree_program_copy(build->program, result, work(build, job->rank),
                       mtree_block_size(job, job->rank));
    mtree_program_wait_sends(build->program, first);
}

void mtree_blocks_build(const mtree_blocks_kind_t *kind, const mtree_program_job_t *job,
                        const mtree_ranks_t *ranks, mtree_program_t *program)
{
    build_t build = {.job = job, .ranks = ranks, .program = program};

    arrange(&build, kind);
    if (job->collective == MTREE_ALLGATHER) {
        build_allgather(&build, kind);
    } else {
        build_reduce_scatter(&build, kind);
    }
}
