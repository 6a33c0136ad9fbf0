/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The last line that mtree logged, for tests that assert what the user is told.
 */
#ifndef MTREE_TESTS_UNIT_CAPTURED_LOG_H
#define MTREE_TESTS_UNIT_CAPTURED_LOG_H

/* Listen from now on, and forget what was heard. */
void heard_start(void);

/* Lines heard since then, and the last of them ("" when there was none). */
int heard_lines(void);
const char *heard_last(void);

#endif
