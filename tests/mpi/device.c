/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Collectives on buffers in the memory of a device (tests/mpi/device.h), in all forms:
 * results are right, and the processor does not touch that memory.
 */
#include "tests/mpi/device.h"
#include "tests/mpi/expect.h"
#include "tests/mpi/random_case.h"

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

/* The device's memory, and behind it, where the processor may touch it. */
static void map_device(void)
{
    FILE *file = tmpfile();
    void *const first = (void *)MTREE_DEVICE_BEGIN;
    void *const second = (void *)(MTREE_DEVICE_BEGIN + MTREE_DEVICE_BYTES);

    if (file == NULL || ftruncate(fileno(file), (off_t)MTREE_DEVICE_BYTES) != 0 ||
        mmap(first, MTREE_DEVICE_BYTES, PROT_NONE, MAP_SHARED | MAP_FIXED, fileno(file),
             0) == MAP_FAILED ||
        mmap(second, MTREE_DEVICE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
             fileno(file), 0) == MAP_FAILED) {
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

/* What a call sends and what it receives have a half each. */
static void *get_half(size_t bytes)
{
    static size_t half;

    if (bytes > MTREE_DEVICE_BYTES / 2) {
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    half = MTREE_DEVICE_BYTES / 2 - half;
    return (char *)MTREE_DEVICE_BEGIN + MTREE_DEVICE_BYTES + half;
}

/* Blocks of 5000 ints, or of other sizes each, one after the other and with gaps. */
static void check(collective_t collective, mtree_form_t form, int root)
{
    for (int i = 0; i < 8; i++) {
        const bool folds = collective_is(collective, IS_FOLD);
        const choice_t choice = {.layout = i / 4 == 1 && !folds ? ITEM_COMB : 0,
                                 .block = i / 2 % 2 == 0 ? 5000 : -1,
                                 .root = root,
                                 .in_place = i % 2 == 1};

        run.choice = &choice;
        case_run(collective, form, MPI_COMM_WORLD);
    }
}

int main(int argc, char **argv)
{
    cases_begin(&argc, &argv);
    map_device();
    areas_on_device(get_half, MTREE_DEVICE_BYTES);
    for (int c = 0; c <= REDUCE_SCATTER_BLOCK; c++) {
        for (int form = 0; form < MTREE_FORMS; form++) {
            check((collective_t)c, (mtree_form_t)form, c == REDUCE ? 0 : num_ranks - 1);
        }
    }
    return cases_end("device");
}
