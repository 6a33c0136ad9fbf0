/* SPDX-License-Identifier: BSD-3-Clause */
#include "planner/program/kinds.h"
#include "planner/program/swing.h"

typedef struct {
    int num_places;
    int num_members; /* the largest power of two that is no larger */
    int num_rounds;
} butterfly_t;

static butterfly_t make_butterfly(int num_places)
{
    butterfly_t butterfly = {.num_places = num_places, .num_members = 1};

    while (butterfly.num_members <= num_places / 2) {
        butterfly.num_members *= 2;
        butterfly.num_rounds++;
    }
    return butterfly;
}

/* The member that takes part for the host at @a place.  The first places are in pairs, of
 * which the second one has the member. */
static int member_of(const butterfly_t *butterfly, int place)
{
    const int pairs = butterfly->num_places - butterfly->num_members;

    return place < 2 * pairs ? place / 2 : place - pairs;
}

static int member_place(const butterfly_t *butterfly, int member)
{
    const int pairs = butterfly->num_places - butterfly->num_members;

    return member < pairs ? 2 * member + 1 : member + pairs;
}

/* A host on its way through a butterfly. */
typedef struct {
    butterfly_t butterfly;
    int place, member;
    int guest; /* the place of the first of its pair; -1: it is in none */
    size_t units;
    mtree_place_t vector; /* with the sums, or the blocks */
    const size_t *first;  /* of mtree_blocks_t; NULL: members sum equal pieces */
    size_t sends;         /* the step from which on sends are waited for at the end */
    mtree_program_t *program;
    /* Of halves: each part of the vector goes its own way. */
    const int *shape; /* of the torus on which Swing says who partners are; NULL: their
                         numbers differ in one bit */
    int num_parts;
    int number[2 * MTREE_SHAPE_DIMENSIONS]; /* of the piece of each part that the member
                                               sums in the end */
} walk_t;

/* Pieces of members are in the order of their bits, the lowest first; a member's number
 * is that of which it is the number. */
static int piece_number(const butterfly_t *butterfly, int member)
{
    int number = 0;

    for (int round = 0; round < butterfly->num_rounds; round++) {
        number = 2 * number + (member >> round & 1);
    }
    return number;
}

static walk_t begin_walk(const mtree_program_job_t *job, int place,
                         mtree_program_t *program)
{
    walk_t walk = {.butterfly = make_butterfly(job->num_hosts),
                   .place = place,
                   .units = job->units,
                   .vector = mtree_place(MTREE_BUFFER_RESULT, 0),
                   .program = program,
                   .num_parts = 1};

    walk.member = member_of(&walk.butterfly, place);
    walk.guest =
        walk.member < job->num_hosts - walk.butterfly.num_members ? 2 * walk.member : -1;
    walk.number[0] = piece_number(&walk.butterfly, walk.member);
    return walk;
}

static int partner_place(const walk_t *walk, int part, int round)
{
    return walk->shape != NULL
               ? mtree_swing_partner(walk->shape, part, walk->place, round)
               : member_place(&walk->butterfly, walk->member ^ (1 << round));
}

/* Consecutive units of the vector. */
typedef struct {
    size_t begin, count;
} piece_t;

/* How many hosts have members whose pieces are before piece @a number: these members and
 * their guests. */
static int hosts_before(const butterfly_t *butterfly, int number)
{
    const int pairs = butterfly->num_places - butterfly->num_members;
    int hosts = number;

    for (int other = 0; other < number && pairs > 0; other++) {
        hosts += piece_number(butterfly, other) < pairs;
    }
    return hosts;
}

/* Where piece @a number of @a part begins; that of the number of members ends the last.
 */
static size_t piece_begin(const walk_t *walk, int part, int number)
{
    const int members = walk->butterfly.num_members;

    return walk->first == NULL ? walk->units * (size_t)(part * members + number) /
                                     (size_t)(walk->num_parts * members)
                               : walk->first[hosts_before(&walk->butterfly, number)];
}

/* The pieces of @a part that the member sums together with others after @a rounds, or
 * with @a is_partner those that its partner of the last of these does: the other half. */
static piece_t half_of(const walk_t *walk, int part, int rounds, bool is_partner)
{
    const int length = walk->butterfly.num_members >> rounds;
    const int number = (walk->number[part] / length ^ (is_partner ? 1 : 0)) * length;
    const size_t begin = piece_begin(walk, part, number);

    return (piece_t){begin, piece_begin(walk, part, number + length) - begin};
}

static mtree_place_t place_of(const walk_t *walk, piece_t part)
{
    return mtree_place(walk->vector.buffer, walk->vector.offset + part.begin);
}

/* Swap whole vectors.  The sum is where the last fold has put it: below a partner of a
 * higher number it goes to the partner's vector, so that both add in the same order. */
static void double_up(walk_t *walk)
{
    mtree_place_t sum = mtree_place(MTREE_BUFFER_RESULT, 0);

    for (int round = 0; round < walk->butterfly.num_rounds; round++) {
        const int peer = partner_place(walk, 0, round);
        const mtree_place_t slot = mtree_program_slot(walk->program, walk->units);
        const size_t receive = mtree_program_recv(walk->program, peer, slot, walk->units);
        const size_t send = mtree_program_send(walk->program, peer, sum, walk->units);

        mtree_program_wait(walk->program, receive);
        if (peer < walk->place) {
            mtree_program_wait(walk->program, send);
            mtree_program_fold(walk->program, sum, slot, walk->units);
        } else {
            mtree_program_fold(walk->program, slot, sum, walk->units);
            sum = slot;
        }
    }
    mtree_program_wait_sends(walk->program, walk->sends);
    if (sum.buffer != MTREE_BUFFER_RESULT) {
        mtree_program_copy(walk->program, mtree_place(MTREE_BUFFER_RESULT, 0), sum,
                           walk->units);
    }
    walk->sends = walk->program->num_steps;
}

/* Each part swaps halves and keeps the sum of one, until one piece is left. */
static void halve(walk_t *walk)
{
    const int num_rounds = walk->butterfly.num_rounds;

    for (int round = 0; round <= num_rounds; round++) {
        for (int part = 0; part < walk->num_parts; part++) {
            if (round > 0) {
                const piece_t kept = half_of(walk, part, round, false);
                const mtree_place_t slot = mtree_program_slot(walk->program, kept.count);

                mtree_program_recv_now(walk->program,
                                       partner_place(walk, part, round - 1), slot,
                                       kept.count);
                mtree_program_fold(walk->program, place_of(walk, kept), slot, kept.count);
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
    const int num_rounds = walk->butterfly.num_rounds;

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
    const int hosts = whole ? 0 : hosts_before(&walk->butterfly, walk->number[0]);

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
        const mtree_place_t slot = mtree_program_slot(walk->program, its.count);

        mtree_program_recv_now(walk->program, walk->guest, slot, its.count);
        mtree_program_fold(walk->program, walk->vector, slot, its.count);
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
    walk_t walk = begin_walk(job, place, program);

    go(&walk, double_up, false);
}

void mtree_halving_sum(const mtree_program_job_t *job, int place,
                       mtree_program_t *program)
{
    walk_t walk = begin_walk(job, place, program);

    go(&walk, halve, true);
}

void mtree_swing_sum(const mtree_program_job_t *job, int place, mtree_program_t *program)
{
    walk_t walk = begin_walk(job, place, program);

    walk.shape = job->shape;
    walk.num_parts = mtree_swing_num_parts(job->shape);
    for (int part = 0; part < walk.num_parts; part++) {
        walk.number[part] =
            mtree_swing_piece(job->shape, part, place, walk.butterfly.num_rounds);
    }
    go(&walk, halve, true);
}

/* Blocks are in the order of their members' pieces; a guest's, which is at the place
 * before its member, are before its member's. */
static void order_by_pieces(const mtree_program_job_t *job, int place, int *sequence)
{
    const butterfly_t butterfly = make_butterfly(job->num_hosts);
    const int pairs = butterfly.num_places - butterfly.num_members;
    int num = 0;

    (void)place;
    for (int number = 0; number < butterfly.num_members; number++) {
        const int member = piece_number(&butterfly, number);
        const int at = member_place(&butterfly, member);

        if (member < pairs) {
            sequence[num++] = at - 1;
        }
        sequence[num++] = at;
    }
}

static walk_t walk_blocks(const mtree_blocks_t *blocks)
{
    walk_t walk = begin_walk(blocks->job, blocks->place, blocks->program);

    walk.units = blocks->first[blocks->job->num_hosts];
    walk.vector = mtree_place(MTREE_BUFFER_WORK, 0);
    walk.first = blocks->first;
    return walk;
}

static void gather_blocks(const mtree_blocks_t *blocks)
{
    walk_t walk = walk_blocks(blocks);

    go(&walk, NULL, true);
}

static void scatter_blocks(const mtree_blocks_t *blocks)
{
    walk_t walk = walk_blocks(blocks);

    go(&walk, halve, false);
}

const mtree_blocks_kind_t mtree_doubling_blocks = {order_by_pieces, gather_blocks};
const mtree_blocks_kind_t mtree_halving_blocks = {order_by_pieces, scatter_blocks};
