/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Items: what test programs send.  An item is one or more numbers, each of a type of C.
 * Several datatypes may lay it out in memory (tests/mpi/areas.h); all is checked in its
 * packed image.
 */
#ifndef MTREE_TESTS_MPI_ITEMS_H
#define MTREE_TESTS_MPI_ITEMS_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

/* Kinds of items: these, which random cases have, and behind them all other predefined
 * datatypes. */
typedef enum {
    ITEM_INT,        /* summed */
    ITEM_BYTE,       /* MPI_BXOR */
    ITEM_COMPLEX,    /* of doubles, summed */
    ITEM_DOUBLE,     /* summed; whole numbers, so every order gives the same */
    ITEM_DOUBLE_INT, /* MPI_MAXLOC */
    ITEM_MIXED,      /* char, double, short, int; summed by a function of our own */
    ITEM_EMPTY,      /* no bytes at all */
    ITEM_KINDS,
    ITEM_FLOAT = ITEM_KINDS,
    ITEM_MOST_KINDS = 64
} item_kind_t;

/* The classes of MPI-3.1 5.9.2, which decide what operations are allowed. */
enum {
    ITEM_CLASS_NONE = 0,
    ITEM_CLASS_INTEGER = 1 << 0,
    ITEM_CLASS_MULTI = 1 << 1, /* MPI_Aint and the like, and Fortran integers */
    ITEM_CLASS_FLOATING = 1 << 2,
    ITEM_CLASS_LOGICAL = 1 << 3,
    ITEM_CLASS_COMPLEX = 1 << 4,
    ITEM_CLASS_BYTE = 1 << 5,
    ITEM_CLASS_PAIR = 1 << 6
};

typedef struct {
    const char *name;
    MPI_Datatype type;
    const char *members; /* a letter for each number: see MEMBERS in items.c */
    int class;
} item_t;

typedef struct {
    const char *name;
    MPI_Op op;
    int classes; /* that it is allowed for */
} item_op_t;

/* The kind, or the predefined operation, of a number counted from 0; NULL behind the
 * last. */
const item_t *item_get(int kind);
const item_op_t *item_op_get(int number);

/* Bytes of an item's packed image. */
size_t item_bytes(int kind);

/* The packed images of items [from, to) that rank @a rank contributes to a fold with @a
 * op: every order of evaluation gives the same. */
void item_fill(int kind, MPI_Op op, unsigned seed, int rank, size_t from, size_t to,
               char *packed);

/* Add the numbers of items of ints or of mixed ones, which take so many bytes. */
void item_add(int kind, size_t bytes, const char *in, char *sum);

bool item_equal(int kind, size_t count, const char *left, const char *right);

#endif
