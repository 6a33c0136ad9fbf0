/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Threads of each rank call collectives at once, each on a communicator of its own
 * (MPI_THREAD_MULTIPLE), and make and free copies of it in between.
 */
#include "tests/mpi/expect.h"
#include "tests/mpi/random_case.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define NUM_THREADS 3
#define ROUNDS      40
#define MOST_ITEMS  20000

typedef struct {
    MPI_Comm comm;
    int number;
} worker_t;

static void *work(void *arg)
{
    static const collective_t collectives[] = {ALLREDUCE, BCAST, ALLGATHER};
    const worker_t *worker = arg;
    int ranks;

    MPI_Comm_size(worker->comm, &ranks);
    run.where = "of several threads";
    for (int round = 0; round < ROUNDS; round++) {
        int part = 1 + (round * 977 + worker->number) % (MOST_ITEMS / ranks);
        MPI_Comm copy;

        for (int i = 0; i < 3; i++) {
            const choice_t choice = {.kind = ITEM_DOUBLE,
                                     .block = collectives[i] == ALLGATHER ? part
                                                                          : part * ranks,
                                     .root = round % ranks};

            run.choice = &choice;
            case_run(collectives[i], MTREE_BLOCKING_FORM, worker->comm);
        }
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
    int provided;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    if (provided < MPI_THREAD_MULTIPLE) {
        fprintf(stderr, "this Open MPI has no MPI_THREAD_MULTIPLE\n");
        MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    }
    items_init();
    for (int i = 0; i < NUM_THREADS; i++) {
        workers[i].number = i;
        MPI_Comm_dup(MPI_COMM_WORLD, &workers[i].comm);
    }
    for (int i = 0; i < NUM_THREADS; i++) {
        pthread_create(&threads[i], NULL, work, &workers[i]);
    }
    for (int i = 0; i < NUM_THREADS; i++) {
        pthread_join(threads[i], NULL);
        MPI_Comm_free(&workers[i].comm);
    }
    return cases_end("threads");
}
