/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/log.h"

#include "base/printable.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Bytes kept of the end of a line that is too long. */
#define END_LENGTH 400
#define GAP        " ... "
#define CUT        " ..."

static struct {
    mtree_log_func_t func;
    void *arg;
    mtree_log_level_t max_level;
} sink = {NULL, NULL, MTREE_LOG_WARN};

static _Thread_local struct {
    const char *subject, *consequence; /* of errors; NULL: of none */
} about;

void mtree_log_set(mtree_log_func_t func, void *arg, mtree_log_level_t max_level)
{
    sink.func = func;
    sink.arg = arg;
    sink.max_level = max_level;
}

/* Leave out the middle of a line: long lines have a name or value from a file there, and
 * the advice to the user at the end. */
static void shorten(char line[MTREE_LOG_LINE], const char *whole, size_t length)
{
    size_t end = MTREE_LOG_LINE - 1 - END_LENGTH;

    memcpy(line + end - strlen(GAP), GAP, strlen(GAP));
    memcpy(line + end, whole + length - END_LENGTH, END_LENGTH);
}

void mtree_log_format(char line[MTREE_LOG_LINE], const char *format, va_list args)
{
    va_list again;
    char *whole;
    int length;

    va_copy(again, args);
    length = vsnprintf(line, MTREE_LOG_LINE, format, args);
    whole = length < MTREE_LOG_LINE ? NULL : malloc((size_t)length + 1);
    if (whole != NULL) {
        vsnprintf(whole, (size_t)length + 1, format, again);
        shorten(line, whole, (size_t)length);
        free(whole);
    } else if (length >= MTREE_LOG_LINE) {
        memcpy(line + MTREE_LOG_LINE - sizeof(CUT), CUT, sizeof(CUT));
    }
    va_end(again);
    (void)mtree_make_printable(line);
}

void mtree_log_about(const char *subject, const char *consequence)
{
    about.subject = subject;
    about.consequence = consequence;
}

/* Write @a message with what it is about into @a line, or leave it as it is. */
static const char *complete(mtree_log_level_t level, const char *message,
                            char line[2 * MTREE_LOG_LINE])
{
    if (about.subject == NULL || level != MTREE_LOG_ERROR) {
        return message;
    }
    (void)snprintf(line, 2 * MTREE_LOG_LINE, "%.*s: %s%s%s", 3 * MTREE_LOG_LINE / 4,
                   about.subject, message, about.consequence == NULL ? "" : "; ",
                   about.consequence == NULL ? "" : about.consequence);
    (void)mtree_make_printable(line);
    return line;
}

void mtree_log(mtree_log_level_t level, const char *format, ...)
{
    char message[MTREE_LOG_LINE], whole[2 * MTREE_LOG_LINE];
    const char *line;
    va_list args;

    if (level > sink.max_level) {
        return;
    }
    va_start(args, format);
    mtree_log_format(message, format, args);
    va_end(args);
    line = complete(level, message, whole);
    if (sink.func != NULL) {
        sink.func(level, line, sink.arg);
    } else {
        fprintf(stderr, "mtree: %s\n", line);
    }
}
