/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Base algorithms: algorithms of Open MPI (ompi/mca/coll/base) that the autotuner may try
 * besides the default one.  They are correct wherever the default one is: where counts
 * and datatypes may differ between ranks, none of them cuts messages by count.
 */
#ifndef COLL_MTREE_SELECT_BASE_ALGORITHMS_H
#define COLL_MTREE_SELECT_BASE_ALGORITHMS_H

#include "coll_mtree/coll_mtree.h"
#include "simulate/forecast/forecast.h"

/* Make a call by algorithm number @a base_algorithm (simulate/forecast/forecast.h), or by
 * the fallback of @a module when it is 0 or this function has no such algorithm. */
#define MTREE_DECLARE_BASE_ALGORITHM(_name)                                              \
    int coll_mtree_base_algorithm_##_name(int base_algorithm, MTREE_PARAMETERS_##_name,  \
                                          mca_coll_mtree_module_t *module);
MTREE_FOR_EACH_INTERFACE(MTREE_DECLARE_BASE_ALGORITHM)

#endif
