/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finding the routes between all hosts with few questions.
 *
 * A question is put by one host: who is hop number LIMIT on the way to TARGET
 * (topo/host/traceroute.h)?  Packets are forwarded by their destination, so what follows
 * a router or a host on the way to a target is asked once, by the host that has been
 * asked least, and holds for the routes of all: with a switch that every host sees one
 * hop away, 12 hosts ask 24 questions for 132 routes.  Targets that the kernel sends
 * through the same gateway, or through a device at whose other end somebody else has
 * answered, share their first hop.
 */
#ifndef MTREE_TOPO_PROBE_TRACEROUTE_SEARCH_H
#define MTREE_TOPO_PROBE_TRACEROUTE_SEARCH_H

#include "topo/host/kernel_route.h"
#include "topo/host/traceroute.h"

#define MTREE_ROUTE_SEARCH_MAX_HOPS 30

typedef struct mtree_traceroute_search mtree_traceroute_search_t;

typedef struct {
    int host;   /* that asks */
    int target; /* another host */
    int limit;  /* hops */
} mtree_route_question_t;

/* A search for the routes between hosts 0 to @a num_hosts - 1.  MTREE_ERR_NO_MEMORY. */
mtree_status_t mtree_traceroute_search_create(int num_hosts,
                                              mtree_traceroute_search_t **search_p);

/* Free; NULL is allowed. */
void mtree_traceroute_search_destroy(mtree_traceroute_search_t *search);

/* One more address of @a host, by which it is recognised.  MTREE_ERR_NO_MEMORY. */
mtree_status_t mtree_traceroute_search_add_address(mtree_traceroute_search_t *search,
                                                   int host,
                                                   const mtree_address_t *address);

/* What the kernel of @a host says about the way to @a target; where it says nothing, each
 * target is asked for. */
void mtree_traceroute_search_set_first_hop(mtree_traceroute_search_t *search, int host,
                                           int target,
                                           const mtree_kernel_route_t *first_hop);

/*
 * The route from @a host to @a target is wanted; once one is, the others are not asked
 * for.  MTREE_ERR_NO_MEMORY.
 */
mtree_status_t mtree_traceroute_search_want(mtree_traceroute_search_t *search, int host,
                                            int target);

/*
 * The questions to put now, all at the same time, ordered by host; the search's, until
 * the next call of this function.  *num_questions_p is 0 when all that can be found is
 * found.  MTREE_ERR_NO_MEMORY.
 */
mtree_status_t mtree_traceroute_search_ask(mtree_traceroute_search_t *search,
                                           const mtree_route_question_t **questions_p,
                                           int *num_questions_p);

/*
 * The answer to @a question, which mtree_traceroute_search_ask() gave last; @a from
 * matters where somebody answered.  MTREE_ERR_NO_MEMORY.
 */
mtree_status_t mtree_traceroute_search_answer(mtree_traceroute_search_t *search,
                                              const mtree_route_question_t *question,
                                              mtree_traceroute_answer_t answer,
                                              const mtree_address_t *from);

/*
 * The route from host @a from to host @a to: the address of each hop up to and with the
 * target into @a hops [MTREE_ROUTE_SEARCH_MAX_HOPS]; a hop that did not answer has none.
 * Returns the number of hops, 0 when the route is not known to its end.  A host's address
 * is the first that was added.
 */
int mtree_traceroute_search_get(const mtree_traceroute_search_t *search, int from, int to,
                                mtree_address_t *hops);

#endif
