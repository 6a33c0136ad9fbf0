/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/adapt/bandwidth_monitor.h"
#include "coll_mtree/control/modex.h"
#include "coll_mtree/plan/planning_context.h"
#include "coll_mtree/plan/proc_group.h"
#include "coll_mtree/report/pvars.h"
#include "coll_mtree/report/statistics.h"
#include "coll_mtree/transport/transport.h"

#include "base/log.h"

#include "opal/util/output.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Above sync's wrappers nothing is gained; below cuda's, device buffers arrive staged. */
#define DEFAULT_PRIORITY  45
#define DEFAULT_TREES     10
#define DEFAULT_MIN_BYTES 1

/* The whole of most messages. */
#define DEFAULT_ARRIVAL_ROOM  ((size_t)64 << 20)
#define DEFAULT_ARRIVAL_ASIDE ((size_t)256 << 20)

/* Enough for 12 hosts (docs/probe.md). */
#define DEFAULT_PROBE_SECONDS 9.0
#define DEFAULT_CACHE_DAYS    7.0

/* To be raised with every change of what ranks say to each other. */
#define PROTOCOL 1

/* 3.5 MiB a rank. */
#define DEFAULT_TRACE_EVENTS 65536

static int mtree_register(void);
static int mtree_open(void);
static int mtree_close(void);

mca_coll_mtree_component_t mca_coll_mtree_component = {
    .super = {.collm_version = {MTREE_COLL_BASE_VERSION, .mca_component_name = "mtree",
                                .mca_component_major_version = 0,
                                .mca_component_minor_version = 1,
                                .mca_component_release_version = 0,
                                .mca_register_component_params = mtree_register,
                                .mca_open_component = mtree_open,
                                .mca_close_component = mtree_close},
              .collm_data = {MCA_BASE_METADATA_PARAM_NONE},
              .collm_init_query = coll_mtree_init_query,
              .collm_comm_query = coll_mtree_comm_query}};

/*
 * Parameters that MPI_T may write while the job runs; what takes them up does so at the
 * next call, or at the next kind of call that is planned.  All others are read once.
 */
static mca_base_var_scope_t scope_of(const char *name)
{
    static const char *const local[] = {"report_live", "verbose"};
    static const char *const alike[] = {"barrier", "chunk", "guard", "min_bytes"};

    for (size_t i = 0; i < sizeof(local) / sizeof(local[0]); i++) {
        if (strcmp(name, local[i]) == 0) {
            return MCA_BASE_VAR_SCOPE_LOCAL;
        }
    }
    for (size_t i = 0; i < sizeof(alike) / sizeof(alike[0]); i++) {
        if (strcmp(name, alike[i]) == 0) {
            return MCA_BASE_VAR_SCOPE_ALL_EQ;
        }
    }
    return MCA_BASE_VAR_SCOPE_READONLY;
}

static void register_var(const char *name, const char *text, mca_base_var_type_t type,
                         int level, void *value)
{
    mca_base_var_scope_t scope = scope_of(name);

    (void)mca_base_component_var_register(
        &mca_coll_mtree_component.super.collm_version, name, text, type, NULL, 0,
        scope == MCA_BASE_VAR_SCOPE_READONLY ? 0 : MCA_BASE_VAR_FLAG_SETTABLE,
        (mca_base_var_info_lvl_t)(level - 1), scope, value);
}

static void register_int(const char *name, const char *text, int level, int *value)
{
    register_var(name, text, MCA_BASE_VAR_TYPE_INT, level, value);
}

static void register_size(const char *name, const char *text, int level, size_t *value)
{
    register_var(name, text, MCA_BASE_VAR_TYPE_SIZE_T, level, value);
}

static void register_bool(const char *name, const char *text, int level, bool *value)
{
    register_var(name, text, MCA_BASE_VAR_TYPE_BOOL, level, value);
}

static void register_double(const char *name, const char *text, int level, double *value)
{
    register_var(name, text, MCA_BASE_VAR_TYPE_DOUBLE, level, value);
}

static void register_string(const char *name, const char *text, int level, char **value)
{
    register_var(name, text, MCA_BASE_VAR_TYPE_STRING, level, value);
}

static int mtree_register(void)
{
    mca_coll_mtree_component_t *c = &mca_coll_mtree_component;

    c->priority = DEFAULT_PRIORITY;
    c->verbose = 0;
    c->stream = -1;
    c->topology = NULL;
    c->hosts = NULL;
    c->hwloc = NULL;
    c->protocol = PROTOCOL;
    c->algorithm = NULL;
    c->plan = NULL;
    c->barrier = true;
    c->guard = true;
    c->deterministic = false;
    c->arrival_room = DEFAULT_ARRIVAL_ROOM;
    c->arrival_aside = DEFAULT_ARRIVAL_ASIDE;
    c->follow = true;
    c->trace = NULL;
    c->trace_events = DEFAULT_TRACE_EVENTS;
    c->report = NULL;
    c->report_live = 0;
    c->probe_seconds = DEFAULT_PROBE_SECONDS;
    c->probe_output = NULL;
    c->probe_record = NULL;
    c->cache_days = DEFAULT_CACHE_DAYS;
    c->trees = DEFAULT_TREES;
    c->chunk_bytes = 0;
    c->min_bytes = DEFAULT_MIN_BYTES;

    register_int("priority",
                 "Priority of mtree among the coll components, up to 100; below 0 it is "
                 "never used",
                 6, &c->priority);
    register_string(
        "topology",
        "The network between the hosts. auto, or empty: as the cache has it, or probed "
        "when the collectives have taken long enough for that to pay back; probe: "
        "probed by the first collective (docs/probe.md); none: mtree serves nothing; "
        "else the path of a topology file (Graphviz DOT, docs/topology-file.md), read on "
        "the host of rank 0. Must be the same on all ranks",
        2, &c->topology);
    register_double("probe_seconds",
                    "The longest that probing the network should take; with less it "
                    "measures less of it",
                    3, &c->probe_seconds);
    register_string("probe_output",
                    "Path of a file that rank 0 writes what the probe found to, as a "
                    "topology file. Empty: only the cache has it",
                    4, &c->probe_output);
    register_string("probe_record",
                    "Path of a file that rank 0 writes all that the probe measured to "
                    "(docs/probe.md). Empty: nothing is kept of it",
                    5, &c->probe_record);
    register_double("cache_days",
                    "Days after which what the cache has of the network is not used "
                    "any more",
                    4, &c->cache_days);
    register_int("trees",
                 "Most trees a plan may have (allgather, reduce_scatter: of each root); "
                 "0: as many as the planner likes. More trees use more of the network, "
                 "fewer have less overhead. Must be the same on all ranks",
                 4, &c->trees);
    register_size("chunk",
                  "Bytes sent as one message; 0: what the plan says, by size and "
                  "network. Above the transport's eager limit each message costs an "
                  "extra round trip. Must be the same on all ranks; MPI_T may write it, "
                  "between the same calls on all",
                  5, &c->chunk_bytes);
    register_size("min_bytes",
                  "Smallest message (allgather, reduce_scatter: of all ranks together) "
                  "in bytes that mtree serves where it expects to be faster than the "
                  "fallback; 0: all sizes, whatever is expected. Must be the same on all "
                  "ranks; MPI_T may write it, between the same calls on all",
                  4, &c->min_bytes);
    register_string("algorithm",
                    "Planner algorithm, one of those that `mtree plan --help` lists, "
                    "for the collectives that it does; or COLLECTIVE:ALGORITHM, or "
                    "several of them, separated by commas (allreduce:gost,bcast:packing)."
                    " Empty: packing, or direct exchange behind switches where "
                    "that is as good",
                    4, &c->algorithm);
    register_string("plan",
                    "Path of a plan file (JSON, see docs/plan-file.md), as `mtree plan` "
                    "saves it, read on the host of rank 0, for calls of its collective "
                    "and root between its hosts, of any size. Empty: all is planned",
                    5, &c->plan);
    register_bool("barrier",
                  "Serve barriers too, over the trees planned for the smallest messages; "
                  "0: the fallback serves them. Must be the same on all ranks; MPI_T may "
                  "write it, between the same calls on all",
                  5, &c->barrier);
    register_bool(
        "guard",
        "Where mtree, the fallback and Open MPI's other algorithms are expected "
        "to be close, and on one host, let blocking calls try them in turns, "
        "measure and keep to the fastest; 0: what is expected decides. Must be "
        "the same on all ranks; MPI_T may write it, between the "
        "same calls on all",
        4, &c->guard);
    register_bool("deterministic",
                  "Reductions give the same bits for the same input in every call of a "
                  "job, whenever the ranks come: none is by arrival, the guard tries "
                  "nothing, and plans stay. Must be the same on all ranks",
                  4, &c->deterministic);
    register_size(
        "arrival_room",
        "By arrival (docs/arrival.md): bytes that a rank in the chain of a "
        "reduction takes from each that sends to it before it can send on "
        "itself; those before it may leave as soon as it has taken all. Must be "
        "the same on all ranks",
        5, &c->arrival_room);
    register_size("arrival_aside",
                  "By arrival (docs/arrival.md): bytes, of all broadcasts together, that "
                  "a root may copy for ranks that are late, so that it can leave before "
                  "them; it serves them whenever it is in MPI. 0: it waits for them",
                  5, &c->arrival_aside);
    register_string("report",
                    "Path of a file that rank 0 writes at MPI_Finalize: what the "
                    "collectives did and took, for `mtree report` (see docs/report.md). "
                    "stdout: the page itself on standard output. Empty: no report. "
                    "Should be set on all ranks or none",
                    2, &c->report);
    register_double(
        "report_live",
        "Seconds after which the file of coll_mtree_report is written anew "
        "while the job runs, after the next call; for `mtree top`. 0: only at "
        "the end",
        4, &c->report_live);
    register_bool(
        "follow",
        "Watch what blocking calls give of each link, and plan anew when the "
        "network has changed so that other trees are clearly faster "
        "(docs/replan.md); and how far apart ranks come, and have bcast, reduce "
        "and allreduce by arrival where that pays (docs/arrival.md); 0: plans "
        "stay. Must be the same on all ranks",
        4, &c->follow);
    register_string("trace",
                    "Path of a file that rank 0 writes at MPI_Finalize: what every rank "
                    "did with each chunk, for Perfetto and chrome://tracing (see "
                    "docs/trace.md). Empty: no trace. Must be set on all ranks or none",
                    3, &c->trace);
    register_size("trace_events",
                  "Events that each rank keeps for the trace, the newest; 56 bytes each. "
                  "0: no trace. Must be 0 on all ranks or none",
                  6, &c->trace_events);
    register_int("verbose",
                 "0: errors only; 1: a line a communicator, which topology and plan are "
                 "used, and why when none, and when the network has changed; 2: a line a "
                 "choice, who serves such calls, and why; 20: everything",
                 1, &c->verbose);
    register_string("hosts",
                    "For tests: host names by rank of MPI_COMM_WORLD, separated by "
                    "commas, instead of those of the hosts that the ranks really run "
                    "on. Empty: the real ones",
                    9, &c->hosts);
    register_string(
        "hwloc",
        "For tests: path of a machine that hwloc wrote as XML. Every host is "
        "taken for such a machine, its ranks for bound to cores spread evenly "
        "over it, and all its interfaces for used. Empty: the real machines",
        9, &c->hwloc);
    register_int("protocol",
                 "For tests: the version of its messages that this rank claims to speak. "
                 "Ranks of different versions leave all calls to the fallback",
                 9, &c->protocol);
    coll_mtree_pvars_register();
    return OMPI_SUCCESS;
}

static const char *log_parameter, *log_consequence;

void coll_mtree_log_about(const char *parameter, const char *consequence)
{
    log_parameter = parameter;
    log_consequence = consequence;
}

/* MPI_T may have written coll_mtree_verbose since the last line. */
static mtree_log_level_t log_level(void)
{
    const int verbose = mca_coll_mtree_component.verbose;

    return verbose >= 20  ? MTREE_LOG_DEBUG
           : verbose >= 1 ? MTREE_LOG_INFO
                          : MTREE_LOG_WARN;
}

/* Lines of the rooms below go the way of Open MPI's own. */
static void forward_log(mtree_log_level_t level, const char *message, void *arg)
{
    int stream = level <= MTREE_LOG_WARN ? 0 : mca_coll_mtree_component.stream;

    (void)arg;
    if (level > log_level()) {
        return;
    }
    if (log_parameter != NULL && level == MTREE_LOG_ERROR) {
        opal_output(stream, "coll:mtree: %s: %s; %s", log_parameter, message,
                    log_consequence);
    } else {
        opal_output(stream, "coll:mtree: %s", message);
    }
}

static int mtree_open(void)
{
    mca_coll_mtree_component_t *c = &mca_coll_mtree_component;

    atomic_init(&c->aside_left, c->arrival_aside);
    c->stream = opal_output_open(NULL);
    mtree_log_set(forward_log, NULL, MTREE_LOG_DEBUG);
    coll_mtree_modex_publish();
    return OMPI_SUCCESS;
}

static int mtree_close(void)
{
    mca_coll_mtree_component_t *c = &mca_coll_mtree_component;

    coll_mtree_statistics_finish();
    coll_mtree_bandwidth_monitor_close();
    coll_mtree_transport_close();
    coll_mtree_modex_close();
    coll_mtree_planning_context_close();
    coll_mtree_proc_group_close();
    mtree_log_set(NULL, NULL, MTREE_LOG_WARN);
    if (c->stream >= 0) {
        opal_output_close(c->stream);
        c->stream = -1;
    }
    return OMPI_SUCCESS;
}

void coll_mtree_verbose(ompi_communicator_t *comm, int level, const char *format, ...)
{
    char line[MTREE_LOG_LINE];
    va_list args;

    if (mca_coll_mtree_component.verbose < level || ompi_comm_rank(comm) != 0) {
        return;
    }
    va_start(args, format);
    mtree_log_format(line, format, args);
    va_end(args);
    opal_output(mca_coll_mtree_component.stream, "coll:mtree: communicator %u (%s): %s",
                coll_mtree_cid(comm), comm->c_name, line);
}

int coll_mtree_no_memory(ompi_communicator_t *comm)
{
    static atomic_flag contribution = ATOMIC_FLAG_INIT;

    if (!atomic_flag_test_and_set(&contribution)) {
        mtree_error("no memory for a call on communicator %s, which ends with "
                    "MPI_ERR_NO_MEM; run fewer ranks a host, or lower coll_mtree_chunk",
                    comm->c_name);
    }
    return MPI_ERR_NO_MEM;
}
