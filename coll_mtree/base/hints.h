/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Hints: a communicator's info keys, which replace the parameters of the same names with
 * coll_ before them.
 *
 *   mtree_algorithm  as coll_mtree_algorithm
 *   mtree_trees      as coll_mtree_trees
 *   mtree_chunk      as coll_mtree_chunk
 *
 * They are read once, at the communicator's first call.  All ranks should give the same:
 * what rank 0 gives holds on all, and it logs who differs
 * (coll_mtree/call/plan_exchange.c).
 */
#ifndef COLL_MTREE_BASE_HINTS_H
#define COLL_MTREE_BASE_HINTS_H

#include "coll_mtree/coll_mtree.h"

/* The hints of @a comm, which @a module serves; the module's. */
const coll_mtree_hints_t *coll_mtree_hints_get(mca_coll_mtree_module_t *module,
                                               ompi_communicator_t *comm);

/* Trees (per root, where each rank has a block) that a plan on @a comm may have at most.
 */
int coll_mtree_hints_max_trees(mca_coll_mtree_module_t *module,
                               ompi_communicator_t *comm);

#endif
