/* SPDX-License-Identifier: BSD-3-Clause */
#include "planner/program/kinds.h"
#include "planner/program/members.h"

/* Each direction of each dimension of a torus has a part of the vector; of as many hosts
 * as an int counts. */
#define MOST_PARTS  (2 * MTREE_SHAPE_DIMENSIONS)
#define MOST_ROUNDS 31

/* Whom members swap with in a round: along one dimension, whose size is a power of two,
 * of a grid of which their numbers are the points.  In a dimension of two it is the other
 * one. */
typedef struct {
    int shift;    /* of the bits of a number that are the coordinate */
    int mask;     /* of the coordinate, shifted down */
    int distance; /* that a member goes whose coordinate is even; others the other way */
} swap_t;

static int swapped_with(const swap_t *swap, int member)
{
    const int c = member >> swap->shift & swap->mask;
    const int to = (c % 2 == 0 ? c + swap->distance : c - swap->distance) & swap->mask;

    return member + (to - c) * (1 << swap->shift);
}

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
        if ((shape[d] & (shape[d] - 1)) != 0 || hosts > num_hosts / shape[d]) {
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

static swap_t swing(const int *shape, int part, int round)
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

int mtree_swing_partner(const int *shape, int part, int place, int round)
{
    const swap_t swap = swing(shape, part, round);

    return swapped_with(&swap, place);
}

/* A host on its way through a butterfly. */
typedef struct {
    const mtree_program_job_t *job;
    mtree_members_t members; /* of pairs of places the second one's */
    int num_rounds;
    int place, member; /* who takes part for the host */
    int guest;         /* the place of the first of its pair; -1: it is in none */
    size_t units;
    mtree_place_t vector; /* with the sums, or the blocks */
    const size_t *first;  /* of mtree_blocks_t; NULL: members sum equal pieces */
    size_t sends;         /* the step from which on sends are waited for at the end */
    mtree_program_t *program;
    /* Of halves: each part of the vector goes its own way. */
    int num_parts;
    swap_t swap[MOST_PARTS][MOST_ROUNDS];
    int number[MOST_PARTS]; /* of the piece of each part that the member sums in the end
                             */
} walk_t;

/* The member that sums piece @a number in the end: its bits, the highest first, say in
 * which rounds it has swapped on the way from member 0.  So those who swap in a round
 * have the same higher bits, and what goes in a message is consecutive. */
static int piece_member(const walk_t *walk, int part, int number)
{
    const int num_rounds = walk->num_rounds;
    int member = 0;

    for (int round = 0; round < num_rounds; round++) {
        if ((number >> (num_rounds - 1 - round) & 1) != 0) {
            member = swapped_with(&walk->swap[part][round], member);
        }
    }
    return member;
}

/* Partners differ in one bit of their numbers, or with @a shape are those of Swing. */
static walk_t begin_walk(const mtree_program_job_t *job, int place, const int *shape,
                         mtree_program_t *program)
{
    walk_t walk = {.job = job,
                   .members = mtree_members_find(job->num_hosts, place, 1),
                   .place = place,
                   .units = job->units,
                   .vector = mtree_place(MTREE_BUFFER_RESULT, 0),
                   .program = program,
                   .num_parts = shape == NULL ? 1 : 2 * num_dimensions(shape)};

    walk.num_rounds = log_of(walk.members.power);
    walk.member = mtree_member_of(&walk.members, place);
    walk.guest = walk.member < walk.members.excess ? 2 * walk.member : -1;
    for (int part = 0; part < walk.num_parts; part++) {
        for (int round = 0; round < walk.num_rounds; round++) {
            walk.swap[part][round] =
                shape == NULL ? (swap_t){round, 1, 1} : swing(shape, part, round);
        }
        while (piece_member(&walk, part, walk.number[part]) != walk.member) {
            walk.number[part]++;
        }
    }
    return walk;
}

static int partner_place(const walk_t *walk, int part, int round)
{
    return mtree_member_rank(&walk->members,
                             swapped_with(&walk->swap[part][round], walk->member));
}

/* Consecutive units of the vector. */
typedef struct {
    size_t begin, count;
} piece_t;

/* How many hosts have members whose pieces are before piece @a number: these members and
 * their guests. */
static int hosts_before(const walk_t *walk, int number)
{
    int hosts = number;

    for (int other = 0; other < number && walk->members.excess > 0; other++) {
        hosts += piece_member(walk, 0, other) < walk->members.excess;
    }
    return hosts;
}

/* Where piece @a number of @a part begins; that of the number of members ends the last.
 */
static size_t piece_begin(const walk_t *walk, int part, int number)
{
    const int members = walk->members.power;

    return walk->first == NULL ? walk->units * (size_t)(part * members + number) /
                                     (size_t)(walk->num_parts * members)
                               : walk->first[hosts_before(walk, number)];
}

/* The pieces of @a part that the member sums together with others after @a rounds, or
 * with @a is_partner those that its partner of the last of these does: the other half. */
static piece_t half_of(const walk_t *walk, int part, int rounds, bool is_partner)
{
    const int length = walk->members.power >> rounds;
    const int number = (walk->number[part] / length ^ (is_partner ? 1 : 0)) * length;
    const size_t begin = piece_begin(walk, part, number);

    return (piece_t){begin, piece_begin(walk, part, number + length) - begin};
}

static mtree_place_t place_of(const walk_t *walk, piece_t part)
{
    return mtree_place(walk->vector.buffer, walk->vector.offset + part.begin);
}

/* Swap whole vectors. */
static void double_up(walk_t *walk)
{
    for (int round = 0; round < walk->num_rounds; round++) {
        const int peer = partner_place(walk, 0, round);
        const int first = peer < walk->place ? peer : walk->place;
        const mtree_circle_t pair = {first, peer + walk->place - 2 * first, 2};

        mtree_exchange_in(walk->job, &pair, walk->place, walk->program);
    }
}

/* Each part swaps halves and keeps the sum of one, until one piece is left. */
static void halve(walk_t *walk)
{
    const int num_rounds = walk->num_rounds;

    for (int round = 0; round <= num_rounds; round++) {
        for (int part = 0; part < walk->num_parts; part++) {
            if (round > 0) {
                const piece_t kept = half_of(walk, part, round, false);

                mtree_program_recv_and_fold(walk->program,
                                            partner_place(walk, part, round - 1),
                                            place_of(walk, kept), kept.count);
            }
            if (round < num_rounds) {
                const piece_t given = half_of(walk, part, round + 1, true);

                (void)mtree_program_send(walk->program, partner_place(walk, part, round),
                                         place_of(walk, given), given.count);
            }
        }
    }
    /* What was given away comes back as a sum. */
    mtree_program_wait_sends(walk->program, walk->sends);
    walk->sends = walk->program->num_steps;
}

/* Each part swaps what is summed in the opposite order. */
static void gather(walk_t *walk)
{
    const int num_rounds = walk->num_rounds;

    for (int round = num_rounds; round >= 0; round--) {
        for (int part = 0; part < walk->num_parts; part++) {
            if (round < num_rounds) {
                const piece_t other = half_of(walk, part, round + 1, true);

                mtree_program_recv_now(walk->program, partner_place(walk, part, round),
                                       place_of(walk, other), other.count);
            }
            if (round > 0) {
                const piece_t own = half_of(walk, part, round, false);

                (void)mtree_program_send(walk->program,
                                         partner_place(walk, part, round - 1),
                                         place_of(walk, own), own.count);
            }
        }
    }
}

/* The whole vector, or the guest's blocks, which are before those of its member. */
static piece_t of_guest(const walk_t *walk, bool whole)
{
    const size_t *first = walk->first;
    const int hosts = whole ? 0 : hosts_before(walk, walk->number[0]);

    return whole ? (piece_t){0, walk->units}
                 : (piece_t){first[hosts], first[hosts + 1] - first[hosts]};
}

/* A guest gives its vector, or without @a folds its blocks, to its member. */
static void take_from_guest(walk_t *walk, bool folds)
{
    const piece_t its = of_guest(walk, folds);

    if (walk->guest == walk->place) {
        mtree_program_send_now(walk->program, walk->place + 1, place_of(walk, its),
                               its.count);
    } else if (folds) {
        mtree_program_recv_and_fold(walk->program, walk->guest, walk->vector, its.count);
    } else {
        mtree_program_recv_now(walk->program, walk->guest, place_of(walk, its),
                               its.count);
    }
}

/* The guest gets the whole vector, or its blocks. */
static void serve_guest(const walk_t *walk, bool whole)
{
    const piece_t its = of_guest(walk, whole);

    if (walk->guest == walk->place) {
        mtree_program_recv_now(walk->program, walk->place + 1, place_of(walk, its),
                               its.count);
    } else {
        (void)mtree_program_send(walk->program, walk->guest, place_of(walk, its),
                                 its.count);
    }
}

/* Members @a sum, if that is not NULL, and gather what is summed, with what their guests
 * have, who get what all get. */
static void go(walk_t *walk, void (*sum)(walk_t *walk), bool gathers)
{
    if (walk->guest >= 0) {
        take_from_guest(walk, sum != NULL);
    }
    walk->sends = walk->program->num_steps;
    if (walk->guest != walk->place && sum != NULL) {
        sum(walk);
    }
    if (walk->guest != walk->place && gathers) {
        gather(walk);
    }
    if (walk->guest >= 0) {
        serve_guest(walk, gathers || walk->first == NULL);
    }
    mtree_program_wait_sends(walk->program, walk->sends);
}

void mtree_doubling_sum(const mtree_program_job_t *job, int place,
                        mtree_program_t *program)
{
    walk_t walk = begin_walk(job, place, NULL, program);

    go(&walk, double_up, false);
}

void mtree_halving_sum(const mtree_program_job_t *job, int place,
                       mtree_program_t *program)
{
    walk_t walk = begin_walk(job, place, NULL, program);

    go(&walk, halve, true);
}

void mtree_swing_sum(const mtree_program_job_t *job, int place, mtree_program_t *program)
{
    walk_t walk = begin_walk(job, place, job->shape, program);

    go(&walk, halve, true);
}

/* Blocks are in the order of their members' pieces; a guest's, which is at the place
 * before its member, are before its member's. */
static void order_by_pieces(const mtree_program_job_t *job, int place, int *sequence)
{
    const walk_t walk = begin_walk(job, place, NULL, NULL);
    int num = 0;

    for (int number = 0; number < walk.members.power; number++) {
        const int member = piece_member(&walk, 0, number);
        const int at = mtree_member_rank(&walk.members, member);

        if (member < walk.members.excess) {
            sequence[num++] = at - 1;
        }
        sequence[num++] = at;
    }
}

static void go_through_blocks(const mtree_blocks_t *blocks, void (*sum)(walk_t *walk))
{
    walk_t walk = begin_walk(blocks->job, blocks->place, NULL, blocks->program);

    walk.units = blocks->first[blocks->job->num_hosts];
    walk.vector = mtree_place(MTREE_BUFFER_WORK, 0);
    walk.first = blocks->first;
    go(&walk, sum, sum == NULL);
}

static void gather_blocks(const mtree_blocks_t *blocks)
{
    go_through_blocks(blocks, NULL);
}

static void scatter_blocks(const mtree_blocks_t *blocks)
{
    go_through_blocks(blocks, halve);
}

const mtree_blocks_kind_t mtree_doubling_blocks = {order_by_pieces, gather_blocks};
const mtree_blocks_kind_t mtree_halving_blocks = {order_by_pieces, scatter_blocks};
