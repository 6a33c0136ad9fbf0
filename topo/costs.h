/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What messages cost processors: the one place that says it where nobody measured.
 */
#ifndef MTREE_TOPO_COSTS_H
#define MTREE_TOPO_COSTS_H

/* Of the processor of a message's sender, and as much of its receiver's. */
typedef struct {
    double message; /* seconds; 0: not measured */
    double byte;    /* seconds for each byte beyond that; 0: not measured */
} mtree_message_cost_t;

/* What @a measured says, else what Open MPI's TCP showed in labs. */
mtree_message_cost_t mtree_message_cost(const mtree_message_cost_t *measured);

/*
 * Seconds that a message delays what follows it at both of its ends, besides its bytes.
 * They work at the same time in part.
 */
double mtree_message_cost_hop(const mtree_message_cost_t *measured);

#endif
