/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An ordinary MPI program that uses every collective of MPI-3.1, blocking and
 * nonblocking, on every kind of communicator, checks each result and finalizes.
 *
 *   every_collective [INTS]  so many a rank gives to calls that mtree does not serve
 *   every_collective idup    blocking ones while an MPI_Comm_idup of their communicator
 *                            is under way.  Not nonblocking ones: what Open MPI 4.1 does
 *                            inside an idup takes the tags of nonblocking collectives in
 *                            an order that differs between ranks, and fails with them.
 */
#include "tests/mpi/expect.h"
#include "tests/mpi/random_case.h"
#include "tests/mpi/unserved.h"

#include <stdlib.h>
#include <string.h>

#define SMALL 3
#define LARGE 30011 /* ints: 120 kB a rank, and no multiple of any chunk */

static void check_intra(MPI_Comm comm, const char *name, bool large)
{
    cases_run_all(comm, name, false, large);
    cases_run_all(comm, name, true, large);
}

static void check_reduce_local(void)
{
    int one = 1, sum = 2;

    MPI_Reduce_local(&one, &sum, 1, MPI_INT, MPI_SUM);
    mtree_expect(sum == 3, "reduce_local");
}

/* The communicator that @a create made is used and freed. */
static void check_and_free(MPI_Comm *comm, const char *name)
{
    if (*comm != MPI_COMM_NULL) {
        check_intra(*comm, name, false);
        MPI_Comm_free(comm);
    }
}

static void check_duplicates(void)
{
    MPI_Comm comm;
    MPI_Request request;
    MPI_Info info;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    check_and_free(&comm, "a dup");

    MPI_Comm_idup(MPI_COMM_WORLD, &comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    check_and_free(&comm, "an idup");

    MPI_Info_create(&info);
    MPI_Info_set(info, "some_key", "some value");
    MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &comm);
    MPI_Info_free(&info);
    check_and_free(&comm, "a dup with info");
}

static void check_parts(void)
{
    MPI_Group world, even;
    MPI_Comm comm;
    int range[3] = {0, num_ranks - 1, 2};

    MPI_Comm_split(MPI_COMM_WORLD, my_rank % 2, -my_rank, &comm);
    check_and_free(&comm, "a split, ranks reversed");
    MPI_Comm_split(MPI_COMM_WORLD, (my_rank == 0) ? MPI_UNDEFINED : 0, 0, &comm);
    check_and_free(&comm, "a split without rank 0");
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &comm);
    check_and_free(&comm, "the ranks of a host");

    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_range_incl(world, 1, &range, &even);
    MPI_Comm_create(MPI_COMM_WORLD, even, &comm);
    check_and_free(&comm, "the even ranks, by create");
    if (my_rank % 2 == 0) {
        MPI_Comm_create_group(MPI_COMM_WORLD, even, 7, &comm);
        check_and_free(&comm, "the even ranks, by create_group");
    }
    MPI_Group_free(&even);
    MPI_Group_free(&world);
}

static void check_between_groups(int large)
{
    bool is_low = my_rank < num_ranks / 2;
    MPI_Comm half = MPI_COMM_NULL;
    MPI_Comm inter, copy, merged;

    if (num_ranks < 2) {
        return;
    }
    MPI_Comm_split(MPI_COMM_WORLD, is_low, my_rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, is_low ? num_ranks / 2 : 0, 11, &inter);
    mtree_inter_check(inter, is_low, false, SMALL);
    mtree_inter_check(inter, !is_low, true, SMALL);
    mtree_inter_check(inter, !is_low, false, large);

    MPI_Comm_dup(inter, &copy);
    mtree_inter_check(copy, is_low, false, SMALL);
    MPI_Comm_free(&copy);

    MPI_Intercomm_merge(inter, is_low, &merged);
    check_and_free(&merged, "a merged intercommunicator");
    MPI_Comm_free(&inter);
    MPI_Comm_free(&half);
}

static void check_during_idup(void)
{
    MPI_Comm comm;
    MPI_Request request;

    /* Whatever is set up at the first call must not give the idup time to finish. */
    cases_run_all(MPI_COMM_WORLD, "the world", false, false);
    cases_run_all(MPI_COMM_WORLD, "the world", false, true);
    MPI_Comm_idup(MPI_COMM_WORLD, &comm, &request);
    cases_run_all(MPI_COMM_WORLD, "the world during idup", false, false);
    cases_run_all(MPI_COMM_WORLD, "the world during idup", false, true);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    cases_run_all(comm, "the idup", true, false);
    MPI_Comm_free(&comm);
}

int main(int argc, char **argv)
{
    int large = argc > 1 ? atoi(argv[1]) : LARGE;

    mtree_expect_begin(&argc, &argv);
    if (argc > 1 && strcmp(argv[1], "idup") == 0) {
        check_during_idup();
        return mtree_expect_end("during_idup");
    }
    check_intra(MPI_COMM_WORLD, "the world", false);
    check_intra(MPI_COMM_WORLD, "the world", true);
    check_intra(MPI_COMM_SELF, "self", true);
    check_reduce_local();
    check_duplicates();
    check_parts();
    check_between_groups(large);
    mtree_neighbours_check(MPI_COMM_WORLD, false, large);
    mtree_neighbours_check(MPI_COMM_WORLD, true, SMALL);

    return mtree_expect_end("every_collective");
}
