/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Run by test_replan.py and test_faults.py across a lab: so many sums of so many bytes
 * over all ranks, each checked.  Rank 0 prints "call NUMBER SECONDS" after each and "ok"
 * or "wrong COUNT" at the end.  With "both" there is a nonblocking sum beside each; with
 * "nonblocking" all are, one at a time; with "persistent" one request makes them all.
 * With "mixed" a nonblocking sum of integers follows each sum that rounds.
 * With "wait" rank 0 reads a line from standard input before call 3.
 *
 * Sums are of floating-point numbers, which mtree replans once; with "exact" behind it,
 * of integers, which it replans as often as it likes.
 */
#include "tests/mpi/expect.h"
#include "tests/mpi/forms.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_CALLS 100000
#define PERIOD     1009 /* of the numbers in a vector */

typedef union {
    float rounded;
    int32_t exact;
} number_t;

static MPI_Datatype type; /* of the numbers */

/* Whole numbers small enough for exact sums, different in each call. */
static int value(int of, int call, size_t i)
{
    return (of * 31 + (call + 1) * 17 + (int)(i % PERIOD)) % 1000;
}

static void fill(number_t *mine, size_t count, int call)
{
    for (size_t i = 0; i < count; i++) {
        if (type == MPI_INT32_T) {
            mine[i].exact = value(my_rank, call, i);
        } else {
            mine[i].rounded = (float)value(my_rank, call, i);
        }
    }
}

static long count_wrong(const number_t *sum, size_t count, int call)
{
    int expected[PERIOD] = {0};
    long wrong = 0;

    for (size_t i = 0; i < PERIOD; i++) {
        for (int of = 0; of < num_ranks; of++) {
            expected[i] += value(of, call, i);
        }
    }
    for (size_t i = 0; i < count; i++) {
        wrong += type == MPI_INT32_T ? sum[i].exact != expected[i % PERIOD]
                                     : sum[i].rounded != (float)expected[i % PERIOD];
    }
    return wrong;
}

static void say_call(int call, double begin)
{
    if (my_rank == 0) {
        printf("call %d %.4f\n", call, MPI_Wtime() - begin);
        fflush(stdout);
    }
}

static long run_blocking(number_t *mine, number_t *sum, size_t count, int call)
{
    double begin;

    fill(mine, count, call);
    MPI_Barrier(MPI_COMM_WORLD);
    begin = MPI_Wtime();
    MPI_Allreduce(mine, sum, (int)count, type, MPI_SUM, MPI_COMM_WORLD);
    say_call(call, begin);
    return count_wrong(sum, count, call);
}

/* A blocking call, which may change the plan, and a nonblocking one that began before. */
static long run_both(number_t *mine, number_t *sum, size_t count, int call)
{
    number_t *later = malloc(count * sizeof(*later)), *its = malloc(count * sizeof(*its));
    MPI_Request request;
    long wrong;

    fill(its, count, -call);
    MPI_Iallreduce(its, later, (int)count, type, MPI_SUM, MPI_COMM_WORLD, &request);
    wrong = run_blocking(mine, sum, count, call);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    wrong += count_wrong(later, count, -call);
    free(its);
    free(later);
    return wrong;
}

/* A sum that rounds, and a nonblocking one of the same class that does not. */
static long run_mixed(number_t *mine, number_t *sum, size_t count, int call)
{
    MPI_Request request;
    long wrong = run_blocking(mine, sum, count, call);

    type = MPI_INT32_T;
    fill(mine, count, call);
    MPI_Iallreduce(mine, sum, (int)count, type, MPI_SUM, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    wrong += count_wrong(sum, count, call);
    type = MPI_FLOAT;
    return wrong;
}

/* One request for all calls, or a nonblocking one for each. */
static long run_requests(number_t *mine, number_t *sum, size_t count, int calls,
                         bool persistent)
{
    MPI_Request request;
    long wrong = 0;

    if (persistent) {
        MTREE_PERSISTENT_NAME(Allreduce)
        (mine, sum, (int)count, type, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    }
    for (int call = 0; call < calls; call++) {
        double begin;

        fill(mine, count, call);
        begin = MPI_Wtime();
        if (persistent) {
            MPI_Start(&request);
        } else {
            MPI_Iallreduce(mine, sum, (int)count, type, MPI_SUM, MPI_COMM_WORLD,
                           &request);
        }
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        say_call(call, begin);
        wrong += count_wrong(sum, count, call);
    }
    if (persistent) {
        MPI_Request_free(&request);
    }
    return wrong;
}

static long run_waiting(number_t *mine, number_t *sum, size_t count, int calls,
                        const char *how)
{
    long wrong = 0;

    for (int call = 0; call < calls; call++) {
        if (call == 3 && my_rank == 0 && strcmp(how, "wait") == 0) {
            (void)getchar();
        }
        wrong += (strcmp(how, "both") == 0    ? run_both
                  : strcmp(how, "mixed") == 0 ? run_mixed
                                              : run_blocking)(mine, sum, count, call);
    }
    return wrong;
}

int main(int argc, char **argv)
{
    size_t count = argc > 1 ? (size_t)atol(argv[1]) / sizeof(number_t) : 0;
    int calls = argc > 2 ? atoi(argv[2]) : 0;
    const char *how = argc > 3 ? argv[3] : "";
    number_t *mine = malloc(count * sizeof(*mine)), *sum = malloc(count * sizeof(*sum));
    long wrong = 0, all;

    if (count == 0 || calls < 1 || calls > MOST_CALLS || mine == NULL || sum == NULL) {
        fprintf(stderr, "usage: lab_replan BYTES CALLS "
                        "[both|mixed|nonblocking|persistent|wait|all "
                        "[exact]]\n");
        return 2;
    }
    mtree_expect_begin(&argc, &argv);
    type = argc > 4 && strcmp(argv[4], "exact") == 0 ? MPI_INT32_T : MPI_FLOAT;
    if (strcmp(how, "persistent") == 0 || strcmp(how, "nonblocking") == 0) {
        wrong = run_requests(mine, sum, count, calls, how[0] == 'p');
    } else {
        wrong = run_waiting(mine, sum, count, calls, how);
    }
    MPI_Allreduce(&wrong, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    if (my_rank == 0) {
        if (all == 0) {
            printf("ok\n");
        } else {
            printf("wrong %ld\n", all);
        }
    }
    MPI_Finalize();
    free(mine);
    free(sum);
    return all != 0;
}
