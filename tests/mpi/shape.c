/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/mpi/shape.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MARGIN                                                                           \
    64 /* bytes before and behind, for negative bounds and to see stray writes */
#define GARBAGE 0x5a

static const char *const names[MTREE_SHAPES] = {
    "ints",    "contiguous",           "vector", "indexed",
    "resized", "negative lower bound", "struct"};

const char *mtree_shape_name(int shape)
{
    return names[shape];
}

static MPI_Datatype create_indexed(void)
{
    int lengths[3] = {1, 2, 1};
    int displs[3] = {5, 1, 3};
    MPI_Datatype type;

    MPI_Type_indexed(3, lengths, displs, MPI_INT, &type);
    return type;
}

static MPI_Datatype create_resized(MPI_Aint lower, MPI_Aint extent)
{
    MPI_Datatype ints, type;

    MPI_Type_vector(2, 2, 3, MPI_INT, &ints);
    MPI_Type_create_resized(ints, lower, extent, &type);
    MPI_Type_free(&ints);
    return type;
}

/* The ints lie before the address that MPI is given, and the lower bound says so. */
static MPI_Datatype create_negative(void)
{
    int lengths[2] = {3, 1};
    MPI_Aint displs[2] = {-24, -4};
    MPI_Datatype ints, type;

    MPI_Type_create_hindexed(2, lengths, displs, MPI_INT, &ints);
    MPI_Type_create_resized(ints, -28, 32, &type);
    MPI_Type_free(&ints);
    return type;
}

static MPI_Datatype create_struct(void)
{
    int lengths[3] = {1, 2, 1};
    MPI_Aint displs[3] = {0, 12, 32};
    MPI_Datatype types[3] = {MPI_INT, MPI_INT, MPI_INT};
    MPI_Datatype type;

    MPI_Type_create_struct(3, lengths, displs, types, &type);
    return type;
}

static MPI_Datatype create_type(int shape)
{
    MPI_Datatype type;

    switch (shape) {
    case 0:
        MPI_Type_dup(MPI_INT, &type);
        break;
    case 1:
        MPI_Type_contiguous(MTREE_SHAPE_INTS, MPI_INT, &type);
        break;
    case 2:
        MPI_Type_vector(2, 2, 3, MPI_INT, &type);
        break;
    case 3:
        type = create_indexed();
        break;
    case 4:
        type = create_resized(0, 40);
        break;
    case 5:
        type = create_negative();
        break;
    default:
        type = create_struct();
        break;
    }
    MPI_Type_commit(&type);
    return type;
}

void mtree_shape_buffer_init(mtree_shape_buffer_t *buffer, int shape, int num_ints)
{
    MPI_Aint lower, extent, true_lower, true_extent;

    buffer->type = create_type(shape);
    buffer->count = (shape == 0) ? num_ints : num_ints / MTREE_SHAPE_INTS;
    MPI_Type_get_extent(buffer->type, &lower, &extent);
    MPI_Type_get_true_extent(buffer->type, &true_lower, &true_extent);
    buffer->bytes = (size_t)buffer->count * (size_t)extent + 2 * MARGIN;
    buffer->memory = malloc(buffer->bytes);
    if (buffer->memory == NULL) {
        fprintf(stderr, "no memory for %d elements of a shape\n", buffer->count);
        MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    }
    memset(buffer->memory, GARBAGE, buffer->bytes);
    buffer->base = buffer->memory + MARGIN - ((lower < 0) ? lower : 0);
}

void mtree_shape_buffer_cleanup(mtree_shape_buffer_t *buffer)
{
    MPI_Type_free(&buffer->type);
    free(buffer->memory);
}

void mtree_shape_buffer_put(mtree_shape_buffer_t *buffer, int first, const int *ints,
                            int num_ints)
{
    int bytes = num_ints * (int)sizeof(int);
    int position = 0;
    MPI_Aint lower, extent;
    int size;

    MPI_Type_get_extent(buffer->type, &lower, &extent);
    MPI_Type_size(buffer->type, &size);
    MPI_Unpack(ints, bytes, &position,
               (char *)buffer->base + first * (int)sizeof(int) / size * extent,
               bytes / size, buffer->type, MPI_COMM_SELF);
}
