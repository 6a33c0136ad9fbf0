/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What mtree_probe_t holds, and its stages: for its own files.
 */
#ifndef MTREE_TOPO_PROBE_STATE_H
#define MTREE_TOPO_PROBE_STATE_H

#include "base/random.h"
#include "topo/probe/bottleneck.h"
#include "topo/probe/probe.h"
#include "topo/probe/routes.h"
#include "topo/probe/stream_picker.h"
#include "topo/probe/test_batch.h"

/* In this order; a stage that has nothing to do is passed over. */
typedef enum {
    MTREE_PROBE_STAGE_ROUTES,     /* trace */
    MTREE_PROBE_STAGE_TRIPS,      /* pings */
    MTREE_PROBE_STAGE_FANS,       /* each host over several of its links at once */
    MTREE_PROBE_STAGE_ALONE,      /* and over the fastest of these alone */
    MTREE_PROBE_STAGE_FANS_AGAIN, /* the same for hosts whose links seem to share */
    MTREE_PROBE_STAGE_ALONE_AGAIN,
    MTREE_PROBE_STAGE_CROSS, /* streams across each arc that is not known yet */
    MTREE_PROBE_STAGE_DONE
} mtree_probe_stage_t;

typedef struct {
    mtree_probe_trip_t trip; /* seconds: the least; 0 while there is none */
    double noise;            /* relative difference of the median and the least */
    int passes;              /* how often it was asked for */
} mtree_probe_pair_t;

struct mtree_probe {
    int num_hosts;
    char **names;
    double *speeds;
    mtree_probe_options_t options;
    mtree_random_t random;

    mtree_probe_stage_t stage;
    bool prepared; /* the stage's own lists are made */
    bool pending;  /* a round is out */
    int num_rounds, num_sets;
    double spent, bytes; /* seconds, bytes */
    double delay; /* seconds that rounds took longer than their streams, the most */
    int num_experiments, experiment_capacity;
    mtree_probe_experiment_t *experiments;
    char purpose[96];

    mtree_probe_routes_t *routes;
    bool has_graph, routes_known;
    mtree_probe_graph_t graph;
    double *latency;      /* [num_links] seconds */
    double latency_error; /* mean relative error of the trips */

    int num_pairs, pair_capacity;
    mtree_probe_pair_t *pairs;
    int num_streams, stream_capacity;
    mtree_probe_stream_t *streams;

    mtree_probe_arc_t *arcs; /* [2 num_links] as the streams explain them */
    int *tries;              /* [2 num_links] tests of the arc */
    bool *exhausted;         /* [2 num_links] no more streams can cross it */
    int *fastest;            /* [num_hosts] the arc to try alone after a fan, or -1 */
    bool *had_turn; /* [num_hosts] in the stage at hand, of fans or of links alone */
};

/* Add an experiment to the round at hand.  MTREE_ERR_NO_MEMORY (logged). */
mtree_status_t mtree_probe_add_experiment(mtree_probe_t *probe,
                                          mtree_probe_experiment_t experiment);

/* Fill the round with the next experiments of the stage, none when it is over. */
mtree_status_t mtree_probe_fill_routes(mtree_probe_t *probe);
mtree_status_t mtree_probe_fill_rtt(mtree_probe_t *probe);
mtree_status_t mtree_probe_fill_interface_test(mtree_probe_t *probe);
mtree_status_t mtree_probe_fill_single_link_test(mtree_probe_t *probe);
mtree_status_t mtree_probe_fill_cross(mtree_probe_t *probe);

/* What follows from a stage that is over: the graph from routes or trips and its
 * latencies; the interfaces that are shared. */
mtree_status_t mtree_probe_end_routes(mtree_probe_t *probe);
mtree_status_t mtree_probe_end_rtt(mtree_probe_t *probe);
mtree_status_t mtree_probe_end_single_link_test(mtree_probe_t *probe);
mtree_status_t mtree_probe_end_single_link_retest(mtree_probe_t *probe);

/* The latencies of the graph's links from the trips there are; the graph too, from the
 * trips, where there is none. */
mtree_status_t mtree_probe_fit_graph(mtree_probe_t *probe);

/* Fill probe->arcs for the graph as it is; tries and exhausted start anew when its links
 * have changed. */
mtree_status_t mtree_probe_explain(mtree_probe_t *probe);

/* Room for what is kept of each arc of the graph, nothing of it known. */
mtree_status_t mtree_probe_reset_arcs(mtree_probe_t *probe);

/*
 * Turn the tests of @a agenda into the round, as many of them as the budget has room for;
 * their hosts had their turn.  Streams last so long that all of it takes @a share of the
 * time that is left, if the usual length is longer and the least is not.
 */
mtree_status_t mtree_probe_set_agenda(mtree_probe_t *probe,
                                      mtree_probe_test_batch_t *agenda, double share,
                                      const char *purpose);

/*
 * Turn the streams that were picked into the round, if the budget has room for it.  @a
 * rounds is how many more there are likely to be, this one included: they share what is
 * left.  @a longer is how many times longer than usual they should take.
 */
mtree_status_t mtree_probe_set_round(mtree_probe_t *probe, mtree_probe_picker_t *picker,
                                     double longer, int rounds, const char *purpose);

/* Is the capacity of @a arc to be tested, for the first time or once more? */
bool mtree_probe_needs_test(const mtree_probe_t *probe, int arc);

/* Take in the results of the round at hand, which are of their form. */
mtree_status_t mtree_probe_keep_rtt(mtree_probe_t *probe,
                                    const mtree_probe_result_t *results);
mtree_status_t mtree_probe_keep_streams(mtree_probe_t *probe,
                                        const mtree_probe_result_t *results);

#endif
