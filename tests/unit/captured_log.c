/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/captured_log.h"

#include "base/log.h"

#include <stdio.h>

static struct {
    int lines;
    char last[1024];
} heard;

static void hear(mtree_log_level_t level, const char *message, void *arg)
{
    (void)level;
    (void)arg;
    ++heard.lines;
    snprintf(heard.last, sizeof(heard.last), "%s", message);
    fprintf(stderr, "%s\n", message);
}

void heard_start(void)
{
    heard.lines = 0;
    heard.last[0] = '\0';
    mtree_log_set(hear, NULL, MTREE_LOG_WARN);
}

int heard_lines(void)
{
    return heard.lines;
}

const char *heard_last(void)
{
    return heard.last;
}
