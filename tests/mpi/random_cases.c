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
    GATHER,
    GATHERV,
    SCATTER,
    SCATTERV,
    ALLTOALL,
    ALLTOALLV,
    ALLTOALLW,
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
                                                          "gather",
                                                          "gatherv",
                                                          "scatter",
                                                          "scatterv",
                                                          "alltoall",
                                                          "alltoallv",
                                                          "alltoallw",
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

/* What a rank sends, or receives, of a case that moves another block between each two
 * ranks; counted in elements, whose size differs between ranks and sides. */
typedef struct {
    int only;            /* the one rank with a block; -1: each has one; -2: none has */
    int *counts;         /* [ranks] of alltoallw: of the rank's type */
    int *places;         /* [ranks] of alltoallw: in bytes */
    int *first;          /* [ranks] element of the area */
    int total;           /* items of the area */
    MPI_Datatype *types; /* [ranks] of alltoallw, derived ones for every other rank */
} side_t;

/* One case.  Blocks are counted in items; one is as long as the layouts' longest element.
 */
typedef struct {
    collective_t collective;
    mtree_form_t form;
    item_kind_t kind;
    MPI_Comm comm;
    int rank, ranks, root;
    bool in_place;
    unsigned seed;  /* of the data */
    unsigned shape; /* of the sizes of an exchange's blocks */
    int block;      /* items of a block, or of the vector */
    int *counts;    /* [ranks] items of each block */
    int *places;    /* [ranks] item of the receive area at which it begins */
    int total;      /* items of the receive area */
    const item_layout_t *send_layout, *recv_layout;
    area_t send, recv;
    int *recv_counts, *recv_places; /* [ranks] the same in elements */
    side_t sides[2];                /* of send and recv, where is_exchange() */
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

static bool is_alltoall(const case_t *c)
{
    return c->collective >= ALLTOALL && c->collective <= ALLTOALLW;
}

/* Does it move another block between each two ranks? */
static bool is_exchange(const case_t *c)
{
    return c->collective >= GATHER && c->collective <= ALLTOALLW;
}

static bool has_unequal(const case_t *c)
{
    return c->collective == GATHERV || c->collective == SCATTERV ||
           c->collective == ALLTOALLV || c->collective == ALLTOALLW;
}

/* What Open MPI may serve itself. */
static bool is_small(const case_t *c)
{
    return c->collective == BARRIER || c->ranks == 1 ||
           (!has_unequal(c) && (size_t)c->total * item_bytes(c->kind) <= SMALL_BYTES);
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
    c->total = has_blocks(c) ? at : is_exchange(c) ? c->block * c->ranks : c->block;
}

static void *allocate(size_t bytes)
{
    void *memory = calloc(1, bytes + 1);

    if (memory == NULL) {
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    return memory;
}

/* Items of the block that goes from rank @a from to rank @a to.  What a rank sends in
 * place has the size of what it receives. */
static int block_items(const case_t *c, int from, int to)
{
    generator_t blocks = {.state = c->shape};
    int low = c->in_place && is_alltoall(c) && from > to ? to : from;

    if (!has_unequal(c)) {
        return c->block;
    }
    blocks.state = (blocks.state * 1009 + (unsigned)low) * 1013 + (unsigned)(from + to);
    (void)draw(&blocks, 2);
    return draw(&blocks, 5) == 0
               ? 0
               : 4 * (1 + draw(&blocks, draw(&blocks, 4) == 0 ? LARGEST_BLOCK / 4 : 40));
}

/* The packed image of that block. */
static void block_fill(const case_t *c, int from, int to, char *packed)
{
    item_fill(c->kind, c->seed + 97 * (unsigned)to, from,
              (size_t)block_items(c, from, to), packed);
}

/* The items of the block of @a side that goes to, or comes from, @a peer. */
static int side_items(const case_t *c, bool receives, int peer)
{
    int only = c->sides[receives].only;

    if (only == -2 || (only >= 0 && only != peer)) {
        return 0;
    }
    return receives ? block_items(c, peer, c->rank) : block_items(c, c->rank, peer);
}

/* alltoallw: an element of the type of every other rank is a whole block. */
static void side_draw_types(const case_t *c, side_t *side, const item_layout_t *layout)
{
    MPI_Aint lower, extent;

    MPI_Type_get_extent(layout->type, &lower, &extent);
    for (int r = 0; r < c->ranks; r++) {
        side->places[r] *= (int)extent;
        MPI_Type_contiguous(r % 2 == 0 ? 1 : side->counts[r], layout->type,
                            &side->types[r]);
        MPI_Type_commit(&side->types[r]);
        /* libnbc takes an empty element for a message that the other side leaves out. */
        if (r % 2 != 0 && (side->counts[r] > 0 || !is_tame(c))) {
            side->counts[r] = 1;
        }
    }
}

/* Where the blocks of a side lie: one behind the other, or in any order with gaps. */
static void side_create(case_t *c, bool receives, const item_layout_t *layout)
{
    side_t *side = &c->sides[receives];
    bool is_root = c->rank == c->root, apart;
    int first, at = 0;

    if (is_alltoall(c)) {
        side->only = -1;
    } else if (receives == (c->collective <= GATHERV)) {
        side->only = is_root ? -1 : -2;
    } else {
        side->only = c->in_place ? -2 : c->root;
    }
    apart = has_unequal(c) && side->only == -1;
    first = apart ? draw(&own, c->ranks) : 0;
    side->counts = allocate((size_t)c->ranks * 3 * sizeof(int));
    side->places = side->counts + c->ranks;
    side->first = side->places + c->ranks;
    for (int i = 0; i < c->ranks; i++) {
        int r = (first + i) % c->ranks;

        at += apart ? 4 * draw(&own, 3) : 0;
        side->first[r] = side->places[r] = at / layout->items;
        side->counts[r] = side_items(c, receives, r) / layout->items;
        at += side_items(c, receives, r);
    }
    side->total = at;
    side->types = allocate((size_t)c->ranks * sizeof(*side->types));
    if (c->collective == ALLTOALLW) {
        side_draw_types(c, side, layout);
    }
}

static void side_free(const case_t *c, side_t *side)
{
    for (int r = 0; c->collective == ALLTOALLW && r < c->ranks; r++) {
        MPI_Type_free(&side->types[r]);
    }
    free(side->counts);
    free(side->types);
}

/* Fill what this rank sends of an exchange. */
static void exchange_fill(case_t *c)
{
    bool in_place = c->in_place && (is_alltoall(c) || c->collective <= GATHERV);
    const side_t *side = &c->sides[in_place];

    for (int r = 0; r < c->ranks; r++) {
        int items = side_items(c, in_place, r);
        char *packed;

        if (items == 0 || (in_place && !is_alltoall(c) && r != c->rank)) {
            continue;
        }
        packed = allocate((size_t)items * item_bytes(c->kind));
        block_fill(c, c->rank, r, packed);
        area_put(in_place ? &c->recv : &c->send, side->first[r],
                 items / (in_place ? c->recv_layout : c->send_layout)->items, packed);
        free(packed);
    }
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
    char *packed;

    if (is_exchange(c)) {
        exchange_fill(c);
        return;
    }
    packed = allocate((size_t)items * item_bytes(c->kind));
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
    c->seed = c->shape = (unsigned)draw(&common, 1 << 30);
    c->kind = (item_kind_t)draw(&common, 12);
    c->kind = c->kind >= ITEM_KINDS ? ITEM_MIXED : c->kind;
    c->kind = (tame || c->ranks == 1) && c->kind == ITEM_EMPTY ? ITEM_INT : c->kind;
    c->root = draw(&common, c->ranks);
    c->in_place = draw(&common, 3) == 0;
    if (collective == REDUCE || (is_exchange(c) && !is_alltoall(c))) {
        c->in_place = c->in_place && c->rank == c->root;
    }
    draw_blocks(c);
    /* libnbc mixes blocks up. */
    if (is_alltoall(c) && has_unequal(c) && form != MTREE_BLOCKING_FORM && is_tame(c)) {
        c->in_place = false;
    }
    c->send_layout = draw_layout(c);
    c->recv_layout = is_fold(c) ? c->send_layout : draw_layout(c);
    for (int r = 0; r < c->ranks; r++) {
        c->recv_counts[r] = c->counts[r] / c->recv_layout->items;
        c->recv_places[r] = c->places[r] / c->recv_layout->items;
    }
    if (is_exchange(c)) {
        side_create(c, false, c->send_layout);
        side_create(c, true, c->recv_layout);
    }
    area_create(&c->send, c->send_layout->type,
                is_exchange(c) ? c->sides[0].total : send_items(c));
    area_create(&c->recv, c->recv_layout->type,
                is_exchange(c) ? c->sides[1].total : c->total);
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

static void case_call_rooted(case_t *c)
{
    const void *send = c->in_place ? MPI_IN_PLACE : c->send.base;
    void *recv = c->in_place ? MPI_IN_PLACE : c->recv.base;
    const side_t *from = &c->sides[0], *to = &c->sides[1];
    int sent = from->counts[c->root], received = to->counts[c->root];
    MPI_Datatype type = c->send_layout->type, recv_type = c->recv_layout->type;

    switch (c->collective) {
    case GATHER:
        RUN(c, Gather, gather, send, sent, type, c->recv.base, received, recv_type,
            c->root, c->comm);
        break;
    case GATHERV:
        RUN(c, Gatherv, gatherv, send, sent, type, c->recv.base, to->counts, to->places,
            recv_type, c->root, c->comm);
        break;
    case SCATTER:
        RUN(c, Scatter, scatter, c->send.base, sent, type, recv, received, recv_type,
            c->root, c->comm);
        break;
    default:
        RUN(c, Scatterv, scatterv, c->send.base, from->counts, from->places, type, recv,
            received, recv_type, c->root, c->comm);
        break;
    }
}

static void case_call_alltoall(case_t *c)
{
    const void *send = c->in_place ? MPI_IN_PLACE : c->send.base;
    const side_t *from = &c->sides[0], *to = &c->sides[1];
    MPI_Datatype type = c->send_layout->type, recv_type = c->recv_layout->type;

    switch (c->collective) {
    case ALLTOALL:
        RUN(c, Alltoall, alltoall, send, from->counts[0], type, c->recv.base,
            to->counts[0], recv_type, c->comm);
        break;
    case ALLTOALLV:
        RUN(c, Alltoallv, alltoallv, send, from->counts, from->places, type, c->recv.base,
            to->counts, to->places, recv_type, c->comm);
        break;
    default:
        RUN(c, Alltoallw, alltoallw, send, from->counts, from->places, from->types,
            c->recv.base, to->counts, to->places, to->types, c->comm);
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
        if (is_alltoall(c)) {
            case_call_alltoall(c);
        } else if (is_exchange(c)) {
            case_call_rooted(c);
        } else {
            case_call_fold(c);
        }
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

/* Check @a items items, which are to be @a want and begin at @a element. */
static void verify_items(case_t *c, int element, int items, const char *want, int rank)
{
    size_t bytes = (size_t)items * item_bytes(c->kind);
    char *got = allocate(bytes);
    int elements = items / c->recv_layout->items;

    area_get(&c->recv, element, elements, got);
    mtree_expect(memcmp(want, got, bytes) == 0,
                 "%s %s, %d ranks, kind %d, %d items%s: block of rank %d is wrong",
                 form_names[c->form], collective_names[c->collective], c->ranks, c->kind,
                 items, c->in_place ? ", in place" : "", rank);
    area_clear(&c->recv, element, elements);
    free(got);
}

/* Check items [from, to) of what is expected (of rank), which begin at @a element. */
static void verify(case_t *c, int element, int from, int to, int rank)
{
    char *want = expected(c, from, to, rank);

    verify_items(c, element, to - from, want, rank);
    free(want);
}

static void verify_exchange(case_t *c)
{
    for (int r = 0; r < c->ranks; r++) {
        int items = side_items(c, true, r);
        char *want = allocate((size_t)items * item_bytes(c->kind));

        if (items > 0) {
            block_fill(c, r, c->rank, want);
            verify_items(c, c->sides[1].first[r], items, want, r);
        }
        free(want);
    }
}

static void case_verify(case_t *c)
{
    bool scatters =
        c->collective == REDUCE_SCATTER || c->collective == REDUCE_SCATTER_BLOCK;

    if (c->collective == BARRIER) {
        return;
    }
    if (is_exchange(c)) {
        verify_exchange(c);
    } else if (c->collective == ALLGATHER || c->collective == ALLGATHERV) {
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
    for (int side = 0; side < 2 && is_exchange(c); side++) {
        side_free(c, &c->sides[side]);
    }
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
