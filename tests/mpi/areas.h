/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Layouts of items in memory, and areas of memory that hold them.
 */
#ifndef MTREE_TESTS_MPI_AREAS_H
#define MTREE_TESTS_MPI_AREAS_H

#include "tests/mpi/items.h"

/* Two ints as few programs have them in memory; all in ints from where a pair begins. */
typedef struct {
    const char *name;
    int where[2], lower, extent;
    bool absolute; /* by addresses; MPI is given MPI_BOTTOM */
} item_pair_t;

/* An item's datatype: equal signatures, different layouts. */
typedef struct {
    MPI_Datatype type;
    int items;               /* in one element */
    bool folded;             /* reductions may use it */
    const item_pair_t *pair; /* each area has a type of its own; NULL: of `type` */
} item_layout_t;

/* Layouts of ITEM_INT: two in a row, some with gaps between, and, from this number on,
 * odd pairs. */
#define ITEM_PAIR       1
#define ITEM_COMB       2
#define ITEM_FIRST_PAIR 4
#define ITEM_PAIRS      5

/* Zeroed memory that the caller frees; the job ends where there is none. */
void *allocate(size_t bytes);

/* Make and free the datatypes and operations. */
void items_init(void);
void items_cleanup(void);

/* Layout @a number of @a kind, counted from 0, or NULL. */
const item_layout_t *item_layout(int kind, int number);

/* What random cases of @a kind are folded with; and a sum of items of ints or of mixed
 * ones, in any layout, by a function of our own, which the caller frees. */
MPI_Op item_op(int kind);
MPI_Op item_sum_create(int kind);

/* Fold the packed images @a in, of the rank before, into @a sum, as Open MPI does for
 * elements of @a layout. */
void item_fold(const item_layout_t *layout, MPI_Op op, size_t count, const char *in,
               char *sum);

/* Memory for elements of a datatype, with gaps and margins that nobody may touch. */
typedef struct {
    char *memory;
    size_t bytes;
    char *base;      /* what MPI is given */
    ptrdiff_t shift; /* from there to where the processor finds it */
    MPI_Datatype type;
    bool is_own;   /* the type; the area frees it */
    bool is_freed; /* the memory */
    MPI_Aint extent;
    size_t packed_bytes; /* of an element */
} area_t;

void area_create(area_t *area, const item_layout_t *layout, int elements);
void area_free(area_t *area);

/* From now on areas lie in what @a get returns, which nobody frees, and MPI is given
 * addresses @a shift bytes before, those of a device. */
void areas_on_device(void *(*get)(size_t bytes), ptrdiff_t shift);

/* Free the handle that MPI was given, of pairs; the area goes on with a copy. */
void area_free_type(area_t *area);

/* Write or read the packed images of @a count elements from element @a first on. */
void area_put(area_t *area, int first, int count, const char *packed);
void area_get(const area_t *area, int first, int count, char *packed);

/* Make those elements look untouched. */
void area_clear(area_t *area, int first, int count);

/* True when no byte was written but by area_put() and not cleared. */
bool area_untouched(const area_t *area);

#endif
