/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What netlab tells its helpers: lines on standard input, up to an empty one.
 */
#ifndef MTREE_TOOLS_NETLAB_LINES_H
#define MTREE_TOOLS_NETLAB_LINES_H

#include "base/status.h"

/* Take @a line, without its end, into @a data.  An error, logged, ends the reading. */
typedef mtree_status_t (*netlab_line_func_t)(void *data, const char *line);

/* Call @a func with @a data and each line; its first error, or MTREE_OK. */
mtree_status_t netlab_read_lines(netlab_line_func_t func, void *data);

/* Say that this program is ready, and have it run before ranks that spin, which must not
 * delay packets.  Without root that is denied, and the scheduler's preference for
 * processes that sleep much must suffice. */
void netlab_say_ready(void);

#endif
