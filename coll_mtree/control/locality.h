/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The locality of this process, from the topology of the machine that Open MPI has, or
 * otherwise from hwloc itself.
 */
#ifndef COLL_MTREE_CONTROL_LOCALITY_H
#define COLL_MTREE_CONTROL_LOCALITY_H

#include "coll_mtree/coll_mtree.h"

/*
 * Where this process is bound, and how near that is to the interfaces that Open MPI sends
 * through; found at the first call.  Unknown for a process that is alone on its host,
 * where it would make no difference.
 */
mtree_locality_t coll_mtree_locality_own(void);

/* Log where the ranks of a host are, for the first host on which they differ. */
void coll_mtree_locality_log(ompi_communicator_t *comm,
                             const mtree_placement_t *placement);

#endif
