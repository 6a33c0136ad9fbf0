/* SPDX-License-Identifier: BSD-3-Clause */
/* What is said of an autotuner: what it chose, and why. */
#ifndef COLL_MTREE_SELECT_AUTOTUNER_TEXT_H
#define COLL_MTREE_SELECT_AUTOTUNER_TEXT_H

#include "coll_mtree/select/autotuner.h"

/* Bytes of a longest line with its NUL. */
#define COLL_MTREE_AUTOTUNER_TEXT 640

/* The line about a trial that has ended. */
void coll_mtree_autotuner_text_verdict(const coll_mtree_autotuner_t *autotuner,
                                       char text[COLL_MTREE_AUTOTUNER_TEXT]);

/* The line about an autotuner that learned from @a shorter that one candidate is left. */
void coll_mtree_autotuner_text_learned(const coll_mtree_autotuner_t *autotuner,
                                       const coll_mtree_autotuner_t *shorter,
                                       char text[COLL_MTREE_AUTOTUNER_TEXT]);

#endif
