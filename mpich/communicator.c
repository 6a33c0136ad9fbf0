/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpich/communicator.h"

#include "base/log.h"
#include "base/memory.h"
#include "base/units.h"
#include "coll_mtree/control/local_rank.h"
#include "planner/plan/json.h"
#include "simulate/forecast/choice.h"
#include "topo/dot/read.h"

#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The plan for calls of one class, whose root is a host. */
typedef struct {
    coll_mtree_class_node_t node;
    bool is_made;
    mtree_plan_part_t *part; /* NULL: there is none */
} plan_entry_t;

/* Under which communicators keep their mtree_mpich_communicator_t. */
static int attribute_key = MPI_KEYVAL_INVALID;
static pthread_once_t attribute_once = PTHREAD_ONCE_INIT;

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
    name = coll_mtree_listed_host(getenv("MTREE_HOSTS"), world_rank, &name_length);
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

/* Rank 0: as find_hosts(). */
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

/*
 * The number of hosts of @a comm, and of each rank's host from 0 on in @a host [ranks].
 * On rank 0, also their vertices in @a vertices, which has room for as many as there are
 * ranks.  Less than two: MPICH serves the communicator; rank 0 has logged why, where that
 * is a mistake.  Collective.
 */
static int find_hosts(MPI_Comm comm, int *host, int *vertices)
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

static mtree_mpich_communicator_t *communicator_create(MPI_Comm comm)
{
    mtree_mpich_communicator_t *own = mtree_calloc(1, sizeof(*own));
    int num_hosts, *host;

    mtree_mpich_must(PMPI_Comm_rank(comm, &own->rank));
    mtree_mpich_must(PMPI_Comm_size(comm, &own->num_ranks));
    own->comm = MPI_COMM_NULL;
    coll_mtree_class_table_init(&own->plans);
    host = mtree_calloc((size_t)own->num_ranks, sizeof(*host));
    own->vertices = mtree_calloc((size_t)own->num_ranks, sizeof(*own->vertices));
    num_hosts = find_hosts(comm, host, own->vertices);
    if (num_hosts > 1) {
        mtree_require(mtree_placement_create(own->num_ranks, num_hosts, host, NULL,
                                             &own->placement));
        /* Unlike a duplicate it calls no function of the user's attributes. */
        mtree_mpich_must(PMPI_Comm_split(comm, 0, own->rank, &own->comm));
        mtree_mpich_must(PMPI_Comm_set_errhandler(own->comm, MPI_ERRORS_ARE_FATAL));
    }
    mtree_mpich_transport_init(&own->transport, own->comm);
    free(host);
    return own;
}

static void entry_clear(void *entry)
{
    mtree_plan_part_destroy(((plan_entry_t *)entry)->part);
}

/* The communicator that has it is freed. */
static int communicator_destroy(MPI_Comm comm, int key, void *value, void *extra)
{
    mtree_mpich_communicator_t *own = value;

    (void)comm;
    (void)key;
    (void)extra;
    coll_mtree_class_table_cleanup(&own->plans, entry_clear);
    mtree_mpich_transport_cleanup(&own->transport);
    mtree_placement_destroy(own->placement);
    free(own->vertices);
    if (own->comm != MPI_COMM_NULL) {
        PMPI_Comm_free(&own->comm);
    }
    free(own);
    return MPI_SUCCESS;
}

static void attribute_open(void)
{
    mtree_mpich_must(PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, communicator_destroy,
                                             &attribute_key, NULL));
    if (getenv("MTREE_VERBOSE") != NULL) {
        mtree_log_set(NULL, NULL, MTREE_LOG_INFO);
    }
}

mtree_mpich_communicator_t *mtree_mpich_communicator_find(MPI_Comm comm)
{
    mtree_mpich_communicator_t *own;
    int is_inter, is_found;

    if (PMPI_Comm_test_inter(comm, &is_inter) != MPI_SUCCESS || is_inter) {
        return NULL;
    }
    pthread_once(&attribute_once, attribute_open);
    mtree_mpich_must(PMPI_Comm_get_attr(comm, attribute_key, &own, &is_found));
    if (!is_found) {
        own = communicator_create(comm);
        mtree_mpich_must(PMPI_Comm_set_attr(comm, attribute_key, own));
    }
    return own->comm == MPI_COMM_NULL ? NULL : own;
}

/* Rank 0: a plan for calls like @a call; NULL, having logged why, when there is none. */
static mtree_plan_t *make_plan(const mtree_mpich_communicator_t *own,
                               const mtree_call_t *call)
{
    const mtree_plan_request_t request = {.collective = call->collective,
                                          .root = own->placement->host[call->root],
                                          .bytes =
                                              (double)(call->units * call->unit_bytes)};
    char size[MTREE_UNITS_LENGTH];
    mtree_plan_t *plan;

    if (mtree_choice_plan(topology, own->vertices, own->placement->num_hosts, &request,
                          &plan, NULL) != MTREE_OK) {
        return NULL;
    }
    mtree_info("%s of about %s on %d ranks: %d tree%s over %d hosts",
               mtree_collective_name(call->collective),
               mtree_units_format_size(request.bytes, size, sizeof(size)), own->num_ranks,
               plan->num_trees, MTREE_UNITS_PLURAL(plan->num_trees), plan->num_hosts);
    return plan;
}

/* This rank's part, the caller's, of the @a plan that rank 0 gives; NULL: it gives none.
 * All ranks read the whole plan.  Collective. */
static mtree_plan_part_t *share_plan(const mtree_mpich_communicator_t *own,
                                     const mtree_plan_t *plan)
{
    char *text = NULL;
    int bytes = 0;
    mtree_plan_t *read;
    mtree_plan_part_t *part;

    /* Where it cannot be written, as was logged, there is none. */
    if (plan != NULL && mtree_plan_to_json(plan, &text) == MTREE_OK &&
        strlen(text) <= INT_MAX) {
        bytes = (int)strlen(text);
    }
    PMPI_Bcast(&bytes, 1, MPI_INT, 0, own->comm);
    if (bytes == 0) {
        free(text);
        return NULL;
    }
    text = own->rank == 0 ? text : mtree_malloc((size_t)bytes);
    PMPI_Bcast(text, bytes, MPI_CHAR, 0, own->comm);
    mtree_require(mtree_plan_from_json(text, (size_t)bytes, "rank 0's plan", &read));
    part = mtree_plan_part_create(read, own->placement->host[own->rank]);
    mtree_plan_destroy(read);
    free(text);
    return part;
}

const mtree_plan_part_t *mtree_mpich_communicator_part(mtree_mpich_communicator_t *own,
                                                       const mtree_call_t *call)
{
    const coll_mtree_call_class_t call_class =
        coll_mtree_call_class_of(call->collective, own->placement->host[call->root],
                                 call->units * call->unit_bytes);
    plan_entry_t *entry =
        coll_mtree_class_table_get(&own->plans, &call_class, sizeof(*entry));

    if (!entry->is_made) {
        mtree_plan_t *plan = own->rank == 0 ? make_plan(own, call) : NULL;

        entry->is_made = true;
        entry->part = share_plan(own, plan);
        mtree_plan_destroy(plan);
    }
    return entry->part;
}
