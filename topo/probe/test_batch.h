/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A batch of tests of hosts' own links, and the times at which they begin.
 */
#ifndef MTREE_TOPO_PROBE_TEST_BATCH_H
#define MTREE_TOPO_PROBE_TEST_BATCH_H

#include "topo/probe/graph.h"

#include <stdbool.h>

#define MTREE_PROBE_BATCH_CAPACITY 512 /* tests, and arcs of them all */

/* One test: a host sends over some of its links at once. */
typedef struct {
    int host;
    int first, num_arcs; /* in the batch's arcs */
    double rtt;          /* the longest round trip of these, seconds */
    double seconds;      /* of the streams */
    double begin;        /* seconds after the first test, once planned */
} mtree_probe_test_t;

/* Zeroed but for the graph: an empty batch. */
typedef struct {
    const mtree_probe_graph_t *graph;
    bool at_once; /* all tests begin together, are one set and last as long */
    int num_tests, num_arcs;
    mtree_probe_test_t tests[MTREE_PROBE_BATCH_CAPACITY];
    int arcs[MTREE_PROBE_BATCH_CAPACITY]; /* of all tests; each is a whole path */
} mtree_probe_test_batch_t;

/* Add a test: @a host sends across each of @a arcs, at least one, which leave it and end
 * at hosts.  False, and nothing is added, when the batch is full. */
bool mtree_probe_test_batch_add(mtree_probe_test_batch_t *batch, int host,
                                const int *arcs, int num_arcs, double rtt);

/*
 * Let each test begin as soon as possible, at once or such that no host sends for two
 * tests at a time or receives for two, and no link carries one in each direction.  After
 * a test its hosts and links stay idle for one round trip, in which its last bytes
 * arrive.  The tests are then in the order of their begin.  *seconds_p is when the last
 * one ends.  MTREE_ERR_NO_MEMORY.
 */
mtree_status_t mtree_probe_test_batch_plan(mtree_probe_test_batch_t *batch,
                                           double *seconds_p);

/* The same with streams of their usual length, or shortened, to the least length at most,
 * such that all end within @a seconds; @a left are left for the longest. */
mtree_status_t mtree_probe_test_batch_fit(mtree_probe_test_batch_t *batch, double seconds,
                                          double left);

/* Seconds of a stream over a round trip of @a rtt, usually and at least. */
double mtree_probe_usual_seconds(double rtt);
double mtree_probe_least_seconds(double rtt);

#endif
