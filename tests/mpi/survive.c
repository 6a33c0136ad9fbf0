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
#include "tests/mpi/expect.h"
#include "tests/mpi/random_case.h"

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

typedef struct {
    case_t c;
    int victim;
    int calls; /* that all make before */
    int nap;   /* microseconds from there to the victim's end */
} death_t;

/* A case of @a part ints of each rank.  Where its call fails nobody frees it: what was
 * under way may still come. */
static void make_case(case_t *c, collective_t collective, mtree_form_t form, int part,
                      int root, MPI_Comm comm)
{
    choice_t choice = {.op = MPI_SUM, .root = root};
    int ranks;

    MPI_Comm_size(comm, &ranks);
    choice.block = part * (has_blocks(collective) ? 1 : ranks);
    run.choice = &choice;
    case_create(c, collective, form, comm);
    case_fill(c);
}

/* The same on all ranks of @a comm. */
static void death_draw(death_t *drawn, generator_t *generator, MPI_Comm comm,
                       int longest_nap)
{
    static const collective_t collectives[] = {
        ALLREDUCE, BCAST, REDUCE, ALLGATHER, REDUCE_SCATTER_BLOCK, BARRIER};
    collective_t collective = collectives[draw(generator, 6)];
    mtree_form_t form = (mtree_form_t)draw(generator, MTREE_FORMS);
    int ranks, root, part;

    MPI_Comm_size(comm, &ranks);
    root = draw(generator, ranks);
    drawn->victim = draw(generator, ranks);
    drawn->calls = draw(generator, 4);
    drawn->nap = draw(generator, 1000 * longest_nap);
    part = (1 + draw(generator, MOST_COUNT)) / ranks + 1;
    /* One in four is cut off in a short message, or in the agreement on the first. */
    if (draw(generator, 4) == 0) {
        part = SHORT_PART;
        drawn->nap /= 10;
    }
    if (collective == BARRIER && form == MTREE_NONBLOCKING_FORM) {
        form = MTREE_BLOCKING_FORM;
    }
    make_case(&drawn->c, collective, form, part, root, comm);
}

static int call_make(case_t *c)
{
    int rc = case_begin(c);

    if (rc == MPI_SUCCESS) {
        rc = MPI_Wait(&c->request, MPI_STATUS_IGNORE);
    }
    if (c->form == MTREE_PERSISTENT_FORM && c->request != MPI_REQUEST_NULL) {
        MPI_Request_free(&c->request);
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

/* Make calls until one says that a process is lost; print how soon on rank @a speaker. */
static void call_until_told(death_t *drawn, int speaker)
{
    case_t *c = &drawn->c;
    const char *form = form_names[c->form], *name = collective_table[c->collective].name;
    int rc = MPI_SUCCESS, calls = 0, class = MPI_SUCCESS;
    double begin = MPI_Wtime();

    while (rc == MPI_SUCCESS && MPI_Wtime() < begin + LONGEST_CALLS) {
        if (c->rank == drawn->victim && calls == drawn->calls) {
            die_in(drawn->nap);
        }
        rc = call_make(c);
        calls++;
    }
    if (c->rank == drawn->victim) {
        /* It died, or does so now. */
        pause();
    }
    MPI_Error_class(rc, &class);
    mtree_expect(class == MPIX_ERR_PROC_FAILED,
                 "%s %s of %d ints, victim %d of %d: after %d calls the class is %d",
                 form, name, c->total, drawn->victim, c->ranks, calls, class);
    if (c->rank == speaker) {
        printf("survive: %s %s of %d ints, rank %d of %d ended: told in call %d, after "
               "%.0f ms\n",
               form, name, c->total, drawn->victim, c->ranks, calls,
               (MPI_Wtime() - begin) * 1e3);
        fflush(stdout);
    }
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

static int survive(generator_t *generator, int kills, int longest_nap)
{
    MPI_Comm comm = MPI_COMM_WORLD;
    int rank;

    for (int i = 0; i < kills; i++) {
        MPI_Comm left;
        death_t drawn;

        death_draw(&drawn, generator, comm, longest_nap);
        call_until_told(&drawn, drawn.victim == 0 ? 1 : 0);
        if (MPIX_Comm_shrink(comm, &left) != MPI_SUCCESS) {
            mtree_expect(false, "shrinking fails");
            return EXIT_FAILURE;
        }
        if (comm != MPI_COMM_WORLD) {
            MPI_Comm_free(&comm);
        }
        comm = left;
        if (lost_more(comm, drawn.c.ranks - 1)) {
            return EXIT_SUCCESS;
        }
        MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
        cases_run_two(comm);
        /* Nobody ends before all others have made these calls. */
        MPI_Barrier(comm);
    }
    MPI_Comm_rank(comm, &rank);
    if (rank == 0) {
        write_kills(kills);
    }
    return mtree_expect_finish_on(comm, "survive");
}

static void revoke_one(generator_t *generator, int round)
{
    static const collective_t collectives[] = {ALLGATHER, ALLREDUCE, BCAST};
    collective_t collective = collectives[draw(generator, 3)];
    int part = 1 + draw(generator, MOST_PART), looks = draw(generator, LONGEST_LOOKS);
    int revoker = draw(generator, num_ranks), rc = MPI_SUCCESS, class = MPI_SUCCESS;
    MPI_Comm comm;
    case_t c;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    make_case(&c, collective, MTREE_NONBLOCKING_FORM, part, 0, comm);
    for (int call = 0; call < REVOKED_CALLS && rc == MPI_SUCCESS; call++) {
        int done = 0;

        rc = case_begin(&c);
        if (call == REVOKED_CALLS - 1 && my_rank == revoker) {
            while (looks-- > 0 && rc == MPI_SUCCESS && !done) {
                rc = MPI_Test(&c.request, &done, MPI_STATUS_IGNORE);
            }
            MPIX_Comm_revoke(comm);
        }
        if (rc == MPI_SUCCESS) {
            rc = MPI_Wait(&c.request, MPI_STATUS_IGNORE);
        }
    }
    MPI_Error_class(rc, &class);
    mtree_expect(rc == MPI_SUCCESS || class == MPIX_ERR_REVOKED,
                 "round %d, revoked by %d: the class is %d", round, revoker, class);
    /* What comes for a communicator that is freed is kept for the next of its number. */
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Comm_free(&comm);
    if (rc == MPI_SUCCESS) {
        case_free(&c);
    }
}

static int revoke_all(generator_t *generator, int rounds)
{
    for (int round = 0; round < rounds; round++) {
        revoke_one(generator, round);
    }
    cases_run_two(MPI_COMM_WORLD);
    return mtree_expect_finish("revoked");
}

int main(int argc, char **argv)
{
    generator_t generator = {argc > 2 ? strtoull(argv[2], NULL, 10) : 1};
    int kills = argc > 1 ? atoi(argv[1]) : 1;
    bool revokes = argc > 3 && strcmp(argv[3], "revoke") == 0;
    int longest_nap = argc > 3 && !revokes ? atoi(argv[3]) : LONGEST_NAP;
    int status;

    cases_begin(&argc, &argv);
    if (kills < 1 || longest_nap < 1 || (num_ranks < kills + 2 && !revokes)) {
        fprintf(stderr, "survive: %d kills need at least %d ranks\n", kills, kills + 2);
        MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    }
    if (revokes) {
        status = revoke_all(&generator, kills);
    } else {
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
        status = survive(&generator, kills, longest_nap);
    }
    items_cleanup();
    MPI_Finalize();
    return status;
}
