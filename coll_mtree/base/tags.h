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

/* Are there tags for calls, and @a count (0: none) for one more persistent request on @a
 * comm?  For that the ranks may have to tell each other, by the fallback, which requests
 * they have freed. */
bool coll_mtree_tags_has(mca_coll_mtree_module_t *module, ompi_communicator_t *comm,
                         int count);

/* The first tag; the others are the next lower ones. */
int coll_mtree_tags_tcp(void);
int coll_mtree_tags_of_call(unsigned long number);
int coll_mtree_tags_control(mca_coll_mtree_module_t *module, int count);

/* The slot of a persistent request with @a count tags, for which there are some, its
 * first tag, and its end on this rank. */
int coll_mtree_tags_take_slot(mca_coll_mtree_module_t *module, int count);
int coll_mtree_tags_of_slot(mca_coll_mtree_module_t *module, int slot);
void coll_mtree_tags_release_slot(mca_coll_mtree_module_t *module, int slot);

#endif
