/* SPDX-License-Identifier: BSD-3-Clause */
#include "tcp/width.h"

#include <math.h>

/* Times the rate that the windows together have room for.  Two connections where one has
 * room for all: while one recovers from a loss the other goes on. */
#define SPARE 2

/* The part of a connection that may be missing from that.  BBR's window is small for a
 * moment every ten seconds. */
#define MISSING 0.75

/* A round trip beyond this is one through a queue: what a busy host or a delayed
 * acknowledgement adds is less. */
#define QUEUED_TIMES   1.25
#define QUEUED_SECONDS 0.004

double mtree_tcp_width_part(const mtree_tcp_report_t *report, double rate)
{
    if (report->trip > report->min_trip * QUEUED_TIMES + QUEUED_SECONDS) {
        return 1;
    }
    return fmin(1, 8 * report->window / (rate * report->min_trip));
}

int mtree_tcp_width(double part, int most)
{
    double width = ceil(SPARE / part - MISSING);

    return width < most ? (int)width : most;
}
