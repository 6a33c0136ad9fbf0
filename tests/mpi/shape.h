/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Derived datatypes of one signature, four ints, and many layouts.
 */
#ifndef MTREE_TESTS_MPI_SHAPE_H
#define MTREE_TESTS_MPI_SHAPE_H

#include <mpi.h>
#include <stddef.h>

#define MTREE_SHAPE_INTS 4 /* in one element of any shape */
#define MTREE_SHAPES     7

/*
 * Memory for `count` elements of a shape; `base` is what MPI is given, which need not be
 * where it begins.
 */
typedef struct {
    MPI_Datatype type;
    int count;
    void *base;
    unsigned char *memory;
    size_t bytes;
} mtree_shape_buffer_t;

/* "vector", "negative lower bound", ... of shape 0 .. MTREE_SHAPES-1. */
const char *mtree_shape_name(int shape);

/*
 * Memory for @a num_ints ints, a multiple of MTREE_SHAPE_INTS, in that shape (shape 0:
 * plain ints), every byte of it garbage of one kind.  Ends the job without memory.
 */
void mtree_shape_buffer_init(mtree_shape_buffer_t *buffer, int shape, int num_ints);
void mtree_shape_buffer_cleanup(mtree_shape_buffer_t *buffer);

/* Write @a num_ints ints behind the first @a first ones, leaving the gaps as they are. */
void mtree_shape_buffer_put(mtree_shape_buffer_t *buffer, int first, const int *ints,
                            int num_ints);

#endif
