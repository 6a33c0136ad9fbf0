/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reductions whose results depend on the order of the operands, again and again with the
 * same input: sums of floating-point numbers, extremes among them with NaN and zeros of
 * both signs, and an operation of the user's on a datatype that begins below its address.
 *
 *   repeated CALLS   so many of each have the same bits
 */
#include "tests/mpi/expect.h"

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

/* A kind of call, and what it gave. */
typedef struct {
    const char *name;
    const void *in;
    void *out;
    MPI_Datatype type;
    MPI_Op op;
    size_t step; /* of a sum, from one number of the result to the next; 0: it is none */
    enum { BLOCKING, NONBLOCKING, ROOTED } form;
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
    if ((i + (size_t)rank) % (size_t)num_ranks == 1) {
        return i % 2 == 0 ? NAN : -1;
    }
    return i % 4 == 0 ? rank : (i + (size_t)rank) % 2 == 0 ? 0.0 : -0.0;
}

static uint64_t hash_of(const kind_t *kind)
{
    static unsigned char packed[2 * COUNT * sizeof(double)];
    uint64_t hash = 14695981039346656037u;
    int bytes = 0;

    MPI_Pack(kind->out, COUNT, kind->type, packed, sizeof(packed), &bytes, MPI_COMM_SELF);
    for (int i = 0; i < bytes; i++) {
        hash = (hash ^ packed[i]) * 1099511628211u;
    }
    return hash;
}

/* Is the result of a sum near it?  What it is with NaN is nowhere said. */
static bool is_near(const kind_t *kind)
{
    for (size_t i = 0; kind->step > 0 && i < kind->step * COUNT; i += kind->step) {
        double sum = 0;

        for (int of = 0; of < num_ranks; of++) {
            sum += value_of(of, i);
        }
        if (!(fabs(output[i] - sum) < 1e-9)) {
            return false;
        }
    }
    return true;
}

static void check(kind_t *kind, int call)
{
    MPI_Request request = MPI_REQUEST_NULL;
    uint64_t hash;

    memset(output, 0, sizeof(output));
    if (kind->form == NONBLOCKING) {
        MPI_Iallreduce(kind->in, kind->out, COUNT, kind->type, kind->op, MPI_COMM_WORLD,
                       &request);
    } else if (kind->form == ROOTED) {
        MPI_Reduce(kind->in, kind->out, COUNT, kind->type, kind->op, 0, MPI_COMM_WORLD);
    } else {
        MPI_Allreduce(kind->in, kind->out, COUNT, kind->type, kind->op, MPI_COMM_WORLD);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (kind->form != ROOTED || my_rank == 0) {
        hash = hash_of(kind);
        kind->wrong += !is_near(kind);
        kind->changes += call > 0 && hash != kind->last;
        kind->last = hash;
    }
}

static void fill(void)
{
    for (size_t i = 0; i < sizeof(input) / sizeof(input[0]); i++) {
        input[i] = value_of(my_rank, i);
    }
    for (size_t i = 0; i < COUNT; i++) {
        odd[i] = places[i].value = odd_value_of(my_rank, i);
        places[i].place = my_rank;
    }
}

static void check_all(int calls)
{
    kind_t kinds[] = {
        {"allreduce", input, output, MPI_DOUBLE, MPI_SUM, 1, .form = BLOCKING},
        {"iallreduce", input, output, MPI_DOUBLE, MPI_SUM, 1, .form = NONBLOCKING},
        {"reduce", input, output, MPI_DOUBLE, MPI_SUM, 1, .form = ROOTED},
        {"allreduce of a derived datatype", input + 1, output + 1, below, add, STRIDE,
         .form = BLOCKING},
        {"maximum", odd, output, MPI_DOUBLE, MPI_MAX, 0, .form = BLOCKING},
        {"minimum", odd, output, MPI_DOUBLE, MPI_MIN, 0, .form = BLOCKING},
        {"maximum with its place", places, extremes, MPI_DOUBLE_INT, MPI_MAXLOC, 0,
         .form = BLOCKING},
        {"minimum with its place", places, extremes, MPI_DOUBLE_INT, MPI_MINLOC, 0,
         .form = BLOCKING},
    };
    const size_t num = sizeof(kinds) / sizeof(kinds[0]);

    for (int call = 0; call < calls; call++) {
        for (size_t k = 0; k < num; k++) {
            check(&kinds[k], call);
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
    int calls;

    mtree_expect_begin(&argc, &argv);
    calls = argc > 1 ? atoi(argv[1]) : 100;
    make_datatype();
    fill();
    check_all(calls);
    MPI_Op_free(&add);
    MPI_Type_free(&below);
    return mtree_expect_end("repeated");
}
