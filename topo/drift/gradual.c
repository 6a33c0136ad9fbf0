/* SPDX-License-Identifier: BSD-3-Clause */
#include "topo/drift/drift_private.h"

#include <math.h>

/* Arcs whose ratios differ by less are equally full. */
#define EQUAL_RATIO 0.1

/* Observations that an arc's typical ratio is the mean of, at least and at most. */
#define MIN_OBSERVATIONS 8
#define MAX_OBSERVATIONS 16

/* An arc whose typical ratio is below the first has its capacity corrected; one that was
 * lowered is corrected again above the second. */
#define GRADUAL_SLOWER 0.9
#define GRADUAL_FASTER 1.05

/* The interval between two corrections, in observations: each doubles it up to the
 * maximum, and so many intervals without any halve it again. */
#define MAX_INTERVAL 512
#define QUIET        4

static double arc_ratio(const mtree_drift_t *drift, int a)
{
    return drift->arcs[a].backlogged_rate / mtree_drift_expected(drift, a);
}

/* The arc that limits a backlogged path: the fullest, and among equally full ones that
 * which most backlogged paths share. */
static int path_limit(const mtree_drift_t *drift, const mtree_drift_path_t *path)
{
    double fullest = 0;
    int best = -1;

    MTREE_ROUTE_ARCS (arc, drift->routes, path->from, path->to) {
        fullest = fmax(fullest, arc_ratio(drift, arc));
    }
    MTREE_ROUTE_ARCS (arc, drift->routes, path->from, path->to) {
        if (arc_ratio(drift, arc) >= fullest - EQUAL_RATIO &&
            (best < 0 || drift->arcs[arc].shared > drift->arcs[best].shared)) {
            best = arc;
        }
    }
    return best;
}

/* Mark the arcs that limit a backlogged path of this observation. */
static void mark_limits(mtree_drift_t *drift)
{
    for (int a = 0; a < drift->num_arcs; a++) {
        drift->arcs[a].shared = 0;
        drift->arcs[a].limits = false;
    }
    for (int p = 0; p < drift->num_paths; p++) {
        const mtree_drift_path_t *path = &drift->paths[p];

        MTREE_ROUTE_ARCS (arc, drift->routes, path->from, path->to) {
            drift->arcs[arc].shared += path->backlogged >= MTREE_DRIFT_BACKLOGGED;
        }
    }
    for (int p = 0; p < drift->num_paths; p++) {
        const mtree_drift_path_t *path = &drift->paths[p];
        int limit =
            path->backlogged >= MTREE_DRIFT_BACKLOGGED ? path_limit(drift, path) : -1;

        if (limit >= 0) {
            drift->arcs[limit].limits = true;
        }
    }
}

/* Is an arc's capacity to be correction_retry? */
static bool arc_is_off(const mtree_drift_t *drift, int a)
{
    const mtree_drift_arc_t *arc = &drift->arcs[a];
    bool lowered = arc->correction_retry > 0 &&
                   mtree_arc_capacity(drift->topology, a) < arc->original;

    return arc->num_observations >= MIN_OBSERVATIONS && arc->trial == 0 &&
           (arc->typical < GRADUAL_SLOWER || (lowered && arc->typical > GRADUAL_FASTER));
}

static void arc_correct(mtree_drift_t *drift, int a)
{
    mtree_drift_arc_t *arc = &drift->arcs[a];
    double before = mtree_arc_capacity(drift->topology, a);

    mtree_drift_set_capacity(drift, a, fmin(before * arc->typical, arc->original));
    arc->correction_retry =
        arc->correction_retry == 0 ? MTREE_DRIFT_FIRST_RETRY : 2 * arc->correction_retry;
    arc->correction_retry = arc->correction_retry < MTREE_DRIFT_MAX_RETRY
                                ? arc->correction_retry
                                : MTREE_DRIFT_MAX_RETRY;
    arc->retry = arc->correction_retry;
    arc->slowed = mtree_arc_capacity(drift->topology, a) < arc->original;
    arc->num_observations = 0;
    mtree_drift_describe(drift, a, "gives", before);
}

void mtree_drift_forget_gradual(mtree_drift_t *drift)
{
    for (int a = 0; a < drift->num_arcs; a++) {
        drift->arcs[a].num_observations = 0;
    }
    drift->wait = drift->interval;
}

bool mtree_drift_correct(mtree_drift_t *drift)
{
    int used = 0, off = 0;

    mark_limits(drift);
    for (int a = 0; a < drift->num_arcs; a++) {
        mtree_drift_arc_t *arc = &drift->arcs[a];
        double ratio = arc_ratio(drift, a);

        used += arc->rate > 0;
        /* A ratio beyond these is no gradual change. */
        if (arc->limits && ratio >= MTREE_DRIFT_SLOW && ratio <= MTREE_DRIFT_FAST) {
            arc->num_observations += arc->num_observations < MAX_OBSERVATIONS;
            arc->typical =
                arc->num_observations == 1
                    ? ratio
                    : arc->typical + (ratio - arc->typical) / arc->num_observations;
        }
        off += arc_is_off(drift, a);
    }
    drift->wait -= drift->wait > 0;
    if (++drift->steady >= QUIET * drift->interval) {
        drift->steady = 0;
        drift->interval = drift->interval / 2 > MTREE_DRIFT_MIN_INTERVAL
                              ? drift->interval / 2
                              : MTREE_DRIFT_MIN_INTERVAL;
    }
    /* Where most arcs are off, the cause is the processors. */
    if (off == 0 || 2 * off > used || drift->wait > 0) {
        return false;
    }
    for (int a = 0; a < drift->num_arcs; a++) {
        if (arc_is_off(drift, a)) {
            arc_correct(drift, a);
        }
    }
    drift->steady = 0;
    drift->interval =
        2 * drift->interval < MAX_INTERVAL ? 2 * drift->interval : MAX_INTERVAL;
    mtree_drift_forget_gradual(drift);
    return true;
}
