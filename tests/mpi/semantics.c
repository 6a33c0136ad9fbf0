/* SPDX-License-Identifier: BSD-3-Clause */
/* The rules of MPI that allreduce, scans, bcast and allgather must keep. */
#include "tests/mpi/element.h"
#include "tests/mpi/expect.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int my_rank, num_ranks;

static void *allocate(size_t bytes)
{
    void *memory = malloc(bytes + 1);

    if (memory == NULL) {
        fprintf(stderr, "no memory for %zu bytes\n", bytes);
        MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    }
    memset(memory, 0xff, bytes + 1);
    return memory;
}

static void check_allreduce(const mtree_element_t *element, const mtree_element_op_t *op,
                            int count)
{
    size_t bytes = (size_t)count * element->size;
    unsigned seed = (unsigned)count;
    void *send = allocate(bytes);
    void *recv = allocate(bytes);
    void *want = allocate(bytes);

    mtree_element_reduce(element, op, seed, num_ranks, want, send, count);
    mtree_element_fill(element, op, seed, my_rank, send, count);
    MPI_Allreduce(send, recv, count, element->type, op->op, MPI_COMM_WORLD);
    mtree_expect(mtree_element_mismatch(element, recv, want, count) == count,
                 "allreduce of %d %s, %s", count, element->name, op->name);
    MPI_Allreduce(MPI_IN_PLACE, send, count, element->type, op->op, MPI_COMM_WORLD);
    mtree_expect(mtree_element_mismatch(element, send, want, count) == count,
                 "allreduce in place of %d %s, %s", count, element->name, op->name);
    free(want);
    free(recv);
    free(send);
}

/* A scan is in the order of the ranks even where the operation does not commute. */
static void check_scan(const mtree_element_t *element, const mtree_element_op_t *op,
                       int count)
{
    size_t bytes = (size_t)count * element->size;
    unsigned seed = (unsigned)count;
    void *send = allocate(bytes);
    void *recv = allocate(bytes);
    void *want = allocate(bytes);

    mtree_element_reduce(element, op, seed, my_rank + 1, want, send, count);
    mtree_element_fill(element, op, seed, my_rank, send, count);
    MPI_Scan(send, recv, count, element->type, op->op, MPI_COMM_WORLD);
    mtree_expect(mtree_element_mismatch(element, recv, want, count) == count,
                 "scan of %d %s, %s", count, element->name, op->name);

    MPI_Exscan(MPI_IN_PLACE, send, count, element->type, op->op, MPI_COMM_WORLD);
    if (my_rank > 0) {
        mtree_element_reduce(element, op, seed, my_rank, want, recv, count);
        mtree_expect(mtree_element_mismatch(element, send, want, count) == count,
                     "exscan in place of %d %s, %s", count, element->name, op->name);
    }
    free(want);
    free(recv);
    free(send);
}

static void check_bcast(const mtree_element_t *element, int root, int count)
{
    size_t bytes = (size_t)count * element->size;
    void *buffer = allocate(bytes);
    void *want = allocate(bytes);

    mtree_element_fill(element, NULL, 5, root, want, count);
    if (my_rank == root) {
        mtree_element_fill(element, NULL, 5, root, buffer, count);
    }
    MPI_Bcast(buffer, count, element->type, root, MPI_COMM_WORLD);
    mtree_expect(mtree_element_mismatch(element, buffer, want, count) == count,
                 "bcast of %d %s from %d", count, element->name, root);
    free(want);
    free(buffer);
}

static void check_allgather(const mtree_element_t *element, int count)
{
    size_t part = (size_t)count * element->size;
    int total = count * num_ranks;
    char *recv = allocate(part * (size_t)num_ranks);
    char *want = allocate(part * (size_t)num_ranks);
    int rank;

    for (rank = 0; rank < num_ranks; rank++) {
        mtree_element_fill(element, NULL, 6, rank, want + (size_t)rank * part, count);
    }
    MPI_Allgather(want + (size_t)my_rank * part, count, element->type, recv, count,
                  element->type, MPI_COMM_WORLD);
    mtree_expect(mtree_element_mismatch(element, recv, want, total) == total,
                 "allgather of %d %s", count, element->name);

    memset(recv, 0xff, part * (size_t)num_ranks);
    memcpy(recv + (size_t)my_rank * part, want + (size_t)my_rank * part, part);
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, recv, count, element->type,
                  MPI_COMM_WORLD);
    mtree_expect(mtree_element_mismatch(element, recv, want, total) == total,
                 "allgather in place of %d %s", count, element->name);
    free(want);
    free(recv);
}

/* Every predefined datatype, with every predefined operation that is legal for it. */
static void check_types(void)
{
    static const int counts[] = {1, 37, 6001};
    const mtree_element_t *element;
    const mtree_element_op_t *op;
    int i, j, k;

    for (i = 0; (element = mtree_element_get(i)) != NULL; i++) {
        for (k = 0; k < 3; k++) {
            for (j = 0; (op = mtree_element_op_get(j)) != NULL; j++) {
                if ((op->classes & element->class) != 0) {
                    check_allreduce(element, op, counts[k]);
                }
            }
            check_bcast(element, i % num_ranks, counts[k]);
            check_allgather(element, counts[k]);
        }
    }
}

static const mtree_element_t *find_element(MPI_Datatype type)
{
    int i = 0;

    while (mtree_element_get(i)->type != type) {
        i++;
    }
    return mtree_element_get(i);
}

/* From nothing to more than a million elements, around powers of two and of primes. */
static void check_counts(void)
{
    static const int counts[] = {0,    1,    2,     3,     7,     8,      255,
                                 1000, 4097, 32749, 65536, 65537, 262147, 1048577};
    const mtree_element_t *value = find_element(MPI_FLOAT);
    const mtree_element_op_t *sum = mtree_element_op_get(2);
    size_t i;

    for (i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
        check_allreduce(value, sum, counts[i]);
        check_bcast(value, (int)i % num_ranks, counts[i]);
        check_bcast(find_element(MPI_BYTE), num_ranks - 1, counts[i]);
        check_allgather(value, counts[i] / num_ranks);
    }
}

#define MODULUS 251

/* x -> a x + b modulo MODULUS: composition is associative and does not commute. */
typedef struct {
    int a, b;
} affine_t;

/* MPI says: inout = in * inout, so the ranks before ours are applied last. */
static void compose(void *in, void *inout, int *count, MPI_Datatype *type)
{
    affine_t *left = in, *right = inout;
    int i;

    (void)type;
    for (i = 0; i < *count; i++) {
        right[i].b = (left[i].a * right[i].b + left[i].b) % MODULUS;
        right[i].a = left[i].a * right[i].a % MODULUS;
    }
}

static void add(void *in, void *inout, int *count, MPI_Datatype *type)
{
    affine_t *left = in, *right = inout;
    int i;

    (void)type;
    for (i = 0; i < *count; i++) {
        right[i].a = (left[i].a + right[i].a) % MODULUS;
        right[i].b = (left[i].b + right[i].b) % MODULUS;
    }
}

static void check_user_operation(MPI_User_function *function, int commutes, int count)
{
    const mtree_element_t pairs = {"a user's type",
                                   MPI_DATATYPE_NULL,
                                   sizeof(affine_t),
                                   0,
                                   find_element(MPI_2INT)->set,
                                   find_element(MPI_2INT)->equal};
    mtree_element_t element = pairs;
    mtree_element_op_t op = {commutes ? "a user's sum" : "composition", MPI_OP_NULL, 0,
                             false};

    MPI_Type_contiguous(2, MPI_INT, &element.type);
    MPI_Type_commit(&element.type);
    MPI_Op_create(function, commutes, &op.op);
    check_allreduce(&element, &op, count);
    check_scan(&element, &op, count);
    MPI_Op_free(&op.op);
    MPI_Type_free(&element.type);
}

static void check_operations(void)
{
    static const int counts[] = {1, 100, 30011};
    int i;

    for (i = 0; i < 3; i++) {
        check_user_operation(add, 1, counts[i]);
        check_user_operation(compose, 0, counts[i]);
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &my_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &num_ranks);
    check_types();
    check_counts();
    check_operations();
    return mtree_expect_end("semantics");
}
