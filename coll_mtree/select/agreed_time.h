/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The times of blocking calls on all ranks together, on which they agree by an allreduce
 * of the fallback, so that what follows from them is the same on all of them.
 *
 * Clocks differ between hosts; but all ranks return from the last allreduce at about the
 * same time, from which they count.
 */
#ifndef COLL_MTREE_SELECT_AGREED_TIME_H
#define COLL_MTREE_SELECT_AGREED_TIME_H

#include "coll_mtree/coll_mtree.h"
#include "coll_mtree/select/call_times.h"

/*
 * What the calls of @a times took, which holds none afterwards: agreed[i] of call i.
 * *flag becomes the greatest of all ranks, 1 where the allreduce has failed; agreed is
 * not written then.
 */
void coll_mtree_agreed_times(const mca_coll_mtree_module_t *module,
                             ompi_communicator_t *comm, coll_mtree_call_times_t *times,
                             coll_mtree_call_time_t *agreed, double *flag);

/*
 * The seconds from the last rank's beginning of a call to the last one's end, which is
 * now, so that it does not matter how late some come; 0: the allreduce has failed.  This
 * rank began at @a began.  *agreed is when the ranks agreed last (0: never), and becomes
 * now; *flag the greatest of all ranks.
 */
double coll_mtree_agreed_time(const mca_coll_mtree_module_t *module,
                              ompi_communicator_t *comm, double began, double *agreed,
                              double *flag);

#endif
