/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPI_T's performance variables: this process's totals (coll_mtree/report/statistics.h),
 * each with a name of its own that begins with coll_mtree_.
 */
#ifndef COLL_MTREE_REPORT_PVARS_H
#define COLL_MTREE_REPORT_PVARS_H

#include "coll_mtree/coll_mtree.h"

/* Register them; what fails is not there, as MPI_T tools expect. */
void coll_mtree_pvars_register(const mca_base_component_t *component);

#endif
