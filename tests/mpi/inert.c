/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Is mtree part of this job?  Calls of every collective that mtree may serve must be
 * right either way, and MPI_Comm_dup() must work.
 *
 *   inert absent    no rank has the component in memory
 *   inert present   every rank has
 *   inert either    ranks may differ
 */
#include "tests/mpi/calls.h"
#include "tests/mpi/expect.h"

#include <mpi.h>
#include <stdio.h>
#include <string.h>

static bool is_loaded(void)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[4096];
    bool found = false;

    while (maps != NULL && !found && fgets(line, sizeof(line), maps) != NULL) {
        found = strstr(line, "coll_mtree.so") != NULL;
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
    int status;

    MPI_Init(&argc, &argv);
    mtree_expect(strcmp(how, "either") == 0 ||
                     is_loaded() == (strcmp(how, "present") == 0),
                 "mtree is %s", is_loaded() ? "loaded" : "not loaded");
    mtree_calls_check(MPI_COMM_WORLD);
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    mtree_calls_check(copy);
    MPI_Comm_free(&copy);
    status = mtree_expect_finish("inert");
    MPI_Finalize();
    return status;
}
