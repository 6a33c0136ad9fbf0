/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Measurements that are asked for one after another: each is a line of standard input
 * with options of mtree_bench, which rank 0 reads for all.
 */
#ifndef MTREE_BENCH_TASKS_H
#define MTREE_BENCH_TASKS_H

#include <mpi.h>
#include <stdbool.h>

#define BENCH_TASKS_LINE  1024 /* bytes of a line */
#define BENCH_TASKS_WORDS 64

typedef struct {
    char line[BENCH_TASKS_LINE];
    char *words[BENCH_TASKS_WORDS + 1]; /* of the line, behind a program's name; NULL at
                                           the end */
    int num_words;
} bench_task_t;

/*
 * Wait for the next line, on all ranks of @a comm; false at the end of the input.  Ranks
 * that wait sleep, so that jobs that wait take no processor from the one that is
 * measured.
 */
bool bench_tasks_next(MPI_Comm comm, bench_task_t *task);

#endif
