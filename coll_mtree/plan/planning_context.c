#include "coll_mtree/plan/planning_context.h"

#include "coll_mtree/base/algorithm_param.h"
#include "coll_mtree/topology/user_files.h"
#include "coll_mtree/topology/registry.h"
#include "coll_mtree/plan/planning.h"
#include "coll_mtree/topology/source.h"

#include "base/units.h"

#include "ompi/proc/proc.h"

#include <stdlib.h>
#include <string.h>

/* A plan for one kind of call; NULL where none could be made. */
typedef struct planned {
    coll_mtree_call_class_t kind; /* root: a host */
    unsigned version;             /* of the network; older ones are not used any more */
    char *text;
    mtree_forecast_t forecast;
    struct planned *next;
} planned_t;

struct coll_mtree_planning_context {
    int num_procs;
    ompi_proc_t **procs;              /* [num_procs] */
    int *host;                        /* [num_procs] */
    const mtree_topology_t *topology; /* NULL: mtree cannot serve these processes */
    const char *origin;               /* the topology's name in messages */
    int num_hosts;
    int *vertices; /* [num_hosts] of the topology */
    planned_t *planned;
    mtree_drift_t *drift;       /* has the topology, once it was heard of; or NULL */
    unsigned version;           /* of the topology */
    unsigned trees;             /* the version since which the trees are the same */
    mtree_path_sample_t *paces; /* [num_paces] of the last hearing; or NULL */
    int num_paces;
    coll_mtree_planning_context_t *next;
};

/* One thread at a time learns and plans; the solver is not made for more. */
static coll_mtree_planning_context_t *networks;
static opal_mutex_t networks_lock = OPAL_MUTEX_STATIC_INIT;

static void network_destroy(coll_mtree_planning_context_t *network)
{
    while (network->planned != NULL) {
        planned_t *planned = network->planned;

        network->planned = planned->next;
        free(planned->text);
        free(planned);
    }
    mtree_drift_destroy(network->drift);
    free(network->paces);
    free(network->vertices);
    free(network->host);
    free(network->procs);
    free(network);
}

void coll_mtree_planning_context_close(void)
{
    while (networks != NULL) {
        coll_mtree_planning_context_t *network = networks;

        networks = network->next;
        network_destroy(network);
    }
    coll_mtree_user_files_close();
    coll_mtree_topology_registry_close();
}

static coll_mtree_planning_context_t *network_find(ompi_communicator_t *comm)
{
    coll_mtree_planning_context_t *network;

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
    return network;
}

/*
 * Number the hosts in the order in which the ranks name them.  False, having said why,
 * when a host is not in the topology or there is only one.
 */
static bool network_map(coll_mtree_planning_context_t *network, ompi_communicator_t *comm,
                        const coll_mtree_host_t *said)
{
    int num_hosts = 0;

    for (int rank = 0; rank < network->num_procs; rank++) {
        const char *name = said[rank].name;
        int vertex = mtree_topology_find_host(network->topology, name);
        int h = 0;

        if (vertex < 0) {
            coll_mtree_verbose(
                comm, 1,
                "not served, host %s of rank %d is not in topology %s; add it "
                "there, or give its node a host= attribute; the fallback "
                "serves",
                name, rank, network->origin);
            return false;
        }
        while (h < num_hosts && network->vertices[h] != vertex) {
            h++;
        }
        network->vertices[h] = vertex;
        num_hosts += h == num_hosts;
        network->host[rank] = h;
    }
    if (num_hosts < 2) {
        coll_mtree_verbose(
            comm, 1, "not served, all its ranks run on host %s; the fallback serves",
            said[0].name);
        return false;
    }
    network->num_hosts = num_hosts;
    return true;
}

/* Leaves the topology NULL, having said why, when mtree cannot serve. */
static void network_read(coll_mtree_planning_context_t *network,
                         ompi_communicator_t *comm, const coll_mtree_host_t *said)
{
    if (!coll_mtree_algorithm_check()) {
        return;
    }
    network->topology =
        coll_mtree_source_topology(said, network->num_procs, &network->origin);
    if (network->topology == NULL || !network_map(network, comm, said)) {
        network->topology = NULL;
        return;
    }
}

static coll_mtree_planning_context_t *network_create(ompi_communicator_t *comm,
                                                     const coll_mtree_host_t *said)
{
    size_t procs = (size_t)ompi_comm_size(comm);
    coll_mtree_planning_context_t *network = calloc(1, sizeof(*network));

    if (network == NULL) {
        return NULL;
    }
    network->num_procs = (int)procs;
    network->procs = malloc(procs * sizeof(*network->procs));
    network->host = calloc(procs, sizeof(int));
    network->vertices = calloc(procs, sizeof(int));
    if (network->procs == NULL || network->host == NULL || network->vertices == NULL) {
        network_destroy(network);
        return NULL;
    }
    for (int rank = 0; rank < network->num_procs; rank++) {
        network->procs[rank] = ompi_comm_peer_lookup(comm, rank);
    }
    network_read(network, comm, said);
    network->next = networks;
    networks = network;
    return network;
}

coll_mtree_planning_context_t *
coll_mtree_planning_context_learn(ompi_communicator_t *comm,
                                  const coll_mtree_host_t *said)
{
    coll_mtree_planning_context_t *network;

    opal_mutex_lock(&networks_lock);
    network = network_find(comm);
    if (network == NULL) {
        network = network_create(comm, said);
    }
    opal_mutex_unlock(&networks_lock);
    return network != NULL && network->topology != NULL ? network : NULL;
}

const mtree_topology_t *
coll_mtree_planning_context_topology(const coll_mtree_planning_context_t *network,
                                     const int **vertices_p, const char **origin_p)
{
    *vertices_p = network->vertices;
    *origin_p = network->origin;
    return network->topology;
}

int coll_mtree_planning_context_num_hosts(const coll_mtree_planning_context_t *network)
{
    return network->num_hosts;
}

const int *coll_mtree_planning_context_hosts(const coll_mtree_planning_context_t *network)
{
    return network->host;
}

static planned_t *network_find_planned(const coll_mtree_planning_context_t *network,
                                       const coll_mtree_call_class_t *kind)
{
    planned_t *planned = network->planned;

    while (planned != NULL && (planned->version != network->version ||
                               !coll_mtree_call_class_equals(&planned->kind, kind))) {
        planned = planned->next;
    }
    return planned;
}

/* The text of the plan for calls of @a kind whose trees are to stay; NULL: there is none.
 * It is the oldest one, for later ones may have lost trees that are of use again. */
static const char *network_older_text(const coll_mtree_planning_context_t *network,
                                      const coll_mtree_call_class_t *kind)
{
    const char *text = NULL;

    for (const planned_t *planned = network->planned;
         planned != NULL && planned->version >= network->trees; planned = planned->next) {
        if (planned->text != NULL && coll_mtree_call_class_equals(&planned->kind, kind)) {
            text = planned->text;
        }
    }
    return text;
}

/* @a kind with a host as its root. */
static coll_mtree_call_class_t kind_by_host(const coll_mtree_planning_context_t *network,
                                            const coll_mtree_call_class_t *kind)
{
    coll_mtree_call_class_t by_host = *kind;

    if (kind->root >= 0) {
        by_host.root = network->host[kind->root];
    }
    return by_host;
}

const char *coll_mtree_planning_context_plan(coll_mtree_planning_context_t *network,
                                             ompi_communicator_t *comm,
                                             const coll_mtree_call_class_t *kind,
                                             int max_trees, mtree_forecast_t *forecast_p)
{
    coll_mtree_call_class_t by_host = kind_by_host(network, kind);
    planned_t *planned;

    opal_mutex_lock(&networks_lock);
    planned = network_find_planned(network, &by_host);
    if (planned == NULL) {
        planned = calloc(1, sizeof(*planned));
        if (planned != NULL) {
            planned->kind = by_host;
            planned->version = network->version;
            planned->text = coll_mtree_planning_run(
                comm, network->topology, network->vertices, network->num_hosts, &by_host,
                max_trees, network_older_text(network, &by_host), &planned->forecast);
            planned->next = network->planned;
            network->planned = planned;
        }
    }
    opal_mutex_unlock(&networks_lock);
    *forecast_p =
        planned == NULL ? mtree_forecast_of(MTREE_FORECAST_SLOWER) : planned->forecast;
    return planned == NULL ? NULL : planned->text;
}

void coll_mtree_planning_context_log(const coll_mtree_planning_context_t *network,
                                     ompi_communicator_t *comm, const mtree_plan_t *plan,
                                     mtree_forecast_t forecast)
{
    char rate[COLL_MTREE_RATE_TEXT], share[16] = "";
    char what[200] = "no plan, the fallback serves";

    if (plan != NULL) {
        coll_mtree_planning_format_rate(plan, rate);
        if (plan->bound > 0) {
            (void)snprintf(share, sizeof(share), " (%.0f %%)",
                           100 * plan->throughput / plan->bound);
        }
        (void)snprintf(what, sizeof(what), "%s by %s, %d trees, %s%s%s",
                       mtree_collective_name(plan->collective), plan->algorithm,
                       plan->num_trees, rate, share,
                       forecast.odds >= MTREE_FORECAST_MAYBE_SLOWER
                           ? "; the fallback is expected to be faster"
                           : "");
    }
    coll_mtree_verbose(
        comm, 1, "topology %s: %d ranks on %d of its %d hosts, %d links; %s",
        network->origin, network->num_procs, network->num_hosts,
        mtree_topology_num_hosts(network->topology), network->topology->num_links, what);
}

unsigned coll_mtree_planning_context_version(const coll_mtree_planning_context_t *network)
{
    return network->version;
}

coll_mtree_change_t
coll_mtree_planning_context_change(const coll_mtree_planning_context_t *network,
                                   unsigned version)
{
    return version == network->version ? COLL_MTREE_STAY
           : version >= network->trees ? COLL_MTREE_REBALANCE
                                       : COLL_MTREE_REPLAN;
}

/* The network has changed, by @a little or much: is it worth other plans, or other shares
 * of their trees? */
static void network_renew(coll_mtree_planning_context_t *network,
                          ompi_communicator_t *comm, const coll_mtree_call_class_t *kind,
                          int max_trees, const mtree_plan_t *plan, bool little)
{
    coll_mtree_call_class_t by_host = kind_by_host(network, kind);
    const char *news = mtree_drift_news(network->drift);
    double gain;
    coll_mtree_change_t change = coll_mtree_planning_change(
        network->topology, network->vertices, network->num_hosts, &by_host, max_trees,
        plan, little, &gain);

    if (change == COLL_MTREE_STAY) {
        coll_mtree_verbose(comm, 2,
                           "%s; the plans stay, others would be %.2f times as fast", news,
                           gain);
        return;
    }
    network->version++;
    if (change == COLL_MTREE_REPLAN) {
        network->trees = network->version;
    }
    coll_mtree_verbose(comm, 1, "%s; %s, %.2f times as fast", news,
                       change == COLL_MTREE_REPLAN ? "planned anew"
                                                   : "the same trees with other shares",
                       gain);
}

/* Keep what was heard, for who wants to look at it. */
static void network_keep(coll_mtree_planning_context_t *network,
                         const mtree_path_sample_t *paces, int num_paces)
{
    mtree_path_sample_t *kept =
        realloc(network->paces, (size_t)num_paces * sizeof(*network->paces));

    if (kept != NULL) {
        memcpy(kept, paces, (size_t)num_paces * sizeof(*kept));
        network->paces = kept;
        network->num_paces = num_paces;
    }
}

mtree_path_sample_t *
coll_mtree_planning_context_path_samples(const coll_mtree_planning_context_t *network,
                                         int *num_p)
{
    mtree_path_sample_t *copy = NULL;

    *num_p = 0;
    opal_mutex_lock(&networks_lock);
    if (network->num_paces > 0) {
        copy = malloc((size_t)network->num_paces * sizeof(*copy));
    }
    if (copy != NULL) {
        *num_p = network->num_paces;
        memcpy(copy, network->paces, (size_t)*num_p * sizeof(*copy));
    }
    opal_mutex_unlock(&networks_lock);
    return copy;
}

unsigned coll_mtree_planning_context_update(coll_mtree_planning_context_t *network,
                                            ompi_communicator_t *comm,
                                            const coll_mtree_call_class_t *kind,
                                            int max_trees, const mtree_plan_t *plan,
                                            const mtree_path_sample_t *paces,
                                            int num_paces)
{
    /* A plan of the user's is not to be changed. */
    const char *saved = mca_coll_mtree_component.plan;
    mtree_drift_change_t change = MTREE_DRIFT_NOTHING;

    opal_mutex_lock(&networks_lock);
    network_keep(network, paces, num_paces);
    if (network->drift == NULL &&
        mtree_drift_create(network->topology, network->vertices, network->num_hosts,
                           &network->drift) == MTREE_OK) {
        network->topology = mtree_drift_topology(network->drift);
    }
    if (network->drift != NULL && (saved == NULL || saved[0] == '\0')) {
        change = mtree_drift_update(network->drift, paces, num_paces);
    }
    if (change != MTREE_DRIFT_NOTHING) {
        network_renew(network, comm, kind, max_trees, plan, change == MTREE_DRIFT_LITTLE);
    }
    opal_mutex_unlock(&networks_lock);
    return network->version;
}
