/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/runner.h"
#include "tests/unit/topo/fair_share.h"

#include "base/random.h"

#include <math.h>
#include <stdlib.h>

#define ARCS  12
#define FLOWS 40
#define USES  4

typedef struct {
    double capacities[ARCS];
    mtree_fair_share_t *flows;
    mtree_fair_share_flow_t flow[FLOWS];
    mtree_fair_share_use_t uses[FLOWS][USES];
} fixture_t;

/* Flows over some of the arcs each, with weights and some with a limit of their own. */
static fixture_t *scatter(mtree_random_t *random)
{
    fixture_t *fixture = calloc(1, sizeof(*fixture));
    mtree_fair_share_flow_t *flow;
    int arc, f, i;

    for (arc = 0; arc < ARCS; arc++) {
        fixture->capacities[arc] = 1.0 + (double)mtree_random_below(random, 5);
    }
    for (f = 0; f < FLOWS; f++) {
        flow = &fixture->flow[f];
        flow->uses = fixture->uses[f];
        flow->num_uses = (int)mtree_random_below(random, USES + 1);
        flow->limit = flow->num_uses == 0 || mtree_random_below(random, 4) == 0
                          ? 0.1 * (1.0 + (double)mtree_random_below(random, 9))
                          : INFINITY;
        arc = (int)mtree_random_below(random, ARCS);
        for (i = 0; i < flow->num_uses; i++) {
            flow->uses[i].arc = (arc + 5 * i) % ARCS;
            flow->uses[i].weight = i % 2 == 0 ? 1.0 : 0.25;
        }
    }
    unit_ok(mtree_fair_share_create(ARCS, fixture->capacities, &fixture->flows));
    return fixture;
}

/* Max-min fairness: no arc carries too much, and each flow is at its limit or crosses a
 * full arc on which no flow is faster. */
static void check_fair(const fixture_t *fixture)
{
    double load[ARCS] = {0}, fastest[ARCS] = {0};
    const mtree_fair_share_flow_t *flow;
    bool stopped;
    int arc, i;

    for (flow = fixture->flow; flow < fixture->flow + FLOWS; flow++) {
        for (i = 0; flow->joined && i < flow->num_uses; i++) {
            arc = flow->uses[i].arc;
            load[arc] += flow->uses[i].weight * flow->rate;
            fastest[arc] = fmax(fastest[arc], flow->rate);
        }
    }
    for (arc = 0; arc < ARCS; arc++) {
        ck_assert_double_le(load[arc], fixture->capacities[arc] * (1.0 + 1e-9));
    }
    for (flow = fixture->flow; flow < fixture->flow + FLOWS; flow++) {
        if (!flow->joined) {
            continue;
        }
        stopped = flow->rate >= flow->limit * (1.0 - 1e-9);
        ck_assert_double_le(flow->rate, flow->limit * (1.0 + 1e-9));
        for (i = 0; i < flow->num_uses && !stopped; i++) {
            arc = flow->uses[i].arc;
            stopped = load[arc] >= fixture->capacities[arc] * (1.0 - 1e-9) &&
                      flow->rate >= fastest[arc] * (1.0 - 1e-9);
        }
        ck_assert(stopped);
    }
}

/* Flows come and go, some before the arcs are shared at all. */
UNIT_LOOP(test_come_and_go, 0, 20)
{
    mtree_random_t random;
    fixture_t *fixture;
    mtree_fair_share_flow_t *const *touched;
    mtree_fair_share_flow_t *flow;
    int step, changes;

    mtree_random_init(&random, (uint64_t)_i);
    fixture = scatter(&random);
    for (step = 0; step < 200; step++) {
        for (changes = (int)mtree_random_below(&random, 4); changes >= 0; changes--) {
            flow = &fixture->flow[mtree_random_below(&random, FLOWS)];
            if (flow->joined) {
                mtree_fair_share_leave(fixture->flows, flow);
            } else {
                unit_ok(mtree_fair_share_join(fixture->flows, flow));
            }
        }
        mtree_fair_share_touched(fixture->flows, &touched);
        mtree_fair_share_share(fixture->flows);
        check_fair(fixture);
    }
    mtree_fair_share_destroy(fixture->flows);
    free(fixture);
}

/* Flows that share no arc with what came are not touched. */
UNIT_TEST(test_touched)
{
    static const double capacities[] = {8.0, 8.0, 8.0};
    mtree_fair_share_use_t uses[] = {{.arc = 0, .weight = 1.0},
                                     {.arc = 1, .weight = 1.0},
                                     {.arc = 1, .weight = 1.0},
                                     {.arc = 2, .weight = 1.0}};
    mtree_fair_share_flow_t ends = {.num_uses = 2, .uses = uses, .limit = INFINITY};
    mtree_fair_share_flow_t middle = {.num_uses = 1, .uses = uses + 2, .limit = INFINITY};
    mtree_fair_share_flow_t other = {.num_uses = 1, .uses = uses + 3, .limit = INFINITY};
    mtree_fair_share_flow_t *const *touched;
    mtree_fair_share_t *flows;

    unit_ok(mtree_fair_share_create(3, capacities, &flows));
    unit_ok(mtree_fair_share_join(flows, &ends));
    unit_ok(mtree_fair_share_join(flows, &other));
    ck_assert_int_eq(mtree_fair_share_touched(flows, &touched), 2);
    mtree_fair_share_share(flows);
    ck_assert_double_eq(ends.rate, 8.0);
    ck_assert_double_eq(other.rate, 8.0);
    unit_ok(mtree_fair_share_join(flows, &middle));
    ck_assert_int_eq(mtree_fair_share_touched(flows, &touched), 2);
    mtree_fair_share_share(flows);
    ck_assert_double_eq(ends.rate, 4.0);
    ck_assert_double_eq(middle.rate, 4.0);
    mtree_fair_share_leave(flows, &ends);
    ck_assert_int_eq(mtree_fair_share_touched(flows, &touched), 1);
    ck_assert_ptr_eq(touched[0], &middle);
    mtree_fair_share_share(flows);
    ck_assert_double_eq(middle.rate, 8.0);
    ck_assert_double_eq(other.rate, 8.0);
    ck_assert_int_eq(mtree_fair_share_touched(flows, &touched), 0);
    mtree_fair_share_destroy(flows);
}
