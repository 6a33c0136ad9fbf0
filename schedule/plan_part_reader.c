/* SPDX-License-Identifier: BSD-3-Clause */
#include "schedule/plan_part_wire.h"

#include "base/address.h"
#include "base/log.h"
#include "topo/topology.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define MAX_HOSTS MTREE_TOPOLOGY_MAX_VERTICES
#define MAX_TREES (1 << 18)

/* Bytes of a tree in the common piece, at least. */
#define LEAST_TREE 26

/* What shares may sum to, as in a plan that is read from a file. */
#define MOST_SHARE (1 + 1e-6)

/* A piece that is read.  After a fault it gives zeros. */
typedef struct {
    const unsigned char *at, *end;
    bool faulty;
} reader_t;

static size_t reader_left(const reader_t *reader)
{
    return (size_t)(reader->end - reader->at);
}

static void reader_expect(reader_t *reader, bool holds)
{
    if (!holds) {
        reader->faulty = true;
        reader->at = reader->end;
    }
}

static uint64_t read_integer(reader_t *reader, uint64_t most)
{
    uint64_t number = 0;

    for (unsigned shift = 0;; shift += 7) {
        unsigned byte;

        reader_expect(reader, shift < 56 && reader->at < reader->end);
        if (reader->faulty) {
            return 0;
        }
        byte = *reader->at++;
        number |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) {
            break;
        }
    }
    reader_expect(reader, number <= most);
    return reader->faulty ? 0 : number;
}

static int read_int(reader_t *reader, int most)
{
    return (int)read_integer(reader, (uint64_t)most);
}

/* A finite number of at least 0. */
static double read_double(reader_t *reader)
{
    uint64_t bits = 0;
    double number;

    reader_expect(reader, reader_left(reader) >= 8);
    for (int i = 0; i < 8 && !reader->faulty; i++) {
        bits |= (uint64_t)*reader->at++ << (8 * i);
    }
    memcpy(&number, &bits, sizeof(number));
    reader_expect(reader, isfinite(number) && number >= 0);
    return reader->faulty ? 0 : number;
}

/* An order of the hosts, each of which is in it once; @a seen is [num_hosts].  Faulty:
 * NULL, or it is not whole. */
static int *read_order(reader_t *reader, mtree_plan_part_t *part, bool *seen)
{
    int hosts = part->num_hosts, *order;

    reader_expect(reader, reader_left(reader) >= (size_t)hosts);
    if (reader->faulty || MTREE_ARENA_ARRAY(&part->arena, order, (size_t)hosts) == NULL) {
        return NULL;
    }
    memset(seen, 0, (size_t)hosts);
    for (int i = 0; i < hosts; i++) {
        order[i] = read_int(reader, hosts - 1);
        reader_expect(reader, !seen[order[i]]);
        seen[order[i]] = true;
    }
    return order;
}

/* @a seen is [num_hosts], @a shares [num_hosts] sums so far by root. */
static void read_trees(reader_t *reader, mtree_plan_part_t *part, bool order, bool *seen,
                       double *shares)
{
    bool by_root = mtree_collective_has_blocks(part->collective);

    for (int t = 0; t < part->num_trees && !reader->faulty; t++) {
        mtree_part_tree_t *tree = &part->trees[t];
        double *sum = shares;

        tree->root = read_int(reader, part->num_hosts - part->num_relays - 1);
        tree->rate = read_double(reader);
        tree->share = read_double(reader);
        tree->latency = read_double(reader);
        tree->chunk_bytes = read_integer(reader, UINT64_C(1) << 48);
        if (mtree_collective_is_personalized(part->collective)) {
            tree->widest = read_int(reader, part->num_hosts - 1);
        }
        sum += by_root ? tree->root : 0;
        *sum += tree->share;
        reader_expect(reader, *sum <= MOST_SHARE);
        if (order) {
            tree->order = read_order(reader, part, seen);
            reader_expect(reader, tree->order != NULL && tree->order[tree->root] == 0);
        }
    }
}

/* The program that the plan names, with an order of all hosts.  @a seen is [num_hosts].
 */
static void read_program(reader_t *reader, mtree_plan_part_t *part, bool *seen)
{
    part->program = (mtree_program_kind_t)read_int(reader, MTREE_PROGRAM_LAST - 1);
    if (part->program == MTREE_PROGRAM_NONE) {
        return;
    }
    reader_expect(reader, part->num_trees == 0 && part->num_relays == 0 &&
                              mtree_program_does(part->program, part->collective) &&
                              reader_left(reader) >=
                                  (size_t)part->num_hosts + MTREE_SHAPE_DIMENSIONS);
    part->order = read_order(reader, part, seen);
    if (part->order == NULL) {
        return;
    }
    for (int d = 0; d < MTREE_SHAPE_DIMENSIONS; d++) {
        part->shape[d] = read_int(reader, part->num_hosts);
    }
    part->message_bytes = read_integer(reader, UINT64_C(1) << 48);
    reader_expect(reader,
                  reader->faulty || mtree_program_has_shape(part->program, part->shape,
                                                            part->num_hosts));
}

/* The sizes come first; they are in proportion to the length of the piece. */
static mtree_status_t read_common(reader_t *reader, mtree_plan_part_t **part_p)
{
    mtree_collective_t collective;
    int root, num_hosts, num_relays, num_trees;
    mtree_plan_part_t *part;
    mtree_status_t status;
    double *shares;
    bool *seen, order;

    reader_expect(reader, read_int(reader, 127) == MTREE_PLAN_PART_VERSION);
    collective = (mtree_collective_t)read_int(reader, MTREE_COLLECTIVE_LAST - 1);
    num_hosts = MAX_HOSTS;
    root = read_int(reader, num_hosts) - 1;
    num_hosts = read_int(reader, num_hosts);
    num_relays = read_int(reader, num_hosts);
    num_trees = read_int(reader, MAX_TREES);
    reader_expect(reader, root < num_hosts - num_relays && num_relays < num_hosts);
    reader_expect(reader, reader_left(reader) / LEAST_TREE >= (size_t)num_trees);
    if (reader->faulty) {
        return MTREE_ERR_INVALID;
    }
    status = mtree_plan_part_alloc(num_hosts, num_trees, &part);
    if (status != MTREE_OK) {
        return status;
    }
    part->collective = collective;
    part->root = root;
    part->num_relays = num_relays;
    part->num_steps = read_int(reader, num_relays > 0 ? 0 : INT32_MAX / 2);
    part->is_direct = read_int(reader, 1);
    order = read_int(reader, 1);
    reader_expect(reader,
                  order == (num_trees > 0 && mtree_plan_part_has_order(collective)));
    MTREE_ARENA_ARRAY(&part->arena, seen, (size_t)num_hosts);
    MTREE_ARENA_ARRAY(&part->arena, shares, (size_t)num_hosts);
    if (part->arena.status == MTREE_OK) {
        read_program(reader, part, seen);
    }
    part->bytes = read_double(reader);
    part->throughput = read_double(reader);
    part->seconds = read_double(reader);
    if (part->arena.status == MTREE_OK) {
        read_trees(reader, part, order, seen, shares);
    }
    *part_p = part;
    return MTREE_OK;
}

/* A host and the latency of an edge to it. */
typedef struct {
    int host;
    double latency;
} neighbour_t;

static neighbour_t *read_neighbours(reader_t *reader, int num_hosts, int *num_p)
{
    /* Each takes nine bytes at least, and a piece has no more than INT_MAX. */
    int num = read_int(reader, (int)(reader_left(reader) / 9));
    neighbour_t *neighbours = calloc((size_t)num + 1, sizeof(*neighbours));

    for (int n = 0; n < num && neighbours != NULL; n++) {
        neighbours[n].host = read_int(reader, num_hosts - 1);
        neighbours[n].latency = read_double(reader);
    }
    *num_p = num;
    return neighbours;
}

/* Do the places of the host and its neighbours in the order of @a tree fit its edges? */
static bool fits_order(const mtree_plan_part_t *part, const mtree_part_tree_t *tree)
{
    int place = tree->order[part->host];

    if (tree->end <= place) {
        return false;
    }
    for (int e = 0; e < tree->num_edges; e++) {
        int other = tree->order[tree->edges[e].host];

        if (e == tree->parent ? other >= place : other <= place || other >= tree->end) {
            return false;
        }
    }
    return true;
}

/* The hosts below: each once, the host itself first, and the first child behind it; other
 * children follow in the order of their edges.  @a seen is [num_hosts]. */
static void read_below(reader_t *reader, mtree_plan_part_t *part, mtree_part_tree_t *tree,
                       bool *seen)
{
    int num = read_int(reader, part->num_hosts), edge = 0;

    reader_expect(reader, reader_left(reader) >= (size_t)num);
    if (reader->faulty ||
        MTREE_ARENA_ARRAY(&part->arena, tree->below, (size_t)num) == NULL) {
        return;
    }
    tree->num_below = num;
    memset(seen, 0, (size_t)part->num_hosts);
    for (int i = 0; i < num; i++) {
        int host = tree->below[i] = read_int(reader, part->num_hosts - 1);

        reader_expect(reader, !seen[host] && (i > 0 || host == part->host));
        seen[host] = true;
        edge += edge == tree->parent;
        if (edge < tree->num_edges && host == tree->edges[edge].host) {
            edge++;
        } else {
            reader_expect(reader, i != 1);
        }
    }
    edge += edge == tree->parent;
    reader_expect(reader, num > 0 && edge == tree->num_edges);
}

/* May a tree have these edges at the part's host?  A relay that it passes through has a
 * parent and a child; another host has a parent unless it is the root. */
static bool fits_host(const mtree_plan_part_t *part, const mtree_part_tree_t *tree)
{
    if (part->host >= part->num_hosts - part->num_relays) {
        return mtree_plan_part_is_outside(part, tree) ||
               (tree->parent >= 0 && tree->num_edges > 1);
    }
    return (tree->parent < 0) == (tree->root == part->host);
}

/* @a seen is [num_hosts]. */
static void read_edges(reader_t *reader, mtree_plan_part_t *part, mtree_part_tree_t *tree,
                       const neighbour_t *neighbours, int num_neighbours, bool *seen)
{
    int before = -1;

    tree->num_edges = read_int(reader, num_neighbours);
    tree->parent = read_int(reader, tree->num_edges) - 1;
    reader_expect(reader, reader_left(reader) >= (size_t)tree->num_edges);
    reader_expect(reader, fits_host(part, tree));
    if (reader->faulty ||
        MTREE_ARENA_ARRAY(&part->arena, tree->edges, (size_t)tree->num_edges) == NULL) {
        return;
    }
    for (int e = 0; e < tree->num_edges; e++) {
        const neighbour_t *other = &neighbours[read_int(reader, num_neighbours - 1)];

        tree->edges[e].host = other->host;
        tree->edges[e].latency = other->latency;
        tree->edges[e].step = part->num_steps > 0 ? read_int(reader, part->num_steps) : 0;
        reader_expect(reader, other->host > before && other->host != part->host);
        before = other->host;
    }
    if (tree->order != NULL) {
        tree->end = read_int(reader, part->num_hosts);
        reader_expect(reader, fits_order(part, tree));
    }
    if (mtree_collective_is_personalized(part->collective)) {
        read_below(reader, part, tree, seen);
    }
}

/* IPv4 or IPv6, by its length. */
static void read_address(reader_t *reader, int bytes, mtree_address_t *address)
{
    address->family = bytes == 4 ? AF_INET : AF_INET6;
    reader_expect(reader, reader_left(reader) >= (size_t)bytes);
    for (int i = 0; i < bytes && !reader->faulty; i++) {
        address->bytes[i] = *reader->at++;
    }
}

static void read_cables(reader_t *reader, mtree_plan_part_t *part)
{
    /* Each takes 26 bytes at least, and a piece has no more than INT_MAX. */
    int num = read_int(reader, (int)(reader_left(reader) / 26)), before = 0;

    if (MTREE_ARENA_ARRAY(&part->arena, part->cables, (size_t)num) == NULL) {
        return;
    }
    for (int c = 0; c < num && !reader->faulty; c++) {
        mtree_part_cable_t *at = &part->cables[c];
        int bytes;

        at->host = read_int(reader, part->num_hosts - 1);
        bytes = read_int(reader, 16);
        reader_expect(reader, (bytes == 4 || bytes == 16) && at->host >= before &&
                                  at->host != part->host);
        before = at->host;
        for (int end = 0; end < 2 && !reader->faulty; end++) {
            read_address(reader, bytes, &at->cable.ends[end]);
            at->cable.capacity[end] = read_double(reader);
        }
    }
    part->num_cables = num;
}

static void read_own(reader_t *reader, mtree_plan_part_t *part)
{
    neighbour_t *neighbours;
    int num_neighbours;
    bool *seen;

    reader_expect(reader, read_int(reader, 127) == MTREE_PLAN_PART_VERSION);
    part->host = read_int(reader, part->num_hosts - 1);
    neighbours = read_neighbours(reader, part->num_hosts, &num_neighbours);
    if (neighbours == NULL) {
        part->arena.status = MTREE_ERR_NO_MEMORY;
    }
    MTREE_ARENA_ARRAY(&part->arena, seen, (size_t)part->num_hosts);
    for (int t = 0;
         t < part->num_trees && !reader->faulty && part->arena.status == MTREE_OK; t++) {
        read_edges(reader, part, &part->trees[t], neighbours, num_neighbours, seen);
    }
    if (part->arena.status == MTREE_OK) {
        read_cables(reader, part);
    }
    free(neighbours);
}

/* All of a piece is read, and nothing is left. */
static bool is_read(const reader_t *reader)
{
    return !reader->faulty && reader_left(reader) == 0;
}

mtree_status_t mtree_plan_part_read(const void *common, size_t common_length,
                                    const void *own, size_t own_length,
                                    mtree_plan_part_t **part_p)
{
    reader_t reader = {common, (const unsigned char *)common + common_length, false};
    reader_t own_reader = {own, (const unsigned char *)own + own_length, false};
    mtree_plan_part_t *part = NULL;
    mtree_status_t status = read_common(&reader, &part);

    if (status == MTREE_OK && part->arena.status == MTREE_OK && is_read(&reader)) {
        read_own(&own_reader, part);
    }
    if (status == MTREE_OK) {
        status = part->arena.status != MTREE_OK             ? MTREE_ERR_NO_MEMORY
                 : is_read(&reader) && is_read(&own_reader) ? MTREE_OK
                                                            : MTREE_ERR_INVALID;
    }
    if (status == MTREE_OK) {
        mtree_plan_part_group(part);
        *part_p = part;
        return MTREE_OK;
    }
    mtree_plan_part_destroy(part);
    if (status == MTREE_ERR_INVALID) {
        mtree_error("plan of rank 0: not readable as version %d; run the same mtree on "
                    "all ranks",
                    MTREE_PLAN_PART_VERSION);
    }
    return status;
}
