/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The link probe: what to measure between hosts to learn the network that joins them, and
 * how measurements become a topology (docs/probe.md).
 *
 * Nothing here sends a byte.  The coordinator (one process) asks for rounds of
 * experiments, has the hosts carry them out, and hands in what came out:
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

#include "topo/topology.h"

#include <stdint.h>
#include <stdio.h>

#define MTREE_PROBE_MAX_HOSTS 4096
#define MTREE_PROBE_MAX_HOPS  64 /* routers on one route */
#define MTREE_PROBE_MAX_MARKS 64 /* of one stream */

typedef struct mtree_probe mtree_probe_t;

typedef struct {
    const char *name;    /* as mpirun calls it; unique; becomes the vertex's name */
    const char *address; /* as it shows up as a hop of a route ("10.0.0.3"); unique */
    double speed;        /* of its interface by the system, bits/s; 0: not known */
} mtree_probe_host_t;

typedef struct {
    double seconds; /* budget: rounds are chosen such that they sum to less; > 0 */
    uint64_t seed;  /* of what is sampled where not everything is measured */
    bool routes;    /* experiments of kind ROUTE can be carried out */
    FILE *log;      /* all that the probe is told goes there, too; NULL: nowhere */
} mtree_probe_options_t;

typedef enum {
    /* Find the addresses on the way of `from`'s packets to `to`, and hand them over with
     * mtree_probe_add_route() before the round is recorded. */
    MTREE_PROBE_ROUTE,
    /* `repeats` round trips, one after the other, of a message of `bytes` and an answer
     * of the same size. */
    MTREE_PROBE_PING,
    /* Messages of `bytes` each from `from` to `to`, as many at a time as fill the way,
     * until `seconds` after their begin.  The receiver takes marks. */
    MTREE_PROBE_STREAM
} mtree_probe_kind_t;

typedef struct {
    mtree_probe_kind_t kind;
    int from, to;   /* positions in the hosts given at creation; they differ */
    size_t bytes;   /* of a message; 0 for ROUTE */
    int repeats;    /* PING: round trips; 0 for others */
    double seconds; /* STREAM: how long to send; 0 for others */
    double begin; /* STREAM: seconds after the round's begin at which to; 0 for others */
    int set;      /* STREAM: those of a set have one begin and one length; sets of all
                     rounds are numbered one after the other; 0 for others */
    int sharing;  /* STREAM: streams of the set, this one included, on the link of its
                     way that has most of them: each is to keep so much less under way,
                     for a queue that overflows shows nothing but pauses; 0 for others */
    double trip;  /* STREAM: seconds of a round trip on the empty way; 0: not known */
    double speed; /* STREAM: of the slower of the ends' interfaces by the system, bits/s;
                     0: not known */
} mtree_probe_experiment_t;

/*
 * Experiments, all of one kind.  Those that are no streams begin together; of streams
 * each set does, as well as the hosts can: what comes in during the first part of
 * `seconds` is not used.  A host may take part in several at a time, as sender and as
 * receiver.
 */
typedef struct {
    int num_experiments;                         /* 0: nothing is left to measure */
    const mtree_probe_experiment_t *experiments; /* the probe's, until the next call */
    const char *purpose; /* for a progress line: "latency of 19 links"; the probe's */
    double seconds;      /* about how long it should take */
    double share;        /* of the budget spent before it, 0 to 1 */
} mtree_probe_round_t;

/* The receiver's count of payload bytes after so many seconds.  All hosts are to count
 * from the same time, the begin of the stream's set, as well as they can tell. */
typedef struct {
    double seconds; /* since the set began; ascending */
    double bytes;   /* all that came in until then */
} mtree_probe_mark_t;

typedef struct {
    bool failed; /* it could not be carried out; the rest is then not looked at */
    /* PING, seconds of a round trip. */
    double least, median;
    /* STREAM: at about equal intervals, 8 to MTREE_PROBE_MAX_MARKS of them; the first and
     * the last byte are marks too. */
    int num_marks;
    mtree_probe_mark_t marks[MTREE_PROBE_MAX_MARKS];
} mtree_probe_result_t;

/* How a figure of the topology came about. */
typedef enum {
    MTREE_PROBE_MEASURED, /* from experiments that nothing else explains */
    MTREE_PROBE_AT_LEAST, /* so much was seen; nothing that could use more tried */
    MTREE_PROBE_ASSUMED   /* not seen: from what the system says, or from its like */
} mtree_probe_basis_t;

typedef struct {
    mtree_probe_basis_t basis;
    double spread; /* relative: half of repeated measurements were within it; 0 for one */
} mtree_probe_confidence_t;

typedef struct {
    mtree_probe_confidence_t capacity[2]; /* as the link's capacity */
    mtree_probe_confidence_t latency;
} mtree_probe_link_t;

typedef struct {
    mtree_topology_t *topology; /* hosts first, in the order given; then switches */
    mtree_probe_link_t *links;  /* [topology->num_links] */
    bool routes_known;          /* from hops; else the shape was inferred from figures */
    int num_routes;             /* routes seen */
    int num_routes_kept; /* of these, the ones mtree_routes_create() finds in topology */
    int num_rounds;
    double seconds; /* spent, the sum of what was recorded */
    double bytes;   /* that streams and pings carried */
} mtree_probe_findings_t;

/*
 * Start probing between @a num_hosts hosts (1 to MTREE_PROBE_MAX_HOSTS; copied).
 * MTREE_ERR_INVALID for names or addresses that are empty or there twice and for options
 * out of range, MTREE_ERR_LIMIT, MTREE_ERR_NO_MEMORY (logged).
 */
mtree_status_t mtree_probe_create(const mtree_probe_host_t *hosts, int num_hosts,
                                  const mtree_probe_options_t *options,
                                  mtree_probe_t **probe_p);

/* Free; NULL is allowed. */
void mtree_probe_destroy(mtree_probe_t *probe);

/*
 * @a address is another address of @a host, one of its other interfaces.  To be called
 * before routes that hold it are added; the same once more does nothing.
 * MTREE_ERR_INVALID (logged) when another host has it.
 */
mtree_status_t mtree_probe_add_address(mtree_probe_t *probe, int host,
                                       const char *address);

/*
 * Packets from @a from to @a to pass @a hops in this order, without the two ends:
 * num_hops = 0 says that there is nobody in between, as on one Ethernet.  A hop that is a
 * host's address is that host; another address is a router; "" is a router that did not
 * answer.  Routes may be added before the first round (then they are not asked for) or
 * while a round with ROUTE experiments runs; MTREE_ERR_INVALID (logged) at other times or
 * when a route visits an address twice or holds its ends.
 */
mtree_status_t mtree_probe_add_route(mtree_probe_t *probe, int from, int to,
                                     const char *const *hops, int num_hops);

/*
 * The next round; num_experiments is 0 when nothing is left to measure or the budget is
 * spent.  Each round has to be recorded before the next: MTREE_ERR_INVALID (logged)
 * otherwise.  MTREE_ERR_NO_MEMORY.
 */
mtree_status_t mtree_probe_next(mtree_probe_t *probe, mtree_probe_round_t *round_p);

/*
 * The results of the last round, in its order, which took @a seconds from the first
 * message about it to the last result.  @a results may be NULL for a round of ROUTE
 * experiments.  MTREE_ERR_INVALID (logged) for marks or times that cannot be.
 */
mtree_status_t mtree_probe_record(mtree_probe_t *probe,
                                  const mtree_probe_result_t *results, double seconds);

/*
 * The topology as far as it is known by now, at any time between rounds; the caller
 * clears it.  MTREE_ERR_UNREACHABLE (logged) when the experiments that worked do not
 * join all hosts.
 */
mtree_status_t mtree_probe_finish(mtree_probe_t *probe,
                                  mtree_probe_findings_t *findings_p);

/* Free what @a findings holds. */
void mtree_probe_findings_clear(mtree_probe_findings_t *findings);

#endif
