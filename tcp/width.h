/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Width: over how many of its connections the messages to a peer are spread.
 *
 * Congestion control lets a connection have so many bytes under way, its window, and
 * makes that smaller when a packet is lost.  Where packets are lost at random the windows
 * of few connections do not fill a long link.  Where the link itself is the limit,
 * packets wait before it, and more connections only lengthen that queue.
 *
 * And pace: how fast each of them may send.
 */
#ifndef MTREE_TCP_WIDTH_H
#define MTREE_TCP_WIDTH_H

#include <stdbool.h>

/* What the kernel knows of a connection. */
typedef struct {
    double window;   /* bytes; after a loss those that it returns to at once; infinite:
                        it has not met a limit */
    double trip;     /* seconds of a round trip, lately */
    double min_trip; /* of the shortest */
    double pace;     /* bits/s at which BBR lets it send; 0: another congestion control */
} mtree_tcp_report_t;

/*
 * Times the planned rate that each connection may send at.  A schedule pauses, and what
 * comes after a pause would otherwise be a burst at many times the rate of the link: BBR,
 * whose sockets seldom have enough to send to leave its start phase, lost 8 % of the
 * packets in queues by that.  What all have under way is limited by the schedule's
 * window, so each may have the rate for itself, and do for the others while they recover
 * from losses.
 */
#define MTREE_TCP_PACE 1.25

/* Seconds of the shortest round trip at which that matters.  A plan that has a connection
 * for a long one that is not is wrong, and its rate is no limit. */
#define MTREE_TCP_LONG_TRIP 0.001

/* Do packets of the connection wait before the link, which is full then? */
bool mtree_tcp_packets_wait(const mtree_tcp_report_t *report);

/* The part of @a rate bits/s that the window of a connection has room for; 1 where
 * packets wait, and of BBR, whose window no loss makes smaller. */
double mtree_tcp_width_part(const mtree_tcp_report_t *report, double rate);

/*
 * Is BBR's estimate of the link, by which a connection sends, too low for the @a rate
 * bits/s that it is to carry, although no packets wait?  BBR forgets what it has not seen
 * for ten round trips, and what a schedule that pauses shows it meanwhile is less.  It
 * then takes ten trips for each quarter more.
 */
bool mtree_tcp_pace_has_fallen(const mtree_tcp_report_t *report, double rate);

/*
 * Bits/s that each connection to a peer may send at, to which @a rate bits/s are planned
 * (0: not known); infinite: as much as it can.  @a report is of one of them; NULL:
 * nothing is known.
 */
double mtree_tcp_pace(const mtree_tcp_report_t *report, double rate);

/* The connections to use, at most @a most, where each has room for @a part of the rate on
 * average.  Where losses have made their windows small it takes more of them. */
int mtree_tcp_width(double part, int most);

#endif
