/* SPDX-License-Identifier: BSD-3-Clause */
#include "planner/program/butterfly.h"

mtree_butterfly_t mtree_butterfly(int num_places)
{
    mtree_butterfly_t butterfly = {.num_places = num_places, .num_members = 1};

    while (butterfly.num_members <= num_places / 2) {
        butterfly.num_members *= 2;
        butterfly.num_rounds++;
    }
    return butterfly;
}

/* The first places are in pairs, of which the second one has the member. */
int mtree_butterfly_member(const mtree_butterfly_t *butterfly, int place)
{
    const int pairs = butterfly->num_places - butterfly->num_members;

    return place < 2 * pairs ? place / 2 : place - pairs;
}

int mtree_butterfly_place(const mtree_butterfly_t *butterfly, int member)
{
    const int pairs = butterfly->num_places - butterfly->num_members;

    return member < pairs ? 2 * member + 1 : member + pairs;
}

int mtree_butterfly_partner(const mtree_butterfly_t *butterfly, int member, int round)
{
    (void)butterfly;
    return member ^ (1 << round);
}

/* A host on its way through a butterfly. */
typedef struct {
    mtree_butterfly_t butterfly;
    int place, member;
    bool is_member;
    size_t units;
    size_t sends; /* the step from which on sends are waited for at the end */
    mtree_program_t *program;
} walk_t;

static walk_t begin_walk(const mtree_program_job_t *job, int place,
                         mtree_program_t *program)
{
    walk_t walk = {.butterfly = mtree_butterfly(job->num_hosts),
                   .place = place,
                   .units = job->units,
                   .program = program};

    walk.member = mtree_butterfly_member(&walk.butterfly, place);
    walk.is_member = mtree_butterfly_place(&walk.butterfly, walk.member) == place;
    return walk;
}

static int partner_place(const walk_t *walk, int round)
{
    return mtree_butterfly_place(
        &walk->butterfly, mtree_butterfly_partner(&walk->butterfly, walk->member, round));
}

/* Is the host of @a place a guest of the member of this walk? */
static bool is_guest(const walk_t *walk, int place)
{
    return place != walk->place &&
           mtree_butterfly_member(&walk->butterfly, place) == walk->member;
}

/* Guests give their vectors to their member, which adds them to its own. */
static void fold_guests(walk_t *walk)
{
    const mtree_place_t result = mtree_place(MTREE_BUFFER_RESULT, 0);

    if (!walk->is_member) {
        mtree_program_send_now(walk->program,
                               mtree_butterfly_place(&walk->butterfly, walk->member),
                               result, walk->units);
        return;
    }
    for (int place = walk->butterfly.num_places - 1; place >= 0; place--) {
        if (is_guest(walk, place)) {
            const mtree_place_t slot = mtree_program_slot(walk->program, walk->units);

            mtree_program_recv_now(walk->program, place, slot, walk->units);
            mtree_program_fold(walk->program, result, slot, walk->units);
        }
    }
    walk->sends = walk->program->num_steps;
}

/* Guests get the result. */
static void serve_guests(const walk_t *walk)
{
    const mtree_place_t result = mtree_place(MTREE_BUFFER_RESULT, 0);

    if (!walk->is_member) {
        mtree_program_recv_now(walk->program,
                               mtree_butterfly_place(&walk->butterfly, walk->member),
                               result, walk->units);
        return;
    }
    for (int place = 0; place < walk->butterfly.num_places; place++) {
        if (is_guest(walk, place)) {
            (void)mtree_program_send(walk->program, place, result, walk->units);
        }
    }
    mtree_program_wait_sends(walk->program, walk->sends);
}

/* Swap whole vectors.  The sum is where the last fold has put it: below a partner of a
 * higher number it goes to the partner's vector, so that both add in the same order. */
static void double_up(walk_t *walk)
{
    mtree_place_t sum = mtree_place(MTREE_BUFFER_RESULT, 0);

    for (int round = 0; round < walk->butterfly.num_rounds; round++) {
        const int peer = partner_place(walk, round);
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

void mtree_doubling_sum(const mtree_program_job_t *job, int place,
                        mtree_program_t *program)
{
    walk_t walk = begin_walk(job, place, program);

    fold_guests(&walk);
    if (walk.is_member) {
        double_up(&walk);
    }
    serve_guests(&walk);
}

/* Consecutive units of the vector. */
typedef struct {
    size_t begin, count;
} part_t;

/* What the members that agree with the member of @a walk in the first @a rounds bits sum
 * together, or, with @a is_partner, what those do that agree in all of these but the
 * last. */
static part_t part_of(const walk_t *walk, int rounds, bool is_partner)
{
    const size_t members = (size_t)walk->butterfly.num_members;
    const size_t length = members >> rounds;
    size_t first = 0;
    part_t part;

    for (int round = 0; round < rounds; round++) {
        const bool flips = is_partner && round == rounds - 1;

        if (((walk->member >> round & 1) != 0) != flips) {
            first += members >> (round + 1);
        }
    }
    part.begin = walk->units * first / members;
    part.count = walk->units * (first + length) / members - part.begin;
    return part;
}

static mtree_place_t place_of(part_t part)
{
    return mtree_place(MTREE_BUFFER_RESULT, part.begin);
}

/* Swap halves and keep the sum of one, until one part is left. */
static void halve(walk_t *walk)
{
    for (int round = 0; round < walk->butterfly.num_rounds; round++) {
        const int peer = partner_place(walk, round);
        const part_t kept = part_of(walk, round + 1, false);
        const part_t given = part_of(walk, round + 1, true);
        const mtree_place_t slot = mtree_program_slot(walk->program, kept.count);
        const size_t receive = mtree_program_recv(walk->program, peer, slot, kept.count);

        (void)mtree_program_send(walk->program, peer, place_of(given), given.count);
        mtree_program_wait(walk->program, receive);
        mtree_program_fold(walk->program, place_of(kept), slot, kept.count);
    }
    /* What was given away comes back as a sum. */
    mtree_program_wait_sends(walk->program, walk->sends);
    walk->sends = walk->program->num_steps;
}

/* Swap what is summed in the opposite order. */
static void gather(walk_t *walk)
{
    for (int round = walk->butterfly.num_rounds - 1; round >= 0; round--) {
        const int peer = partner_place(walk, round);
        const part_t own = part_of(walk, round + 1, false);
        const part_t other = part_of(walk, round + 1, true);
        const size_t receive =
            mtree_program_recv(walk->program, peer, place_of(other), other.count);

        (void)mtree_program_send(walk->program, peer, place_of(own), own.count);
        mtree_program_wait(walk->program, receive);
    }
}

void mtree_halving_sum(const mtree_program_job_t *job, int place,
                       mtree_program_t *program)
{
    walk_t walk = begin_walk(job, place, program);

    fold_guests(&walk);
    if (walk.is_member) {
        halve(&walk);
        gather(&walk);
    }
    serve_guests(&walk);
}
