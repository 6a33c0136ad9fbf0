/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/progress_ticker.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

/* Seconds between two lines. */
#define SAMPLE 2

/* The line's end; what the handler reads is set while no timer runs. */
static char ending[128];
static volatile sig_atomic_t seconds;

/* A timer, since GLPK may compute for seconds without a callback.  Only functions that
 * are safe in a signal handler are called. */
static void on_timer(int signal_number)
{
    char line[sizeof(ending) + 32] = "mtree: ";
    size_t length = strlen(line);
    int saved = errno, rest, digits = 1;
    ssize_t written;

    (void)signal_number;
    seconds += SAMPLE;
    for (rest = seconds; rest >= 10; rest /= 10) {
        ++digits;
    }
    rest = seconds;
    for (int d = digits - 1; d >= 0; --d) {
        line[length + (size_t)d] = (char)('0' + rest % 10);
        rest /= 10;
    }
    length += (size_t)digits;
    memcpy(line + length, ending, strlen(ending));
    length += strlen(ending);
    written = write(STDERR_FILENO, line, length);
    (void)written; /* a lost line is no error */
    errno = saved;
}

static const struct itimerval no_timer;

void progress_ticker_say(const char *format, ...)
{
    const struct sigaction action = {.sa_handler = on_timer, .sa_flags = SA_RESTART};
    const struct timeval sample = {.tv_sec = SAMPLE};
    struct itimerval timer;
    const size_t room = sizeof(ending) - 1;
    va_list args;
    size_t used;

    (void)setitimer(ITIMER_REAL, &no_timer, &timer);
    if (timer.it_interval.tv_sec == 0) {
        timer = (struct itimerval){.it_interval = sample, .it_value = sample};
        seconds = 0;
        (void)sigaction(SIGALRM, &action, NULL);
    }
    va_start(args, format);
    used = (size_t)snprintf(ending, room, " s: ");
    (void)vsnprintf(ending + used, room - used, format, args);
    va_end(args);
    strcat(ending, "\n");
    (void)setitimer(ITIMER_REAL, &timer, NULL);
}

void progress_ticker_stop(void)
{
    (void)setitimer(ITIMER_REAL, &no_timer, NULL);
}
