/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One rank kills itself at some point of a collective, again and again in the same job:
 * every other one is told (MPIX_ERR_PROC_FAILED) by that call or the next, nobody waits
 * for ever, and on the communicator that is left (MPIX_Comm_shrink) the results are
 * right.  Where more ranks are lost than have ended, the job stops and says so: Open MPI
 * takes living processes for dead over TCP, without mtree too (docs/openmpi.md).
 *
 *   survive KILLS SEED [MILLISECONDS]
 *   survive ROUNDS SEED revoke   a rank revokes a communicator (MPIX_Comm_revoke) while a
 *                                collective on it is under way, each time another one:
 *                                the call ends on every rank, well or with
 *                                MPIX_ERR_REVOKED, and nobody is lost
 *
 * needs KILLS + 2 ranks at least and `mpirun --with-ft ulfm`.  Which rank it is, in which
 * collective, in which form and after how many milliseconds (12 at most) follows from the
 * seed.  SURVIVED in the environment may name a file that tells of how many ranks' ends
 * the others have survived.
 */
#include "tests/mpi/calls.h"
#include "tests/mpi/expect.h"
#include "tests/mpi/forms.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

/*
 * Shorter nonblocking calls, and nonblocking barriers, are libnbc's, which 5.0.7 may end
 * with another error.
 */
#define SHORT_PART 32

#define MOST_COUNT  300000
#define LONGEST_NAP 12 /* milliseconds */

/* Seconds in which everybody must have heard. */
#define LONGEST_CALLS 30

/* Of a communicator that is revoked. */
#define MOST_PART     20000 /* ints of a rank */
#define LONGEST_LOOKS 400   /* at the request before a rank revokes */
#define REVOKED_CALLS 3     /* the one under way included */

enum { ALLREDUCE, BCAST, REDUCE, ALLGATHER, REDUCE_SCATTER, BARRIER, COLLECTIVES };

static const char *const names[] = {"allreduce", "bcast",          "reduce",
                                    "allgather", "reduce_scatter", "barrier"};
static const char *const forms[] = {"", ", nonblocking", ", persistent"};

typedef struct {
    int collective, form, root, victim;
    int count; /* ints in all */
    int calls; /* that all make before */
    int nap;   /* microseconds from there to the victim's end */
} case_t;

static int *input, *output;

static unsigned random_below(unsigned long *state, unsigned limit)
{
    *state = *state * 6364136223846793005UL + 1442695040888963407UL;
    return (unsigned)(*state >> 33) % limit;
}

/* The same on all ranks of @a comm. */
static case_t case_draw(unsigned long *state, int ranks, int longest_nap)
{
    case_t drawn = {.collective = (int)random_below(state, COLLECTIVES),
                    .form = (int)random_below(state, MTREE_FORMS),
                    .root = (int)random_below(state, (unsigned)ranks),
                    .victim = (int)random_below(state, (unsigned)ranks),
                    .calls = (int)random_below(state, 4),
                    .nap = (int)random_below(state, 1000 * (unsigned)longest_nap)};

    drawn.count = 1 + (int)random_below(state, MOST_COUNT);
    drawn.count = drawn.count / ranks * ranks + ranks;
    /* One in four is cut off in a short message, or in the agreement on the first. */
    if (random_below(state, 4) == 0) {
        drawn.count = SHORT_PART * ranks;
        drawn.nap /= 10;
    }
    if (drawn.collective == BARRIER && drawn.form == MTREE_NONBLOCKING_FORM) {
        drawn.form = MTREE_BLOCKING_FORM;
    }
    return drawn;
}

/* Call it in the form that was drawn. */
static int call_begin(const case_t *drawn, MPI_Comm comm, int ranks, MPI_Request *request)
{
    int part = drawn->count / ranks, all = drawn->count, form = drawn->form, rc;

    switch (drawn->collective) {
    case ALLREDUCE:
        MTREE_CALL_FORM(rc, form, request, Allreduce, allreduce, input, output, all,
                        MPI_INT, MPI_SUM, comm);
        break;
    case BCAST:
        MTREE_CALL_FORM(rc, form, request, Bcast, bcast, output, all, MPI_INT,
                        drawn->root, comm);
        break;
    case REDUCE:
        MTREE_CALL_FORM(rc, form, request, Reduce, reduce, input, output, all, MPI_INT,
                        MPI_SUM, drawn->root, comm);
        break;
    case ALLGATHER:
        MTREE_CALL_FORM(rc, form, request, Allgather, allgather, input, part, MPI_INT,
                        output, part, MPI_INT, comm);
        break;
    case REDUCE_SCATTER:
        MTREE_CALL_FORM(rc, form, request, Reduce_scatter_block, reduce_scatter_block,
                        input, output, part, MPI_INT, MPI_SUM, comm);
        break;
    default:
        MTREE_CALL_FORM(rc, form, request, Barrier, barrier, comm);
        break;
    }
    return rc;
}

static int call_make(const case_t *drawn, MPI_Comm comm, int ranks)
{
    MPI_Request request = MPI_REQUEST_NULL;
    int rc = call_begin(drawn, comm, ranks, &request);

    if (rc == MPI_SUCCESS && drawn->form == MTREE_PERSISTENT_FORM) {
        rc = MPI_Start(&request);
    }
    if (rc == MPI_SUCCESS) {
        rc = MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    if (drawn->form == MTREE_PERSISTENT_FORM && request != MPI_REQUEST_NULL) {
        MPI_Request_free(&request);
    }
    return rc;
}

static void die(int signal)
{
    (void)signal;
    kill(getpid(), SIGKILL);
}

static void die_in(int microseconds)
{
    struct itimerval timer = {.it_value = {.tv_sec = microseconds / 1000000,
                                           .tv_usec = 1 + microseconds % 1000000}};

    signal(SIGALRM, die);
    setitimer(ITIMER_REAL, &timer, NULL);
}

/* Make calls until one says that a process is lost. */
static int calls_until_told(const case_t *drawn, MPI_Comm comm)
{
    int rank, ranks, rc = MPI_SUCCESS, calls = 0, class = MPI_SUCCESS;
    double begin = MPI_Wtime();

    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    while (rc == MPI_SUCCESS && MPI_Wtime() < begin + LONGEST_CALLS) {
        if (rank == drawn->victim && calls == drawn->calls) {
            die_in(drawn->nap);
        }
        rc = call_make(drawn, comm, ranks);
        calls++;
    }
    if (rank == drawn->victim) {
        /* It died, or does so now. */
        pause();
    }
    MPI_Error_class(rc, &class);
    mtree_expect(class == MPIX_ERR_PROC_FAILED,
                 "%s%s of %d ints, victim %d of %d: after %d calls the class is %d",
                 names[drawn->collective], forms[drawn->form], drawn->count,
                 drawn->victim, ranks, calls, class);
    return calls;
}

/* All has gone well so far: to the file that SURVIVED names, as mpirun of 5.0.7 may lose
 * lines when ranks end. */
static void write_kills(int kills)
{
    const char *path = getenv("SURVIVED");
    FILE *file = path == NULL ? NULL : fopen(path, "w");

    if (file != NULL) {
        fprintf(file, "%d\n", kills);
        fclose(file);
    }
}

/* Are fewer ranks left than live? */
static bool lost_more(MPI_Comm comm, int living)
{
    int rank, ranks;

    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    if (ranks < living && rank == 0) {
        printf("survive: %d ranks of %d that live are left: Open MPI lost the others\n",
               ranks, living);
        fflush(stdout);
    }
    return ranks < living;
}

static int survive(unsigned long *state, int kills, int longest_nap)
{
    MPI_Comm comm = MPI_COMM_WORLD;
    int rank;

    for (int i = 0; i < kills; i++) {
        MPI_Comm left;
        case_t drawn;
        int ranks, calls;
        double begin;

        MPI_Comm_rank(comm, &rank);
        MPI_Comm_size(comm, &ranks);
        drawn = case_draw(state, ranks, longest_nap);
        begin = MPI_Wtime();
        calls = calls_until_told(&drawn, comm);
        if (rank == (drawn.victim == 0 ? 1 : 0)) {
            printf(
                "survive: %s%s of %d ints, rank %d of %d ended: told in call %d, after "
                "%.0f ms\n",
                names[drawn.collective], forms[drawn.form], drawn.count, drawn.victim,
                ranks, calls, (MPI_Wtime() - begin) * 1e3);
            fflush(stdout);
        }
        if (MPIX_Comm_shrink(comm, &left) != MPI_SUCCESS) {
            mtree_expect(false, "shrinking fails");
            return EXIT_FAILURE;
        }
        if (comm != MPI_COMM_WORLD) {
            MPI_Comm_free(&comm);
        }
        comm = left;
        if (lost_more(comm, ranks - 1)) {
            return EXIT_SUCCESS;
        }
        MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
        mtree_calls_check(comm);
        /* Nobody ends before all others have made these calls. */
        MPI_Barrier(comm);
    }
    MPI_Comm_rank(comm, &rank);
    if (rank == 0) {
        write_kills(kills);
    }
    return mtree_expect_finish_on(comm, "survive");
}

static void revoke_one(unsigned long *state, int round)
{
    static const int collectives[] = {ALLGATHER, ALLREDUCE, BCAST};
    case_t drawn = {.collective = collectives[random_below(state, 3)],
                    .form = MTREE_NONBLOCKING_FORM};
    int part = 1 + (int)random_below(state, MOST_PART), revoker;
    unsigned looks = random_below(state, LONGEST_LOOKS);
    int rank, ranks, rc = MPI_SUCCESS, class = MPI_SUCCESS;
    MPI_Comm comm;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    drawn.count = part * ranks;
    revoker = (int)random_below(state, (unsigned)ranks);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    for (int call = 0; call < REVOKED_CALLS && rc == MPI_SUCCESS; call++) {
        MPI_Request request;
        int done = 0;

        rc = call_begin(&drawn, comm, ranks, &request);
        if (call == REVOKED_CALLS - 1 && rank == revoker) {
            while (looks-- > 0 && rc == MPI_SUCCESS && !done) {
                rc = MPI_Test(&request, &done, MPI_STATUS_IGNORE);
            }
            MPIX_Comm_revoke(comm);
        }
        if (rc == MPI_SUCCESS) {
            rc = MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
    }
    MPI_Error_class(rc, &class);
    mtree_expect(rc == MPI_SUCCESS || class == MPIX_ERR_REVOKED,
                 "round %d, revoked by %d: the class is %d", round, revoker, class);
    /* What comes for a communicator that is freed is kept for the next of its number. */
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Comm_free(&comm);
}

static int revoke_all(unsigned long *state, int rounds)
{
    for (int round = 0; round < rounds; round++) {
        revoke_one(state, round);
    }
    mtree_calls_check(MPI_COMM_WORLD);
    return mtree_expect_finish("revoked");
}

int main(int argc, char **argv)
{
    unsigned long state = argc > 2 ? strtoul(argv[2], NULL, 10) : 1;
    int kills = argc > 1 ? atoi(argv[1]) : 1;
    bool revokes = argc > 3 && strcmp(argv[3], "revoke") == 0;
    int longest_nap = argc > 3 && !revokes ? atoi(argv[3]) : LONGEST_NAP;
    int ranks, status;

    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    input = calloc(MOST_COUNT + (size_t)ranks, sizeof(*input));
    output = calloc(MOST_COUNT + (size_t)ranks, sizeof(*output));
    if (kills < 1 || longest_nap < 1 || (ranks < kills + 2 && !revokes) ||
        input == NULL || output == NULL) {
        fprintf(stderr, "survive: %d kills need at least %d ranks, and memory\n", kills,
                kills + 2);
        MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    }
    if (revokes) {
        status = revoke_all(&state, kills);
    } else {
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
        status = survive(&state, kills, longest_nap);
    }
    MPI_Finalize();
    return status;
}
