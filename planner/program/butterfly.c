/* SPDX-License-Identifier: BSD-3-Clause */
#include "planner/program/kinds.h"

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
    bool is_member;
    size_t units;
    mtree_place_t vector; /* with the sums, or the blocks */
    const size_t *first;  /* of mtree_blocks_t; NULL: members sum equal parts */
    size_t sends;         /* the step from which on sends are waited for at the end */
    mtree_program_t *program;
} walk_t;

static walk_t begin_walk(const mtree_program_job_t *job, int place,
                         mtree_program_t *program)
{
    walk_t walk = {.butterfly = make_butterfly(job->num_hosts),
                   .place = place,
                   .units = job->units,
                   .vector = mtree_place(MTREE_BUFFER_RESULT, 0),
                   .program = program};

    walk.member = member_of(&walk.butterfly, place);
    walk.is_member = member_place(&walk.butterfly, walk.member) == place;
    return walk;
}

static int partner_place(const walk_t *walk, int round)
{
    return member_place(&walk->butterfly, walk->member ^ (1 << round));
}

/* Is the host of @a place a guest of the member of this walk? */
static bool is_guest(const walk_t *walk, int place)
{
    return place != walk->place && member_of(&walk->butterfly, place) == walk->member;
}

/* Consecutive units of the vector. */
typedef struct {
    size_t begin, count;
} part_t;

/* The parts of members are in the order of their bits, the lowest first; a member's
 * number is that of which it is the number. */
static int part_number(const butterfly_t *butterfly, int member)
{
    int number = 0;

    for (int round = 0; round < butterfly->num_rounds; round++) {
        number = 2 * number + (member >> round & 1);
    }
    return number;
}

/* How many hosts have members whose parts are before part @a number: these members and
 * their guests. */
static int hosts_before(const butterfly_t *butterfly, int number)
{
    const int pairs = butterfly->num_places - butterfly->num_members;
    int hosts = number;

    for (int other = 0; other < number && pairs > 0; other++) {
        hosts += part_number(butterfly, other) < pairs;
    }
    return hosts;
}

/* Where part @a number begins; that of the number of members ends the last. */
static size_t part_begin(const walk_t *walk, int number)
{
    return walk->first == NULL
               ? walk->units * (size_t)number / (size_t)walk->butterfly.num_members
               : walk->first[hosts_before(&walk->butterfly, number)];
}

/* What the members that agree with the member of @a walk in the first @a rounds bits sum
 * together, or, with @a is_partner, what those do that agree in all of these but the
 * last. */
static part_t part_of(const walk_t *walk, int rounds, bool is_partner)
{
    const int length = walk->butterfly.num_members >> rounds;
    const int flip = is_partner ? 1 << (rounds - 1) : 0;
    const int number =
        part_number(&walk->butterfly, walk->member ^ flip) / length * length;
    const size_t begin = part_begin(walk, number);

    return (part_t){begin, part_begin(walk, number + length) - begin};
}

static mtree_place_t place_of(const walk_t *walk, part_t part)
{
    return mtree_place(walk->vector.buffer, walk->vector.offset + part.begin);
}

static part_t whole_vector(const walk_t *walk, int place)
{
    (void)place;
    return (part_t){0, walk->units};
}

/* Guests give their vectors to their member, which adds them to its own. */
static void fold_guests(walk_t *walk)
{
    if (!walk->is_member) {
        mtree_program_send_now(walk->program,
                               member_place(&walk->butterfly, walk->member), walk->vector,
                               walk->units);
        return;
    }
    for (int place = walk->butterfly.num_places - 1; place >= 0; place--) {
        if (is_guest(walk, place)) {
            const mtree_place_t slot = mtree_program_slot(walk->program, walk->units);

            mtree_program_recv_now(walk->program, place, slot, walk->units);
            mtree_program_fold(walk->program, walk->vector, slot, walk->units);
        }
    }
    walk->sends = walk->program->num_steps;
}

/* Guests get the result, or with @a part what that says of their places. */
static void serve_guests(const walk_t *walk,
                         part_t (*part)(const walk_t *walk, int place))
{
    if (!walk->is_member) {
        const part_t own = part(walk, walk->place);

        mtree_program_recv_now(walk->program,
                               member_place(&walk->butterfly, walk->member),
                               place_of(walk, own), own.count);
        return;
    }
    for (int place = 0; place < walk->butterfly.num_places; place++) {
        if (is_guest(walk, place)) {
            const part_t its = part(walk, place);

            (void)mtree_program_send(walk->program, place, place_of(walk, its),
                                     its.count);
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
    serve_guests(&walk, whole_vector);
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

        (void)mtree_program_send(walk->program, peer, place_of(walk, given), given.count);
        mtree_program_wait(walk->program, receive);
        mtree_program_fold(walk->program, place_of(walk, kept), slot, kept.count);
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
            mtree_program_recv(walk->program, peer, place_of(walk, other), other.count);

        (void)mtree_program_send(walk->program, peer, place_of(walk, own), own.count);
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
    serve_guests(&walk, whole_vector);
}

/* Blocks are in the order of their members' parts; a guest's, which is at the place
 * before its member, are before its member's. */
static void order_by_parts(const mtree_program_job_t *job, int place, int *sequence)
{
    const butterfly_t butterfly = make_butterfly(job->num_hosts);
    const int pairs = butterfly.num_places - butterfly.num_members;
    int num = 0;

    (void)place;
    for (int number = 0; number < butterfly.num_members; number++) {
        const int member = part_number(&butterfly, number);
        const int at = member_place(&butterfly, member);

        if (member < pairs) {
            sequence[num++] = at - 1;
        }
        sequence[num++] = at;
    }
}

/* The blocks of the host at @a place. */
static part_t host_blocks(const walk_t *walk, int place)
{
    const butterfly_t *butterfly = &walk->butterfly;
    const int member = member_of(butterfly, place);
    const bool is_behind_guest =
        member < butterfly->num_places - butterfly->num_members &&
        member_place(butterfly, member) == place;
    const int hosts =
        hosts_before(butterfly, part_number(butterfly, member)) + is_behind_guest;

    return (part_t){walk->first[hosts], walk->first[hosts + 1] - walk->first[hosts]};
}

static walk_t walk_blocks(const mtree_blocks_t *blocks)
{
    walk_t walk = begin_walk(blocks->job, blocks->place, blocks->program);

    walk.units = blocks->first[blocks->job->num_hosts];
    walk.vector = mtree_place(MTREE_BUFFER_WORK, 0);
    walk.first = blocks->first;
    return walk;
}

/* Guests give their blocks to their member. */
static void collect_guests(walk_t *walk)
{
    if (!walk->is_member) {
        const part_t own = host_blocks(walk, walk->place);

        mtree_program_send_now(walk->program,
                               member_place(&walk->butterfly, walk->member),
                               place_of(walk, own), own.count);
    }
    for (int place = 0; place < walk->butterfly.num_places && walk->is_member; place++) {
        if (is_guest(walk, place)) {
            const part_t its = host_blocks(walk, place);

            mtree_program_recv_now(walk->program, place, place_of(walk, its), its.count);
        }
    }
    walk->sends = walk->program->num_steps;
}

static void gather_blocks(const mtree_blocks_t *blocks)
{
    walk_t walk = walk_blocks(blocks);

    collect_guests(&walk);
    if (walk.is_member) {
        gather(&walk);
    }
    serve_guests(&walk, whole_vector);
}

static void scatter_blocks(const mtree_blocks_t *blocks)
{
    walk_t walk = walk_blocks(blocks);

    fold_guests(&walk);
    if (walk.is_member) {
        halve(&walk);
    }
    serve_guests(&walk, host_blocks);
}

const mtree_blocks_kind_t mtree_doubling_blocks = {order_by_parts, gather_blocks};
const mtree_blocks_kind_t mtree_halving_blocks = {order_by_parts, scatter_blocks};
