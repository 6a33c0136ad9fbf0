/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What mtree_probe_t holds, and the functions of its stages.  Internal to topo/probe.
 */
#ifndef MTREE_TOPO_PROBE_STATE_H
#define MTREE_TOPO_PROBE_STATE_H

#include "base/arena.h"
#include "base/random.h"
#include "topo/probe/bottleneck.h"
#include "topo/probe/networks.h"
#include "topo/probe/probe.h"
#include "topo/probe/routes.h"
#include "topo/probe/traceroute_search.h"

/* The stages in their order; one that has nothing to do is skipped. */
typedef enum {
    MTREE_PROBE_STAGE_ROUTES,             /* packets with a limit of hops */
    MTREE_PROBE_STAGE_RTT,                /* pings */
    MTREE_PROBE_STAGE_INTERFACE_TEST,     /* all use several of their links at once, */
    MTREE_PROBE_STAGE_SINGLE_LINK_TEST,   /* then each the fastest of these alone */
    MTREE_PROBE_STAGE_INTERFACE_RETEST,   /* the same once more, */
    MTREE_PROBE_STAGE_SINGLE_LINK_RETEST, /* for hosts whose links seem to share */
    MTREE_PROBE_STAGE_CROSS, /* streams across each arc whose capacity is unknown */
    MTREE_PROBE_STAGE_NETWORKS,
    MTREE_PROBE_STAGE_DONE
} mtree_probe_stage_t;

typedef struct {
    mtree_probe_rtt_t rtt; /* seconds: the least; 0: none yet */
    double noise;          /* relative difference of the median and the least */
    double send;           /* least seconds of a processor for a message; 0: not known */
    int passes;            /* how often it was asked for */
} mtree_probe_pair_t;

/* The capacity of an arc of another map. */
typedef struct {
    const char *from, *to; /* names */
    bool
        at_host[2]; /* that end is a host, has no other link, and the other is a switch */
    double capacity; /* bits/s */
} mtree_probe_known_t;

struct mtree_probe {
    int num_hosts;
    const char **names;
    double *speeds;
    mtree_probe_options_t options;
    mtree_random_t random;

    mtree_probe_stage_t stage;
    int num_rounds;
    double spent, bytes; /* seconds, bytes */
    double delay;        /* most seconds that a round took longer than its streams */
    int num_experiments, experiment_capacity;
    mtree_probe_experiment_t *experiments;
    char purpose[96];

    mtree_probe_routes_t *routes;
    mtree_traceroute_search_t *search;
    bool has_graph, routes_known;
    mtree_probe_graph_t graph;
    double *latency;      /* [num_links] seconds */
    double latency_error; /* mean relative error of the fitted round trips */

    int num_pairs, pair_capacity;
    mtree_probe_pair_t *pairs;
    int num_streams, stream_capacity;
    mtree_probe_stream_t *streams;

    mtree_probe_known_t *known; /* before this probe */
    int num_known, known_capacity;

    mtree_probe_arc_t *arcs; /* [2 num_links] */
    int *fastest;            /* [num_hosts] the arc of the single link test, or -1 */
    bool *tested;            /* [num_hosts] in the current stage */

    mtree_networks_t networks;
    int num_network_rounds; /* so far */

    mtree_arena_t arena;   /* of what stays until the end */
    mtree_arena_t scratch; /* of what mtree_probe_next() and _record() need meanwhile */
};

/* Write to the record. */
void mtree_probe_write(const mtree_probe_t *probe, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Add an experiment to the current round. */
void mtree_probe_add_experiment(mtree_probe_t *probe,
                                mtree_probe_experiment_t experiment);

/* Fill the round with the next experiments of the stage, none when it is over. */
void mtree_probe_fill_trace(mtree_probe_t *probe);
void mtree_probe_fill_rtt(mtree_probe_t *probe);
void mtree_probe_fill_interface_test(mtree_probe_t *probe);
void mtree_probe_fill_single_link_test(mtree_probe_t *probe);
void mtree_probe_fill_cross(mtree_probe_t *probe);
void mtree_probe_fill_networks(mtree_probe_t *probe);

/* What messages cost, the median of the pairs' in *cost; as it is where no ping told. */
void mtree_probe_find_cost(mtree_probe_t *probe, mtree_message_cost_t *cost);

/* List the pairs of hosts to ping. */
void mtree_probe_list_pairs(mtree_probe_t *probe);

/* Draw the conclusions of a stage that is over: the graph, from routes, and whom to ping;
 * the link that each host uses alone; the interfaces that links share. */
mtree_status_t mtree_probe_end_routes(mtree_probe_t *probe);
mtree_status_t mtree_probe_end_interface_test(mtree_probe_t *probe);
mtree_status_t mtree_probe_end_single_link_test(mtree_probe_t *probe);
mtree_status_t mtree_probe_end_single_link_retest(mtree_probe_t *probe);

/* Fit the latencies of the graph's links to the round trips; infer the graph from them,
 * too, where there is none yet. */
mtree_status_t mtree_probe_fit_graph(mtree_probe_t *probe);

/* Allocate anew what is kept of each arc of the graph, and fill it in. */
void mtree_probe_reset_arcs(mtree_probe_t *probe);

/* Set what is reused of the arcs of the current graph. */
void mtree_probe_find_known(const mtree_probe_t *probe);

/* How many streams @a share of the bytes that are left is enough for, if each sends for a
 * round trip of @a rtt seconds at least. */
int mtree_probe_affordable(const mtree_probe_t *probe, double share, double rtt);

/* Add a stream between two hosts that have a path to the round. */
void mtree_probe_add_stream(mtree_probe_t *probe, int from, int to);

/*
 * Set the length of the streams that were added to the round, as the longest round trip
 * asks for, and their bytes.  They are shortened, to the least length at most, such that
 * the round takes @a seconds_share of the time that is left; streams too long for that
 * are left out.  All together send @a bytes_share of the bytes that are left.
 */
void mtree_probe_set_round(mtree_probe_t *probe, double seconds_share, double bytes_share,
                           const char *purpose);

/* Take in the results of the current round, which are valid. */
void mtree_probe_keep_traces(mtree_probe_t *probe, const mtree_probe_result_t *results);
void mtree_probe_keep_rtt(mtree_probe_t *probe, const mtree_probe_result_t *results);
void mtree_probe_keep_streams(mtree_probe_t *probe, const mtree_probe_result_t *results);
void mtree_probe_keep_networks(mtree_probe_t *probe, const mtree_probe_result_t *results);

#endif
