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
 *                               cache: rank 0 has planned before rank 1 told its host
 *   few_calls away              the last rank starts a persistent sum and computes for
 *                               longer than an attempt to connect to it may take
 *   few_calls overlapping CALLS so many broadcasts at a time, from each rank in turn
 *   few_calls lost              the last rank ends itself in the midst of a collective;
 *                               the others go on until they are ended
 */
#include "tests/mpi/calls.h"
#include "tests/mpi/expect.h"
#include "tests/mpi/forms.h"

#include <glob.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#define LOOKS 2000 /* for a file */

/* Seconds away: one attempt to connect ends, and the next one does not. */
#define AWAY 4

#define LENGTH 65536

static int rank, ranks;

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

    while (rank == 1 && !exists(pattern) && looks < LOOKS) {
        looks++;
        usleep(10000);
    }
    mtree_expect(looks < LOOKS, "rank 0 has not planned before rank 1 called");
    mtree_calls_check(MPI_COMM_WORLD);
}

static void away(void)
{
    static int in[LENGTH], out[LENGTH];
    MPI_Request request;
    int wrong = 0;

    for (int i = 0; i < LENGTH; i++) {
        in[i] = i + rank;
    }
    MTREE_PERSISTENT_NAME(Allreduce)
    (in, out, LENGTH, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    MPI_Start(&request);
    if (rank == ranks - 1) {
        sleep(AWAY);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int i = 0; i < LENGTH; i++) {
        wrong += out[i] != ranks * i + ranks * (ranks - 1) / 2;
    }
    mtree_expect(wrong == 0, "%d sums are wrong", wrong);
    MPI_Request_free(&request);
}

static void overlapping(int calls)
{
    MPI_Request *requests = malloc((size_t)calls * sizeof(*requests));
    int *vectors = malloc((size_t)calls * LENGTH * sizeof(*vectors)), wrong = 0;

    for (int call = 0; call < calls; call++) {
        int *vector = vectors + (size_t)call * LENGTH;

        for (int i = 0; i < LENGTH; i++) {
            vector[i] = call % ranks == rank ? call + i : -1;
        }
        MPI_Ibcast(vector, LENGTH, MPI_INT, call % ranks, MPI_COMM_WORLD,
                   &requests[call]);
    }
    MPI_Waitall(calls, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < calls * LENGTH; i++) {
        wrong += vectors[i] != i / LENGTH + i % LENGTH;
    }
    mtree_expect(wrong == 0, "%d of %d x %d elements are wrong", wrong, calls, LENGTH);
    free(vectors);
    free(requests);
}

static void die(int number)
{
    (void)number;
    kill(getpid(), SIGKILL);
}

static void lost(void)
{
    struct itimerval timer = {.it_value = {.tv_usec = 30000}};

    mtree_calls_check(MPI_COMM_WORLD);
    if (rank == ranks - 1) {
        signal(SIGALRM, die);
        setitimer(ITIMER_REAL, &timer, NULL);
    }
    while (true) {
        mtree_calls_check(MPI_COMM_WORLD);
    }
}

static void few(void)
{
    MPI_Comm comm;

    mtree_calls_check(MPI_COMM_WORLD);
    MPI_Comm_split(MPI_COMM_WORLD, rank == ranks - 1, 0, &comm);
    MPI_Comm_set_name(comm, "caf\xe9"); /* Latin-1 */
    mtree_calls_check(comm);
    MPI_Comm_free(&comm);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "0";
    int status;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (strcmp(what, "early") == 0) {
        early(argv[2]);
    } else if (strcmp(what, "away") == 0) {
        away();
    } else if (strcmp(what, "overlapping") == 0) {
        overlapping(atoi(argv[2]));
    } else if (strcmp(what, "lost") == 0) {
        lost();
    } else {
        few();
    }
    status = mtree_expect_finish("few_calls");
    if (rank == 1) {
        sleep((unsigned)atoi(what));
    }
    MPI_Finalize();
    return status;
}
