/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tags for a communicator's calls.
 *
 * They are numbers of our own, not those of ompi_coll_base_nbc_reserve_tags():
 * MPI_Comm_idup runs nonblocking collectives of Open MPI's at another moment on each rank
 * and takes tags there, which would put those of later calls out of step.  Ours come from
 * the far half of what the PML can tell apart and Open MPI sets aside for nonblocking
 * collectives, which its own counting from the near end does not reach.
 */
#ifndef COLL_MTREE_BASE_TAGS_H
#define COLL_MTREE_BASE_TAGS_H

#include "coll_mtree/coll_mtree.h"

/* Most tags that can be reserved at a time. */
int coll_mtree_tags_most(void);

/*
 * The first of @a count tags, the next ones being below it.  All ranks of the module's
 * communicator call with the same arguments in the same order.  Those of persistent
 * requests, which may live long, are apart from the others, which are used again sooner.
 */
int coll_mtree_tags_reserve(mca_coll_mtree_module_t *module, int count, bool persistent);

#endif
