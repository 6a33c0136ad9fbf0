/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Algorithms of papers that are the fastest on no network.  mtree(1) has them, and the
 * papers' figures; neither the component nor libmtree does.
 */
#ifndef MTREE_PAPERS_PUBLISHED_ALGORITHMS_H
#define MTREE_PAPERS_PUBLISHED_ALGORITHMS_H

/* Add them to the planner's, once, before anything is planned. */
void mtree_published_add(void);

#endif
