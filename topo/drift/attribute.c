#include "topo/drift/drift_private.h"

#include <math.h>
#include <stdlib.h>

static int way_compare(const void *left, const void *right)
{
    const mtree_drift_path_t *a = left, *b = right;

    return a->from != b->from ? (a->from > b->from) - (a->from < b->from)
                              : (a->to > b->to) - (a->to < b->to);
}

/* The ways between hosts, each once, out of what the ranks said. */
static bool drift_gather(mtree_drift_t *drift, const mtree_path_sample_t *paces,
                         int num_paces)
{
    int num = 0;

    if (num_paces > drift->room) {
        mtree_drift_path_t *ways =
            realloc(drift->ways, (size_t)num_paces * sizeof(*ways));

        if (ways == NULL) {
            return false;
        }
        drift->ways = ways;
        drift->room = num_paces;
    }
    for (int i = 0; i < num_paces; i++) {
        const mtree_path_sample_t *pace = &paces[i];

        if (pace->from >= 0 && pace->from < drift->num_hosts && pace->to >= 0 &&
            pace->to < drift->num_hosts && pace->from != pace->to && pace->rate > 0) {
            drift->ways[num++] = (mtree_drift_path_t){.from = pace->from,
                                                      .to = pace->to,
                                                      .rate = pace->rate,
                                                      .pressed_rate = pace->pressed_rate,
                                                      .pressed = pace->pressed};
        }
    }
    drift->num_ways = 0;
    qsort(drift->ways, (size_t)num, sizeof(*drift->ways), way_compare);
    for (int i = 0; i < num; i++) {
        mtree_drift_path_t way = drift->ways[i],
                           *last = drift->ways + drift->num_ways - 1;

        way.pressed_rate =
            way.pressed >= MTREE_DRIFT_PRESSED ? way.pressed_rate : way.rate;
        if (drift->num_ways == 0 || way_compare(last, &way) != 0) {
            drift->ways[drift->num_ways++] = way;
            continue;
        }
        last->rate += way.rate;
        last->pressed_rate += way.pressed_rate;
        last->pressed = fmax(last->pressed, way.pressed);
    }
    return true;
}

/* What all ways together put on each arc. */
static void drift_load(mtree_drift_t *drift)
{
    for (int a = 0; a < drift->num_arcs; a++) {
        mtree_drift_arc_t *arc = &drift->arcs[a];

        arc->rate = arc->pressed_rate = arc->pressed = 0;
        arc->slow = false;
    }
    for (int w = 0; w < drift->num_ways; w++) {
        const mtree_drift_path_t *way = &drift->ways[w];
        int num_arcs;
        const int *route = mtree_routes_get(drift->routes, way->from, way->to, &num_arcs);

        for (int i = 0; i < num_arcs; i++) {
            mtree_drift_arc_t *arc = &drift->arcs[route[i]];

            arc->rate += way->rate;
            arc->pressed_rate += way->pressed_rate;
            arc->pressed = fmax(arc->pressed, way->pressed);
        }
    }
}

/* Is @a way slow, with no arc on it that carries what it should or is known to be the
 * reason? */
static bool way_is_unexplained(const mtree_drift_t *drift, const mtree_drift_path_t *way)
{
    int num_arcs;
    const int *route = mtree_routes_get(drift->routes, way->from, way->to, &num_arcs);

    if (way->pressed < MTREE_DRIFT_PRESSED) {
        return false;
    }
    for (int i = 0; i < num_arcs; i++) {
        const mtree_drift_arc_t *arc = &drift->arcs[route[i]];

        if (arc->slow ||
            arc->pressed_rate >= MTREE_DRIFT_SLOW * mtree_drift_due(drift, route[i])) {
            return false;
        }
    }
    return true;
}

/* The arc that explains most ways, of several the one that is nearest to full; -1: there
 * is nothing to explain. */
static int drift_find_reason(mtree_drift_t *drift)
{
    int best = -1;

    for (int a = 0; a < drift->num_arcs; a++) {
        drift->arcs[a].unexplained = 0;
    }
    for (int w = 0; w < drift->num_ways; w++) {
        int num_arcs;
        const int *route = mtree_routes_get(drift->routes, drift->ways[w].from,
                                            drift->ways[w].to, &num_arcs);
        bool unexplained = way_is_unexplained(drift, &drift->ways[w]);

        for (int i = 0; i < num_arcs; i++) {
            drift->arcs[route[i]].unexplained += unexplained;
        }
    }
    for (int a = 0; a < drift->num_arcs; a++) {
        const mtree_drift_arc_t *arc = &drift->arcs[a];
        int more = best < 0 ? arc->unexplained
                            : arc->unexplained - drift->arcs[best].unexplained;

        if (more > 0 ||
            (more == 0 && best >= 0 &&
             arc->pressed_rate * mtree_drift_due(drift, best) >
                 drift->arcs[best].pressed_rate * mtree_drift_due(drift, a))) {
            best = a;
        }
    }
    return best;
}

bool mtree_drift_listen(mtree_drift_t *drift, const mtree_path_sample_t *paces,
                        int num_paces)
{
    int reason;

    if (!drift_gather(drift, paces, num_paces)) {
        return false;
    }
    drift_load(drift);
    while ((reason = drift_find_reason(drift)) >= 0) {
        drift->arcs[reason].slow = true;
    }
    return true;
}
