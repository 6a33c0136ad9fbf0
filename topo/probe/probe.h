/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The link probe: it decides what to measure between hosts to learn the network that
 * joins them, and makes a topology from the measurements (docs/probe.md).
 *
 * Nothing here sends a byte.  The coordinator (one process) asks for rounds of
 * experiments, has the hosts carry them out, and hands in the results:
 *
 *     mtree_probe_create(hosts, num_hosts, &options, &probe);
 *     while (mtree_probe_next(probe, &round) == MTREE_OK && round.num_experiments > 0) {
 *         ... carry out all of round.experiments at the same time; for each experiment of
 *         kind ROUTE call mtree_probe_add_route() if the hops are known ...
 *         mtree_probe_record(probe, results, seconds);
 *     }
 *     mtree_probe_finish(probe, &findings);
 *     mtree_probe_destroy(probe);
 *
 * The same options and results give the same rounds and the same topology.
 */
#ifndef MTREE_TOPO_PROBE_PROBE_H
#define MTREE_TOPO_PROBE_PROBE_H

#include "topo/host/processor.h"
#include "topo/topology.h"

#include <stdint.h>
#include <stdio.h>

#define MTREE_PROBE_MAX_HOSTS   4096
#define MTREE_PROBE_MAX_HOPS    64  /* routers of one route */
#define MTREE_PROBE_MAX_SAMPLES 64  /* of one stream */
#define MTREE_PROBE_SAMPLE_ALL  128 /* up to so many hosts all routes are traced */

typedef struct mtree_probe mtree_probe_t;

typedef struct {
    const char *name;    /* that mpirun uses; unique; becomes the vertex's name */
    const char *address; /* with which it appears as a hop ("10.0.0.3"); unique */
    double speed; /* of its interface according to the system, bits/s; 0: not known */
} mtree_probe_host_t;

typedef struct {
    double seconds; /* budget: all rounds together take less; > 0 */
    double bytes;   /* budget: all rounds together send no more; 0: without limit */
    uint64_t seed;  /* of the random samples of large networks */
    FILE *log;      /* receives a record of all results; NULL: none */
    double
        byte_seconds; /* that a processor needs for a byte of a message; 0: not known */
} mtree_probe_options_t;

typedef enum {
    /* `repeats` round trips, one after the other, of a message of `bytes` and a reply of
     * the same size. */
    MTREE_PROBE_PING,
    /* Messages from `from` to `to`, as many at a time as fill the path, until `seconds`
     * after the first, or until the next would make it more than `bytes` in all.  The
     * receiver records rate samples. */
    MTREE_PROBE_STREAM
} mtree_probe_kind_t;

typedef struct {
    mtree_probe_kind_t kind;
    int from, to;   /* positions in the hosts given at creation; they differ */
    size_t bytes;   /* PING: of a message; STREAM: the most that it sends */
    int repeats;    /* PING: round trips; 0 for others */
    double seconds; /* STREAM: how long to send; 0 for others */
    int sharing;    /* STREAM: how many streams of the round, with this one, cross the
                       busiest link of its path: each keeps that many times less data in
                       flight, because a queue that overflows shows only pauses; 0 for
                       others */
    double rtt;     /* STREAM: seconds of a round trip on the idle path; 0: not known */
    double speed;   /* STREAM: of the slower end's interface according to the system,
                       bits/s; 0: not known */
} mtree_probe_experiment_t;

/*
 * Experiments, all of one kind.  They begin together, as exactly as the hosts can: the
 * first part of `seconds` is not used.  A host may take part in
 * several at a time, as sender and as receiver.
 */
typedef struct {
    int num_experiments;                         /* 0: nothing is left to measure */
    const mtree_probe_experiment_t *experiments; /* the probe's, until the next call */
    const char *purpose; /* for a progress line: "latency of 19 links"; the probe's */
    double seconds;      /* about how long it should take */
} mtree_probe_round_t;

/* The receiver's count of payload bytes at a time.  All hosts measure times from the
 * begin of the round, as exactly as they can. */
typedef struct {
    double seconds; /* since the round began; ascending */
    double bytes;   /* received until then */
} mtree_probe_rate_sample_t;

typedef struct {
    bool failed; /* it could not be carried out; the rest is ignored */
    /* PING, seconds of a round trip. */
    double least, median;
    double send; /* PING: the least seconds of the sender's processor for a message; 0:
                    not known */
    /* STREAM: 2 to MTREE_PROBE_MAX_SAMPLES of what arrived until the sender stopped, the
     * first among them. */
    int num_samples;
    mtree_probe_rate_sample_t samples[MTREE_PROBE_MAX_SAMPLES];
    double bytes; /* STREAM: that came in all, also after the last sample */
} mtree_probe_result_t;

/* Where a number of the topology comes from. */
typedef enum {
    MTREE_PROBE_MEASURED, /* experiments determine it */
    MTREE_PROBE_AT_LEAST, /* so much was observed; no experiment could use more */
    MTREE_PROBE_ASSUMED   /* not observed: from the system, or from similar links */
} mtree_probe_basis_t;

typedef struct {
    mtree_probe_basis_t basis;
    double spread; /* relative: half of the measurements were within it; 0: one */
} mtree_probe_confidence_t;

typedef struct {
    mtree_probe_confidence_t capacity[2]; /* as the link's capacity */
    mtree_probe_confidence_t latency;
} mtree_probe_link_t;

typedef struct {
    mtree_topology_t *topology; /* hosts first, in the order given; then switches */
    mtree_probe_link_t *links;  /* [topology->num_links] */
    bool routes_known; /* from hops; else the graph was inferred from round trips */
    int num_routes;    /* that were traced */
    int num_rounds;
    double seconds;                 /* of all rounds */
    double bytes;                   /* that streams and pings carried */
    int num_reused;                 /* capacities, one way, that were known before */
    int num_repeated, num_unsteady; /* those measured twice, and where these differ */
} mtree_probe_findings_t;

/*
 * Start probing between @a num_hosts hosts (1 to MTREE_PROBE_MAX_HOSTS; copied).
 * MTREE_ERR_INVALID for names or addresses that are empty or there twice and for options
 * out of range, MTREE_ERR_LIMIT (logged).
 */
mtree_status_t mtree_probe_create(const mtree_probe_host_t *hosts, int num_hosts,
                                  const mtree_probe_options_t *options,
                                  mtree_probe_t **probe_p);

/* Free; NULL is allowed. */
void mtree_probe_destroy(mtree_probe_t *probe);

/*
 * @a address is another address of @a host, that of another interface.  Call it before
 * adding routes that hold the address; a repetition does nothing.
 * MTREE_ERR_INVALID (logged) when another host has it.
 */
mtree_status_t mtree_probe_add_address(mtree_probe_t *probe, int host,
                                       const char *address);

/*
 * Streams need not measure the links of @a map, which an earlier probe found between some
 * of the hosts and others, again; a capacity of 0 is not known.  An arc is known by the
 * names of its ends, and that of a host's only link to a switch by the host.  Call it
 * before the first round.
 */
void mtree_probe_add_known(mtree_probe_t *probe, const mtree_topology_t *map);

/* A pair, in this direction. */
typedef void (*mtree_probe_pair_func_t)(void *data, int from, int to);

/*
 * Call @a func with the pairs of @a num_hosts hosts whose routes are to be traced.  These
 * are all pairs of up to MTREE_PROBE_SAMPLE_ALL hosts; of more, each host with the next
 * one and with 2 + log2(num_hosts) random ones, in both directions, because the path back
 * shows other addresses of the same routers.  A pair may come twice.
 */
void mtree_probe_pair_sample(int num_hosts, uint64_t seed, mtree_probe_pair_func_t func,
                             void *data);

/*
 * Packets from @a from to @a to pass @a hops in this order.  The two ends are no hops:
 * num_hops is 0 between hosts of one Ethernet.  A hop with a host's address is that host;
 * any other address is a router; "" is a router that did not answer.  Routes are added
 * before the first round.  MTREE_ERR_INVALID (logged) at other times and when a route
 * visits an address twice or holds its ends.
 */
mtree_status_t mtree_probe_add_route(mtree_probe_t *probe, int from, int to,
                                     const char *const *hops, int num_hops);

/*
 * The next round; num_experiments is 0 when nothing is left to measure or the budget is
 * spent.  MTREE_ERR_INVALID (logged) unless the round before has been recorded.
 */
mtree_status_t mtree_probe_next(mtree_probe_t *probe, mtree_probe_round_t *round_p);

/*
 * Record the results of the last round, in its order.  It took @a seconds from the first
 * message about it to the last result.  MTREE_ERR_INVALID (logged) for impossible rate
 * samples or times.
 */
mtree_status_t mtree_probe_record(mtree_probe_t *probe,
                                  const mtree_probe_result_t *results, double seconds);

/*
 * The topology as far as it is known, at any time between rounds; the caller clears it.
 * MTREE_ERR_UNREACHABLE (logged) when successful experiments do not join all hosts.
 */
mtree_status_t mtree_probe_finish(mtree_probe_t *probe,
                                  mtree_probe_findings_t *findings_p);

/*
 * Why the probe, which took @a seconds, was disturbed by what else the hosts and the
 * network did, for a message; NULL: it was not.  @a worst is the most of any host in that
 * time.
 */
const char *mtree_probe_load_reason(const mtree_probe_findings_t *findings,
                                    double seconds, const mtree_pressure_t *worst);

/* Free what @a findings holds. */
void mtree_probe_findings_clear(mtree_probe_findings_t *findings);

#endif
