/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * random_cases [CASES [SEED [early] [tame] [late] [until]]]: random collectives, of every
 * form, several at a time, on several communicators, against results that each rank
 * computes for itself.  "early" frees communicators before their calls have ended, which
 * Open MPI's own nonblocking collectives do not bear; "tame" leaves out the datatypes
 * that its collectives get wrong (different ones on different ranks, negative lower
 * bounds, no bytes); without it, mtree must serve all of these communicators: the world,
 * and its halves where they have two ranks or more.  "late" lets each rank be away at
 * moments of its own, and makes messages larger.  "until" makes some larger still, up to
 * 8 MB, ends them before, when rank 0's standard input does, and has rank 0 tell how many
 * cases there were; each byte of the input has all ranks compute for so many seconds.
 *
 * The order of completion is each rank's own.
 */
#include "tests/mpi/expect.h"
#include "tests/mpi/random_case.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define MAX_IN_FLIGHT 5
#define MAX_RESTING   512
#define NUM_COMMS     4

/* With "late". */
#define LATE_NANOSECONDS 4000000

/* With "until": cases from one look at the input to the next. */
#define CASES_OF_A_LOOK 8

/* Free communicators before their calls have ended. */
static bool early;

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
        int i = draw(&run.own, num_flying), done = 0;

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
        int i = draw(&run.own, num_resting);
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

    case_launch(c, collective, form, comm);
    if (form == MTREE_BLOCKING_FORM) {
        land_case(c);
    } else {
        num_flying++;
    }
}

/* The same two calls on two communicators, on every other rank the other way round. */
static void launch_pair(MPI_Comm first, MPI_Comm second)
{
    generator_t before = run.common, between;
    collective_t collective[2];

    land(MAX_IN_FLIGHT - 2);
    collective[0] = (collective_t)draw(&run.common, COLLECTIVES);
    collective[1] = (collective_t)draw(&run.common, COLLECTIVES);
    before = between = run.common;
    between.state ^= 0x5deece66d;
    if (my_rank % 2 == 0) {
        launch(collective[0], MTREE_NONBLOCKING_FORM, first);
        run.common = between;
        launch(collective[1], MTREE_NONBLOCKING_FORM, second);
    } else {
        run.common = between;
        launch(collective[1], MTREE_NONBLOCKING_FORM, second);
        run.common = before;
        launch(collective[0], MTREE_NONBLOCKING_FORM, first);
    }
    run.common = before;
    (void)draw(&run.common, 2);
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
    if (*comm != MPI_COMM_NULL) {
        finish_small(*comm, !early);
        MPI_Comm_free(comm);
    }
    if (number % 2 == 1) {
        MPI_Comm_dup(MPI_COMM_WORLD, comm);
    } else {
        MPI_Comm_split(MPI_COMM_WORLD, my_rank < num_ranks / 2 ? 0 : 1,
                       num_ranks - my_rank, comm);
    }
}

/* A rank that computes: outside MPI for a while. */
static void be_late(void)
{
    struct timespec away = {.tv_nsec = draw(&run.own, LATE_NANOSECONDS)};

    if (run.late && draw(&run.own, 4) == 0) {
        nanosleep(&away, NULL);
    }
}

/* Seconds that all ranks are to compute; negative: the input has ended. */
static int read_seconds(void)
{
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    unsigned char seconds = 0;

    return poll(&input, 1, 0) == 0                ? 0
           : read(STDIN_FILENO, &seconds, 1) == 1 ? seconds
                                                  : -1;
}

/* Is there to be case @a number?  All ranks know the same. */
static bool goes_on(int number)
{
    int seconds = 0;

    if (run.until && my_rank == 0) {
        printf("case %d\n", number);
        (void)fflush(stdout);
    }
    if (run.until && number % CASES_OF_A_LOOK == 0) {
        seconds = my_rank == 0 ? read_seconds() : 0;
        MPI_Bcast(&seconds, 1, MPI_INT, 0, MPI_COMM_WORLD);
    }
    if (seconds > 0) {
        if (my_rank == 0) {
            printf("idle %d\n", seconds);
            (void)fflush(stdout);
        }
        (void)sleep((unsigned)seconds);
    }
    return seconds >= 0;
}

int main(int argc, char **argv)
{
    int cases = argc > 1 ? atoi(argv[1]) : 200;
    MPI_Comm comms[NUM_COMMS] = {MPI_COMM_WORLD, MPI_COMM_NULL, MPI_COMM_NULL,
                                 MPI_COMM_NULL};

    cases_begin(&argc, &argv);
    run.common.state = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    run.own.state = run.common.state * 1000 + (unsigned long long)my_rank;
    for (int i = 3; i < argc; i++) {
        early = early || strcmp(argv[i], "early") == 0;
        run.tame = run.tame || strcmp(argv[i], "tame") == 0;
        run.until = run.until || strcmp(argv[i], "until") == 0;
        run.late = run.late || strcmp(argv[i], "late") == 0;
    }
    for (int i = 1; i < NUM_COMMS; i++) {
        renew(&comms[i], i);
    }
    for (int i = 0; i < cases && goes_on(i); i++) {
        int which = draw(&run.common, NUM_COMMS);
        generator_t next;

        be_late();
        if (which > 0 && draw(&run.common, 12) == 0) {
            renew(&comms[which], which);
        }
        if (draw(&run.common, 8) == 0) {
            restart();
        }
        if (draw(&run.common, 6) == 0) {
            launch_pair(comms[1], comms[3]);
            continue;
        }
        /* The halves of a split draw for themselves: go on from where they parted. */
        next.state = run.common.state + 0x1234567;
        land(draw(&run.own, MAX_IN_FLIGHT));
        launch((collective_t)draw(&run.common, COLLECTIVES),
               (mtree_form_t)draw(&run.common, MTREE_FORMS), comms[which]);
        run.common = next;
    }
    while (num_resting + num_flying > 0) {
        restart();
    }
    for (int i = 1; i < NUM_COMMS; i++) {
        MPI_Comm_free(&comms[i]);
    }
    return cases_end("random_cases");
}
