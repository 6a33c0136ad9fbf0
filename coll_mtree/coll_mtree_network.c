#include "coll_mtree.h"

#include "planner/plan_json.h"
#include "planner/planner.h"
#include "topo/log.h"
#include "topo/topology_file.h"
#include "topo/units.h"

#include "ompi/proc/proc.h"
#include "opal/util/argv.h"

#include <stdlib.h>
#include <string.h>

#define HOST_NAME_LENGTH 256

/* A plan for one kind of call; NULL where none could be made. */
typedef struct planned {
    mtree_collective_t collective;
    int root_host;
    int size_class;
    mtree_plan_t *plan;
    struct planned *next;
} planned_t;

/*
 * What is known of the hosts that one ordered set of processes runs on.  All
 * communicators of that set share it: it is looked for by the same processes in the same
 * order, so it is there on all of them or on none.
 */
struct coll_mtree_network {
    int num_procs;
    ompi_proc_t **procs;
    mtree_placement_t *placement; /* NULL: mtree cannot serve these processes */
    mtree_topology_t *topology;   /* on rank 0 only */
    int *vertices;                /* on rank 0 only: [num_hosts] of the topology */
    planned_t *planned;
    coll_mtree_network_t *next;
};

static coll_mtree_network_t *networks;
static opal_mutex_t networks_lock = OPAL_MUTEX_STATIC_INIT;

static void network_destroy(coll_mtree_network_t *network)
{
    while (network->planned != NULL) {
        planned_t *planned = network->planned;

        network->planned = planned->next;
        mtree_plan_destroy(planned->plan);
        free(planned);
    }
    mtree_placement_destroy(network->placement);
    mtree_topology_destroy(network->topology);
    free(network->vertices);
    free(network->procs);
    free(network);
}

void coll_mtree_network_close(void)
{
    while (networks != NULL) {
        coll_mtree_network_t *network = networks;

        networks = network->next;
        network_destroy(network);
    }
}

static coll_mtree_network_t *network_find(ompi_communicator_t *comm)
{
    coll_mtree_network_t *network;

    OPAL_THREAD_LOCK(&networks_lock);
    for (network = networks; network != NULL; network = network->next) {
        int rank = 0;

        if (network->num_procs != ompi_comm_size(comm)) {
            continue;
        }
        while (rank < network->num_procs &&
               network->procs[rank] == ompi_comm_peer_lookup(comm, rank)) {
            rank++;
        }
        if (rank == network->num_procs) {
            break;
        }
    }
    OPAL_THREAD_UNLOCK(&networks_lock);
    return network;
}

/* The name of this process's host, or the one that a test gives it. */
static void own_host_name(char *name)
{
    const char *list = mca_coll_mtree_component.hosts;
    char **names;

    snprintf(name, HOST_NAME_LENGTH, "%s", coll_mtree_nodename());
    if (list == NULL) {
        return;
    }
    names = opal_argv_split(list, ',');
    if (ompi_comm_rank(&ompi_mpi_comm_world.comm) < opal_argv_count(names)) {
        snprintf(name, HOST_NAME_LENGTH, "%s",
                 names[ompi_comm_rank(&ompi_mpi_comm_world.comm)]);
    }
    opal_argv_free(names);
}

/*
 * On rank 0: number the hosts in the order in which the ranks name them.  Fills
 * host[rank] and the network's vertices; false, having said why, when a host is not in
 * the topology or there is only one.
 */
static bool network_map(coll_mtree_network_t *network, ompi_communicator_t *comm,
                        const char *names, int *host, int *num_hosts_p)
{
    int num_hosts = 0;

    for (int rank = 0; rank < network->num_procs; rank++) {
        const char *name = names + (size_t)rank * HOST_NAME_LENGTH;
        int vertex = mtree_topology_find_host(network->topology, name);
        int h = 0;

        if (vertex < 0) {
            coll_mtree_say(comm, 1,
                           "not served, host %s of rank %d is not in topology %s; add it "
                           "there, or give "
                           "its node a host= attribute; the fallback serves",
                           name, rank, mca_coll_mtree_component.topology);
            return false;
        }
        while (h < num_hosts && network->vertices[h] != vertex) {
            h++;
        }
        network->vertices[h] = vertex;
        num_hosts += h == num_hosts;
        host[rank] = h;
    }
    if (num_hosts < 2) {
        coll_mtree_say(comm, 1,
                       "not served, all its ranks run on host %s; the fallback serves",
                       names);
        return false;
    }
    *num_hosts_p = num_hosts;
    return true;
}

static int network_learn_on_root(coll_mtree_network_t *network, ompi_communicator_t *comm,
                                 const char *names, int *host)
{
    const char *path = mca_coll_mtree_component.topology;
    int num_hosts = 0;

    network->vertices = calloc((size_t)network->num_procs, sizeof(int));
    if (network->vertices == NULL ||
        mtree_topology_read(path, &network->topology) != MTREE_OK) {
        coll_mtree_say(
            comm, 1, "not served, topology %s cannot be used; the fallback serves", path);
        return 0;
    }
    if (!network_map(network, comm, names, host, &num_hosts)) {
        return 0;
    }
    coll_mtree_say(comm, 1, "topology %s: %d ranks on %d of its %d hosts, %d links", path,
                   network->num_procs, num_hosts,
                   mtree_topology_num_hosts(network->topology),
                   network->topology->num_links);
    return num_hosts;
}

/*
 * Gather the names of the hosts on rank 0, which alone reads the topology, and tell all
 * ranks who runs where.  Both messages go through the fallback, so that nothing of mtree
 * is needed yet.  @a numbers has room for a number of hosts and then one host a rank.
 */
static int network_exchange(mca_coll_mtree_module_t *module, ompi_communicator_t *comm,
                            coll_mtree_network_t *network, int *numbers)
{
    char name[HOST_NAME_LENGTH] = {0};
    char *names = NULL;
    int rc;

    own_host_name(name);
    if (ompi_comm_rank(comm) == 0) {
        names = malloc((size_t)network->num_procs * HOST_NAME_LENGTH);
        if (names == NULL) {
            return OMPI_ERR_OUT_OF_RESOURCE;
        }
    }
    rc = MTREE_FALLBACK(module, gather, name, HOST_NAME_LENGTH, MPI_CHAR, names,
                        HOST_NAME_LENGTH, MPI_CHAR, 0, comm);
    if (rc == OMPI_SUCCESS) {
        if (ompi_comm_rank(comm) == 0) {
            numbers[0] = network_learn_on_root(network, comm, names, numbers + 1);
        }
        rc = MTREE_FALLBACK(module, bcast, numbers, network->num_procs + 1, MPI_INT, 0,
                            comm);
    }
    free(names);
    return rc;
}

static coll_mtree_network_t *network_create(mca_coll_mtree_module_t *module,
                                            ompi_communicator_t *comm)
{
    int size = ompi_comm_size(comm);
    coll_mtree_network_t *network = calloc(1, sizeof(*network));
    int *numbers = calloc((size_t)size + 1, sizeof(int));

    if (network == NULL || numbers == NULL) {
        goto free_parts;
    }
    network->num_procs = size;
    network->procs = malloc((size_t)size * sizeof(*network->procs));
    if (network->procs == NULL) {
        goto free_parts;
    }
    for (int rank = 0; rank < size; rank++) {
        network->procs[rank] = ompi_comm_peer_lookup(comm, rank);
    }
    if (network_exchange(module, comm, network, numbers) != OMPI_SUCCESS) {
        free(network->procs);
        goto free_parts;
    }
    if (numbers[0] > 0 && mtree_placement_create(size, numbers[0], numbers + 1,
                                                 &network->placement) != MTREE_OK) {
        network->placement = NULL;
    }
    free(numbers);
    OPAL_THREAD_LOCK(&networks_lock);
    network->next = networks;
    networks = network;
    OPAL_THREAD_UNLOCK(&networks_lock);
    return network;

free_parts:
    free(network);
    free(numbers);
    return NULL;
}

bool coll_mtree_network_get(mca_coll_mtree_module_t *module, ompi_communicator_t *comm)
{
    if (module->network == NULL) {
        module->network = network_find(comm);
        if (module->network == NULL) {
            module->network = network_create(module, comm);
        }
    }
    return module->network != NULL && module->network->placement != NULL;
}

const mtree_placement_t *coll_mtree_network_placement(const coll_mtree_network_t *network)
{
    return network->placement;
}

static void say_plan(ompi_communicator_t *comm, const mtree_plan_t *plan, double bytes)
{
    char size[32], rate[32], bound[32];

    mtree_units_format_size(bytes, size, sizeof(size));
    mtree_units_format_rate(plan->throughput, rate, sizeof(rate));
    mtree_units_format_rate(plan->bound, bound, sizeof(bound));
    coll_mtree_say(comm, 1, "%s of about %s: mtree %s, %d trees, %s of at most %s%s%s",
                   mtree_collective_name(plan->collective), size, plan->algorithm,
                   plan->num_trees, rate, bound, plan->limit != NULL ? "; limit: " : "",
                   plan->limit != NULL ? plan->limit : "");
}

/* On rank 0: plan and write the plan down; NULL, the planner having said why, when it
 * cannot. */
static char *network_plan_on_root(const coll_mtree_network_t *network,
                                  ompi_communicator_t *comm, const mtree_call_t *call,
                                  int root_host)
{
    mtree_plan_request_t request = {.collective = call->collective,
                                    .root = root_host < 0 ? 0 : root_host,
                                    .max_trees = mca_coll_mtree_component.trees,
                                    .bytes =
                                        (double)call->units * (double)call->unit_bytes};
    mtree_plan_t *plan;
    char *text = NULL;

    if (mtree_planner_run(network->topology, network->vertices,
                          network->placement->num_hosts, &request, &plan) != MTREE_OK) {
        coll_mtree_say(comm, 1, "no plan for %s; the fallback serves",
                       mtree_collective_name(call->collective));
        return NULL;
    }
    say_plan(comm, plan, request.bytes);
    if (mtree_plan_to_json(plan, &text) != MTREE_OK) {
        text = NULL;
    }
    mtree_plan_destroy(plan);
    return text;
}

/* Rank 0 plans; everyone reads the same text.  A plan that one rank cannot read no rank
 * uses. */
static mtree_plan_t *network_plan_exchange(mca_coll_mtree_module_t *module,
                                           ompi_communicator_t *comm,
                                           const mtree_call_t *call, int root_host)
{
    mtree_plan_t *plan = NULL;
    char *text = NULL;
    int length = 0, good, all_good = 0;

    if (ompi_comm_rank(comm) == 0) {
        text = network_plan_on_root(module->network, comm, call, root_host);
        length = text == NULL ? 0 : (int)strlen(text);
    }
    if (MTREE_FALLBACK(module, bcast, &length, 1, MPI_INT, 0, comm) != OMPI_SUCCESS ||
        length == 0) {
        return NULL;
    }
    if (text == NULL) {
        text = malloc((size_t)length);
    }
    /* Out of memory: this rank still takes part in the messages that the others wait for.
     */
    good = text != NULL;
    if (MTREE_FALLBACK(module, allreduce, &good, &all_good, 1, MPI_INT, MPI_MIN, comm) ==
            OMPI_SUCCESS &&
        all_good &&
        MTREE_FALLBACK(module, bcast, text, length, MPI_CHAR, 0, comm) == OMPI_SUCCESS) {
        good = mtree_plan_from_json(text, (size_t)length, "plan of rank 0", &plan) ==
               MTREE_OK;
        if (MTREE_FALLBACK(module, allreduce, &good, &all_good, 1, MPI_INT, MPI_MIN,
                           comm) != OMPI_SUCCESS ||
            !all_good) {
            mtree_plan_destroy(plan);
            plan = NULL;
        }
    }
    free(text);
    return plan;
}

const mtree_plan_t *coll_mtree_network_plan(mca_coll_mtree_module_t *module,
                                            ompi_communicator_t *comm,
                                            const mtree_call_t *call)
{
    coll_mtree_network_t *network = module->network;
    size_t bytes = call->units * call->unit_bytes;
    bool rooted = call->collective == MTREE_BCAST || call->collective == MTREE_REDUCE;
    int root_host = rooted ? network->placement->host[call->root] : -1;
    int class = 0;
    planned_t *planned;

    while (bytes >>= 1) {
        class ++;
    }
    OPAL_THREAD_LOCK(&networks_lock);
    for (planned = network->planned; planned != NULL; planned = planned->next) {
        if (planned->collective == call->collective && planned->root_host == root_host &&
            planned->size_class == class) {
            break;
        }
    }
    OPAL_THREAD_UNLOCK(&networks_lock);
    if (planned != NULL) {
        return planned->plan;
    }
    planned = calloc(1, sizeof(*planned));
    if (planned == NULL) {
        return NULL;
    }
    planned->collective = call->collective;
    planned->root_host = root_host;
    planned->size_class = class;
    planned->plan = network_plan_exchange(module, comm, call, root_host);
    OPAL_THREAD_LOCK(&networks_lock);
    planned->next = network->planned;
    network->planned = planned;
    OPAL_THREAD_UNLOCK(&networks_lock);
    return planned->plan;
}
