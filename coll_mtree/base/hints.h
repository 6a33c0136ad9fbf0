/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Hints: what a communicator's info keys ask for, in the place of the parameters of the
 * same names with coll_ before them.
 *
 *   mtree_algorithm  as coll_mtree_algorithm
 *   mtree_trees      as coll_mtree_trees
 *   mtree_chunk      as coll_mtree_chunk
 *
 * They are read at the communicator's first call and stay; all ranks must give the same.
 */
#ifndef COLL_MTREE_BASE_HINTS_H
#define COLL_MTREE_BASE_HINTS_H

#include "coll_mtree/coll_mtree.h"

/* With trees 0, no limit, there still must be tags enough. */
#define COLL_MTREE_MOST_TREES 64

/* The hints of @a comm, which @a module serves; the module's. */
const coll_mtree_hints_t *coll_mtree_hints_get(mca_coll_mtree_module_t *module,
                                               ompi_communicator_t *comm);

/* Most trees (of one root, for gathering collectives) that a plan on @a comm may have. */
int coll_mtree_hints_max_trees(mca_coll_mtree_module_t *module,
                               ompi_communicator_t *comm);

#endif
