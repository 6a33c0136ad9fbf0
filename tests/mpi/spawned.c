/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Processes that are started by others, and that meet at a port: their intercommunicators
 * and what these are merged to.
 */
#include "tests/mpi/expect.h"
#include "tests/mpi/random_case.h"
#include "tests/mpi/served.h"
#include "tests/mpi/unserved.h"

#define CHILDREN 2
#define SMALL    3
#define LARGE    10007

/* The collectives of both groups and of one communicator of all; some of these are
 * mtree's. */
static void check_together(MPI_Comm inter, bool high)
{
    long before;
    MPI_Comm all;

    mtree_inter_check(inter, !high, false, SMALL);
    mtree_inter_check(inter, high, true, LARGE);
    MPI_Intercomm_merge(inter, high, &all);
    before = served_calls();
    cases_run_all(all, "a merged intercommunicator", false, true);
    cases_run_all(all, "a merged intercommunicator", true, false);
    mtree_expect(before < 0 || served_calls() > before,
                 "mtree served nothing on a merged intercommunicator");
    MPI_Comm_free(&all);
}

static int be_a_child(MPI_Comm parent)
{
    int status;

    check_together(parent, true);
    cases_run_all(MPI_COMM_WORLD, "the children's world", false, true);
    status = mtree_expect_finish("spawned: children");
    MPI_Comm_disconnect(&parent);
    return status;
}

static int spawn(char *program)
{
    int codes[CHILDREN];
    MPI_Comm inter;

    MPI_Comm_spawn(program, MPI_ARGV_NULL, CHILDREN, MPI_INFO_NULL, 0, MPI_COMM_WORLD,
                   &inter, codes);
    for (int i = 0; i < CHILDREN; i++) {
        mtree_expect(codes[i] == MPI_SUCCESS, "child %d did not start", i);
    }
    check_together(inter, false);
    cases_run_all(MPI_COMM_WORLD, "the parents' world", true, true);
    MPI_Comm_disconnect(&inter);
    return mtree_expect_finish("spawned: parents");
}

/* The halves of the world meet at a port. */
static void meet(void)
{
    char port[MPI_MAX_PORT_NAME];
    MPI_Comm half, inter;
    const bool high = my_rank >= num_ranks / 2;

    if (my_rank == 0) {
        MPI_Open_port(MPI_INFO_NULL, port);
    }
    MPI_Bcast(port, MPI_MAX_PORT_NAME, MPI_CHAR, 0, MPI_COMM_WORLD);
    MPI_Comm_split(MPI_COMM_WORLD, high, my_rank, &half);
    if (high) {
        MPI_Comm_connect(port, MPI_INFO_NULL, 0, half, &inter);
    } else {
        MPI_Comm_accept(port, MPI_INFO_NULL, 0, half, &inter);
    }
    check_together(inter, high);
    MPI_Comm_disconnect(&inter);
    MPI_Comm_free(&half);
    if (my_rank == 0) {
        MPI_Close_port(port);
    }
}

int main(int argc, char **argv)
{
    MPI_Comm parent;
    int status;

    mtree_expect_begin(&argc, &argv);
    served_open("calls_trees", MPI_T_PVAR_CLASS_COUNTER);
    MPI_Comm_get_parent(&parent);
    if (parent != MPI_COMM_NULL) {
        status = be_a_child(parent);
    } else {
        meet();
        status = spawn(argv[0]);
    }
    served_close();
    MPI_Finalize();
    return status;
}
