/* SPDX-License-Identifier: BSD-3-Clause */
/* Trials of an autotuner whose calls take what the test says. */
#ifndef MTREE_TESTS_UNIT_COLL_MTREE_TRIAL_H
#define MTREE_TESTS_UNIT_COLL_MTREE_TRIAL_H

#include "coll_mtree/select/autotuner.h"

#define MB (1 << 20)

/* What calls take by backend; base algorithm 1 by [COLL_MTREE_BASE_ALGORITHM]. */
typedef double trial_times_t[COLL_MTREE_BACKENDS];

coll_mtree_call_class_t trial_class(mtree_collective_t collective, size_t bytes);

/* An autotuner of allreduces of 1 MB. */
bool trial_init(coll_mtree_autotuner_t *autotuner, mtree_confidence_t confidence,
                unsigned base_algorithms);

/* Make one call, which takes what @a times has; true when it ends a trial. */
bool trial_call(coll_mtree_autotuner_t *autotuner, const trial_times_t times,
                coll_mtree_selection_t *selection_p);

/* Make calls until a trial ends; their number. */
int trial_run(coll_mtree_autotuner_t *autotuner, const trial_times_t times);

#endif
