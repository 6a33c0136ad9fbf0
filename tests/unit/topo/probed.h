/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A network on which the link probe is tried: hosts that answer its experiments as those
 * of a topology would.
 */
#ifndef MTREE_TESTS_UNIT_TOPO_PROBED_H
#define MTREE_TESTS_UNIT_TOPO_PROBED_H

#include "topo/probe/probe.h"
#include "topo/topology.h"

#include <stdint.h>

#define PROBED_SECONDS 10

typedef struct {
    double noise;     /* relative, of every interval of a stream; pings are late by it */
    bool no_routes;   /* none can be traced */
    double silent;    /* part of the vertices that never answer a trace */
    bool interfaces;  /* vertices answer with an address for each of their neighbours */
    bool no_switches; /* switches forward frames: no trace shows them */
    int slow;         /* from this second of the streams' time on, not counting the first,
                         all that begin within a second have half their rate; 0: never */
    int rising;       /* the same, and they still get faster at their end; 0: never */
    double lingers;   /* seconds that each round of streams takes longer than it should */
    double seconds;   /* the budget; 0: PROBED_SECONDS */
    double bytes;     /* the budget; 0: none */
    uint64_t seed;
    const mtree_topology_t *known; /* all of its capacities are; NULL: none */
} probed_options_t;

/* Probe @a truth to the end and finish; the test fails when any call does.  Hosts come
 * first in the topology and have the names of truth's. */
void probed_run(const mtree_topology_t *truth, const probed_options_t *options,
                mtree_probe_findings_t *findings);

/*
 * The test fails unless every pair of hosts of @a findings has a route of as many links
 * as in @a truth, whose latency is within 10 % or 0.2 ms and whose bottleneck is within
 * @a tolerance of the true one, and both have as many switches and links.
 */
void probed_check(const mtree_topology_t *truth, const mtree_probe_findings_t *findings,
                  double tolerance);

/*
 * As probed_check() for every single link, vertices being known by their names: none more
 * and none fewer.  A capacity that is AT_LEAST has to be at least what the hosts on the
 * lesser side of the link can send or receive together, or 90 % of it.
 */
void probed_check_links(const mtree_topology_t *truth,
                        const mtree_probe_findings_t *findings, double tolerance);

#endif
