/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The fields of a part, each named once: a function that passes some writes them, or
 * reads them and checks their ranges.  What else a part has to be,
 * mtree_plan_part_check() says.
 */
#include "schedule/plan_part_wire.h"

#include "base/address.h"
#include "base/log.h"
#include "base/memory.h"
#include "topo/topology.h"

#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define MAX_HOSTS MTREE_TOPOLOGY_MAX_VERTICES

/* What a piece may say of bytes. */
#define MAX_BYTES (UINT64_C(1) << 48)

/* Bytes that each tree and cable takes at least. */
#define LEAST_TREE  26
#define LEAST_CABLE 26

/* A piece that is written, which leaves the part unchanged; or read.  After a fault it
 * gives the least numbers. */
typedef struct {
    FILE *to; /* NULL: it is read */
    const unsigned char *at, *end;
    bool faulty;
    double *latency; /* [num_hosts] of the last edge to each host; 0: none */
} piece_t;

/* Where it is read, a fault unless it @a holds. */
static void expect(piece_t *piece, bool holds)
{
    if (!holds && piece->to == NULL) {
        piece->faulty = true;
        piece->at = piece->end;
    }
}

/* How many there may be of what takes at least so many bytes each; INT_MAX is no limit,
 * since a piece has no more bytes. */
static int most_of(const piece_t *piece, size_t bytes)
{
    return piece->to != NULL ? INT_MAX : (int)((size_t)(piece->end - piece->at) / bytes);
}

/* Where it is read, *array_p is memory of the part for @a num elements of @a size bytes.
 * False: they are not there. */
static bool has_array(piece_t *piece, mtree_plan_part_t *part, void *array_p, int num,
                      size_t size)
{
    void *array;

    if (piece->to != NULL || piece->faulty) {
        return !piece->faulty;
    }
    array = mtree_arena_alloc(&part->arena, (size_t)num, size);
    memcpy(array_p, &array, sizeof(array));
    return true;
}

static unsigned pass_byte(piece_t *piece, unsigned byte)
{
    if (piece->to != NULL) {
        (void)putc_unlocked((int)byte, piece->to);
        return byte;
    }
    expect(piece, piece->at < piece->end);
    return piece->faulty ? 0 : *piece->at++;
}

static uint64_t pass_integer(piece_t *piece, uint64_t number, uint64_t most)
{
    uint64_t passed = 0;
    unsigned byte;

    for (unsigned shift = 0;; shift += 7, number >>= 7) {
        expect(piece, shift < 56);
        byte = pass_byte(piece, (unsigned)(number & 0x7f) | (number > 0x7f ? 0x80u : 0));
        passed |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) {
            break;
        }
    }
    expect(piece, passed <= most);
    return piece->faulty ? 0 : passed;
}

static void pass_int(piece_t *piece, int *number, int least, int most)
{
    uint64_t passed =
        pass_integer(piece, (uint64_t)(*number - least), (uint64_t)(most - least));

    if (piece->to == NULL) {
        *number = (int)passed + least;
    }
}

static void pass_size(piece_t *piece, size_t *bytes)
{
    uint64_t passed = pass_integer(piece, *bytes, MAX_BYTES);

    if (piece->to == NULL) {
        *bytes = passed;
    }
}

/* A finite number of at least 0. */
static void pass_double(piece_t *piece, double *number)
{
    uint64_t bits, passed = 0;

    memcpy(&bits, number, sizeof(bits));
    for (unsigned shift = 0; shift < 64; shift += 8) {
        passed |= (uint64_t)pass_byte(piece, (unsigned)(bits >> shift & 0xff)) << shift;
    }
    if (piece->to == NULL) {
        memcpy(number, &passed, sizeof(passed));
        expect(piece, isfinite(*number) && *number >= 0);
        *number = piece->faulty ? 0 : *number;
    }
}

/* The numbers of @a num hosts. */
static void pass_hosts(piece_t *piece, mtree_plan_part_t *part, int **hosts, int num)
{
    expect(piece, num <= most_of(piece, 1));
    if (has_array(piece, part, hosts, num, sizeof(**hosts))) {
        for (int i = 0; i < num; i++) {
            pass_int(piece, &(*hosts)[i], 0, part->num_hosts - 1);
        }
    }
}

/* Sizes come first; they are in proportion to the length of the piece. */
static void pass_head(piece_t *piece, mtree_plan_part_t *head)
{
    int version = MTREE_PLAN_PART_VERSION, collective = (int)head->collective;
    int is_direct = head->is_direct, program = (int)head->program, has_order;

    pass_int(piece, &version, 0, MTREE_PLAN_PART_VERSION);
    expect(piece, version == MTREE_PLAN_PART_VERSION);
    pass_int(piece, &collective, 0, MTREE_COLLECTIVE_LAST - 1);
    head->collective = (mtree_collective_t)collective;
    pass_int(piece, &head->root, -1, MAX_HOSTS - 1);
    pass_int(piece, &head->num_hosts, 0, MAX_HOSTS);
    pass_int(piece, &head->num_relays, 0, head->num_hosts);
    pass_int(piece, &head->num_trees, 0, MTREE_PLAN_MOST_TREES);
    expect(piece, head->root < head->num_hosts - head->num_relays &&
                      head->num_relays < head->num_hosts);
    expect(piece, head->num_trees <= most_of(piece, LEAST_TREE));
    pass_int(piece, &head->num_steps, 0, head->num_relays > 0 ? 0 : INT32_MAX / 2);
    pass_int(piece, &is_direct, 0, 1);
    head->is_direct = is_direct;
    has_order = head->num_trees > 0 && mtree_plan_part_has_order(head->collective);
    expect(piece, pass_integer(piece, (uint64_t)has_order, 1) == (uint64_t)has_order);
    pass_int(piece, &program, 0, MTREE_PROGRAM_LAST - 1);
    head->program = (mtree_program_kind_t)program;
}

/* The program that the plan names, with an order of all hosts. */
static void pass_program(piece_t *piece, mtree_plan_part_t *part)
{
    pass_hosts(piece, part, &part->order, part->num_hosts);
    for (int d = 0; d < MTREE_SHAPE_DIMENSIONS; d++) {
        pass_int(piece, &part->shape[d], 0, part->num_hosts);
    }
    pass_size(piece, &part->message_bytes);
}

static void pass_tree(piece_t *piece, mtree_plan_part_t *part, mtree_part_tree_t *tree)
{
    pass_int(piece, &tree->root, 0, part->num_hosts - part->num_relays - 1);
    pass_double(piece, &tree->rate);
    pass_double(piece, &tree->share);
    pass_double(piece, &tree->latency);
    pass_size(piece, &tree->chunk_bytes);
    if (mtree_collective_is_personalized(part->collective)) {
        pass_int(piece, &tree->widest, 0, part->num_hosts - 1);
    }
    if (mtree_plan_part_has_order(part->collective)) {
        pass_hosts(piece, part, &tree->order, part->num_hosts);
    }
}

/* All that is behind the head. */
static void pass_common(piece_t *piece, mtree_plan_part_t *part)
{
    if (part->program != MTREE_PROGRAM_NONE) {
        pass_program(piece, part);
    }
    pass_double(piece, &part->bytes);
    pass_double(piece, &part->throughput);
    pass_double(piece, &part->seconds);
    for (int t = 0; t < part->num_trees && !piece->faulty; t++) {
        pass_tree(piece, part, &part->trees[t]);
    }
}

/* The latency of an edge is sent where it is not that of the last edge to this host. */
static void pass_edge(piece_t *piece, const mtree_plan_part_t *part,
                      mtree_part_edge_t *edge)
{
    bool is_new = piece->to != NULL && edge->latency != piece->latency[edge->host];
    int number = 2 * edge->host + is_new;

    pass_int(piece, &number, 0, 2 * part->num_hosts - 1);
    if (number % 2 != 0) {
        double latency = edge->latency;

        pass_double(piece, &latency);
        piece->latency[number / 2] = latency;
    }
    if (piece->to == NULL) {
        edge->host = number / 2;
        edge->latency = piece->latency[edge->host];
    }
    if (part->num_steps > 0) {
        pass_int(piece, &edge->step, 0, part->num_steps);
    }
}

static void pass_edges(piece_t *piece, mtree_plan_part_t *part, mtree_part_tree_t *tree)
{
    pass_int(piece, &tree->num_edges, 0, part->num_hosts - 1);
    pass_int(piece, &tree->parent, -1, tree->num_edges - 1);
    expect(piece, tree->num_edges <= most_of(piece, 1));
    if (!has_array(piece, part, &tree->edges, tree->num_edges, sizeof(*tree->edges))) {
        return;
    }
    for (int e = 0; e < tree->num_edges; e++) {
        pass_edge(piece, part, &tree->edges[e]);
    }
    if (tree->order != NULL) {
        pass_int(piece, &tree->end, 0, part->num_hosts);
    }
    if (mtree_collective_is_personalized(part->collective)) {
        pass_int(piece, &tree->num_below, 0, part->num_hosts);
        pass_hosts(piece, part, &tree->below, tree->num_below);
    }
}

static void pass_cable(piece_t *piece, const mtree_plan_part_t *part,
                       mtree_part_cable_t *cable)
{
    int bytes = (int)mtree_address_bytes(cable->cable.ends[0].family);

    pass_int(piece, &cable->host, 0, part->num_hosts - 1);
    pass_int(piece, &bytes, 0, 16);
    expect(piece, bytes == 4 || bytes == 16);
    for (int end = 0; end < 2; end++) {
        mtree_address_t *address = &cable->cable.ends[end];

        for (int i = 0; i < bytes; i++) {
            const unsigned byte = pass_byte(piece, address->bytes[i]);

            if (piece->to == NULL) {
                address->family = bytes == 4 ? AF_INET : AF_INET6;
                address->bytes[i] = (unsigned char)byte;
            }
        }
        pass_double(piece, &cable->cable.capacity[end]);
    }
}

/* The edges and cables at the part's host. */
static void pass_own(piece_t *piece, mtree_plan_part_t *part)
{
    int version = MTREE_PLAN_PART_VERSION;

    piece->latency = mtree_calloc((size_t)part->num_hosts, sizeof(*piece->latency));
    pass_int(piece, &version, 0, MTREE_PLAN_PART_VERSION);
    expect(piece, version == MTREE_PLAN_PART_VERSION);
    pass_int(piece, &part->host, 0, part->num_hosts - 1);
    for (int t = 0; t < part->num_trees; t++) {
        pass_edges(piece, part, &part->trees[t]);
    }
    pass_int(piece, &part->num_cables, 0, most_of(piece, LEAST_CABLE));
    if (has_array(piece, part, &part->cables, part->num_cables, sizeof(*part->cables))) {
        for (int c = 0; c < part->num_cables; c++) {
            pass_cable(piece, part, &part->cables[c]);
        }
    }
    free(piece->latency);
}

void mtree_plan_part_write(const mtree_plan_part_t *part, mtree_piece_t *common,
                           mtree_piece_t *own)
{
    mtree_plan_part_t head = *part;
    piece_t piece = {0};

    if (common->bytes == NULL) {
        piece.to = mtree_text_begin(&common->bytes, &common->length);
        pass_head(&piece, &head);
        pass_common(&piece, (mtree_plan_part_t *)part);
        mtree_text_end(piece.to);
    }
    piece.to = mtree_text_begin(&own->bytes, &own->length);
    pass_own(&piece, (mtree_plan_part_t *)part);
    mtree_text_end(piece.to);
}

/* Read the next @a length bytes in @a piece from @a bytes on. */
static void begin_read(piece_t *piece, const void *bytes, size_t length)
{
    piece->at = bytes;
    piece->end = piece->at + length;
}

/* All of a piece is read, and nothing is left. */
static bool is_read(const piece_t *piece)
{
    return !piece->faulty && piece->at == piece->end;
}

/* The part of both pieces; NULL: it is faulty. */
static mtree_plan_part_t *read_pieces(const void *common, size_t common_length,
                                      const void *own, size_t own_length)
{
    mtree_plan_part_t head = {0}, *part;
    piece_t piece = {0};

    begin_read(&piece, common, common_length);
    pass_head(&piece, &head);
    if (piece.faulty) {
        return NULL;
    }
    part = mtree_plan_part_alloc(&head);
    pass_common(&piece, part);
    if (is_read(&piece)) {
        begin_read(&piece, own, own_length);
        pass_own(&piece, part);
    }
    if (!is_read(&piece) || mtree_plan_part_check(part) != MTREE_OK) {
        mtree_plan_part_destroy(part);
        return NULL;
    }
    return part;
}

mtree_status_t mtree_plan_part_read(const void *common, size_t common_length,
                                    const void *own, size_t own_length,
                                    mtree_plan_part_t **part_p)
{
    mtree_plan_part_t *part = read_pieces(common, common_length, own, own_length);

    if (part == NULL) {
        mtree_error("plan of rank 0: not readable as version %d; run the same mtree on "
                    "all ranks",
                    MTREE_PLAN_PART_VERSION);
        return MTREE_ERR_INVALID;
    }
    mtree_plan_part_group(part);
    *part_p = part;
    return MTREE_OK;
}
