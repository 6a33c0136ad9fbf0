/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The numbers of the component that measurement or judgement has set, and that could be
 * others.  Sizes of messages, limits of memory and numbers of protocols are where they
 * are used.
 */
#ifndef COLL_MTREE_BASE_TUNING_H
#define COLL_MTREE_BASE_TUNING_H

#include <stddef.h>

/* Seconds for what takes no time where all is well; who does not answer is given up.
 * Rank 0 waits twice as long where another rank may have to give somebody up first. */
#define COLL_MTREE_PATIENCE 10.0
/* Bytes/s at least of a message whose sender is there. */
#define COLL_MTREE_SLOWEST_RATE 1e5
/* Seconds of a round trip that is long: a reply that is at hand comes within it. */
#define COLL_MTREE_LONG_TRIP 0.002
/* Seconds to sleep between two looks: short beside any latency worth planning for.  Where
 * ranks share processors sleeps grow by this part of the time waited, and to so many. */
#define COLL_MTREE_PAUSE  0.0003
#define COLL_MTREE_PAUSES 32
/* Ranks pass exchanges on as numbers in this base: with more, rank 0 would read more
 * messages; with fewer, there would be more levels of latency. */
#define COLL_MTREE_EXCHANGE_BASE 8

/* Bytes below which the size of a message does not matter, but latency and headers. */
#define COLL_MTREE_SHORT_BYTES 1024
/* Bytes from which a call is long: shorter ones gain less than a probe costs, and more
 * of them may run at a time while they have no more together. */
#define COLL_MTREE_LONG_BYTES ((size_t)1 << 20)
/* Calls of any size that run at a time: they fill the network, and the PML searches the
 * receives of all for each message. */
#define COLL_MTREE_LONG_CALLS 8
/* Calls of unequal sizes after which the ranks agree on their size again. */
#define COLL_MTREE_AGREEMENT_INTERVAL 32
/* New slots of persistent requests that are made at least before the ranks tell each
 * other which they use, which takes a message of as many bits. */
#define COLL_MTREE_LEAST_NEW_SLOTS 1024
/* bits/s of a link, from which windows follow where nothing is known of the network. */
#define COLL_MTREE_ASSUMED_RATE 1e9

/* The least gains, as factors, by docs/replan.md: of new trees; of other shares of the
 * same trees, which cost less, and which new trees must beat by as much; of another order
 * of sums, which changes bits. */
#define COLL_MTREE_LEAST_TREES_GAIN  1.15
#define COLL_MTREE_LEAST_SHARES_GAIN 1.05
#define COLL_MTREE_LEAST_ORDER_GAIN  1.2
/* What calls over the trees of another size may take: beside calls of about half to twice
 * their size, and beside the bound. */
#define COLL_MTREE_NEAR_SIZE_COST  1.5
#define COLL_MTREE_OTHER_SIZE_COST 1.1
/* What took less of the processor's time, in seconds, is planned anew by each job. */
#define COLL_MTREE_CACHED_SECONDS 0.02
/* Bytes of a message below which windows never fill, so that links show no limit. */
#define COLL_MTREE_MEASURABLE_BYTES 262144
/* Round trips of the longest edge below which a call shows no rates: its data waits for
 * acknowledgements longer than for links. */
#define COLL_MTREE_MEASURABLE_ROUND_TRIPS 3
/* Between two queries calls move so many times the bytes of a query: with its headers it
 * takes less than a hundredth. */
#define COLL_MTREE_QUERY_GAP 120

/* The least share of a processor that a relay takes, however low the user sets it; and
 * seconds of its longest rest, and of idleness whose share it may take at once. */
#define COLL_MTREE_RELAY_LEAST_SHARE 0.01
#define COLL_MTREE_RELAY_REST        0.1

/* Samples that one measurement takes at least: arrivals for a rate, round trips for the
 * distance of two clocks. */
#define COLL_MTREE_LEAST_SAMPLES 8
/* Seconds of sending that show a rate, in calls and in streams. */
#define COLL_MTREE_RATE_SECONDS 0.1
/* What two measurements of the same trip or rate differ by: a part of it. */
#define COLL_MTREE_NOISE 0.1
/* Seconds beyond the longest round trip in which a hop says that a packet has died. */
#define COLL_MTREE_HOP_SECONDS 0.2
/* From one line about the probe's progress to the next, seconds: few, but no silence. */
#define COLL_MTREE_PROGRESS_SECONDS 2.0

/* Seconds that a message of the probe's streams lasts: slow links have frequent samples,
 * too.  A trip longer by one shows no queue; a rate is measured over two at least. */
#define COLL_MTREE_MESSAGE_SECONDS 0.004
/* Receives of a stream that wait at a time, and as many messages that end it, one for
 * each; the PML has half as many sends. */
#define COLL_MTREE_STREAM_SLOTS 8
/* Bytes/s that a stream begins with: with less its first messages would be small. */
#define COLL_MTREE_FIRST_RATE 1.28e6
/* Below this part of the interfaces' speed a stream's window doubles in a round trip,
 * above it grows by a part of itself: doubling would make a queue overflow. */
#define COLL_MTREE_FAR    0.1
#define COLL_MTREE_GROWTH 0.35
/* Round trips' worth of its rate that a lone stream has under way: TCP's own window opens
 * only while it is full. */
#define COLL_MTREE_ALONE_TRIPS 1.25

#endif
