/* SPDX-License-Identifier: BSD-3-Clause */
#include "topo/drift/drift_private.h"

#include "base/log.h"
#include "base/median.h"
#include "base/memory.h"
#include "base/units.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Slowness is counted in octaves (halvings of the rate).  A capacity is changed after so
 * many octaves in all; one observation counts at most so many. */
#define MIN_THRESHOLD 3.0
#define MAX_OCTAVES   2.0

/* The largest factor by which a capacity falls at once. */
#define MAX_CUT 16

/* Each change doubles the threshold up to the maximum; so many observations without one
 * halve it again, down to the minimum. */
#define MAX_THRESHOLD 96.0
#define QUIET         32

/* Observations that a trial lasts, and those from a successful one to the next. */
#define TRIAL      6
#define NEXT_RETRY 8

/* A slow link that carries this part of the expected rate and is hardly backlogged seems
 * to have recovered: such an observation counts as several. */
#define EASED_LOAD       0.5
#define EASED_BACKLOGGED 0.15
#define EASED_COUNT      16

mtree_status_t mtree_drift_create(const mtree_topology_t *topology, const int *hosts,
                                  int num_hosts, mtree_drift_t **drift_p)
{
    mtree_drift_t *drift = mtree_calloc(1, sizeof(*drift));
    size_t arcs = 2 * (size_t)topology->num_links;
    mtree_status_t status;

    drift->hosts = hosts;
    drift->num_hosts = num_hosts;
    drift->num_arcs = (int)arcs;
    drift->threshold = MIN_THRESHOLD;
    drift->wait = drift->interval = MTREE_DRIFT_MIN_INTERVAL;
    drift->arcs = mtree_calloc(arcs, sizeof(*drift->arcs));
    drift->ratios = mtree_malloc(arcs * sizeof(*drift->ratios));
    drift->topology = mtree_topology_copy(topology);
    status = mtree_routes_create(drift->topology, hosts, num_hosts, &drift->routes);
    if (status != MTREE_OK) {
        mtree_drift_destroy(drift);
        return status;
    }
    for (int a = 0; a < drift->num_arcs; a++) {
        drift->arcs[a].original = mtree_arc_capacity(drift->topology, a);
        drift->arcs[a].retry_interval = MTREE_DRIFT_FIRST_RETRY;
    }
    *drift_p = drift;
    return MTREE_OK;
}

void mtree_drift_destroy(mtree_drift_t *drift)
{
    if (drift == NULL) {
        return;
    }
    mtree_routes_destroy(drift->routes);
    mtree_topology_destroy(drift->topology);
    free(drift->arcs);
    free(drift->ratios);
    free(drift->paths);
    free(drift);
}

const mtree_topology_t *mtree_drift_topology(const mtree_drift_t *drift)
{
    return drift->topology;
}

const char *mtree_drift_change_summary(const mtree_drift_t *drift)
{
    return drift->change_summary;
}

void mtree_drift_set_capacity(mtree_drift_t *drift, int a, double capacity)
{
    /* However little came over a link that stood still. */
    drift->topology->links[a >> 1].capacity[a & 1] =
        fmax(capacity, MTREE_TOPOLOGY_MIN_CAPACITY);
}

static const char *arc_from_name(const mtree_drift_t *drift, int a)
{
    return drift->topology->vertices[mtree_arc_from(drift->topology, a)].name;
}

static const char *arc_to_name(const mtree_drift_t *drift, int a)
{
    return drift->topology->vertices[mtree_arc_to(drift->topology, a)].name;
}

void mtree_drift_describe(mtree_drift_t *drift, int a, const char *verb, double before)
{
    const mtree_topology_t *topology = drift->topology;
    size_t used = strlen(drift->change_summary);
    char now[32], then[32];

    mtree_units_format_rate(mtree_arc_capacity(topology, a), now, sizeof(now));
    mtree_units_format_rate(before, then, sizeof(then));
    (void)snprintf(drift->change_summary + used, sizeof(drift->change_summary) - used,
                   "%s%s->%s %s %s, not %s", used == 0 ? "" : "; ",
                   arc_from_name(drift, a), arc_to_name(drift, a), verb, now, then);
}

/* Octaves from @a low up to @a high. */
static double octaves(double low, double high)
{
    return fmin(log2(high / low), MAX_OCTAVES);
}

/* Add what the current observation shows about one arc to what is known. */
static void arc_judge(mtree_drift_t *drift, int a)
{
    mtree_drift_arc_t *arc = &drift->arcs[a];
    double due = mtree_drift_expected(drift, a);

    if (arc->slow) {
        arc->slower += octaves(arc->backlogged_rate, due);
        arc->faster = 0;
        mtree_debug(
            "%s->%s gives %.3g of %.3g Mb/s and was backlogged for %.0f %% of the "
            "time: %.1f octaves of %.1f",
            arc_from_name(drift, a), arc_to_name(drift, a), arc->backlogged_rate / 1e6,
            due / 1e6, 100 * arc->backlogged, arc->slower, drift->threshold);
    } else if (arc->rate > MTREE_DRIFT_FAST * due) {
        arc->faster += octaves(due, arc->rate);
        arc->slower = 0;
    } else if (arc->backlogged >= MTREE_DRIFT_BACKLOGGED &&
               arc->backlogged_rate >= MTREE_DRIFT_SLOW * due) {
        arc->slower = arc->faster = 0;
    } else if (arc->trial == 0) {
        arc->slower /= 2;
        arc->faster /= 2;
    }
}

/*
 * When most arcs that carry data have drifted the same way, the cause is the processors
 * or the unit of the file, and no link.  All capacities then change together, which
 * changes no plan.
 */
static bool drift_is_common(mtree_drift_t *drift)
{
    int used = 0, slow = 0, fast = 0;
    double ratio;

    for (int a = 0; a < drift->num_arcs; a++) {
        const mtree_drift_arc_t *arc = &drift->arcs[a];
        bool is_fast = arc->rate > MTREE_DRIFT_FAST * mtree_drift_expected(drift, a);

        used += arc->rate > 0;
        if (arc->slow || is_fast) {
            drift->ratios[slow + fast] = (arc->slow ? arc->backlogged_rate : arc->rate) /
                                         mtree_drift_expected(drift, a);
        }
        slow += arc->slow;
        fast += is_fast && !arc->slow;
    }
    if (2 * slow <= used && 2 * fast <= used) {
        return false;
    }
    ratio = mtree_median(drift->ratios, slow + fast);
    for (int i = 0; i < slow + fast && fast > slow; i++) {
        ratio = fmax(ratio, drift->ratios[i]); /* of the arcs that are full */
    }
    for (int a = 0; a < drift->num_arcs; a++) {
        mtree_drift_set_capacity(drift, a,
                                 ratio * mtree_arc_capacity(drift->topology, a));
        drift->arcs[a].original *= ratio;
        drift->arcs[a].slower = drift->arcs[a].faster = 0;
    }
    return true;
}

/* Observations have shown that an arc gives less than its capacity. */
static void arc_slow_down(mtree_drift_t *drift, int a)
{
    mtree_drift_arc_t *arc = &drift->arcs[a];
    double before = mtree_arc_capacity(drift->topology, a);

    if (arc->trial > 0 && arc->retry_interval < MTREE_DRIFT_MAX_RETRY) {
        arc->retry_interval *= 2;
    }
    /* A capacity must not become 0. */
    mtree_drift_set_capacity(
        drift, a, fmax(arc->backlogged_rate / MTREE_DRIFT_EFFICIENCY, before / MAX_CUT));
    arc->slowed = true;
    arc->retry = arc->retry_interval;
    arc->trial = 0;
    arc->slower = 0;
    mtree_drift_describe(drift, a, "gives", before);
}

static void arc_speed_up(mtree_drift_t *drift, int a)
{
    mtree_drift_arc_t *arc = &drift->arcs[a];
    double before = mtree_arc_capacity(drift->topology, a);

    mtree_drift_set_capacity(drift, a, arc->rate / MTREE_DRIFT_EFFICIENCY);
    arc->original = fmax(arc->original, arc->rate / MTREE_DRIFT_EFFICIENCY);
    arc->faster = 0;
    mtree_drift_describe(drift, a, "gives", before);
}

/* Change the capacities whose octaves have reached the threshold. */
static bool drift_change(mtree_drift_t *drift)
{
    bool changed = false;
    bool tried = true; /* every change is the end of a trial */

    for (int a = 0; a < drift->num_arcs; a++) {
        mtree_drift_arc_t *arc = &drift->arcs[a];

        if (arc->slow && arc->slower >= drift->threshold) {
            tried = tried && arc->trial > 0;
            arc_slow_down(drift, a);
        } else if (arc->faster >= drift->threshold) {
            tried = false;
            arc_speed_up(drift, a);
        } else {
            continue;
        }
        changed = true;
    }
    if (changed && !tried) {
        drift->threshold = fmin(2 * drift->threshold, MAX_THRESHOLD);
        drift->quiet = 0;
    }
    return changed;
}

/* Count an observation for an arc that was found slow; is its next trial due? */
static bool arc_is_retry_due(mtree_drift_t *drift, int a)
{
    mtree_drift_arc_t *arc = &drift->arcs[a];
    double due = mtree_drift_expected(drift, a);

    if (arc->trial > 0) {
        if (--arc->trial == 0) {
            arc->slowed = mtree_arc_capacity(drift->topology, a) < arc->original;
            arc->slower = 0;
            arc->retry_interval = MTREE_DRIFT_FIRST_RETRY;
            arc->retry = NEXT_RETRY;
        }
        return false;
    }
    if (arc->backlogged >= MTREE_DRIFT_BACKLOGGED &&
        arc->backlogged_rate < MTREE_DRIFT_FAST * due) {
        return false; /* it is seen to give no more */
    }
    arc->retry -= arc->backlogged < EASED_BACKLOGGED && arc->rate > EASED_LOAD * due
                      ? EASED_COUNT
                      : 1;
    return arc->retry <= 0;
}

/* Begin the trials that are due, in both directions at once: a tree needs both. */
static mtree_drift_change_t drift_retry(mtree_drift_t *drift)
{
    mtree_drift_change_t change = MTREE_DRIFT_NOTHING;

    for (int a = 0; a < drift->num_arcs; a++) {
        if (!drift->arcs[a].slowed || !arc_is_retry_due(drift, a)) {
            continue;
        }
        for (int each = a & ~1; each <= (a | 1); each++) {
            mtree_drift_arc_t *arc = &drift->arcs[each];
            double before = mtree_arc_capacity(drift->topology, each);

            if (arc->slowed && arc->trial == 0) {
                mtree_drift_set_capacity(drift, each, fmin(arc->original, 2 * before));
                arc->trial = TRIAL;
                arc->slower = drift->threshold; /* one slow observation ends it */
                mtree_drift_describe(drift, each, "is tried at", before);
                if (before < MTREE_DRIFT_SLOW * arc->original) {
                    change = MTREE_DRIFT_LARGE;
                } else if (change == MTREE_DRIFT_NOTHING) {
                    change = MTREE_DRIFT_SMALL;
                }
            }
        }
    }
    return change;
}

/* The link with ends that @a sample says is not as it was; -1: it says so of none. */
static int changed_link(const mtree_drift_t *drift, const mtree_path_sample_t *sample)
{
    int arc;

    if (sample->link == MTREE_LINK_CARRIES ||
        mtree_routes_links(drift->routes, sample->from, sample->to) != 1) {
        return -1;
    }
    arc = mtree_routes_first(drift->routes, sample->from, sample->to);
    return drift->topology->links[arc >> 1].num_cables > 0 ? arc >> 1 : -1;
}

/* Leave link number @a l out; false: it joins hosts that nothing else does. */
static bool leave_out(mtree_drift_t *drift, int l)
{
    mtree_link_t *link = &drift->topology->links[l];
    const mtree_link_t before = *link;
    mtree_routes_t *routes;
    int from, to;

    link->capacity[0] = link->capacity[1] = 0;
    if (mtree_topology_find_unreachable(drift->topology, &from, &to) != MTREE_OK ||
        mtree_routes_create(drift->topology, drift->hosts, drift->num_hosts, &routes) !=
            MTREE_OK) {
        *link = before;
        return false;
    }
    mtree_routes_destroy(drift->routes);
    drift->routes = routes;
    drift->arcs[2 * l] = drift->arcs[2 * l + 1] = (mtree_drift_arc_t){.original = 0};
    return true;
}

/* What samples say of links with ends. */
static mtree_link_state_t drift_lose(mtree_drift_t *drift,
                                     const mtree_path_sample_t *samples, int num_samples)
{
    mtree_link_state_t state = MTREE_LINK_CARRIES;

    for (int i = 0; i < num_samples; i++) {
        const int l = changed_link(drift, &samples[i]);
        size_t used = strlen(drift->change_summary);

        if (l >= 0 && samples[i].link == MTREE_LINK_LOST && state != MTREE_LINK_GONE) {
            state = MTREE_LINK_LOST;
        } else if (l >= 0 && samples[i].link == MTREE_LINK_GONE && leave_out(drift, l)) {
            state = MTREE_LINK_GONE;
            (void)snprintf(drift->change_summary + used,
                           sizeof(drift->change_summary) - used, "%s%s--%s is gone",
                           used == 0 ? "" : "; ", arc_from_name(drift, 2 * l),
                           arc_to_name(drift, 2 * l));
        }
    }
    return state;
}

mtree_drift_change_t mtree_drift_update(mtree_drift_t *drift,
                                        const mtree_path_sample_t *samples,
                                        int num_samples)
{
    mtree_drift_change_t tried;
    mtree_link_state_t links;
    bool changed;

    drift->change_summary[0] = '\0';
    links = drift_lose(drift, samples, num_samples);
    if (links != MTREE_LINK_CARRIES) {
        mtree_drift_forget_gradual(drift);
        return links == MTREE_LINK_GONE ? MTREE_DRIFT_GONE : MTREE_DRIFT_NOTHING;
    }
    mtree_drift_attribute(drift, samples, num_samples);
    if (drift_is_common(drift)) {
        mtree_drift_forget_gradual(drift);
        return MTREE_DRIFT_NOTHING;
    }
    for (int a = 0; a < drift->num_arcs; a++) {
        arc_judge(drift, a);
    }
    changed = drift_change(drift);
    if (++drift->quiet % QUIET == 0) {
        drift->threshold = fmax(drift->threshold / 2, MIN_THRESHOLD);
    }
    tried = drift_retry(drift);
    if (changed || tried != MTREE_DRIFT_NOTHING) {
        mtree_drift_forget_gradual(drift);
        return changed ? MTREE_DRIFT_LARGE : tried;
    }
    return mtree_drift_correct(drift) ? MTREE_DRIFT_SMALL : MTREE_DRIFT_NOTHING;
}
