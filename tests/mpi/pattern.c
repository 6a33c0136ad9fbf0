/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pattern TEXT [SECONDS RANK MOMENT]: broadcasts, gathers and reduces TEXT, over and
 * over, in calls of several forms and sizes, whose results each rank checks.  Who finds
 * TEXT on the wire has read the data.  With SECONDS the first call is a long one; of its
 * ranks RANK, or with -1 each, looks after it for MOMENT milliseconds and then computes
 * for SECONDS.  Else it is a short one.
 */
#include "tests/mpi/expect.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { LONGEST = 1 << 19, CALLS = 8, SHORT = 64, AWAY = 1 << 20, MOST_RANKS = 16 };

/* Blocks of an element with a gap; bytes of a block, of the gap, and elements. */
enum { BLOCKS = 2, BLOCK = 120, GAP = 40, ELEMENTS = 5000 };

static void fill(char *bytes, size_t length, const char *text)
{
    for (size_t i = 0; i < length; i++) {
        bytes[i] = text[i % strlen(text)];
    }
}

/* What is sent, by rank 0 alone, and what all are to have. */
static char bytes[AWAY], expected[AWAY];

static void fill_both(size_t length, const char *text)
{
    fill(expected, length, text);
    memset(bytes, 0, length);
    memcpy(bytes, expected, my_rank == 0 ? length : 0);
}

/* Both calls with blocks of @a length bytes. */
static void call_both(size_t length, const char *text)
{
    static char all[MOST_RANKS * LONGEST];

    fill_both(length, text);
    MPI_Bcast(bytes, (int)length, MPI_BYTE, 0, MPI_COMM_WORLD);
    MPI_Allgather(bytes, (int)length, MPI_BYTE, all, (int)length, MPI_BYTE,
                  MPI_COMM_WORLD);
    for (int r = 0; r < num_ranks; r++) {
        mtree_expect(memcmp(all + (size_t)r * length, expected, length) == 0,
                     "%zu bytes of rank %d are wrong", length, r);
    }
}

/* Nonblocking calls as short as those that Open MPI makes itself, and one of these. */
static void call_short(const char *text)
{
    char most[SHORT];
    MPI_Request requests[2];
    MPI_Comm comm;

    fill_both(SHORT, text);
    MPI_Ibcast(bytes, SHORT, MPI_BYTE, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Iallreduce(expected, most, SHORT / (int)sizeof(int), MPI_INT, MPI_MAX,
                   MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_free(&comm);
    mtree_expect(memcmp(bytes, expected, SHORT) == 0 &&
                     memcmp(most, expected, SHORT) == 0,
                 "short calls are wrong");
}

/* The greater byte of each two, of elements with gaps. */
static void greater(void *in, void *inout, int *count, MPI_Datatype *type)
{
    const unsigned char *from = in;
    unsigned char *to = inout;
    MPI_Aint lower, extent;

    MPI_Type_get_extent(*type, &lower, &extent);
    for (MPI_Aint i = 0; i < *count * extent; i++) {
        if (i % extent % (BLOCK + GAP) < BLOCK && from[i] > to[i]) {
            to[i] = from[i];
        }
    }
}

/* A reduction of elements with gaps, which stay as they are. */
static void call_with_gaps(const char *text)
{
    size_t element = BLOCKS * (BLOCK + GAP), length = ELEMENTS * element;
    char *own = malloc(length), *expected = malloc(length), *most = calloc(1, length);
    MPI_Datatype blocks, type;
    MPI_Op op;

    fill(own, length, text);
    for (size_t i = 0; i < length; i++) {
        expected[i] = (char)(i % (BLOCK + GAP) < BLOCK ? own[i] : 0);
    }
    MPI_Type_vector(BLOCKS, BLOCK, BLOCK + GAP, MPI_BYTE, &blocks);
    MPI_Type_create_resized(blocks, 0, (MPI_Aint)element, &type);
    MPI_Type_commit(&type);
    MPI_Op_create(greater, 1, &op);
    MPI_Allreduce(own, most, ELEMENTS, type, op, MPI_COMM_WORLD);
    mtree_expect(memcmp(most, expected, length) == 0, "a sum with gaps is wrong");
    MPI_Op_free(&op);
    MPI_Type_free(&type);
    MPI_Type_free(&blocks);
    free(own);
    free(expected);
    free(most);
}

/* Broadcast 1 MiB while this rank is away for @a seconds after @a moment ms. */
static void call_away(const char *text, unsigned seconds, int moment)
{
    const struct timespec pause = {.tv_nsec = 1000000};
    MPI_Request request;
    int is_done;

    fill_both(AWAY, text);
    MPI_Ibcast(bytes, AWAY, MPI_BYTE, 0, MPI_COMM_WORLD, &request);
    for (int i = 0; i < moment; i++) {
        MPI_Test(&request, &is_done, MPI_STATUS_IGNORE);
        (void)nanosleep(&pause, NULL);
    }
    (void)sleep(seconds);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    mtree_expect(memcmp(bytes, expected, AWAY) == 0, "a call of ranks away is wrong");
}

int main(int argc, char **argv)
{
    mtree_expect_begin(&argc, &argv);
    if (argc > 4) {
        int away = atoi(argv[3]);

        call_away(argv[1], away < 0 || away == my_rank ? (unsigned)atoi(argv[2]) : 0,
                  atoi(argv[4]));
    }
    call_short(argv[1]);
    call_with_gaps(argv[1]);
    for (int i = 0; i < CALLS; i++) {
        call_both((size_t)LONGEST >> 2 * (i % 4), argv[1]);
    }
    return mtree_expect_end("pattern");
}
