#include "topo/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of a line with its end; of one that is longer so much of its end is kept. */
#define LONGEST    1024
#define END_LENGTH 400
#define GAP        " ... "

static struct {
    mtree_log_func_t func;
    void *arg;
    mtree_log_level_t max_level;
} sink = {NULL, NULL, MTREE_LOG_WARN};

void mtree_log_set(mtree_log_func_t func, void *arg, mtree_log_level_t max_level)
{
    sink.func = func;
    sink.arg = arg;
    sink.max_level = max_level;
}

/* What is too long has a name or value from a file in the midst; what to do is at the
 * end.
 */
static void shorten(char line[LONGEST], const char *whole, size_t length)
{
    size_t end = LONGEST - 1 - END_LENGTH;

    memcpy(line + end - strlen(GAP), GAP, strlen(GAP));
    memcpy(line + end, whole + length - END_LENGTH, END_LENGTH);
}

void mtree_log(mtree_log_level_t level, const char *format, ...)
{
    char line[LONGEST];
    char *whole, *at;
    va_list args;
    int length;

    if (level > sink.max_level) {
        return;
    }
    va_start(args, format);
    length = vsnprintf(line, sizeof(line), format, args);
    va_end(args);
    whole = length < LONGEST ? NULL : malloc((size_t)length + 1);
    if (whole != NULL) {
        va_start(args, format);
        vsnprintf(whole, (size_t)length + 1, format, args);
        va_end(args);
        shorten(line, whole, (size_t)length);
        free(whole);
    }
    /* Names and values from files end up in messages: a message stays one line, and
     * harmless. */
    for (at = line; *at != '\0'; ++at) {
        if ((unsigned char)*at < ' ' || *at == 0x7f) {
            *at = '?';
        }
    }

    if (sink.func != NULL) {
        sink.func(level, line, sink.arg);
    } else {
        fprintf(stderr, "mtree: %s\n", line);
    }
}
