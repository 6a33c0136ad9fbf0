/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * rivals CALLS SEED: does Open MPI run the algorithm that the simulator takes for its
 * default?  Of random calls the messages and bytes are counted that each rank sends to
 * each other one; the rank programs of the baseline must send as many.  Prints the calls
 * that differ.
 */
#include "tests/mpi/expect.h"
#include "tests/mpi/pml_count.h"
#include "tests/mpi/random_case.h"

#include "simulate/baseline/baseline.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_RANKS PML_COUNT_MOST_RANKS

typedef struct {
    mtree_collective_t collective;
    int count, root;
} call_t;

/* Does each rank give, or get, a block as long as the others'? */
static bool is_alike(const call_t *call)
{
    return (mtree_collective_has_blocks(call->collective) ||
            mtree_collective_is_personalized(call->collective)) &&
           !mtree_collective_is_prefix(call->collective);
}

/* Elements in all, as mtree_baseline_call_t counts them; blocks are alike. */
static call_t draw_call(void)
{
    call_t call = {.collective = (mtree_collective_t)(rand() % MTREE_COLLECTIVE_LAST),
                   .root = rand() % num_ranks};
    int bytes = 4 << (rand() % 20);

    bytes += rand() % bytes;
    call.count = bytes / 4;
    if (is_alike(&call)) {
        call.count = (call.count / num_ranks + 1) * num_ranks;
    }
    return call;
}

static void create_case(case_t *c, const call_t *call)
{
    static const collective_t collectives[] = {[MTREE_ALLREDUCE] = ALLREDUCE,
                                               [MTREE_REDUCE] = REDUCE,
                                               [MTREE_BCAST] = BCAST,
                                               [MTREE_ALLGATHER] = ALLGATHER,
                                               [MTREE_REDUCE_SCATTER] = REDUCE_SCATTER,
                                               [MTREE_SCATTER] = SCATTER,
                                               [MTREE_GATHER] = GATHER,
                                               [MTREE_ALLTOALL] = ALLTOALL,
                                               [MTREE_SCAN] = SCAN};
    const choice_t choice = {.block = call->count / (is_alike(call) ? num_ranks : 1),
                             .root = call->root};

    run.choice = &choice;
    case_create(c, collectives[call->collective], MTREE_BLOCKING_FORM, MPI_COMM_WORLD);
    case_fill(c);
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
static bool is_expected(const pml_sent_t *sent, const pml_sent_t *expected)
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
    case_t c;

    create_case(&c, call);
    memset(pml_sent, 0, sizeof(pml_sent));
    (void)case_call(&c);
    case_free(&c);
    for (int r = 0; r < num_ranks; r++) {
        if (!is_expected(&pml_sent[r], &expected[r])) {
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

    cases_begin(&argc, &argv);
    pml_count_begin();
    srand((unsigned)atoi(argc > 2 ? argv[2] : "1"));
    for (int c = 0; c < calls; c++) {
        const call_t call = draw_call();
        int same = try_call(&call), all;

        MPI_Allreduce(&same, &all, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
        wrong += !all;
    }
    mtree_expect(calls > 0 && wrong == 0, "%d of %d calls differ", wrong, calls);
    return cases_end("rivals");
}
