/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages to the user.  The function that first decides that something is an error logs
 * it in one line: what is wrong, where, and what to do.  Its callers return the status
 * without a message.
 */
#ifndef MTREE_BASE_LOG_H
#define MTREE_BASE_LOG_H

#include "base/status.h"

#include <stdarg.h>

/* Bytes of the longest line with its end. */
#define MTREE_LOG_LINE 1024

typedef enum {
    MTREE_LOG_ERROR,
    MTREE_LOG_WARN,
    MTREE_LOG_INFO,
    MTREE_LOG_DEBUG
} mtree_log_level_t;

/* Receives one line without a newline, of less than twice MTREE_LOG_LINE bytes; @a
 * message is valid during the call only. */
typedef void (*mtree_log_func_t)(mtree_log_level_t level, const char *message, void *arg);

/*
 * Send every later line at or below @a max_level to @a func (NULL: standard error,
 * prefixed "mtree: "), the default with MTREE_LOG_WARN.  Not to be called while other
 * threads log.
 */
void mtree_log_set(mtree_log_func_t func, void *arg, mtree_log_level_t max_level);

/*
 * Until the next call, errors that this thread logs begin with @a subject, such as a
 * parameter or a file, and end with @a consequence, what follows from them (NULL: nothing
 * is said of it).  Both are texts that stay; @a subject NULL: no more.
 */
void mtree_log_about(const char *subject, const char *consequence);

/*
 * Format one line without writing it.  The middle of a longer line is replaced by " ...
 * ", and control characters, which names and values from files may hold, by '?'.
 */
void mtree_log_format(char line[MTREE_LOG_LINE], const char *format, va_list args)
    __attribute__((format(printf, 2, 0)));

/* Write one line that mtree_log_format() makes.  No newline in @a format. */
void mtree_log(mtree_log_level_t level, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#define mtree_error(...) mtree_log(MTREE_LOG_ERROR, __VA_ARGS__)
#define mtree_warn(...)  mtree_log(MTREE_LOG_WARN, __VA_ARGS__)
#define mtree_info(...)  mtree_log(MTREE_LOG_INFO, __VA_ARGS__)
#define mtree_debug(...) mtree_log(MTREE_LOG_DEBUG, __VA_ARGS__)

#endif
