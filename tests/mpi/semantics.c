/* SPDX-License-Identifier: BSD-3-Clause */
/* The rules of MPI that allreduce, scans, bcast and allgather must keep. */
#include "tests/mpi/expect.h"
#include "tests/mpi/random_case.h"

#include <complex.h>

static void check(collective_t collective, choice_t choice, bool in_place)
{
    choice.in_place = in_place;
    run.choice = &choice;
    case_run(collective, MTREE_BLOCKING_FORM, MPI_COMM_WORLD);
}

static void check_both(collective_t collective, choice_t choice)
{
    check(collective, choice, false);
    check(collective, choice, true);
}

/* Every predefined datatype, with every predefined operation that is legal for it. */
static void check_types(void)
{
    static const int counts[] = {1, 37, 6001};
    const item_t *item;
    const item_op_t *op;

    for (int kind = 0; (item = item_get(kind)) != NULL; kind++) {
        for (int i = 0; i < 3 && item->type != MPI_DATATYPE_NULL; i++) {
            choice_t choice = {
                .kind = kind, .block = counts[i], .root = kind % num_ranks};

            run.where = "of any kind";
            check(BCAST, choice, false);
            check_both(ALLGATHER, choice);
            for (int o = 0; (op = item_op_get(o)) != NULL; o++) {
                if ((op->classes & item->class) != 0) {
                    choice.op = op->op;
                    run.where = op->name;
                    check_both(ALLREDUCE, choice);
                }
            }
        }
    }
}

/* From nothing to more than a million elements, around powers of two and of primes. */
static void check_counts(void)
{
    static const int counts[] = {0,    1,    2,     3,     7,     8,      255,
                                 1000, 4097, 32749, 65536, 65537, 262147, 1048577};

    run.where = "of any count";
    for (int i = 0; i < (int)(sizeof(counts) / sizeof(counts[0])); i++) {
        choice_t floats = {.kind = ITEM_FLOAT, .block = counts[i], .root = i % num_ranks};
        choice_t bytes = {.kind = ITEM_BYTE, .block = counts[i], .root = num_ranks - 1};

        check_both(ALLREDUCE, floats);
        check(BCAST, floats, false);
        check(BCAST, bytes, false);
        floats.block /= num_ranks;
        check_both(ALLGATHER, floats);
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

    (void)type;
    for (int i = 0; i < *count; i++) {
        int a = left[i].a % MODULUS;

        right[i].b = (a * (right[i].b % MODULUS) + left[i].b) % MODULUS;
        right[i].a = a * (right[i].a % MODULUS) % MODULUS;
    }
}

static void add(void *in, void *inout, int *count, MPI_Datatype *type)
{
    affine_t *left = in, *right = inout;

    (void)type;
    for (int i = 0; i < *count; i++) {
        right[i].a = (left[i].a + right[i].a) % MODULUS;
        right[i].b = (left[i].b + right[i].b) % MODULUS;
    }
}

/* Of a derived datatype. A scan is in the order of the ranks even where the operation
 * does not commute. */
static void check_user_operation(MPI_User_function *function, int commutes)
{
    static const int counts[] = {1, 100, 30011};
    choice_t choice = {.kind = ITEM_INT, .layout = ITEM_PAIR};

    run.where = commutes ? "a user's sum" : "composition";
    MPI_Op_create(function, commutes, &choice.op);
    for (int i = 0; i < 3; i++) {
        choice.block = 2 * counts[i];
        check_both(ALLREDUCE, choice);
        check_both(SCAN, choice);
        check_both(EXSCAN, choice);
    }
    MPI_Op_free(&choice.op);
}

/* Elements of 32 bytes with gaps, cut anywhere by chunks. */
static void check_long_elements(void)
{
    enum { COUNT = 1001 };
    static long double complex numbers[2 * COUNT];
    MPI_Datatype type;

    MPI_Type_vector(COUNT, 1, 2, MPI_C_LONG_DOUBLE_COMPLEX, &type);
    MPI_Type_commit(&type);
    for (int i = 0; i < 2 * COUNT; i++) {
        numbers[i] = my_rank == 0 || i % 2 == 1 ? i : -1;
    }
    MPI_Bcast(numbers, 1, type, 0, MPI_COMM_WORLD);
    for (int i = 0; i < 2 * COUNT; i++) {
        mtree_expect(numbers[i] == i, "bcast of long elements: element %d", i);
    }
    MPI_Type_free(&type);
}

int main(int argc, char **argv)
{
    cases_begin(&argc, &argv);
    check_types();
    check_counts();
    check_user_operation(add, 1);
    check_user_operation(compose, 0);
    check_long_elements();
    return cases_end("semantics");
}
