/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What planning costs the program.
 *
 *   planning calls   the first nonblocking call of each collective returns, and progress
 *                    goes on, without the time of planning
 *   planning roots   broadcasts from every rank in turn
 *   planning binding all threads stay on the processor to which a process is bound
 *   planning groups  communicators of ever other processes leave no memory behind
 */
#include "config/mtree_config.h"

#include "tests/mpi/expect.h"
#include "tests/mpi/random_case.h"

#include <dirent.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Seconds of this thread's processor that one call of MPI may take: plans of these calls
 * take several times as long. */
#define MOST_SECONDS 0.05

#define BLOCK 13000

/* Before the warm-up has ended, Open MPI's own memory grows. */
#define WARM_UP_GROUPS 100
#define GROUPS         400
#define MOST_KIB       1024

/* Of this thread alone, so that neither the planning thread nor other processes count. */
static double thread_seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void complete(MPI_Request *request, const char *name, double began)
{
    double longest = thread_seconds() - began;
    int done = 0;

    while (!done) {
        double seconds = thread_seconds();

        MPI_Test(request, &done, MPI_STATUS_IGNORE);
        seconds = thread_seconds() - seconds;
        longest = seconds > longest ? seconds : longest;
    }
    mtree_expect(longest <= MOST_SECONDS, "%s: a call took %.3f s of the processor", name,
                 longest);
}

static void check_calls(void)
{
    static const collective_t collectives[] = {ALLGATHER, BCAST, ALLREDUCE};

    for (int i = 0; i < 3; i++) {
        const choice_t choice = {.kind = ITEM_BYTE,
                                 .block = (i == 0 ? 1 : num_ranks) * BLOCK,
                                 .root = num_ranks - 1};
        double began;
        case_t c;

        run.choice = &choice;
        case_create(&c, collectives[i], MTREE_NONBLOCKING_FORM, MPI_COMM_WORLD);
        case_fill(&c);
        began = thread_seconds();
        (void)case_call(&c);
        complete(&c.request, collective_table[collectives[i]].name, began);
        case_finish(&c);
    }
}

static void check_roots(void)
{
    for (int root = 0; root < num_ranks; root++) {
        const choice_t choice = {.kind = ITEM_BYTE, .block = BLOCK, .root = root};

        run.choice = &choice;
        case_run(BCAST, MTREE_BLOCKING_FORM, MPI_COMM_WORLD);
    }
}

/* The threads of this process, and in *bound_p those that may use one processor alone. */
static int count_threads(int *bound_p)
{
    DIR *tasks = opendir("/proc/self/task");
    int threads = 0;

    *bound_p = 0;
    for (struct dirent *task; (task = readdir(tasks)) != NULL;) {
        cpu_set_t allowed;

        if (task->d_name[0] != '.' &&
            sched_getaffinity(atoi(task->d_name), sizeof(allowed), &allowed) == 0) {
            threads++;
            *bound_p += CPU_COUNT(&allowed) == 1;
        }
    }
    closedir(tasks);
    return threads;
}

/* As mpirun --bind-to core leaves it; main() has bound the process before MPI_Init. */
static void check_binding(void)
{
    int before, after, bound;

    before = count_threads(&bound);
    mtree_expect(bound == before, "%d of %d threads bound", bound, before);
    check_roots();
    after = count_threads(&bound);
    mtree_expect(my_rank > 0 || after > before, "no planning thread");
    mtree_expect(bound == after, "%d of %d threads are bound once planned", bound, after);
}

/* The memory of this process, in KiB. */
static long resident(void)
{
    FILE *file = fopen("/proc/self/statm", "r");
    long all, pages = 0;

    if (file != NULL) {
        if (fscanf(file, "%ld %ld", &all, &pages) != 2) {
            pages = 0;
        }
        fclose(file);
    }
    return pages * 4;
}

/* Communicators of all processes, in an order at random each. */
static void use_groups(int count)
{
    for (int i = 0; i < count; i++) {
        int value = 1, sum;
        MPI_Comm comm;

        MPI_Comm_split(MPI_COMM_WORLD, 0, rand(), &comm);
        MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, comm);
        mtree_expect(sum == num_ranks, "the sum of communicator %d is %d", i, sum);
        MPI_Comm_free(&comm);
    }
}

static void check_groups(void)
{
    long before, after;

    srand(17 + (unsigned)my_rank);
    use_groups(WARM_UP_GROUPS);
    before = resident();
    use_groups(GROUPS);
    after = resident();
    mtree_expect(after - before <= MOST_KIB, "%d groups left %ld KiB", GROUPS,
                 after - before);
}

/* Bind the process to the first processor that it may use. */
static void bind_process(void)
{
    cpu_set_t allowed, one;
    size_t first = 0;

    sched_getaffinity(0, sizeof(allowed), &allowed);
    while (!CPU_ISSET(first, &allowed)) {
        first++;
    }
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    sched_setaffinity(0, sizeof(one), &one);
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "binding") == 0) {
        bind_process();
    }
    cases_begin(&argc, &argv);
    if (argc > 1 && strcmp(argv[1], "calls") == 0) {
        check_calls();
    } else if (argc > 1 && strcmp(argv[1], "roots") == 0) {
        check_roots();
    } else if (argc > 1 && strcmp(argv[1], "binding") == 0) {
        check_binding();
    } else if (argc > 1 && strcmp(argv[1], "groups") == 0) {
        check_groups();
    } else {
        mtree_expect(0, "usage: planning calls | roots | binding | groups");
    }
    return cases_end("planning");
}
