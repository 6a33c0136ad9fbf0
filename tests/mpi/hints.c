/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Communicators with info keys: each argument KEY=VALUE, or RANK:KEY=VALUE for one rank,
 * goes into one info object, with which the world is duplicated; then calls are made on
 * the copy, on a copy that is told by MPI_Comm_set_info(), and on the world.
 */
#include "tests/mpi/calls.h"
#include "tests/mpi/expect.h"

#include <mpi.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static void fill(MPI_Info info, int argc, char **argv)
{
    int self;

    MPI_Comm_rank(MPI_COMM_WORLD, &self);
    for (int i = 1; i < argc; i++) {
        char *key = argv[i];
        int rank = isdigit((unsigned char)key[0]) ? (int)strtol(key, &key, 10) : self;
        char *equals = strchr(key, '=');

        if (equals != NULL && rank == self) {
            *equals = '\0';
            MPI_Info_set(info, key + (*key == ':'), equals + 1);
            *equals = '=';
        }
    }
}

int main(int argc, char **argv)
{
    MPI_Comm copy, told;
    MPI_Info info;
    int status;

    MPI_Init(&argc, &argv);
    MPI_Info_create(&info);
    fill(info, argc, argv);
    MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &copy);
    MPI_Comm_set_name(copy, "copy");
    MPI_Comm_dup(MPI_COMM_WORLD, &told);
    MPI_Comm_set_name(told, "told");
    MPI_Comm_set_info(told, info);
    MPI_Info_free(&info);
    mtree_calls_check(copy);
    mtree_calls_check(told);
    mtree_calls_check(MPI_COMM_WORLD);
    MPI_Comm_free(&copy);
    MPI_Comm_free(&told);
    status = mtree_expect_finish("hints");
    MPI_Finalize();
    return status;
}
