/* SPDX-License-Identifier: BSD-3-Clause */
#include "planner/program/kinds.h"

/*
 * Slot j has the blocks that leave their host for the one j places on, or that have come
 * from there: by their senders, and of each of these by their receivers.
 */
typedef struct {
    const mtree_program_job_t *job;
    const mtree_ranks_t *ranks;
    mtree_program_t *program;
    int place;            /* of the rank's host */
    size_t *units;        /* [num_hosts] that each rank sends to the host at a place */
    mtree_place_t *slots; /* [num_hosts] */
    size_t used;          /* units of WORK */
} build_t;

/* The units that @a rank gets from each other one. */
static size_t size_of(const mtree_program_job_t *job, int rank)
{
    return job->blocks != NULL ? mtree_block_size(job, rank)
                               : job->units / (size_t)job->num_ranks;
}

/* The place itself, or one round away. */
static int around(const build_t *build, int place)
{
    const int hosts = build->job->num_hosts;

    return place < 0 ? place + hosts : place >= hosts ? place - hosts : place;
}

static int leader_at(const build_t *build, int place)
{
    return build->ranks->leader[around(build, place)];
}

static mtree_place_t take_work(build_t *build, size_t units)
{
    const mtree_place_t place = mtree_place(MTREE_BUFFER_WORK, build->used);

    build->used += units;
    return place;
}

static mtree_place_t behind(mtree_place_t place, size_t units)
{
    return mtree_place(place.buffer, place.offset + units);
}

/* Copy the blocks of this rank for the host at @a place to @a to. */
static void pack(build_t *build, int place, mtree_place_t to)
{
    MTREE_RANKS_AT(rank, build->ranks, place)
    {
        mtree_program_copy_block(build->program, rank, to,
                                 mtree_place(MTREE_BUFFER_INPUT, 0),
                                 size_of(build->job, rank));
        to = behind(to, size_of(build->job, rank));
    }
}

/* Hand the user what has come to this rank from all other hosts, in the order of the
 * slots. */
static void unpack_all(build_t *build, mtree_place_t from)
{
    const size_t size = size_of(build->job, build->job->rank);

    for (int j = 1; j < build->job->num_hosts; j++) {
        MTREE_RANKS_AT(rank, build->ranks, around(build, build->place - j))
        {
            mtree_program_copy_block(build->program, rank,
                                     mtree_place(MTREE_BUFFER_RESULT, 0), from, size);
            from = behind(from, size);
        }
    }
}

/* Units that a rank of this host sends to all other hosts, and gets from there. */
static size_t sent_units(const build_t *build)
{
    size_t units = 0;

    for (int place = 0; place < build->job->num_hosts; place++) {
        units += place == build->place ? 0 : build->units[place];
    }
    return units;
}

static size_t received_units(const build_t *build, int rank)
{
    return size_of(build->job, rank) *
           (size_t)(build->job->num_ranks - mtree_ranks_num(build->ranks, build->place));
}

/* What one rank sends to all other hosts, in the order of the slots. */
static mtree_place_t pack_all(build_t *build)
{
    const mtree_place_t all = take_work(build, sent_units(build));
    mtree_place_t to = all;

    for (int j = 1; j < build->job->num_hosts; j++) {
        const int place = around(build, build->place + j);

        pack(build, place, to);
        to = behind(to, build->units[place]);
    }
    return all;
}

/* Fill the slots from what each rank of the host sends, @a from [num_ranks]. */
static void fill_slots(build_t *build, mtree_place_t *from)
{
    for (int j = 1; j < build->job->num_hosts; j++) {
        const int place = around(build, build->place + j);
        const size_t units = build->units[place];
        mtree_place_t to =
            take_work(build, units * (size_t)mtree_ranks_num(build->ranks, build->place));

        build->slots[j] = to;
        MTREE_RANKS_AT(rank, build->ranks, build->place)
        {
            mtree_program_copy(build->program, to, from[rank], units);
            from[rank] = behind(from[rank], units);
            to = behind(to, units);
        }
    }
}

static void collect(build_t *build)
{
    const mtree_program_job_t *job = build->job;
    mtree_place_t *from;

    MTREE_ARENA_ARRAY(build->ranks->arena, from, (size_t)job->num_ranks);
    MTREE_RANKS_AT(rank, build->ranks, build->place)
    {
        if (rank != job->rank) {
            from[rank] = mtree_program_slot(build->program, sent_units(build));
            mtree_program_recv_now(build->program, rank, from[rank], sent_units(build));
        }
    }
    from[job->rank] = pack_all(build);
    fill_slots(build, from);
}

/* The units of slot @a j at the host at @a place after the hops below @a hop, which is a
 * power of two. */
static size_t slot_units(const build_t *build, int place, int j, int hop)
{
    const int from = around(build, place - (j & (hop - 1)));

    return (size_t)mtree_ranks_num(build->ranks, from) *
           build->units[around(build, from + j)];
}

/* Slots that take the hop go together, and others come in their place. */
static void take_hop(build_t *build, int hop)
{
    const int back = around(build, build->place - hop);
    size_t sent = 0, received = 0;
    mtree_place_t out, in;

    for (int j = hop; j < build->job->num_hosts; j++) {
        sent += (j & hop) != 0 ? slot_units(build, build->place, j, hop) : 0;
        received += (j & hop) != 0 ? slot_units(build, back, j, hop) : 0;
    }
    out = take_work(build, sent);
    in = mtree_program_slot(build->program, received);
    sent = 0;
    received = 0;
    for (int j = hop; j < build->job->num_hosts; j++) {
        if ((j & hop) != 0) {
            const size_t units = slot_units(build, build->place, j, hop);

            mtree_program_copy(build->program, behind(out, sent), build->slots[j], units);
            sent += units;
            build->slots[j] = behind(in, received);
            received += slot_units(build, back, j, hop);
        }
    }
    (void)mtree_program_send(build->program, leader_at(build, build->place + hop), out,
                             sent);
    mtree_program_recv_now(build->program, leader_at(build, back), in, received);
}

/* Give @a rank of this host its part of the slots. */
static void hand_out(build_t *build, int rank)
{
    const mtree_place_t all = take_work(build, received_units(build, rank));
    mtree_place_t to = all;
    size_t before = 0; /* in the part of a sender */

    MTREE_RANKS_AT(other, build->ranks, build->place)
    {
        before += other < rank ? size_of(build->job, other) : 0;
    }
    for (int j = 1; j < build->job->num_hosts; j++) {
        const int senders =
            mtree_ranks_num(build->ranks, around(build, build->place - j));

        for (int s = 0; s < senders; s++) {
            mtree_program_copy(
                build->program, to,
                behind(build->slots[j], (size_t)s * build->units[build->place] + before),
                size_of(build->job, rank));
            to = behind(to, size_of(build->job, rank));
        }
    }
    if (rank != build->job->rank) {
        (void)mtree_program_send(build->program, rank, all, received_units(build, rank));
    } else {
        unpack_all(build, all);
    }
}

static void lead(build_t *build)
{
    collect(build);
    for (int hop = 1; hop < build->job->num_hosts; hop *= 2) {
        take_hop(build, hop);
    }
    MTREE_RANKS_AT(rank, build->ranks, build->place)
    {
        hand_out(build, rank);
    }
}

static void follow(build_t *build)
{
    const int leader = leader_at(build, build->place);
    const size_t units = received_units(build, build->job->rank);
    const mtree_place_t from = mtree_program_slot(build->program, units);

    (void)mtree_program_send(build->program, leader, pack_all(build), sent_units(build));
    mtree_program_recv_now(build->program, leader, from, units);
    unpack_all(build, from);
}

/* The blocks between the ranks of a host. */
static void swap_on_host(build_t *build)
{
    const mtree_program_job_t *job = build->job;

    MTREE_RANKS_AT(rank, build->ranks, build->place)
    {
        if (rank != job->rank) {
            const mtree_place_t out = take_work(build, size_of(job, rank));

            mtree_program_copy_block(build->program, rank, out,
                                     mtree_place(MTREE_BUFFER_INPUT, 0),
                                     size_of(job, rank));
            (void)mtree_program_send(build->program, rank, out, size_of(job, rank));
        }
    }
}

static void receive_on_host(build_t *build)
{
    const mtree_program_job_t *job = build->job;
    const size_t size = size_of(job, job->rank);

    MTREE_RANKS_AT(rank, build->ranks, build->place)
    {
        if (rank != job->rank) {
            const mtree_place_t in = mtree_program_slot(build->program, size);

            mtree_program_recv_now(build->program, rank, in, size);
            mtree_program_copy_block(build->program, rank,
                                     mtree_place(MTREE_BUFFER_RESULT, 0), in, size);
        }
    }
}

void mtree_alltoall_build(const mtree_program_job_t *job, const mtree_ranks_t *ranks,
                          mtree_program_t *program)
{
    build_t build = {
        .job = job, .ranks = ranks, .program = program, .place = ranks->place};
    const size_t first = program->num_steps;

    MTREE_ARENA_ARRAY(ranks->arena, build.units, (size_t)job->num_hosts);
    MTREE_ARENA_ARRAY(ranks->arena, build.slots, (size_t)job->num_hosts);
    for (int rank = 0; rank < job->num_ranks; rank++) {
        build.units[ranks->place_of[rank]] += size_of(job, rank);
    }
    /* Messages between two ranks keep their order: those on the host come first. */
    swap_on_host(&build);
    receive_on_host(&build);
    if (job->parent < 0) {
        lead(&build);
    } else {
        follow(&build);
    }
    mtree_program_wait_sends(program, first);
}
