/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reductions whose results depend on the order of the operands, again and again with the
 * same input: sums of floating-point numbers, extremes among them with NaN and zeros of
 * both signs, and an operation of the user's on a datatype that begins below its address.
 *
 *   repeated CALLS   so many of each have the same bits
 */
#include "tests/mpi/expect.h"

#include <mpi.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define COUNT 4000

/* Numbers in the extent of an element of the derived datatype, one of them before its
 * address. */
#define STRIDE 3

static double input[STRIDE * (COUNT + 1)], output[STRIDE * (COUNT + 1)];
static double odd[COUNT]; /* NaN and zeros of both signs among others */
static struct {
    double value;
    int place;
} places[COUNT], extremes[COUNT];
static MPI_Datatype below; /* two numbers: the one before the address, the one after it */
static MPI_Op add;
static int ranks;

/* A kind of call, and what it gave. */
typedef struct kind {
    const char *name;
    void (*check)(struct kind *kind, int call);
    MPI_Op op;
    uint64_t last; /* hash of the last result */
    int changes;   /* calls with another hash than the one before */
    int wrong;     /* calls whose result is not the sum */
} kind_t;

static void add_below(void *in, void *inout, int *count, MPI_Datatype *type)
{
    const double *from = in;
    double *to = inout;

    (void)type;
    for (int i = 0; i < *count; i++) {
        to[STRIDE * i - 1] += from[STRIDE * i - 1];
        to[STRIDE * i + 1] += from[STRIDE * i + 1];
    }
}

static void make_datatype(void)
{
    int lengths[] = {1, 1};
    MPI_Aint displacements[] = {-(MPI_Aint)sizeof(double), sizeof(double)};
    MPI_Datatype two;

    MPI_Type_create_hindexed(2, lengths, displacements, MPI_DOUBLE, &two);
    MPI_Type_create_resized(two, -(MPI_Aint)sizeof(double), STRIDE * sizeof(double),
                            &below);
    MPI_Type_commit(&below);
    MPI_Type_free(&two);
    MPI_Op_create(add_below, 1, &add);
}

/* Of rank @a rank, with sums near 0 and bits in all places. */
static double value_of(int rank, size_t i)
{
    uint32_t bits = (uint32_t)(i * 2654435761u + (size_t)rank * 40503u + 17u);

    bits ^= bits >> 13;
    bits *= 0x5bd1e995u;
    bits ^= bits >> 15;
    return (double)bits / UINT32_MAX - 0.5;
}

/* NaN on one rank, and zeros of both signs on the others, or a number. */
static double odd_value_of(int rank, size_t i)
{
    if ((i + (size_t)rank) % (size_t)ranks == 1) {
        return i % 2 == 0 ? NAN : -1;
    }
    return i % 4 == 0 ? rank : (i + (size_t)rank) % 2 == 0 ? 0.0 : -0.0;
}

static uint64_t hash_of(uint64_t hash, double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof(bits));
    return (hash ^ bits) * 1099511628211u;
}

static void compare(kind_t *kind, int call, uint64_t hash)
{
    kind->changes += call > 0 && hash != kind->last;
    kind->last = hash;
}

static void judge(kind_t *kind, int call, size_t numbers, size_t step, double *result)
{
    uint64_t hash = 14695981039346656037u;
    int wrong = 0;

    for (size_t i = 0; i < numbers; i += step) {
        double sum = 0;

        for (int rank = 0; rank < ranks; rank++) {
            sum += value_of(rank, i);
        }
        hash = hash_of(hash, result[i]);
        wrong += !(fabs(result[i] - sum) < 1e-9);
    }
    kind->wrong += wrong > 0;
    compare(kind, call, hash);
}

static void check_blocking(kind_t *kind, int call)
{
    MPI_Allreduce(input, output, COUNT, MPI_DOUBLE, kind->op, MPI_COMM_WORLD);
    judge(kind, call, COUNT, 1, output);
}

static void check_nonblocking(kind_t *kind, int call)
{
    MPI_Request request;

    MPI_Iallreduce(input, output, COUNT, MPI_DOUBLE, kind->op, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    judge(kind, call, COUNT, 1, output);
}

static void check_reduce(kind_t *kind, int call)
{
    int rank;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Reduce(input, output, COUNT, MPI_DOUBLE, kind->op, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        judge(kind, call, COUNT, 1, output);
    }
}

static void check_derived(kind_t *kind, int call)
{
    memset(output, 0, sizeof(output));
    MPI_Allreduce(input + 1, output + 1, COUNT, below, kind->op, MPI_COMM_WORLD);
    judge(kind, call, STRIDE * (size_t)COUNT, STRIDE, output);
}

/* What the result is with NaN is nowhere said; it must not change. */
static void check_extreme(kind_t *kind, int call)
{
    uint64_t hash = 14695981039346656037u;

    MPI_Allreduce(odd, output, COUNT, MPI_DOUBLE, kind->op, MPI_COMM_WORLD);
    for (size_t i = 0; i < COUNT; i++) {
        hash = hash_of(hash, output[i]);
    }
    compare(kind, call, hash);
}

static void check_place(kind_t *kind, int call)
{
    uint64_t hash = 14695981039346656037u;

    MPI_Allreduce(places, extremes, COUNT, MPI_DOUBLE_INT, kind->op, MPI_COMM_WORLD);
    for (size_t i = 0; i < COUNT; i++) {
        hash = hash_of(hash_of(hash, extremes[i].value), extremes[i].place);
    }
    compare(kind, call, hash);
}

static void fill(int rank)
{
    for (size_t i = 0; i < sizeof(input) / sizeof(input[0]); i++) {
        input[i] = value_of(rank, i);
    }
    for (size_t i = 0; i < COUNT; i++) {
        odd[i] = places[i].value = odd_value_of(rank, i);
        places[i].place = rank;
    }
}

static void check_all(int calls)
{
    kind_t kinds[] = {
        {"allreduce", check_blocking, MPI_SUM, 0, 0, 0},
        {"iallreduce", check_nonblocking, MPI_SUM, 0, 0, 0},
        {"reduce", check_reduce, MPI_SUM, 0, 0, 0},
        {"allreduce of a derived datatype", check_derived, add, 0, 0, 0},
        {"maximum", check_extreme, MPI_MAX, 0, 0, 0},
        {"minimum", check_extreme, MPI_MIN, 0, 0, 0},
        {"maximum with its place", check_place, MPI_MAXLOC, 0, 0, 0},
        {"minimum with its place", check_place, MPI_MINLOC, 0, 0, 0},
    };
    const size_t num = sizeof(kinds) / sizeof(kinds[0]);

    for (int call = 0; call < calls; call++) {
        for (size_t k = 0; k < num; k++) {
            kinds[k].check(&kinds[k], call);
        }
    }
    for (size_t k = 0; k < num; k++) {
        mtree_expect(kinds[k].wrong == 0, "%d results of %s are wrong", kinds[k].wrong,
                     kinds[k].name);
        mtree_expect(kinds[k].changes == 0, "%s changes its bits in %d of %d calls",
                     kinds[k].name, kinds[k].changes, calls);
    }
}

int main(int argc, char **argv)
{
    int rank, calls;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    calls = argc > 1 ? atoi(argv[1]) : 100;
    make_datatype();
    fill(rank);
    check_all(calls);
    MPI_Op_free(&add);
    MPI_Type_free(&below);
    return mtree_expect_end("repeated");
}
