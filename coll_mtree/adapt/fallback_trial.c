/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/adapt/fallback_trial.h"

#include "coll_mtree/base/log.h"
#include "coll_mtree/plan/planning_context.h"
#include "coll_mtree/select/agreed_time.h"

#include "base/clock.h"

#include <limits.h>
#include <stdlib.h>

/* What the fallback works on. */
typedef struct {
    char *bytes;
    int total;   /* bytes of the call */
    int *counts; /* [ranks] bytes of each rank's block; NULL: all have as many, or none */
    int *offsets; /* [ranks] of the blocks */
} scratch_t;

static void scratch_cleanup(scratch_t *scratch)
{
    free(scratch->bytes);
    free(scratch->counts);
}

/* False: no memory, or more bytes than Open MPI's functions can count. */
static bool scratch_init(scratch_t *scratch, const mtree_call_t *call, int ranks)
{
    size_t bytes = call->units * call->unit_bytes;

    *scratch = (scratch_t){.total = (int)bytes};
    if (bytes > INT_MAX || (scratch->bytes = calloc(bytes, 1)) == NULL) {
        return false;
    }
    if (call->blocks == NULL) {
        return true;
    }
    scratch->counts = calloc(2 * (size_t)ranks, sizeof(*scratch->counts));
    if (scratch->counts == NULL) {
        return false;
    }
    scratch->offsets = scratch->counts + ranks;
    for (int rank = 0; rank < ranks; rank++) {
        scratch->offsets[rank] = (int)(call->blocks[rank] * call->unit_bytes);
        scratch->counts[rank] =
            (int)(call->blocks[rank + 1] * call->unit_bytes) - scratch->offsets[rank];
    }
    return true;
}

/* A call like @a call by the fallback. */
static void run_fallback(mca_coll_mtree_module_t *module, ompi_communicator_t *comm,
                         const mtree_call_t *call, const scratch_t *scratch)
{
    void *bytes = scratch->bytes;
    int total = scratch->total, block = total / ompi_comm_size(comm);
    bool is_root = ompi_comm_rank(comm) == call->root;

    switch (call->collective) {
    case MTREE_ALLREDUCE:
        (void)MTREE_FALLBACK(module, allreduce, MPI_IN_PLACE, bytes, total, MPI_BYTE,
                             MPI_BOR, comm);
        break;
    case MTREE_REDUCE:
        (void)MTREE_FALLBACK(module, reduce, is_root ? MPI_IN_PLACE : bytes,
                             is_root ? bytes : NULL, total, MPI_BYTE, MPI_BOR, call->root,
                             comm);
        break;
    case MTREE_BCAST:
        (void)MTREE_FALLBACK(module, bcast, bytes, total, MPI_BYTE, call->root, comm);
        break;
    case MTREE_ALLGATHER:
        if (scratch->counts == NULL) {
            (void)MTREE_FALLBACK(module, allgather, MPI_IN_PLACE, 0, MPI_BYTE, bytes,
                                 block, MPI_BYTE, comm);
        } else {
            (void)MTREE_FALLBACK(module, allgatherv, MPI_IN_PLACE, 0, MPI_BYTE, bytes,
                                 scratch->counts, scratch->offsets, MPI_BYTE, comm);
        }
        break;
    case MTREE_REDUCE_SCATTER:
        if (scratch->counts == NULL) {
            (void)MTREE_FALLBACK(module, reduce_scatter_block, MPI_IN_PLACE, bytes, block,
                                 MPI_BYTE, MPI_BOR, comm);
        } else {
            (void)MTREE_FALLBACK(module, reduce_scatter, MPI_IN_PLACE, bytes,
                                 scratch->counts, MPI_BYTE, MPI_BOR, comm);
        }
        break;
    default:
        break;
    }
}

/* Time the fallback in calls like @a call: *count_p times, 0 where a rank has no memory
 * for that. */
static void time_fallback(mca_coll_mtree_module_t *module, ompi_communicator_t *comm,
                          const mtree_call_t *call,
                          double seconds[COLL_MTREE_FALLBACK_CALLS], int *count_p)
{
    scratch_t scratch;
    double fails = !scratch_init(&scratch, call, ompi_comm_size(comm)), agreed = 0;

    *count_p = 0;
    (void)coll_mtree_agreed_time(module, comm, mtree_clock_seconds(), &agreed, &fails);
    while (fails <= 0 && coll_mtree_first_calls_goes_on(seconds, *count_p)) {
        double began = mtree_clock_seconds();

        run_fallback(module, comm, call, &scratch);
        seconds[(*count_p)++] =
            coll_mtree_agreed_time(module, comm, began, &agreed, &fails);
    }
    scratch_cleanup(&scratch);
}

/* The calls are off: compare them with the fallback. */
static void judge(mca_coll_mtree_module_t *module, ompi_communicator_t *comm,
                  coll_mtree_comm_class_t *comm_class,
                  const coll_mtree_first_call_t *what)
{
    coll_mtree_first_calls_t *first = &comm_class->first_calls;
    const coll_mtree_call_class_t *call_class = &comm_class->node.call_class;
    double seconds[COLL_MTREE_FALLBACK_CALLS], measured[COLL_MTREE_BACKENDS] = {0};
    char text[COLL_MTREE_FIRST_CALLS_TEXT];
    int count;

    time_fallback(module, comm, what->call, seconds, &count);
    coll_mtree_first_calls_judge(first, seconds, count);
    if (count == 0) {
        return;
    }
    if (module->context != NULL) {
        coll_mtree_planning_context_won(module->context, comm, call_class,
                                        first->state == COLL_MTREE_FIRST_CALLS_LEAVE
                                            ? COLL_MTREE_FALLBACK
                                            : COLL_MTREE_TREES,
                                        0);
    }
    measured[COLL_MTREE_TREES] = first->took;
    measured[COLL_MTREE_FALLBACK] = first->fallback;
    coll_mtree_statistics_measured(what->count, measured);
    coll_mtree_first_calls_format(first, call_class->collective, call_class->bytes, text);
    coll_mtree_verbose(comm, first->state == COLL_MTREE_FIRST_CALLS_LEAVE ? 1 : 2, "%s",
                       text);
}

void coll_mtree_fallback_trial_note(mca_coll_mtree_module_t *module,
                                    ompi_communicator_t *comm,
                                    coll_mtree_comm_class_t *comm_class,
                                    const coll_mtree_first_call_t *what)
{
    coll_mtree_first_calls_t *first = &comm_class->first_calls;
    double fails = 0;
    double seconds =
        coll_mtree_agreed_time(module, comm, what->began, &first->agreed, &fails);

    if (fails > 0) {
        first->state = COLL_MTREE_FIRST_CALLS_STAY;
        return;
    }
    coll_mtree_first_calls_add(first, seconds, what->expected);
    if (first->state == COLL_MTREE_FIRST_CALLS_OFF) {
        judge(module, comm, comm_class, what);
    }
}
