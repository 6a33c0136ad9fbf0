/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/adapt/bandwidth_monitor.h"
#include "coll_mtree/adapt/replan_blocking.h"
#include "coll_mtree/call/comm_class.h"
#include "coll_mtree/call/plan_entry.h"
#include "coll_mtree/call/single_host.h"
#include "coll_mtree/control/modex.h"
#include "coll_mtree/report/report.h"
#include "coll_mtree/report/trace.h"
#include "coll_mtree/topology/source.h"
#include "coll_mtree/transport/transport.h"

#include "coll_mtree/base/log.h"
#include "coll_mtree/base/params.h"
#include "ompi/proc/proc.h"

static void module_construct(mca_coll_mtree_module_t *module)
{
    memset(&module->fallback, 0, sizeof(module->fallback));
    module->enabled = module->is_local = false;
    memset(&module->tags, 0, sizeof(module->tags));
    OBJ_CONSTRUCT(&module->lock, opal_mutex_t);
    coll_mtree_class_table_init(&module->classes);
    mtree_list_init(&module->pending);
    module->hosts_asked = false;
    module->latest = NULL;
    module->placement = module->default_placement = NULL;
    module->default_plan = NULL;
    module->context = NULL;
    module->source = NULL;
    module->group = NULL;
    module->replan = NULL;
    module->monitor = NULL;
    memset(&module->hints, 0, sizeof(module->hints));
    module->unserved = module->introduced = false;
    module->longest_bytes = 0;
}

#define RELEASE_FALLBACK(_name)                                                          \
    if (module->enabled) {                                                               \
        OBJ_RELEASE(module->fallback.coll_##_name##_module);                             \
    }

static void module_destruct(mca_coll_mtree_module_t *module)
{
    coll_mtree_replan_blocking_destroy(module);
    coll_mtree_plan_entries_destroy(module);
    coll_mtree_comm_classes_destroy(module);
    coll_mtree_bandwidth_monitor_destroy(module);
    coll_mtree_source_destroy(module);
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

/*
 * The module of communicators for which this rank alone has no memory, perhaps, to make
 * one or to learn whether mtree serves it: without one it would call the fallback, and
 * the others wait for it.  It is not `enabled`, upon
 * which all calls end with MPI_ERR_NO_MEM; one reference stays.
 */
static mca_coll_mtree_module_t without_memory;

static const char on_one_host[] = "all its ranks run on one host";
static const char not_known[] = "there is no memory to ask its ranks what they agree on";

/* At MPI_Finalize every rank has its part in writing files. */
static void begin_files(mca_coll_mtree_module_t *module, ompi_communicator_t *comm)
{
    if (comm != &ompi_mpi_comm_world.comm) {
        return;
    }
    if (!module->is_local) {
        coll_mtree_trace_begin(module);
    }
    coll_mtree_report_begin(module, module->is_local ? on_one_host : NULL);
}

static int without_memory_enable(mca_coll_base_module_t *base, ompi_communicator_t *comm)
{
    begin_files((mca_coll_mtree_module_t *)base, comm);
    return OMPI_SUCCESS;
}

int coll_mtree_init_query(bool enable_progress_threads, bool enable_mpi_threads)
{
    OBJ_CONSTRUCT(&without_memory, mca_coll_mtree_module_t);
    without_memory.super.coll_module_enable = without_memory_enable;
    module_install(&without_memory);
    coll_mtree_transport_open(enable_mpi_threads);
    return coll_mtree_open_required_components(enable_progress_threads,
                                               enable_mpi_threads);
}

/* True when all processes of @a comm run on this host; every rank finds the same. */
static bool comm_is_local(ompi_communicator_t *comm)
{
    for (int rank = 0; rank < ompi_comm_size(comm); rank++) {
        ompi_proc_t *proc = ompi_comm_peer_lookup(comm, rank);

        if (!OPAL_PROC_ON_LOCAL_NODE(proc->super.proc_flags)) {
            return false;
        }
    }
    return true;
}

/* Bytes are folded as they come, so all processes must keep numbers alike. */
static bool comm_is_uniform(ompi_communicator_t *comm)
{
    for (int rank = 0; rank < ompi_comm_size(comm); rank++) {
        ompi_proc_t *proc = ompi_comm_peer_lookup(comm, rank);

        if (proc->super.proc_arch != opal_local_arch) {
            return false;
        }
    }
    return true;
}

/* Why mtree cannot serve the processes of a communicator, or NULL. */
static const char *processes_obstacle(ompi_communicator_t *comm, uint32_t *longest_p)
{
    switch (coll_mtree_modex_compare(comm, longest_p)) {
    case COLL_MTREE_MODEX_UNKNOWN:
        return not_known;
    case COLL_MTREE_MODEX_DIFFERENT:
        return "its ranks differ in what they must agree on";
    case COLL_MTREE_MODEX_SAME:
        break;
    }
    if (coll_mtree_params_topology() == COLL_MTREE_TOPOLOGY_NONE) {
        return "coll_mtree_topology is none";
    }
    if (coll_mtree_params.hosts == NULL && comm_is_local(comm)) {
        return on_one_host;
    }
    if (!comm_is_uniform(comm)) {
        return "its processes differ in architecture";
    }
    return NULL;
}

/* The same, looked up once for copies of the world, however many they are. */
static const char *processes_known_obstacle(ompi_communicator_t *comm,
                                            uint32_t *longest_p)
{
    static const ompi_group_t *of; /* the world's, which stays */
    static const char *obstacle;
    static uint32_t longest;

    if (comm->c_local_group != ompi_mpi_comm_world.comm.c_local_group) {
        return processes_obstacle(comm, longest_p);
    }
    if (comm->c_local_group != of) {
        obstacle = processes_obstacle(comm, &longest);
        of = obstacle == not_known ? NULL : comm->c_local_group;
    }
    *longest_p = longest;
    return obstacle;
}

/* Why mtree cannot serve a communicator, or NULL; only from what is the same on all its
 * ranks, but for `not_known`.  @a longest_p: of its messages, where it can. */
static const char *comm_obstacle(ompi_communicator_t *comm, uint32_t *longest_p)
{
    const coll_mtree_params_t *c = &coll_mtree_params;

    if (OMPI_COMM_IS_INTER(comm)) {
        return "it is an intercommunicator";
    }
    if (ompi_comm_size(comm) < 2) {
        return "it has one rank";
    }
    if (c->priority < 0) {
        return "coll_mtree_priority is below 0";
    }
    if (coll_mtree_is_numbered_by_rank(comm)) {
        return "it was made from a session's group (a copy of it is served)";
    }
    return processes_known_obstacle(comm, longest_p);
}

static int module_enable(mca_coll_base_module_t *base, ompi_communicator_t *comm);

static mca_coll_base_module_t *module_without_memory(void)
{
    OBJ_RETAIN(&without_memory);
    return &without_memory.super;
}

/* One line a job is enough for those who wonder: the first communicator is the world. */
static void say_obstacle(ompi_communicator_t *comm, const char *obstacle, bool is_local)
{
    coll_mtree_verbose(comm, comm == &ompi_mpi_comm_world.comm ? 1 : 10,
                       "not served, %s; the fallback serves%s", obstacle,
                       is_local
                           ? ", long calls by the algorithm that is measured to be the "
                             "fastest"
                           : "");
}

/*
 * A module takes some 2,100 of the 45,000 instructions of MPI_Comm_dup() on one host.
 * Programs that make many do not make long calls on each: on one host only the first have
 * one.  The number is the lowest that was free on all ranks, and the same on all.
 */
#define LOCAL_COMMUNICATORS 32u

mca_coll_base_module_t *coll_mtree_comm_query(ompi_communicator_t *comm, int *priority)
{
    uint32_t longest = 0;
    const char *obstacle = comm_obstacle(comm, &longest);
    bool is_local = obstacle == on_one_host && coll_mtree_params.autotune &&
                    coll_mtree_cid(comm) < LOCAL_COMMUNICATORS;
    mca_coll_mtree_module_t *module;

    *priority = coll_mtree_params.priority;
    if (obstacle == not_known) {
        return module_without_memory();
    }
    if (obstacle != NULL) {
        say_obstacle(comm, obstacle, is_local);
    }
    if (obstacle != NULL && !is_local) {
        if (comm == &ompi_mpi_comm_world.comm) {
            coll_mtree_report_begin(NULL, obstacle);
        }
        return NULL;
    }
    module = OBJ_NEW(mca_coll_mtree_module_t);
    if (module == NULL) {
        return module_without_memory();
    }
    module->super.coll_module_enable = module_enable;
    module->is_local = is_local;
    module->longest_bytes = longest;
    if (is_local) {
        coll_mtree_single_host_install(module);
    } else {
        module_install(module);
    }
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
            comm, 1, "not served, no component of a priority below %d serves as fallback",
            coll_mtree_params.priority);
        return OMPI_ERR_NOT_AVAILABLE;
    }
    MTREE_FOR_EACH_FUNCTION(RETAIN_FALLBACK)
    module->enabled = true;
    begin_files(module, comm);
    return OMPI_SUCCESS;
}
