/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/base/params.h"

#include "base/log.h"

#include <stdio.h>
#include <string.h>

coll_mtree_params_t coll_mtree_params;

static bool is_set(const char *value)
{
    return value != NULL && value[0] != '\0';
}

/* The value of a number or a boolean, or whether there is a string. */
static void agree_value(const coll_mtree_param_t *param, char *text)
{
    switch (param->type) {
    case COLL_MTREE_PARAM_BOOL:
        snprintf(text, COLL_MTREE_PARAM_TEXT, "%d", *param->value.boolean);
        break;
    case COLL_MTREE_PARAM_INT:
        snprintf(text, COLL_MTREE_PARAM_TEXT, "%d", *param->value.integer);
        break;
    case COLL_MTREE_PARAM_SIZE:
        snprintf(text, COLL_MTREE_PARAM_TEXT, "%zu", *param->value.size);
        break;
    case COLL_MTREE_PARAM_DOUBLE:
        snprintf(text, COLL_MTREE_PARAM_TEXT, "%g", *param->value.real);
        break;
    case COLL_MTREE_PARAM_STRING:
        snprintf(text, COLL_MTREE_PARAM_TEXT, "%s",
                 is_set(*param->value.string) ? "set" : "empty");
        break;
    }
}

/* The file itself may differ: only rank 0's is read. */
static void agree_topology(const coll_mtree_param_t *param, char *text)
{
    static const char *const names[] = {[COLL_MTREE_TOPOLOGY_FILE] = "a file",
                                        [COLL_MTREE_TOPOLOGY_AUTO] = "auto",
                                        [COLL_MTREE_TOPOLOGY_PROBE] = "probe",
                                        [COLL_MTREE_TOPOLOGY_NONE] = "none"};

    (void)param;
    snprintf(text, COLL_MTREE_PARAM_TEXT, "%s", names[coll_mtree_params_topology()]);
}

static void agree_streams(const coll_mtree_param_t *param, char *text)
{
    const char *value = *param->value.string;

    snprintf(text, COLL_MTREE_PARAM_TEXT, "%s", is_set(value) ? value : "auto");
}

static void agree_relays(const coll_mtree_param_t *param, char *text)
{
    const char *value = *param->value.string;

    snprintf(text, COLL_MTREE_PARAM_TEXT, "%s", is_set(value) ? value : "empty");
}

/* To be raised with every change of the messages between ranks. */
#define PROTOCOL 30

/* Below _name only the columns differ. */
#define BOOL(_name, _field, _default)                                                    \
    .name = _name, .type = COLL_MTREE_PARAM_BOOL,                                        \
    .value.boolean = &coll_mtree_params._field, .initial.boolean = _default
#define INT(_name, _field, _default)                                                     \
    .name = _name, .type = COLL_MTREE_PARAM_INT,                                         \
    .value.integer = &coll_mtree_params._field, .initial.integer = _default
#define SIZE(_name, _field, _default)                                                    \
    .name = _name, .type = COLL_MTREE_PARAM_SIZE,                                        \
    .value.size = &coll_mtree_params._field, .initial.size = _default
#define DOUBLE(_name, _field, _default)                                                  \
    .name = _name, .type = COLL_MTREE_PARAM_DOUBLE,                                      \
    .value.real = &coll_mtree_params._field, .initial.real = _default
#define STRING(_name, _field)                                                            \
    .name = _name, .type = COLL_MTREE_PARAM_STRING,                                      \
    .value.string = &coll_mtree_params._field

/* Bytes beyond which a number is a mistake, such as a negative one. */
#define MOST_BYTES 1e15

#define RANGE(_least, _most) .least = _least, .most = _most

#define READ_ONCE  .scope = COLL_MTREE_PARAM_READ_ONCE
#define LOCAL      .scope = COLL_MTREE_PARAM_LOCAL
#define COLLECTIVE .scope = COLL_MTREE_PARAM_COLLECTIVE

static const coll_mtree_param_t table[] = {
    /* Compared first: ranks of other versions may differ in everything. */
    {INT("protocol", protocol, PROTOCOL), READ_ONCE, .level = 9, .agree = agree_value,
     .help = "For tests: the version of its messages that this rank claims to speak"},
    /* Above sync's wrappers nothing is gained; below cuda's, device buffers arrive
     * staged. */
    {INT("priority", priority, 45), RANGE(-1e9, 100), READ_ONCE, .level = 6,
     .agree = agree_value,
     .help = "Priority of mtree among the coll components, up to 100; below 0 it is "
             "never used"},
    {STRING("topology", topology), READ_ONCE, .level = 2, .is_request = true,
     .agree = agree_topology,
     .help = "The network between the hosts. auto, or empty: as the cache has it, or "
             "probed, once, by the first blocking collective of 1 MiB or more; "
             "probe: probed by the first collective (docs/probe.md); none: mtree serves "
             "nothing; else the path of a topology file (Graphviz DOT, "
             "docs/topology-file.md), read on the host of rank 0"},
    /* Enough for 12 hosts (docs/probe.md). */
    {DOUBLE("probe_seconds", probe_seconds, 9.0), RANGE(0, 1e6), READ_ONCE, .level = 3,
     .help = "The longest that probing the network should take; with less it measures "
             "less of it"},
    {SIZE("probe_bytes", probe_bytes, 1000000000), RANGE(0, MOST_BYTES), READ_ONCE,
     .level = 3,
     .help =
         "The most bytes that all hosts together send to probe the network; with "
         "less it measures less of it. 0: as many as fit in coll_mtree_probe_seconds"},
    {STRING("probe_output", probe_output), READ_ONCE, .level = 4,
     .help = "Path of a file to which rank 0 writes what the probe found, as a topology "
             "file. Empty: only the cache has it"},
    {STRING("probe_record", probe_record), READ_ONCE, .level = 5,
     .help = "Path of a file to which rank 0 writes all that the probe measured "
             "(docs/probe.md). Empty: nothing is kept of it"},
    {DOUBLE("cache_days", cache_days, 7.0), RANGE(0, 1e6), READ_ONCE, .level = 4,
     .help = "Days after which what the cache has of the network is not used any more"},
    {STRING("hosts", hosts), READ_ONCE, .level = 9, .agree = agree_value,
     .help = "For tests: host names by rank of MPI_COMM_WORLD, separated by commas, "
             "instead of those of the hosts that the ranks really run on. Empty: the "
             "real ones"},
    {INT("trees", trees, 10), RANGE(0, 1e6), READ_ONCE, .level = 4, .agree = agree_value,
     .help = "Most trees of a plan (allgather, reduce_scatter: per root); 0: as many as "
             "the planner likes. Through relays four times as many, where fewer leave "
             "links idle. More trees use more of the network, fewer have less "
             "overhead"},
    {SIZE("chunk", chunk_bytes, 0), RANGE(0, MOST_BYTES), COLLECTIVE, .level = 5,
     .agree = agree_value,
     .help = "Bytes sent as one message; 0: what the plan says, by size and network. "
             "Above the transport's eager limit each message costs an extra round trip"},
    {SIZE("min_bytes", min_bytes, 1), RANGE(0, MOST_BYTES), COLLECTIVE, .level = 4,
     .agree = agree_value,
     .help = "Smallest message (allgather, reduce_scatter: of all ranks together) in "
             "bytes that mtree serves where it expects to be faster than the fallback; "
             "0: all sizes, whatever is expected"},
    {STRING("algorithm", algorithm), READ_ONCE, .level = 4,
     .help = "Planner algorithm, one of those that `mtree plan --help` lists, for the "
             "collectives that it does; or COLLECTIVE:ALGORITHM, or several of them, "
             "separated by commas (allreduce:ring,bcast:packing). Empty: the one that "
             "is fastest for the call in a simulation"},
    {STRING("plan", plan), READ_ONCE, .level = 5, .is_request = true,
     .help = "Path of a plan file (JSON, docs/plan-file.md), as `mtree plan` saves it, "
             "read on the host of rank 0, for calls of its collective and root between "
             "its hosts, of any size. Empty: all is planned"},
    {STRING("streams", streams), READ_ONCE, .level = 4, .agree = agree_streams,
     .help =
         "TCP connections of mtree's own between two processes on different hosts, up "
         "to 16, over which the messages of its calls go (docs/design.md). Long "
         "links that lose packets carry more over several. auto, or empty: only for "
         "long calls where some link is long, and as many are used as fill it; 0: none, "
         "all messages are Open MPI's"},
    {STRING("tcp_ports", tcp_ports), READ_ONCE, .level = 4,
     .help = "Ports, FIRST-LAST, on which processes wait for connections of "
             "coll_mtree_streams. Empty: those of btl_tcp_port_min_v4 and "
             "btl_tcp_port_range_v4, any by default"},
    {STRING("tcp_congestion_control", tcp_congestion_control), READ_ONCE, .level = 4,
     .help = "Congestion control of the connections of coll_mtree_streams, and of ranks "
             "and the job's own relays with each other, one of those that "
             "net.ipv4.tcp_allowed_congestion_control lists. Empty: the kernel's "
             "default, and bbr between ranks where losses keep that from filling the "
             "link, if the kernel allows it"},
    {BOOL("encrypt", encrypt, false), READ_ONCE, .level = 3, .is_request = true,
     .agree = agree_value,
     .help =
         "Encrypt what mtree's calls send between hosts, with AES-256-GCM, over "
         "connections of its own, and have it serve every call that it can; what it "
         "cannot serve goes over Open MPI's connections, unencrypted, with a line that "
         "says so (docs/encryption.md)"},
    {STRING("relay_secret", relay_secret), READ_ONCE, .level = 5, .agree = agree_value,
     .help = "Path of a file, on the host of rank 0, with the secret of the relays that "
             "the topology file names (relay=\"host:port\", docs/relays.md). Blocking "
             "calls pass through them where that is faster. Empty: none are used"},
    {STRING("relays", relays), READ_ONCE, .level = 5, .agree = agree_relays,
     .help = "world: hosts of MPI_COMM_WORLD relay for the communicators that none of "
             "their processes is in, in a thread of one process per host, while the "
             "program computes; blocking calls pass through them where that is faster "
             "(docs/relays.md). Empty: none do"},
    {DOUBLE("relays_share", relays_share, 0.25), RANGE(0, 1), READ_ONCE, .level = 6,
     .help = "Of one processor, the share that a host's thread of coll_mtree_relays "
             "world takes at most"},
    {BOOL("barrier", barrier, true), COLLECTIVE, .level = 5, .agree = agree_value,
     .help = "Serve barriers too, over the trees planned for the smallest messages; 0: "
             "the fallback serves them"},
    {BOOL("replan", replan, true), READ_ONCE, .level = 4, .agree = agree_value,
     .help = "Watch what calls get of each link, and plan anew when the network has "
             "changed so that other trees are clearly faster (docs/replan.md); 0: plans "
             "stay"},
    {BOOL("deterministic", deterministic, false), READ_ONCE, .level = 4,
     .agree = agree_value,
     .help = "Reductions give the same bits for the same input in every call of a job, "
             "whenever the ranks come: none goes by the order of arrival, and plans "
             "stay"},
    {SIZE("memory", memory, (size_t)64 << 20), RANGE(0, MOST_BYTES), READ_ONCE,
     .level = 5,
     .help = "Bytes of the plans that rank 0 keeps. Beyond it those that were used least "
             "recently are forgotten; calls that use them go on"},
    /* The whole of most messages. */
    {SIZE("arrival_room", arrival_room, (size_t)64 << 20), RANGE(0, MOST_BYTES),
     READ_ONCE, .level = 5, .agree = agree_value,
     .help = "By arrival (docs/arrival.md): bytes that a rank in the chain of a "
             "reduction takes from each rank that sends to it before it can send on "
             "itself; those before it may leave as soon as it has taken all"},
    {SIZE("arrival_aside", arrival_aside, (size_t)256 << 20), RANGE(0, MOST_BYTES),
     READ_ONCE, .level = 5,
     .help = "By arrival (docs/arrival.md): bytes, of all broadcasts together, that a "
             "root may copy for ranks that are late, so that it can leave before them; "
             "it serves them whenever it is in MPI. 0: it waits for them"},
    {STRING("report", report), READ_ONCE, .level = 2, .is_request = true,
     .help = "Path of a file that rank 0 writes at MPI_Finalize: what the collectives "
             "did and took, for `mtree report` (docs/report.md). stdout: the page "
             "itself on standard output. Empty: no report. Should be set on all ranks or "
             "none"},
    {DOUBLE("report_live", report_live, 0), RANGE(0, 1e9), LOCAL, .level = 4,
     .help = "Seconds after which the file of coll_mtree_report is written anew while "
             "the job runs, after the next call; for `mtree top`. 0: only at the end"},
    {STRING("trace", trace), READ_ONCE, .level = 3, .is_request = true,
     .agree = agree_value,
     .help = "Path of a file that rank 0 writes at MPI_Finalize: what every rank did "
             "with each chunk, for Perfetto and chrome://tracing (docs/trace.md). Empty: "
             "no trace"},
    /* 3.5 MiB per rank. */
    {SIZE("trace_events", trace_events, 65536), RANGE(1, 1e8), READ_ONCE, .level = 6,
     .help = "Events that each rank keeps for the trace, the newest; 56 bytes each"},
    {INT("verbose", verbose, 0), LOCAL, .level = 1,
     .help =
         "0: errors, and why nothing is served where the user named mtree or a map; "
         "1: a line per group of processes: which topology is used or why none is, and "
         "when the network has changed; 2: a line per choice: which backend serves "
         "such calls, over which plan, and why; 20: everything"},
    {STRING("hwloc", hwloc), READ_ONCE, .level = 9,
     .help = "For tests: path of a machine that hwloc wrote as XML. Every host is taken "
             "for such a machine, its ranks for bound to cores spread evenly over it, "
             "and all its interfaces for used. Empty: the real machines"},
};

const coll_mtree_param_t *coll_mtree_params_table(size_t *count_p)
{
    *count_p = sizeof(table) / sizeof(table[0]);
    return table;
}

static void param_reset(const coll_mtree_param_t *param)
{
    static const size_t bytes_of[] = {[COLL_MTREE_PARAM_BOOL] = sizeof(bool),
                                      [COLL_MTREE_PARAM_INT] = sizeof(int),
                                      [COLL_MTREE_PARAM_SIZE] = sizeof(size_t),
                                      [COLL_MTREE_PARAM_DOUBLE] = sizeof(double),
                                      [COLL_MTREE_PARAM_STRING] = sizeof(char *)};

    memcpy(param->value.any, &param->initial, bytes_of[param->type]);
}

void coll_mtree_params_reset(void)
{
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        param_reset(&table[i]);
    }
}

static bool is_in_range(const coll_mtree_param_t *param)
{
    double value = param->type == COLL_MTREE_PARAM_INT      ? *param->value.integer
                   : param->type == COLL_MTREE_PARAM_SIZE   ? (double)*param->value.size
                   : param->type == COLL_MTREE_PARAM_DOUBLE ? *param->value.real
                                                            : 0;

    return (param->least >= param->most) ||
           (value >= param->least && value <= param->most);
}

void coll_mtree_params_confine(bool tells)
{
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        const coll_mtree_param_t *param = &table[i];
        char given[COLL_MTREE_PARAM_TEXT], initial[COLL_MTREE_PARAM_TEXT];

        if (is_in_range(param)) {
            continue;
        }
        agree_value(param, given);
        param_reset(param);
        agree_value(param, initial);
        if (tells) {
            mtree_error("coll_mtree_%s %s: a number from %g to %g is needed; its "
                        "default, %s, holds",
                        param->name, given, param->least, param->most, initial);
        }
    }
}

bool coll_mtree_params_write(char *text, size_t size)
{
    size_t length = 0;

    text[0] = '\0';
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        char value[COLL_MTREE_PARAM_TEXT];

        if (table[i].agree == NULL) {
            continue;
        }
        table[i].agree(&table[i], value);
        length += (size_t)snprintf(text + length, size - length, "%s %s\n", table[i].name,
                                   value);
        if (length >= size) {
            return false;
        }
    }
    return true;
}

static size_t line_length(const char *line)
{
    return strcspn(line, "\n");
}

bool coll_mtree_params_find_difference(const char **own_p, const char **theirs_p)
{
    size_t own = line_length(*own_p), theirs = line_length(*theirs_p);

    while (own > 0 && own == theirs && strncmp(*own_p, *theirs_p, own) == 0) {
        *own_p += own + ((*own_p)[own] == '\n');
        *theirs_p += theirs + ((*theirs_p)[theirs] == '\n');
        own = line_length(*own_p);
        theirs = line_length(*theirs_p);
    }
    return own > 0 && theirs > 0;
}

/* The list is separated by commas; one of those that are not wanted begins with ^. */
bool coll_mtree_params_selected(const char *selection)
{
    while (is_set(selection) && *selection != '^') {
        size_t length = strcspn(selection, ",");

        if (length == strlen("mtree") && strncmp(selection, "mtree", length) == 0) {
            return true;
        }
        selection += length + (selection[length] == ',');
    }
    return false;
}

static bool asks_for_mtree(const coll_mtree_param_t *param)
{
    return param->type == COLL_MTREE_PARAM_BOOL
               ? *param->value.boolean
               : is_set(*param->value.string) &&
                     strcmp(*param->value.string, "none") != 0;
}

bool coll_mtree_params_ask(const char *selection)
{
    bool asks = coll_mtree_params_selected(selection);

    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        asks = asks || (table[i].is_request && asks_for_mtree(&table[i]));
    }
    return asks;
}

bool coll_mtree_params_relays_world(void)
{
    return is_set(coll_mtree_params.relays) &&
           strcmp(coll_mtree_params.relays, "world") == 0;
}

int coll_mtree_params_max_trees(int ranks)
{
    int trees =
        coll_mtree_params.trees > 0 ? coll_mtree_params.trees : COLL_MTREE_MOST_TREES;

    return trees > ranks ? trees : ranks;
}

size_t coll_mtree_params_min_bytes(void)
{
    return coll_mtree_params.encrypt ? 0 : coll_mtree_params.min_bytes;
}

coll_mtree_topology_choice_t coll_mtree_params_topology(void)
{
    const char *wanted = coll_mtree_params.topology;

    if (!is_set(wanted) || strcmp(wanted, "auto") == 0) {
        return COLL_MTREE_TOPOLOGY_AUTO;
    }
    return strcmp(wanted, "probe") == 0  ? COLL_MTREE_TOPOLOGY_PROBE
           : strcmp(wanted, "none") == 0 ? COLL_MTREE_TOPOLOGY_NONE
                                         : COLL_MTREE_TOPOLOGY_FILE;
}
