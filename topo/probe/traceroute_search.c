/* SPDX-License-Identifier: BSD-3-Clause */
#include "topo/probe/traceroute_search.h"

#include "base/memory.h"
#include "base/random.h"
#include "topo/probe/routes_private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Instead of the vertex after another one on the route to a target. */
#define NOT_ASKED (-1)
#define NO_ROUTE  (-2)

/* Successive hops without an answer after which a route is given up. */
#define MAX_SILENT 3

/* Targets for which no router answered, after which a device without a gateway is taken
 * for a network that all targets are on. */
#define MAX_ALONE 2

/* Up to so many hosts all routes are traced; beyond, of each host so many random ones,
 * and one more with every doubling of the hosts. */
#define SAMPLE_ALL    128
#define SAMPLE_RANDOM 2

/* Hosts come first, with the numbers of the caller. */
typedef struct {
    const char *address; /* "": it does not answer */
    int *next;           /* [num_hosts] the vertex after it, by target */
    int silent;          /* the vertex after it that does not answer, or -1 */
} vertex_t;

struct mtree_traceroute_search {
    mtree_probe_routes_t *routes;
    int num_hosts;
    int num_vertices, vertex_capacity;
    vertex_t *vertices;
    mtree_kernel_route_t *first; /* [host * num_hosts + target]; device 0: not known */
    bool *wanted;                /* [host * num_hosts + target]; NULL: all are */
    int num_questions, question_capacity;
    mtree_route_question_t *questions;
    int *load;           /* [num_hosts] questions of each host in this round */
    mtree_arena_t arena; /* of all of these, but for the routes */
};

/* The number of a new vertex. */
static int vertex_add(mtree_traceroute_search_t *search, const char *address)
{
    vertex_t *vertex;
    int *next;

    MTREE_ARENA_ARRAY(&search->arena, next, (size_t)search->num_hosts);
    vertex = MTREE_ARENA_APPEND(&search->arena, search->vertices, search->num_vertices,
                                search->vertex_capacity);
    for (int target = 0; target < search->num_hosts; target++) {
        next[target] = NOT_ASKED;
    }
    *vertex = (vertex_t){.address = address, .next = next, .silent = -1};
    return search->num_vertices - 1;
}

mtree_traceroute_search_t *mtree_traceroute_search_create(mtree_probe_routes_t *routes)
{
    mtree_traceroute_search_t *search = mtree_calloc(1, sizeof(*search));
    const size_t hosts = (size_t)routes->num_hosts;

    search->routes = routes;
    search->num_hosts = routes->num_hosts;
    MTREE_ARENA_ARRAY(&search->arena, search->first, hosts * hosts);
    MTREE_ARENA_ARRAY(&search->arena, search->load, hosts);
    for (int host = 0; host < search->num_hosts; host++) {
        (void)vertex_add(search, routes->addresses.items[host]->text);
    }
    return search;
}

void mtree_traceroute_search_destroy(mtree_traceroute_search_t *search)
{
    if (search != NULL) {
        mtree_arena_cleanup(&search->arena);
        free(search);
    }
}

static mtree_kernel_route_t *first_hop(const mtree_traceroute_search_t *search, int host,
                                       int target)
{
    return &search->first[(size_t)host * (size_t)search->num_hosts + (size_t)target];
}

void mtree_traceroute_search_set_first_hop(mtree_traceroute_search_t *search, int host,
                                           int target, const mtree_kernel_route_t *found)
{
    *first_hop(search, host, target) = *found;
}

void mtree_traceroute_search_want(mtree_traceroute_search_t *search, int host, int target)
{
    const size_t hosts = (size_t)search->num_hosts;

    if (search->wanted == NULL) {
        MTREE_ARENA_ARRAY(&search->arena, search->wanted, hosts * hosts);
    }
    search->wanted[(size_t)host * hosts + (size_t)target] = true;
}

void mtree_traceroute_search_sample(mtree_traceroute_search_t *search, uint64_t seed)
{
    const int num_hosts = search->num_hosts;
    const int count = SAMPLE_RANDOM + (int)ceil(log2(num_hosts));
    mtree_random_t random;

    mtree_random_init(&random, seed);
    for (int from = 0; from < num_hosts && num_hosts > SAMPLE_ALL; ++from) {
        for (int i = 0; i <= count; ++i) {
            const int to = (i == 0)
                               ? (from + 1) % num_hosts
                               : (int)mtree_random_below(&random, (uint64_t)num_hosts);

            mtree_traceroute_search_want(search, from, to);
            mtree_traceroute_search_want(search, to, from);
        }
    }
}

static bool is_wanted(const mtree_traceroute_search_t *search, int host, int target)
{
    return host != target &&
           (search->wanted == NULL ||
            search->wanted[(size_t)host * (size_t)search->num_hosts + (size_t)target]);
}

/* Does @a host send to both through the same device and gateway, if any? */
static bool same_first_hop(const mtree_traceroute_search_t *search, int host, int a,
                           int b)
{
    const mtree_kernel_route_t *to_a = first_hop(search, host, a);
    const mtree_kernel_route_t *to_b = first_hop(search, host, b);

    return to_a->device > 0 && to_a->device == to_b->device &&
           (mtree_address_equals(&to_a->gateway, &to_b->gateway) ||
            (to_a->gateway.family == AF_UNSPEC && to_b->gateway.family == AF_UNSPEC));
}

static bool is_silent(const mtree_traceroute_search_t *search, int vertex)
{
    return search->vertices[vertex].address[0] == '\0';
}

/* Did no router answer as the first hop from @a host to @a target? */
static bool stands_alone(const mtree_traceroute_search_t *search, int host, int target)
{
    int next = search->vertices[host].next[target];

    return next == target || (next >= 0 && is_silent(search, next));
}

/*
 * Is the first hop from @a host to @a target asked for in this round?  One target is
 * enough where others share the first hop, until answers show that they do not.
 */
static bool first_hop_wanted(const mtree_traceroute_search_t *search, int host,
                             int target)
{
    int alone = 0;
    bool is_first = true;

    for (int other = 0; other < search->num_hosts; other++) {
        if (other == host || other == target ||
            !same_first_hop(search, host, target, other)) {
            continue;
        }
        alone += stands_alone(search, host, other);
        if (other < target && is_wanted(search, host, other) &&
            search->vertices[host].next[other] == NOT_ASKED) {
            is_first = false;
        }
    }
    return is_first || alone >= MAX_ALONE;
}

/* The last known vertex of the route from @a host to @a target, and its place on the
 * route; -1 when the route is known to its end or given up. */
static int route_end(const mtree_traceroute_search_t *search, int host, int target,
                     int *hops)
{
    int vertex = host, silent = 0;

    for (*hops = 0; *hops < MTREE_PROBE_MAX_HOPS && vertex != target; ++*hops) {
        int next = search->vertices[vertex].next[target];

        if (next == NOT_ASKED) {
            return vertex;
        }
        if (next == NO_ROUTE) {
            return -1;
        }
        silent = is_silent(search, next) ? silent + 1 : 0;
        if (silent == MAX_SILENT) {
            return -1;
        }
        vertex = next;
    }
    return -1;
}

/* Add the question that continues a route; a host at its end asks itself.  There is one
 * per vertex and target: @a asked[vertex * num_hosts + target] is its number, or -1. */
static void question_add(mtree_traceroute_search_t *search, int *asked, int host,
                         int target)
{
    int hops, end = route_end(search, host, target, &hops);
    mtree_route_question_t question = {host, target, hops + 1};
    mtree_route_question_t *added;
    int *number;

    if (end >= 0 && end < search->num_hosts) {
        question = (mtree_route_question_t){end, target, 1};
        host = end;
    }
    if (end < 0 || (end == host && !first_hop_wanted(search, host, target))) {
        return;
    }
    number = &asked[(size_t)end * (size_t)search->num_hosts + (size_t)target];
    if (*number >= 0) {
        mtree_route_question_t *before = &search->questions[*number];

        if (search->load[host] + 1 < search->load[before->host]) {
            search->load[before->host]--;
            search->load[host]++;
            *before = question;
        }
        return;
    }
    added = MTREE_ARENA_APPEND(&search->arena, search->questions, search->num_questions,
                               search->question_capacity);
    *added = question;
    *number = search->num_questions - 1;
    search->load[host]++;
}

static int compare_questions(const void *a, const void *b)
{
    const mtree_route_question_t *left = a, *right = b;

    return left->host != right->host ? left->host - right->host
                                     : left->target - right->target;
}

const mtree_route_question_t *
mtree_traceroute_search_ask(mtree_traceroute_search_t *search, int *num_questions_p)
{
    size_t pairs = (size_t)search->num_vertices * (size_t)search->num_hosts;
    int *asked = mtree_malloc(pairs * sizeof(*asked));

    for (size_t i = 0; i < pairs; i++) {
        asked[i] = -1;
    }
    search->num_questions = 0;
    memset(search->load, 0, (size_t)search->num_hosts * sizeof(*search->load));
    for (int host = 0; host < search->num_hosts; host++) {
        for (int target = 0; target < search->num_hosts; target++) {
            if (is_wanted(search, host, target)) {
                question_add(search, asked, host, target);
            }
        }
    }
    free(asked);
    if (search->num_questions > 0) {
        qsort(search->questions, (size_t)search->num_questions,
              sizeof(*search->questions), compare_questions);
    }
    *num_questions_p = search->num_questions;
    return search->questions;
}

/* The vertex that an answer shows, or NO_ROUTE. */
static int answered_vertex(mtree_traceroute_search_t *search, int before, int target,
                           mtree_traceroute_answer_t answer, const char *from)
{
    mtree_probe_address_t *address;

    if (answer == MTREE_HOP_TARGET || answer == MTREE_HOP_REFUSED) {
        return answer == MTREE_HOP_TARGET ? target : NO_ROUTE;
    }
    if (answer == MTREE_HOP_SILENT || from[0] == '\0') {
        if (search->vertices[before].silent < 0) {
            const int vertex = vertex_add(search, "");

            search->vertices[before].silent = vertex;
        }
        return search->vertices[before].silent;
    }
    address = mtree_probe_find_address(search->routes, from);
    if (address->owner < 0 && address->vertex < 0) {
        address->vertex = vertex_add(search, address->text);
    }
    return address->owner >= 0 ? address->owner : address->vertex;
}

/* Set the first hop of the targets that share it with @a target. */
static void share_first_hop(mtree_traceroute_search_t *search, int host, int target,
                            int vertex)
{
    bool gateway = first_hop(search, host, target)->gateway.family != AF_UNSPEC;
    int *next = search->vertices[host].next;

    if (vertex < 0 || (!gateway && (vertex == target || is_silent(search, vertex)))) {
        return;
    }
    for (int other = 0; other < search->num_hosts; other++) {
        if (other != host && next[other] == NOT_ASKED &&
            same_first_hop(search, host, target, other)) {
            next[other] = vertex;
        }
    }
}

void mtree_traceroute_search_answer(mtree_traceroute_search_t *search,
                                    const mtree_route_question_t *question,
                                    mtree_traceroute_answer_t answer, const char *from)
{
    int hops, vertex;
    int before = route_end(search, question->host, question->target, &hops);

    /* A shared first hop may have answered it already. */
    if (before < 0 || hops + 1 != question->limit) {
        return;
    }
    vertex = answered_vertex(search, before, question->target, answer, from);
    search->vertices[before].next[question->target] = vertex;
    if (before == question->host) {
        share_first_hop(search, before, question->target, vertex);
    }
}

int mtree_traceroute_search_get(const mtree_traceroute_search_t *search, int from, int to,
                                const char **hops)
{
    int vertex = from, num_hops = 0;

    while (vertex != to && num_hops < MTREE_PROBE_MAX_HOPS) {
        vertex = search->vertices[vertex].next[to];
        if (vertex < 0) {
            return 0;
        }
        hops[num_hops++] = search->vertices[vertex].address;
    }
    return vertex == to ? num_hops : 0;
}
