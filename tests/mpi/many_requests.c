/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * many_requests outstanding CALLS: so many nonblocking calls at a time, of several kinds
 * and sizes, on two communicators, with blocking calls among them.
 *
 * many_requests persistent MADE: a persistent request that lives while so many others are
 * made and freed, and one more that is made then; both run at the same time.
 *
 * many_requests living MADE: the others are freed at the end.
 */
#include "tests/mpi/expect.h"
#include "tests/mpi/forms.h"

#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#define LONGEST 3000
#define LENGTH  50000
#define STARTS  4

enum { ALLREDUCE, BCAST, ALLGATHER, REDUCE_SCATTER, KINDS };

typedef struct {
    int kind, root, count; /* elements that a rank gets */
    MPI_Comm comm;
    int *in, *out;
} call_t;

static int rank, ranks;

/* Element @a i of what rank @a of contributes to call number @a number. */
static int value(int number, int of, int i)
{
    return number % 1000 + 10 * of + i % 7;
}

/* Elements of the vector. */
static int length_of(const call_t *call)
{
    return call->kind == ALLREDUCE || call->kind == BCAST ? call->count
                                                          : call->count * ranks;
}

static void start(call_t *call, int number, MPI_Request *request)
{
    call->kind = number % KINDS;
    call->root = number / KINDS % ranks;
    call->count = 20 + number * 37 % (number % 50 == 0 ? LONGEST : 200);
    call->in = malloc((size_t)length_of(call) * sizeof(int));
    call->out = malloc((size_t)length_of(call) * sizeof(int));
    for (int i = 0; i < length_of(call); i++) {
        call->in[i] = value(number, rank, i);
        call->out[i] = rank == call->root ? value(number, rank, i) : -1;
    }
    switch (call->kind) {
    case ALLREDUCE:
        MPI_Iallreduce(call->in, call->out, call->count, MPI_INT, MPI_SUM, call->comm,
                       request);
        break;
    case BCAST:
        MPI_Ibcast(call->out, call->count, MPI_INT, call->root, call->comm, request);
        break;
    case ALLGATHER:
        MPI_Iallgather(call->in, call->count, MPI_INT, call->out, call->count, MPI_INT,
                       call->comm, request);
        break;
    default:
        MPI_Ireduce_scatter_block(call->in, call->out, call->count, MPI_INT, MPI_SUM,
                                  call->comm, request);
    }
}

static int sum_of(int number, int i)
{
    return ranks * value(number, 0, i) + 10 * ranks * (ranks - 1) / 2;
}

/* What element @a i of its result must be. */
static int expected(const call_t *call, int number, int i)
{
    switch (call->kind) {
    case ALLREDUCE:
        return sum_of(number, i);
    case BCAST:
        return value(number, call->root, i);
    case ALLGATHER:
        return value(number, i / call->count, i % call->count);
    default:
        return sum_of(number, rank * call->count + i);
    }
}

static void check(call_t *call, int number)
{
    int elements = call->kind == ALLGATHER ? length_of(call) : call->count, wrong = 0;

    for (int i = 0; i < elements; i++) {
        wrong += call->out[i] != expected(call, number, i);
    }
    mtree_expect(wrong == 0, "call %d of kind %d: %d of %d elements are wrong on rank %d",
                 number, call->kind, wrong, elements, rank);
    free(call->in);
    free(call->out);
}

static void outstanding(int num_calls)
{
    call_t *calls = calloc((size_t)num_calls, sizeof(*calls));
    MPI_Request *requests = malloc((size_t)num_calls * sizeof(*requests));
    MPI_Comm copy;
    int all;

    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    for (int i = 0; i < num_calls; i++) {
        calls[i].comm = i % 5 == 0 ? copy : MPI_COMM_WORLD;
        start(&calls[i], i, &requests[i]);
        if (i % 1000 == 500) {
            MPI_Allreduce(&rank, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
            mtree_expect(all == ranks * (ranks - 1) / 2, "a blocking call gave %d", all);
        }
    }
    /* Those that are made last are waited for first. */
    for (int i = num_calls - 1; i >= 0; i--) {
        MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
        check(&calls[i], i);
    }
    MPI_Comm_free(&copy);
    free(calls);
    free(requests);
}

static void make(int *in, int *out, MPI_Request *request)
{
    MTREE_PERSISTENT_NAME(Allreduce)
    (in, out, LENGTH, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, request);
}

static void persistent(int num_made, int live)
{
    static int in[2][LENGTH], out[2][LENGTH];
    MPI_Request *others = malloc((size_t)num_made * sizeof(*others)), requests[2];

    make(in[0], out[0], &requests[0]);
    for (int i = 0; i < num_made; i++) {
        make(in[1], out[1], &others[i]);
        /* Each rank frees them at its own time. */
        for (int j = i - rank % 3; !live && j <= i && i % 3 == 2; j++) {
            MPI_Request_free(&others[j]);
        }
        for (int j = i - 2; !live && i % 3 == 2 && j < i - rank % 3; j++) {
            MPI_Request_free(&others[j]);
        }
    }
    make(in[1], out[1], &requests[1]);
    for (int round = 0; round < STARTS; round++) {
        int wrong = 0;

        for (int i = 0; i < LENGTH; i++) {
            in[0][i] = round + i;
            in[1][i] = -round - 2 * i;
        }
        /* In another order on every other rank. */
        MPI_Start(&requests[rank % 2]);
        MPI_Start(&requests[1 - rank % 2]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        for (int i = 0; i < LENGTH; i++) {
            wrong += out[0][i] != ranks * (round + i);
            wrong += out[1][i] != -ranks * (round + 2 * i);
        }
        mtree_expect(wrong == 0, "start %d: %d elements are wrong on rank %d", round,
                     wrong, rank);
    }
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
    for (int i = 0; live && i < num_made; i++) {
        MPI_Request_free(&others[i]);
    }
    free(others);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc == 3 && strcmp(argv[1], "outstanding") == 0) {
        outstanding(atoi(argv[2]));
    } else if (argc == 3 && strcmp(argv[1], "persistent") == 0) {
        persistent(atoi(argv[2]), 0);
    } else if (argc == 3 && strcmp(argv[1], "living") == 0) {
        persistent(atoi(argv[2]), 1);
    }
    return mtree_expect_end("many_requests");
}
