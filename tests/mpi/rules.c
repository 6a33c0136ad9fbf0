/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * rules [areas|nothing|freed|users|attributes]...: rules of MPI that few programs make
 * use of, for every collective that mtree serves in every form; all groups without
 * arguments. Where there is mtree, it must serve each call that it says it serves.
 *
 * rules unequal: calls whose size only some ranks know.  Blocking ones agree on it and
 * are served, nonblocking ones are once that has been done, and persistent ones agree by
 * themselves.
 *
 * Open MPI's own collectives bear neither all of `freed` nor `users`, and not all
 * datatypes of `areas`.
 */
#include "tests/mpi/expect.h"
#include "tests/mpi/random_case.h"
#include "tests/mpi/served.h"

#include <string.h>
#include <unistd.h>

/* While rank 0 plans the fallback serves. */
#define MOST_CALLS 2000
#define PAUSE_US   1000

#define MOST_RANKS 16
#define SHORT_INTS 16
#define LAST       REDUCE_SCATTER_BLOCK

static MPI_Op sum; /* of ints, by a function of ours */

static bool folds(int collective)
{
    return collective_is((collective_t)collective, IS_FOLD);
}

/*
 * Can MPI_Allreduce and the like fold such pairs?  Of extents below 0 Open MPI's own say
 * MPI_ERR_INTERN, and mtree leaves them to these; with addresses, they crash.
 */
static bool can_fold(int pair)
{
    const item_pair_t *of = item_layout(ITEM_INT, ITEM_FIRST_PAIR + pair)->pair;

    return of->extent > 0 && !(of->absolute && served_calls() < 0);
}

/* A call of blocks of so many pairs.  What is folded is in place: one datatype of
 * absolute addresses cannot be in two places. */
static void create(case_t *c, int collective, mtree_form_t form, int pair, int block,
                   MPI_Comm comm)
{
    static choice_t choice;

    choice = (choice_t){.layout = ITEM_FIRST_PAIR + pair,
                        .op = sum,
                        .block = 2 * block,
                        .root = (block + (int)form) % num_ranks,
                        .in_place = folds(collective)};
    run.choice = &choice;
    run.where = item_layout(ITEM_INT, choice.layout)->pair->name;
    case_create(c, (collective_t)collective, form, comm);
    case_fill(c);
}

/* The call that has begun when mtree had served @a before calls, if there is mtree. */
static void finish(case_t *c, long before)
{
    int ints = c->block * (has_blocks(c->collective) ? c->ranks : 1);

    MPI_Wait(&c->request, MPI_STATUS_IGNORE);
    /* Short nonblocking calls are Open MPI's own. */
    if (before >= 0 && ints > (c->form == MTREE_NONBLOCKING_FORM ? SHORT_INTS : 0)) {
        mtree_expect(served_calls() == before + 1,
                     "%s %s of %s: mtree served %ld calls, not one", form_names[c->form],
                     collective_table[c->collective].name, run.where,
                     served_calls() - before);
    }
    case_verify(c);
}

static void check_area(int collective, int form, int pair, int block)
{
    long before = served_calls();
    case_t c;

    create(&c, collective, (mtree_form_t)form, pair, block, MPI_COMM_WORLD);
    (void)case_begin(&c);
    finish(&c, before);
    case_free(&c);
}

static void check_areas(void)
{
    static const int blocks[] = {1, 12, 7001};

    for (int i = 0; i < 3; i++) {
        for (int pair = 0; pair < ITEM_PAIRS; pair++) {
            for (int c = 0; c <= LAST; c++) {
                for (int f = 0; f < MTREE_FORMS && (!folds(c) || can_fold(pair)); f++) {
                    check_area(c, f, pair, blocks[i]);
                }
            }
        }
    }
}

/* Nothing at all: no elements, elements of no bytes, with and without buffers. */
static void check_nothing(void)
{
    int none[MOST_RANKS] = {0}, one[MOST_RANKS] = {0}, mine = 7, got = -1;
    MPI_Datatype empty;

    MPI_Type_contiguous(0, MPI_INT, &empty);
    MPI_Type_commit(&empty);
    for (int f = 0; f < MTREE_FORMS; f++) {
        for (int c = 0; c <= LAST; c++) {
            check_area(c, f, c % ITEM_PAIRS, 0);
        }
    }
    MPI_Bcast(NULL, 0, MPI_INT, num_ranks - 1, MPI_COMM_WORLD);
    MPI_Bcast(&mine, 5, empty, 0, MPI_COMM_WORLD);
    MPI_Allgather(&mine, 3, empty, &got, 3, empty, MPI_COMM_WORLD);
    MPI_Allgatherv(NULL, 0, MPI_INT, NULL, none, none, MPI_INT, MPI_COMM_WORLD);
    MPI_Allreduce(NULL, NULL, 0, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Reduce_scatter(NULL, NULL, none, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    mtree_expect(mine == 7 && got == -1, "what is no data was written");
    /* All parts but one are empty. */
    one[num_ranks - 1] = 1;
    MPI_Reduce_scatter(&mine, &got, one, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    mtree_expect(got == (my_rank == num_ranks - 1 ? 7 * num_ranks : -1),
                 "reduce_scatter of one part: %d", got);
    mine = 100 + my_rank;
    MPI_Allgatherv(&mine, one[my_rank], MPI_INT, &got, one, none, MPI_INT,
                   MPI_COMM_WORLD);
    mtree_expect(got == 99 + num_ranks, "allgatherv of one part: %d", got);
    MPI_Type_free(&empty);
}

/* The datatype, the operation and the communicator are freed before the call ends, of
 * persistent ones before it is started for the second time. */
static void check_freed_under(int collective, mtree_form_t form, int pair)
{
    MPI_Op op = item_sum_create(ITEM_INT);
    MPI_Comm comm;
    long before;
    case_t c;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    create(&c, collective, form, pair, 5003, comm);
    before = served_calls();
    c.op = op;
    (void)case_begin(&c);
    c.op = sum;
    area_free_type(&c.send);
    area_free_type(&c.recv);
    MPI_Op_free(&op);
    MPI_Comm_free(&comm);
    finish(&c, before);
    if (form == MTREE_PERSISTENT_FORM) {
        case_fill(&c);
        MPI_Start(&c.request);
        finish(&c, -1);
    }
    case_free(&c);
}

static void check_freed(void)
{
    for (int c = 0; c <= LAST; c++) {
        for (int pair = 0; pair < ITEM_PAIRS - 1; pair++) {
            check_freed_under(c, MTREE_NONBLOCKING_FORM, pair);
            check_freed_under(c, MTREE_PERSISTENT_FORM, pair);
        }
    }
}

/* Of several calls on a communicator that has been freed, with the datatypes and the
 * operation of some, whichever is waited for last may be its last user. */
static void check_users(void)
{
    static const collective_t collectives[] = {ALLREDUCE, BCAST, ALLREDUCE};

    for (int round = 0; round < 9; round++) {
        MPI_Op op = item_sum_create(ITEM_INT);
        int calls = 1 + round % 3;
        MPI_Comm comm;
        case_t cases[3];

        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        for (int i = 0; i < calls; i++) {
            const choice_t choice = {.layout = i < 2 ? ITEM_FIRST_PAIR : 0,
                                     .op = i < 2 ? op : MPI_MAX,
                                     .block = i < 2 ? 10000 : 5000};

            run.choice = &choice;
            case_launch(&cases[i], collectives[i], MTREE_NONBLOCKING_FORM, comm);
            cases[i].op = i < 2 ? sum : MPI_MAX;
        }
        for (int i = 0; i < calls && i < 2; i++) {
            area_free_type(&cases[i].send);
            area_free_type(&cases[i].recv);
        }
        MPI_Op_free(&op);
        MPI_Comm_free(&comm);
        for (int i = 0; i < calls; i++) {
            case_finish(&cases[(round + i) % calls]);
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
    case_t c;

    MPI_Comm_create_keyval(copied, deleted, &keyval, NULL);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_attr(comm, keyval, &c);
    MPI_Comm_dup(comm, &copy);
    mtree_expect(num_copied == 1, "the attribute was copied %d times", num_copied);
    /* A call under way while the callbacks run. */
    create(&c, ALLREDUCE, MTREE_NONBLOCKING_FORM, 0, 5003, copy);
    (void)case_begin(&c);
    MPI_Comm_delete_attr(copy, keyval);
    finish(&c, -1);
    case_free(&c);
    MPI_Comm_free(&copy);
    MPI_Comm_free(&comm);
    mtree_expect(num_deleted == 2, "the attribute was deleted %d times", num_deleted);
    /* MPI_Finalize begins with deleting those of MPI_COMM_SELF. */
    MPI_Comm_set_attr(MPI_COMM_SELF, keyval, NULL);
    MPI_Comm_free_keyval(&keyval);
}

/* Is a call of @a form served by mtree?  Blocks differ; all calls have the same. */
static bool is_served(mtree_form_t form)
{
    static const choice_t choice = {.kind = ITEM_COMPLEX, .block = -1};
    long before = served_calls();

    run.choice = &choice;
    run.common.state = 1;
    case_run(ALLTOALLV, form, MPI_COMM_WORLD);
    return served_calls() > before;
}

static void check_unequal(void)
{
    int calls = 0;

    mtree_expect(!is_served(MTREE_NONBLOCKING_FORM),
                 "a nonblocking call was served before any rank could know its size");
    while (!is_served(MTREE_BLOCKING_FORM) && ++calls < MOST_CALLS) {
        usleep(PAUSE_US);
    }
    mtree_expect(calls < MOST_CALLS, "no blocking call was served");
    mtree_expect(is_served(MTREE_NONBLOCKING_FORM),
                 "a nonblocking call was not served after blocking ones");
    mtree_expect(is_served(MTREE_PERSISTENT_FORM), "a persistent call was not served");
}

static const struct {
    const char *name;
    void (*check)(void);
    bool is_apart; /* not among all */
} groups[] = {
    {"areas", check_areas, false},           {"nothing", check_nothing, false},
    {"freed", check_freed, false},           {"users", check_users, false},
    {"attributes", check_attributes, false}, {"unequal", check_unequal, true},
};

int main(int argc, char **argv)
{
    cases_begin(&argc, &argv);
    served_open("calls_trees", MPI_T_PVAR_CLASS_COUNTER);
    sum = item_sum_create(ITEM_INT);
    for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++) {
        bool wanted = argc == 1 && !groups[i].is_apart;

        for (int a = 1; a < argc; a++) {
            wanted = wanted || strcmp(argv[a], groups[i].name) == 0;
        }
        if (wanted) {
            groups[i].check();
        }
    }
    MPI_Op_free(&sum);
    served_close();
    return cases_end("rules");
}
