/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A search for the routes between all hosts with few questions.
 *
 * One host asks a question: which router is hop number LIMIT on the route to TARGET
 * (topo/host/traceroute.h)?  Packets are forwarded by their destination.  So the hop
 * after a vertex on the route to a target is the same for all sources, and one host asks
 * for it, the one with the fewest questions.  12 hosts that are one hop from a common
 * switch ask 24 questions for 132 routes.  Targets share their first hop when the kernel
 * sends to them through the same gateway, or through a device at whose other end a router
 * has answered.
 */
#ifndef MTREE_TOPO_PROBE_TRACEROUTE_SEARCH_H
#define MTREE_TOPO_PROBE_TRACEROUTE_SEARCH_H

#include "topo/host/traceroute.h"
#include "topo/probe/routes.h"

typedef struct mtree_traceroute_search mtree_traceroute_search_t;

typedef struct {
    int host;   /* that asks */
    int target; /* another host */
    int limit;  /* hops */
} mtree_route_question_t;

/* A search for the routes between the hosts of @a routes, which stays and knows their
 * addresses. */
mtree_traceroute_search_t *mtree_traceroute_search_create(mtree_probe_routes_t *routes);

/* Free; NULL is allowed. */
void mtree_traceroute_search_destroy(mtree_traceroute_search_t *search);

/* As mtree_probe_set_first_hop(). */
void mtree_traceroute_search_set_first_hop(mtree_traceroute_search_t *search, int host,
                                           int target,
                                           const mtree_kernel_route_t *first_hop);

/*
 * Search the route from @a host to @a target.  Without any call of this function all
 * routes are searched, else only those named.
 */
void mtree_traceroute_search_want(mtree_traceroute_search_t *search, int host,
                                  int target);

/*
 * Want the routes of each host to the next one and to 2 + log2(num_hosts) random ones, in
 * both directions, because the path back shows other addresses of the same routers; all
 * routes of few hosts.
 */
void mtree_traceroute_search_sample(mtree_traceroute_search_t *search, uint64_t seed);

/*
 * The questions to ask now, all at the same time, ordered by host.  The search owns them
 * until the next call of this function.  *num_questions_p is 0 at the end of the search.
 */
const mtree_route_question_t *
mtree_traceroute_search_ask(mtree_traceroute_search_t *search, int *num_questions_p);

/*
 * Record the answer to @a question, one of the last that mtree_traceroute_search_ask()
 * returned; @a from is the address of who answered, "" where that does not show.
 */
void mtree_traceroute_search_answer(mtree_traceroute_search_t *search,
                                    const mtree_route_question_t *question,
                                    mtree_traceroute_answer_t answer, const char *from);

/*
 * Write the route from host @a from to host @a to into @a hops [MTREE_PROBE_MAX_HOPS]:
 * the address of each hop, the target included; "" for a hop that did not answer.
 * Returns the number of hops, 0 when the route is not known to its end.
 */
int mtree_traceroute_search_get(const mtree_traceroute_search_t *search, int from, int to,
                                const char **hops);

#endif
