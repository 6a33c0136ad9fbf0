/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/adapt/arrival_judge.h"

#include "simulate/simulate.h"

/* Hosts that arrive within this part of the trees' time arrive together. */
#define LEAST_SPREAD 0.1

/* The simulator cuts the message into so many chunks at most, of this size at least. */
#define MOST_CHUNKS 128
#define LEAST_CHUNK 16384

/* Calls that one simulation stands for, whose spreads differ by this factor at most. */
#define MOST_REUSED 8
#define ABOUT       1.5

void coll_mtree_arrival_judge_init(coll_mtree_arrival_judge_t *judge)
{
    *judge = (coll_mtree_arrival_judge_t){.spread = 0};
    mtree_arrival_choice_init(&judge->choice);
}

coll_mtree_arrival_ground_t
coll_mtree_arrival_judge_ground(coll_mtree_arrival_judge_t *judge, double spread,
                                double seconds)
{
    if (spread < LEAST_SPREAD * seconds) {
        return COLL_MTREE_ARRIVAL_TOGETHER;
    }
    return judge->spread <= 0 || ++judge->reused >= MOST_REUSED ||
                   spread > ABOUT * judge->spread || spread * ABOUT < judge->spread
               ? COLL_MTREE_ARRIVAL_SIMULATE
               : COLL_MTREE_ARRIVAL_REUSE;
}

/* What the ranks see of @a call over @a plan. */
static bool simulate(const coll_mtree_arrival_call_t *call, const mtree_plan_t *plan,
                     mtree_outcome_t *outcome_p)
{
    const coll_mtree_plan_hosts_t *hosts = call->hosts;
    mtree_simulate_options_t options;
    mtree_simulate_result_t result;

    mtree_simulate_default_options(&options);
    options.bytes = (size_t)call->call_class->bytes;
    options.root = call->root < 0 ? 0 : call->root;
    options.chunk_bytes = options.bytes / MOST_CHUNKS;
    options.chunk_bytes =
        options.chunk_bytes < LEAST_CHUNK ? LEAST_CHUNK : options.chunk_bytes;
    options.arrivals = call->arrivals;
    if (mtree_simulate_plan(hosts->topology, hosts->vertices, hosts->num_hosts, plan,
                            call->call_class->collective, &options,
                            &result) != MTREE_OK) {
        return false;
    }
    *outcome_p = (mtree_outcome_t){0, result.seconds};
    for (int h = 0; h < hosts->num_hosts; h++) {
        outcome_p->stay += (result.left[h] - call->arrivals[h]) / hosts->num_hosts;
    }
    mtree_simulate_result_clear(&result);
    return true;
}

bool coll_mtree_arrival_judge_simulate(coll_mtree_arrival_judge_t *judge,
                                       const coll_mtree_arrival_call_t *call,
                                       double spread)
{
    /* The simulator alone: the times that planners promise hold where ranks arrive
     * together, and a chain made then may differ from that of late ranks. */
    bool simulated = simulate(call, call->trees, &judge->trees) &&
                     simulate(call, call->arrival, &judge->arrival);

    judge->spread = simulated ? spread : 0;
    judge->reused = 0;
    return simulated;
}

void coll_mtree_arrival_judge_together(coll_mtree_arrival_judge_t *judge, double seconds)
{
    judge->trees = judge->arrival = (mtree_outcome_t){seconds, seconds};
    judge->spread = 0;
}

bool coll_mtree_arrival_judge_decide(coll_mtree_arrival_judge_t *judge)
{
    bool before = judge->choice.by_arrival;

    return mtree_arrival_choice_update(&judge->choice, &judge->trees, &judge->arrival) !=
           before;
}
