/* SPDX-License-Identifier: BSD-3-Clause */
#include "planner/program/kinds.h"

#include "base/arena.h"

typedef struct {
    const mtree_program_job_t *job;
    mtree_program_t *program;
    mtree_arena_t arena;
    int place;     /* of the rank's host */
    int *leaders;  /* [num_hosts] by place */
    int *sequence; /* [num_hosts] places */
    size_t *first; /* [num_hosts + 1] as of mtree_blocks_t */
    size_t *at;    /* [num_ranks] where in WORK the block of a rank begins */
} build_t;

/* The first unit of the block of @a rank in the vector; that of the number of ranks ends
 * the last. */
static size_t begin_of(const mtree_program_job_t *job, int rank)
{
    return job->blocks != NULL ? job->blocks[rank]
                               : job->units * (size_t)rank / (size_t)job->num_ranks;
}

static size_t size_of(const mtree_program_job_t *job, int rank)
{
    return begin_of(job, rank + 1) - begin_of(job, rank);
}

static mtree_place_t work(const build_t *build, int rank)
{
    return mtree_place(MTREE_BUFFER_WORK, build->at[rank]);
}

static bool is_neighbour(const build_t *build, int rank)
{
    return rank != build->job->rank &&
           build->job->host[rank] == build->job->host[build->job->rank];
}

/* Find where the blocks lie: those of a host by its ranks. */
static void arrange(build_t *build, const mtree_blocks_kind_t *kind)
{
    const mtree_program_job_t *job = build->job;
    size_t *index, units = 0; /* of a host in the sequence */

    MTREE_ARENA_ARRAY(&build->arena, index, (size_t)job->num_hosts);
    for (int place = 0; place < job->num_hosts; place++) {
        build->leaders[place] = job->leader[job->order[place]];
        if (job->order[place] == job->host[job->rank]) {
            build->place = place;
        }
    }
    kind->order(job, build->place, build->sequence);
    for (int i = 0; i < job->num_hosts; i++) {
        index[job->order[build->sequence[i]]] = (size_t)i;
    }
    for (int rank = 0; rank < job->num_ranks; rank++) {
        build->first[index[job->host[rank]] + 1] += size_of(job, rank);
    }
    for (int i = 0; i < job->num_hosts; i++) {
        units += build->first[i + 1];
        build->first[i + 1] = units;
    }
    /* While blocks are put there, `first` tells where the next one goes. */
    for (int rank = 0; rank < job->num_ranks; rank++) {
        build->at[rank] = build->first[index[job->host[rank]]];
        build->first[index[job->host[rank]]] += size_of(job, rank);
    }
    for (int i = job->num_hosts; i > 0; i--) {
        build->first[i] = build->first[i - 1];
    }
    build->first[0] = 0;
}

static void go_between(build_t *build, const mtree_blocks_kind_t *kind)
{
    build->program->ranks = build->leaders;
    kind->between(&(mtree_blocks_t){.job = build->job,
                                    .program = build->program,
                                    .place = build->place,
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

    for (int rank = 0; rank < job->num_ranks && job->parent < 0; rank++) {
        if (is_neighbour(build, rank)) {
            (void)mtree_program_recv(build->program, rank, work(build, rank),
                                     size_of(job, rank));
        }
    }
    mtree_program_copy_block(build->program, job->rank, work(build, job->rank),
                             mtree_place(MTREE_BUFFER_RESULT, begin_of(job, job->rank)),
                             size_of(job, job->rank));
    mtree_program_wait_all(build->program, first);
    if (job->parent < 0) {
        go_between(build, kind);
    } else {
        mtree_program_send_now(build->program, job->leader[job->host[job->rank]],
                               work(build, job->rank), size_of(job, job->rank));
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
                mtree_place(MTREE_BUFFER_RESULT, begin_of(job, rank)), work(build, rank),
                size_of(job, rank));
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
        mtree_place(MTREE_BUFFER_RESULT, begin_of(job, job->rank));
    const size_t units = build->first[job->num_hosts];
    size_t first;

    for (int rank = 0; rank < job->num_ranks; rank++) {
        mtree_program_copy(build->program, work(build, rank),
                           mtree_place(MTREE_BUFFER_INPUT, begin_of(job, rank)),
                           size_of(job, rank));
    }
    for (int c = 0; c < job->num_children; c++) {
        const mtree_place_t slot = mtree_program_slot(build->program, units);

        mtree_program_recv_now(build->program, job->children[c], slot, units);
        mtree_program_fold(build->program, all, slot, units);
    }
    if (job->parent >= 0) {
        mtree_program_send_now(build->program, job->parent, all, units);
        mtree_program_recv_now(build->program, job->leader[job->host[job->rank]], result,
                               size_of(job, job->rank));
        return;
    }
    go_between(build, kind);
    first = build->program->num_steps;
    for (int rank = 0; rank < job->num_ranks; rank++) {
        if (is_neighbour(build, rank)) {
            (void)mtree_program_send(build->program, rank, work(build, rank),
                                     size_of(job, rank));
        }
    }
    mtree_program_copy(build->program, result, work(build, job->rank),
                       size_of(job, job->rank));
    mtree_program_wait_sends(build->program, first);
}

void mtree_blocks_build(const mtree_blocks_kind_t *kind, const mtree_program_job_t *job,
                        mtree_program_t *program)
{
    build_t build = {.job = job, .program = program};

    MTREE_ARENA_ARRAY(&build.arena, build.leaders, (size_t)job->num_hosts);
    MTREE_ARENA_ARRAY(&build.arena, build.sequence, (size_t)job->num_hosts);
    MTREE_ARENA_ARRAY(&build.arena, build.first, (size_t)job->num_hosts + 1);
    MTREE_ARENA_ARRAY(&build.arena, build.at, (size_t)job->num_ranks);
    arrange(&build, kind);
    if (job->collective == MTREE_ALLGATHER) {
        build_allgather(&build, kind);
    } else {
        build_reduce_scatter(&build, kind);
    }
    mtree_arena_cleanup(&build.arena);
}
