/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a tool sees through MPI_T: performance variables that count the calls, control
 * variables that a tool writes while the job runs.  Those that are documented to hold
 * from then on do, all others refuse to be written and keep their values.
 *
 *   tool         what is counted, and that chunks and the smallest message change
 *   tool REPORT  all control variables; REPORT is where the report is written
 */
#include "tests/mpi/expect.h"
#include "tests/mpi/random_case.h"
#include "tests/mpi/served.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define KIB(n)   ((n)*1024 / (int)sizeof(int))
#define COUNT    KIB(128) /* ints of the longest call */
#define CALLS    5
#define BARRIERS 3

static const char prefix[] = "coll_mtree_";
/* As docs/report.md has them; all others are read once. */
static const struct {
    const char *name;
    int scope;
} writable[] = {
    {"barrier", MPI_T_SCOPE_ALL_EQ},   {"chunk", MPI_T_SCOPE_ALL_EQ},
    {"min_bytes", MPI_T_SCOPE_ALL_EQ}, {"report_live", MPI_T_SCOPE_LOCAL},
    {"verbose", MPI_T_SCOPE_LOCAL},
};

#define NUM_WRITABLE (int)(sizeof(writable) / sizeof(writable[0]))

/* Right sums of @a count ints. */
static void make_calls(int count, int calls)
{
    const choice_t choice = {.block = count};

    run.choice = &choice;
    for (int call = 0; call < calls; call++) {
        case_run(ALLREDUCE, MTREE_BLOCKING_FORM, MPI_COMM_WORLD);
    }
}

static void make_sums(void)
{
    make_calls(COUNT, CALLS);
}

static void make_barriers(void)
{
    for (int i = 0; i < BARRIERS; i++) {
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

/* The value of performance variable coll_mtree_@a name after @a calls; of a sum, what it
 * has grown by them. */
static long growth(const char *name, int var_class, void (*calls)(void))
{
    long value;

    served_open(name, var_class);
    calls();
    value = served_calls();
    mtree_expect(value >= 0, "there is no performance variable %s", name);
    served_close();
    return value;
}

/* What each counts of the first calls, CALLS for each variable. */
static void check_counters(void)
{
    static const long all = CALLS * COUNT * sizeof(int), any = LONG_MAX;
    const struct {
        const char *name;
        int var_class;
        long least, most;
    } counters[] = {
        {"plans", MPI_T_PVAR_CLASS_COUNTER, 1, 1},
        {"calls_trees", MPI_T_PVAR_CLASS_COUNTER, CALLS, CALLS},
        {"bytes_trees", MPI_T_PVAR_CLASS_AGGREGATE, all, all},
        {"calls_fallback", MPI_T_PVAR_CLASS_COUNTER, 0, 0},
        {"chunks", MPI_T_PVAR_CLASS_COUNTER, CALLS, any},
        /* No less than a leaf has. */
        {"chunk_bytes", MPI_T_PVAR_CLASS_AGGREGATE, all, any},
        /* No slots are in use where no call is. */
        {"scratch", MPI_T_PVAR_CLASS_LEVEL, 0, 0},
        {"probe_bytes", MPI_T_PVAR_CLASS_AGGREGATE, 0, 0},
    };

    for (size_t i = 0; i < sizeof(counters) / sizeof(counters[0]); i++) {
        long found = growth(counters[i].name, counters[i].var_class, make_sums);

        mtree_expect(found >= counters[i].least && found <= counters[i].most, "%s is %ld",
                     counters[i].name, found);
    }
}

/* Write, if it is given, and read a control variable. */
static int cvar_access(int index, const void *value, void *read)
{
    MPI_T_cvar_handle handle;
    int count, rc = MPI_SUCCESS;

    MPI_T_cvar_handle_alloc(index, NULL, &handle, &count);
    if (value != NULL) {
        rc = MPI_T_cvar_write(handle, value);
    }
    if (read != NULL) {
        MPI_T_cvar_read(handle, read);
    }
    MPI_T_cvar_handle_free(&handle);
    return rc;
}

/* Write a number or a truth by the name behind "coll_mtree_". */
static void set(const char *name, const void *value)
{
    char whole[64];
    int index;

    snprintf(whole, sizeof(whole), "%s%s", prefix, name);
    mtree_expect(MPI_T_cvar_get_index(whole, &index) == MPI_SUCCESS &&
                     cvar_access(index, value, NULL) == MPI_SUCCESS,
                 "%s cannot be written", whole);
}

static void check_writes(void)
{
    long few, many;
    size_t chunk = COUNT * sizeof(int), least = 1 << 30;

    many = growth("chunks", MPI_T_PVAR_CLASS_COUNTER, make_sums);
    set("chunk", &chunk);
    few = growth("chunks", MPI_T_PVAR_CLASS_COUNTER, make_sums);
    mtree_expect(few < many, "%ld chunks of all bytes, %ld before", few, many);
    set("min_bytes", &least);
    mtree_expect(growth("fallbacks_call", MPI_T_PVAR_CLASS_COUNTER, make_sums) == CALLS,
                 "messages that are too small were served");
}

/* A variable that is read once: it refuses, and keeps what it has. */
static void check_refuses(const char *name, int index)
{
    char before[4096] = "", after[4096] = "", value[4096] = "1";
    int rc;

    cvar_access(index, NULL, before);
    rc = cvar_access(index, value, after);
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
static long barriers_by_trees(void)
{
    return growth("calls_trees", MPI_T_PVAR_CLASS_COUNTER, make_barriers);
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

    make_calls(KIB(16), 1);
    mtree_expect(access(path, F_OK) != 0, "a report before it was asked for");
    set("report_live", &at_once);
    make_calls(KIB(16), 1);
    if (my_rank == 0) {
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

    cases_begin(&argc, &argv);
    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    if (argc > 1) {
        check_scopes();
        check_verbose();
        check_barrier();
        check_report_live(argv[1]);
    } else {
        check_counters();
        check_writes();
    }
    status = mtree_expect_finish("tool");
    MPI_T_finalize();
    MPI_Finalize();
    return status;
}
