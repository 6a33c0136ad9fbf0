/* SPDX-License-Identifier: BSD-3-Clause */
#include "topo/probe/stream_picker.h"

#include <limits.h>

#define NONE (-1)

/* Paths across an arc that are considered at most, short and long ones. */
#define MAX_CANDIDATES 256

void mtree_probe_picker_init(mtree_probe_picker_t *picker,
                             const mtree_probe_graph_t *graph, mtree_arena_t *arena)
{
    size_t num_arcs = 2 * (size_t)graph->num_links;

    *picker = (mtree_probe_picker_t){.graph = graph, .arena = arena};
    MTREE_ARENA_ARRAY(arena, picker->streams, num_arcs);
    MTREE_ARENA_ARRAY(arena, picker->limit, num_arcs);
    MTREE_ARENA_ARRAY(arena, picker->overlap, num_arcs);
    for (size_t arc = 0; arc < num_arcs; ++arc) {
        picker->limit[arc] = INT_MAX;
    }
}

/* Add @a by to the overlap of each arc of the paths from @a first on. */
static void change_overlap(mtree_probe_picker_t *picker, int first, int by)
{
    const mtree_probe_path_t *path;

    for (int i = first; i < picker->num_paths; ++i) {
        path = &picker->graph->paths[picker->paths[i]];
        for (int j = 0; j < path->num_arcs; ++j) {
            picker->overlap[path->arcs[j]] += by;
        }
    }
}

/* A test of one arc, as mtree_probe_picker_cross() describes it. */
typedef struct {
    int arc, count;
    int first;  /* of its streams in picker->paths */
    bool alone; /* regardless of earlier tests */
} test_t;

static int lesser(int a, int b)
{
    return (a < b) ? a : b;
}

/* Streams of all tests that an arc may carry so that @a test is valid. */
static int limit_beside(const test_t *test, int arc)
{
    return (arc == test->arc) ? INT_MAX : (test->count + 1) / 2;
}

/*
 * What orders the paths of a test: the streams on a path's other arcs in all, then its
 * length.  NONE when the path is not allowed.
 */
static int cost(const mtree_probe_picker_t *picker, const mtree_probe_path_t *path,
                const test_t *test)
{
    int common = 0;
    int arc, streams, back;

    for (int i = 0; i < path->num_arcs; ++i) {
        arc = path->arcs[i];
        streams = picker->overlap[arc] + (test->alone ? 0 : picker->streams[arc]);
        back = picker->overlap[arc ^ 1] + (test->alone ? 0 : picker->streams[arc ^ 1]);
        if (back > 0 || (!test->alone && streams >= lesser(picker->limit[arc],
                                                           limit_beside(test, arc)))) {
            return NONE;
        }
        common += (arc == test->arc) ? 0 : streams;
    }
    return common * (2 * picker->graph->num_vertices) + path->num_arcs;
}

static bool is_picked(const mtree_probe_picker_t *picker, int first, int path)
{
    int i;

    for (i = first; i < picker->num_paths && picker->paths[i] != path; ++i) {}
    return i < picker->num_paths;
}

/* The next path of the test, or NONE. */
static int pick_path(const mtree_probe_picker_t *picker, const test_t *test)
{
    const mtree_probe_graph_t *graph = picker->graph;
    int begin = graph->first_crossing[test->arc];
    int count = graph->first_crossing[test->arc + 1] - begin;
    int step = (count + MAX_CANDIDATES - 1) / MAX_CANDIDATES;
    int best = NONE, best_cost = 0;
    int path, at;

    for (int i = 0; i < count; i += step) {
        path = graph->crossing[begin + i];
        at = cost(picker, &graph->paths[path], test);
        if (at != NONE && (best == NONE || at < best_cost) &&
            !is_picked(picker, test->first, path)) {
            best = path;
            best_cost = at;
        }
    }
    return best;
}

/* Pick the streams of a test. */
static void pick_test(mtree_probe_picker_t *picker, const test_t *test)
{
    while (picker->num_paths < test->first + test->count) {
        const int path = pick_path(picker, test);
        int *added;

        if (path == NONE) {
            break;
        }
        added = MTREE_ARENA_APPEND(picker->arena, picker->paths, picker->num_paths,
                                   picker->path_capacity);
        *added = path;
        change_overlap(picker, picker->num_paths - 1, 1);
        /* A path of one link: nothing else can limit the stream. */
        if (picker->graph->paths[path].num_arcs == 1) {
            break;
        }
    }
    change_overlap(picker, test->first, -1);
}

/* Make the test's streams part of the round. */
static void take_arcs(mtree_probe_picker_t *picker, const test_t *test)
{
    const mtree_probe_path_t *path;
    int arc;

    for (int i = test->first; i < picker->num_paths; ++i) {
        path = &picker->graph->paths[picker->paths[i]];
        for (int j = 0; j < path->num_arcs; ++j) {
            arc = path->arcs[j];
            ++picker->streams[arc];
            picker->limit[arc] = lesser(picker->limit[arc], limit_beside(test, arc));
        }
    }
}

int mtree_probe_picker_cross(mtree_probe_picker_t *picker, int arc, int count)
{
    test_t test = {.arc = arc, .count = count, .first = picker->num_paths, .alone = true};
    int possible;

    pick_test(picker, &test);
    possible = picker->num_paths - test.first;
    if (test.first > 0) {
        picker->num_paths = test.first;
        test.alone = false;
        test.count = possible;
        pick_test(picker, &test);
    }
    if (picker->num_paths - test.first < possible) {
        picker->num_paths = test.first;
    }
    take_arcs(picker, &test);
    return picker->num_paths - test.first;
}
