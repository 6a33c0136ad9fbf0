/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Is mtree part of this job?  Calls of every collective that mtree may serve must be
 * right either way, and MPI_Comm_dup() must work.
 *
 *   inert absent    no rank has the component in memory
 *   inert present   every rank has
 *   inert planned   every rank has, and rank 0 alone, which plans, has GLPK
 *   inert either    ranks may differ
 */
#include "tests/mpi/calls.h"
#include "tests/mpi/expect.h"

#include <mpi.h>
#include <stdio.h>
#include <string.h>

static bool is_loaded(const char *library)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[4096];
    bool found = false;

    while (maps != NULL && !found && fgets(line, sizeof(line), maps) != NULL) {
        found = strstr(line, library) != NULL;
    }
    if (maps != NULL) {
        fclose(maps);
    }
    return found;
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "either";
    MPI_Comm copy;
    bool is_there;
    int rank;

    MPI_Init(&argc, &argv);
    is_there = is_loaded("coll_mtree.so");
    mtree_expect(strcmp(how, "either") == 0 || is_there == (strcmp(how, "absent") != 0),
                 "mtree is %s", is_there ? "loaded" : "not loaded");
    mtree_calls_check(MPI_COMM_WORLD);
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    mtree_calls_check(copy);
    MPI_Comm_free(&copy);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    mtree_expect(strcmp(how, "planned") != 0 || is_loaded("libglpk") == (rank == 0),
                 "GLPK is %s on rank %d", rank == 0 ? "not loaded" : "loaded", rank);
    return mtree_expect_end("inert");
}
