/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/tasks.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#define SEPARATORS    " \t\n"
#define LEAST_SLEEP   1000000L /* nanoseconds between two looks for a line */
#define LONGEST_SLEEP 100000000L

/* Sleep until the request is complete, from time to time longer. */
static void wait_asleep(MPI_Request *request)
{
    struct timespec sleep = {.tv_nsec = LEAST_SLEEP};
    int done;

    for (;;) {
        MPI_Test(request, &done, MPI_STATUS_IGNORE);
        if (done) {
            return;
        }
        nanosleep(&sleep, NULL);
        if (sleep.tv_nsec < LONGEST_SLEEP) {
            sleep.tv_nsec *= 2;
        }
    }
}

/* Messages between two ranks, so that collectives that are measured have no other calls.
 */
static void share_line(MPI_Comm comm, int rank, char *line)
{
    MPI_Request request;
    int num_ranks;

    MPI_Comm_size(comm, &num_ranks);
    if (rank == 0) {
        for (int other = 1; other < num_ranks; other++) {
            MPI_Send(line, BENCH_TASKS_LINE, MPI_CHAR, other, 0, comm);
        }
        return;
    }
    MPI_Irecv(line, BENCH_TASKS_LINE, MPI_CHAR, 0, 0, comm, &request);
    wait_asleep(&request);
}

bool bench_tasks_next(MPI_Comm comm, bench_task_t *task)
{
    char *rest = task->line;
    char *word;
    int rank;

    MPI_Comm_rank(comm, &rank);
    if (rank == 0 && fgets(task->line, sizeof(task->line), stdin) == NULL) {
        task->line[0] = '\0';
    }
    share_line(comm, rank, task->line);
    if (task->line[0] == '\0') {
        return false;
    }
    task->words[0] = "mtree_bench";
    task->num_words = 1;
    while (task->num_words < BENCH_TASKS_WORDS &&
           (word = strtok_r(rest, SEPARATORS, &rest)) != NULL) {
        task->words[task->num_words++] = word;
    }
    task->words[task->num_words] = NULL;
    return true;
}
