/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Column generation: find the trees that the packing's linear program needs, and prove
 * how good it is.
 */
#ifndef MTREE_PLANNER_PACKING_COLGEN_H
#define MTREE_PLANNER_PACKING_COLGEN_H

#include "planner/packing/master.h"
#include "planner/packing/prim.h"

/* A tree is added when its reduced cost is below minus this (groups' prices sum
 * to one). */
#define MTREE_GAIN 1e-9

/* Put the cheapest tree of a group under constraint prices into @a edges, and add the
 * work of that to the column generation's. */
typedef mtree_status_t (*mtree_colgen_find_t)(void *finder,
                                              const double *constraint_price, int group,
                                              int *edges);

typedef struct {
    const mtree_problem_t *problem;
    const mtree_candidates_t *candidates;
    mtree_columns_t *columns;
    mtree_master_t *master;
    mtree_prim_t *prim;
    mtree_colgen_find_t find; /* who finds trees that do not span all hosts; else NULL */
    void *finder;
    int *into;           /* [num_hosts] the edge into each host; directed */
    double bound;        /* bits/s that no group can get beyond, whatever the trees */
    double *bound_price; /* [num_constraints] constraint prices that prove it */
    double work;         /* done so far, in steps of a few nanoseconds */
    double *constraint_price; /* [num_constraints] prices to look at, and scratch */
    double *price;            /* scratch, [num_edges] */
    int *uses;                /* scratch, [num_constraints] */
    int *edges;               /* scratch, [num_hosts - 1] */
} mtree_colgen_t;

/*
 * A generator with an empty pool for the problem, in its arena; *colgen_p is for
 * mtree_colgen_destroy() also on failure.  @a candidates must outlive it.
 */
mtree_status_t mtree_colgen_create(const mtree_problem_t *problem,
                                   const mtree_candidates_t *candidates,
                                   mtree_colgen_t **colgen_p);

/* Free what is not in the arena; NULL is allowed. */
void mtree_colgen_destroy(mtree_colgen_t *colgen);

/* Is it a scan's? */
bool mtree_colgen_is_prefix(const mtree_colgen_t *colgen);

/* The blocks that a message is of: the linear program is about one, as each tree carries
 * one for each host, or each group sends one.  Of a scan a message is one block. */
double mtree_colgen_num_blocks(const mtree_colgen_t *colgen);

/* The root of a group, where it is given. */
int mtree_colgen_root(const mtree_colgen_t *colgen, int group);

/*
 * The cheapest tree of a group under constraint prices into colgen->edges, its price into
 * *cost_p. Undirected: a cheapest spanning tree; directed: a cheapest arborescence;
 * personalized: a tree of cheapest paths; or what colgen->find finds.
 */
mtree_status_t mtree_colgen_cheapest(mtree_colgen_t *colgen,
                                     const double *constraint_price, int group,
                                     double *cost_p);

/*
 * Keep the bound that @a constraint_price proves, when each group's cheapest trees
 * together cost
 * @a cost, if it is the lowest so far.
 */
void mtree_colgen_offer_bound(mtree_colgen_t *colgen, const double *constraint_price,
                              double cost);

/* Keep the bound that colgen->constraint_price proves for all groups together, if it is
 * the lowest so far. */
mtree_status_t mtree_colgen_prove(mtree_colgen_t *colgen);

/*
 * Where edges share constraints (switches), a cheapest tree may run through one
 * constraint many times: replace colgen->edges by a tree that is cheap and does not.
 * Elsewhere nothing is done.
 */
void mtree_colgen_balance(mtree_colgen_t *colgen, const double *constraint_price,
                          int group);

/*
 * Put a cheap tree into colgen->edges that keeps the limit on height: the cheapest as
 * long as one is found, else one of short distances.  False when neither is found.
 */
bool mtree_colgen_find_low(mtree_colgen_t *colgen, const double *constraint_price,
                           int group);

/* Add @a rounds trees of each group in turn, of which each makes its constraints dearer:
 * together they fill the network evenly. */
mtree_status_t mtree_colgen_begin(mtree_colgen_t *colgen, int rounds);

/*
 * Make the master's solution optimal for throughput, or until bound and x differ by at
 * most @a tolerance (a fraction), or until colgen->work reaches @a work.
 */
mtree_status_t mtree_colgen_run(mtree_colgen_t *colgen, double tolerance, double work);

/*
 * Solve the master, and count the work.  When colgen->work reaches @a work (but not at
 * once), the solution is one that keeps the capacities, perhaps not the best.
 */
mtree_status_t mtree_colgen_solve(mtree_colgen_t *colgen, double work);

/* As mtree_colgen_run(), when the shape of a tree counts, by the time or by a limit on
 * height: prices trees grown with an eye on distance. */
mtree_status_t mtree_colgen_run_shaped(mtree_colgen_t *colgen, double work);

/*
 * The least time in which @a bits (of each group) can be delivered, latency included:
 * Newton's method on T, trees priced by rate and delay.  Sets *time_p and leaves the
 * master solved for it.
 */
mtree_status_t mtree_colgen_run_time(mtree_colgen_t *colgen, double bits, double work,
                                     double *time_p);

#endif
