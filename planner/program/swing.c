/* SPDX-License-Identifier: BSD-3-Clause */
#include "planner/program/swing.h"

#include "base/arena.h"

static int num_dimensions(const int *shape)
{
    int num = 0;

    while (num < MTREE_SHAPE_DIMENSIONS && shape[num] > 0) {
        num++;
    }
    return num;
}

static int log_of(int power)
{
    int log = 0;

    while (1 << log < power) {
        log++;
    }
    return log;
}

bool mtree_swing_fits(const int *shape, int num_hosts)
{
    int hosts = 1;

    for (int d = 0; d < num_dimensions(shape); d++) {
        if ((shape[d] & (shape[d] - 1)) != 0) {
            return false;
        }
        hosts *= shape[d];
    }
    return num_dimensions(shape) > 0 && hosts == num_hosts;
}

/* The dimension of @a round, which is its step *step_p there: dimensions take turns, from
 * that of @a part on, as long as each has steps. */
static int dimension_of(const int *shape, int part, int round, int *step_p)
{
    const int dimensions = num_dimensions(shape);

    for (*step_p = 0;; ++*step_p) {
        for (int i = 0; i < dimensions; i++) {
            const int d = (part / 2 + i) % dimensions;

            if (*step_p < log_of(shape[d]) && round-- == 0) {
                return d;
            }
        }
    }
}

/* What hosts do in one round of a part, along one dimension, whose size is a power of
 * two. */
typedef struct {
    int shift;    /* of the bits of a place that are the coordinate */
    int mask;     /* of the coordinate, shifted down */
    int distance; /* that a host goes whose coordinate is even; others the other way */
} swap_t;

static swap_t swap_of(const int *shape, int part, int round)
{
    int step, shift = 0, sum = 0;
    const int dimension = dimension_of(shape, part, round, &step);

    for (int d = num_dimensions(shape) - 1; d > dimension; d--) {
        shift += log_of(shape[d]);
    }
    for (int s = step; s >= 0; s--) {
        sum = 1 - 2 * sum;
    }
    return (swap_t){shift, shape[dimension] - 1, part % 2 == 0 ? sum : -sum};
}

static int swapped_with(const swap_t *swap, int place)
{
    const int c = place >> swap->shift & swap->mask;
    const int to = (c % 2 == 0 ? c + swap->distance : c - swap->distance) & swap->mask;

    return place + (to - c) * (1 << swap->shift);
}

int mtree_swing_partner(const int *shape, int part, int place, int round)
{
    const swap_t swap = swap_of(shape, part, round);

    return swapped_with(&swap, place);
}

typedef struct {
    const mtree_program_job_t *job;
    mtree_program_t *program;
    mtree_arena_t arena;
    int place, num_rounds, num_parts;
    int *number; /* [num_parts] of the block of each part that the host sums in the end */
} walk_t;

/* The lowest of the places to which the blocks of @a place come in the rounds of @a part
 * from @a round on.  @a members is scratch, [num_hosts]. */
static int lowest_of(const walk_t *walk, int part, int place, int round, int *members)
{
    int count = 1, lowest = place;

    members[0] = place;
    for (; round < walk->num_rounds; round++, count *= 2) {
        const swap_t swap = swap_of(walk->job->shape, part, round);

        for (int i = 0; i < count; i++) {
            const int other = swapped_with(&swap, members[i]);

            members[count + i] = other;
            lowest = lowest < other ? lowest : other;
        }
    }
    return lowest;
}

/*
 * Number the blocks so that what goes in a message is one piece.  Of the blocks that are
 * a host's when @a round begins, all others to which it comes in the rounds from there on
 * have the same; those of the partner after the round are the other half.  The half with
 * the lower place goes first.
 */
static int number_of(const walk_t *walk, int part, int *members)
{
    int number = 0, lowest = walk->place;

    for (int round = walk->num_rounds - 1; round >= 0; round--) {
        const int peer = mtree_swing_partner(walk->job->shape, part, walk->place, round);
        const int other = lowest_of(walk, part, peer, round + 1, members);

        if (other < lowest) {
            lowest = other;
            number += 1 << (walk->num_rounds - 1 - round);
        }
    }
    return number;
}

/* Consecutive units of the vector. */
typedef struct {
    mtree_place_t place;
    size_t count;
} piece_t;

/* What the host sums of @a part together with others when @a rounds are over, or what
 * its partner of the last of these does, which is the other half. */
static piece_t piece_of(const walk_t *walk, int part, bool is_partner, int rounds)
{
    const size_t hosts = (size_t)walk->job->num_hosts;
    const size_t length = hosts >> rounds;
    const size_t half = (size_t)walk->number[part] / length ^ (is_partner ? 1 : 0);
    const size_t blocks = hosts * (size_t)walk->num_parts;
    const size_t first = (size_t)part * hosts + half * length;
    const size_t begin = walk->job->units * first / blocks;

    return (piece_t){mtree_place(MTREE_BUFFER_RESULT, begin),
                     walk->job->units * (first + length) / blocks - begin};
}

static int partner_of(const walk_t *walk, int part, int round)
{
    return mtree_swing_partner(walk->job->shape, part, walk->place, round);
}

/* Each part swaps halves and keeps the sum of one, until one block is left. */
static void halve(walk_t *walk)
{
    mtree_program_t *program = walk->program;
    const size_t sends = program->num_steps;

    for (int round = 0; round <= walk->num_rounds; round++) {
        for (int part = 0; part < walk->num_parts; part++) {
            if (round > 0) {
                const piece_t kept = piece_of(walk, part, false, round);
                const mtree_place_t slot = mtree_program_slot(program, kept.count);

                mtree_program_recv_now(program, partner_of(walk, part, round - 1), slot,
                                       kept.count);
                mtree_program_fold(program, kept.place, slot, kept.count);
            }
            if (round < walk->num_rounds) {
                const int peer = partner_of(walk, part, round);
                const piece_t given = piece_of(walk, part, true, round + 1);

                (void)mtree_program_send(program, peer, given.place, given.count);
            }
        }
    }
    /* What was given away comes back as a sum. */
    mtree_program_wait_sends(program, sends);
}

/* Each part swaps what is summed in the opposite order. */
static void gather(walk_t *walk)
{
    mtree_program_t *program = walk->program;
    const size_t sends = program->num_steps;

    for (int round = walk->num_rounds; round >= 0; round--) {
        for (int part = 0; part < walk->num_parts; part++) {
            if (round < walk->num_rounds) {
                const int peer = partner_of(walk, part, round);
                const piece_t other = piece_of(walk, part, true, round + 1);

                mtree_program_recv_now(program, peer, other.place, other.count);
            }
            if (round > 0) {
                const piece_t own = piece_of(walk, part, false, round);

                (void)mtree_program_send(program, partner_of(walk, part, round - 1),
                                         own.place, own.count);
            }
        }
    }
    mtree_program_wait_sends(program, sends);
}

void mtree_swing_sum(const mtree_program_job_t *job, int place, mtree_program_t *program)
{
    walk_t walk = {.job = job,
                   .program = program,
                   .place = place,
                   .num_rounds = log_of(job->num_hosts),
                   .num_parts = 2 * num_dimensions(job->shape)};
    int *members;

    MTREE_ARENA_ARRAY(&walk.arena, members, (size_t)job->num_hosts);
    MTREE_ARENA_ARRAY(&walk.arena, walk.number, (size_t)walk.num_parts);
    if (walk.arena.status == MTREE_OK) {
        for (int part = 0; part < walk.num_parts; part++) {
            walk.number[part] = number_of(&walk, part, members);
        }
        halve(&walk);
        gather(&walk);
    } else {
        program->status = walk.arena.status;
    }
    mtree_arena_cleanup(&walk.arena);
}
