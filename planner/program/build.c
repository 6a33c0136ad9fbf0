/* SPDX-License-Identifier: BSD-3-Clause */
#include "planner/program/build.h"

#include "planner/program/kinds.h"

#include <string.h>

/*
 * Allgather in ceil(log2 n) rounds between any number of hosts (J. Bruck et al.,
 * Efficient Algorithms for All-to-All Communications in Multiport Message-Passing
 * Systems, 1997, section 4).  Blocks are in the order of the places from the own one on.
 * A host that has the first k sends as many as are missing of them k places back.
 */
static void bruck_order(const mtree_program_job_t *job, int place, int *sequence)
{
    for (int i = 0; i < job->num_hosts; i++) {
        sequence[i] = (place + i) % job->num_hosts;
    }
}

static void bruck_gather(const mtree_blocks_t *blocks)
{
    mtree_program_t *program = blocks->program;
    const int hosts = blocks->job->num_hosts;
    const size_t sends = program->num_steps;

    for (int have = 1, more; have < hosts; have += more) {
        const size_t begin = blocks->first[have];

        more = have < hosts - have ? have : hosts - have;
        (void)mtree_program_send(program, (blocks->place - have + hosts) % hosts,
                                 mtree_place(MTREE_BUFFER_WORK, 0), blocks->first[more]);
        mtree_program_recv_now(program, (blocks->place + have) % hosts,
                               mtree_place(MTREE_BUFFER_WORK, begin),
                               blocks->first[have + more] - begin);
    }
    mtree_program_wait_sends(program, sends);
}

static const mtree_blocks_kind_t bruck_blocks = {bruck_order, bruck_gather};

#define DOES(_collective) (1u << (_collective))

static const struct {
    const char *name;
    unsigned collectives;
    void (*sum)(const mtree_program_job_t *job, int place, mtree_program_t *program);
    const mtree_blocks_kind_t *blocks;
} kinds[MTREE_PROGRAM_LAST] = {
    [MTREE_PROGRAM_EXCHANGE] = {"exchange",
                                DOES(MTREE_ALLREDUCE) | DOES(MTREE_REDUCE) |
                                    DOES(MTREE_SCAN),
                                mtree_exchange_sum, NULL},
    [MTREE_PROGRAM_DOUBLING] = {"recursive_doubling",
                                DOES(MTREE_ALLREDUCE) | DOES(MTREE_ALLGATHER),
                                mtree_doubling_sum, &mtree_doubling_blocks},
    [MTREE_PROGRAM_HALVING] = {"recursive_halving",
                               DOES(MTREE_ALLREDUCE) | DOES(MTREE_REDUCE_SCATTER),
                               mtree_halving_sum, &mtree_halving_blocks},
    [MTREE_PROGRAM_BRUCK] = {"bruck", DOES(MTREE_ALLGATHER) | DOES(MTREE_ALLTOALL), NULL,
                             &bruck_blocks},
    [MTREE_PROGRAM_SWING] = {"swing", DOES(MTREE_ALLREDUCE), mtree_swing_sum, NULL},
    [MTREE_PROGRAM_STAGES] = {"staged_exchange", DOES(MTREE_ALLREDUCE),
                              mtree_exchange_sum, NULL},
};

mtree_program_kind_t mtree_program_find(const char *name)
{
    for (int kind = 1; kind < MTREE_PROGRAM_LAST; kind++) {
        if (strcmp(kinds[kind].name, name) == 0) {
            return (mtree_program_kind_t)kind;
        }
    }
    return MTREE_PROGRAM_NONE;
}

bool mtree_program_does(mtree_program_kind_t kind, mtree_collective_t collective)
{
    return (kinds[kind].collectives & DOES(collective)) != 0;
}

bool mtree_program_has_shape(mtree_program_kind_t kind, const int *shape, int num_hosts)
{
    int hosts = 1;

    for (int d = 0; d < MTREE_SHAPE_DIMENSIONS && shape[d] > 0; d++) {
        /* No more than the hosts times those of a ring: it stays an int. */
        hosts *= hosts <= num_hosts ? shape[d] : 1;
    }
    return kind == MTREE_PROGRAM_SWING    ? mtree_swing_fits(shape, num_hosts)
           : kind == MTREE_PROGRAM_STAGES ? shape[0] > 0 && hosts == num_hosts
                                          : shape[0] == 0;
}

static mtree_ranks_t find_ranks(const mtree_program_job_t *job, mtree_arena_t *arena)
{
    mtree_ranks_t ranks = {.arena = arena};
    int *place_of; /* [num_hosts] of a host */

    MTREE_ARENA_ARRAY(arena, place_of, (size_t)job->num_hosts);
    MTREE_ARENA_ARRAY(arena, ranks.place_of, (size_t)job->num_ranks);
    MTREE_ARENA_ARRAY(arena, ranks.leader, (size_t)job->num_hosts);
    MTREE_ARENA_ARRAY(arena, ranks.first, (size_t)job->num_hosts + 2);
    MTREE_ARENA_ARRAY(arena, ranks.list, (size_t)job->num_ranks);
    for (int place = 0; place < job->num_hosts; place++) {
        place_of[job->order[place]] = place;
        ranks.leader[place] = job->leader[job->order[place]];
    }
    /* Counted two places on, so that filling moves each start to where it belongs. */
    for (int rank = 0; rank < job->num_ranks; rank++) {
        ranks.place_of[rank] = place_of[job->host[rank]];
        ranks.first[ranks.place_of[rank] + 2]++;
    }
    for (int place = 0; place < job->num_hosts; place++) {
        ranks.first[place + 2] += ranks.first[place + 1];
    }
    for (int rank = 0; rank < job->num_ranks; rank++) {
        ranks.list[ranks.first[ranks.place_of[rank] + 1]++] = rank;
    }
    ranks.place = ranks.place_of[job->rank];
    return ranks;
}

/* Add up over the ranks below this one, and give the sum to the one above. */
static void sum_up(const mtree_program_job_t *job, mtree_program_t *program)
{
    const mtree_place_t result = mtree_place(MTREE_BUFFER_RESULT, 0);

    mtree_program_copy(program, result, mtree_place(MTREE_BUFFER_INPUT, 0), job->units);
    for (int c = 0; c < job->num_children; c++) {
        mtree_program_recv_and_fold(program, job->children[c], result, job->units);
    }
    if (job->parent >= 0) {
        mtree_program_send_now(program, job->parent, result, job->units);
    }
}

/* The result goes from the leader to all ranks of the host. */
static void hand_down(const mtree_program_job_t *job, mtree_program_t *program)
{
    const mtree_place_t result = mtree_place(MTREE_BUFFER_RESULT, 0);
    size_t first;

    if (job->parent >= 0) {
        mtree_program_recv_now(program, job->parent, result, job->units);
    }
    first = program->num_steps;
    for (int c = 0; c < job->num_children; c++) {
        (void)mtree_program_send(program, job->children[c], result, job->units);
    }
    mtree_program_wait_sends(program, first);
}

/* Between leaders peers go by the places of their hosts. */
static void build_sum(mtree_program_kind_t kind, const mtree_program_job_t *job,
                      const mtree_ranks_t *ranks, mtree_program_t *program)
{
    sum_up(job, program);
    if (job->parent < 0) {
        program->ranks = ranks->leader;
        kinds[kind].sum(job, ranks->place, program);
        program->ranks = NULL;
    }
    if (mtree_collective_goes_down(job->collective)) {
        hand_down(job, program);
    }
}

void mtree_program_build(mtree_program_kind_t kind, const mtree_program_job_t *job,
                         mtree_program_t *program)
{
    mtree_arena_t arena = {0};
    const mtree_ranks_t ranks = find_ranks(job, &arena);

    program->early = true;
    if (mtree_collective_is_prefix(job->collective)) {
        mtree_exchange_scan(job, &ranks, program);
    } else if (job->collective == MTREE_ALLTOALL) {
        mtree_alltoall_build(job, &ranks, program);
    } else if (mtree_collective_has_blocks(job->collective)) {
        mtree_blocks_build(kinds[kind].blocks, job, &ranks, program);
    } else {
        build_sum(kind, job, &ranks, program);
    }
    mtree_program_hoist(program);
    mtree_arena_cleanup(&arena);
}
