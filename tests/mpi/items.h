/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Items: what the random cases send, in several datatypes each, and the areas of memory
 * that hold them.  An item has a packed image, in which all is checked.
 */
#ifndef MTREE_TESTS_MPI_ITEMS_H
#define MTREE_TESTS_MPI_ITEMS_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

typedef enum {
    ITEM_INT,        /* summed */
    ITEM_BYTE,       /* MPI_BXOR */
    ITEM_COMPLEX,    /* of doubles, summed */
    ITEM_DOUBLE,     /* summed; whole numbers, so every order gives the same */
    ITEM_DOUBLE_INT, /* MPI_MAXLOC */
    ITEM_MIXED,      /* char, double, short, int; summed by a function of our own */
    ITEM_EMPTY,      /* no bytes at all */
    ITEM_KINDS
} item_kind_t;

/* An item's datatype: equal signatures, different layouts. */
typedef struct {
    MPI_Datatype type;
    int items;   /* in one element */
    bool folded; /* reductions may use it */
} item_layout_t;

/* Make and free the datatypes and operations. */
void items_init(void);
void items_cleanup(void);

/* Bytes of an item's packed image. */
size_t item_bytes(item_kind_t kind);

/* Layout @a number of @a kind, counted from 0, or NULL. */
const item_layout_t *item_layout(item_kind_t kind, int number);

MPI_Op item_op(item_kind_t kind);

/* The packed images of @a count items that rank @a rank contributes. */
void item_fill(item_kind_t kind, unsigned seed, int rank, size_t count, char *packed);

/* Fold the packed images @a in into @a sum. */
void item_fold(item_kind_t kind, size_t count, const char *in, char *sum);

/* Memory for elements of a datatype, with gaps and margins that nobody may touch. */
typedef struct {
    char *memory;
    size_t bytes;
    char *base; /* what MPI is given */
    MPI_Datatype type;
    MPI_Aint extent;
    size_t packed_bytes; /* of an element */
} area_t;

void area_create(area_t *area, MPI_Datatype type, int elements);
void area_free(area_t *area);

/* Write or read the packed images of @a count elements from element @a first on. */
void area_put(area_t *area, int first, int count, const char *packed);
void area_get(const area_t *area, int first, int count, char *packed);

/* Make those elements look untouched. */
void area_clear(area_t *area, int first, int count);

/* True when no byte was written but by area_put() and not cleared. */
bool area_untouched(const area_t *area);

#endif
