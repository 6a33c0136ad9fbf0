/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sites: hosts that are near each other and far from all others, by the latencies of
 * their routes.
 */
#ifndef MTREE_PLANNER_REGULAR_SITES_H
#define MTREE_PLANNER_REGULAR_SITES_H

#include "planner/plan/algorithm.h"

typedef struct {
    int num_sites;
    int *site;   /* [num_hosts] of each host */
    int *place;  /* [num_hosts] of the host among those of its site */
    int *first;  /* [num_sites + 1] where the hosts of a site start in `member` */
    int *member; /* [num_hosts] hosts, by site, in ascending order */
} mtree_sites_t;

/*
 * The sites of the problem's hosts, in its arena.  Where latencies form no clusters, or
 * one, each host is a site.  MTREE_ERR_NO_MEMORY.
 */
mtree_status_t mtree_sites_find(const mtree_problem_t *problem, mtree_sites_t *sites_p);

/* The host that stands for @a site towards the host in @a place of another. */
static inline int mtree_sites_gateway(const mtree_sites_t *sites, int site, int place)
{
    int first = sites->first[site];

    return sites->member[first + place % (sites->first[site + 1] - first)];
}

#endif
