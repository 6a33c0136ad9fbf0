/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Few calls, each checked.
 *
 *   few_calls [SECONDS]         a broadcast and a sum on the world and on its ranks but
 *                               the last, the first rank the same in all, so that what
 *                               mtree says about them can be counted; rank 1 comes to
 *                               MPI_Finalize so much later than the others
 *   few_calls early PATTERN     rank 1 enters the first call of all once there is a file
 *                               that matches PATTERN, which is rank 0's plan in the
 *                               cache: rank 0 has planned before rank 1 called
 *   few_calls away              the last rank starts a persistent sum and computes for
 *                               longer than an attempt to connect to it may take
 *   few_calls overlapping CALLS so many broadcasts at a time, from each rank in turn
 *   few_calls absent, present, either
 *                               is mtree part of this job?  No rank has the component in
 *                               memory; every rank has; ranks may differ.  Calls are
 *                               right either way, on a copy of the world, too
 *   few_calls lost              the last rank ends itself in the midst of a collective;
 *                               the others go on until they are ended
 */
#include "tests/mpi/expect.h"
#include "tests/mpi/random_case.h"

#include <glob.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#define LOOKS 2000 /* for a file */

/* Seconds away: one attempt to connect ends, and the next one does not. */
#define AWAY 4

#define LENGTH 65536

static bool exists(const char *pattern)
{
    glob_t paths;
    bool found = glob(pattern, 0, NULL, &paths) == 0;

    globfree(&paths);
    return found;
}

static void early(const char *pattern)
{
    int looks = 0;

    while (my_rank == 1 && !exists(pattern) && looks < LOOKS) {
        looks++;
        usleep(10000);
    }
    mtree_expect(looks < LOOKS, "rank 0 has not planned before rank 1 called");
    cases_run_two(MPI_COMM_WORLD);
}

/* @a c on all ranks, with LENGTH ints. */
static void launch(case_t *c, collective_t collective, mtree_form_t form, int root)
{
    const choice_t choice = {.block = LENGTH, .root = root};

    run.choice = &choice;
    case_launch(c, collective, form, MPI_COMM_WORLD);
}

static void away(void)
{
    case_t c;

    launch(&c, ALLREDUCE, MTREE_PERSISTENT_FORM, 0);
    if (my_rank == num_ranks - 1) {
        sleep(AWAY);
    }
    case_finish(&c);
}

static void overlapping(int calls)
{
    case_t *cases = malloc((size_t)calls * sizeof(*cases));

    for (int i = 0; i < calls; i++) {
        launch(&cases[i], BCAST, MTREE_NONBLOCKING_FORM, i % num_ranks);
    }
    for (int i = 0; i < calls; i++) {
        case_finish(&cases[i]);
    }
    free(cases);
}

static void die(int number)
{
    (void)number;
    kill(getpid(), SIGKILL);
}

static void lost(void)
{
    struct itimerval timer = {.it_value = {.tv_usec = 30000}};

    cases_run_two(MPI_COMM_WORLD);
    if (my_rank == num_ranks - 1) {
        signal(SIGALRM, die);
        setitimer(ITIMER_REAL, &timer, NULL);
    }
    while (true) {
        cases_run_two(MPI_COMM_WORLD);
    }
}

static bool is_loaded(const char *library)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[4096];
    bool found = false;

    while (maps != NULL && !found && fgets(line, sizeof(line), maps) != NULL) {
        found = strstr(line, library) != NULL;
    }
    if (maps != NULL) {
        fclose(maps);
    }
    return found;
}

static void inert(const char *how)
{
    bool is_there = is_loaded("coll_mtree.so");
    MPI_Comm copy;

    mtree_expect(strcmp(how, "either") == 0 || is_there == (strcmp(how, "absent") != 0),
                 "mtree is %s", is_there ? "loaded" : "not loaded");
    cases_run_two(MPI_COMM_WORLD);
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    cases_run_two(copy);
    MPI_Comm_free(&copy);
    mtree_expect(!is_loaded("libglpk"), "GLPK is loaded");
}

static void few(void)
{
    MPI_Comm comm;

    cases_run_two(MPI_COMM_WORLD);
    MPI_Comm_split(MPI_COMM_WORLD, my_rank == num_ranks - 1, 0, &comm);
    MPI_Comm_set_name(comm, "caf\xe9"); /* Latin-1 */
    cases_run_two(comm);
    MPI_Comm_free(&comm);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "0";
    int status;

    cases_begin(&argc, &argv);
    if (strcmp(what, "early") == 0) {
        early(argv[2]);
    } else if (strcmp(what, "away") == 0) {
        away();
    } else if (strcmp(what, "overlapping") == 0) {
        overlapping(atoi(argv[2]));
    } else if (strcmp(what, "lost") == 0) {
        lost();
    } else if (strstr("absent present either", what) != NULL) {
        inert(what);
    } else {
        few();
    }
    items_cleanup();
    status = mtree_expect_finish("few_calls");
    if (my_rank == 1) {
        sleep((unsigned)atoi(what));
    }
    MPI_Finalize();
    return status;
}
