/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Word on standard error that something that takes long is still at work.
 */
#ifndef MTREE_TOOLS_PROGRESS_TICKER_H
#define MTREE_TOOLS_PROGRESS_TICKER_H

/*
 * From two seconds on, and every two after that, tell that @a what ("planning with gost")
 * is under way, until progress_ticker_stop().  One at a time; @a what is copied.
 */
void progress_ticker_start(const char *what);
void progress_ticker_stop(void);

#endif
