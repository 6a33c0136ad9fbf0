/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What each rank of `mtree probe` becomes: a collective, in which the component probes.
 * With arguments, MTREE topology FILE [OPTION], it then shows the file that this has
 * left.
 */
#include <mpi.h>

#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    if (argc < 4) {
        return 0;
    }
    if (access(argv[3], R_OK) != 0) {
        fputs("mtree: probe: no topology was found; the lines above say why\n", stderr);
        return 1;
    }
    execv(argv[1], argv + 1);
    perror("mtree: probe: mtree topology cannot be started");
    return 1;
}
