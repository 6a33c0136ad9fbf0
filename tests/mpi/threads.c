/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Threads of each rank call collectives at once, each on a communicator of its own
 * (MPI_THREAD_MULTIPLE), and make and free copies of it in between.
 */
#include <mpi.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define NUM_THREADS 3
#define ROUNDS      40
#define MOST_UNITS  20000

typedef struct {
    MPI_Comm comm;
    int number;
    int faults;
    int64_t input[MOST_UNITS], output[MOST_UNITS];
} worker_t;

static int64_t value(int rank, int round, int i)
{
    return (int64_t)rank * 1000003 + round * 101 + i;
}

static void fill(worker_t *worker, int rank, int round, int count)
{
    for (int i = 0; i < count; i++) {
        worker->input[i] = value(rank, round, i);
    }
}

static void call_allreduce(worker_t *worker, int rank, int size, int round, int count)
{
    fill(worker, rank, round, count);
    MPI_Allreduce(worker->input, worker->output, count, MPI_INT64_T, MPI_SUM,
                  worker->comm);
    for (int i = 0; i < count; i++) {
        int64_t sum =
            (int64_t)size * (size - 1) / 2 * 1000003 + (int64_t)size * value(0, round, i);

        worker->faults += worker->output[i] != sum;
    }
}

static void call_bcast(worker_t *worker, int rank, int size, int round, int count)
{
    int root = round % size;

    fill(worker, rank, round, count);
    MPI_Bcast(worker->input, count, MPI_INT64_T, root, worker->comm);
    for (int i = 0; i < count; i++) {
        worker->faults += worker->input[i] != value(root, round, i);
    }
}

static void call_allgather(worker_t *worker, int rank, int size, int round, int count)
{
    int part = count / size;

    fill(worker, rank, round, part);
    MPI_Allgather(worker->input, part, MPI_INT64_T, worker->output, part, MPI_INT64_T,
                  worker->comm);
    for (int i = 0; i < part * size; i++) {
        worker->faults += worker->output[i] != value(i / part, round, i % part);
    }
}

static void *work(void *arg)
{
    worker_t *worker = arg;
    int rank, size;

    MPI_Comm_rank(worker->comm, &rank);
    MPI_Comm_size(worker->comm, &size);
    for (int round = 0; round < ROUNDS; round++) {
        int count = size * (1 + (round * 977 + worker->number) % (MOST_UNITS / size));
        MPI_Comm copy;

        call_allreduce(worker, rank, size, round, count);
        call_bcast(worker, rank, size, round, count);
        call_allgather(worker, rank, size, round, count);
        if (round % 10 == 5) {
            MPI_Comm_dup(worker->comm, &copy);
            MPI_Barrier(copy);
            MPI_Comm_free(&copy);
        }
    }
    return NULL;
}

int main(int argc, char **argv)
{
    static worker_t workers[NUM_THREADS];
    pthread_t threads[NUM_THREADS];
    int provided, faults = 0;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    if (provided < MPI_THREAD_MULTIPLE) {
        fprintf(stderr, "this Open MPI has no MPI_THREAD_MULTIPLE\n");
        MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    }
    for (int i = 0; i < NUM_THREADS; i++) {
        workers[i].number = i;
        MPI_Comm_dup(MPI_COMM_WORLD, &workers[i].comm);
    }
    for (int i = 0; i < NUM_THREADS; i++) {
        pthread_create(&threads[i], NULL, work, &workers[i]);
    }
    for (int i = 0; i < NUM_THREADS; i++) {
        pthread_join(threads[i], NULL);
        faults += workers[i].faults;
        MPI_Comm_free(&workers[i].comm);
    }
    MPI_Finalize();
    if (faults > 0) {
        fprintf(stderr, "%d elements are wrong\n", faults);
    }
    return faults > 0;
}
