/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Networks as tests write them: as text, as a file, as a shape of topo/generators.h.  The
 * test fails where there is none; they are the caller's.
 */
#ifndef MTREE_TESTS_UNIT_MAPS_H
#define MTREE_TESTS_UNIT_MAPS_H

#include "tests/unit/runner.h"
#include "topo/dot/read.h"
#include "topo/generators.h"
#include "topo/routes.h"

static inline mtree_topology_t *map_text(const char *text)
{
    mtree_topology_t *map = NULL;

    unit_ok(mtree_topology_parse(text, strlen(text), "t.dot", &map));
    return map;
}

static inline mtree_topology_t *map_file(const char *path)
{
    mtree_topology_t *map = NULL;

    unit_ok(mtree_topology_read(path, &map));
    return map;
}

/* Links of @a capacity bits/s and @a latency seconds; what is random is that of seed 1.
 */
static inline mtree_topology_t *map_shape(const char *shape, double capacity,
                                          double latency)
{
    const mtree_generate_request_t request = {
        .capacity = capacity, .latency = latency, .seed = 1};
    mtree_topology_t *map = NULL;

    unit_ok(mtree_generate(shape, &request, &map));
    return map;
}

/* A link of @a rate bits/s both ways and @a latency seconds. */
static inline void map_join(mtree_topology_t *map, int u, int v, double rate,
                            double latency)
{
    unit_ok(mtree_topology_add_link(map, u, v, rate, rate, latency, NULL));
}

/* Both directions of link @a l have @a factor times their capacity. */
static inline void map_scale(mtree_topology_t *map, int l, double factor)
{
    map->links[l].capacity[0] *= factor;
    map->links[l].capacity[1] *= factor;
}

/* A chain of vertices a, b, ..., of which @a kinds says 'h', host, or 's', switch; link i
 * has @a rates[i] bits/s both ways. */
static inline mtree_topology_t *map_chain(const char *kinds, const double *rates,
                                          double latency)
{
    mtree_topology_t *map = mtree_topology_create("chain", "test");

    for (int i = 0; kinds[i] != '\0'; i++) {
        const char name[] = {(char)('a' + i), '\0'};

        unit_ok(mtree_topology_add_vertex(
            map, name, NULL, kinds[i] == 's' ? MTREE_VERTEX_SWITCH : MTREE_VERTEX_HOST,
            NULL));
        if (i > 0) {
            map_join(map, i - 1, i, rates[i - 1], latency);
        }
    }
    return map;
}

/* Hosts h0, h1, ... around a switch, on links of @a rates Mb/s without latency. */
static inline mtree_topology_t *map_star(const int *rates, int count)
{
    int hub, host;
    mtree_topology_t *map = mtree_topology_create("star", "test");

    unit_ok(mtree_topology_add_vertex(map, "s", NULL, MTREE_VERTEX_SWITCH, &hub));
    for (int i = 0; i < count; i++) {
        char name[16];

        (void)snprintf(name, sizeof(name), "h%d", i);
        unit_ok(mtree_topology_add_vertex(map, name, NULL, MTREE_VERTEX_HOST, &host));
        map_join(map, host, hub, 1e6 * rates[i], 0);
    }
    return map;
}

/* The arc between the vertices of these names. */
static inline int map_arc(const mtree_topology_t *map, const char *from, const char *to)
{
    const int u = mtree_topology_find_vertex(map, from);
    const int v = mtree_topology_find_vertex(map, to);

    for (int arc = 0; arc < 2 * map->num_links; arc++) {
        if (mtree_arc_from(map, arc) == u && mtree_arc_to(map, arc) == v) {
            return arc;
        }
    }
    ck_abort_msg("there is no link from %s to %s", from, to);
    return -1;
}

/* The map as a file has it; the caller's. */
static inline char *map_written(const mtree_topology_t *map)
{
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);

    unit_ok(mtree_topology_write(map, out));
    (void)fclose(out);
    return text;
}

/* Vertices in order: the hosts of networks without switches, or whose switches come last.
 */
static const int map_vertices[] = {
    0,   1,   2,   3,   4,   5,   6,   7,   8,   9,   10,  11,  12,  13,  14,  15,
    16,  17,  18,  19,  20,  21,  22,  23,  24,  25,  26,  27,  28,  29,  30,  31,
    32,  33,  34,  35,  36,  37,  38,  39,  40,  41,  42,  43,  44,  45,  46,  47,
    48,  49,  50,  51,  52,  53,  54,  55,  56,  57,  58,  59,  60,  61,  62,  63,
    64,  65,  66,  67,  68,  69,  70,  71,  72,  73,  74,  75,  76,  77,  78,  79,
    80,  81,  82,  83,  84,  85,  86,  87,  88,  89,  90,  91,  92,  93,  94,  95,
    96,  97,  98,  99,  100, 101, 102, 103, 104, 105, 106, 107, 108, 109, 110, 111,
    112, 113, 114, 115, 116, 117, 118, 119, 120, 121, 122, 123, 124, 125, 126, 127};

/* The vertices of the hosts of @a map, for all of which @a hosts has room; how many. */
static inline int map_hosts(const mtree_topology_t *map, int *hosts)
{
    int count = 0;

    for (int v = 0; v < map->num_vertices; v++) {
        if (map->vertices[v].kind == MTREE_VERTEX_HOST) {
            hosts[count++] = v;
        }
    }
    return count;
}

#endif
