/* SPDX-License-Identifier: BSD-3-Clause */
#include "schedule/plan_part_wire.h"

#include "base/address.h"
#include "base/array.h"

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

bool mtree_wire_reserve(mtree_wire_t *wire, size_t length)
{
    if (wire->status == MTREE_OK) {
        wire->status = length > (size_t)(INT_MAX - wire->length)
                           ? MTREE_ERR_NO_MEMORY
                           : mtree_array_reserve(&wire->bytes, &wire->capacity,
                                                 wire->length + (int)length, 1);
    }
    return wire->status == MTREE_OK;
}

static void write_byte(mtree_wire_t *wire, unsigned byte)
{
    if (mtree_wire_reserve(wire, 1)) {
        wire->bytes[wire->length++] = (unsigned char)byte;
    }
}

static void write_integer(mtree_wire_t *wire, uint64_t number)
{
    for (; number > 0x7f; number >>= 7) {
        write_byte(wire, (unsigned)(number & 0x7f) | 0x80);
    }
    write_byte(wire, (unsigned)number);
}

static void write_int(mtree_wire_t *wire, int number)
{
    write_integer(wire, (uint64_t)number);
}

static void write_double(mtree_wire_t *wire, double number)
{
    uint64_t bits;

    memcpy(&bits, &number, sizeof(bits));
    for (int i = 0; i < 8; i++, bits >>= 8) {
        write_byte(wire, (unsigned)(bits & 0xff));
    }
}

static bool has_order(const mtree_plan_part_t *part)
{
    return part->num_trees > 0 && part->trees[0].order != NULL;
}

void mtree_plan_part_write_common(const mtree_plan_part_t *part, mtree_wire_t *wire)
{
    write_int(wire, MTREE_PLAN_PART_VERSION);
    write_int(wire, (int)part->collective);
    write_int(wire, part->root + 1);
    write_int(wire, part->num_hosts);
    write_int(wire, part->num_relays);
    write_int(wire, part->num_trees);
    write_int(wire, part->num_steps);
    write_int(wire, part->is_direct);
    write_int(wire, has_order(part));
    write_int(wire, (int)part->program);
    for (int place = 0; place < part->num_hosts && part->order != NULL; place++) {
        write_int(wire, part->order[place]);
    }
    for (int d = 0; d < MTREE_SHAPE_DIMENSIONS && part->order != NULL; d++) {
        write_int(wire, part->shape[d]);
    }
    if (part->order != NULL) {
        write_integer(wire, part->message_bytes);
    }
    write_double(wire, part->bytes);
    write_double(wire, part->throughput);
    write_double(wire, part->seconds);
    for (int t = 0; t < part->num_trees; t++) {
        const mtree_part_tree_t *tree = &part->trees[t];

        write_int(wire, tree->root);
        write_double(wire, tree->rate);
        write_double(wire, tree->share);
        write_double(wire, tree->latency);
        write_integer(wire, tree->chunk_bytes);
        if (mtree_collective_is_personalized(part->collective)) {
            write_int(wire, tree->widest);
        }
        for (int host = 0; host < part->num_hosts && tree->order != NULL; host++) {
            write_int(wire, tree->order[host]);
        }
    }
}

/* A host and the latency of an edge to it.  Trees may differ in that. */
typedef struct {
    int host;
    int older; /* number of another one of this host; -1: none */
    double latency;
} neighbour_t;

typedef struct {
    neighbour_t *list; /* [num] */
    int num, capacity;
    int *latest; /* [num_hosts] number + 1 of the last one of each host; 0: none */
} neighbours_t;

/* The number of the neighbour at the end of @a edge; -1: it is not there. */
static int neighbours_find(const neighbours_t *neighbours, const mtree_part_edge_t *edge)
{
    int n = neighbours->latest[edge->host] - 1;

    while (n >= 0 && neighbours->list[n].latency != edge->latency) {
        n = neighbours->list[n].older;
    }
    return n;
}

static mtree_status_t neighbours_add(neighbours_t *neighbours,
                                     const mtree_part_edge_t *edge)
{
    mtree_status_t status =
        mtree_array_reserve(&neighbours->list, &neighbours->capacity, neighbours->num + 1,
                            sizeof(*neighbours->list));

    if (status == MTREE_OK) {
        neighbours->list[neighbours->num++] =
            (neighbour_t){edge->host, neighbours->latest[edge->host] - 1, edge->latency};
        neighbours->latest[edge->host] = neighbours->num;
    }
    return status;
}

/* Find the neighbours of all trees, and write them. */
static void write_neighbours(const mtree_plan_part_t *part, neighbours_t *neighbours,
                             mtree_wire_t *wire)
{
    for (int t = 0; t < part->num_trees; t++) {
        for (int e = 0; e < part->trees[t].num_edges && wire->status == MTREE_OK; e++) {
            if (neighbours_find(neighbours, &part->trees[t].edges[e]) < 0) {
                wire->status = neighbours_add(neighbours, &part->trees[t].edges[e]);
            }
        }
    }
    write_int(wire, neighbours->num);
    for (int n = 0; n < neighbours->num; n++) {
        write_int(wire, neighbours->list[n].host);
        write_double(wire, neighbours->list[n].latency);
    }
}

static void write_edges(const mtree_plan_part_t *part, const mtree_part_tree_t *tree,
                        const neighbours_t *neighbours, mtree_wire_t *wire)
{
    write_int(wire, tree->num_edges);
    write_int(wire, tree->parent + 1);
    for (int e = 0; e < tree->num_edges; e++) {
        write_int(wire, neighbours_find(neighbours, &tree->edges[e]));
        if (part->num_steps > 0) {
            write_int(wire, tree->edges[e].step);
        }
    }
    if (tree->order != NULL) {
        write_int(wire, tree->end);
    }
    if (tree->below != NULL) {
        write_int(wire, tree->num_below);
    }
    for (int i = 0; i < tree->num_below; i++) {
        write_int(wire, tree->below[i]);
    }
}

static void write_cables(const mtree_plan_part_t *part, mtree_wire_t *wire)
{
    write_int(wire, part->num_cables);
    for (int c = 0; c < part->num_cables; c++) {
        const mtree_cable_t *cable = &part->cables[c].cable;
        const size_t bytes = mtree_address_bytes(cable->ends[0].family);

        write_int(wire, part->cables[c].host);
        write_int(wire, (int)bytes);
        for (int end = 0; end < 2; end++) {
            for (size_t i = 0; i < bytes; i++) {
                write_byte(wire, cable->ends[end].bytes[i]);
            }
            write_double(wire, cable->capacity[end]);
        }
    }
}

void mtree_plan_part_write_own(const mtree_plan_part_t *part, mtree_wire_t *wire)
{
    neighbours_t neighbours = {
        .latest = calloc((size_t)part->num_hosts, sizeof(*neighbours.latest))};

    if (neighbours.latest == NULL) {
        wire->status = MTREE_ERR_NO_MEMORY;
        return;
    }
    write_int(wire, MTREE_PLAN_PART_VERSION);
    write_int(wire, part->host);
    write_neighbours(part, &neighbours, wire);
    for (int t = 0; t < part->num_trees && wire->status == MTREE_OK; t++) {
        write_edges(part, &part->trees[t], &neighbours, wire);
    }
    write_cables(part, wire);
    free(neighbours.latest);
    free(neighbours.list);
}

/* Append the own piece of @a host, and the common one if there is none yet. */
static void write_host(const mtree_plan_cut_t *cut, int host, mtree_wire_t *common,
                       mtree_wire_t *own)
{
    mtree_plan_part_t *part;

    own->status = mtree_plan_cut_part(cut, host, &part);
    if (own->status != MTREE_OK) {
        return;
    }
    if (common->length == 0) {
        mtree_plan_part_write_common(part, common);
    }
    mtree_plan_part_write_own(part, own);
    mtree_plan_part_destroy(part);
}

/* Append the bytes from @a begin to @a end again. */
static void write_again(mtree_wire_t *wire, int begin, int end)
{
    int length = end - begin;

    if (mtree_wire_reserve(wire, (size_t)length)) {
        memcpy(wire->bytes + wire->length, wire->bytes + begin, (size_t)length);
        wire->length += length;
    }
}

mtree_status_t mtree_plan_parts_write(const mtree_plan_t *plan, const int *host,
                                      int num_ranks, mtree_wire_t *common,
                                      mtree_wire_t *own, int *lengths)
{
    /* [num_hosts each] where the piece of a host is; empty: not written yet. */
    int *begin = calloc(2 * (size_t)plan->num_hosts, sizeof(*begin));
    int *end = begin + plan->num_hosts;
    mtree_plan_cut_t *cut = NULL;

    own->status = begin == NULL ? MTREE_ERR_NO_MEMORY : mtree_plan_cut_create(plan, &cut);
    for (int rank = 0; rank < num_ranks && own->status == MTREE_OK; rank++) {
        int h = host[rank], before = own->length;

        if (rank > 0 && host[rank - 1] == h) {
            lengths[rank] = 0;
            continue;
        }
        if (end[h] > 0) {
            write_again(own, begin[h], end[h]);
        } else {
            write_host(cut, h, common, own);
        }
        begin[h] = before;
        end[h] = own->length;
        lengths[rank] = own->length - before;
    }
    mtree_plan_cut_destroy(cut);
    free(begin);
    return common->status != MTREE_OK ? common->status : own->status;
}
