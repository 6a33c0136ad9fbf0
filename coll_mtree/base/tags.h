/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tags for a communicator's calls.
 *
 * They are not those of ompi_coll_base_nbc_reserve_tags(), because MPI_Comm_idup runs
 * nonblocking collectives of Open MPI at another moment on each rank and takes tags
 * there, so that later calls would have different tags on different ranks.
 * coll_mtree/base/ tag_range.h has the tags that Open MPI's own counting does not reach.
 */
#ifndef COLL_MTREE_BASE_TAGS_H
#define COLL_MTREE_BASE_TAGS_H

#include "coll_mtree/coll_mtree.h"

/* Most tags that can be reserved at a time. */
int coll_mtree_tags_most(void);

/*
 * The first of @a count tags; the others are the next lower ones.  All ranks of the
 * module's communicator call with the same arguments in the same order.  Persistent
 * requests have tags of their own, because they may live long; those of calls are used
 * again sooner.
 */
int coll_mtree_tags_reserve(mca_coll_mtree_module_t *module, int count, bool persistent);

#endif
