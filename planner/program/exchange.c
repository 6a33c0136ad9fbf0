/* SPDX-License-Identifier: BSD-3-Clause */
#include "planner/program/kinds.h"

/* Does the host at @a place of the order need the sum? */
static bool gets_sum(const mtree_program_job_t *job, int place)
{
    return !mtree_collective_has_root(job->collective) ||
           job->host[job->root] == job->order[place];
}

void mtree_exchange_in(const mtree_program_job_t *job, const mtree_circle_t *circle,
                       int place, mtree_program_t *program)
{
    const mtree_place_t result = mtree_place(MTREE_BUFFER_RESULT, 0);
    const mtree_place_t own =
        mtree_place(MTREE_BUFFER_WORK, program->lengths[MTREE_BUFFER_WORK]);
    const int index = (place - circle->first) / circle->stride;

    /* RESULT changes while what was in it is sent. */
    mtree_program_copy(program, own, result, job->units);
    for (int k = 1; k < circle->num; k++) {
        const int to = circle->first + (index + k) % circle->num * circle->stride;

        if (gets_sum(job, to)) {
            (void)mtree_program_send(program, to, own, job->units);
        }
    }
    for (int i = 0; i < circle->num && gets_sum(job, place); i++) {
        mtree_place_t from = own;

        if (i != index) {
            from = mtree_program_slot(program, job->units);
            mtree_program_recv_now(program, circle->first + i * circle->stride, from,
                                   job->units);
        }
        if (i == 0) {
            mtree_program_copy(program, result, from, job->units);
        } else {
            mtree_program_fold(program, result, from, job->units);
        }
    }
}

/* Without a shape all hosts are one circle. */
void mtree_exchange_sum(const mtree_program_job_t *job, int place,
                        mtree_program_t *program)
{
    const size_t sends = program->num_steps;
    int stride = 1, d = 0;

    while (d < MTREE_SHAPE_DIMENSIONS && job->shape[d] > 0) {
        d++;
    }
    do {
        const int num = d > 0 ? job->shape[d - 1] : job->num_hosts;
        const mtree_circle_t circle = {place - place / stride % num * stride, stride,
                                       num};

        mtree_exchange_in(job, &circle, place, program);
        stride *= num;
    } while (--d > 0);
    mtree_program_wait_sends(program, sends);
}

/* The vectors of the ranks of the host at a place, one behind the other in the order of
 * the ranks. */
typedef struct {
    int num, first, last; /* ranks */
    mtree_place_t vectors;
} group_t;

typedef struct {
    const mtree_program_job_t *job;
    const mtree_ranks_t *ranks;
    mtree_program_t *program;
    group_t *groups; /* [num_hosts] */
    int *index;      /* [num_ranks] of a rank among those of its host */
    group_t *own;
} scan_t;

static void find_groups(scan_t *scan)
{
    for (int place = 0; place < scan->job->num_hosts; place++) {
        group_t *group = &scan->groups[place];

        group->first = scan->ranks->list[scan->ranks->first[place]];
        MTREE_RANKS_AT(rank, scan->ranks, place)
        {
            group->last = rank;
            scan->index[rank] = group->num++;
        }
    }
}

/* Units from a vector to the next. */
static size_t stride(const scan_t *scan)
{
    return scan->job->units + scan->program->overlap;
}

/* Where the vector number @a index of @a group is. */
static mtree_place_t vector_at(const scan_t *scan, const group_t *group, int index)
{
    return mtree_place(group->vectors.buffer,
                       group->vectors.offset + (size_t)index * stride(scan));
}

/* Where the vector of @a rank is in those of its host. */
static mtree_place_t vector_of(const scan_t *scan, int rank)
{
    return vector_at(scan, &scan->groups[scan->ranks->place_of[rank]], scan->index[rank]);
}

/* A place for the vectors of @a group. */
static mtree_place_t make_room(const scan_t *scan, const group_t *group)
{
    return mtree_program_slot(scan->program, (size_t)group->num * stride(scan));
}

/* Does @a from have a rank before one of @a to? */
static bool needs(const group_t *to, const group_t *from)
{
    return to != from && from->first < to->last;
}

/* Have the vectors of the leader's host in one place. */
static void collect(scan_t *scan)
{
    const mtree_program_job_t *job = scan->job;

    scan->own->vectors = make_room(scan, scan->own);
    MTREE_RANKS_AT(rank, scan->ranks, scan->ranks->place)
    {
        if (rank != job->rank) {
            mtree_program_recv_now(scan->program, rank, vector_of(scan, rank),
                                   job->units);
        }
    }
    mtree_program_copy(scan->program, vector_of(scan, job->rank),
                       mtree_place(MTREE_BUFFER_INPUT, 0), job->units);
}

/* Exchange them with the other hosts, each in a message of its own: between two of them
 * memory may hold nothing of either. */
static void exchange(scan_t *scan)
{
    const mtree_program_job_t *job = scan->job;

    for (int h = 0; h < job->num_hosts; h++) {
        for (int i = 0; i < scan->own->num && needs(&scan->groups[h], scan->own); i++) {
            (void)mtree_program_send(scan->program, scan->ranks->leader[h],
                                     vector_at(scan, scan->own, i), job->units);
        }
    }
    for (int h = 0; h < job->num_hosts; h++) {
        group_t *from = &scan->groups[h];

        if (!needs(scan->own, from)) {
            continue;
        }
        from->vectors = make_room(scan, from);
        for (int i = 0; i < from->num; i++) {
            mtree_program_recv_now(scan->program, scan->ranks->leader[h],
                                   vector_at(scan, from, i), job->units);
        }
    }
}

/* Each rank's vector becomes the sum up to it, and each rank of the host gets its own. */
static void add_up(scan_t *scan)
{
    const mtree_program_job_t *job = scan->job;
    const group_t sent = *scan->own;

    /* What is being sent stays as it is. */
    scan->own->vectors = mtree_place(MTREE_BUFFER_WORK, 0);
    for (int i = 0; i < sent.num; i++) {
        mtree_program_copy(scan->program, vector_at(scan, scan->own, i),
                           vector_at(scan, &sent, i), job->units);
    }
    for (int rank = 1; rank <= scan->own->last; rank++) {
        mtree_program_fold(scan->program, vector_of(scan, rank),
                           vector_of(scan, rank - 1), job->units);
    }
    for (int rank = job->is_exclusive; rank <= scan->own->last; rank++) {
        const mtree_place_t sum = vector_of(scan, rank - job->is_exclusive);

        if (rank == job->rank) {
            mtree_program_copy(scan->program, mtree_place(MTREE_BUFFER_RESULT, 0), sum,
                               job->units);
        } else if (scan->ranks->place_of[rank] == scan->ranks->place) {
            (void)mtree_program_send(scan->program, rank, sum, job->units);
        }
    }
}

static void lead(scan_t *scan)
{
    size_t first;

    find_groups(scan);
    collect(scan);
    first = scan->program->num_steps;
    exchange(scan);
    add_up(scan);
    mtree_program_wait_sends(scan->program, first);
}

static void follow(const mtree_program_job_t *job, int leader, mtree_program_t *program)
{
    mtree_program_send_now(program, leader, mtree_place(MTREE_BUFFER_INPUT, 0),
                           job->units);
    if (job->rank >= job->is_exclusive) {
        mtree_program_recv_now(program, leader, mtree_place(MTREE_BUFFER_RESULT, 0),
                               job->units);
    }
}

void mtree_exchange_scan(const mtree_program_job_t *job, const mtree_ranks_t *ranks,
                         mtree_program_t *program)
{
    scan_t scan = {.job = job, .ranks = ranks, .program = program};

    if (job->parent >= 0) {
        follow(job, ranks->leader[ranks->place], program);
        return;
    }
    MTREE_ARENA_ARRAY(ranks->arena, scan.groups, (size_t)job->num_hosts);
    MTREE_ARENA_ARRAY(ranks->arena, scan.index, (size_t)job->num_ranks);
    scan.own = &scan.groups[ranks->place];
    lead(&scan);
}
