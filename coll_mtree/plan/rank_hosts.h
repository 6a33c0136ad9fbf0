/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The hosts of a communicator's ranks in a topology.
 */
#ifndef COLL_MTREE_PLAN_RANK_HOSTS_H
#define COLL_MTREE_PLAN_RANK_HOSTS_H

#include "coll_mtree/coll_mtree.h"
#include "coll_mtree/control/host.h"
#include "coll_mtree/control/host_numbers.h"
#include "coll_mtree/plan/plan_choice.h"

/*
 * Number the hosts of the ranks of @a comm, which @a contributions [ranks] name, and find
 * them in hosts->topology, whose name in messages is @a origin: *numbers_p is set, to be
 * cleaned up in any case, @a vertices [ranks], the caller's, and the rest of @a hosts,
 * which points to them.  False, which is logged, when mtree cannot serve: a host is not
 * in the topology, or there is just one.
 */
bool coll_mtree_rank_hosts_find(ompi_communicator_t *comm,
                                const coll_mtree_host_t *contributions,
                                const char *origin, coll_mtree_plan_hosts_t *hosts,
                                coll_mtree_host_numbers_t *numbers_p, int *vertices);

#endif
