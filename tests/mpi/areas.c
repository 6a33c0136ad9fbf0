/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/mpi/areas.h"

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define MOST_LAYOUTS (ITEM_FIRST_PAIR + ITEM_PAIRS)

/* Bytes around an area's data, and what untouched memory holds. */
#define MARGIN    64
#define UNTOUCHED 0xa5

/* As far as there are pairs. */
#define FAR INT_MAX

static const item_pair_t pairs[ITEM_PAIRS] = {
    {"plain pairs", {0, 1}, 0, 2, false},
    {"absolute addresses", {0, 3}, 0, 5, true},
    {"extents that overlap", {0, FAR}, 0, 1, false},
    {"negative lower bound at absolute addresses", {-4, -7}, -9, 12, true},
    {"backwards", {0, 1}, 0, -3, false},
};

static item_layout_t layouts[ITEM_MOST_KINDS][MOST_LAYOUTS];
static MPI_Op sum_of_mixed;
static void *(*get_on_device)(size_t bytes);
static ptrdiff_t device_shift;

void *allocate(size_t bytes)
{
    void *memory = calloc(1, bytes + 1);

    if (memory == NULL) {
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    return memory;
}

/* A user's function, which finds the numbers of elements of any layout by packing them.
 */
static void sum_packed(int kind, void *in, void *inout, int count, MPI_Datatype type)
{
    int bytes, position = 0;
    char *from, *to;

    MPI_Type_size(type, &bytes);
    bytes *= count;
    from = allocate(2 * (size_t)bytes);
    to = from + bytes;
    MPI_Pack(in, count, type, from, bytes, &position, MPI_COMM_SELF);
    position = 0;
    MPI_Pack(inout, count, type, to, bytes, &position, MPI_COMM_SELF);
    item_add(kind, (size_t)bytes, from, to);
    position = 0;
    MPI_Unpack(to, bytes, &position, inout, count, type, MPI_COMM_SELF);
    free(from);
}

static void sum_ints(void *in, void *inout, int *count, MPI_Datatype *type)
{
    sum_packed(ITEM_INT, in, inout, *count, *type);
}

static void sum_mixed(void *in, void *inout, int *count, MPI_Datatype *type)
{
    sum_packed(ITEM_MIXED, in, inout, *count, *type);
}

MPI_Op item_sum_create(int kind)
{
    MPI_Op op;

    MPI_Op_create(kind == ITEM_INT ? sum_ints : sum_mixed, 1, &op);
    return op;
}

static void add_layout(int kind, MPI_Datatype type, int items, bool folded)
{
    item_layout_t *layout = layouts[kind];

    while (layout->items > 0) {
        layout++;
    }
    *layout = (item_layout_t){type, items, folded, NULL};
    if (type != item_get(kind)->type) {
        MPI_Type_commit(&layout->type);
    }
}

static MPI_Datatype resized(MPI_Datatype type, MPI_Aint lower, MPI_Aint extent)
{
    MPI_Datatype result;

    MPI_Type_create_resized(type, lower, extent, &result);
    MPI_Type_free(&type);
    return result;
}

static void init_mixed(void)
{
    static const MPI_Aint where[2][4] = {{0, 8, 16, 20}, {-7, 8, -22, 24}};
    MPI_Datatype types[4] = {MPI_CHAR, MPI_DOUBLE, MPI_SHORT, MPI_INT}, type;
    int lengths[4] = {1, 1, 1, 1};

    for (int i = 0; i < 2; i++) {
        MPI_Type_create_struct(4, lengths, where[i], types, &type);
        add_layout(ITEM_MIXED, resized(type, i == 0 ? 0 : -24, i == 0 ? 24 : 56), 1,
                   true);
    }
    MPI_Type_contiguous(2, layouts[ITEM_MIXED][0].type, &type);
    add_layout(ITEM_MIXED, type, 2, false);
    MPI_Type_create_hvector(2, 1, 100, layouts[ITEM_MIXED][1].type, &type);
    add_layout(ITEM_MIXED, type, 2, false);
}

void items_init(void)
{
    MPI_Datatype type;
    int backwards[2] = {3, 0};

    for (int kind = 0; item_get(kind) != NULL; kind++) {
        if (item_get(kind)->type != MPI_DATATYPE_NULL) {
            add_layout(kind, item_get(kind)->type, 1, true);
        }
    }
    MPI_Type_contiguous(2, MPI_INT, &type);
    add_layout(ITEM_INT, type, 2, false);
    MPI_Type_vector(4, 1, 2, MPI_INT, &type);
    add_layout(ITEM_INT, resized(type, -4, 9 * (MPI_Aint)sizeof(int)), 4, false);
    MPI_Type_create_indexed_block(2, 1, backwards, MPI_DOUBLE, &type);
    add_layout(ITEM_DOUBLE, type, 2, false);
    for (int i = 0; i < ITEM_PAIRS; i++) {
        layouts[ITEM_INT][ITEM_FIRST_PAIR + i] =
            (item_layout_t){MPI_INT, 2, true, &pairs[i]};
    }
    init_mixed();
    MPI_Type_contiguous(0, MPI_INT, &type);
    add_layout(ITEM_EMPTY, type, 1, true);
    sum_of_mixed = item_sum_create(ITEM_MIXED);
}

void items_cleanup(void)
{
    for (int kind = 0; kind < ITEM_KINDS; kind++) {
        for (int i = 0; i < ITEM_FIRST_PAIR; i++) {
            item_layout_t *layout = &layouts[kind][i];

            if (layout->items > 0 && layout->type != item_get(kind)->type) {
                MPI_Type_free(&layout->type);
            }
        }
    }
    memset(layouts, 0, sizeof(layouts));
    MPI_Op_free(&sum_of_mixed);
}

const item_layout_t *item_layout(int kind, int number)
{
    const item_layout_t *layout = &layouts[kind][number];

    return layout->items > 0 ? layout : NULL;
}

MPI_Op item_op(int kind)
{
    switch (kind) {
    case ITEM_BYTE:
        return MPI_BXOR;
    case ITEM_DOUBLE_INT:
        return MPI_MAXLOC;
    case ITEM_MIXED:
    case ITEM_EMPTY:
        return sum_of_mixed;
    default:
        return MPI_SUM;
    }
}

/* The type of pairs in an area of so many, whose first one begins at @a origin. */
static MPI_Datatype pair_type(const item_pair_t *pair, int elements, MPI_Aint origin)
{
    int lengths[2] = {1, 1};
    MPI_Aint where[2];
    MPI_Datatype ints, type;

    for (int i = 0; i < 2; i++) {
        int at = pair->where[i] == FAR ? elements : pair->where[i];

        where[i] = MPI_Aint_add(origin, (MPI_Aint)sizeof(int) * at);
    }
    MPI_Type_create_hindexed(2, lengths, where, MPI_INT, &ints);
    type = resized(ints, MPI_Aint_add(origin, (MPI_Aint)sizeof(int) * pair->lower),
                   (MPI_Aint)sizeof(int) * pair->extent);
    MPI_Type_commit(&type);
    return type;
}

static void create_at(area_t *area, const item_layout_t *layout, int elements,
                      void *(*get)(size_t bytes))
{
    const item_pair_t *pair = layout->pair;
    MPI_Aint lower, true_lower, true_extent, origin, span;
    int size;

    area->is_own = pair != NULL;
    area->type = pair != NULL ? pair_type(pair, elements, 0) : layout->type;
    MPI_Type_get_extent(area->type, &lower, &area->extent);
    MPI_Type_get_true_extent(area->type, &true_lower, &true_extent);
    MPI_Type_size(area->type, &size);
    area->packed_bytes = (size_t)size;
    span = area->extent * elements;
    area->bytes = 2 * MARGIN + (size_t)(span < 0 ? -span : span) + (size_t)true_extent;
    area->memory = get != NULL ? get(area->bytes) : allocate(area->bytes);
    area->is_freed = get == NULL;
    area->shift = get != NULL ? device_shift : 0;
    memset(area->memory, UNTOUCHED, area->bytes);
    area->base = area->memory + MARGIN - true_lower - (span < 0 ? span : 0) - area->shift;
    if (pair != NULL && pair->absolute) {
        MPI_Get_address(area->base, &origin);
        MPI_Type_free(&area->type);
        area->type = pair_type(pair, elements, origin);
        area->base = MPI_BOTTOM;
    }
}

void area_create(area_t *area, const item_layout_t *layout, int elements)
{
    create_at(area, layout, elements, get_on_device);
}

void areas_on_device(void *(*get)(size_t bytes), ptrdiff_t shift)
{
    get_on_device = get;
    device_shift = shift;
}

void area_free_type(area_t *area)
{
    MPI_Datatype copy;

    MPI_Type_dup(area->type, &copy);
    MPI_Type_free(&area->type);
    area->type = copy;
}

void area_free(area_t *area)
{
    if (area->is_own) {
        MPI_Type_free(&area->type);
    }
    if (area->is_freed) {
        free(area->memory);
    }
}

/* Where the processor finds the elements from @a first on; a pointer from MPI_BOTTOM. */
static void *element_at(const area_t *area, int first)
{
    return (void *)((uintptr_t)area->base + (uintptr_t)(first * area->extent) +
                    (uintptr_t)area->shift);
}

void area_put(area_t *area, int first, int count, const char *packed)
{
    int position = 0;

    MPI_Unpack(packed, (int)area->packed_bytes * count, &position,
               element_at(area, first), count, area->type, MPI_COMM_SELF);
}

void area_get(const area_t *area, int first, int count, char *packed)
{
    int position = 0;

    MPI_Pack(element_at(area, first), count, area->type, packed,
             (int)area->packed_bytes * count, &position, MPI_COMM_SELF);
}

void area_clear(area_t *area, int first, int count)
{
    size_t bytes = area->packed_bytes * (size_t)count;
    char *untouched = allocate(bytes);

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

void item_fold(const item_layout_t *layout, MPI_Op op, size_t count, const char *in,
               char *sum)
{
    int elements = (int)count / layout->items, size;
    MPI_Aint lower, extent;
    area_t areas[2];

    MPI_Type_size(layout->type, &size);
    MPI_Type_get_extent(layout->type, &lower, &extent);
    if (lower == 0 && extent == size) {
        /* In memory as they are packed. */
        MPI_Reduce_local(in, sum, elements, layout->type, op);
        return;
    }
    for (int i = 0; i < 2; i++) {
        create_at(&areas[i], layout, elements, NULL);
        area_put(&areas[i], 0, elements, i == 0 ? in : sum);
    }
    MPI_Reduce_local(areas[0].base, areas[1].base, elements, layout->type, op);
    area_get(&areas[1], 0, elements, sum);
    area_free(&areas[0]);
    area_free(&areas[1]);
}
