/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "tools/progress_ticker.h"

#include "base/clock.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <time.h>

/* Seconds between two lines. */
#define SAMPLE 2

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t stopped = PTHREAD_COND_INITIALIZER;
static pthread_t ticker;
static bool is_running;
static char line[128];

static void *run(void *arg)
{
    const double began = mtree_clock_seconds();

    (void)arg;
    pthread_mutex_lock(&lock);
    while (is_running) {
        struct timespec next;

        /* Anew for each line: a program that was stopped has none to make up for. */
        (void)clock_gettime(CLOCK_MONOTONIC, &next);
        next.tv_sec += SAMPLE;
        while (is_running &&
               pthread_cond_clockwait(&stopped, &lock, CLOCK_MONOTONIC, &next) == 0) {}
        if (is_running) {
            fprintf(stderr, "mtree: %.0f s: %s\n", mtree_clock_seconds() - began, line);
        }
    }
    pthread_mutex_unlock(&lock);
    return NULL;
}

void progress_ticker_say(const char *format, ...)
{
    va_list args;

    pthread_mutex_lock(&lock);
    va_start(args, format);
    (void)vsnprintf(line, sizeof(line), format, args);
    va_end(args);
    /* A thread, since GLPK may compute for seconds without a callback. */
    is_running = is_running || pthread_create(&ticker, NULL, run, NULL) == 0;
    pthread_mutex_unlock(&lock);
}

void progress_ticker_stop(void)
{
    pthread_mutex_lock(&lock);
    if (!is_running) {
        pthread_mutex_unlock(&lock);
        return;
    }
    is_running = false;
    pthread_cond_signal(&stopped);
    pthread_mutex_unlock(&lock);
    pthread_join(ticker, NULL);
}
