/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/mpi/items.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define MAX_LAYOUTS 4

/* Bytes around an area's data, and what untouched memory holds. */
#define MARGIN    64
#define UNTOUCHED 0xa5

#define MIXED_BYTES (sizeof(char) + sizeof(double) + sizeof(short) + sizeof(int))

/* Where the members of a mixed item are from its address. */
typedef struct {
    MPI_Aint where[4];
    MPI_Aint lower, extent;
} mixed_t;

static const mixed_t mixed[2] = {{{0, 8, 16, 20}, 0, 24}, {{-7, 8, -22, 24}, -24, 56}};

static item_layout_t layouts[ITEM_KINDS][MAX_LAYOUTS];
static MPI_Op sum_mixed, sum_empty;

static void add_layout(item_kind_t kind, MPI_Datatype type, int items, bool folded)
{
    int number = 0;

    while (layouts[kind][number].items > 0) {
        number++;
    }
    layouts[kind][number] = (item_layout_t){type, items, folded};
    if (items > 1 || kind == ITEM_MIXED || kind == ITEM_EMPTY) {
        MPI_Type_commit(&layouts[kind][number].type);
    }
}

static MPI_Datatype resized(MPI_Datatype type, MPI_Aint lower, MPI_Aint extent)
{
    MPI_Datatype result;

    MPI_Type_create_resized(type, lower, extent, &result);
    MPI_Type_free(&type);
    return result;
}

static void init_ints(void)
{
    MPI_Datatype pair, comb;
    int backwards[2] = {3, 0};

    add_layout(ITEM_INT, MPI_INT, 1, true);
    MPI_Type_contiguous(2, MPI_INT, &pair);
    add_layout(ITEM_INT, pair, 2, false);
    MPI_Type_vector(4, 1, 2, MPI_INT, &comb);
    add_layout(ITEM_INT, resized(comb, -4, 9 * (MPI_Aint)sizeof(int)), 4, false);
    add_layout(ITEM_BYTE, MPI_BYTE, 1, true);
    add_layout(ITEM_COMPLEX, MPI_C_DOUBLE_COMPLEX, 1, true);
    add_layout(ITEM_DOUBLE, MPI_DOUBLE, 1, true);
    MPI_Type_create_indexed_block(2, 1, backwards, MPI_DOUBLE, &pair);
    add_layout(ITEM_DOUBLE, pair, 2, false);
    add_layout(ITEM_DOUBLE_INT, MPI_DOUBLE_INT, 1, true);
}

static void init_mixed(void)
{
    MPI_Datatype types[4] = {MPI_CHAR, MPI_DOUBLE, MPI_SHORT, MPI_INT};
    int lengths[4] = {1, 1, 1, 1};
    MPI_Datatype type;

    for (int i = 0; i < 2; i++) {
        MPI_Type_create_struct(4, lengths, mixed[i].where, types, &type);
        add_layout(ITEM_MIXED, resized(type, mixed[i].lower, mixed[i].extent), 1, true);
    }
    MPI_Type_contiguous(2, layouts[ITEM_MIXED][0].type, &type);
    add_layout(ITEM_MIXED, type, 2, false);
    MPI_Type_create_hvector(2, 1, 100, layouts[ITEM_MIXED][1].type, &type);
    add_layout(ITEM_MIXED, type, 2, false);
}

static void add_mixed(const char *in, char *sum, const mixed_t *at)
{
    double x, y;
    short s, t;
    int i, j;

    sum[at->where[0]] = (char)(sum[at->where[0]] + in[at->where[0]]);
    memcpy(&x, in + at->where[1], sizeof(x));
    memcpy(&y, sum + at->where[1], sizeof(y));
    y += x;
    memcpy(sum + at->where[1], &y, sizeof(y));
    memcpy(&s, in + at->where[2], sizeof(s));
    memcpy(&t, sum + at->where[2], sizeof(t));
    t = (short)(t + s);
    memcpy(sum + at->where[2], &t, sizeof(t));
    memcpy(&i, in + at->where[3], sizeof(i));
    memcpy(&j, sum + at->where[3], sizeof(j));
    j += i;
    memcpy(sum + at->where[3], &j, sizeof(j));
}

static void sum_mixed_function(void *in, void *sum, int *count, MPI_Datatype *type)
{
    MPI_Aint lower, extent;
    const mixed_t *at;

    /* Handles may differ from those the call was given, so the extent tells. */
    MPI_Type_get_extent(*type, &lower, &extent);
    at = extent == mixed[0].extent ? &mixed[0] : &mixed[1];
    for (int i = 0; i < *count; i++) {
        add_mixed((char *)in + i * extent, (char *)sum + i * extent, at);
    }
}

static void sum_empty_function(void *in, void *sum, int *count, MPI_Datatype *type)
{
    (void)in;
    (void)sum;
    (void)count;
    (void)type;
}

void items_init(void)
{
    MPI_Datatype empty;

    init_ints();
    init_mixed();
    MPI_Type_contiguous(0, MPI_INT, &empty);
    add_layout(ITEM_EMPTY, empty, 1, true);
    MPI_Op_create(sum_mixed_function, 1, &sum_mixed);
    MPI_Op_create(sum_empty_function, 1, &sum_empty);
}

void items_cleanup(void)
{
    for (int kind = 0; kind < ITEM_KINDS; kind++) {
        for (int i = 0; i < MAX_LAYOUTS && layouts[kind][i].items > 0; i++) {
            if (layouts[kind][i].items > 1 || kind == ITEM_MIXED || kind == ITEM_EMPTY) {
                MPI_Type_free(&layouts[kind][i].type);
            }
        }
    }
    memset(layouts, 0, sizeof(layouts));
    MPI_Op_free(&sum_mixed);
    MPI_Op_free(&sum_empty);
}

size_t item_bytes(item_kind_t kind)
{
    static const size_t bytes[ITEM_KINDS] = {
        sizeof(int), 1, 2 * sizeof(double), sizeof(double), sizeof(double) + sizeof(int),
        MIXED_BYTES, 0};

    return bytes[kind];
}

const item_layout_t *item_layout(item_kind_t kind, int number)
{
    const item_layout_t *layout = &layouts[kind][number];

    return number < MAX_LAYOUTS && layout->items > 0 ? layout : NULL;
}

MPI_Op item_op(item_kind_t kind)
{
    switch (kind) {
    case ITEM_BYTE:
        return MPI_BXOR;
    case ITEM_DOUBLE_INT:
        return MPI_MAXLOC;
    case ITEM_MIXED:
        return sum_mixed;
    case ITEM_EMPTY:
        return sum_empty;
    default:
        return MPI_SUM;
    }
}

static unsigned hash(unsigned seed, int rank, size_t i)
{
    uint64_t x = ((uint64_t)seed << 32) + (uint64_t)rank * 1000003u + i;

    x *= 0x9e3779b97f4a7c15u;
    x ^= x >> 29;
    x *= 0xbf58476d1ce4e5b9u;
    return (unsigned)(x >> 33);
}

/* Numbers are small enough that no sum over the ranks overflows. */
static void fill_item(item_kind_t kind, unsigned h, int rank, char *packed)
{
    double x = h % 100003;
    short s = (short)(h % 97);
    int i = (int)(h % 100019);

    switch (kind) {
    case ITEM_INT:
        memcpy(packed, &i, sizeof(i));
        break;
    case ITEM_BYTE:
        *packed = (char)h;
        break;
    case ITEM_COMPLEX:
        memcpy(packed + sizeof(x), &x, sizeof(x));
        x = h % 89;
        memcpy(packed, &x, sizeof(x));
        break;
    case ITEM_DOUBLE:
        memcpy(packed, &x, sizeof(x));
        break;
    case ITEM_DOUBLE_INT:
        x = h % 5;
        memcpy(packed, &x, sizeof(x));
        memcpy(packed + sizeof(x), &rank, sizeof(rank));
        break;
    case ITEM_MIXED:
        packed[0] = (char)(h % 3);
        memcpy(packed + 1, &x, sizeof(x));
        memcpy(packed + 1 + sizeof(x), &s, sizeof(s));
        memcpy(packed + 1 + sizeof(x) + sizeof(s), &i, sizeof(i));
        break;
    default:
        break;
    }
}

void item_fill(item_kind_t kind, unsigned seed, int rank, size_t count, char *packed)
{
    for (size_t i = 0; i < count; i++) {
        fill_item(kind, hash(seed, rank, i), rank, packed + i * item_bytes(kind));
    }
}

static void fold_item(item_kind_t kind, const char *in, char *sum)
{
    static const mixed_t packed = {
        {0, 1, 1 + sizeof(double), 1 + sizeof(double) + sizeof(short)}, 0, MIXED_BYTES};
    double x, y;
    int i, j;

    switch (kind) {
    case ITEM_INT:
        memcpy(&i, in, sizeof(i));
        memcpy(&j, sum, sizeof(j));
        j += i;
        memcpy(sum, &j, sizeof(j));
        break;
    case ITEM_BYTE:
        *sum = (char)(*sum ^ *in);
        break;
    case ITEM_COMPLEX:
        fold_item(ITEM_DOUBLE, in, sum);
        fold_item(ITEM_DOUBLE, in + sizeof(x), sum + sizeof(x));
        break;
    case ITEM_DOUBLE:
    case ITEM_DOUBLE_INT:
        memcpy(&x, in, sizeof(x));
        memcpy(&y, sum, sizeof(y));
        if (kind == ITEM_DOUBLE) {
            y += x;
            memcpy(sum, &y, sizeof(y));
        } else if (x > y) {
            /* Folded in ascending rank: of equal ones the first stays. */
            memcpy(sum, in, item_bytes(kind));
        }
        break;
    case ITEM_MIXED:
        add_mixed(in, sum, &packed);
        break;
    default:
        break;
    }
}

void item_fold(item_kind_t kind, size_t count, const char *in, char *sum)
{
    for (size_t i = 0; i < count; i++) {
        fold_item(kind, in + i * item_bytes(kind), sum + i * item_bytes(kind));
    }
}

void area_create(area_t *area, MPI_Datatype type, int elements)
{
    MPI_Aint lower, true_lower, true_extent;
    int size;

    MPI_Type_get_extent(type, &lower, &area->extent);
    MPI_Type_get_true_extent(type, &true_lower, &true_extent);
    MPI_Type_size(type, &size);
    area->type = type;
    area->packed_bytes = (size_t)size;
    area->bytes = 2 * MARGIN + (size_t)(area->extent * elements + true_extent);
    area->memory = malloc(area->bytes);
    if (area->memory == NULL) {
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    memset(area->memory, UNTOUCHED, area->bytes);
    area->base = area->memory + MARGIN - true_lower;
}

void area_free(area_t *area)
{
    free(area->memory);
}

void area_put(area_t *area, int first, int count, const char *packed)
{
    int position = 0;

    MPI_Unpack(packed, (int)area->packed_bytes * count, &position,
               area->base + first * area->extent, count, area->type, MPI_COMM_SELF);
}

void area_get(const area_t *area, int first, int count, char *packed)
{
    int position = 0;

    MPI_Pack(area->base + first * area->extent, count, area->type, packed,
             (int)area->packed_bytes * count, &position, MPI_COMM_SELF);
}

void area_clear(area_t *area, int first, int count)
{
    size_t bytes = area->packed_bytes * (size_t)count;
    char *untouched = malloc(bytes + 1);

    if (untouched == NULL) {
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    memset(untouched, UNTOUCHED, bytes);
    area_put(area, first, count, untouched);
    free(untouched);
}

bool area_untouched(const area_t *area)
{
    size_t i = 0;

    while (i < area->bytes && (unsigned char)area->memory[i] == UNTOUCHED) {
        i++;
    }
    return i == area->bytes;
}
