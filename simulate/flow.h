/*
 * Max-min fair rates of flows that share arcs (progressive filling: all rates grow
 * together, and a flow stops when one of its arcs is full or it has reached its own
 * limit; Bertsekas and Gallager, Data Networks, section 6.5.2).
 */
#ifndef MTREE_SIMULATE_FLOW_H
#define MTREE_SIMULATE_FLOW_H

typedef struct {
    int num_arcs;
    const int *arcs;
    const double
        *weights; /* [num_arcs] bits the arc carries for each bit of the flow; > 0 */
    double limit; /* bits/s the flow itself can take; > 0, may be INFINITY */
    double rate;  /* the answer, bits/s */
} mtree_fair_flow_t;

/*
 * Set the rate of each of the @a num_flows flows.  @a capacities are the arcs' in bits/s;
 * @a left and
 * @a load are scratch as long as @a capacities.  A flow without arcs gets its limit.
 */
void mtree_flows_share(mtree_fair_flow_t *const *flows, int num_flows,
                       const double *capacities, double *left, double *load);

#endif
