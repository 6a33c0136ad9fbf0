/* SPDX-License-Identifier: BSD-3-Clause */
#include "topo/generators.h"

#include "base/log.h"
#include "base/memory.h"
#include "base/random.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_SIZES 3

/* After a fault vertices and links are no longer added, so shapes need not check. */
typedef struct {
    const mtree_generate_request_t *request;
    const struct shape *shape;
    int size[MAX_SIZES];
    int num_sizes;
    mtree_topology_t *topology;
    mtree_status_t status; /* of the first fault, which has been logged */
} maker_t;

typedef struct shape {
    const char *name;
    char separator; /* between the sizes */
    int min_sizes, max_sizes;
    bool wraps;                   /* the dimensions of a grid */
    void (*make)(maker_t *maker); /* into the empty topology */
} shape_t;

static void add_vertex(maker_t *maker, mtree_vertex_kind_t kind, double x, double y,
                       const char *format, ...) __attribute__((format(printf, 5, 6)));

static void add_vertex(maker_t *maker, mtree_vertex_kind_t kind, double x, double y,
                       const char *format, ...)
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
static void add_circle(maker_t *maker, int count)
{
    double angle;

    for (int i = 0; i < count; ++i) {
        angle = 2 * M_PI * i / count;
        add_vertex(maker, MTREE_VERTEX_HOST, grid(sin(angle)), grid(cos(angle)), "h%d",
                   i);
    }
}

/* Vertices side by side, centred on x = 0; their names end in numbers from @a first on.
 */
static void add_row(maker_t *maker, mtree_vertex_kind_t kind, const char *name, int first,
                    int count, double step, double y)
{
    for (int i = 0; i < count; ++i) {
        add_vertex(maker, kind, step * (i - (count - 1) / 2.0), y, "%s%d", name,
                   first + i);
    }
}

/* @a width is how many times the request's capacity the link has. */
static void add_link(maker_t *maker, int u, int v, double width)
{
    const mtree_generate_request_t *request = maker->request;
    const double capacity = width * request->capacity;

    if (maker->status == MTREE_OK) {
        maker->status = mtree_topology_add_link(maker->topology, u, v, capacity, capacity,
                                                request->latency, NULL);
    }
}

/* Join each of @a count hosts to its switch; each switch has @a each hosts. */
static void add_host_links(maker_t *maker, int count, int each, int first_switch)
{
    for (int i = 0; i < count; ++i) {
        add_link(maker, i, first_switch + i / each, 1);
    }
}

/*
 * The links of one host of a grid to its next in each dimension.  A ring of two is one
 * link: the second would join the same two.
 */
static void add_grid_links(maker_t *maker, int host)
{
    int stride = 1;
    int size, place;

    for (int d = maker->num_sizes - 1; d >= 0; --d) {
        size = maker->size[d];
        place = host / stride % size;
        if (place + 1 < size) {
            add_link(maker, host, host + stride, 1);
        } else if (maker->shape->wraps && size > 2) {
            add_link(maker, host, host - (size - 1) * stride, 1);
        }
        stride *= size;
    }
}

static void make_grid(maker_t *maker)
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
        add_grid_links(maker, i);
    }
}

static void make_star(maker_t *maker)
{
    int count = maker->size[0];

    add_circle(maker, count);
    add_vertex(maker, MTREE_VERTEX_SWITCH, 0, 0, "switch");
    add_host_links(maker, count, count, count);
}

/* Join each of @a num_low switches to each of @a num_high. */
static void add_stage(maker_t *maker, int low, int num_low, int high, int num_high,
                      double width)
{
    for (int i = 0; i < num_low; ++i) {
        for (int j = 0; j < num_high; ++j) {
            add_link(maker, low + i, high + j, width);
        }
    }
}

static void make_leaf_spine(maker_t *maker)
{
    int leaves = maker->size[0];
    int each = maker->size[1];
    int count = leaves * each;
    int spines = (leaves > 2) ? each : 0;

    add_row(maker, MTREE_VERTEX_HOST, "h", 0, count, 1, 0);
    add_row(maker, MTREE_VERTEX_SWITCH, "leaf", 0, leaves, each, 2);
    add_row(maker, MTREE_VERTEX_SWITCH, "spine", 0, spines, leaves, 4);
    add_host_links(maker, count, each, count);
    if (leaves == 2) {
        add_link(maker, count, count + 1, each);
    } else {
        add_stage(maker, count, leaves, count + leaves, spines, 1);
    }
}

/* K pods of K/2 edge and K/2 aggregation switches, (K/2)^2 core switches (Al-Fares et
 * al., SIGCOMM 2008). */
static void make_three_levels(maker_t *maker)
{
    int k = maker->size[0];
    int half = k / 2;
    int count = k * half * half;
    int edges = count;
    int middles = edges + k * half;
    int cores = middles + k * half;
    double rise = half * half;

    add_row(maker, MTREE_VERTEX_HOST, "h", 0, count, 1, 0);
    add_row(maker, MTREE_VERTEX_SWITCH, "edge", 0, k * half, half, rise / 8);
    add_row(maker, MTREE_VERTEX_SWITCH, "agg", 0, k * half, half, rise / 3);
    add_row(maker, MTREE_VERTEX_SWITCH, "core", 0, half * half, k, rise);
    add_host_links(maker, count, half, edges);
    for (int pod = 0; pod < k; ++pod) {
        add_stage(maker, edges + pod * half, half, middles + pod * half, half, 1);
        for (int i = 0; i < half; ++i) {
            add_stage(maker, middles + pod * half + i, 1, cores + i * half, half, 1);
        }
    }
}

static void make_fattree(maker_t *maker)
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

static void make_bigraph(maker_t *maker)
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
    add_row(maker, MTREE_VERTEX_HOST, "h", 0, count / 2, 1, 0);
    add_row(maker, MTREE_VERTEX_HOST, "h", count / 2, count / 2, 1, 8);
    add_row(maker, MTREE_VERTEX_SWITCH, "lower", 0, stage, each, 2);
    add_row(maker, MTREE_VERTEX_SWITCH, "upper", 0, stage, each, 6);
    add_host_links(maker, count, each, count);
    add_stage(maker, count, stage, count + stage, stage, (double)each / stage);
}

/* The links below a level of a tree: @a count switches, from vertex @a first on, each
 * with @a each switches below it. */
static void add_tree_links(maker_t *maker, int first, int count, int each)
{
    for (int i = 0; i < count; ++i) {
        add_stage(maker, first + i, 1, first + count + i * each, each, 1);
    }
}

static void make_tree(maker_t *maker)
{
    static const char *const names[MAX_SIZES] = {"root", "pod", "rack"};
    int levels = maker->num_sizes;
    int count = 1, width = 1;
    int first;

    for (int d = 0; d < levels; ++d) {
        count *= maker->size[d];
    }
    add_row(maker, MTREE_VERTEX_HOST, "h", 0, count, 1, 0);
    for (int d = 0; d < levels; ++d) {
        add_row(maker, MTREE_VERTEX_SWITCH, names[(d > 0) ? d + MAX_SIZES - levels : 0],
                0, width, (double)count / width, (double)count / 6 * (levels - d));
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

/* Add a pair to a set of pairs of @a count hosts, one bit each; false when it was there.
 */
static bool pairs_add(unsigned char *pairs, int count, int u, int v)
{
    size_t low = (size_t)((u < v) ? u : v);
    size_t high = (size_t)((u < v) ? v : u);
    size_t place = low * (size_t)count + high;
    unsigned char bit = (unsigned char)(1u << (place % 8));
    bool is_new = (pairs[place / 8] & bit) == 0;

    pairs[place / 8] |= bit;
    return is_new;
}

static int draw_host(mtree_random_t *random, int count)
{
    return (int)mtree_random_below(random, (uint64_t)count);
}

/* A tree of random attachments, then random pairs that are not joined yet. */
static void add_random_links(maker_t *maker, int count, int num_links)
{
    unsigned char *pairs = mtree_calloc((size_t)count * (size_t)count / 8 + 1, 1);
    mtree_random_t random;
    int u, v;

    mtree_random_init(&random, maker->request->seed);
    for (int i = 0; i < num_links; ++i) {
        do {
            u = (i + 1 < count) ? i + 1 : draw_host(&random, count);
            v = draw_host(&random, (i + 1 < count) ? i + 1 : count);
        } while (u == v || !pairs_add(pairs, count, u, v));
        add_link(maker, u, v, 1);
    }
    free(pairs);
}

static void make_random(maker_t *maker)
{
    int64_t count = maker->size[0];
    int64_t num_links = maker->size[1];

    if (num_links < count - 1 || num_links > count * (count - 1) / 2) {
        mtree_error("%" PRId64 " hosts are joined by %" PRId64 " to %" PRId64
                    " links, not %" PRId64,
                    count, count - 1, count * (count - 1) / 2, num_links);
        maker->status = MTREE_ERR_INVALID;
        return;
    }
    add_circle(maker, (int)count);
    if (maker->status == MTREE_OK) {
        add_random_links(maker, (int)count, (int)num_links);
    }
}

static const shape_t shapes[] = {
    {"torus", 'x', 2, 3, true, make_grid},
    {"mesh", 'x', 2, 3, false, make_grid},
    {"ring", 'x', 1, 1, true, make_grid},
    {"star", 'x', 1, 1, false, make_star},
    {"fattree", 'x', 1, 2, false, make_fattree},
    {"bigraph", 'x', 2, 2, false, make_bigraph},
    {"tree", 'x', 2, 3, false, make_tree},
    {"random", ':', 2, 2, false, make_random},
    {.name = NULL},
};

/* Read "4x4" into the sizes; false when it is not of that form. */
static bool read_sizes(maker_t *maker, const char *text)
{
    const char separator = maker->shape->separator;
    int64_t product = 1;
    char *end;
    long size;

    for (maker->num_sizes = 0; maker->num_sizes < MAX_SIZES;) {
        if (*text < '0' || *text > '9') {
            return false;
        }
        size = strtol(text, &end, 10);
        product *= (size <= MTREE_TOPOLOGY_MAX_LINKS) ? size : 0;
        if (product <= 0 || (separator == 'x' && product > MTREE_TOPOLOGY_MAX_VERTICES)) {
            return false;
        }
        maker->size[maker->num_sizes++] = (int)size;
        if (*end == '\0') {
            return true;
        }
        if (*end != separator) {
            return false;
        }
        text = end + 1;
    }
    return false;
}

mtree_status_t mtree_generate(const char *shape, const mtree_generate_request_t *request,
                              mtree_topology_t **topology_p)
{
    maker_t maker = {.request = request, .shape = shapes};
    size_t length = strcspn(shape, ":");
    const shape_t *found;

    while (maker.shape->name != NULL && (strlen(maker.shape->name) != length ||
                                         memcmp(maker.shape->name, shape, length) != 0)) {
        ++maker.shape;
    }
    found = maker.shape;
    if (found->name == NULL || shape[length] != ':' ||
        !read_sizes(&maker, shape + length + 1) || maker.num_sizes < found->min_sizes ||
        maker.num_sizes > found->max_sizes) {
        mtree_error(
            "'%s' is no shape; use torus:4x4, mesh:4x4, ring:8, star:8, fattree:16, "
            "fattree:8x8, bigraph:4x8, tree:3x2x4 or random:20:60",
            shape);
        return MTREE_ERR_INVALID;
    }
    maker.topology = mtree_topology_create(shape, "generated");
    found->make(&maker);
    if (maker.status != MTREE_OK) {
        mtree_topology_destroy(maker.topology);
        return maker.status;
    }
    *topology_p = maker.topology;
    return MTREE_OK;
}

void mtree_generate_capacities(mtree_topology_t *topology, double mean, double skew,
                               uint64_t seed)
{
    /* The paper's step is 10 for a mean of 200.  The slack includes both ends. */
    int64_t least = (int64_t)ceil(20 * (1 - skew / 2) - 1e-9);
    int64_t most = (int64_t)floor(20 * (1 + skew / 2) + 1e-9);
    mtree_random_t random;
    int64_t steps;

    mtree_random_init(&random, seed);
    for (int i = 0; i < topology->num_links; ++i) {
        steps =
            least + (int64_t)mtree_random_below(&random, (uint64_t)(most - least + 1));
        topology->links[i].capacity[0] = mean / 20 * (double)steps;
        topology->links[i].capacity[1] = topology->links[i].capacity[0];
    }
}

void mtree_generate_latencies(mtree_topology_t *topology, double low, double high,
                              double least, double most)
{
    double capacity, place;

    for (int i = 0; i < topology->num_links; ++i) {
        capacity = fmin(fmax(topology->links[i].capacity[0], low), high);
        place = (high > low) ? (1 / capacity - 1 / high) / (1 / low - 1 / high) : 0;
        topology->links[i].latency = round((least + place * (most - least)) * 1e6) / 1e6;
    }
}
