/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Elements of every predefined datatype: what may be done with them, how to write one and
 * how to compare two without looking at padding.
 */
#ifndef MTREE_TESTS_MPI_ELEMENT_H
#define MTREE_TESTS_MPI_ELEMENT_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

/* The classes of MPI-3.1 5.9.2, which decide what operations are allowed. */
enum {
    MTREE_CLASS_TEXT = 0, /* none */
    MTREE_CLASS_INTEGER = 1 << 0,
    MTREE_CLASS_MULTI = 1 << 1, /* MPI_Aint and the like, and Fortran integers */
    MTREE_CLASS_FLOATING = 1 << 2,
    MTREE_CLASS_LOGICAL = 1 << 3,
    MTREE_CLASS_COMPLEX = 1 << 4,
    MTREE_CLASS_BYTE = 1 << 5,
    MTREE_CLASS_PAIR = 1 << 6
};

typedef struct {
    const char *name;
    MPI_Datatype type;
    size_t size; /* its extent too */
    int class;
    /* Write an element made of two small numbers (the second is the index or the
     * imaginary part). */
    void (*set)(void *element, int first, int second);
    bool (*equal)(const void *left, const void *right);
} mtree_element_t;

typedef struct {
    const char *name;
    MPI_Op op;
    int classes;  /* that it is allowed for */
    bool product; /* its operands must be 1 or 2, or it overflows */
} mtree_element_op_t;

/* The i-th datatype that this MPI has, or the i-th operation; NULL behind the last. */
const mtree_element_t *mtree_element_get(int index);
const mtree_element_op_t *mtree_element_op_get(int index);

/*
 * Write elements 0 .. count-1 of rank @a rank to @a buffer: small numbers that depend on
 * @a seed, @a rank and the position.  @a op (NULL: none) limits them so that every order
 * of evaluation gives the same.
 */
void mtree_element_fill(const mtree_element_t *element, const mtree_element_op_t *op,
                        unsigned seed, int rank, void *buffer, int count);

/*
 * What reducing the vectors of ranks 0 .. num_ranks-1 gives, folded here in the order of
 * ranks into
 * @a result; @a scratch has room for one vector.
 */
void mtree_element_reduce(const mtree_element_t *element, const mtree_element_op_t *op,
                          unsigned seed, int num_ranks, void *result, void *scratch,
                          int count);

/* The position of the first element that differs, or @a count. */
int mtree_element_mismatch(const mtree_element_t *element, const void *left,
                           const void *right, int count);

#endif
