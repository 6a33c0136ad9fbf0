/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * rules [areas|nothing|freed|attributes]...: rules of MPI that few programs make use of,
 * for every collective that mtree serves in every form; all groups without arguments.
 * Where there is mtree, it must serve each call that it says it serves.
 *
 * Open MPI's own collectives do not bear all of `freed`, and not all datatypes of
 * `areas`.
 */
#include "tests/mpi/expect.h"
#include "tests/mpi/forms.h"
#include "tests/mpi/odd.h"
#include "tests/mpi/served.h"

#include <stdlib.h>
#include <string.h>

/* Nonblocking calls up to this size are Open MPI's own. */
#define SMALL_BYTES 64
#define MOST_RANKS  16

typedef enum {
    ALLREDUCE,
    REDUCE,
    BCAST,
    ALLGATHER,
    ALLGATHERV,
    REDUCE_SCATTER,
    REDUCE_SCATTER_BLOCK,
    COLLECTIVES
} collective_t;

static const char *const collective_names[COLLECTIVES] = {
    "allreduce",           "reduce", "bcast", "allgather", "allgatherv", "reduce_scatter",
    "reduce_scatter_block"};
static const char *const form_names[MTREE_FORMS] = {"blocking", "nonblocking",
                                                    "persistent"};

static int my_rank, num_ranks;

/* A call of blocks of `block` pairs.  What is folded is in place: one datatype of
 * absolute addresses cannot be in two places. */
typedef struct {
    collective_t collective;
    mtree_form_t form;
    MPI_Comm comm;
    int block, root;
    int counts[MOST_RANKS], places[MOST_RANKS];
    odd_area_t send, recv;
    MPI_Op op;
    MPI_Request request;
    int rc;
} call_t;

static bool is_fold(int collective)
{
    return collective != BCAST && collective != ALLGATHER && collective != ALLGATHERV;
}

static bool has_blocks(const call_t *call)
{
    return call->collective >= ALLGATHER;
}

static int total_pairs(const call_t *call)
{
    return has_blocks(call) ? call->block * num_ranks : call->block;
}

/* Item @a item of what @a rank gives, and of the sum. */
static int given(int rank, int item)
{
    return 1000 * (rank + 1) + item % 991;
}

static int summed(int item)
{
    return 500 * num_ranks * (num_ranks + 1) + num_ranks * (item % 991);
}

static void fill(odd_area_t *area, int first, int pairs, int rank)
{
    for (int item = 0; item < 2 * pairs; item++) {
        *odd_area_item(area, first, item) = given(rank, item);
    }
}

/* What this rank gives, at the beginning or once more. */
static void call_fill(call_t *call)
{
    fill(&call->send, 0, call->block, my_rank);
    if (is_fold(call->collective) ||
        (call->collective == BCAST && my_rank == call->root)) {
        fill(&call->recv, 0, total_pairs(call), my_rank);
    }
}

static void call_create(call_t *call, collective_t collective, mtree_form_t form,
                        int kind, int block)
{
    memset(call, 0, sizeof(*call));
    call->collective = collective;
    call->form = form;
    call->block = block;
    call->root = (block + (int)form) % num_ranks;
    call->comm = MPI_COMM_WORLD;
    call->request = MPI_REQUEST_NULL;
    for (int r = 0; r < num_ranks; r++) {
        call->counts[r] = block;
        /* In the reverse order. */
        call->places[r] = (num_ranks - 1 - r) * block;
    }
    odd_area_create(&call->recv, kind, total_pairs(call));
    odd_area_create(&call->send, kind, block);
    call->op = odd_sum(collective == REDUCE && my_rank != call->root ? &call->send
                                                                     : &call->recv);
    call_fill(call);
}

#define CALL(_call, _name, _lower, ...)                                                  \
    MTREE_CALL_FORM((_call)->rc, (_call)->form, &(_call)->request, _name, _lower,        \
                    __VA_ARGS__)

static void call_reduce(call_t *call)
{
    bool at_root = my_rank == call->root;
    void *base = at_root ? call->recv.base : call->send.base;

    CALL(call, Reduce, reduce, at_root ? MPI_IN_PLACE : base, at_root ? base : NULL,
         call->block, at_root ? call->recv.type : call->send.type, call->op, call->root,
         call->comm);
}

/* Begins the call; blocking ones end, too. */
static void call_begin(call_t *call)
{
    MPI_Datatype type = call->recv.type;
    void *base = call->recv.base;

    switch (call->collective) {
    case ALLREDUCE:
        CALL(call, Allreduce, allreduce, MPI_IN_PLACE, base, call->block, type, call->op,
             call->comm);
        break;
    case REDUCE:
        call_reduce(call);
        break;
    case BCAST:
        CALL(call, Bcast, bcast, base, call->block, type, call->root, call->comm);
        break;
    case ALLGATHER:
        CALL(call, Allgather, allgather, call->send.base, call->block, call->send.type,
             base, call->block, type, call->comm);
        break;
    case ALLGATHERV:
        CALL(call, Allgatherv, allgatherv, call->send.base, call->block, call->send.type,
             base, call->counts, call->places, type, call->comm);
        break;
    case REDUCE_SCATTER:
        CALL(call, Reduce_scatter, reduce_scatter, MPI_IN_PLACE, base, call->counts, type,
             call->op, call->comm);
        break;
    default:
        CALL(call, Reduce_scatter_block, reduce_scatter_block, MPI_IN_PLACE, base,
             call->block, type, call->op, call->comm);
        break;
    }
    if (call->form == MTREE_PERSISTENT_FORM) {
        MPI_Start(&call->request);
    }
}

/* A block of the receive area, and that nothing but it was written. */
static void expect_block(call_t *call, int first, int pairs, int from, int item)
{
    int wrong = 0;

    for (int i = 0; i < 2 * pairs; i++) {
        int want = from < 0 ? summed(item + i) : given(from, item + i);

        wrong += *odd_area_item(&call->recv, first, i) != want;
    }
    mtree_expect(wrong == 0, "%s %s of %d pairs, %s: %d of %d items of rank %d are wrong",
                 form_names[call->form], collective_names[call->collective], call->block,
                 odd_name(call->recv.kind), wrong, 2 * pairs, from);
}

static void call_verify(call_t *call)
{
    bool scatters = call->collective >= REDUCE_SCATTER;

    if (scatters) {
        expect_block(call, 0, call->block, -1, 2 * my_rank * call->block);
    } else if (call->collective == ALLREDUCE ||
               (call->collective == REDUCE && my_rank == call->root)) {
        expect_block(call, 0, call->block, -1, 0);
    } else if (call->collective == BCAST) {
        expect_block(call, 0, call->block, call->root, 0);
    }
    for (int r = 0; r < num_ranks && has_blocks(call) && !scatters; r++) {
        expect_block(call,
                     call->collective == ALLGATHER ? r * call->block : call->places[r],
                     call->block, r, 0);
    }
    odd_area_clear(&call->recv, 0, total_pairs(call));
    mtree_expect(odd_area_is_clear(&call->recv), "%s of %s: wrote where it must not",
                 collective_names[call->collective], odd_name(call->recv.kind));
}

static void call_free(call_t *call)
{
    odd_area_free(&call->send);
    odd_area_free(&call->recv);
}

/* Does mtree serve such a call? */
static bool is_served(const call_t *call)
{
    size_t bytes = (size_t)total_pairs(call) * 2 * sizeof(int);

    return bytes > (call->form == MTREE_NONBLOCKING_FORM ? SMALL_BYTES : 0);
}

static void expect_served(const call_t *call, long before)
{
    if (before >= 0 && is_served(call)) {
        mtree_expect(served_calls() == before + 1,
                     "%s %s of %s: mtree served %ld calls, not one",
                     form_names[call->form], collective_names[call->collective],
                     odd_name(call->recv.kind), served_calls() - before);
    }
}

static void check_area(collective_t collective, mtree_form_t form, int kind, int block)
{
    long before = served_calls();
    call_t call;

    call_create(&call, collective, form, kind, block);
    call_begin(&call);
    MPI_Wait(&call.request, MPI_STATUS_IGNORE);
    expect_served(&call, before);
    call_verify(&call);
    if (form == MTREE_PERSISTENT_FORM) {
        MPI_Request_free(&call.request);
    }
    MPI_Op_free(&call.op);
    call_free(&call);
}

static void check_areas(void)
{
    static const int blocks[] = {1, 12, 7001};

    for (int i = 0; i < 3; i++) {
        for (int kind = 0; kind < ODD_KINDS; kind++) {
            for (int c = 0; c < COLLECTIVES * MTREE_FORMS; c++) {
                if (is_fold(c / MTREE_FORMS) &&
                    !odd_is_folded(kind, served_calls() < 0)) {
                    continue;
                }
                check_area((collective_t)(c / MTREE_FORMS),
                           (mtree_form_t)(c % MTREE_FORMS), kind, blocks[i]);
            }
        }
    }
}

/* Nothing at all: no elements, elements of no bytes, with and without buffers. */
static void check_nothing(void)
{
    int none[MOST_RANKS] = {0}, one[MOST_RANKS] = {0}, mine = 7, sum = -1;
    MPI_Datatype empty;

    MPI_Type_contiguous(0, MPI_INT, &empty);
    MPI_Type_commit(&empty);
    for (int f = 0; f < MTREE_FORMS; f++) {
        for (int c = 0; c < COLLECTIVES; c++) {
            check_area((collective_t)c, (mtree_form_t)f, c % ODD_KINDS, 0);
        }
    }
    MPI_Bcast(NULL, 0, MPI_INT, num_ranks - 1, MPI_COMM_WORLD);
    MPI_Bcast(&mine, 5, empty, 0, MPI_COMM_WORLD);
    MPI_Allgather(&mine, 3, empty, &sum, 3, empty, MPI_COMM_WORLD);
    MPI_Allgatherv(NULL, 0, MPI_INT, NULL, none, none, MPI_INT, MPI_COMM_WORLD);
    MPI_Allreduce(NULL, NULL, 0, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Reduce_scatter(NULL, NULL, none, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    mtree_expect(mine == 7 && sum == -1, "what is no data was written");
    /* All parts but one are empty. */
    one[num_ranks - 1] = 1;
    MPI_Reduce_scatter(&mine, &sum, one, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    mtree_expect(sum == (my_rank == num_ranks - 1 ? 7 * num_ranks : -1),
                 "reduce_scatter of one part: %d", sum);
    mine = 100 + my_rank;
    MPI_Allgatherv(&mine, one[my_rank], MPI_INT, &sum, one, none, MPI_INT,
                   MPI_COMM_WORLD);
    mtree_expect(sum == 99 + num_ranks, "allgatherv of one part: %d", sum);
    MPI_Type_free(&empty);
}

/* The datatype, the operation and the communicator are freed before the call ends, of
 * persistent ones before it is started for the second time. */
static void check_freed_under(collective_t collective, mtree_form_t form, int kind)
{
    long before;
    call_t call;

    call_create(&call, collective, form, kind, 5003);
    MPI_Comm_dup(MPI_COMM_WORLD, &call.comm);
    before = served_calls();
    call_begin(&call);
    MPI_Type_free(&call.send.type);
    MPI_Type_free(&call.recv.type);
    MPI_Op_free(&call.op);
    MPI_Comm_free(&call.comm);
    MPI_Wait(&call.request, MPI_STATUS_IGNORE);
    expect_served(&call, before);
    call_verify(&call);
    if (form == MTREE_PERSISTENT_FORM) {
        call_fill(&call);
        MPI_Start(&call.request);
        MPI_Wait(&call.request, MPI_STATUS_IGNORE);
        call_verify(&call);
        MPI_Request_free(&call.request);
    }
    call_free(&call);
}

static void check_freed(void)
{
    for (int c = 0; c < COLLECTIVES; c++) {
        for (int kind = 0; kind < ODD_KINDS - 1; kind++) {
            check_freed_under((collective_t)c, MTREE_NONBLOCKING_FORM, kind);
            check_freed_under((collective_t)c, MTREE_PERSISTENT_FORM, kind);
        }
    }
}

/* What callbacks of attributes do with their communicator and with the world. */
static int num_copied, num_deleted;

static void sum_on(MPI_Comm comm, const char *what)
{
    static int ones[3000], sums[3000];
    int ranks;

    MPI_Comm_size(comm, &ranks);
    for (int i = 0; i < 3000; i++) {
        ones[i] = i;
    }
    MPI_Allreduce(ones, sums, 3000, MPI_INT, MPI_SUM, comm);
    mtree_expect(sums[2999] == 2999 * ranks, "a sum %s is wrong", what);
}

static int copied(MPI_Comm comm, int keyval, void *extra, void *value, void *result,
                  int *flag)
{
    (void)keyval;
    (void)extra;
    *(void **)result = value;
    *flag = 1;
    num_copied++;
    sum_on(comm, "while an attribute is copied");
    return MPI_SUCCESS;
}

static int deleted(MPI_Comm comm, int keyval, void *value, void *extra)
{
    (void)keyval;
    (void)value;
    (void)extra;
    num_deleted++;
    sum_on(MPI_COMM_WORLD, "of the world while an attribute is deleted");
    if (comm != MPI_COMM_SELF) {
        sum_on(comm, "while an attribute is deleted");
    }
    return MPI_SUCCESS;
}

static void check_attributes(void)
{
    MPI_Comm comm, copy;
    int keyval;
    call_t call;

    MPI_Comm_create_keyval(copied, deleted, &keyval, NULL);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_attr(comm, keyval, &call);
    MPI_Comm_dup(comm, &copy);
    mtree_expect(num_copied == 1, "the attribute was copied %d times", num_copied);
    /* A call under way while the callbacks run. */
    call_create(&call, ALLREDUCE, MTREE_NONBLOCKING_FORM, 0, 5003);
    call.comm = copy;
    call_begin(&call);
    MPI_Comm_delete_attr(copy, keyval);
    MPI_Wait(&call.request, MPI_STATUS_IGNORE);
    call_verify(&call);
    MPI_Op_free(&call.op);
    call_free(&call);
    MPI_Comm_free(&copy);
    MPI_Comm_free(&comm);
    mtree_expect(num_deleted == 2, "the attribute was deleted %d times", num_deleted);
    /* MPI_Finalize begins with deleting those of MPI_COMM_SELF. */
    MPI_Comm_set_attr(MPI_COMM_SELF, keyval, NULL);
    MPI_Comm_free_keyval(&keyval);
}

static const struct {
    const char *name;
    void (*check)(void);
} groups[] = {
    {"areas", check_areas},
    {"nothing", check_nothing},
    {"freed", check_freed},
    {"attributes", check_attributes},
};

int main(int argc, char **argv)
{
    int status;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &my_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &num_ranks);
    served_open();
    for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++) {
        bool wanted = argc == 1;

        for (int a = 1; a < argc; a++) {
            wanted = wanted || strcmp(argv[a], groups[i].name) == 0;
        }
        if (wanted) {
            groups[i].check();
        }
    }
    status = mtree_expect_finish("rules");
    served_close();
    MPI_Finalize();
    return status;
}
