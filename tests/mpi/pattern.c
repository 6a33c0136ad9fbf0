/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pattern TEXT [SECONDS RANK MOMENT]: broadcasts and gathers TEXT, over and over, in
 * calls of several sizes, whose results each rank checks.  Who finds TEXT on the wire has
 * read the data.  The first call is nonblocking; of its ranks RANK, or with -1 each,
 * looks after it for MOMENT milliseconds and then computes for SECONDS.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { LONGEST = 1 << 19, CALLS = 8 };

static void fill(char *bytes, size_t length, const char *text)
{
    for (size_t i = 0; i < length; i++) {
        bytes[i] = text[i % strlen(text)];
    }
}

/* Both calls with blocks of @a length bytes; whether the results are right. */
static int call_both(size_t length, const char *text, int rank, int ranks)
{
    char *expected = malloc(length), *bytes = calloc(1, length);
    char *all = calloc((size_t)ranks, length);
    int is_right = 1;

    fill(expected, length, text);
    if (rank == 0) {
        memcpy(bytes, expected, length);
    }
    MPI_Bcast(bytes, (int)length, MPI_BYTE, 0, MPI_COMM_WORLD);
    MPI_Allgather(bytes, (int)length, MPI_BYTE, all, (int)length, MPI_BYTE,
                  MPI_COMM_WORLD);
    for (int r = 0; r < ranks; r++) {
        is_right = is_right && memcmp(all + (size_t)r * length, expected, length) == 0;
    }
    free(expected);
    free(bytes);
    free(all);
    return is_right;
}

/* Broadcast 1 MiB while this rank is away for @a seconds after @a moment ms; whether the
 * result is right. */
static int call_away(const char *text, int rank, unsigned seconds, int moment)
{
    size_t length = (size_t)1 << 20;
    char *expected = malloc(length), *bytes = calloc(1, length);
    const struct timespec pause = {.tv_nsec = 1000000};
    MPI_Request request;
    int is_right, is_done;

    fill(expected, length, text);
    if (rank == 0) {
        memcpy(bytes, expected, length);
    }
    MPI_Ibcast(bytes, (int)length, MPI_BYTE, 0, MPI_COMM_WORLD, &request);
    for (int i = 0; i < moment; i++) {
        MPI_Test(&request, &is_done, MPI_STATUS_IGNORE);
        (void)nanosleep(&pause, NULL);
    }
    (void)sleep(seconds);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    is_right = memcmp(bytes, expected, length) == 0;
    free(expected);
    free(bytes);
    return is_right;
}

int main(int argc, char **argv)
{
    int rank, ranks, is_right = 1;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc > 4) {
        int away = atoi(argv[3]);

        is_right = call_away(argv[1], rank,
                             away < 0 || away == rank ? (unsigned)atoi(argv[2]) : 0,
                             atoi(argv[4]));
    }
    for (int i = 0; i < CALLS; i++) {
        is_right =
            call_both((size_t)LONGEST >> 2 * (i % 4), argv[1], rank, ranks) && is_right;
    }
    if (!is_right) {
        printf("pattern: rank %d has wrong results\n", rank);
    }
    MPI_Finalize();
    return is_right ? EXIT_SUCCESS : EXIT_FAILURE;
}
