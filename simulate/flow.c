#include "simulate/flow.h"

#include <math.h>
#include <stdbool.h>

/* Arcs whose fill level is equal but for rounding are full together. */
#define LEVEL_TOLERANCE 1e-12

static void prepare(mtree_fair_flow_t *const *flows, int num_flows,
                    const double *capacities, double *left, double *load)
{
    int arc, f, i;

    for (f = 0; f < num_flows; f++) {
        flows[f]->rate = -1.0;
        for (i = 0; i < flows[f]->num_arcs; i++) {
            arc = flows[f]->arcs[i];
            left[arc] = capacities[arc];
            load[arc] = 0.0;
        }
    }
    for (f = 0; f < num_flows; f++) {
        for (i = 0; i < flows[f]->num_arcs; i++) {
            load[flows[f]->arcs[i]] += flows[f]->weights[i];
        }
    }
}

/* The rate at which a flow that still grows would stop if only its own arcs mattered. */
static double flow_level(const mtree_fair_flow_t *flow, const double *left,
                         const double *load)
{
    double level = flow->limit;
    int i;

    for (i = 0; i < flow->num_arcs; i++) {
        level = fmin(level, left[flow->arcs[i]] / load[flow->arcs[i]]);
    }
    return level;
}

static void stop(mtree_fair_flow_t *flow, double rate, double *left, double *load)
{
    int i;

    flow->rate = rate;
    for (i = 0; i < flow->num_arcs; i++) {
        left[flow->arcs[i]] -= rate * flow->weights[i];
        load[flow->arcs[i]] -= flow->weights[i];
    }
}

void mtree_flows_share(mtree_fair_flow_t *const *flows, int num_flows,
                       const double *capacities, double *left, double *load)
{
    int growing = num_flows, f;
    double level;

    prepare(flows, num_flows, capacities, left, load);
    while (growing > 0) {
        level = INFINITY;
        for (f = 0; f < num_flows; f++) {
            if (flows[f]->rate < 0.0) {
                level = fmin(level, flow_level(flows[f], left, load));
            }
        }
        for (f = 0; f < num_flows; f++) {
            if (flows[f]->rate < 0.0 &&
                flow_level(flows[f], left, load) <= level * (1.0 + LEVEL_TOLERANCE)) {
                stop(flows[f], level, left, load);
                growing--;
            }
        }
    }
}
