/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Control variables of the MPI library that are set for one measurement (MPI_T).
 */
#ifndef MTREE_BENCH_CONTROL_H
#define MTREE_BENCH_CONTROL_H

#include "base/status.h"

/* Settings of one measurement at most. */
#define BENCH_CONTROL_MOST 8

typedef struct {
    const char *text; /* NAME=NUMBER; the caller's */
    int before;       /* the value that bench_control_restore() sets again */
} bench_setting_t;

/*
 * Set what @a settings say, in this order.  Communicators that are made from now on have
 * it.  On MTREE_ERR_INVALID one line was logged: there is no such variable, it is not an
 * integer, or it cannot be set; *num_set_p are set nevertheless.
 */
mtree_status_t bench_control_set(bench_setting_t *settings, int num_settings,
                                 int *num_set_p);

/* What the first @a num_set had before, the last one first. */
void bench_control_restore(const bench_setting_t *settings, int num_set);

#endif
