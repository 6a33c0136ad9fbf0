/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/plan/rank_hosts.h"

#include "coll_mtree/base/log.h"
#include "coll_mtree/base/memory.h"
#include "coll_mtree/base/params.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

/* Once per job where the user named the map, which the job's hosts should be in. */
static int missing_level(void)
{
    static atomic_flag is_told = ATOMIC_FLAG_INIT;

    return coll_mtree_params_topology() == COLL_MTREE_TOPOLOGY_FILE &&
                   !atomic_flag_test_and_set(&is_told)
               ? 0
               : 1;
}

/* The host of rank @a first, and of @a missing ranks in all, is not in the topology. */
static void tell_missing(ompi_communicator_t *comm,
                         const coll_mtree_host_t *contributions, int first, int missing,
                         const char *origin, const mtree_topology_t *topology)
{
    const char *name = contributions[first].name;
    char others[64] = "";

    if (missing > 1) {
        (void)snprintf(others, sizeof(others), " (nor that of %d more ranks)",
                       missing - 1);
    }
    coll_mtree_verbose(
        comm, missing_level(),
        "not served, host %s of rank %d%s is not in topology %s; add it there, or give "
        "its node (the nearest name is %s) a host= attribute; the fallback serves",
        name, first, others, origin, mtree_topology_nearest_host(topology, name));
}

/* The names of the ranks' hosts there, @a names [ranks].  False, which is logged: one of
 * them is not in it. */
static bool find_names(ompi_communicator_t *comm, const coll_mtree_host_t *contributions,
                       const char *origin, const mtree_topology_t *topology,
                       const char **names)
{
    int first = -1, missing = 0;

    for (int rank = 0; rank < ompi_comm_size(comm); rank++) {
        int vertex = mtree_topology_find_host(topology, contributions[rank].name);

        if (vertex < 0) {
            first = missing++ == 0 ? rank : first;
        } else {
            names[rank] = topology->vertices[vertex].name;
        }
    }
    if (missing > 0) {
        tell_missing(comm, contributions, first, missing, origin, topology);
    }
    return missing == 0;
}

bool coll_mtree_rank_hosts_find(ompi_communicator_t *comm,
                                const coll_mtree_host_t *contributions,
                                const char *origin, coll_mtree_plan_hosts_t *hosts,
                                coll_mtree_host_numbers_t *numbers_p, int *vertices)
{
    const int num_ranks = ompi_comm_size(comm);
    const char **names = coll_mtree_calloc((size_t)num_ranks, sizeof(*names));
    bool done = find_names(comm, contributions, origin, hosts->topology, names);

    if (done) {
        coll_mtree_host_numbers_create(names, num_ranks, numbers_p);
    }
    for (int host = 0; done && host < numbers_p->num_hosts; host++) {
        vertices[host] = mtree_topology_find_host(
            hosts->topology, contributions[numbers_p->first[host]].name);
    }
    free(names);
    hosts->vertices = vertices;
    hosts->num_hosts = numbers_p->num_hosts;
    if (done && hosts->num_hosts < 2) {
        coll_mtree_verbose(
            comm, coll_mtree_unserved_level(comm),
            "not served, all its ranks run on host %s; the fallback serves",
            contributions[0].name);
        return false;
    }
    return done;
}
