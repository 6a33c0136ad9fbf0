/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/plan/rank_hosts.h"

#include "coll_mtree/base/log.h"

#include <stdlib.h>

/* The names of the ranks' hosts there, @a names [ranks].  False, which is logged: one of
 * them is not in it. */
static bool find_names(ompi_communicator_t *comm, const coll_mtree_host_t *contributions,
                       const char *origin, const mtree_topology_t *topology,
                       const char **names)
{
    for (int rank = 0; rank < ompi_comm_size(comm); rank++) {
        const char *name = contributions[rank].name;
        int vertex = mtree_topology_find_host(topology, name);

        if (vertex < 0) {
            coll_mtree_verbose(
                comm, 1,
                "not served, host %s of rank %d is not in topology %s; add it "
                "there, or give its node a host= attribute; the fallback "
                "serves",
                name, rank, origin);
            return false;
        }
        names[rank] = topology->vertices[vertex].name;
    }
    return true;
}

bool coll_mtree_rank_hosts_find(ompi_communicator_t *comm,
                                const coll_mtree_host_t *contributions,
                                const char *origin, coll_mtree_plan_hosts_t *hosts,
                                coll_mtree_host_numbers_t *numbers_p, int *vertices)
{
    const int num_ranks = ompi_comm_size(comm);
    const char **names = calloc((size_t)num_ranks, sizeof(*names));
    bool done = names != NULL &&
                find_names(comm, contributions, origin, hosts->topology, names) &&
                coll_mtree_host_numbers_create(names, num_ranks, numbers_p) == MTREE_OK;

    for (int host = 0; done && host < numbers_p->num_hosts; host++) {
        vertices[host] = mtree_topology_find_host(
            hosts->topology, contributions[numbers_p->first[host]].name);
    }
    free(names);
    hosts->vertices = vertices;
    hosts->num_hosts = numbers_p->num_hosts;
    if (done && hosts->num_hosts < 2) {
        coll_mtree_verbose(
            comm, 1, "not served, all its ranks run on host %s; the fallback serves",
            contributions[0].name);
        return false;
    }
    return done;
}
