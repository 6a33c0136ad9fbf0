/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The insides of a drift, shared by drift.c (what hearings come to), attribute.c (what
 * one hearing says of each arc) and gradual.c (what many say, of little changes).
 */
#ifndef MTREE_TOPO_DRIFT_DRIFT_PRIVATE_H
#define MTREE_TOPO_DRIFT_DRIFT_PRIVATE_H

#include "topo/drift/drift.h"
#include "topo/routes.h"

/* What is left of a link's capacity for data, headers and acknowledgements taken off. */
#define MTREE_DRIFT_EFFICIENCY 0.95

/* A way that was pressed for less of the time tells nothing: bursts pass faster than the
 * link's rate. */
#define MTREE_DRIFT_PRESSED 0.3

/* Of what a link should give: with less it is slow, with so much more it is fast.  A
 * jitter of 20 % stays between. */
#define MTREE_DRIFT_SLOW 0.7
#define MTREE_DRIFT_FAST 1.3

/* The least number of hearings between two corrections of little changes. */
#define MTREE_DRIFT_REST 8

/* An arc of the topology. */
typedef struct {
    double original;       /* its capacity before any link was found slow */
    double slower, faster; /* octaves that have come together */
    bool slowed;           /* it was found slow, and not seen to have healed */
    int retry;   /* hearings to go until it is tried at more, while it is slowed */
    int between; /* what retry begins with the next time */
    int trial;   /* hearings to go of its trial; 0: there is none */
    /* Of the hearing at hand. */
    double rate, backlogged_rate; /* of all ways over it; the second counts pressed ways
                                  at what they give while they are */
    double backlogged;            /* the greatest part of the time that one was pressed */
    int unexplained;              /* ways over it that are slow without a reason */
    bool slow;                    /* it is the reason */
    int shared;                   /* pressed ways over it */
    bool limits;                  /* it is what limits one of them */
    /* Of little changes: what it gave of what it should, the mean of so many hearings in
     * which it limited something; hearings until its next trial, 0: never corrected. */
    double typical;
    int heard, corrected;
} mtree_drift_arc_t;

/* A way of the hearing at hand. */
typedef struct {
    int from, to;
    double rate, backlogged_rate, backlogged;
} mtree_drift_path_t;

struct mtree_drift {
    mtree_topology_t *topology;
    mtree_routes_t *routes;
    int num_hosts, num_arcs;
    mtree_drift_arc_t *arcs;
    double *ratios;            /* [num_arcs] for medians */
    mtree_drift_path_t *paths; /* [num_ways] */
    int num_paths, path_capacity;
    double patience;
    int calm;          /* hearings since the last change */
    int rest, between; /* hearings until the next correction; what rest begins with */
    int steady;        /* hearings since the last one, or since between was halved */
    char change_summary[512];
};

/* What an arc should give. */
static inline double mtree_drift_due(const mtree_drift_t *drift, int a)
{
    return MTREE_DRIFT_EFFICIENCY * mtree_arc_capacity(drift->topology, a);
}

/*
 * Find from @a samples what each arc carried, and the fewest arcs that are the reason of
 * all slow ways.  False: no memory.
 */
bool mtree_drift_listen(mtree_drift_t *drift, const mtree_path_sample_t *samples,
                        int num_samples);

/* Set an arc's capacity; add to the news that it is @a verb that, and not @a before. */
void mtree_drift_set_capacity(mtree_drift_t *drift, int a, double capacity);
void mtree_drift_describe(mtree_drift_t *drift, int a, const char *verb, double before);

/* After a hearing: correct capacities that have been off by little in many; true when
 * some were. */
bool mtree_drift_correct(mtree_drift_t *drift);

/* Capacities have changed otherwise: what was heard of little changes is of no use. */
void mtree_drift_forget_gradual(mtree_drift_t *drift);

#endif
