/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/mpi/odd.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define UNTOUCHED 0xa5

/* In ints, from where a pair begins; the second int of OVERLAP is as far as there are
 * pairs. */
typedef struct {
    const char *name;
    int where[2], lower, extent;
    bool absolute;
} kind_t;

#define FAR 0x7fff

static const kind_t kinds[ODD_KINDS] = {
    {"plain pairs", {0, 1}, 0, 2, false},
    {"absolute addresses", {0, 3}, 0, 5, true},
    {"extents that overlap", {0, FAR}, 0, 1, false},
    {"negative lower bound at absolute addresses", {-4, -7}, -9, 12, true},
    {"backwards", {0, 1}, 0, -3, false},
};

/* Of the area whose sums are taken: what a user's function cannot see by itself. */
static ptrdiff_t sum_where[2], sum_extent;

const char *odd_name(int kind)
{
    return kinds[kind].name;
}

bool odd_is_folded(int kind, bool plain)
{
    return kinds[kind].extent > 0 && !(plain && kinds[kind].absolute);
}

static ptrdiff_t in_bytes(const odd_area_t *area, int ints)
{
    return (ptrdiff_t)sizeof(int) * (ints == FAR ? area->pairs : ints);
}

static void area_create_type(odd_area_t *area)
{
    const kind_t *kind = &kinds[area->kind];
    MPI_Aint origin = 0, where[2];
    MPI_Datatype pair;
    int lengths[2] = {1, 1};

    if (kind->absolute) {
        MPI_Get_address(area->base, &origin);
    }
    for (int i = 0; i < 2; i++) {
        where[i] = MPI_Aint_add(origin, area->where[i]);
    }
    MPI_Type_create_hindexed(2, lengths, where, MPI_INT, &pair);
    MPI_Type_create_resized(pair, MPI_Aint_add(origin, in_bytes(area, kind->lower)),
                            area->extent, &area->type);
    MPI_Type_commit(&area->type);
    MPI_Type_free(&pair);
    if (kind->absolute) {
        area->base = MPI_BOTTOM;
    }
}

void odd_area_create(odd_area_t *area, int kind, int pairs)
{
    size_t margin = 20 * sizeof(int);

    *area = (odd_area_t){.kind = kind, .pairs = pairs};
    area->bytes = (size_t)(pairs + 4) * 13 * sizeof(int);
    area->begin = malloc(area->bytes);
    if (area->begin == NULL) {
        MPI_Abort(MPI_COMM_WORLD, 1);
        return;
    }
    memset(area->begin, UNTOUCHED, area->bytes);
    area->extent = in_bytes(area, kinds[kind].extent);
    area->where[0] = in_bytes(area, kinds[kind].where[0]);
    area->where[1] = in_bytes(area, kinds[kind].where[1]);
    area->memory = area->begin + (area->extent > 0 ? margin : area->bytes - margin);
    area->base = area->memory;
    area_create_type(area);
}

void odd_area_free(odd_area_t *area)
{
    if (area->type != MPI_DATATYPE_NULL) {
        MPI_Type_free(&area->type);
    }
    free(area->begin);
}

int *odd_area_item(const odd_area_t *area, int pair, int item)
{
    return (int *)(void *)(area->memory + (pair + item / 2) * area->extent +
                           area->where[item % 2]);
}

void odd_area_clear(odd_area_t *area, int pair, int pairs)
{
    for (int item = 0; item < 2 * pairs; item++) {
        memset(odd_area_item(area, pair, item), UNTOUCHED, sizeof(int));
    }
}

bool odd_area_is_clear(const odd_area_t *area)
{
    const unsigned char *bytes = (const unsigned char *)area->begin;
    size_t i = 0;

    while (i < area->bytes && bytes[i] == UNTOUCHED) {
        i++;
    }
    return i == area->bytes;
}

static void sum_pairs(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void)type;
    /* With absolute addresses both are far away from what they stand for. */
    for (int i = 0; i < *count; i++) {
        for (int k = 0; k < 2; k++) {
            uintptr_t at = (uintptr_t)(i * sum_extent + sum_where[k]);

            *(int *)((uintptr_t)inout + at) += *(const int *)((uintptr_t)in + at);
        }
    }
}

MPI_Op odd_sum(const odd_area_t *area)
{
    MPI_Aint origin = 0;
    MPI_Op op;

    if (kinds[area->kind].absolute) {
        MPI_Get_address(area->memory, &origin);
    }
    sum_where[0] = (ptrdiff_t)origin + area->where[0];
    sum_where[1] = (ptrdiff_t)origin + area->where[1];
    sum_extent = area->extent;
    MPI_Op_create(sum_pairs, 1, &op);
    return op;
}
