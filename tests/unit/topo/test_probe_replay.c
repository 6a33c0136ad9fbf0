/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Probes that were recorded in the lab (topo/probe/probe.c), played again: what the
 * streams of real TCP connections tell of the links of a network that is known.
 */
#include "tests/unit/maps.h"
#include "tests/unit/owned.h"
#include "topo/probe/bottleneck.h"
#include "topo/probe/routes.h"

#define MAX_HOSTS   64
#define MAX_STREAMS 1024

typedef struct {
    int num_hosts;
    char *addresses[MAX_HOSTS];
    mtree_probe_routes_t *routes; /* made before the first of them */
    int set;
    int num_streams;
    mtree_probe_stream_t streams[MAX_STREAMS];
} record_t;

static void take_route(record_t *record, char *rest)
{
    const char *hops[MTREE_PROBE_MAX_HOPS];
    int from = (int)strtol(rest, &rest, 10), to = (int)strtol(rest, &rest, 10);
    int num_hops = 0;
    char *hop;

    if (record->routes == NULL) {
        record->routes = mtree_probe_routes_create((const char *const *)record->addresses,
                                                   record->num_hosts);
    }
    while ((hop = strtok_r(rest, " \n", &rest)) != NULL) {
        ck_assert_int_lt(num_hops, MTREE_PROBE_MAX_HOPS);
        hops[num_hops++] = strcmp(hop, "-") == 0 ? "" : hop;
    }
    mtree_probe_routes_add(record->routes, from, to, hops, num_hops);
}

static void take_stream(record_t *record, char *rest)
{
    mtree_probe_stream_t *stream = &record->streams[record->num_streams];
    mtree_probe_rate_sample_t *samples =
        calloc(MTREE_PROBE_MAX_SAMPLES, sizeof(*samples));
    char *end;

    ck_assert_ptr_nonnull(samples);
    ck_assert_int_lt(record->num_streams, MAX_STREAMS);
    *stream = (mtree_probe_stream_t){.set = record->set};
    stream->from = (int)strtol(rest, &rest, 10);
    stream->to = (int)strtol(rest, &rest, 10);
    for (;; ++stream->curve.num_samples) {
        double seconds = strtod(rest, &end);

        if (end == rest) {
            break;
        }
        ck_assert_int_lt(stream->curve.num_samples, MTREE_PROBE_MAX_SAMPLES);
        samples[stream->curve.num_samples].seconds = seconds;
        samples[stream->curve.num_samples].bytes = strtod(end, &rest);
    }
    stream->curve.samples = samples;
    if (stream->curve.num_samples > 0) {
        ++record->num_streams;
    } else {
        free(samples);
    }
}

static void take_line(record_t *record, char *line)
{
    char *rest = line;
    const char *kind = strtok_r(rest, " \n", &rest);

    if (kind == NULL) {
        return;
    }
    if (strcmp(kind, "host") == 0) {
        ck_assert_int_lt(record->num_hosts, MAX_HOSTS);
        (void)strtok_r(rest, " ", &rest);
        record->addresses[record->num_hosts++] = strdup(strtok_r(rest, " ", &rest));
    } else if (strcmp(kind, "route") == 0) {
        take_route(record, rest);
    } else if (strcmp(kind, "round") == 0) {
        ++record->set;
    } else if (strcmp(kind, "stream") == 0) {
        take_stream(record, rest);
    }
}

static record_t *read_record(const char *path)
{
    record_t *record = calloc(1, sizeof(*record));
    FILE *file = fopen(path, "r");
    size_t room = 0;
    char *line = NULL;

    ck_assert_msg(file != NULL, "%s cannot be opened", path);
    while (getline(&line, &room, file) >= 0) {
        take_line(record, line);
    }
    free(line);
    fclose(file);
    return record;
}

static void free_record(record_t *record)
{
    for (int i = 0; i < record->num_streams; ++i) {
        free((void *)record->streams[i].curve.samples);
    }
    for (int i = 0; i < record->num_hosts; ++i) {
        free(record->addresses[i]);
    }
    mtree_probe_routes_destroy(record->routes);
    free(record);
}

/* The lab numbers vertices as the file does, from 1 on, in the last bytes of their
 * addresses. */
static int vertex_of(const record_t *record, const mtree_probe_graph_t *graph, int vertex)
{
    const char *address = vertex < record->num_hosts ? record->addresses[vertex]
                                                     : graph->vertices[vertex].name;

    return (int)strtol(strrchr(address, '.') + 1, NULL, 10) - 1;
}

static const struct {
    const char *record, *map;
    int least_known; /* arcs whose capacity the record tells */
} replays[] = {{"tree-2x2x3.record", "tree-2x2x3.dot", 30}, {"b4.record", "b4.dot", 30}};

UNIT_LOOP(test_capacities, 0, 2)
{
    char path[1024];
    OWNED(topology) *truth = NULL;
    UNIT_OWNED(mtree_arena_cleanup) mtree_arena_t scratch = {0};
    mtree_probe_graph_t graph;
    mtree_probe_arc_t *arcs;
    record_t *record;
    int num_known = 0;

    snprintf(path, sizeof(path), "%s/%s", PROBES, replays[_i].map);
    truth = map_file(path);
    snprintf(path, sizeof(path), "%s/%s", PROBES, replays[_i].record);
    record = read_record(path);
    mtree_probe_routes_resolve(record->routes, &graph);
    ck_assert_int_eq(graph.num_links, truth->num_links);
    arcs = calloc(2 * (size_t)graph.num_links, sizeof(*arcs));
    mtree_probe_bottleneck_explain(&graph, record->streams, record->num_streams, arcs,
                                   &scratch);
    for (int arc = 0; arc < 2 * graph.num_links; ++arc) {
        int from = vertex_of(record, &graph, mtree_probe_arc_from(&graph, arc));
        int to = vertex_of(record, &graph, mtree_probe_arc_to(&graph, arc));
        double rate = mtree_arc_capacity(
            truth, map_arc(truth, truth->vertices[from].name, truth->vertices[to].name));
        double found = arcs[arc].known ? arcs[arc].value : arcs[arc].most;

        num_known += arcs[arc].known;
        ck_assert_msg(fabs(found - rate) <= 0.1 * rate,
                      "%s to %s: found %g bits/s, there are %g",
                      truth->vertices[from].name, truth->vertices[to].name, found, rate);
    }
    ck_assert_int_ge(num_known, replays[_i].least_known);
    free(arcs);
    mtree_probe_graph_clear(&graph);
    free_record(record);
}
