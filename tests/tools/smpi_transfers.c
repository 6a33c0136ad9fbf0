/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An MPI program for SMPI: how long a message from each rank to each other takes, one
 * pair after the other, and how long messages both ways between ranks 0 and 1 take at
 * once.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

/* Seconds until @a receiver has the message of @a sender, on @a receiver. */
static double transfer(char *data, int bytes, int sender, int receiver, int rank)
{
    double begin;

    MPI_Barrier(MPI_COMM_WORLD);
    begin = MPI_Wtime();
    if (rank == sender) {
        MPI_Send(data, bytes, MPI_CHAR, receiver, 0, MPI_COMM_WORLD);
    } else if (rank == receiver) {
        MPI_Recv(data, bytes, MPI_CHAR, sender, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    return MPI_Wtime() - begin;
}

int main(int argc, char **argv)
{
    int rank, size, bytes = argc > 1 ? atoi(argv[1]) : 1;
    double seconds;
    char *data;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    data = calloc(2, (size_t)bytes);
    for (int sender = 0; sender < size; sender++) {
        for (int receiver = 0; receiver < size; receiver++) {
            if (sender == receiver) {
                continue;
            }
            seconds = transfer(data, bytes, sender, receiver, rank);
            if (rank == receiver) {
                printf("%d %d %.9f\n", sender, receiver, seconds);
            }
        }
    }
    MPI_Barrier(MPI_COMM_WORLD);
    seconds = MPI_Wtime();
    if (rank < 2) {
        MPI_Sendrecv(data, bytes, MPI_CHAR, 1 - rank, 1, data + bytes, bytes, MPI_CHAR,
                     1 - rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        printf("both %d %.9f\n", rank, MPI_Wtime() - seconds);
    }
    free(data);
    MPI_Finalize();
    return 0;
}
