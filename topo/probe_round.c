#include "topo/probe_round.h"

#include "topo/log.h"

#include <stdlib.h>

#define NONE (-1)

/* Of the paths that cross an arc at most so many are looked at, short ones and long. */
#define MAX_CANDIDATES 256

mtree_status_t mtree_probe_picker_init(mtree_probe_picker_t *picker,
                                       const mtree_probe_graph_t *graph)
{
    *picker = (mtree_probe_picker_t){.graph = graph};
    picker->link_used = calloc((size_t)graph->num_links + 1, sizeof(bool));
    picker->sends = calloc((size_t)graph->num_hosts + 1, sizeof(bool));
    picker->receives = calloc((size_t)graph->num_hosts + 1, sizeof(bool));
    picker->overlap = calloc(2 * (size_t)graph->num_links + 1, sizeof(int));
    if (picker->link_used == NULL || picker->sends == NULL || picker->receives == NULL ||
        picker->overlap == NULL) {
        mtree_error("out of memory for a round of the probe");
        mtree_probe_picker_clear(picker);
        return MTREE_ERR_NO_MEMORY;
    }
    return MTREE_OK;
}

void mtree_probe_picker_clear(mtree_probe_picker_t *picker)
{
    free(picker->link_used);
    free(picker->sends);
    free(picker->receives);
    free(picker->overlap);
    free(picker->paths);
}

static mtree_status_t add_path(mtree_probe_picker_t *picker, int path)
{
    int *paths;
    int room;

    if (picker->num_paths == picker->path_room) {
        room = 2 * picker->path_room + 64;
        paths = realloc(picker->paths, (size_t)room * sizeof(*paths));
        if (paths == NULL) {
            mtree_error("out of memory for a round of %d streams", room);
            return MTREE_ERR_NO_MEMORY;
        }
        picker->paths = paths;
        picker->path_room = room;
    }
    picker->paths[picker->num_paths++] = path;
    return MTREE_OK;
}

/* Add @a by to the overlap of each arc of the paths from @a first on. */
static void change_overlap(mtree_probe_picker_t *picker, int first, int by)
{
    const mtree_probe_path_t *path;
    int i, j;

    for (i = first; i < picker->num_paths; ++i) {
        path = &picker->graph->paths[picker->paths[i]];
        for (j = 0; j < path->num_arcs; ++j) {
            picker->overlap[path->arcs[j]] += by;
        }
    }
}

/*
 * How much the path has in common with the test at hand besides @a arc: most of all the
 * streams on its fullest arc, then its length.  NONE when it has to be another: it shares
 * a link with other tests (unless @a alone), the way back of the test, or both its ends.
 */
static int cost(const mtree_probe_picker_t *picker, const mtree_probe_path_t *path,
                int arc, bool alone)
{
    int fullest = 0;
    int i;

    for (i = 0; i < path->num_arcs; ++i) {
        if ((!alone && picker->link_used[path->arcs[i] >> 1]) ||
            picker->overlap[path->arcs[i] ^ 1] > 0) {
            return NONE;
        }
        if (path->arcs[i] != arc && picker->overlap[path->arcs[i]] > fullest) {
            fullest = picker->overlap[path->arcs[i]];
        }
    }
    return fullest * (2 * picker->graph->num_vertices) + path->num_arcs;
}

static bool is_picked(const mtree_probe_picker_t *picker, int first, int path)
{
    int i;

    for (i = first; i < picker->num_paths && picker->paths[i] != path; ++i) {}
    return i < picker->num_paths;
}

/* The next path of the test that starts at @a first, or NONE. */
static int pick_path(const mtree_probe_picker_t *picker, int first, int arc, bool alone)
{
    const mtree_probe_graph_t *graph = picker->graph;
    int begin = graph->first_crossing[arc];
    int count = graph->first_crossing[arc + 1] - begin;
    int step = (count + MAX_CANDIDATES - 1) / MAX_CANDIDATES;
    int best = NONE, best_cost = 0;
    int i, path, at;

    for (i = 0; i < count; i += step) {
        path = graph->crossing[begin + i];
        at = cost(picker, &graph->paths[path], arc, alone);
        if (at != NONE && (best == NONE || at < best_cost) &&
            !is_picked(picker, first, path)) {
            best = path;
            best_cost = at;
        }
    }
    return best;
}

/* Pick a test as mtree_probe_picker_cross() does; @a alone: as if nothing was chosen
 * before. */
static mtree_status_t pick_test(mtree_probe_picker_t *picker, int arc, int count,
                                bool alone, int *added_p)
{
    int first = picker->num_paths;
    mtree_status_t status;
    int path;

    while (picker->num_paths < first + count) {
        path = pick_path(picker, first, arc, alone);
        if (path == NONE) {
            break;
        }
        status = add_path(picker, path);
        if (status != MTREE_OK) {
            return status;
        }
        change_overlap(picker, picker->num_paths - 1, 1);
        /* The link itself alone: nothing else can limit it. */
        if (picker->graph->paths[path].num_arcs == 1) {
            break;
        }
    }
    change_overlap(picker, first, -1);
    *added_p = picker->num_paths - first;
    return MTREE_OK;
}

/* The links of the paths from @a first on are taken. */
static void take_links(mtree_probe_picker_t *picker, int first)
{
    const mtree_probe_path_t *path;
    int i, j;

    for (i = first; i < picker->num_paths; ++i) {
        path = &picker->graph->paths[picker->paths[i]];
        for (j = 0; j < path->num_arcs; ++j) {
            picker->link_used[path->arcs[j] >> 1] = true;
        }
    }
}

mtree_status_t mtree_probe_picker_cross(mtree_probe_picker_t *picker, int arc, int count,
                                        int *added_p)
{
    int first = picker->num_paths;
    mtree_status_t status;
    int possible = 0, added;

    if (first > 0) {
        status = pick_test(picker, arc, count, true, &possible);
        if (status != MTREE_OK) {
            return status;
        }
        picker->num_paths = first;
    }
    status = pick_test(picker, arc, count, false, &added);
    if (status != MTREE_OK) {
        return status;
    }
    if (added < possible) {
        picker->num_paths = first;
        added = 0;
    }
    take_links(picker, first);
    *added_p = added;
    return MTREE_OK;
}

mtree_status_t mtree_probe_picker_fan(mtree_probe_picker_t *picker, const int *arcs,
                                      int num_arcs, int *added_p)
{
    const mtree_probe_graph_t *graph = picker->graph;
    int first = picker->num_paths;
    const mtree_probe_path_t *path;
    mtree_status_t status;
    int i;

    *added_p = 0;
    for (i = 0; i < num_arcs; ++i) {
        if (picker->link_used[arcs[i] >> 1] ||
            picker->sends[mtree_probe_arc_from(graph, arcs[i])] ||
            picker->receives[mtree_probe_arc_to(graph, arcs[i])]) {
            return MTREE_OK;
        }
    }
    for (i = 0; i < num_arcs; ++i) {
        path = mtree_probe_graph_find_path(graph, mtree_probe_arc_from(graph, arcs[i]),
                                           mtree_probe_arc_to(graph, arcs[i]));
        status = add_path(picker, (int)(path - graph->paths));
        if (status != MTREE_OK) {
            return status;
        }
        picker->sends[path->from] = true;
        picker->receives[path->to] = true;
    }
    take_links(picker, first);
    *added_p = num_arcs;
    return MTREE_OK;
}
