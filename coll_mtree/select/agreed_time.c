/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/select/agreed_time.h"

#include "base/clock.h"

/* What the ranks tell each other of a call, since the last agreement; of each the
 * greatest counts. */
enum { FIRST_BEGAN, LAST_BEGAN, LAST_ENDED, NUMBERS }; /* the first one negative */

/* Have all ranks return at about the same time.  False: the allreduce has failed. */
static bool synchronize(const mca_coll_mtree_module_t *module, ompi_communicator_t *comm,
                        double *clock_p)
{
    double nothing = 0;

    if (MTREE_FALLBACK(module, allreduce, MPI_IN_PLACE, &nothing, 1, MPI_DOUBLE, MPI_MAX,
                       comm) != OMPI_SUCCESS) {
        return false;
    }
    *clock_p = mtree_clock_seconds();
    return true;
}

void coll_mtree_agreed_times(const mca_coll_mtree_module_t *module,
                             ompi_communicator_t *comm, coll_mtree_call_times_t *times,
                             coll_mtree_call_time_t *agreed, double *flag)
{
    double numbers[NUMBERS * COLL_MTREE_CALL_TIMES + 1];
    double since = times->agreed > 0 ? times->agreed : times->began[0];
    int count = NUMBERS * times->count;

    /* Of one call alone each rank may count from its own beginning. */
    if (times->agreed <= 0 && times->count > 1 && !synchronize(module, comm, &since)) {
        *flag = 1;
        return;
    }
    for (int i = 0; i < times->count; i++) {
        numbers[NUMBERS * i + FIRST_BEGAN] = since - times->began[i];
        numbers[NUMBERS * i + LAST_BEGAN] = times->began[i] - since;
        numbers[NUMBERS * i + LAST_ENDED] = times->ended[i] - since;
    }
    numbers[count] = *flag;
    if (MTREE_FALLBACK(module, allreduce, MPI_IN_PLACE, numbers, count + 1, MPI_DOUBLE,
                       MPI_MAX, comm) != OMPI_SUCCESS) {
        *flag = 1;
        return;
    }
    for (int i = 0; i < times->count; i++) {
        const double *of = &numbers[NUMBERS * i];

        agreed[i] = (coll_mtree_call_time_t){.seconds = of[LAST_ENDED] - of[LAST_BEGAN],
                                             .elapsed = of[LAST_ENDED] + of[FIRST_BEGAN]};
    }
    *flag = numbers[count];
    times->agreed = mtree_clock_seconds();
    times->count = 0;
}

double coll_mtree_agreed_time(const mca_coll_mtree_module_t *module,
                              ompi_communicator_t *comm, double began, double *agreed,
                              double *flag)
{
    coll_mtree_call_times_t times = {.agreed = *agreed};
    coll_mtree_call_time_t time = {.seconds = 0};

    coll_mtree_call_times_add(&times, began, mtree_clock_seconds());
    coll_mtree_agreed_times(module, comm, &times, &time, flag);
    *agreed = times.agreed;
    return time.seconds;
}
