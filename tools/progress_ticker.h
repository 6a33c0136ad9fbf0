/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lines on standard error while something takes long.
 */
#ifndef MTREE_TOOLS_PROGRESS_TICKER_H
#define MTREE_TOOLS_PROGRESS_TICKER_H

/*
 * Print "mtree: N s: @a what" ("planning with packing") after two seconds and every two
 * after that, until progress_ticker_stop().  One at a time; @a what is copied.
 */
void progress_ticker_start(const char *what);
void progress_ticker_stop(void);

#endif
