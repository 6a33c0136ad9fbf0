/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A simulated line of hosts and switches, for files whose tests have one at a time:
 *
 *     UNIT_FIXTURE(NULL, line_forget)
 *
 * Rates of 8 Mb/s make a byte a microsecond; a packet holds 1000 bytes and has no header
 * unless a test says so.
 */
#ifndef MTREE_TESTS_UNIT_SIMULATE_LINE_H
#define MTREE_TESTS_UNIT_SIMULATE_LINE_H

#include "simulate/network.h"
#include "tests/unit/given.h"

#define RATE 8e6

static const double even[] = {RATE, RATE, RATE, RATE};

static mtree_event_queue_t *queue;
static mtree_network_t *network;

static inline mtree_network_options_t plain(void)
{
    mtree_network_options_t options;

    mtree_network_default_options(&options);
    options.packet_bytes = 1000;
    options.header_bytes = 0;
    options.ack_bytes = 0;
    return options;
}

static inline void line_forget(void)
{
    mtree_network_destroy(network);
    mtree_event_queue_destroy(queue);
    network = NULL;
    queue = NULL;
    forget();
}

/* A line of vertices: 'h' hosts, 's' switches; 10 ms per link, @a rates in bits/s, and
 * what its packets meet (NULL: nothing).  The one before is forgotten. */
static inline void line(const char *kinds, const double *rates,
                        const mtree_link_conditions_t *conditions,
                        const mtree_network_options_t *options)
{
    line_forget();
    given(map_chain(kinds, rates, 0.010));
    for (int l = 0; l < topology->num_links && conditions != NULL; l++) {
        topology->links[l].conditions = *conditions;
    }
    queue = mtree_event_queue_create();
    unit_ok(mtree_network_create(queue, topology, hosts, num_hosts, options, &network));
}

static inline void run(void)
{
    unit_ok(mtree_event_queue_run(queue));
}

#endif
