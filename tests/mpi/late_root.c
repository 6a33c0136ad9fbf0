/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ranks that come late to their calls: rank 0, the root of broadcasts, always, or each in
 * turn.  The others wait for them, which is no fault of the network.  Or nobody comes
 * late to calls that are long.
 */
#include "tests/mpi/expect.h"

#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CALLS 17 /* one after the first look at what they took */
#define LONG  (4 << 20)

/* Is rank @a rank late to call @a call? */
static int is_late(const char *who, int rank, int ranks, int call)
{
    return strcmp(who, "root") == 0        ? rank == 0
           : strcmp(who, "everybody") == 0 ? rank == call % ranks
                                           : 0;
}

static void call_once(const char *who, int call, int ranks, int *in, int *out)
{
    int count = strcmp(who, "nobody") == 0 ? LONG : 1;

    in[0] = call;
    if (strcmp(who, "root") == 0) {
        MPI_Bcast(in, count, MPI_INT, 0, MPI_COMM_WORLD);
        mtree_expect(in[0] == call, "call %d gave %d", call, in[0]);
    } else {
        MPI_Allreduce(in, out, count, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        mtree_expect(out[0] == call * ranks, "call %d gave %d", call, out[0]);
    }
}

int main(int argc, char **argv)
{
    useconds_t late = argc > 2 ? (useconds_t)atoi(argv[2]) : 0; /* microseconds */
    int *in = calloc(LONG, sizeof(*in)), *out = calloc(LONG, sizeof(*out));
    int rank, ranks;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int call = 0; call < CALLS; call++) {
        if (is_late(argv[1], rank, ranks, call)) {
            usleep(late);
        }
        call_once(argv[1], call, ranks, in, out);
    }
    rank = mtree_expect_finish("late_root");
    MPI_Finalize();
    free(in);
    free(out);
    return rank;
}
