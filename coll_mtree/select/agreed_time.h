/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The time of a blocking call on all ranks together, on which they agree by an allreduce
 * of the fallback, so that what follows from it is the same on all of them.
 */
#ifndef COLL_MTREE_SELECT_AGREED_TIME_H
#define COLL_MTREE_SELECT_AGREED_TIME_H

#include "coll_mtree/coll_mtree.h"

/*
 * The seconds from the last rank's beginning of a call to the last one's end, which is
 * now, so that it does not matter how late some come; 0: the allreduce has failed.  This
 * rank began at @a began on its clock.  Clocks differ between hosts; but all ranks return
 * from the last allreduce at about the same time *agreed (0: there was none), from which
 * they count.  *agreed becomes the return of this one, *flag the greatest of all ranks.
 */
double coll_mtree_agreed_time(const mca_coll_mtree_module_t *module,
                              ompi_communicator_t *comm, double began, double *agreed,
                              double *flag);

#endif
