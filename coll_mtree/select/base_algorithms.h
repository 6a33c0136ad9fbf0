/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calling rivals: algorithms of Open MPI (ompi/mca/coll/base) that the guard tries
 * besides the one that Open MPI takes by default.  Only such as are right wherever that
 * one is: where counts and datatypes may differ between ranks, none that cuts messages by
 * count.
 */
#ifndef COLL_MTREE_SELECT_BASE_ALGORITHMS_H
#define COLL_MTREE_SELECT_BASE_ALGORITHMS_H

#include "coll_mtree/coll_mtree.h"
#include "simulate/forecast/forecast.h"

/* Have @a base_algorithm (mtree_base_algorithm_name()) make a call, or, when it is 0 or
 * this function has no such algorithm, the fallback of @a module. */
#define MTREE_DECLARE_BASE_ALGORITHM(_name)                                              \
    int coll_mtree_base_algorithm_##_name(int base_algorithm, MTREE_PARAMETERS_##_name,  \
                                          mca_coll_mtree_module_t *module);
MTREE_FOR_EACH_INTERFACE(MTREE_DECLARE_BASE_ALGORITHM)

#endif
