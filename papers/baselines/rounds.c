/* SPDX-License-Identifier: BSD-3-Clause */
#include "papers/baselines/rounds.h"

#include "base/array.h"
#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BITS_PER_BYTE 8.0

mtree_rounds_t *mtree_rounds_create(const char *algorithm, int num_hosts, int num_pieces)
{
    mtree_rounds_t *schedule = mtree_calloc(1, sizeof(*schedule));
    int piece;

    schedule->algorithm = mtree_strdup(algorithm);
    schedule->share = mtree_calloc((size_t)num_pieces, sizeof(*schedule->share));
    schedule->num_hosts = num_hosts;
    schedule->num_pieces = num_pieces;
    for (piece = 0; piece < num_pieces; piece++) {
        schedule->share[piece] = 1.0 / num_pieces;
    }
    return schedule;
}

void mtree_rounds_destroy(mtree_rounds_t *schedule)
{
    if (schedule == NULL) {
        return;
    }
    free(schedule->algorithm);
    free(schedule->share);
    free(schedule->transfers);
    free(schedule->arcs);
    free(schedule);
}

void mtree_rounds_add(mtree_rounds_t *schedule, int step, int from, int to, int piece,
                      bool reduce)
{
    mtree_array_reserve(&schedule->transfers, &schedule->capacity,
                        schedule->num_transfers + 1, sizeof(*schedule->transfers));
    schedule->transfers[schedule->num_transfers++] =
        (mtree_transfer_t){step, from, to, piece, reduce, 0, 0};
    schedule->num_steps = step > schedule->num_steps ? step : schedule->num_steps;
}

void mtree_rounds_set_path(mtree_rounds_t *schedule, const int *arcs, int num_arcs,
                           bool reversed)
{
    mtree_transfer_t *transfer = &schedule->transfers[schedule->num_transfers - 1];
    int i;

    mtree_array_reserve(&schedule->arcs, &schedule->arc_capacity,
                        schedule->num_arcs + num_arcs, sizeof(*schedule->arcs));
    transfer->first_arc = schedule->num_arcs;
    transfer->num_arcs = num_arcs;
    for (i = 0; i < num_arcs; i++) {
        schedule->arcs[schedule->num_arcs++] =
            reversed ? arcs[num_arcs - 1 - i] ^ 1 : arcs[i];
    }
}

/* The transfers by step: order[first[s]] .. order[first[s + 1] - 1] are those of step s.
 */
typedef struct {
    int *first;
    int *order;
} by_step_t;

static void sort_by_step(const mtree_rounds_t *schedule, by_step_t *by_step)
{
    int i;

    by_step->first =
        mtree_calloc((size_t)schedule->num_steps + 3, sizeof(*by_step->first));
    by_step->order =
        mtree_calloc((size_t)schedule->num_transfers + 1, sizeof(*by_step->order));
    for (i = 0; i < schedule->num_transfers; i++) {
        by_step->first[schedule->transfers[i].step + 2]++;
    }
    for (i = 1; i <= schedule->num_steps + 2; i++) {
        by_step->first[i] += by_step->first[i - 1];
    }
    /* first[s + 1] runs from the start of step s to its end, and so becomes the start of
     * s + 1. */
    for (i = 0; i < schedule->num_transfers; i++) {
        by_step->order[by_step->first[schedule->transfers[i].step + 1]++] = i;
    }
}

static void free_by_step(by_step_t *by_step)
{
    free(by_step->first);
    free(by_step->order);
}

/* Arc number @a place of the path of @a transfer, after @a before; -1: there is none. */
static int transfer_arc(const mtree_rounds_t *schedule, const mtree_routes_t *routes,
                        const mtree_transfer_t *transfer, int place, int before)
{
    if (transfer->num_arcs > 0) {
        return place < transfer->num_arcs ? schedule->arcs[transfer->first_arc + place]
                                          : -1;
    }
    return place == 0 ? mtree_routes_first(routes, transfer->from, transfer->to)
                      : mtree_routes_next(routes, before, transfer->to);
}

/* Add to @a load what crosses each arc within one step: @a amount [pieces] of each piece,
 * in shares of the message.  NULL sets these arcs to 0 again. */
static void load_step(const mtree_rounds_t *schedule, const mtree_routes_t *routes,
                      const by_step_t *by_step, int step, const double *amount,
                      double *load)
{
    int i, a, arc;

    for (i = by_step->first[step]; i < by_step->first[step + 1]; i++) {
        const mtree_transfer_t *transfer = &schedule->transfers[by_step->order[i]];

        arc = -1;
        for (a = 0; (arc = transfer_arc(schedule, routes, transfer, a, arc)) >= 0; a++) {
            load[arc] = amount == NULL ? 0 : load[arc] + amount[transfer->piece];
        }
    }
}

/* The largest of load / capacity over the arcs that the step uses, and its longest
 * latency. */
static void worst_of_step(const mtree_rounds_t *schedule,
                          const mtree_topology_t *topology, const mtree_routes_t *routes,
                          const by_step_t *by_step, int step, const double *load,
                          double *busiest_p, double *latency_p)
{
    double busiest = 0, latency = 0;
    int i, a, arc;

    for (i = by_step->first[step]; i < by_step->first[step + 1]; i++) {
        const mtree_transfer_t *transfer = &schedule->transfers[by_step->order[i]];
        double delay = 0;

        arc = -1;
        for (a = 0; (arc = transfer_arc(schedule, routes, transfer, a, arc)) >= 0; a++) {
            busiest = fmax(busiest, load[arc] / mtree_arc_capacity(topology, arc));
            delay += topology->links[arc >> 1].latency;
        }
        latency = fmax(latency, delay);
    }
    *busiest_p = busiest;
    *latency_p = latency;
}

/* Over all steps: the sum of latencies, and the sum and the maximum of the busiest arcs'
 * times. */
typedef struct {
    double latency, busy, busiest;
} totals_t;

static totals_t walk_steps(const mtree_rounds_t *schedule,
                           const mtree_topology_t *topology, const mtree_routes_t *routes,
                           const double *amount)
{
    double *load = mtree_calloc(2 * (size_t)topology->num_links + 1, sizeof(*load));
    double busiest, latency;
    totals_t totals = {0};
    by_step_t by_step;
    int step;

    sort_by_step(schedule, &by_step);
    for (step = 1; step <= schedule->num_steps; step++) {
        load_step(schedule, routes, &by_step, step, amount, load);
        worst_of_step(schedule, topology, routes, &by_step, step, load, &busiest,
                      &latency);
        load_step(schedule, routes, &by_step, step, NULL, load);
        totals.latency += latency;
        totals.busy += busiest;
        totals.busiest = fmax(totals.busiest, busiest);
    }
    free_by_step(&by_step);
    free(load);
    return totals;
}

double mtree_rounds_contention(const mtree_rounds_t *schedule,
                               const mtree_topology_t *topology,
                               const mtree_routes_t *routes)
{
    double *one = mtree_malloc((size_t)schedule->num_pieces * sizeof(*one));
    double narrowest = INFINITY;
    totals_t totals;
    int arc, piece;

    for (piece = 0; piece < schedule->num_pieces; piece++) {
        one[piece] = 1;
    }
    for (arc = 0; arc < 2 * topology->num_links; arc++) {
        if (mtree_arc_capacity(topology, arc) > 0) {
            narrowest = fmin(narrowest, mtree_arc_capacity(topology, arc));
        }
    }
    totals = walk_steps(schedule, topology, routes, one);
    free(one);
    return totals.busiest * narrowest;
}

double mtree_rounds_seconds(const mtree_rounds_t *schedule,
                            const mtree_topology_t *topology,
                            const mtree_routes_t *routes, double bytes,
                            double wire_factor)
{
    totals_t totals = walk_steps(schedule, topology, routes, schedule->share);

    return totals.latency + totals.busy * bytes * wire_factor * BITS_PER_BYTE;
}
