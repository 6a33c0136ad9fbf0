/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tags for a communicator's messages (coll_mtree/base/tag_range.h).
 *
 * They are not those of ompi_coll_base_nbc_reserve_tags(), because MPI_Comm_idup runs
 * nonblocking collectives of Open MPI at another moment on each rank and takes tags
 * there, so that later calls would have different tags on different ranks.
 *
 * All ranks of the module's communicator call with the same arguments in the same order.
 */
#ifndef COLL_MTREE_BASE_TAGS_H
#define COLL_MTREE_BASE_TAGS_H

#include "coll_mtree/coll_mtree.h"

/* Are there tags for calls, and if it is to be @a persistent for one more such request on
 * @a comm?  For that the ranks may have to tell each other, by the fallback, which
 * requests they have freed. */
bool coll_mtree_tags_has(mca_coll_mtree_module_t *module, ompi_communicator_t *comm,
                         bool persistent);

/* The farthest tag that the PML distinguishes and nobody else takes. */
int coll_mtree_tags_limit(void);

#endif
