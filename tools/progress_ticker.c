/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/progress_ticker.h"

#include "base/clock.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

/* Seconds between two lines. */
#define SAMPLE 2

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char line[128];

static void *run(void *arg)
{
    const double began = mtree_clock_seconds();

    (void)arg;
    for (;;) {
        (void)sleep(SAMPLE);
        pthread_mutex_lock(&lock);
        fprintf(stderr, "mtree: %.0f s: %s\n", mtree_clock_seconds() - began, line);
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

void progress_ticker_say(const char *format, ...)
{
    static bool is_running;
    pthread_t ticker;
    va_list args;

    pthread_mutex_lock(&lock);
    va_start(args, format);
    (void)vsnprintf(line, sizeof(line), format, args);
    va_end(args);
    /* A thread, since a search may compute for seconds without a callback. */
    is_running = is_running || pthread_create(&ticker, NULL, run, NULL) == 0;
    pthread_mutex_unlock(&lock);
}
