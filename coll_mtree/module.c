/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/call/plan_entry.h"
#include "coll_mtree/call/plan_sequence.h"
#include "coll_mtree/control/btl_network.h"
#include "coll_mtree/control/modex.h"
#include "coll_mtree/plan/proc_group.h"
#include "coll_mtree/relay/relays.h"
#include "coll_mtree/relay/world.h"
#include "coll_mtree/report/report.h"
#include "coll_mtree/report/trace.h"
#include "coll_mtree/tcp/endpoints.h"
#include "coll_mtree/tcp/transport.h"
#include "coll_mtree/topology/source.h"
#include "coll_mtree/transport/transport.h"

#include "coll_mtree/base/log.h"
#include "coll_mtree/base/params.h"
#include "coll_mtree/base/tags.h"
#include "ompi/proc/proc.h"
#include "tcp/tls.h"

#include "base/memory.h"

#include <limits.h>

static void module_construct(mca_coll_mtree_module_t *module)
{
    memset((char *)module + sizeof(module->super), 0,
           sizeof(*module) - sizeof(module->super));
    OBJ_CONSTRUCT(&module->lock, opal_mutex_t);
    coll_mtree_class_table_init(&module->classes);
    coll_mtree_call_window_init(&module->calls);
    coll_mtree_tag_range_init(&module->tags, coll_mtree_tags_limit());
    atomic_init(&module->version, UINT_MAX);
}

#define RELEASE_FALLBACK(_name)                                                          \
    if (module->enabled) {                                                               \
        OBJ_RELEASE(module->fallback.coll_##_name##_module);                             \
    }

static void module_destruct(mca_coll_mtree_module_t *module)
{
    coll_mtree_plan_sequence_destroy(module);
    coll_mtree_plan_entries_destroy(module);
    coll_mtree_source_destroy(module);
    coll_mtree_proc_group_release(module->processes);
    coll_mtree_tag_slots_cleanup(&module->tags.slots);
    OBJ_DESTRUCT(&module->lock);
    MTREE_FOR_EACH_FUNCTION(RELEASE_FALLBACK)
}

OBJ_CLASS_INSTANCE(mca_coll_mtree_module_t, mca_coll_base_module_t, module_construct,
                   module_destruct);

#define INSTALL(_name) module->super.coll_##_name = coll_mtree_##_name;

static void module_install(mca_coll_mtree_module_t *module)
{
    MTREE_FOR_EACH_FUNCTION(INSTALL)
}

/* Where modules themselves put their functions on a communicator, and take them back
 * (coll_mtree/compat.h). */
#define SET_ON_COMM(_name)                                                               \
    if (base->coll_##_name != NULL) {                                                    \
        comm->c_coll->coll_##_name = base->coll_##_name;                                 \
        comm->c_coll->coll_##_name##_module = base;                                      \
    }

static void set_on_comm(mca_coll_base_module_t *base, ompi_communicator_t *comm)
{
    if (!MTREE_MODULES_SET_FUNCTIONS) {
        return;
    }
    MTREE_FOR_EACH_FUNCTION(SET_ON_COMM)
}

#define TAKE_FROM_COMM(_name)                                                            \
    if (comm->c_coll->coll_##_name##_module == base) {                                   \
        comm->c_coll->coll_##_name = module->fallback.coll_##_name;                      \
        comm->c_coll->coll_##_name##_module = module->fallback.coll_##_name##_module;    \
    }

static int module_disable(mca_coll_base_module_t *base, ompi_communicator_t *comm)
{
    mca_coll_mtree_module_t *module = (mca_coll_mtree_module_t *)base;

    MTREE_FOR_EACH_FUNCTION(TAKE_FROM_COMM)
    return OMPI_SUCCESS;
}

/* At MPI_Finalize every rank takes part in writing files. */
static void begin_files(mca_coll_mtree_module_t *module, ompi_communicator_t *comm)
{
    if (comm == &ompi_mpi_comm_world.comm) {
        coll_mtree_trace_begin(module);
        coll_mtree_report_begin(module, NULL);
    }
}

int coll_mtree_init_query(bool enable_progress_threads, bool enable_mpi_threads)
{
    coll_mtree_transport_open(enable_mpi_threads);
    /* Where sums must keep their bits no call passes through relays. */
    coll_mtree_tcp_open(coll_mtree_relays_are_configured() &&
                        !coll_mtree_params.deterministic);
    return coll_mtree_open_other_components(enable_progress_threads, enable_mpi_threads);
}

/* True when all processes of @a comm have the same representation of numbers, which they
 * do unless Open MPI is built for others. */
static bool comm_is_uniform(ompi_communicator_t *comm)
{
    for (int rank = 0; OPAL_ENABLE_HETEROGENEOUS_SUPPORT && rank < ompi_comm_size(comm);
         rank++) {
        ompi_proc_t *proc = ompi_comm_peer_lookup(comm, rank);

        if (proc->super.proc_arch != opal_local_arch) {
            return false;
        }
    }
    return true;
}

/* Why mtree does not serve a communicator.  What it goes by is the same on all ranks. */
typedef struct {
    const char *text;  /* a clause for people */
    bool leaves_hosts; /* there may be messages between hosts all the same */
    bool is_news; /* a user who named mtree may not expect it, and is not told else */
} obstacle_t;

/* Of the communicator itself. */
static const obstacle_t intercomm = {"it is an intercommunicator", true, true};
static const obstacle_t one_rank = {"it has one rank", false, false};
static const obstacle_t priority_below_0 = {"coll_mtree_priority is below 0", true, true};
/* Open MPI numbers it differently on its ranks. */
static const obstacle_t of_session = {
    "it was made from a session's group (a copy of it is served)", true, true};

/* Of its processes, the same for all communicators of these. */
static const obstacle_t different = {"its ranks differ in what they must agree on", true,
                                     false};
static const obstacle_t no_topology = {"coll_mtree_topology is none", true, false};
static const obstacle_t one_host = {"all its ranks run on one host", false, true};
/* Bytes are added as they arrive. */
static const obstacle_t architecture = {"its processes differ in architecture", true,
                                        true};
static const obstacle_t in_the_clear = {
    "mtree has no TCP connections of its own to encrypt with ULFM, between several jobs, "
    "or where Open MPI does not send over TCP",
    true, true};

/* The first obstacle of the processes of @a comm; NULL: there is none, and *abilities_p
 * is what they can do. */
static const obstacle_t *processes_obstacle(ompi_communicator_t *comm,
                                            coll_mtree_abilities_t *abilities_p)
{
    const bool is_clear = coll_mtree_params.encrypt && !coll_mtree_endpoints_serve(comm);

    return !coll_mtree_modex_equal(comm, abilities_p)                 ? &different
           : coll_mtree_params_topology() == COLL_MTREE_TOPOLOGY_NONE ? &no_topology
           : !abilities_p->spans_hosts                                ? &one_host
           : !comm_is_uniform(comm)                                   ? &architecture
           : is_clear                                                 ? &in_the_clear
                                                                      : NULL;
}

/* The same, looked up once for copies of the world, however many they are. */
static const obstacle_t *processes_known_obstacle(ompi_communicator_t *comm,
                                                  coll_mtree_abilities_t *abilities_p)
{
    static struct {
        const ompi_group_t *group; /* which stays */
        const obstacle_t *obstacle;
        coll_mtree_abilities_t abilities;
    } world;

    if (comm->c_local_group != ompi_mpi_comm_world.comm.c_local_group) {
        return processes_obstacle(comm, abilities_p);
    }
    if (comm->c_local_group != world.group) {
        world.obstacle = processes_obstacle(comm, &world.abilities);
        world.group = comm->c_local_group;
    }
    *abilities_p = world.abilities;
    return world.obstacle;
}

/* The first obstacle of @a comm is the one that is told. */
static const obstacle_t *comm_obstacle(ompi_communicator_t *comm,
                                       coll_mtree_abilities_t *abilities_p)
{
    return OMPI_COMM_IS_INTER(comm)         ? &intercomm
           : ompi_comm_size(comm) < 2       ? &one_rank
           : coll_mtree_params.priority < 0 ? &priority_below_0
           : coll_mtree_is_numbered_by_rank(comm)
               ? &of_session
               : processes_known_obstacle(comm, abilities_p);
}

static int module_enable(mca_coll_base_module_t *base, ompi_communicator_t *comm);

/* One line per job suffices below level 10: the first communicator is the world. */
static void log_obstacle(ompi_communicator_t *comm, const obstacle_t *obstacle)
{
    int level = obstacle->is_news ? coll_mtree_fallback_level(comm) : 1;

    coll_mtree_verbose(comm, comm == &ompi_mpi_comm_world.comm ? level : 10,
                       "not served, %s; the fallback serves", obstacle->text);
    if (obstacle->leaves_hosts) {
        coll_mtree_not_encrypted(comm, "this communicator", obstacle->text);
    }
}

mca_coll_base_module_t *coll_mtree_comm_query(ompi_communicator_t *comm, int *priority)
{
    coll_mtree_abilities_t abilities = {.longest = 0};
    const obstacle_t *obstacle = comm_obstacle(comm, &abilities);
    mca_coll_mtree_module_t *module;

    *priority = coll_mtree_params.priority;
    if (comm == &ompi_mpi_comm_world.comm) {
        coll_mtree_btl_network_keep(comm);
        coll_mtree_relay_world_begin(comm);
        coll_mtree_endpoints_share(comm);
    }
    if (obstacle != NULL) {
        log_obstacle(comm, obstacle);
        if (comm == &ompi_mpi_comm_world.comm) {
            coll_mtree_report_begin(NULL, obstacle->text);
        }
        return NULL;
    }
    if (coll_mtree_params.encrypt && comm == &ompi_mpi_comm_world.comm) {
        coll_mtree_verbose(comm, 1,
                           "calls are encrypted between hosts: " MTREE_TLS_CIPHER
                           ", TCP connections to each process: %d",
                           coll_mtree_endpoints_most());
    }
    module = OBJ_NEW(mca_coll_mtree_module_t);
    mtree_require(module == NULL ? MTREE_ERR_NO_MEMORY : MTREE_OK);
    module->super.coll_module_enable = module_enable;
    if (MTREE_MODULES_SET_FUNCTIONS) {
        module->super.coll_module_disable = module_disable;
    }
    module->longest_bytes = abilities.longest;
    module->is_threaded = abilities.is_threaded;
    module_install(module);
    return &module->super;
}

#define HAS_FALLBACK(_name) &&comm->c_coll->coll_##_name != NULL

#define RETAIN_FALLBACK(_name)                                                           \
    module->fallback.coll_##_name = comm->c_coll->coll_##_name;                          \
    module->fallback.coll_##_name##_module = comm->c_coll->coll_##_name##_module;        \
    OBJ_RETAIN(module->fallback.coll_##_name##_module);

/* The components of lower priority are installed by now: this is the moment to keep their
 * functions. */
static int module_enable(mca_coll_base_module_t *base, ompi_communicator_t *comm)
{
    mca_coll_mtree_module_t *module = (mca_coll_mtree_module_t *)base;

    if (!(true MTREE_FOR_EACH_FUNCTION(HAS_FALLBACK))) {
        coll_mtree_verbose(
            comm, coll_mtree_fallback_level(comm),
            "not served, no component of a priority below %d serves as fallback",
            coll_mtree_params.priority);
        coll_mtree_not_encrypted(comm, "this communicator", "nothing is its fallback");
        return OMPI_ERR_NOT_AVAILABLE;
    }
    MTREE_FOR_EACH_FUNCTION(RETAIN_FALLBACK)
    module->enabled = true;
    set_on_comm(base, comm);
    begin_files(module, comm);
    return OMPI_SUCCESS;
}
