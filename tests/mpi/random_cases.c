/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * random_cases [CASES [SEED [early] [tame] [late]]]: random collectives, of every form,
 * several at a time, on several communicators, against results that each rank computes
 * for itself.  "early" frees communicators before their calls have ended, which Open
 * MPI's own nonblocking collectives do not bear; "tame" leaves out the datatypes that its
 * collectives get wrong (different ones on different ranks, negative lower bounds, no
 * bytes); without it, mtree must serve all of these communicators: the world, and its
 * halves where they have two ranks or more.  "late" lets
 * each rank be away at moments of its own, and makes messages larger.
 *
 * What must be the same on all ranks is drawn from a generator that all ranks share;
 * datatypes of equal signature and the order of completion are each rank's own.
 */
#include "tests/mpi/expect.h"
#include "tests/mpi/forms.h"
#include "tests/mpi/items.h"

#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MAX_IN_FLIGHT 5
#define MAX_RESTING   512

/* Nonblocking calls up to this size are Open MPI's own. */
#define SMALL_BYTES   64
#define NUM_COMMS     4
#define LARGEST_BLOCK 3000

/* With "late". */
#define LATE_LARGEST_BLOCK 20000
#define LATE_NANOSECONDS   4000000

typedef enum {
    ALLREDUCE,
    REDUCE,
    BCAST,
    ALLGATHER,
    ALLGATHERV,
    REDUCE_SCATTER,
    REDUCE_SCATTER_BLOCK,
    BARRIER,
    COLLECTIVES
} collective_t;

static const char *const collective_names[COLLECTIVES] = {"allreduce",
                                                          "reduce",
                                                          "bcast",
                                                          "allgather",
                                                          "allgatherv",
                                                          "reduce_scatter",
                                                          "reduce_scatter_block",
                                                          "barrier"};
static const char *const form_names[MTREE_FORMS] = {"blocking", "nonblocking",
                                                    "persistent"};

typedef struct {
    unsigned long long state;
} generator_t;

static generator_t common, own;
static bool early, tame, late;

static int draw(generator_t *generator, int below)
{
    generator->state = generator->state * 6364136223846793005ULL + 1442695040888963407ULL;
    return (int)((generator->state >> 33) % (unsigned)below);
}

/* One case.  Blocks are counted in items; one is as long as the layouts' longest element.
 */
typedef struct {
    collective_t collective;
    mtree_form_t form;
    item_kind_t kind;
    MPI_Comm comm;
    int rank, ranks, root;
    bool in_place;
    unsigned seed;
    int block;   /* items of a block, or of the vector */
    int *counts; /* [ranks] items of each block */
    int *places; /* [ranks] item of the receive area at which it begins */
    int total;   /* items of the receive area */
    const item_layout_t *send_layout, *recv_layout;
    area_t send, recv;
    int *recv_counts, *recv_places; /* [ranks] the same in elements */
    MPI_Request request;
    int starts; /* that a persistent request has to come */
} case_t;

static bool has_blocks(const case_t *c)
{
    return c->collective == ALLGATHER || c->collective == ALLGATHERV ||
           c->collective == REDUCE_SCATTER || c->collective == REDUCE_SCATTER_BLOCK;
}

static bool is_fold(const case_t *c)
{
    return c->collective == ALLREDUCE || c->collective == REDUCE ||
           c->collective == REDUCE_SCATTER || c->collective == REDUCE_SCATTER_BLOCK;
}

/* What Open MPI may serve itself. */
static bool is_small(const case_t *c)
{
    return c->collective == BARRIER || c->ranks == 1 ||
           (size_t)c->total * item_bytes(c->kind) <= SMALL_BYTES;
}

/* libnbc writes before its scratch memory where a lower bound is negative. */
static bool is_tame(const case_t *c)
{
    return tame || c->ranks == 1 || (c->form == MTREE_NONBLOCKING_FORM && is_small(c));
}

/* A layout that all ranks or, for data that is moved, only this one has chosen. */
static const item_layout_t *draw_layout(const case_t *c)
{
    int number = draw(is_fold(c) ? &common : &own, 4);
    const item_layout_t *layout = item_layout(c->kind, number);

    return layout == NULL || is_tame(c) || (is_fold(c) && !layout->folded)
               ? item_layout(c->kind, 0)
               : layout;
}

/* Multiples of 4 fit all layouts. */
static int draw_items(void)
{
    int largest = late ? LATE_LARGEST_BLOCK : LARGEST_BLOCK;
    int most = draw(&common, 4) == 0 ? largest : 40;

    return draw(&common, 12) == 0 ? 0 : 4 * (1 + draw(&common, most));
}

static void draw_blocks(case_t *c)
{
    bool unequal = c->collective == ALLGATHERV || c->collective == REDUCE_SCATTER;
    bool apart = c->collective == ALLGATHERV;
    int at = 0;

    c->block = draw_items();
    for (int i = 0; i < c->ranks; i++) {
        c->counts[i] = unequal ? draw_items() : c->block;
    }
    /* allgatherv: the blocks in any order, with gaps. */
    for (int i = 0, first = apart ? draw(&common, c->ranks) : 0; i < c->ranks; i++) {
        int r = (first + i) % c->ranks;

        at += apart ? 4 * draw(&common, 3) : 0;
        c->places[r] = at;
        at += c->counts[r];
    }
    c->total = has_blocks(c) ? at : c->block;
}

static void *allocate(size_t bytes)
{
    void *memory = calloc(1, bytes + 1);

    if (memory == NULL) {
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    return memory;
}

/* Items that this rank sends. */
static int send_items(const case_t *c)
{
    if (c->collective == ALLGATHER || c->collective == ALLGATHERV) {
        return c->counts[c->rank];
    }
    return c->total;
}

/* Fill what this rank sends, which is in the receive area in place and in a bcast. */
static void case_fill(case_t *c)
{
    bool gathers = c->collective == ALLGATHER || c->collective == ALLGATHERV;
    int items = send_items(c);
    char *packed = allocate((size_t)items * item_bytes(c->kind));

    item_fill(c->kind, c->seed, c->rank, (size_t)items, packed);
    if (c->collective == BCAST) {
        if (c->rank == c->root) {
            area_put(&c->recv, 0, items / c->recv_layout->items, packed);
        }
    } else if (c->in_place) {
        area_put(&c->recv, gathers ? c->recv_places[c->rank] : 0,
                 items / c->recv_layout->items, packed);
    } else {
        area_put(&c->send, 0, items / c->send_layout->items, packed);
    }
    free(packed);
}

static void case_create(case_t *c, collective_t collective, mtree_form_t form,
                        MPI_Comm comm)
{
    memset(c, 0, sizeof(*c));
    c->collective = collective;
    c->form = form;
    c->comm = comm;
    MPI_Comm_rank(comm, &c->rank);
    MPI_Comm_size(comm, &c->ranks);
    c->counts = allocate((size_t)c->ranks * 4 * sizeof(int));
    c->places = c->counts + c->ranks;
    c->recv_counts = c->places + c->ranks;
    c->recv_places = c->recv_counts + c->ranks;
    c->seed = (unsigned)draw(&common, 1 << 30);
    c->kind = (item_kind_t)draw(&common, 12);
    c->kind = c->kind >= ITEM_KINDS ? ITEM_MIXED : c->kind;
    c->kind = (tame || c->ranks == 1) && c->kind == ITEM_EMPTY ? ITEM_INT : c->kind;
    c->root = draw(&common, c->ranks);
    c->in_place = draw(&common, 3) == 0;
    if (collective == REDUCE) {
        c->in_place = c->in_place && c->rank == c->root;
    }
    draw_blocks(c);
    c->send_layout = draw_layout(c);
    c->recv_layout = is_fold(c) ? c->send_layout : draw_layout(c);
    for (int r = 0; r < c->ranks; r++) {
        c->recv_counts[r] = c->counts[r] / c->recv_layout->items;
        c->recv_places[r] = c->places[r] / c->recv_layout->items;
    }
    area_create(&c->send, c->send_layout->type, send_items(c));
    area_create(&c->recv, c->recv_layout->type, c->total);
    c->starts = form == MTREE_PERSISTENT_FORM ? 1 + draw(&common, 3) : 1;
    c->request = MPI_REQUEST_NULL;
}

/* A form of a collective; errors end the job. */
#define RUN(_c, _name, _lower, ...)                                                      \
    do {                                                                                 \
        int _rc;                                                                         \
                                                                                         \
        MTREE_CALL_FORM(_rc, (_c)->form, &(_c)->request, _name, _lower, __VA_ARGS__);    \
        (void)_rc;                                                                       \
    } while (0)

static void case_call_fold(case_t *c)
{
    const void *send = c->in_place ? MPI_IN_PLACE : c->send.base;
    MPI_Op op = item_op(c->kind);
    MPI_Datatype type = c->recv_layout->type;

    switch (c->collective) {
    case ALLREDUCE:
        RUN(c, Allreduce, allreduce, send, c->recv.base, c->block, type, op, c->comm);
        break;
    case REDUCE:
        RUN(c, Reduce, reduce, send, c->rank == c->root ? c->recv.base : NULL, c->block,
            type, op, c->root, c->comm);
        break;
    case REDUCE_SCATTER:
        RUN(c, Reduce_scatter, reduce_scatter, send, c->recv.base, c->recv_counts, type,
            op, c->comm);
        break;
    default:
        RUN(c, Reduce_scatter_block, reduce_scatter_block, send, c->recv.base, c->block,
            type, op, c->comm);
        break;
    }
}

static void case_call(case_t *c)
{
    const void *send = c->in_place ? MPI_IN_PLACE : c->send.base;
    int send_count = send_items(c) / c->send_layout->items;

    switch (c->collective) {
    case BCAST:
        RUN(c, Bcast, bcast, c->recv.base, c->block / c->recv_layout->items,
            c->recv_layout->type, c->root, c->comm);
        break;
    case ALLGATHER:
        RUN(c, Allgather, allgather, send, send_count, c->send_layout->type, c->recv.base,
            c->block / c->recv_layout->items, c->recv_layout->type, c->comm);
        break;
    case ALLGATHERV:
        RUN(c, Allgatherv, allgatherv, send, send_count, c->send_layout->type,
            c->recv.base, c->recv_counts, c->recv_places, c->recv_layout->type, c->comm);
        break;
    case BARRIER:
        RUN(c, Barrier, barrier, c->comm);
        break;
    default:
        case_call_fold(c);
        break;
    }
}

/* The packed image of items [from, to) of the folded vector, or of rank's own. */
static char *expected(const case_t *c, int from, int to, int rank)
{
    size_t bytes = item_bytes(c->kind), all = (size_t)c->total;
    char *sum = allocate(all * bytes), *in = allocate(all * bytes);

    item_fill(c->kind, c->seed, is_fold(c) ? 0 : rank, (size_t)to, sum);
    for (int r = 1; is_fold(c) && r < c->ranks; r++) {
        item_fill(c->kind, c->seed, r, (size_t)to, in);
        item_fold(c->kind, (size_t)to, in, sum);
    }
    memmove(sum, sum + (size_t)from * bytes, (size_t)(to - from) * bytes);
    free(in);
    return sum;
}

/* Check items [from, to) of what is expected (of rank), which begin at @a element. */
static void verify(case_t *c, int element, int from, int to, int rank)
{
    size_t bytes = (size_t)(to - from) * item_bytes(c->kind);
    char *want = expected(c, from, to, rank), *got = allocate(bytes);
    int elements = (to - from) / c->recv_layout->items;

    area_get(&c->recv, element, elements, got);
    mtree_expect(memcmp(want, got, bytes) == 0,
                 "%s %s, %d ranks, kind %d, %d items%s: block of rank %d is wrong",
                 form_names[c->form], collective_names[c->collective], c->ranks, c->kind,
                 to - from, c->in_place ? ", in place" : "", rank);
    area_clear(&c->recv, element, elements);
    free(want);
    free(got);
}

static void case_verify(case_t *c)
{
    bool scatters =
        c->collective == REDUCE_SCATTER || c->collective == REDUCE_SCATTER_BLOCK;

    if (c->collective == BARRIER) {
        return;
    }
    if (c->collective == ALLGATHER || c->collective == ALLGATHERV) {
        for (int r = 0; r < c->ranks; r++) {
            verify(c, c->recv_places[r], 0, c->counts[r], r);
        }
    } else if (scatters) {
        verify(c, 0, c->places[c->rank], c->places[c->rank] + c->counts[c->rank],
               c->rank);
        if (c->in_place) {
            area_clear(&c->recv, 0, c->total);
        }
    } else if (c->collective != REDUCE || c->rank == c->root) {
        verify(c, 0, 0, c->total, c->root);
    }
    mtree_expect(area_untouched(&c->recv), "%s %s: wrote where it must not",
                 form_names[c->form], collective_names[c->collective]);
}

static void case_free(case_t *c)
{
    if (c->form == MTREE_PERSISTENT_FORM) {
        MPI_Request_free(&c->request);
    }
    area_free(&c->send);
    area_free(&c->recv);
    free(c->counts);
}

/* Cases under way; and persistent requests that wait to be started again, all at once. */
static case_t flying[MAX_RESTING], resting[MAX_RESTING];
static int num_flying, num_resting;

/* A case has come to an end, for now at least. */
static void land_case(case_t *c)
{
    case_verify(c);
    if (--c->starts == 0) {
        case_free(c);
    } else if (num_resting == MAX_RESTING) {
        MPI_Abort(MPI_COMM_WORLD, 1);
    } else {
        resting[num_resting++] = *c;
    }
}

/* Wait for cases in an order of this rank's own until at most @a most are left. */
static void land(int most)
{
    while (num_flying > most) {
        int i = draw(&own, num_flying), done = 0;

        MPI_Test(&flying[i].request, &done, MPI_STATUS_IGNORE);
        if (done) {
            land_case(&flying[i]);
            flying[i] = flying[--num_flying];
        }
    }
}

/*
 * Start all that rests, in an order of this rank's own.  Only where all ranks do it: one
 * that waited for such a start would wait for ever.
 */
static void restart(void)
{
    land(0);
    while (num_resting > 0) {
        int i = draw(&own, num_resting);
        case_t *c = &flying[num_flying++];

        *c = resting[i];
        resting[i] = resting[--num_resting];
        c->seed++;
        case_fill(c);
        MPI_Start(&c->request);
    }
    land(0);
}

static void launch(collective_t collective, mtree_form_t form, MPI_Comm comm)
{
    case_t *c = &flying[num_flying];

    case_create(c, collective, form, comm);
    case_fill(c);
    case_call(c);
    if (form == MTREE_PERSISTENT_FORM) {
        MPI_Start(&c->request);
    }
    if (form == MTREE_BLOCKING_FORM) {
        land_case(c);
    } else {
        num_flying++;
    }
}

/* The same two calls on two communicators, on every other rank the other way round. */
static void launch_pair(MPI_Comm first, MPI_Comm second)
{
    generator_t before = common, between;
    collective_t collective[2];
    int rank;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    land(MAX_IN_FLIGHT - 2);
    collective[0] = (collective_t)draw(&common, COLLECTIVES);
    collective[1] = (collective_t)draw(&common, COLLECTIVES);
    before = between = common;
    between.state ^= 0x5deece66d;
    if (rank % 2 == 0) {
        launch(collective[0], MTREE_NONBLOCKING_FORM, first);
        common = between;
        launch(collective[1], MTREE_NONBLOCKING_FORM, second);
    } else {
        common = between;
        launch(collective[1], MTREE_NONBLOCKING_FORM, second);
        common = before;
        launch(collective[0], MTREE_NONBLOCKING_FORM, first);
    }
    common = before;
    (void)draw(&common, 2);
}

/* End and forget what Open MPI itself may serve on @a comm. */
static void finish_small(MPI_Comm comm, bool all)
{
    for (int i = num_flying - 1; i >= 0; i--) {
        if (flying[i].comm == comm && (all || is_small(&flying[i]))) {
            MPI_Wait(&flying[i].request, MPI_STATUS_IGNORE);
            flying[i].starts = 1;
            land_case(&flying[i]);
            flying[i] = flying[--num_flying];
        }
    }
    for (int i = num_resting - 1; i >= 0; i--) {
        if (resting[i].comm == comm && (all || is_small(&resting[i]))) {
            case_free(&resting[i]);
            resting[i] = resting[--num_resting];
        }
    }
}

/* Another communicator in place of @a comm, which may have calls under way. */
static void renew(MPI_Comm *comm, int number)
{
    int rank, size;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (*comm != MPI_COMM_NULL) {
        finish_small(*comm, !early);
        MPI_Comm_free(comm);
    }
    if (number % 2 == 1) {
        MPI_Comm_dup(MPI_COMM_WORLD, comm);
    } else {
        MPI_Comm_split(MPI_COMM_WORLD, rank < size / 2 ? 0 : 1, size - rank, comm);
    }
}

/* A rank that computes: outside MPI for a while. */
static void be_late(void)
{
    struct timespec away = {.tv_nsec = draw(&own, LATE_NANOSECONDS)};

    if (late && draw(&own, 4) == 0) {
        nanosleep(&away, NULL);
    }
}

int main(int argc, char **argv)
{
    int cases = argc > 1 ? atoi(argv[1]) : 200;
    MPI_Comm comms[NUM_COMMS] = {MPI_COMM_WORLD, MPI_COMM_NULL, MPI_COMM_NULL,
                                 MPI_COMM_NULL};
    int rank, status;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    common.state = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    own.state = common.state * 1000 + (unsigned long long)rank;
    for (int i = 3; i < argc; i++) {
        early = early || strcmp(argv[i], "early") == 0;
        tame = tame || strcmp(argv[i], "tame") == 0;
        late = late || strcmp(argv[i], "late") == 0;
    }
    items_init();
    for (int i = 1; i < NUM_COMMS; i++) {
        renew(&comms[i], i);
    }
    for (int i = 0; i < cases; i++) {
        int which = draw(&common, NUM_COMMS);
        generator_t next;

        be_late();
        if (which > 0 && draw(&common, 12) == 0) {
            renew(&comms[which], which);
        }
        if (draw(&common, 8) == 0) {
            restart();
        }
        if (draw(&common, 6) == 0) {
            launch_pair(comms[1], comms[3]);
            continue;
        }
        /* The halves of a split draw for themselves: go on from where they parted. */
        next.state = common.state + 0x1234567;
        land(draw(&own, MAX_IN_FLIGHT));
        launch((collective_t)draw(&common, COLLECTIVES),
               (mtree_form_t)draw(&common, MTREE_FORMS), comms[which]);
        common = next;
    }
    while (num_resting + num_flying > 0) {
        restart();
    }
    for (int i = 1; i < NUM_COMMS; i++) {
        MPI_Comm_free(&comms[i]);
    }
    items_cleanup();
    status = mtree_expect_finish("random_cases");
    MPI_Finalize();
    return status;
}
