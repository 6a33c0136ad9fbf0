/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Control variables that a tool writes while the job runs: those that are documented to
 * hold from then on do, all others refuse to be written and keep their values.
 */
#include "tests/mpi/expect.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define KIB(n)   ((n)*1024 / (int)sizeof(int))
#define MOST     KIB(128)
#define BARRIERS 3

static const char prefix[] = "coll_mtree_";
static MPI_T_pvar_session session;
static int vector[MOST], sum[MOST];

/* As docs/report.md has them; all others are read once. */
static const struct {
    const char *name;
    int scope;
} writable[] = {
    {"barrier", MPI_T_SCOPE_ALL_EQ},    {"chunk", MPI_T_SCOPE_ALL_EQ},
    {"min_bytes", MPI_T_SCOPE_ALL_EQ},
    {"report_live", MPI_T_SCOPE_LOCAL}, {"verbose", MPI_T_SCOPE_LOCAL},
};

#define NUM_WRITABLE (int)(sizeof(writable) / sizeof(writable[0]))

static int cvar_write(int index, const void *value)
{
    MPI_T_cvar_handle handle;
    int count, rc;

    MPI_T_cvar_handle_alloc(index, NULL, &handle, &count);
    rc = MPI_T_cvar_write(handle, value);
    MPI_T_cvar_handle_free(&handle);
    return rc;
}

static void cvar_read(int index, void *value)
{
    MPI_T_cvar_handle handle;
    int count;

    MPI_T_cvar_handle_alloc(index, NULL, &handle, &count);
    MPI_T_cvar_read(handle, value);
    MPI_T_cvar_handle_free(&handle);
}

/* Write a number or a truth by the name behind "coll_mtree_". */
static void set(const char *name, const void *value)
{
    char whole[64];
    int index;

    snprintf(whole, sizeof(whole), "%s%s", prefix, name);
    mtree_expect(MPI_T_cvar_get_index(whole, &index) == MPI_SUCCESS &&
                     cvar_write(index, value) == MPI_SUCCESS,
                 "%s cannot be written", whole);
}

/* A variable that is read once: it refuses, and keeps what it has. */
static void check_refuses(const char *name, int index)
{
    char before[4096] = "", after[4096] = "", value[4096] = "1";
    int rc;

    cvar_read(index, before);
    rc = cvar_write(index, value);
    cvar_read(index, after);
    mtree_expect(rc == MPI_T_ERR_CVAR_SET_NEVER || rc == MPI_T_ERR_CVAR_SET_NOT_NOW,
                 "%s was written", name);
    mtree_expect(memcmp(before, after, sizeof(before)) == 0, "%s changed", name);
}

static void check_scopes(void)
{
    int num, known = 0, verbosity, binding, scope;
    MPI_Datatype type;
    MPI_T_enum kinds;

    MPI_T_cvar_get_num(&num);
    for (int index = 0; index < num; index++) {
        char name[256], text[4096];
        int name_length = sizeof(name), text_length = sizeof(text), w = 0;

        if (MPI_T_cvar_get_info(index, name, &name_length, &verbosity, &type, &kinds,
                                text, &text_length, &binding, &scope) != MPI_SUCCESS ||
            strncmp(name, prefix, strlen(prefix)) != 0) {
            continue;
        }
        while (w < NUM_WRITABLE && strcmp(writable[w].name, name + strlen(prefix)) != 0) {
            w++;
        }
        if (w < NUM_WRITABLE) {
            mtree_expect(scope == writable[w].scope, "%s has scope %d", name, scope);
            known++;
        } else {
            check_refuses(name, index);
        }
    }
    mtree_expect(known == NUM_WRITABLE, "%d of %d variables are there", known,
                 NUM_WRITABLE);
}

static void make_calls(int count, int calls)
{
    int rank, ranks;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int call = 0; call < calls; call++) {
        vector[count - 1] = rank + call;
        MPI_Allreduce(vector, sum, count, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        mtree_expect(sum[count - 1] == ranks * call + ranks * (ranks - 1) / 2,
                     "a sum is wrong");
    }
}

/* Calls of the test have a size each, by which late.test finds what is said of them. */
static void check_verbose(void)
{
    const int silent = 0, lines = 2;

    make_calls(KIB(32), 1);
    set("verbose", &lines);
    make_calls(KIB(16), 1);
    set("verbose", &silent);
    make_calls(KIB(128), 1);
}

/* How many of a few barriers mtree serves. */
static unsigned long long barriers_by_trees(void)
{
    unsigned long long calls = 0;
    MPI_T_pvar_handle handle;
    int index, count;

    if (MPI_T_pvar_get_index("coll_mtree_calls_trees", MPI_T_PVAR_CLASS_COUNTER,
                             &index) != MPI_SUCCESS) {
        mtree_expect(false, "calls are not counted");
        return 0;
    }
    MPI_T_pvar_handle_alloc(session, index, NULL, &handle, &count);
    for (int i = 0; i < BARRIERS; i++) {
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_T_pvar_read(session, handle, &calls);
    MPI_T_pvar_handle_free(session, &handle);
    return calls;
}

static void check_barrier(void)
{
    const size_t all = 0;
    const int off = 0, on = 1;

    set("min_bytes", &all); /* whatever is expected to be faster */
    set("barrier", &on);
    mtree_expect(barriers_by_trees() == BARRIERS, "not all barriers were served");
    set("barrier", &off);
    mtree_expect(barriers_by_trees() == 0, "barriers were served");
}

/* The report is written by the next call once the time has passed, and then no more. */
static void check_report_live(const char *path)
{
    const double at_once = 1e-9, never = 0;
    int rank;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    make_calls(KIB(16), 1);
    mtree_expect(access(path, F_OK) != 0, "a report before it was asked for");
    set("report_live", &at_once);
    make_calls(KIB(16), 1);
    if (rank == 0) {
        mtree_expect(access(path, F_OK) == 0, "no report while the job runs");
        unlink(path);
    }
    set("report_live", &never);
    make_calls(KIB(16), 1);
    mtree_expect(access(path, F_OK) != 0, "a report that nobody asked for");
}

int main(int argc, char **argv)
{
    int provided, status;

    MPI_Init(&argc, &argv);
    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    MPI_T_pvar_session_create(&session);
    check_scopes();
    check_verbose();
    check_barrier();
    check_report_live(argv[1]);
    MPI_T_pvar_session_free(&session);
    status = mtree_expect_finish("late");
    MPI_T_finalize();
    MPI_Finalize();
    return status;
}
