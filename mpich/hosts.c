/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpich/hosts.h"

#include "mpich/require.h"

#include "base/log.h"
#include "coll_mtree/control/seat.h"
#include "topo/dot/read.h"

#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>

/* What rank 0 is told of each rank. */
typedef struct {
    char host[MPI_MAX_PROCESSOR_NAME];
    int has_threads; /* several threads call MPI */
} rank_info_t;

/* Of MTREE_TOPOLOGY, once it is read, until the end of the process; NULL: it cannot be
 * used. */
static mtree_topology_t *topology;

static bool topology_open(void)
{
    const char *path = getenv("MTREE_TOPOLOGY");
    static bool is_read;

    if (!is_read) {
        is_read = true;
        if (path == NULL || path[0] == '\0') {
            mtree_error("MTREE_TOPOLOGY names no topology file, MPICH serves; "
                        "give it to mpiexec by -genv MTREE_TOPOLOGY FILE");
        } else if (mtree_topology_read(path, &topology) != MTREE_OK) {
            topology = NULL;
        }
    }
    return topology != NULL;
}

static void describe(rank_info_t *info)
{
    int world_rank, length, threads;
    size_t name_length;
    const char *name;

    mtree_mpich_must(PMPI_Get_processor_name(info->host, &length));
    mtree_mpich_must(PMPI_Comm_rank(MPI_COMM_WORLD, &world_rank));
    name = coll_mtree_seat_host(getenv("MTREE_HOSTS"), world_rank, &name_length);
    if (name != NULL) {
        snprintf(info->host, sizeof(info->host), "%.*s", (int)name_length, name);
    }
    mtree_mpich_must(PMPI_Query_thread(&threads));
    info->has_threads = threads == MPI_THREAD_MULTIPLE;
}

/* The number of the host of @a vertex among the @a num_hosts that are known. */
static int host_number(const int *vertices, int num_hosts, int vertex)
{
    int host = 0;

    while (host < num_hosts && vertices[host] != vertex) {
        host++;
    }
    return host;
}

/* Rank 0: as mtree_mpich_hosts_find(). */
static int number_hosts(const rank_info_t *infos, int num_ranks, int *host, int *vertices)
{
    int num_hosts = 0;

    for (int rank = 0; rank < num_ranks; rank++) {
        if (infos[rank].has_threads) {
            mtree_info("MPI_THREAD_MULTIPLE: MPICH serves");
            return 0;
        }
    }
    if (!topology_open()) {
        return 0;
    }
    for (int rank = 0; rank < num_ranks; rank++) {
        const int vertex = mtree_topology_find_host(topology, infos[rank].host);

        if (vertex < 0) {
            mtree_error("host %s of rank %d is not in MTREE_TOPOLOGY, MPICH serves; add "
                        "it there, or give its node (the nearest name is %s) a host= "
                        "attribute",
                        infos[rank].host, rank,
                        mtree_topology_nearest_host(topology, infos[rank].host));
            return 0;
        }
        host[rank] = host_number(vertices, num_hosts, vertex);
        vertices[host[rank]] = vertex;
        num_hosts += host[rank] == num_hosts;
    }
    return num_hosts;
}

int mtree_mpich_hosts_find(MPI_Comm comm, int *host, int *vertices)
{
    rank_info_t info = {{0}, 0};
    rank_info_t *infos = NULL;
    int rank, num_ranks, num_hosts = 0;

    mtree_mpich_must(PMPI_Comm_rank(comm, &rank));
    mtree_mpich_must(PMPI_Comm_size(comm, &num_ranks));
    describe(&info);
    if (rank == 0) {
        infos = mtree_calloc((size_t)num_ranks, sizeof(*infos));
    }
    mtree_mpich_must(PMPI_Gather(&info, sizeof(info), MPI_BYTE, infos, sizeof(info),
                                 MPI_BYTE, 0, comm));
    if (rank == 0) {
        num_hosts = number_hosts(infos, num_ranks, host, vertices);
    }
    free(infos);
    mtree_mpich_must(PMPI_Bcast(&num_hosts, 1, MPI_INT, 0, comm));
    mtree_mpich_must(PMPI_Bcast(host, num_ranks, MPI_INT, 0, comm));
    return num_hosts;
}

const mtree_topology_t *mtree_mpich_hosts_topology(void)
{
    return topology;
}
