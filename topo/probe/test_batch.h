/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * When tests of hosts' own links begin.
 */
#ifndef MTREE_TOPO_PROBE_TEST_BATCH_H
#define MTREE_TOPO_PROBE_TEST_BATCH_H

#include "topo/probe/graph.h"

#include <stdbool.h>

#define MTREE_PROBE_AGENDA_ROOM 512 /* tests, and arcs of them all */

/* A host sends over some of its links at once. */
typedef struct {
    int host;
    int first, num_arcs; /* in the agenda's arcs */
    double trip;         /* the longest round trip of these, seconds */
    double seconds;      /* how long to send; set by the user of the agenda */
    double begin;        /* seconds after the first test's begin, once planned */
} mtree_probe_test_t;

typedef struct {
    const mtree_probe_graph_t *graph;
    int num_tests, num_arcs;
    mtree_probe_test_t tests[MTREE_PROBE_AGENDA_ROOM];
    int arcs[MTREE_PROBE_AGENDA_ROOM]; /* of all tests; each is a whole path */
} mtree_probe_test_batch_t;

/* Start without tests. */
void mtree_probe_test_batch_init(mtree_probe_test_batch_t *agenda,
                                 const mtree_probe_graph_t *graph);

/* Add a test: @a host sends across each of @a arcs, at least one, which leave it and end
 * at hosts.  False, and nothing is added, when there is no room for it. */
bool mtree_probe_test_batch_add(mtree_probe_test_batch_t *agenda, int host,
                                const int *arcs, int num_arcs, double trip);

/*
 * Let each test begin as soon as it can: no host sends for two tests at a time nor
 * receives for two, and no link carries one each way.  After a test its hosts and links
 * are left alone for one round trip, in which the last bytes come in.  Tests are ordered
 * by their begin then.  *seconds_p is when the last one ends.  MTREE_ERR_NO_MEMORY.
 */
mtree_status_t mtree_probe_test_batch_plan(mtree_probe_test_batch_t *agenda,
                                           double *seconds_p);

#endif
