/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/mpi/random_case.h"

#include "tests/mpi/expect.h"

#include <stdlib.h>
#include <string.h>

/* Nonblocking calls up to this size are Open MPI's own. */
#define SMALL_BYTES 64

/* Items of a block where ranks are late. */
#define LATE_LARGEST_BLOCK 20000

/* With "until" one block, or vector, of so many may have all ranks' together up to so
 * many items, of 8 bytes at most. */
#define RARE         48
#define RARE_LARGEST 1000000

_Thread_local random_run_t run;

const collective_row_t collective_table[COLLECTIVES] = {
    {"allreduce", IS_FOLD},
    {"reduce", IS_FOLD | IS_ROOTED},
    {"bcast", IS_ROOTED},
    {"allgather", RECEIVES_ALL},
    {"allgatherv", RECEIVES_ALL},
    {"reduce_scatter", IS_FOLD | SENDS_ALL},
    {"reduce_scatter_block", IS_FOLD | SENDS_ALL},
    {"gather", IS_EXCHANGE | RECEIVES_ALL | IS_ROOTED},
    {"gatherv", IS_EXCHANGE | RECEIVES_ALL | IS_ROOTED | IS_UNEQUAL},
    {"scatter", IS_EXCHANGE | SENDS_ALL | IS_ROOTED},
    {"scatterv", IS_EXCHANGE | SENDS_ALL | IS_ROOTED | IS_UNEQUAL},
    {"alltoall", IS_EXCHANGE | IS_ALLTOALL},
    {"alltoallv", IS_EXCHANGE | IS_ALLTOALL | IS_UNEQUAL},
    {"alltoallw", IS_EXCHANGE | IS_ALLTOALL | IS_UNEQUAL},
    {"scan", IS_FOLD | IS_PREFIX},
    {"exscan", IS_FOLD | IS_PREFIX},
    {"barrier", 0},
};

const char *const form_names[MTREE_FORMS] = {"blocking", "nonblocking", "persistent"};

int draw(generator_t *generator, int below)
{
    generator->state = generator->state * 6364136223846793005ULL + 1442695040888963407ULL;
    return (int)((generator->state >> 33) % (unsigned)below);
}

bool is_small(const case_t *c)
{
    return c->collective == BARRIER || c->ranks == 1 ||
           (!collective_is(c->collective, IS_UNEQUAL) &&
            (size_t)c->total * item_bytes(c->kind) <= SMALL_BYTES);
}

bool is_tame(const case_t *c)
{
    return run.tame || c->ranks == 1 ||
           (c->form == MTREE_NONBLOCKING_FORM && is_small(c));
}

/* A layout that all ranks or, for data that is moved, only this one has chosen. */
static const item_layout_t *draw_layout(const case_t *c)
{
    int number = draw(collective_is(c->collective, IS_FOLD) ? &run.common : &run.own, 4);
    const item_layout_t *layout = item_layout(c->kind, number);

    if (run.choice != NULL) {
        return item_layout(c->kind, run.choice->layout);
    }
    return layout == NULL || is_tame(c) ||
                   (collective_is(c->collective, IS_FOLD) && !layout->folded)
               ? item_layout(c->kind, 0)
               : layout;
}

/* Multiples of 4 fit all layouts. */
static int draw_items(const case_t *c)
{
    int largest = run.late ? LATE_LARGEST_BLOCK : LARGEST_BLOCK;
    int most = draw(&run.common, 4) == 0 ? largest : 40;

    if (run.choice != NULL && run.choice->block >= 0) {
        return run.choice->block;
    }
    if (run.until && draw(&run.common, RARE) == 0) {
        most = RARE_LARGEST / 4 /
               (has_blocks(c->collective) || collective_is(c->collective, IS_EXCHANGE)
                    ? c->ranks
                    : 1);
    }
    return draw(&run.common, 12) == 0 ? 0 : 4 * (1 + draw(&run.common, most));
}

static void draw_blocks(case_t *c)
{
    bool unequal = c->collective == ALLGATHERV || c->collective == REDUCE_SCATTER;
    bool apart = c->collective == ALLGATHERV;
    int at = 0;

    c->block = draw_items(c);
    for (int i = 0; i < c->ranks; i++) {
        c->counts[i] = unequal ? draw_items(c) : c->block;
    }
    /* allgatherv: the blocks in any order, with gaps. */
    for (int i = 0, first = apart ? draw(&run.common, c->ranks) : 0; i < c->ranks; i++) {
        int r = (first + i) % c->ranks;

        at += apart ? 4 * draw(&run.common, 3) : 0;
        c->places[r] = at;
        at += c->counts[r];
    }
    c->total = has_blocks(c->collective)                   ? at
               : collective_is(c->collective, IS_EXCHANGE) ? c->block * c->ranks
                                                           : c->block;
}

int send_items(const case_t *c)
{
    return c->collective == ALLGATHER || c->collective == ALLGATHERV ? c->counts[c->rank]
                                                                     : c->total;
}

void case_fill(case_t *c)
{
    int items = send_items(c);
    char *packed;

    if (collective_is(c->collective, IS_EXCHANGE)) {
        exchange_fill(c);
        return;
    }
    packed = allocate((size_t)items * item_bytes(c->kind));
    item_fill(c->kind, c->op, c->seed, c->rank, 0, (size_t)items, packed);
    if (c->collective == BCAST) {
        if (c->rank == c->root) {
            area_put(&c->recv, 0, items / c->recv_layout->items, packed);
        }
    } else if (c->in_place) {
        area_put(&c->recv,
                 collective_is(c->collective, RECEIVES_ALL) ? (int)c->recv_places[c->rank]
                                                            : 0,
                 items / c->recv_layout->items, packed);
    } else {
        area_put(&c->send, 0, items / c->send_layout->items, packed);
    }
    free(packed);
}

static void draw_case(case_t *c)
{
    const choice_t *choice = run.choice;

    c->seed = c->shape = (unsigned)draw(&run.common, 1 << 30);
    c->kind = draw(&run.common, 12);
    c->kind = c->kind >= ITEM_KINDS ? ITEM_MIXED : c->kind;
    c->kind = (run.tame || c->ranks == 1) && c->kind == ITEM_EMPTY ? ITEM_INT : c->kind;
    c->root = draw(&run.common, c->ranks);
    c->in_place = draw(&run.common, 3) == 0;
    if (choice != NULL) {
        c->kind = choice->kind;
        c->root = choice->root;
        c->in_place = choice->in_place;
    }
    c->op = choice != NULL && choice->op != NULL ? choice->op : item_op(c->kind);
    if (collective_is(c->collective, IS_ROOTED)) {
        c->in_place = c->in_place && c->rank == c->root;
    }
}

void case_create(case_t *c, collective_t collective, mtree_form_t form, MPI_Comm comm)
{
    memset(c, 0, sizeof(*c));
    c->collective = collective;
    c->form = form;
    c->comm = comm;
    MPI_Comm_rank(comm, &c->rank);
    MPI_Comm_size(comm, &c->ranks);
    c->counts = allocate((size_t)c->ranks * 2 * sizeof(int));
    c->places = c->counts + c->ranks;
    c->recv_counts = allocate((size_t)c->ranks * sizeof(*c->recv_counts));
    c->recv_places = allocate((size_t)c->ranks * sizeof(*c->recv_places));
    /* Open MPI's own takes displacements for numbers of elements there, not bytes. */
    if (collective == ALLTOALLW && c->ranks == 1) {
        c->collective = collective = ALLTOALLV;
    }
    draw_case(c);
    draw_blocks(c);
    /* libnbc mixes blocks up. */
    if (collective_is(c->collective, IS_ALLTOALL) &&
        collective_is(c->collective, IS_UNEQUAL) && form != MTREE_BLOCKING_FORM &&
        is_tame(c)) {
        c->in_place = false;
    }
    c->send_layout = draw_layout(c);
    c->recv_layout =
        collective_is(c->collective, IS_FOLD) ? c->send_layout : draw_layout(c);
    for (int r = 0; r < c->ranks; r++) {
        c->recv_counts[r] = c->counts[r] / c->recv_layout->items;
        c->recv_places[r] = c->places[r] / c->recv_layout->items;
    }
    if (collective_is(c->collective, IS_EXCHANGE)) {
        side_create(c, false, c->send_layout);
        side_create(c, true, c->recv_layout);
    }
    area_create(&c->send, c->send_layout,
                collective_is(c->collective, IS_EXCHANGE) ? c->sides[0].total
                                                          : send_items(c));
    area_create(&c->recv, c->recv_layout,
                collective_is(c->collective, IS_EXCHANGE) ? c->sides[1].total : c->total);
    c->starts = form == MTREE_PERSISTENT_FORM ? 1 + draw(&run.common, 3) : 1;
    c->request = MPI_REQUEST_NULL;
}

void case_free(case_t *c)
{
    if (c->request != MPI_REQUEST_NULL) {
        MPI_Request_free(&c->request);
    }
    area_free(&c->send);
    area_free(&c->recv);
    for (int side = 0; side < 2 && collective_is(c->collective, IS_EXCHANGE); side++) {
        side_free(c, &c->sides[side]);
    }
    free(c->counts);
    free(c->recv_counts);
    free(c->recv_places);
}

int case_begin(case_t *c)
{
    int rc = case_call(c);

    return rc == MPI_SUCCESS && c->form == MTREE_PERSISTENT_FORM ? MPI_Start(&c->request)
                                                                 : rc;
}

void case_launch(case_t *c, collective_t collective, mtree_form_t form, MPI_Comm comm)
{
    case_create(c, collective, form, comm);
    case_fill(c);
    (void)case_begin(c);
}

void case_finish(case_t *c)
{
    MPI_Wait(&c->request, MPI_STATUS_IGNORE);
    case_verify(c);
    case_free(c);
}

void case_run(collective_t collective, mtree_form_t form, MPI_Comm comm)
{
    case_t c;

    case_launch(&c, collective, form, comm);
    case_finish(&c);
}

void cases_run_all(MPI_Comm comm, const char *name, bool nonblocking, bool large)
{
    int ranks;

    MPI_Comm_size(comm, &ranks);
    run =
        (random_run_t){.common.state = large, .tame = true, .late = large, .where = name};
    items_init();
    for (int c = 0; c < COLLECTIVES; c++) {
        /* From and to any rank. */
        for (int i = collective_is((collective_t)c, IS_ROOTED) ? ranks : 2; i > 0; i--) {
            case_run((collective_t)c,
                     nonblocking ? MTREE_NONBLOCKING_FORM : MTREE_BLOCKING_FORM, comm);
        }
    }
    items_cleanup();
}

void cases_run_two(MPI_Comm comm)
{
    static const choice_t choice = {.block = 30000};

    run.choice = &choice;
    case_run(BCAST, MTREE_BLOCKING_FORM, comm);
    case_run(ALLREDUCE, MTREE_BLOCKING_FORM, comm);
}

void cases_begin(int *argc, char ***argv)
{
    mtree_expect_begin(argc, argv);
    items_init();
}

int cases_end(const char *program)
{
    items_cleanup();
    return mtree_expect_end(program);
}
