/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The numbers of the component that measurement or judgement has set, and that could be
 * others.  Sizes of messages, limits of memory and numbers of protocols are where they
 * are used.
 */
#ifndef COLL_MTREE_BASE_TUNING_H
#define COLL_MTREE_BASE_TUNING_H

/*
 * How long ranks wait for each other.
 */

/* Seconds for what takes no time where all is well: a rank that does not answer by then
 * is given up, but a program that computes is not. */
#define COLL_MTREE_PATIENCE 10.0

/* Rank 0 waits for so many times the seconds that a round of the probe is to take, and
 * for those of an experiment that fails and of its report: processors may be shared. */
#define COLL_MTREE_ROUND_FACTOR 4.0

/* Seconds beyond the longest round trip in which a hop answers: routers take their time
 * to say that a packet has died. */
#define COLL_MTREE_HOP_SECONDS 0.2

/* From one line about the probe's progress to the next, seconds: few, but no silence. */
#define COLL_MTREE_PROGRESS_SECONDS 2.0

/*
 * How the probe measures (coll_mtree/probe/stream_window.c).
 */

/* Seconds that a message of a stream lasts, so that slow links have frequent rate
 * samples, too.  A round trip that is longer by one message shows no queue, and a rate
 * is measured over two of them at least. */
#define COLL_MTREE_MESSAGE_SECONDS 0.004

/* Bytes of a stream's message at least: its headers take a tenth of it. */
#define COLL_MTREE_LEAST_MESSAGE 1024

/* Receives of a stream that wait at a time, and as many messages that end it, one for
 * each; the PML has half as many sends. */
#define COLL_MTREE_STREAM_SLOTS 8

/* Bytes/s that a stream begins with: less, and the first messages would be small. */
#define COLL_MTREE_FIRST_RATE 1.28e6

/* What two measurements of the same trip or rate differ by: a part of it. */
#define COLL_MTREE_NOISE 0.1

/* Below this part of the interfaces' speed a stream's window doubles with each round
 * trip, above it grows by that of COLL_MTREE_GROWTH: doubling would overflow a queue. */
#define COLL_MTREE_FAR    0.1
#define COLL_MTREE_GROWTH 0.35

/* Round trips' worth of its rate that a stream which is alone has under way: TCP's own
 * window opens only while it is full. */
#define COLL_MTREE_ALONE_TRIPS 1.25

/* Seconds of sending that show a rate: a shorter time shows how even it is. */
#define COLL_MTREE_RATE_SECONDS 0.1

/* Arrivals that a stream's rate is made of at least. */
#define COLL_MTREE_LEAST_ARRIVALS 8

#endif
