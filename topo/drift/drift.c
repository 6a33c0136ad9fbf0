/* SPDX-License-Identifier: BSD-3-Clause */
#include "topo/drift/drift_private.h"

#include "base/log.h"
#include "base/median.h"
#include "base/units.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Slowness is counted in octaves (halvings).  So many must have come together before
 * anything is changed, at most so many of them in one hearing. */
#define PATIENCE     3.0
#define MOST_OCTAVES 2.0

/* Times by which a capacity falls at once. */
#define MOST_CUT 16

/* Each change doubles the patience up to the most; so many hearings without one halve it
 * again, down to what it was. */
#define MOST_PATIENCE 96.0
#define CALM          32

/* Hearings after which a link that was found slow is tried at twice what it gives, with
 * the links between hosts still planned for; after each trial that fails twice as many.
 */
#define FIRST_RETRY 64
#define MOST_RETRY  2048

/* Hearings that a trial lasts, and those before the next one when it has succeeded. */
#define TRIAL      6
#define NEXT_RETRY 8

/* A link found slow that carries this part of what it should and is hardly pressed seems
 * to give more by now: such a hearing counts as several. */
#define EASED_LOAD       0.5
#define EASED_BACKLOGGED 0.15
#define EASED_COUNT      16

static mtree_status_t topology_copy(const mtree_topology_t *from, mtree_topology_t **to_p)
{
    mtree_topology_t *to;
    mtree_status_t status = mtree_topology_create(from->name, from->source, &to);

    if (status != MTREE_OK) {
        return status;
    }
    for (int v = 0; v < from->num_vertices && status == MTREE_OK; v++) {
        const mtree_vertex_t *vertex = &from->vertices[v];

        int number;

        status = mtree_topology_add_vertex(to, vertex->name, vertex->host, vertex->kind,
                                           &number);
        if (status == MTREE_OK && vertex->has_position) {
            to->vertices[number].has_position = true;
            to->vertices[number].x = vertex->x;
            to->vertices[number].y = vertex->y;
        }
    }
    for (int l = 0; l < from->num_links && status == MTREE_OK; l++) {
        const mtree_link_t *link = &from->links[l];

        status = mtree_topology_add_link(to, link->u, link->v, link->capacity[0],
                                         link->capacity[1], link->latency, NULL);
    }
    if (status != MTREE_OK) {
        mtree_topology_destroy(to);
        return status;
    }
    *to_p = to;
    return MTREE_OK;
}

mtree_status_t mtree_drift_create(const mtree_topology_t *topology, const int *hosts,
                                  int num_hosts, mtree_drift_t **drift_p)
{
    mtree_drift_t *drift = calloc(1, sizeof(*drift));
    size_t arcs = 2 * (size_t)topology->num_links;
    mtree_status_t status = MTREE_ERR_NO_MEMORY;

    if (drift == NULL) {
        return status;
    }
    drift->num_hosts = num_hosts;
    drift->num_arcs = (int)arcs;
    drift->patience = PATIENCE;
    drift->rest = drift->between = MTREE_DRIFT_REST;
    drift->arcs = calloc(arcs, sizeof(*drift->arcs));
    drift->ratios = malloc(arcs * sizeof(*drift->ratios));
    if (drift->arcs != NULL && drift->ratios != NULL) {
        status = topology_copy(topology, &drift->topology);
    }
    if (status == MTREE_OK) {
        status = mtree_routes_create(drift->topology, hosts, num_hosts, &drift->routes);
    }
    if (status != MTREE_OK) {
        mtree_drift_destroy(drift);
        return status;
    }
    for (int a = 0; a < drift->num_arcs; a++) {
        drift->arcs[a].original = mtree_arc_capacity(drift->topology, a);
        drift->arcs[a].between = FIRST_RETRY;
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

const char *mtree_drift_news(const mtree_drift_t *drift)
{
    return drift->change_summary;
}

void mtree_drift_set_capacity(mtree_drift_t *drift, int a, double capacity)
{
    drift->topology->links[a >> 1].capacity[a & 1] = capacity;
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
    return fmin(log2(high / low), MOST_OCTAVES);
}

/* What a hearing says of one arc, added to what came before. */
static void arc_judge(mtree_drift_t *drift, int a)
{
    mtree_drift_arc_t *arc = &drift->arcs[a];
    double due = mtree_drift_due(drift, a);

    if (arc->slow) {
        arc->slower += octaves(arc->backlogged_rate, due);
        arc->faster = 0;
        mtree_debug("%s->%s gives %.3g of %.3g Mb/s and was pressed for %.0f %% of the "
                    "time: %.1f octaves of %.1f",
                    arc_from_name(drift, a), arc_to_name(drift, a),
                    arc->backlogged_rate / 1e6, due / 1e6, 100 * arc->backlogged,
                    arc->slower, drift->patience);
    } else if (arc->rate > MTREE_DRIFT_FAST * due) {
        arc->faster += octaves(due, arc->rate);
        arc->slower = 0;
    } else if (arc->backlogged >= MTREE_DRIFT_PRESSED &&
               arc->backlogged_rate >= MTREE_DRIFT_SLOW * due) {
        arc->slower = arc->faster = 0;
    } else if (arc->trial == 0) {
        arc->slower /= 2;
        arc->faster /= 2;
    }
}

/*
 * Where most arcs that carry anything have moved alike, the processors or the unit of the
 * file have, and no link: then all capacities move together, which changes no plan.
 */
static bool drift_moves_as_one(mtree_drift_t *drift)
{
    int used = 0, slow = 0, fast = 0;
    double ratio;

    for (int a = 0; a < drift->num_arcs; a++) {
        const mtree_drift_arc_t *arc = &drift->arcs[a];
        bool is_fast = arc->rate > MTREE_DRIFT_FAST * mtree_drift_due(drift, a);

        used += arc->rate > 0;
        if (arc->slow || is_fast) {
            drift->ratios[slow + fast] = (arc->slow ? arc->backlogged_rate : arc->rate) /
                                         mtree_drift_due(drift, a);
        }
        slow += arc->slow;
        fast += is_fast && !arc->slow;
    }
    if (2 * slow <= used && 2 * fast <= used) {
        return false;
    }
    ratio = mtree_median(drift->ratios, slow + fast);
    for (int i = 0; i < slow + fast && fast > slow; i++) {
        ratio = fmax(ratio, drift->ratios[i]); /* of what carries all that it can */
    }
    for (int a = 0; a < drift->num_arcs; a++) {
        mtree_drift_set_capacity(drift, a,
                                 ratio * mtree_arc_capacity(drift->topology, a));
        drift->arcs[a].original *= ratio;
        drift->arcs[a].slower = drift->arcs[a].faster = 0;
    }
    return true;
}

/* An arc gives less than believed, by now without a doubt. */
static void arc_slow_down(mtree_drift_t *drift, int a)
{
    mtree_drift_arc_t *arc = &drift->arcs[a];
    double before = mtree_arc_capacity(drift->topology, a);

    if (arc->trial > 0 && arc->between < MOST_RETRY) {
        arc->between *= 2;
    }
    /* It must not vanish from the map. */
    mtree_drift_set_capacity(
        drift, a, fmax(arc->backlogged_rate / MTREE_DRIFT_EFFICIENCY, before / MOST_CUT));
    arc->slowed = true;
    arc->retry = arc->between;
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

/* Change what is beyond doubt. */
static bool drift_change(mtree_drift_t *drift)
{
    bool changed = false;
    bool tried = true; /* all that changes is the end of a trial */

    for (int a = 0; a < drift->num_arcs; a++) {
        mtree_drift_arc_t *arc = &drift->arcs[a];

        if (arc->slow && arc->slower >= drift->patience) {
            tried = tried && arc->trial > 0;
            arc_slow_down(drift, a);
        } else if (arc->faster >= drift->patience) {
            tried = false;
            arc_speed_up(drift, a);
        } else {
            continue;
        }
        changed = true;
    }
    if (changed && !tried) {
        drift->patience = fmin(2 * drift->patience, MOST_PATIENCE);
        drift->calm = 0;
    }
    return changed;
}

/* A hearing has passed for an arc that was found slow; is its next trial due? */
static bool arc_waits_on(mtree_drift_t *drift, int a)
{
    mtree_drift_arc_t *arc = &drift->arcs[a];
    double due = mtree_drift_due(drift, a);

    if (arc->trial > 0) {
        if (--arc->trial == 0) {
            arc->slowed = mtree_arc_capacity(drift->topology, a) < arc->original;
            arc->slower = 0;
            arc->between = FIRST_RETRY;
            arc->retry = NEXT_RETRY;
        }
        return false;
    }
    if (arc->backlogged >= MTREE_DRIFT_PRESSED &&
        arc->backlogged_rate < MTREE_DRIFT_FAST * due) {
        return false; /* it can be seen to give no more */
    }
    arc->retry -= arc->backlogged < EASED_BACKLOGGED && arc->rate > EASED_LOAD * due
                      ? EASED_COUNT
                      : 1;
    return arc->retry <= 0;
}

/* Try links that have waited long enough, both ways at once: a tree needs both. */
static mtree_drift_change_t drift_retry(mtree_drift_t *drift)
{
    mtree_drift_change_t change = MTREE_DRIFT_NOTHING;

    for (int a = 0; a < drift->num_arcs; a++) {
        if (!drift->arcs[a].slowed || !arc_waits_on(drift, a)) {
            continue;
        }
        for (int path = a & ~1; path <= (a | 1); path++) {
            mtree_drift_arc_t *arc = &drift->arcs[path];
            double before = mtree_arc_capacity(drift->topology, path);

            if (arc->slowed && arc->trial == 0) {
                mtree_drift_set_capacity(drift, path, fmin(arc->original, 2 * before));
                arc->trial = TRIAL;
                arc->slower = drift->patience; /* the least sign ends it */
                mtree_drift_describe(drift, path, "is tried at", before);
                if (before < MTREE_DRIFT_SLOW * arc->original) {
                    change = MTREE_DRIFT_MUCH;
                } else if (change == MTREE_DRIFT_NOTHING) {
                    change = MTREE_DRIFT_LITTLE;
                }
            }
        }
    }
    return change;
}

mtree_drift_change_t mtree_drift_update(mtree_drift_t *drift,
                                        const mtree_path_sample_t *samples,
                                        int num_samples)
{
    mtree_drift_change_t tried;
    bool changed;

    drift->change_summary[0] = '\0';
    if (!mtree_drift_listen(drift, samples, num_samples)) {
        return MTREE_DRIFT_NOTHING;
    }
    if (drift_moves_as_one(drift)) {
        mtree_drift_forget_gradual(drift);
        return MTREE_DRIFT_NOTHING;
    }
    for (int a = 0; a < drift->num_arcs; a++) {
        arc_judge(drift, a);
    }
    changed = drift_change(drift);
    if (++drift->calm % CALM == 0) {
        drift->patience = fmax(drift->patience / 2, PATIENCE);
    }
    tried = drift_retry(drift);
    if (changed || tried != MTREE_DRIFT_NOTHING) {
        mtree_drift_forget_gradual(drift);
        return changed ? MTREE_DRIFT_MUCH : tried;
    }
    return mtree_drift_correct(drift) ? MTREE_DRIFT_LITTLE : MTREE_DRIFT_NOTHING;
}
