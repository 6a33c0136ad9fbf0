/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Communicators of one group share what their blocking calls have agreed on: the first
 * call on another one makes no plan and sends no message more than a warm call.
 *
 *   dups COUNT         so many copies of the world, and of a part of it
 *   dups COUNT threads  each copy agrees for itself
 *   dups COUNT unserved  mtree serves none of these calls
 */
#include "tests/mpi/expect.h"
#include "tests/mpi/pml_count.h"
#include "tests/mpi/random_case.h"
#include "tests/mpi/served.h"

#include <stdlib.h>
#include <string.h>

#define INTS 1024

static const struct {
    collective_t collective;
    int block;
} checks[] = {{ALLREDUCE, 1},
              {BCAST, INTS},
              {ALLTOALLV, 1}}; /* of which each rank knows a part alone */

#define CHECKS ((int)(sizeof(checks) / sizeof(checks[0])))

static void make_check(int check, MPI_Comm comm)
{
    choice_t choice = {.block = checks[check].block};
    int ranks;

    MPI_Comm_size(comm, &ranks);
    choice.root = ranks - 1;
    run.choice = &choice;
    case_run(checks[check].collective, MTREE_BLOCKING_FORM, comm);
}

static void check_sum(MPI_Comm comm)
{
    make_check(0, comm);
}

static size_t messages_of(int check, MPI_Comm comm)
{
    size_t before = pml_sent_all;

    make_check(check, comm);
    return pml_sent_all - before;
}

/* What warm calls on @a comm send. */
static void warm_up(MPI_Comm comm, size_t *messages)
{
    for (int check = 0; check < CHECKS; check++) {
        /* Sizes are agreed on at calls 1, 2 and 4. */
        for (int i = 0; i < 5; i++) {
            messages[check] = messages_of(check, comm);
        }
    }
}

/* First calls on @a comm send as much, if they are to be @a warm. */
static void check_first(const char *what, MPI_Comm comm, const size_t *messages,
                        bool warm)
{
    for (int check = 0; check < CHECKS; check++) {
        size_t first = messages_of(check, comm);

        mtree_expect(!warm || first == messages[check],
                     "%s: check %d sent %zu messages, a warm call %zu", what, check,
                     first, messages[check]);
    }
}

/* @a count copies of @a comm, of which the first ones stay. */
static void check_copies(const char *what, MPI_Comm comm, int count, bool warm)
{
    MPI_Comm kept[16];
    size_t messages[CHECKS];
    long before;

    warm_up(comm, messages);
    before = served_calls();
    for (int i = 0; i < count; i++) {
        MPI_Comm copy;

        MPI_Comm_dup(comm, &copy);
        check_first(what, copy, messages, warm);
        if (i < 16) {
            kept[i] = copy;
        } else {
            MPI_Comm_free(&copy);
        }
    }
    mtree_expect((served_calls() == before) == warm, "%s: %ld plans more", what,
                 served_calls() - before);
    for (int i = 0; i < count && i < 16; i++) {
        check_first(what, kept[i], messages, false);
        MPI_Comm_free(&kept[i]);
    }
}

static void launch(case_t *c, int ints, MPI_Comm comm)
{
    static choice_t choice;

    choice.block = ints;
    run.choice = &choice;
    case_launch(c, ALLREDUCE, MTREE_NONBLOCKING_FORM, comm);
}

/* Nonblocking calls may begin in another order on each rank. */
static void check_nonblocking(void)
{
    static const choice_t choice = {.block = INTS};
    case_t cases[2];
    MPI_Comm copy[2];

    run.choice = &choice;
    for (int i = 0; i < 2; i++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &copy[i]);
        case_create(&cases[i], ALLREDUCE, MTREE_NONBLOCKING_FORM, copy[i]);
        case_fill(&cases[i]);
    }
    (void)case_begin(&cases[my_rank % 2]);
    if (my_rank == 0) {
        check_sum(MPI_COMM_WORLD);
    }
    (void)case_begin(&cases[(my_rank + 1) % 2]);
    if (my_rank > 0) {
        check_sum(MPI_COMM_WORLD);
    }
    for (int i = 0; i < 2; i++) {
        case_finish(&cases[i]);
        check_sum(copy[i]);
        MPI_Comm_free(&copy[i]);
    }
}

/* Each copy takes over plans of a communicator that is freed before it uses them again,
 * and the next copy those of that one. */
static void check_outlived(bool warm)
{
    size_t messages[CHECKS];
    MPI_Comm from, copy;

    MPI_Comm_split(MPI_COMM_WORLD, 0, -my_rank, &from);
    warm_up(from, messages);
    for (int i = 0; i < 3; i++) {
        MPI_Comm_dup(from, &copy);
        check_first("a copy", copy, messages, warm);
        MPI_Comm_free(&from);
        check_first("a copy of what is freed", copy, messages, warm);
        from = copy;
    }
    MPI_Comm_free(&from);
}

/* A blocking call takes a plan over, while a nonblocking one before it asks for its own.
 */
static void check_overtaken(void)
{
    MPI_Comm copy;
    case_t c;

    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    launch(&c, 4 * INTS, copy);
    check_sum(copy);
    case_finish(&c);
    MPI_Comm_free(&copy);
}

/* A part of the world is forgotten with its last communicator, which some ranks keep
 * longer than others, as a call on it is under way. */
static void check_forgotten(void)
{
    for (int i = 0; i < 3; i++) {
        MPI_Comm part;
        case_t c;

        MPI_Comm_split(MPI_COMM_WORLD, my_rank % 2, my_rank, &part);
        check_sum(part);
        launch(&c, INTS, part);
        MPI_Comm_free(&part);
        if (my_rank < 2) {
            case_finish(&c);
        }
        MPI_Comm_split(MPI_COMM_WORLD, my_rank % 2, my_rank, &part);
        check_sum(part);
        if (my_rank >= 2) {
            case_finish(&c);
        }
        MPI_Comm_free(&part);
    }
}

int main(int argc, char **argv)
{
    int count = argc > 1 ? atoi(argv[1]) : 0, provided;
    bool alone = argc > 2 && strcmp(argv[2], "threads") == 0;
    size_t messages[CHECKS];
    MPI_Comm part;

    MPI_Init_thread(&argc, &argv, alone ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE,
                    &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &my_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &num_ranks);
    items_init();
    served_open("plans", MPI_T_PVAR_CLASS_COUNTER);
    pml_count_begin();
    check_copies("world", MPI_COMM_WORLD, count, !alone);
    MPI_Comm_split(MPI_COMM_WORLD, 0, my_rank, &part);
    warm_up(MPI_COMM_WORLD, messages);
    check_first("the same processes", part, messages, !alone);
    MPI_Comm_free(&part);
    MPI_Comm_split(MPI_COMM_WORLD, my_rank % 2, my_rank, &part);
    check_copies("part", part, count, !alone);
    MPI_Comm_free(&part);
    check_outlived(!alone);
    check_nonblocking();
    for (int i = 0; i < 10; i++) {
        check_overtaken();
    }
    /* Open MPI 4.1 does not bear that a communicator is freed during a call. */
    if (argc < 3 || strcmp(argv[2], "unserved") != 0) {
        check_forgotten();
    }
    served_close();
    return cases_end("dups");
}
