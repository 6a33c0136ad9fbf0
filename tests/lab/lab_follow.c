/*
 * Run by test_follow.py and test_faults.py across a lab: so many sums of so many bytes
 * over all ranks, each checked.  Rank 0 prints "call NUMBER SECONDS" after each and "ok"
 * or "wrong COUNT" at the end.  With "both" there is a nonblocking sum beside each; with
 * "wait" rank 0 reads a line from standard input before call 3.
 */
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_CALLS 100000
#define PERIOD     1009 /* of the numbers in a vector */

static int rank, ranks;

/* Whole numbers small enough for exact sums, different in each call. */
static float value(int of, int call, size_t i)
{
    return (float)((of * 31 + (call + 1) * 17 + (int)(i % PERIOD)) % 1000);
}

static void fill(float *mine, size_t count, int call)
{
    for (size_t i = 0; i < count; i++) {
        mine[i] = value(rank, call, i);
    }
}

static long count_wrong(const float *sum, size_t count, int call)
{
    float expected[PERIOD] = {0};
    long wrong = 0;

    for (size_t i = 0; i < PERIOD; i++) {
        for (int of = 0; of < ranks; of++) {
            expected[i] += value(of, call, i);
        }
    }
    for (size_t i = 0; i < count; i++) {
        wrong += sum[i] != expected[i % PERIOD];
    }
    return wrong;
}

static long run_blocking(float *mine, float *sum, size_t count, int call)
{
    double begin;

    fill(mine, count, call);
    MPI_Barrier(MPI_COMM_WORLD);
    begin = MPI_Wtime();
    MPI_Allreduce(mine, sum, (int)count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0) {
        printf("call %d %.4f\n", call, MPI_Wtime() - begin);
        fflush(stdout);
    }
    return count_wrong(sum, count, call);
}

/* A blocking call, which may change the plan, and a nonblocking one that began before. */
static long run_both(float *mine, float *sum, size_t count, int call)
{
    float *later = malloc(count * sizeof(*later)), *its = malloc(count * sizeof(*its));
    MPI_Request request;
    long wrong;

    fill(its, count, -call);
    MPI_Iallreduce(its, later, (int)count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD, &request);
    wrong = run_blocking(mine, sum, count, call);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    wrong += count_wrong(later, count, -call);
    free(its);
    free(later);
    return wrong;
}

int main(int argc, char **argv)
{
    size_t count = argc > 1 ? (size_t)atol(argv[1]) / sizeof(float) : 0;
    int calls = argc > 2 ? atoi(argv[2]) : 0;
    const char *how = argc > 3 ? argv[3] : "";
    float *mine = malloc(count * sizeof(*mine)), *sum = malloc(count * sizeof(*sum));
    long wrong = 0, all;

    if (count == 0 || calls < 1 || calls > MOST_CALLS || mine == NULL || sum == NULL) {
        fprintf(stderr, "usage: lab_follow BYTES CALLS [both|wait]\n");
        return 2;
    }
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int call = 0; call < calls; call++) {
        if (call == 3 && rank == 0 && strcmp(how, "wait") == 0) {
            (void)getchar();
        }
        wrong += strcmp(how, "both") == 0 ? run_both(mine, sum, count, call)
                                          : run_blocking(mine, sum, count, call);
    }
    MPI_Allreduce(&wrong, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0) {
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
