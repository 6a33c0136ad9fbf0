/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Collectives on buffers in the memory of a device (tests/mpi/device.h), in all forms:
 * results are right, and the processor does not touch that memory.
 */
#include "tests/mpi/device.h"
#include "tests/mpi/expect.h"
#include "tests/mpi/forms.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Integers per rank. */
#define COUNT 5000

static int rank, ranks;

/* Two vectors of so many integers on the device, and where the processor finds them. */
static int *const on_device[2] = {(int *)MTREE_DEVICE_BEGIN,
                                  (int *)(MTREE_DEVICE_BEGIN + MTREE_DEVICE_BYTES / 2)};

static int *reach(const int *address)
{
    return (int *)((uintptr_t)address + MTREE_DEVICE_BYTES);
}

static void map_device(void)
{
    FILE *file = tmpfile();
    void *first, *second;

    if (file == NULL || ftruncate(fileno(file), (off_t)MTREE_DEVICE_BYTES) != 0) {
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    first = mmap((void *)MTREE_DEVICE_BEGIN, MTREE_DEVICE_BYTES, PROT_NONE,
                 MAP_SHARED | MAP_FIXED, fileno(file), 0);
    second = mmap(reach(on_device[0]), MTREE_DEVICE_BYTES, PROT_READ | PROT_WRITE,
                  MAP_SHARED | MAP_FIXED, fileno(file), 0);
    if (first == MAP_FAILED || second == MAP_FAILED) {
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

/* What rank @a from contributes at @a i. */
static int value_of(int from, int i)
{
    return from * 1000 + i % 997;
}

/* Fill @a count integers from @a to on with this rank's, whose first is number @a first.
 */
static void fill(int *to, int first, int count)
{
    for (int i = 0; i < count; i++) {
        reach(to)[i] = value_of(rank, first + i);
    }
}

/* The sum of all ranks' at @a i. */
static int sum_of(int i)
{
    int sum = 0;

    for (int from = 0; from < ranks; from++) {
        sum += value_of(from, i);
    }
    return sum;
}

/* A request that its form returned is started, where that is needed, and waited for.
 * Persistent ones make their call twice, from the buffers that @a fill_again fills. */
static void finish(mtree_form_t form, MPI_Request *request)
{
    if (form == MTREE_PERSISTENT_FORM) {
        MPI_Start(request);
    }
    if (form != MTREE_BLOCKING_FORM) {
        MPI_Wait(request, MPI_STATUS_IGNORE);
    }
    if (form == MTREE_PERSISTENT_FORM) {
        MPI_Request_free(request);
    }
}

/* Are the @a count integers from @a at on what @a expected says, the first for @a first?
 */
static void check(const char *what, mtree_form_t form, const int *at, int first,
                  int count, int (*expected)(int i))
{
    int i = 0;

    while (i < count && reach(at)[i] == expected(first + i)) {
        i++;
    }
    mtree_expect(i == count, "%s, form %d: element %d is %d", what, (int)form, i,
                 reach(at)[i < count ? i : 0]);
}

static int of_root(int i)
{
    return value_of(ranks - 1, i);
}

/* Of blocks of COUNT integers, one per rank. */
static int of_block(int i)
{
    return value_of(i / COUNT, i % COUNT);
}

static void check_reductions(mtree_form_t form, bool in_place)
{
    int *in = on_device[0], *out = on_device[1], rc;
    const void *from = in_place ? MPI_IN_PLACE : (const void *)in;
    MPI_Request request;

    fill(in_place ? out : in, 0, COUNT);
    MTREE_CALL_FORM(rc, form, &request, Allreduce, allreduce, from, out, COUNT, MPI_INT,
                    MPI_SUM, MPI_COMM_WORLD);
    finish(form, &request);
    check("allreduce", form, out, 0, rc == MPI_SUCCESS ? COUNT : 0, sum_of);

    fill(in_place && rank == 0 ? out : in, 0, COUNT);
    MTREE_CALL_FORM(rc, form, &request, Reduce, reduce, rank == 0 ? from : in,
                    rank == 0 ? out : NULL, COUNT, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    finish(form, &request);
    check("reduce", form, out, 0, rank == 0 ? COUNT : 0, sum_of);

    fill(in_place ? out : in, 0, COUNT * ranks);
    MTREE_CALL_FORM(rc, form, &request, Reduce_scatter_block, reduce_scatter_block, from,
                    out, COUNT, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    finish(form, &request);
    check("reduce_scatter_block", form, out, rank * COUNT, COUNT, sum_of);
}

static void check_reduce_scatter(mtree_form_t form)
{
    int *counts = malloc((size_t)ranks * sizeof(*counts)), first = 0, rc;
    MPI_Request request;

    for (int r = 0; r < ranks; r++) {
        counts[r] = r * 100;
        first += r < rank ? counts[r] : 0;
    }
    fill(on_device[0], 0, COUNT * ranks);
    MTREE_CALL_FORM(rc, form, &request, Reduce_scatter, reduce_scatter, on_device[0],
                    on_device[1], counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    finish(form, &request);
    check("reduce_scatter", form, on_device[1], first,
          rc == MPI_SUCCESS ? counts[rank] : 0, sum_of);
    free(counts);
}

static void check_bcast(mtree_form_t form, MPI_Datatype type, int stride)
{
    int *buffer = on_device[0], root = ranks - 1, rc;
    MPI_Request request;

    memset(reach(buffer), 0, COUNT * sizeof(int));
    for (int i = 0; rank == root && i < COUNT; i++) {
        reach(buffer)[i] = value_of(rank, i);
    }
    MTREE_CALL_FORM(rc, form, &request, Bcast, bcast, buffer, COUNT / stride, type, root,
                    MPI_COMM_WORLD);
    finish(form, &request);
    for (int i = 0; rc == MPI_SUCCESS && i < COUNT; i += stride) {
        check("bcast", form, buffer + i, i, 1, of_root);
    }
    mtree_expect(stride == 1 ||
                     reach(buffer)[1] == (rank == root ? value_of(root, 1) : 0),
                 "bcast, form %d: wrote to a gap", (int)form);
}

static void check_gathers(mtree_form_t form, bool in_place)
{
    int *in = on_device[0], *out = on_device[1], rc;
    int *counts = malloc((size_t)ranks * 2 * sizeof(*counts)), *displs = counts + ranks;
    const void *from = in_place ? MPI_IN_PLACE : (const void *)in;
    MPI_Request request;

    fill(in_place ? out + rank * COUNT : in, 0, COUNT);
    MTREE_CALL_FORM(rc, form, &request, Allgather, allgather, from, COUNT, MPI_INT, out,
                    COUNT, MPI_INT, MPI_COMM_WORLD);
    finish(form, &request);
    check("allgather", form, out, 0, rc == MPI_SUCCESS ? COUNT * ranks : 0, of_block);

    /* The blocks lie the other way round. */
    for (int r = 0; r < ranks; r++) {
        counts[r] = COUNT - r;
        displs[r] = (ranks - 1 - r) * COUNT;
    }
    fill(in_place ? out + displs[rank] : in, 0, COUNT);
    MTREE_CALL_FORM(rc, form, &request, Allgatherv, allgatherv, from, counts[rank],
                    MPI_INT, out, counts, displs, MPI_INT, MPI_COMM_WORLD);
    finish(form, &request);
    for (int r = 0; rc == MPI_SUCCESS && r < ranks; r++) {
        check("allgatherv", form, out + displs[r], r * COUNT, counts[r], of_block);
    }
    free(counts);
}

int main(int argc, char **argv)
{
    MPI_Datatype every_other;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    map_device();
    MPI_Type_create_resized(MPI_INT, 0, 2 * sizeof(int), &every_other);
    MPI_Type_commit(&every_other);
    for (int f = 0; f < MTREE_FORMS; f++) {
        mtree_form_t form = (mtree_form_t)f;

        check_reductions(form, false);
        check_reductions(form, true);
        check_reduce_scatter(form);
        check_bcast(form, MPI_INT, 1);
        check_bcast(form, every_other, 2);
        check_gathers(form, false);
        check_gathers(form, true);
    }
    MPI_Type_free(&every_other);
    return mtree_expect_end("device");
}
