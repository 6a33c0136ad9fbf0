/* SPDX-License-Identifier: BSD-3-Clause */
#include "topo/drift/drift_private.h"

#include <math.h>

/* Arcs whose ratios differ by less are equally near to full. */
#define ALIKE 0.1

/* Pressed hearings that an arc's typical ratio is the mean of, at least and at most. */
#define LEAST_HEARD 8
#define MOST_HEARD  16

/* An arc that typically gives less of what it should has its capacity corrected, and
 * one that was, again, when it gives more. */
#define GRADUAL_SLOWER 0.9
#define GRADUAL_FASTER 1.05

/* Hearings between two corrections: each doubles them up to the most, and so many times
 * as many without any halve them again. */
#define MOST_REST 512
#define CALM      4

/* Hearings until a corrected arc is tried at what it had, doubled by each correction. */
#define FIRST_RETRY 64
#define MOST_RETRY  2048

static double arc_ratio(const mtree_drift_t *drift, int a)
{
    return drift->arcs[a].backlogged_rate / mtree_drift_due(drift, a);
}

/* The arc of a pressed way that limits it: the fullest; of several that are equally full
 * the one that most pressed ways share. */
static int path_limit(const mtree_drift_t *drift, const mtree_drift_path_t *path)
{
    int num_arcs, best = -1;
    const int *route = mtree_routes_get(drift->routes, path->from, path->to, &num_arcs);
    double fullest = 0;

    for (int i = 0; i < num_arcs; i++) {
        fullest = fmax(fullest, arc_ratio(drift, route[i]));
    }
    for (int i = 0; i < num_arcs; i++) {
        if (arc_ratio(drift, route[i]) >= fullest - ALIKE &&
            (best < 0 || drift->arcs[route[i]].shared > drift->arcs[best].shared)) {
            best = route[i];
        }
    }
    return best;
}

/* Mark the arcs that limit a pressed way of this hearing. */
static void mark_limits(mtree_drift_t *drift)
{
    for (int a = 0; a < drift->num_arcs; a++) {
        drift->arcs[a].shared = 0;
        drift->arcs[a].limits = false;
    }
    for (int w = 0; w < drift->num_paths; w++) {
        const mtree_drift_path_t *path = &drift->paths[w];
        int num_arcs;
        const int *route =
            mtree_routes_get(drift->routes, path->from, path->to, &num_arcs);

        for (int i = 0; i < num_arcs; i++) {
            drift->arcs[route[i]].shared += path->backlogged >= MTREE_DRIFT_PRESSED;
        }
    }
    for (int w = 0; w < drift->num_paths; w++) {
        const mtree_drift_path_t *path = &drift->paths[w];
        int limit =
            path->backlogged >= MTREE_DRIFT_PRESSED ? path_limit(drift, path) : -1;

        if (limit >= 0) {
            drift->arcs[limit].limits = true;
        }
    }
}

/* Is an arc's capacity to be corrected? */
static bool arc_is_off(const mtree_drift_t *drift, int a)
{
    const mtree_drift_arc_t *arc = &drift->arcs[a];
    bool lowered =
        arc->corrected > 0 && mtree_arc_capacity(drift->topology, a) < arc->original;

    return arc->heard >= LEAST_HEARD && arc->trial == 0 &&
           (arc->typical < GRADUAL_SLOWER || (lowered && arc->typical > GRADUAL_FASTER));
}

static void arc_correct(mtree_drift_t *drift, int a)
{
    mtree_drift_arc_t *arc = &drift->arcs[a];
    double before = mtree_arc_capacity(drift->topology, a);

    mtree_drift_set_capacity(drift, a, fmin(before * arc->typical, arc->original));
    arc->corrected = arc->corrected == 0 ? FIRST_RETRY : 2 * arc->corrected;
    arc->corrected = arc->corrected < MOST_RETRY ? arc->corrected : MOST_RETRY;
    arc->retry = arc->corrected;
    arc->slowed = mtree_arc_capacity(drift->topology, a) < arc->original;
    arc->heard = 0;
    mtree_drift_describe(drift, a, "gives", before);
}

void mtree_drift_forget_gradual(mtree_drift_t *drift)
{
    for (int a = 0; a < drift->num_arcs; a++) {
        drift->arcs[a].heard = 0;
    }
    drift->rest = drift->between;
}

bool mtree_drift_correct(mtree_drift_t *drift)
{
    int used = 0, off = 0;

    mark_limits(drift);
    for (int a = 0; a < drift->num_arcs; a++) {
        mtree_drift_arc_t *arc = &drift->arcs[a];
        double ratio = arc_ratio(drift, a);

        used += arc->rate > 0;
        /* What is farther off is no little change. */
        if (arc->limits && ratio >= MTREE_DRIFT_SLOW && ratio <= MTREE_DRIFT_FAST) {
            arc->heard += arc->heard < MOST_HEARD;
            arc->typical = arc->heard == 1
                               ? ratio
                               : arc->typical + (ratio - arc->typical) / arc->heard;
        }
        off += arc_is_off(drift, a);
    }
    drift->rest -= drift->rest > 0;
    if (++drift->steady >= CALM * drift->between) {
        drift->steady = 0;
        drift->between =
            drift->between / 2 > MTREE_DRIFT_REST ? drift->between / 2 : MTREE_DRIFT_REST;
    }
    /* Where most moved alike, it is the processors. */
    if (off == 0 || 2 * off > used || drift->rest > 0) {
        return false;
    }
    for (int a = 0; a < drift->num_arcs; a++) {
        if (arc_is_off(drift, a)) {
            arc_correct(drift, a);
        }
    }
    drift->steady = 0;
    drift->between = 2 * drift->between < MOST_REST ? 2 * drift->between : MOST_REST;
    mtree_drift_forget_gradual(drift);
    return true;
}
