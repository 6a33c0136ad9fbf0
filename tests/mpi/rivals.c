/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * rivals CALLS SEED: does Open MPI run the algorithm that the simulator takes for its
 * default?  Of random calls the messages and bytes are counted that each rank sends to
 * each other one; the rank programs of the baseline must send as many.  Prints the calls
 * that differ.
 */
#include "tests/mpi/pml_count.h"

#include "simulate/baseline/baseline.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_RANKS PML_COUNT_MOST_RANKS
#define MOST_BYTES (4 << 20)

typedef struct {
    mtree_collective_t collective;
    int count, root;
} call_t;

static int my_rank, num_ranks;
static int *input, *output;

/* Elements in all, as mtree_baseline_call_t counts them; blocks are alike. */
static call_t draw_call(void)
{
    call_t call = {.collective = (mtree_collective_t)(rand() % MTREE_COLLECTIVE_LAST),
                   .root = rand() % num_ranks};
    int bytes = 4 << (rand() % 20);
    bool alike = mtree_collective_has_blocks(call.collective) ||
                 mtree_collective_is_personalized(call.collective);

    bytes += rand() % bytes;
    call.count = bytes / 4;
    if (alike && !mtree_collective_is_prefix(call.collective)) {
        call.count = (call.count / num_ranks + 1) * num_ranks;
    }
    return call;
}

static void run_call(const call_t *call)
{
    int count = call->count, block = call->count / num_ranks, counts[MOST_RANKS];

    for (int r = 0; r < num_ranks; r++) {
        counts[r] = block;
    }
    switch (call->collective) {
    case MTREE_ALLREDUCE:
        MPI_Allreduce(input, output, count, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        break;
    case MTREE_REDUCE:
        MPI_Reduce(input, output, count, MPI_INT, MPI_SUM, call->root, MPI_COMM_WORLD);
        break;
    case MTREE_BCAST:
        MPI_Bcast(output, count, MPI_INT, call->root, MPI_COMM_WORLD);
        break;
    case MTREE_ALLGATHER:
        MPI_Allgather(input, block, MPI_INT, output, block, MPI_INT, MPI_COMM_WORLD);
        break;
    case MTREE_REDUCE_SCATTER:
        MPI_Reduce_scatter(input, output, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        break;
    case MTREE_SCATTER:
        MPI_Scatter(input, block, MPI_INT, output, block, MPI_INT, call->root,
                    MPI_COMM_WORLD);
        break;
    case MTREE_GATHER:
        MPI_Gather(input, block, MPI_INT, output, block, MPI_INT, call->root,
                   MPI_COMM_WORLD);
        break;
    case MTREE_ALLTOALL:
        MPI_Alltoall(input, block, MPI_INT, output, block, MPI_INT, MPI_COMM_WORLD);
        break;
    case MTREE_SCAN:
        MPI_Scan(input, output, count, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        break;
    case MTREE_COLLECTIVE_LAST:
        break;
    }
}

/* What this rank's program sends to each rank, into @a sent, and the algorithm's name. */
static const char *expect(const call_t *call, pml_sent_t *sent)
{
    /* The rules of MPI_COMM_WORLD do not ask where ranks are. */
    const mtree_baseline_t *baseline =
        mtree_baseline_default((mtree_openmpi_t){0}, call->collective, num_ranks,
                               (size_t)call->count * sizeof(int));
    const mtree_baseline_call_t built = {.num_ranks = num_ranks,
                                         .root = call->root,
                                         .count = (size_t)call->count,
                                         .element_bytes = sizeof(int)};
    mtree_program_t *programs;

    memset(sent, 0, sizeof(pml_sent));
    if (mtree_baseline_build(baseline, &built, &programs) != MTREE_OK) {
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    for (size_t s = 0; s < programs[my_rank].num_steps; s++) {
        const mtree_step_t *step = &programs[my_rank].steps[s];

        if (step->kind == MTREE_STEP_SEND) {
            sent[step->peer].messages++;
            sent[step->peer].bytes += step->count * sizeof(int);
        }
    }
    mtree_baseline_destroy(programs, num_ranks);
    return baseline->name;
}

/* Programs leave some empty messages out, and have one element in others. */
static bool is_alike(const pml_sent_t *sent, const pml_sent_t *expected)
{
    return expected->messages >= sent->messages &&
           expected->messages <= sent->messages + sent->empty &&
           expected->bytes ==
               sent->bytes + (expected->messages - sent->messages) * sizeof(int);
}

/* Does this rank send what is expected? */
static bool try_call(const call_t *call)
{
    pml_sent_t expected[MOST_RANKS];
    const char *name = expect(call, expected);

    memset(pml_sent, 0, sizeof(pml_sent));
    run_call(call);
    for (int r = 0; r < num_ranks; r++) {
        if (!is_alike(&pml_sent[r], &expected[r])) {
            printf("rivals: %s of %d elements, root %d, %d ranks: rank %d sends rank %d "
                   "%zu messages, %zu bytes; %s would send %zu, %zu\n",
                   mtree_collective_name(call->collective), call->count, call->root,
                   num_ranks, my_rank, r, pml_sent[r].messages, pml_sent[r].bytes, name,
                   expected[r].messages, expected[r].bytes);
            return false;
        }
    }
    return true;
}

int main(int argc, char **argv)
{
    int calls = argc > 1 ? atoi(argv[1]) : 0, wrong = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &my_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &num_ranks);
    pml_count_begin();
    input = calloc(2, MOST_BYTES);
    output = calloc(2, MOST_BYTES);
    srand((unsigned)atoi(argc > 2 ? argv[2] : "1"));
    for (int c = 0; c < calls; c++) {
        const call_t call = draw_call();
        int same = try_call(&call), all;

        MPI_Allreduce(&same, &all, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
        wrong += !all;
    }
    if (my_rank == 0) {
        printf("rivals: %d of %d calls differ\n", wrong, calls);
    }
    MPI_Finalize();
    return calls > 0 && wrong == 0 ? 0 : 1;
}
