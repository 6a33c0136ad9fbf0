/* SPDX-License-Identifier: BSD-3-Clause */
#include "planner/regular/torus.h"

#include <stdlib.h>
#include <string.h>

/* A network that takes more steps than this per host is no torus. */
#define MOST_STEPS 64

/* In a ring of so many hosts two that are two hops apart have one neighbour in common;
 * hosts in two rings have two. */
#define LONG_RING 5

typedef struct {
    int num_hosts, degree;
    int *neighbours; /* [num_hosts][degree] */
    int *stride;     /* [dimensions] */
    bool *used;      /* [num_hosts] */
    int *tried;      /* [num_hosts] neighbours that were tried at each point */
    mtree_torus_t torus;
} search_t;

static bool is_next(const search_t *search, int a, int b)
{
    const int *list = &search->neighbours[a * search->degree];

    for (int i = 0; i < search->degree; i++) {
        if (list[i] == b) {
            return true;
        }
    }
    return false;
}

/* Add @a b to the neighbours of @a a, whose number is @a num; false: there are more than
 * can be. */
static bool add_neighbour(search_t *search, int *num, int a, int b)
{
    int *list = &search->neighbours[a * search->degree];

    for (int i = 0; i < num[a]; i++) {
        if (list[i] == b) {
            return true;
        }
    }
    if (num[a] == search->degree) {
        return false;
    }
    list[num[a]++] = b;
    return true;
}

/* List the neighbours of all hosts; false: they do not have as many each. */
static bool list_neighbours(const mtree_problem_t *problem, search_t *search)
{
    const mtree_topology_t *topology = problem->topology;
    const size_t num_hosts = (size_t)problem->num_hosts;
    int *number, *num;

    search->degree = 2 * MTREE_TORUS_DIMENSIONS;
    MTREE_ARENA_ARRAY(problem->arena, number, num_hosts);
    MTREE_ARENA_ARRAY(problem->arena, num, num_hosts);
    MTREE_ARENA_ARRAY(problem->arena, search->neighbours,
                      num_hosts * (size_t)search->degree);
    for (int host = 0; host < problem->num_hosts; host++) {
        number[problem->hosts == NULL ? host : problem->hosts[host]] = host;
    }
    for (int l = 0; l < topology->num_links; l++) {
        const int a = number[mtree_arc_from(topology, 2 * l)];
        const int b = number[mtree_arc_to(topology, 2 * l)];

        if (a == b || !add_neighbour(search, num, a, b) ||
            !add_neighbour(search, num, b, a)) {
            return false;
        }
    }
    for (int host = 0; host < problem->num_hosts; host++) {
        if (num[host] != num[0]) {
            return false;
        }
        memmove(&search->neighbours[host * num[0]],
                &search->neighbours[host * search->degree],
                (size_t)num[0] * sizeof(*search->neighbours));
    }
    search->degree = num[0];
    return search->degree > 0;
}

static int coordinate(const search_t *search, int point, int dimension)
{
    return point / search->stride[dimension] % search->torus.size[dimension];
}

static int common_neighbours(const search_t *search, int a, int b)
{
    int count = 0;

    for (int i = 0; i < search->degree; i++) {
        count += is_next(search, search->neighbours[a * search->degree + i], b);
    }
    return count;
}

/* May @a host be at @a point, as far as the points before it say? */
static bool suits(const search_t *search, int point, int host)
{
    const int *at = search->torus.host;

    if (search->used[host]) {
        return false;
    }
    for (int d = 0; d < search->torus.num_dimensions; d++) {
        const int c = coordinate(search, point, d), size = search->torus.size[d];
        const int stride = search->stride[d];

        if (c == 0) {
            continue;
        }
        if (!is_next(search, at[point - stride], host) ||
            (c == size - 1 && !is_next(search, at[point - c * stride], host)) ||
            (c >= 2 && size >= LONG_RING &&
             common_neighbours(search, at[point - 2 * stride], host) != 1)) {
            return false;
        }
    }
    return true;
}

/* The next host to try at @a point, a neighbour of one before it; -1: there is none. */
static int next_host(search_t *search, int point)
{
    int before = 0;

    for (int d = 0; d < search->torus.num_dimensions; d++) {
        if (coordinate(search, point, d) > 0) {
            before = search->torus.host[point - search->stride[d]];
        }
    }
    while (search->tried[point] < search->degree) {
        const int host =
            search->neighbours[before * search->degree + search->tried[point]++];

        if (suits(search, point, host)) {
            return host;
        }
    }
    return -1;
}

/* Find hosts for all points of the torus of this size, the first one at the origin. */
static bool embed(search_t *search)
{
    int stride = 1, point = 1;

    for (int d = search->torus.num_dimensions - 1; d >= 0; d--) {
        search->stride[d] = stride;
        stride *= search->torus.size[d];
    }
    memset(search->used, 0, (size_t)search->num_hosts * sizeof(*search->used));
    search->torus.host[0] = 0;
    search->used[0] = true;
    search->tried[1] = 0;
    for (int step = 0; step < MOST_STEPS * search->num_hosts; step++) {
        const int host = next_host(search, point);

        if (host < 0) {
            if (--point == 0) {
                return false;
            }
            search->used[search->torus.host[point]] = false;
            continue;
        }
        search->torus.host[point] = host;
        search->used[host] = true;
        if (++point == search->num_hosts) {
            return true;
        }
        search->tried[point] = 0;
    }
    return false;
}

/* Try all sizes of @a rest points, from dimension @a d on none above @a most.  So a ring
 * of four is not taken for two dimensions of two. */
static bool try_sizes(search_t *search, int d, int most, int rest)
{
    int degree = 0;

    if (rest == 1) {
        for (int i = 0; i < d; i++) {
            degree += search->torus.size[i] > 2 ? 2 : 1;
        }
        search->torus.num_dimensions = d;
        return degree == search->degree && embed(search);
    }
    for (int size = most; d < MTREE_TORUS_DIMENSIONS && size > 1; size--) {
        search->torus.size[d] = size;
        if (rest % size == 0 && try_sizes(search, d + 1, size, rest / size)) {
            return true;
        }
    }
    return false;
}

mtree_torus_t mtree_torus_find(const mtree_problem_t *problem)
{
    const size_t num_hosts = (size_t)problem->num_hosts;
    search_t search = {.num_hosts = problem->num_hosts};
    mtree_torus_t *torus = &search.torus;

    if (problem->num_hosts != problem->topology->num_vertices) {
        return (mtree_torus_t){0};
    }
    MTREE_ARENA_ARRAY(problem->arena, search.stride, MTREE_TORUS_DIMENSIONS);
    MTREE_ARENA_ARRAY(problem->arena, search.used, num_hosts);
    MTREE_ARENA_ARRAY(problem->arena, search.tried, num_hosts);
    MTREE_ARENA_ARRAY(problem->arena, torus->host, num_hosts);
    if (!list_neighbours(problem, &search) ||
        !try_sizes(&search, 0, problem->num_hosts, problem->num_hosts)) {
        return (mtree_torus_t){0};
    }
    memset(&torus->size[torus->num_dimensions], 0,
           (size_t)(MTREE_TORUS_DIMENSIONS - torus->num_dimensions) *
               sizeof(*torus->size));
    return *torus;
}

typedef struct {
    unsigned key;
    int host;
} keyed_t;

static int compare_keys(const void *a, const void *b)
{
    const keyed_t *x = a, *y = b;

    return x->key < y->key ? -1 : x->key > y->key;
}

static int num_bits(int size)
{
    int bits = 0;

    while (1 << bits < size) {
        bits++;
    }
    return bits;
}

/* The bits of the Gray codes of all coordinates of @a point, the lowest of all dimensions
 * first. */
static unsigned key_of(const mtree_torus_t *torus, int point)
{
    unsigned gray[MTREE_TORUS_DIMENSIONS], key = 0;
    int at = 0;

    for (int d = torus->num_dimensions - 1; d >= 0; d--) {
        const unsigned c = (unsigned)(point % torus->size[d]);

        gray[d] = c ^ c >> 1;
        point /= torus->size[d];
    }
    for (int bit = 0; at < 32 && bit < 32; bit++) {
        for (int d = torus->num_dimensions - 1; d >= 0; d--) {
            if (bit < num_bits(torus->size[d])) {
                key |= (gray[d] >> bit & 1) << at++;
            }
        }
    }
    return key;
}

void mtree_torus_order(const mtree_problem_t *problem, const mtree_torus_t *torus,
                       int *order)
{
    keyed_t *keyed;

    MTREE_ARENA_ARRAY(problem->arena, keyed, (size_t)problem->num_hosts);
    for (int point = 0; point < problem->num_hosts; point++) {
        keyed[point] = (keyed_t){key_of(torus, point), torus->host[point]};
    }
    qsort(keyed, (size_t)problem->num_hosts, sizeof(*keyed), compare_keys);
    for (int place = 0; place < problem->num_hosts; place++) {
        order[place] = keyed[place].host;
    }
}
