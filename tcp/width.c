/* SPDX-License-Identifier: BSD-3-Clause */
#include "tcp/width.h"

#include <math.h>
#include <stddef.h>

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

/* The part of its rate below which BBR has fallen.  It sends at 3/4 of its estimate for a
 * moment now and then, and that may be MTREE_TCP_PACE times the rate. */
#define FALLEN 0.9

double mtree_tcp_pace(const mtree_tcp_report_t *report, double rate)
{
    bool is_short = report != NULL && report->min_trip < MTREE_TCP_LONG_TRIP;

    return rate > 0 && !is_short ? MTREE_TCP_PACE * rate : INFINITY;
}

bool mtree_tcp_packets_wait(const mtree_tcp_report_t *report)
{
    return report->trip > report->min_trip * QUEUED_TIMES + QUEUED_SECONDS;
}

bool mtree_tcp_pace_has_fallen(const mtree_tcp_report_t *report, double rate)
{
    return report->pace > 0 && report->pace < FALLEN * rate &&
           !mtree_tcp_packets_wait(report);
}

double mtree_tcp_width_part(const mtree_tcp_report_t *report, double rate)
{
    if (report->pace > 0 || mtree_tcp_packets_wait(report)) {
        return 1;
    }
    /* The shortest trip of a short link is that of its first packet alone, and may be a
     * small part of what others take. */
    return fmin(1, 8 * report->window / (rate * report->trip));
}

int mtree_tcp_width(double part, int most)
{
    double width = ceil(SPARE / part - MISSING);

    return width < most ? (int)width : most;
}
