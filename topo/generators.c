/* SPDX-License-Identifier: BSD-3-Clause */
#include "topo/generators.h"

#include "base/log.h"
#include "base/random.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_DIMENSIONS 3

typedef struct {
    const mtree_generate_request_t *request;
    int size[MAX_DIMENSIONS];
    int num_sizes;
    mtree_topology_t *topology;
} generator_t;

static mtree_status_t add_vertex(generator_t *generator, mtree_vertex_kind_t kind,
                                 double x, double y, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

static mtree_status_t add_vertex(generator_t *generator, mtree_vertex_kind_t kind,
                                 double x, double y, const char *format, ...)
{
    mtree_status_t status;
    va_list args;
    char name[64];
    int vertex;

    va_start(args, format);
    vsnprintf(name, sizeof(name), format, args);
    va_end(args);
    status = mtree_topology_add_vertex(generator->topology, name, NULL, kind, &vertex);
    if (status == MTREE_OK) {
        generator->topology->vertices[vertex].has_position = true;
        generator->topology->vertices[vertex].x = x;
        generator->topology->vertices[vertex].y = y;
    }
    return status;
}

/* A coordinate that is short to write; never a negative zero. */
static double grid(double value)
{
    return round(1000 * value) / 1000 + 0.0;
}

/* Hosts h0, h1, ... on a circle around the origin. */
static mtree_status_t add_circle(generator_t *generator, int count)
{
    mtree_status_t status = MTREE_OK;
    double angle;
    int i;

    for (i = 0; i < count && status == MTREE_OK; ++i) {
        angle = 2 * M_PI * i / count;
        status = add_vertex(generator, MTREE_VERTEX_HOST, grid(sin(angle)),
                            grid(cos(angle)), "h%d", i);
    }
    return status;
}

/* Vertices side by side, centred on x = 0. */
typedef struct {
    mtree_vertex_kind_t kind;
    const char *name; /* followed by their numbers, from `first` on */
    int first, count;
    double step, y;
} row_t;

static mtree_status_t add_row(generator_t *generator, row_t row)
{
    mtree_status_t status = MTREE_OK;
    int i;

    for (i = 0; i < row.count && status == MTREE_OK; ++i) {
        status = add_vertex(generator, row.kind, row.step * (i - (row.count - 1) / 2.0),
                            row.y, "%s%d", row.name, row.first + i);
    }
    return status;
}

static mtree_status_t add_host_row(generator_t *generator, int first, int count, double y)
{
    return add_row(generator, (row_t){MTREE_VERTEX_HOST, "h", first, count, 1, y});
}

static mtree_status_t add_switch_row(generator_t *generator, const char *name, int count,
                                     double step, double y)
{
    return add_row(generator, (row_t){MTREE_VERTEX_SWITCH, name, 0, count, step, y});
}

static mtree_status_t add_link(generator_t *generator, int u, int v, double width)
{
    const mtree_generate_request_t *request = generator->request;

    return mtree_topology_add_link(generator->topology, u, v, width * request->capacity,
                                   width * request->capacity, request->latency, NULL);
}

/* Join each host of @a count to the switch it hangs below, @a each hosts a switch. */
static mtree_status_t add_host_links(generator_t *generator, int count, int each,
                                     int first_switch)
{
    mtree_status_t status = MTREE_OK;
    int i;

    for (i = 0; i < count && status == MTREE_OK; ++i) {
        status = add_link(generator, i, first_switch + i / each, 1);
    }
    return status;
}

/*
 * The links of one host of a grid to its next in each dimension.  A ring of two is one
 * link: the second would join the same two.
 */
static mtree_status_t add_grid_links(generator_t *generator, int host, bool wrap)
{
    mtree_status_t status = MTREE_OK;
    int stride = 1;
    int d, size, place;

    for (d = generator->num_sizes - 1; d >= 0 && status == MTREE_OK; --d) {
        size = generator->size[d];
        place = host / stride % size;
        if (place + 1 < size) {
            status = add_link(generator, host, host + stride, 1);
        } else if (wrap && size > 2) {
            status = add_link(generator, host, host - (size - 1) * stride, 1);
        }
        stride *= size;
    }
    return status;
}

static mtree_status_t make_grid(generator_t *generator, bool wrap)
{
    mtree_status_t status = MTREE_OK;
    int depth = (generator->num_sizes == 3) ? generator->size[2] : 1;
    int columns = generator->size[1];
    int count = generator->size[0] * columns * depth;
    int i, row, column, layer;

    for (i = 0; i < count && status == MTREE_OK; ++i) {
        row = i / depth / columns;
        column = i / depth % columns;
        layer = i % depth;
        /* The layers of a third dimension are drawn shifted, as a cube is. */
        status = add_vertex(generator, MTREE_VERTEX_HOST, column + 0.3 * layer,
                            -row + 0.3 * layer, "h%d", i);
    }
    for (i = 0; i < count && status == MTREE_OK; ++i) {
        status = add_grid_links(generator, i, wrap);
    }
    return status;
}

static mtree_status_t make_torus(generator_t *generator)
{
    return make_grid(generator, true);
}

static mtree_status_t make_mesh(generator_t *generator)
{
    return make_grid(generator, false);
}

static mtree_status_t make_ring(generator_t *generator)
{
    int count = generator->size[0];
    mtree_status_t status = add_circle(generator, count);
    int i;

    for (i = 0; i + 1 < count && status == MTREE_OK; ++i) {
        status = add_link(generator, i, i + 1, 1);
    }
    if (status == MTREE_OK && count > 2) {
        status = add_link(generator, count - 1, 0, 1);
    }
    return status;
}

static mtree_status_t make_star(generator_t *generator)
{
    int count = generator->size[0];
    mtree_status_t status = add_circle(generator, count);

    if (status == MTREE_OK) {
        status = add_vertex(generator, MTREE_VERTEX_SWITCH, 0, 0, "switch");
    }
    return (status == MTREE_OK) ? add_host_links(generator, count, count, count) : status;
}

/* Join each of @a num_low switches to each of @a num_high. */
static mtree_status_t add_stage(generator_t *generator, int low, int num_low, int high,
                                int num_high, double width)
{
    mtree_status_t status = MTREE_OK;
    int i, j;

    for (i = 0; i < num_low; ++i) {
        for (j = 0; j < num_high && status == MTREE_OK; ++j) {
            status = add_link(generator, low + i, high + j, width);
        }
    }
    return status;
}

static mtree_status_t make_leaf_spine(generator_t *generator)
{
    int leaves = generator->size[0];
    int each = generator->size[1];
    int count = leaves * each;
    int spines = (leaves > 2) ? each : 0;
    mtree_status_t status;

    if ((status = add_host_row(generator, 0, count, 0)) != MTREE_OK ||
        (status = add_switch_row(generator, "leaf", leaves, each, 2)) != MTREE_OK ||
        (status = add_switch_row(generator, "spine", spines, leaves, 4)) != MTREE_OK ||
        (status = add_host_links(generator, count, each, count)) != MTREE_OK) {
        return status;
    }
    if (leaves == 2) {
        return add_link(generator, count, count + 1, each);
    }
    return add_stage(generator, count, leaves, count + leaves, spines, 1);
}

/* K pods of K/2 edge and K/2 aggregation switches, (K/2)^2 core switches (Al-Fares et
 * al., SIGCOMM 2008). */
static mtree_status_t make_three_levels(generator_t *generator)
{
    int k = generator->size[0];
    int half = k / 2;
    int count = k * half * half;
    int edges = count;
    int middles = edges + k * half;
    int cores = middles + k * half;
    double rise = half * half;
    mtree_status_t status;
    int pod, i;

    if ((status = add_host_row(generator, 0, count, 0)) != MTREE_OK ||
        (status = add_switch_row(generator, "edge", k * half, half, rise / 8)) !=
            MTREE_OK ||
        (status = add_switch_row(generator, "agg", k * half, half, rise / 3)) !=
            MTREE_OK ||
        (status = add_switch_row(generator, "core", half * half, k, rise)) != MTREE_OK ||
        (status = add_host_links(generator, count, half, edges)) != MTREE_OK) {
        return status;
    }
    for (pod = 0; pod < k && status == MTREE_OK; ++pod) {
        status =
            add_stage(generator, edges + pod * half, half, middles + pod * half, half, 1);
        for (i = 0; i < half && status == MTREE_OK; ++i) {
            status = add_stage(generator, middles + pod * half + i, 1, cores + i * half,
                               half, 1);
        }
    }
    return status;
}

static mtree_status_t make_fattree(generator_t *generator)
{
    if (generator->num_sizes == 2) {
        return make_leaf_spine(generator);
    }
    if (generator->size[0] > 40) {
        mtree_error(
            "fattree:%d has more vertices than the %d that mtree takes; use at most "
            "fattree:40",
            generator->size[0], MTREE_TOPOLOGY_MAX_VERTICES);
        return MTREE_ERR_LIMIT;
    }
    if (generator->size[0] % 2 != 0) {
        mtree_error(
            "a fat tree of three levels has switches with an even number of ports, "
            "not %d",
            generator->size[0]);
        return MTREE_ERR_INVALID;
    }
    return make_three_levels(generator);
}

static mtree_status_t make_bigraph(generator_t *generator)
{
    int stage = generator->size[0];
    int each = generator->size[1] / 2;
    int count = 2 * stage * each;
    mtree_status_t status;

    if (generator->size[1] % 2 != 0) {
        mtree_error(
            "a BiGraph has an even second number (each of its 2M switches has N/2 "
            "hosts), not %d",
            generator->size[1]);
        return MTREE_ERR_INVALID;
    }
    if ((status = add_host_row(generator, 0, count / 2, 0)) != MTREE_OK ||
        (status = add_host_row(generator, count / 2, count / 2, 8)) != MTREE_OK ||
        (status = add_switch_row(generator, "lower", stage, each, 2)) != MTREE_OK ||
        (status = add_switch_row(generator, "upper", stage, each, 6)) != MTREE_OK ||
        (status = add_host_links(generator, count, each, count)) != MTREE_OK) {
        return status;
    }
    return add_stage(generator, count, stage, count + stage, stage, (double)each / stage);
}

/* A level of a tree: @a count switches, the first of which is vertex @a first, each with
 * @a each switches or hosts below it. */
static mtree_status_t add_tree_links(generator_t *generator, int first, int count,
                                     int each)
{
    mtree_status_t status = MTREE_OK;
    int i;

    for (i = 0; i < count && status == MTREE_OK; ++i) {
        status = add_stage(generator, first + i, 1, first + count + i * each, each, 1);
    }
    return status;
}

static mtree_status_t make_tree(generator_t *generator)
{
    static const char *const names[MAX_DIMENSIONS] = {"root", "pod", "rack"};
    int levels = generator->num_sizes;
    int count = 1, width = 1;
    int d, first;
    mtree_status_t status;

    for (d = 0; d < levels; ++d) {
        count *= generator->size[d];
    }
    status = add_host_row(generator, 0, count, 0);
    for (d = 0; d < levels && status == MTREE_OK; ++d) {
        status = add_switch_row(generator,
                                names[(d > 0) ? d + MAX_DIMENSIONS - levels : 0], width,
                                (double)count / width, (double)count / 6 * (levels - d));
        width *= generator->size[d];
    }
    first = count;
    width = 1;
    for (d = 0; d + 1 < levels && status == MTREE_OK; ++d) {
        status = add_tree_links(generator, first, width, generator->size[d]);
        first += width;
        width *= generator->size[d];
    }
    return (status == MTREE_OK) ? add_host_links(generator, count, count / width, first)
                                : status;
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
static mtree_status_t add_random_links(generator_t *generator, pairs_t *pairs,
                                       int num_links)
{
    int count = generator->size[0];
    mtree_status_t status = MTREE_OK;
    mtree_random_t random;
    int i, u, v;

    mtree_random_init(&random, generator->request->seed);
    for (i = 0; i < num_links && status == MTREE_OK; ++i) {
        do {
            u = (i + 1 < count) ? i + 1 : draw_host(&random, count);
            v = draw_host(&random, (i + 1 < count) ? i + 1 : count);
        } while (u == v || !pairs_add(pairs, u, v));
        status = add_link(generator, u, v, 1);
    }
    return status;
}

static mtree_status_t make_random(generator_t *generator)
{
    int64_t count = generator->size[0];
    int64_t num_links = generator->size[1];
    pairs_t pairs = {.num_hosts = (size_t)count};
    mtree_status_t status;

    if (num_links < count - 1 || num_links > count * (count - 1) / 2) {
        mtree_error("%" PRId64 " hosts are joined by %" PRId64 " to %" PRId64
                    " links, not %" PRId64,
                    count, count - 1, count * (count - 1) / 2, num_links);
        return MTREE_ERR_INVALID;
    }
    status = add_circle(generator, (int)count);
    if (status != MTREE_OK) {
        return status;
    }
    pairs.bits = calloc((size_t)(count * count / 8) + 1, 1);
    if (pairs.bits == NULL) {
        return mtree_no_memory("the pairs of %" PRId64 " hosts", count);
    }
    status = add_random_links(generator, &pairs, (int)num_links);
    free(pairs.bits);
    return status;
}

static const struct {
    const char *name;
    char separator; /* between the sizes */
    int min_sizes, max_sizes;
    mtree_status_t (*make)(generator_t *generator);
} shapes[] = {
    {"torus", 'x', 2, 3, make_torus},     {"mesh", 'x', 2, 3, make_mesh},
    {"ring", 'x', 1, 1, make_ring},       {"star", 'x', 1, 1, make_star},
    {"fattree", 'x', 1, 2, make_fattree}, {"bigraph", 'x', 2, 2, make_bigraph},
    {"tree", 'x', 2, 3, make_tree},       {"random", ':', 2, 2, make_random},
};

/* Read "4x4" into the sizes; false when it is not of that form. */
static bool read_sizes(generator_t *generator, const char *text, char separator)
{
    int64_t product = 1;
    char *end;
    long size;

    for (generator->num_sizes = 0; generator->num_sizes < MAX_DIMENSIONS;) {
        if (*text < '0' || *text > '9') {
            return false;
        }
        size = strtol(text, &end, 10);
        product *= (size <= MTREE_TOPOLOGY_MAX_LINKS) ? size : 0;
        if (product <= 0 || (separator == 'x' && product > MTREE_TOPOLOGY_MAX_VERTICES)) {
            return false;
        }
        generator->size[generator->num_sizes++] = (int)size;
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
    generator_t generator = {.request = request};
    size_t length = strcspn(shape, ":");
    mtree_status_t status;
    size_t i;

    for (i = 0; i < sizeof(shapes) / sizeof(shapes[0]); ++i) {
        if (strlen(shapes[i].name) == length &&
            memcmp(shapes[i].name, shape, length) == 0 && shape[length] == ':' &&
            read_sizes(&generator, shape + length + 1, shapes[i].separator) &&
            generator.num_sizes >= shapes[i].min_sizes &&
            generator.num_sizes <= shapes[i].max_sizes) {
            break;
        }
    }
    if (i == sizeof(shapes) / sizeof(shapes[0])) {
        mtree_error(
            "'%s' is no shape; use torus:4x4, mesh:4x4, ring:8, star:8, fattree:16, "
            "fattree:8x8, bigraph:4x8, tree:3x2x4 or random:20:60",
            shape);
        return MTREE_ERR_INVALID;
    }
    status = mtree_topology_create(shape, "generated", &generator.topology);
    if (status != MTREE_OK) {
        return status;
    }
    status = shapes[i].make(&generator);
    if (status != MTREE_OK) {
        mtree_topology_destroy(generator.topology);
        return status;
    }
    *topology_p = generator.topology;
    return MTREE_OK;
}

void mtree_generate_capacities(mtree_topology_t *topology, double mean, double skew,
                               uint64_t seed)
{
    /* The paper's step is ten where its mean is 200; a little slack takes the ends in. */
    int64_t least = (int64_t)ceil(20 * (1 - skew / 2) - 1e-9);
    int64_t most = (int64_t)floor(20 * (1 + skew / 2) + 1e-9);
    mtree_random_t random;
    int64_t steps;
    int i;

    mtree_random_init(&random, seed);
    for (i = 0; i < topology->num_links; ++i) {
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
    int i;

    for (i = 0; i < topology->num_links; ++i) {
        capacity = fmin(fmax(topology->links[i].capacity[0], low), high);
        place = (high > low) ? (1 / capacity - 1 / high) / (1 / low - 1 / high) : 0;
        topology->links[i].latency = round((least + place * (most - least)) * 1e6) / 1e6;
    }
}
