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
 *         ... carry out all of round.experiments at the same time ...
 *         mtree_probe_record(probe, results, seconds);
 *     }
 *     mtree_probe_finish(probe, &findings);
 *     mtree_probe_destroy(probe);
 *
 * The same options and results give the same rounds and the same topology.
 */
#ifndef MTREE_TOPO_PROBE_PROBE_H
#define MTREE_TOPO_PROBE_PROBE_H

#include "base/address.h"
#include "topo/host/interface.h"
#include "topo/host/processor.h"
#include "topo/host/traceroute.h"
#include "topo/topology.h"

#include <stdint.h>
#include <stdio.h>

#define MTREE_PROBE_MAX_HOSTS   4096
#define MTREE_PROBE_MAX_SAMPLES 64 /* of one stream */

typedef struct mtree_probe mtree_probe_t;

typedef struct {
    const char *name;    /* that mpirun uses; unique; becomes the vertex's name */
    const char *address; /* with which it appears as a hop ("10.0.0.3"); unique */
    double speed; /* of its interface according to the system, bits/s; 0: not known */
} mtree_probe_host_t;

/* What a host has. */
typedef struct {
    mtree_interface_t list[MTREE_HOST_INTERFACES]; /* [count] */
    int count;
    mtree_address_t own; /* the one that its messages take without a plan */
} mtree_host_interfaces_t;

typedef struct {
    double seconds; /* budget of all rounds; links have 0.5 s at least */
    double bytes;   /* budget: all rounds together send no more; 0: without limit */
    uint64_t seed;  /* of the random samples of large networks */
    bool traces;    /* routes can be traced; else round trips alone tell of them */
    FILE *log;      /* receives a record of all results; NULL: none */
    double
        byte_seconds; /* that a processor needs for a byte of a message; 0: not known */
} mtree_probe_options_t;

typedef enum {
    /* `from` sends a packet to `to` that may pass `limit` hops (topo/host/traceroute.h).
     */
    MTREE_PROBE_TRACE,
    /* `repeats` round trips, one after the other, of a message of `bytes` and a reply of
     * the same size. */
    MTREE_PROBE_PING,
    /* Messages from `from` to `to`, as many at a time as fill the path, until `seconds`
     * after the first, or until the next would make it more than `bytes` in all.  The
     * receiver records rate samples. */
    MTREE_PROBE_STREAM,
    /* `from` connects its address ends[0] with ends[1] of `to`, and both send as fast as
     * they can. */
    MTREE_PROBE_CABLE
} mtree_probe_kind_t;

typedef struct {
    mtree_probe_kind_t kind;
    int from, to;            /* positions in the hosts given at creation; they differ */
    int limit;               /* TRACE; 0 for others */
    mtree_address_t ends[2]; /* CABLE; none for others */
    size_t bytes;            /* PING: of a message; STREAM: the most that it sends */
    int repeats;             /* PING: round trips; 0 for others */
    double seconds;          /* STREAM: how long to send; 0 for others */
    int sharing;  /* STREAM: how many streams of the round, with this one, cross the
                     busiest link of its path: each keeps that many times less data in
                     flight, because a queue that overflows shows only pauses; 0 for
                     others */
    double rtt;   /* STREAM: seconds of a round trip on the idle path; 0: not known */
    double speed; /* STREAM: of the slower end's interface according to the system,
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
    mtree_traceroute_answer_t answer;   /* TRACE */
    char address[MTREE_ADDRESS_LENGTH]; /* TRACE: who answered */
    /* CABLE: bits/s from the first end to the second, and back; 0: they are apart. */
    double rate[2];
    double latency; /* CABLE: seconds, one way; infinite: not known */
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
 * Start probing between @a num_hosts hosts (copied).  MTREE_ERR_INVALID for a name that
 * no vertex may have, MTREE_ERR_LIMIT for more hosts than MTREE_PROBE_MAX_HOSTS, both
 * logged.
 */
mtree_status_t mtree_probe_create(const mtree_probe_host_t *hosts, int num_hosts,
                                  const mtree_probe_options_t *options,
                                  mtree_probe_t **probe_p);

/* Free; NULL is allowed. */
void mtree_probe_destroy(mtree_probe_t *probe);

/* @a address is another address of @a host, that of another interface; of two hosts, as
 * the bridges of containers have, the first keeps it.  Call it before the first round. */
void mtree_probe_add_address(mtree_probe_t *probe, int host, const char *address);

/* Set the kernel's first hop from @a host to @a target, before the first round; where it
 * is not set, each target is asked for. */
void mtree_probe_set_first_hop(mtree_probe_t *probe, int host, int target,
                               const mtree_kernel_route_t *first_hop);

/* Try the networks that @a hosts, [num_hosts], have interfaces in, too
 * (topo/probe/networks.h).  Call it before the first round. */
void mtree_probe_set_interfaces(mtree_probe_t *probe,
                                const mtree_host_interfaces_t *hosts);

/*
 * Streams need not measure the links of @a map, which an earlier probe found between some
 * of the hosts and others, again; a capacity of 0 is not known.  An arc is known by the
 * names of its ends, and that of a host's only link to a switch by the host.  Call it
 * before the first round.
 */
void mtree_probe_add_known(mtree_probe_t *probe, const mtree_topology_t *map);

/* The next round; num_experiments is 0 when nothing is left to measure or the budget is
 * spent.  MTREE_ERR_UNREACHABLE and MTREE_ERR_UNSUPPORTED (logged): no topology comes
 * out. */
mtree_status_t mtree_probe_next(mtree_probe_t *probe, mtree_probe_round_t *round_p);

/* Record the results of the last round, in its order; those that cannot be count as
 * failed.  It took @a seconds from the first message about it to the last result. */
void mtree_probe_record(mtree_probe_t *probe, mtree_probe_result_t *results,
                        double seconds);

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
