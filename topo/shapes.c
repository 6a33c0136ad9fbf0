/* SPDX-License-Identifier: BSD-3-Clause */
#include "topo/shapes.h"

#include "base/log.h"
#include "base/memory.h"
#include "base/random.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void add_vertex(mtree_shape_maker_t *maker, mtree_vertex_kind_t kind, double x,
                       double y, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

static void add_vertex(mtree_shape_maker_t *maker, mtree_vertex_kind_t kind, double x,
                       double y, const char *format, ...)
{
    mtree_vertex_t *vertex;
    va_list args;
    char name[64];
    int number;

    if (maker->status != MTREE_OK) {
        return;
    }
    va_start(args, format);
    vsnprintf(name, sizeof(name), format, args);
    va_end(args);
    maker->status = mtree_topology_add_vertex(maker->topology, name, NULL, kind, &number);
    if (maker->status == MTREE_OK) {
        vertex = &maker->topology->vertices[number];
        vertex->has_position = true;
        vertex->x = x;
        vertex->y = y;
    }
}

/* A coordinate that is short to write; never a negative zero. */
static double grid(double value)
{
    return round(1000 * value) / 1000 + 0.0;
}

/* Hosts h0, h1, ... on a circle around the origin. */
static void add_circle(mtree_shape_maker_t *maker, int count)
{
    double angle;

    for (int i = 0; i < count; ++i) {
        angle = 2 * M_PI * i / count;
        add_vertex(maker, MTREE_VERTEX_HOST, grid(sin(angle)), grid(cos(angle)), "h%d",
                   i);
    }
}

/* Vertices side by side, centred on x = 0. */
typedef struct {
    mtree_vertex_kind_t kind;
    const char *name; /* followed by their numbers, from `first` on */
    int first, count;
    double step, y;
} row_t;

static void add_row(mtree_shape_maker_t *maker, row_t row)
{
    for (int i = 0; i < row.count; ++i) {
        add_vertex(maker, row.kind, row.step * (i - (row.count - 1) / 2.0), row.y, "%s%d",
                   row.name, row.first + i);
    }
}

static void add_host_row(mtree_shape_maker_t *maker, int first, int count, double y)
{
    add_row(maker, (row_t){MTREE_VERTEX_HOST, "h", first, count, 1, y});
}

static void add_switch_row(mtree_shape_maker_t *maker, const char *name, int count,
                           double step, double y)
{
    add_row(maker, (row_t){MTREE_VERTEX_SWITCH, name, 0, count, step, y});
}

/* @a width is how many times the request's capacity the link has. */
static void add_link(mtree_shape_maker_t *maker, int u, int v, double width)
{
    const mtree_generate_request_t *request = maker->request;
    const double capacity = width * request->capacity;

    if (maker->status == MTREE_OK) {
        maker->status = mtree_topology_add_link(maker->topology, u, v, capacity, capacity,
                                                request->latency, NULL);
    }
}

/* Join each of @a count hosts to its switch; each switch has @a each hosts. */
static void add_host_links(mtree_shape_maker_t *maker, int count, int each,
                           int first_switch)
{
    for (int i = 0; i < count; ++i) {
        add_link(maker, i, first_switch + i / each, 1);
    }
}

/*
 * The links of one host of a grid to its next in each dimension.  A ring of two is one
 * link: the second would join the same two.
 */
static void add_grid_links(mtree_shape_maker_t *maker, int host, bool wrap)
{
    int stride = 1;
    int size, place;

    for (int d = maker->num_sizes - 1; d >= 0; --d) {
        size = maker->size[d];
        place = host / stride % size;
        if (place + 1 < size) {
            add_link(maker, host, host + stride, 1);
        } else if (wrap && size > 2) {
            add_link(maker, host, host - (size - 1) * stride, 1);
        }
        stride *= size;
    }
}

static void make_grid(mtree_shape_maker_t *maker, bool wrap)
{
    int depth = (maker->num_sizes == 3) ? maker->size[2] : 1;
    int columns = (maker->num_sizes > 1) ? maker->size[1] : 1;
    int count = maker->size[0] * columns * depth;
    int row, column, layer;

    if (maker->num_sizes == 1) {
        add_circle(maker, count);
    }
    for (int i = 0; i < count && maker->num_sizes > 1; ++i) {
        row = i / depth / columns;
        column = i / depth % columns;
        layer = i % depth;
        /* The layers of a third dimension are drawn shifted, as a cube is. */
        add_vertex(maker, MTREE_VERTEX_HOST, column + 0.3 * layer, -row + 0.3 * layer,
                   "h%d", i);
    }
    for (int i = 0; i < count; ++i) {
        add_grid_links(maker, i, wrap);
    }
}

static void make_torus(mtree_shape_maker_t *maker)
{
    make_grid(maker, true);
}

static void make_mesh(mtree_shape_maker_t *maker)
{
    make_grid(maker, false);
}

static void make_star(mtree_shape_maker_t *maker)
{
    int count = maker->size[0];

    add_circle(maker, count);
    add_vertex(maker, MTREE_VERTEX_SWITCH, 0, 0, "switch");
    add_host_links(maker, count, count, count);
}

/* Join each of @a num_low switches to each of @a num_high. */
static void add_stage(mtree_shape_maker_t *maker, int low, int num_low, int high,
                      int num_high, double width)
{
    for (int i = 0; i < num_low; ++i) {
        for (int j = 0; j < num_high; ++j) {
            add_link(maker, low + i, high + j, width);
        }
    }
}

static void make_leaf_spine(mtree_shape_maker_t *maker)
{
    int leaves = maker->size[0];
    int each = maker->size[1];
    int count = leaves * each;
    int spines = (leaves > 2) ? each : 0;

    add_host_row(maker, 0, count, 0);
    add_switch_row(maker, "leaf", leaves, each, 2);
    add_switch_row(maker, "spine", spines, leaves, 4);
    add_host_links(maker, count, each, count);
    if (leaves == 2) {
        add_link(maker, count, count + 1, each);
    } else {
        add_stage(maker, count, leaves, count + leaves, spines, 1);
    }
}

/* K pods of K/2 edge and K/2 aggregation switches, (K/2)^2 core switches (Al-Fares et
 * al., SIGCOMM 2008). */
static void make_three_levels(mtree_shape_maker_t *maker)
{
    int k = maker->size[0];
    int half = k / 2;
    int count = k * half * half;
    int edges = count;
    int middles = edges + k * half;
    int cores = middles + k * half;
    double rise = half * half;

    add_host_row(maker, 0, count, 0);
    add_switch_row(maker, "edge", k * half, half, rise / 8);
    add_switch_row(maker, "agg", k * half, half, rise / 3);
    add_switch_row(maker, "core", half * half, k, rise);
    add_host_links(maker, count, half, edges);
    for (int pod = 0; pod < k; ++pod) {
        add_stage(maker, edges + pod * half, half, middles + pod * half, half, 1);
        for (int i = 0; i < half; ++i) {
            add_stage(maker, middles + pod * half + i, 1, cores + i * half, half, 1);
        }
    }
}

static void make_fattree(mtree_shape_maker_t *maker)
{
    if (maker->num_sizes == 2) {
        make_leaf_spine(maker);
    } else if (maker->size[0] > 40) {
        mtree_error(
            "fattree:%d has more vertices than the %d that mtree takes; use at most "
            "fattree:40",
            maker->size[0], MTREE_TOPOLOGY_MAX_VERTICES);
        maker->status = MTREE_ERR_LIMIT;
    } else if (maker->size[0] % 2 != 0) {
        mtree_error(
            "a fat tree of three levels has switches with an even number of ports, "
            "not %d",
            maker->size[0]);
        maker->status = MTREE_ERR_INVALID;
    } else {
        make_three_levels(maker);
    }
}

static void make_bigraph(mtree_shape_maker_t *maker)
{
    int stage = maker->size[0];
    int each = maker->size[1] / 2;
    int count = 2 * stage * each;

    if (maker->size[1] % 2 != 0) {
        mtree_error(
            "a BiGraph has an even second number (each of its 2M switches has N/2 "
            "hosts), not %d",
            maker->size[1]);
        maker->status = MTREE_ERR_INVALID;
        return;
    }
    add_host_row(maker, 0, count / 2, 0);
    add_host_row(maker, count / 2, count / 2, 8);
    add_switch_row(maker, "lower", stage, each, 2);
    add_switch_row(maker, "upper", stage, each, 6);
    add_host_links(maker, count, each, count);
    add_stage(maker, count, stage, count + stage, stage, (double)each / stage);
}

/* The links below a level of a tree: @a count switches, from vertex @a first on, each
 * with @a each switches below it. */
static void add_tree_links(mtree_shape_maker_t *maker, int first, int count, int each)
{
    for (int i = 0; i < count; ++i) {
        add_stage(maker, first + i, 1, first + count + i * each, each, 1);
    }
}

static void make_tree(mtree_shape_maker_t *maker)
{
    static const char *const names[MTREE_SHAPE_MAX_SIZES] = {"root", "pod", "rack"};
    int levels = maker->num_sizes;
    int count = 1, width = 1;
    int first;

    for (int d = 0; d < levels; ++d) {
        count *= maker->size[d];
    }
    add_host_row(maker, 0, count, 0);
    for (int d = 0; d < levels; ++d) {
        add_switch_row(maker, names[(d > 0) ? d + MTREE_SHAPE_MAX_SIZES - levels : 0],
                       width, (double)count / width, (double)count / 6 * (levels - d));
        width *= maker->size[d];
    }
    first = count;
    width = 1;
    for (int d = 0; d + 1 < levels; ++d) {
        add_tree_links(maker, first, width, maker->size[d]);
        first += width;
        width *= maker->size[d];
    }
    add_host_links(maker, count, count / width, first);
}

/* A set of pairs of hosts: one bit each. */
typedef struct {
    unsigned char *bits;
    size_t num_hosts;
} pairs_t;

/* Add a pair; false when it was there. */
static bool pairs_add(pairs_t *pairs, int u, int v)
{
    size_t low = (size_t)((u < v) ? u : v);
    size_t high = (size_t)((u < v) ? v : u);
    size_t place = low * pairs->num_hosts + high;
    unsigned char bit = (unsigned char)(1u << (place % 8));

    if (pairs->bits[place / 8] & bit) {
        return false;
    }
    pairs->bits[place / 8] |= bit;
    return true;
}

static int draw_host(mtree_random_t *random, int count)
{
    return (int)mtree_random_below(random, (uint64_t)count);
}

/* A tree of random attachments, then random pairs that are not joined yet. */
static void add_random_links(mtree_shape_maker_t *maker, pairs_t *pairs, int num_links)
{
    int count = maker->size[0];
    mtree_random_t random;
    int u, v;

    mtree_random_init(&random, maker->request->seed);
    for (int i = 0; i < num_links; ++i) {
        do {
            u = (i + 1 < count) ? i + 1 : draw_host(&random, count);
            v = draw_host(&random, (i + 1 < count) ? i + 1 : count);
        } while (u == v || !pairs_add(pairs, u, v));
        add_link(maker, u, v, 1);
    }
}

static void make_random(mtree_shape_maker_t *maker)
{
    int64_t count = maker->size[0];
    int64_t num_links = maker->size[1];
    pairs_t pairs = {.num_hosts = (size_t)count};

    if (num_links < count - 1 || num_links > count * (count - 1) / 2) {
        mtree_error("%" PRId64 " hosts are joined by %" PRId64 " to %" PRId64
                    " links, not %" PRId64,
                    count, count - 1, count * (count - 1) / 2, num_links);
        maker->status = MTREE_ERR_INVALID;
        return;
    }
    add_circle(maker, (int)count);
    if (maker->status != MTREE_OK) {
        return;
    }
    pairs.bits = mtree_calloc((size_t)(count * count / 8) + 1, 1);
    add_random_links(maker, &pairs, (int)num_links);
    free(pairs.bits);
}

const mtree_shape_t mtree_shapes[] = {
    {"torus", 'x', 2, 3, make_torus},
    {"mesh", 'x', 2, 3, make_mesh},
    {"ring", 'x', 1, 1, make_torus},
    {"star", 'x', 1, 1, make_star},
    {"fattree", 'x', 1, 2, make_fattree},
    {"bigraph", 'x', 2, 2, make_bigraph},
    {"tree", 'x', 2, 3, make_tree},
    {"random", ':', 2, 2, make_random},
    {.name = NULL},
};
