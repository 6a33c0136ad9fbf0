/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * FFTs of FFTW over MPI, there and back, in two and three dimensions, with the wisdom of
 * rank 0 for all.  Prints digests of the spectra, which do not depend on who served the
 * collectives, and how far the way back ends from the start.
 */
#include <mpi.h>

#include <fftw3-mpi.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double wave(ptrdiff_t i)
{
    return sin(0.37 * (double)i) + cos(0.11 * (double)(i * i % 1009));
}

static uint64_t digest(uint64_t hash, const void *bytes, size_t length)
{
    const unsigned char *byte = bytes;

    for (size_t i = 0; i < length; i++) {
        hash = (hash ^ byte[i]) * 1099511628211u;
    }
    return hash;
}

/* Collect the spectrum on all ranks, and print what rank 0 has. */
static void print_spectrum(const char *name, const fftw_complex *mine, ptrdiff_t count,
                           ptrdiff_t total, double error)
{
    int size, rank, bytes = (int)(count * (ptrdiff_t)sizeof(fftw_complex));
    int *counts, *displs;
    fftw_complex *all = malloc((size_t)total * sizeof(*all));
    double worst;

    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    counts = malloc((size_t)size * sizeof(int));
    displs = calloc((size_t)size, sizeof(int));
    MPI_Allgather(&bytes, 1, MPI_INT, counts, 1, MPI_INT, MPI_COMM_WORLD);
    for (int r = 1; r < size; r++) {
        displs[r] = displs[r - 1] + counts[r - 1];
    }
    MPI_Allgatherv(mine, bytes, MPI_BYTE, all, counts, displs, MPI_BYTE, MPI_COMM_WORLD);
    MPI_Reduce(&error, &worst, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        printf("%s: spectrum %016llx, there and back %.17g\n", name,
               (unsigned long long)digest(14695981039346656037u, all,
                                          (size_t)total * sizeof(*all)),
               worst);
    }
    free(counts);
    free(displs);
    free(all);
}

static void transform(const char *name, int dimensions, const ptrdiff_t *n)
{
    ptrdiff_t rows, first, total = 1, row = 1;
    ptrdiff_t room = fftw_mpi_local_size(dimensions, n, MPI_COMM_WORLD, &rows, &first);
    fftw_complex *data = fftw_alloc_complex((size_t)room);
    fftw_complex *spectrum = fftw_alloc_complex((size_t)room);
    fftw_plan there = fftw_mpi_plan_dft(dimensions, n, data, spectrum, MPI_COMM_WORLD,
                                        FFTW_FORWARD, FFTW_ESTIMATE);
    fftw_plan back = fftw_mpi_plan_dft(dimensions, n, spectrum, data, MPI_COMM_WORLD,
                                       FFTW_BACKWARD, FFTW_ESTIMATE);
    double error = 0;

    for (int d = 0; d < dimensions; d++) {
        total *= n[d];
        row *= d > 0 ? n[d] : 1;
    }
    for (ptrdiff_t i = 0; i < rows * row; i++) {
        data[i][0] = wave(first * row + i);
        data[i][1] = 0;
    }
    fftw_execute(there);
    fftw_complex *copy = malloc((size_t)(rows * row + 1) * sizeof(*copy));
    memcpy(copy, spectrum, (size_t)(rows * row) * sizeof(*copy));
    fftw_execute(back);
    for (ptrdiff_t i = 0; i < rows * row; i++) {
        error = fmax(error, fabs(data[i][0] / (double)total - wave(first * row + i)));
    }
    print_spectrum(name, copy, rows * row, total, error);
    free(copy);
    fftw_destroy_plan(there);
    fftw_destroy_plan(back);
    fftw_free(data);
    fftw_free(spectrum);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    fftw_mpi_init();
    fftw_mpi_broadcast_wisdom(MPI_COMM_WORLD);
    transform("256 x 192", 2, (const ptrdiff_t[]){256, 192});
    transform("40 x 36 x 48", 3, (const ptrdiff_t[]){40, 36, 48});
    fftw_mpi_cleanup();
    MPI_Finalize();
    return 0;
}
