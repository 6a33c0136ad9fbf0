/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a tool sees through MPI_T: performance variables that count the calls, control
 * variables that late writes change, and those that cannot be written.
 */
#include "tests/mpi/expect.h"

#include <mpi.h>
#include <stdbool.h>

#define COUNT 30000 /* ints a call */
#define CALLS 5

static MPI_T_pvar_session session;

/* A handle of the performance variable, which sums count from; expects it to be there. */
static bool pvar_open(const char *name, int var_class, MPI_T_pvar_handle *handle)
{
    int index, count;

    if (MPI_T_pvar_get_index(name, var_class, &index) != MPI_SUCCESS) {
        mtree_expect(false, "there is no performance variable %s", name);
        return false;
    }
    MPI_T_pvar_handle_alloc(session, index, NULL, handle, &count);
    mtree_expect(count == 1, "%s has %d values", name, count);
    return true;
}

static unsigned long long pvar_close(const char *name, MPI_T_pvar_handle *handle)
{
    unsigned long long value = 0;

    mtree_expect(MPI_T_pvar_read(session, *handle, &value) == MPI_SUCCESS,
                 "%s cannot be read", name);
    MPI_T_pvar_handle_free(session, handle);
    return value;
}

static int cvar_write(const char *name, const void *value)
{
    MPI_T_cvar_handle handle;
    int index, count, rc;

    if (MPI_T_cvar_get_index(name, &index) != MPI_SUCCESS) {
        mtree_expect(false, "there is no control variable %s", name);
        return MPI_SUCCESS;
    }
    MPI_T_cvar_handle_alloc(index, NULL, &handle, &count);
    rc = MPI_T_cvar_write(handle, value);
    MPI_T_cvar_handle_free(&handle);
    return rc;
}

/* Sum CALLS vectors, right ones. */
static void make_calls(void)
{
    static int vector[COUNT], sum[COUNT];
    int rank, ranks;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int call = 0; call < CALLS; call++) {
        for (int i = 0; i < COUNT; i++) {
            vector[i] = rank + i;
        }
        MPI_Allreduce(vector, sum, COUNT, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        mtree_expect(sum[COUNT - 1] == ranks * (COUNT - 1) + ranks * (ranks - 1) / 2,
                     "a sum is wrong");
    }
}

/* How much a variable grows by CALLS calls; of what is no sum, its value after them. */
static unsigned long long growth(const char *name, int var_class)
{
    MPI_T_pvar_handle handle;

    if (!pvar_open(name, var_class, &handle)) {
        return 0;
    }
    make_calls();
    return pvar_close(name, &handle);
}

/* The @a wanted values of a variable of MPI_COMM_WORLD, of 8 bytes each. */
static void array_read(const char *name, int var_class, int wanted, void *values)
{
    MPI_Comm comm = MPI_COMM_WORLD;
    MPI_T_pvar_handle handle;
    int index, count;

    if (MPI_T_pvar_get_index(name, var_class, &index) != MPI_SUCCESS) {
        mtree_expect(false, "there is no performance variable %s", name);
        return;
    }
    MPI_T_pvar_handle_alloc(session, index, &comm, &handle, &count);
    mtree_expect(count == wanted, "%s has %d values", name, count);
    if (count == wanted) {
        /* Sums count from here on. */
        make_calls();
        MPI_T_pvar_read(session, handle, values);
    }
    MPI_T_pvar_handle_free(session, &handle);
}

/* What this rank sent to the others is what it counted as sent at all; trees have rates,
 * one after the other. */
static void check_arrays(void)
{
    unsigned long long bytes[16], all;
    double rates[64], links[16];
    unsigned long long sum = 0;
    int ranks, trees = 0;

    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    array_read("coll_mtree_link_bytes", MPI_T_PVAR_CLASS_AGGREGATE, ranks, bytes);
    all = growth("coll_mtree_chunk_bytes", MPI_T_PVAR_CLASS_AGGREGATE);
    for (int rank = 0; rank < ranks; rank++) {
        sum += bytes[rank];
    }
    mtree_expect(sum == all, "%llu bytes to the others, %llu sent", sum, all);
    array_read("coll_mtree_link_goodput", MPI_T_PVAR_CLASS_LEVEL, ranks, links);
    for (int rank = 0; rank < ranks; rank++) {
        mtree_expect(links[rank] >= 0 && (links[rank] == 0 || bytes[rank] > 0),
                     "%g bits/s to rank %d", links[rank], rank);
    }
    array_read("coll_mtree_tree_goodput", MPI_T_PVAR_CLASS_LEVEL, 64, rates);
    while (trees < 64 && rates[trees] > 0) {
        trees++;
    }
    mtree_expect(trees > 0, "no tree has a rate");
    for (int t = trees; t < 64; t++) {
        mtree_expect(rates[t] == 0, "tree %d has a rate, %d has none", t, trees);
    }
}

static void check_counters(void)
{
    unsigned long long chunks;

    mtree_expect(growth("coll_mtree_plans", MPI_T_PVAR_CLASS_COUNTER) == 1,
                 "the first calls did not make one plan");
    mtree_expect(growth("coll_mtree_calls_trees", MPI_T_PVAR_CLASS_COUNTER) == CALLS,
                 "not all calls are counted");
    mtree_expect(growth("coll_mtree_bytes_trees", MPI_T_PVAR_CLASS_AGGREGATE) ==
                     CALLS * COUNT * sizeof(int),
                 "not all bytes are counted");
    mtree_expect(growth("coll_mtree_calls_fallback", MPI_T_PVAR_CLASS_COUNTER) == 0,
                 "calls fell back");
    chunks = growth("coll_mtree_chunks", MPI_T_PVAR_CLASS_COUNTER);
    mtree_expect(chunks >= CALLS, "%llu chunks", chunks);
    mtree_expect(growth("coll_mtree_chunk_bytes", MPI_T_PVAR_CLASS_AGGREGATE) >=
                     CALLS * COUNT * sizeof(int),
                 "less is sent than a leaf has");
    mtree_expect(growth("coll_mtree_scratch", MPI_T_PVAR_CLASS_LEVEL) == 0,
                 "slots in use where no call is");
    mtree_expect(growth("coll_mtree_probe_bytes", MPI_T_PVAR_CLASS_AGGREGATE) == 0,
                 "the network was probed");
}

static void check_writes(void)
{
    unsigned long long few, many;
    size_t chunk = COUNT * sizeof(int), least = 1 << 30;
    int trees = 3;

    many = growth("coll_mtree_chunks", MPI_T_PVAR_CLASS_COUNTER);
    mtree_expect(cvar_write("coll_mtree_chunk", &chunk) == MPI_SUCCESS,
                 "the size of chunks cannot be written");
    few = growth("coll_mtree_chunks", MPI_T_PVAR_CLASS_COUNTER);
    mtree_expect(few < many, "%llu chunks of all bytes, %llu before", few, many);
    mtree_expect(cvar_write("coll_mtree_trees", &trees) == MPI_T_ERR_CVAR_SET_NOT_NOW ||
                     cvar_write("coll_mtree_trees", &trees) == MPI_T_ERR_CVAR_SET_NEVER,
                 "the number of trees was written");
    mtree_expect(cvar_write("coll_mtree_min_bytes", &least) == MPI_SUCCESS,
                 "the smallest message cannot be written");
    mtree_expect(growth("coll_mtree_fallbacks_call", MPI_T_PVAR_CLASS_COUNTER) == CALLS,
                 "messages that are too small were served");
}

int main(int argc, char **argv)
{
    int provided, status;

    MPI_Init(&argc, &argv);
    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    MPI_T_pvar_session_create(&session);
    check_counters();
    check_arrays();
    check_writes();
    MPI_T_pvar_session_free(&session);
    status = mtree_expect_finish("tool");
    MPI_T_finalize();
    MPI_Finalize();
    return status;
}
