#include "topo/log.h"

#include <stdarg.h>
#include <stdio.h>

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

void mtree_log(mtree_log_level_t level, const char *format, ...)
{
    char line[1024];
    va_list args;
    char *at;

    if (level > sink.max_level) {
        return;
    }
    va_start(args, format);
    vsnprintf(line, sizeof(line), format, args);
    va_end(args);
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
