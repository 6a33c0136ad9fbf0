/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What mtree_drift_t holds.  attribute.c finds the arcs that one observation shows to be
 * slow, drift.c sums up observations and changes capacities, gradual.c corrects
 * capacities by small amounts after many observations, link_check.c sets them to what was
 * measured.
 */
#ifndef MTREE_TOPO_DRIFT_DRIFT_PRIVATE_H
#define MTREE_TOPO_DRIFT_DRIFT_PRIVATE_H

#include "topo/drift/drift.h"
#include "topo/routes.h"

/* The part of a link's capacity that carries data; the rest is headers and
 * acknowledgements. */
#define MTREE_DRIFT_EFFICIENCY 0.95

/* A path that is backlogged for a smaller part of the time shows nothing about its links:
 * bursts pass faster than the link's rate. */
#define MTREE_DRIFT_BACKLOGGED 0.3

/* Ratios of the observed to the expected rate: below the first a link is slow, above the
 * second it is fast.  A jitter of 20 % stays between them. */
#define MTREE_DRIFT_SLOW 0.7
#define MTREE_DRIFT_FAST 1.3

/* The least number of observations between two gradual corrections. */
#define MTREE_DRIFT_MIN_INTERVAL 8

/* Observations after which a changed arc is tried at more: twice as many after each time
 * in vain, up to the last. */
#define MTREE_DRIFT_FIRST_RETRY 64
#define MTREE_DRIFT_MAX_RETRY   2048

/* An arc of the topology. */
typedef struct {
    double original;       /* its capacity before any link was found slow */
    double slower, faster; /* octaves, summed over observations */
    bool slowed;           /* it was found slow, and has not recovered */
    int retry;          /* observations until it is tried at more, while it is slowed */
    int retry_interval; /* the value from which retry counts down the next time */
    int trial;          /* observations that its trial still lasts; 0: it has none */
    /* In the current observation. */
    double rate, backlogged_rate; /* sums over its paths; the second takes the rates
                                     of backlogged paths while they are */
    double backlogged;            /* the greatest of its paths */
    int unexplained;              /* paths over it that are slow without a cause */
    bool slow;                    /* it is a cause */
    int shared;                   /* backlogged paths over it */
    bool limits;                  /* it limits one of them */
    /* For gradual changes: the mean ratio of its observed to its expected rate, over so
     * many observations in which it limited a path. */
    double typical;
    int num_observations;
    int correction_retry; /* observations from a correction to its trial; 0: never
                             corrected */
} mtree_drift_arc_t;

/* The traffic between two hosts in the current observation. */
typedef struct {
    int from, to;
    double rate, backlogged_rate, backlogged;
} mtree_drift_path_t;

/* When the links are checked (topo/drift/link_check.h). */
typedef struct {
    int slow;       /* observations of slow calls in a row */
    int wait;       /* observations until a check is allowed */
    int interval;   /* from one check to the next; 0: there was none */
    double seconds; /* of the calls that were observed */
} mtree_drift_check_t;

struct mtree_drift {
    mtree_topology_t *topology;
    mtree_routes_t *routes;
    const int *hosts; /* [num_hosts] vertices, the caller's */
    int num_hosts, num_arcs;
    mtree_drift_arc_t *arcs;
    double *ratios;            /* [num_arcs] for medians */
    mtree_drift_path_t *paths; /* [num_paths] */
    int num_paths;
    double threshold; /* octaves at which a capacity is changed */
    int quiet;        /* observations since the last change */
    int wait;         /* observations until a gradual correction is allowed */
    int interval;     /* between two of them */
    int steady;       /* observations since the last one, or since interval was halved */
    mtree_drift_check_t check;
    char change_summary[512];
};

/* The rate of data that arc @a a should carry, bits/s. */
static inline double mtree_drift_expected(const mtree_drift_t *drift, int a)
{
    return MTREE_DRIFT_EFFICIENCY * mtree_arc_capacity(drift->topology, a);
}

/*
 * Set what each arc carried according to @a samples, and find the smallest set of arcs
 * that explains all slow paths.
 */
void mtree_drift_attribute(mtree_drift_t *drift, const mtree_path_sample_t *samples,
                           int num_samples);

/* Set an arc's capacity; add "@a verb <capacity>, not @a before" to the summary. */
void mtree_drift_set_capacity(mtree_drift_t *drift, int a, double capacity);
void mtree_drift_describe(mtree_drift_t *drift, int a, const char *verb, double before);

/* After an observation: correct capacities that many observations show to be off by a
 * small amount; true when some were. */
bool mtree_drift_correct(mtree_drift_t *drift);

/* Forget the observations of gradual changes, as capacities have changed otherwise. */
void mtree_drift_forget_gradual(mtree_drift_t *drift);

#endif
