/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lines on standard error while something takes long.
 */
#ifndef MTREE_TOOLS_PROGRESS_TICKER_H
#define MTREE_TOOLS_PROGRESS_TICKER_H

/*
 * Print "mtree: N s: WHAT" ("planning with packing") after two seconds and every two
 * after that, until the program ends.  WHAT is as of the latest call.
 */
void progress_ticker_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
