/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/memory.h"
#include "topo/drift/drift_private.h"

#include <math.h>
#include <stdlib.h>

static int path_compare(const void *left, const void *right)
{
    const mtree_drift_path_t *a = left, *b = right;

    return a->from != b->from ? (a->from > b->from) - (a->from < b->from)
                              : (a->to > b->to) - (a->to < b->to);
}

/* The paths between hosts, each once, from the samples of all ranks. */
static void drift_gather(mtree_drift_t *drift, const mtree_path_sample_t *samples,
                         int num_samples)
{
    int num = 0;

    drift->paths =
        mtree_realloc(drift->paths, (size_t)num_samples * sizeof(*drift->paths));
    for (int i = 0; i < num_samples; i++) {
        const mtree_path_sample_t *sample = &samples[i];

        if (sample->from >= 0 && sample->from < drift->num_hosts && sample->to >= 0 &&
            sample->to < drift->num_hosts && sample->from != sample->to &&
            sample->rate > 0) {
            drift->paths[num++] =
                (mtree_drift_path_t){.from = sample->from,
                                     .to = sample->to,
                                     .rate = sample->rate,
                                     .backlogged_rate = sample->backlogged_rate,
                                     .backlogged = sample->backlogged};
        }
    }
    drift->num_paths = 0;
    if (num > 0) {
        qsort(drift->paths, (size_t)num, sizeof(*drift->paths), path_compare);
    }
    for (int i = 0; i < num; i++) {
        mtree_drift_path_t path = drift->paths[i],
                           *last = drift->paths + drift->num_paths - 1;

        path.backlogged_rate =
            path.backlogged >= MTREE_DRIFT_BACKLOGGED ? path.backlogged_rate : path.rate;
        if (drift->num_paths == 0 || path_compare(last, &path) != 0) {
            drift->paths[drift->num_paths++] = path;
            continue;
        }
        last->rate += path.rate;
        last->backlogged_rate += path.backlogged_rate;
        last->backlogged = fmax(last->backlogged, path.backlogged);
    }
}

/* The load of all paths together on each arc. */
static void drift_load(mtree_drift_t *drift)
{
    for (int a = 0; a < drift->num_arcs; a++) {
        mtree_drift_arc_t *arc = &drift->arcs[a];

        arc->rate = arc->backlogged_rate = arc->backlogged = 0;
        arc->slow = false;
    }
    for (int p = 0; p < drift->num_paths; p++) {
        const mtree_drift_path_t *path = &drift->paths[p];

        MTREE_ROUTE_ARCS (a, drift->routes, path->from, path->to) {
            mtree_drift_arc_t *arc = &drift->arcs[a];

            arc->rate += path->rate;
            arc->backlogged_rate += path->backlogged_rate;
            arc->backlogged = fmax(arc->backlogged, path->backlogged);
        }
    }
}

/* Is @a path backlogged, while none of its arcs carries the expected rate or is already
 * known to be slow? */
static bool path_is_unexplained(const mtree_drift_t *drift,
                                const mtree_drift_path_t *path)
{
    if (path->backlogged < MTREE_DRIFT_BACKLOGGED) {
        return false;
    }
    MTREE_ROUTE_ARCS (a, drift->routes, path->from, path->to) {
        const mtree_drift_arc_t *arc = &drift->arcs[a];

        if (arc->slow ||
            arc->backlogged_rate >= MTREE_DRIFT_SLOW * mtree_drift_expected(drift, a)) {
            return false;
        }
    }
    return true;
}

/* The arc that explains most slow paths, the fullest among equals; -1: none is left to
 * explain. */
static int drift_find_cause(mtree_drift_t *drift)
{
    int best = -1;

    for (int a = 0; a < drift->num_arcs; a++) {
        drift->arcs[a].unexplained = 0;
    }
    for (int p = 0; p < drift->num_paths; p++) {
        const mtree_drift_path_t *path = &drift->paths[p];
        bool unexplained = path_is_unexplained(drift, path);

        MTREE_ROUTE_ARCS (a, drift->routes, path->from, path->to) {
            drift->arcs[a].unexplained += unexplained;
        }
    }
    for (int a = 0; a < drift->num_arcs; a++) {
        const mtree_drift_arc_t *arc = &drift->arcs[a];
        int more = best < 0 ? arc->unexplained
                            : arc->unexplained - drift->arcs[best].unexplained;

        if (more > 0 ||
            (more == 0 && best >= 0 &&
             arc->backlogged_rate * mtree_drift_expected(drift, best) >
                 drift->arcs[best].backlogged_rate * mtree_drift_expected(drift, a))) {
            best = a;
        }
    }
    return best;
}

void mtree_drift_attribute(mtree_drift_t *drift, const mtree_path_sample_t *samples,
                           int num_samples)
{
    int cause;

    drift_gather(drift, samples, num_samples);
    drift_load(drift);
    while ((cause = drift_find_cause(drift)) >= 0) {
        drift->arcs[cause].slow = true;
    }
}
