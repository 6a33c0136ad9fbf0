/* SPDX-License-Identifier: BSD-3-Clause */
#include "papers/baselines/unpipelined.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BITS_PER_BYTE 8.0

/* Less than a bit is nothing; shares that differ by less are equal. */
#define LEAST_BITS 1e-3
#define ROUNDING   1e-9

/* Bits/s of a message when rounding left its arc nothing. */
#define LEAST_RATE 1.0

typedef enum { WAITING, SENDING, FLYING, ARRIVED } state_t;

/* One message: tree t's part from a host to its parent. */
typedef struct {
    int tree, host, parent;
    state_t state;
    int waits_for; /* children whose messages have not arrived */
    double bits;   /* not sent yet */
    double rate;
    double arrives; /* when FLYING: the latency after the last bit */
} message_t;

typedef struct {
    const mtree_plan_t *plan;
    const mtree_topology_t *topology;
    const mtree_routes_t *routes;
    message_t *messages; /* [num_trees * num_hosts]; a root's is never sent */
    int num_messages;
    double *left; /* [arcs] capacity not given to a message yet */
    int *sharers; /* [arcs] messages without a rate yet */
    double now;
} run_t;

static double message_latency(const run_t *run, const message_t *message)
{
    return mtree_routes_latency(run->routes, message->host, message->parent);
}

static void init_messages(run_t *run, double bytes)
{
    int n = run->plan->num_hosts;

    for (int i = 0; i < run->num_messages; i++) {
        message_t *message = &run->messages[i];
        const mtree_tree_t *tree = &run->plan->trees[i / n];
        int parent = tree->parent[i % n];

        message->tree = i / n;
        message->host = i % n;
        message->parent = parent;
        message->bits = tree->share * bytes * BITS_PER_BYTE;
        if (parent < 0) {
            message->state = ARRIVED;
            continue;
        }
        run->messages[message->tree * n + parent].waits_for++;
    }
}

static void start_ready(run_t *run)
{
    for (int i = 0; i < run->num_messages; i++) {
        if (run->messages[i].state == WAITING && run->messages[i].waits_for == 0) {
            run->messages[i].state = SENDING;
        }
    }
}

/* The least share that an arc can give to each message without a rate; infinite when all
 * have one. */
static double least_share(const run_t *run)
{
    double least = INFINITY;

    for (int arc = 0; arc < 2 * run->topology->num_links; arc++) {
        if (run->sharers[arc] > 0) {
            least = fmin(least, run->left[arc] / run->sharers[arc]);
        }
    }
    return least;
}

static bool is_limited(const run_t *run, const message_t *message, double share)
{
    MTREE_ROUTE_ARCS (arc, run->routes, message->host, message->parent) {
        if (run->left[arc] <= share * (1 + ROUNDING) * run->sharers[arc]) {
            return true;
        }
    }
    return false;
}

/* Max-min fair rates: fill all messages alike until an arc is full, fix those on it, go
 * on with the rest. */
static void share_rates(run_t *run)
{
    double share;

    for (int arc = 0; arc < 2 * run->topology->num_links; arc++) {
        run->left[arc] = mtree_arc_capacity(run->topology, arc);
        run->sharers[arc] = 0;
    }
    for (int i = 0; i < run->num_messages; i++) {
        message_t *message = &run->messages[i];

        message->rate = 0;
        if (message->state != SENDING) {
            continue;
        }
        MTREE_ROUTE_ARCS (arc, run->routes, message->host, message->parent) {
            run->sharers[arc]++;
        }
    }
    for (share = least_share(run); isfinite(share); share = least_share(run)) {
        for (int i = 0; i < run->num_messages; i++) {
            message_t *message = &run->messages[i];

            if (message->state != SENDING || message->rate > 0 ||
                !is_limited(run, message, share)) {
                continue;
            }
            message->rate = fmax(share, LEAST_RATE);
            MTREE_ROUTE_ARCS (arc, run->routes, message->host, message->parent) {
                run->left[arc] -= share;
                run->sharers[arc]--;
            }
        }
    }
}

/* When the next message is sent or arrives; infinite when there is none. */
static double next_event(const run_t *run)
{
    double next = INFINITY;

    for (int i = 0; i < run->num_messages; i++) {
        const message_t *message = &run->messages[i];

        if (message->state == SENDING) {
            next = fmin(next, run->now + message->bits / message->rate);
        } else if (message->state == FLYING) {
            next = fmin(next, message->arrives);
        }
    }
    return next;
}

static void advance(run_t *run, double until)
{
    int n = run->plan->num_hosts;

    for (int i = 0; i < run->num_messages; i++) {
        message_t *message = &run->messages[i];

        if (message->state == SENDING) {
            message->bits -= message->rate * (until - run->now);
            if (message->bits < LEAST_BITS) {
                message->state = FLYING;
                message->arrives = until + message_latency(run, message);
            }
        }
        if (message->state == FLYING && message->arrives <= until) {
            const mtree_tree_t *tree = &run->plan->trees[message->tree];

            message->state = ARRIVED;
            run->messages[message->tree * n + tree->parent[message->host]].waits_for--;
        }
    }
    run->now = until;
}

double mtree_unpipelined_seconds(const mtree_plan_t *plan,
                                 const mtree_topology_t *topology,
                                 const mtree_routes_t *routes, double bytes)
{
    run_t run = {.plan = plan,
                 .topology = topology,
                 .routes = routes,
                 .num_messages = plan->num_trees * plan->num_hosts};
    size_t num_arcs = 2 * (size_t)topology->num_links + 1;
    double next = 0;

    run.messages = mtree_calloc((size_t)run.num_messages, sizeof(*run.messages));
    run.left = mtree_malloc(num_arcs * sizeof(*run.left));
    run.sharers = mtree_malloc(num_arcs * sizeof(*run.sharers));
    init_messages(&run, bytes);
    while (isfinite(next)) {
        advance(&run, next);
        start_ready(&run);
        share_rates(&run);
        next = next_event(&run);
    }
    free(run.messages);
    free(run.left);
    free(run.sharers);
    return run.now;
}
