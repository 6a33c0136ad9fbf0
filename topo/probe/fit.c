/* SPDX-License-Identifier: BSD-3-Clause */
#include "topo/probe/fit.h"

#include "base/arena.h"
#include "base/log.h"
#include "base/median.h"

#include <math.h>
#include <stdlib.h>

/* Parts of a stream's time: begin and end of the steady rate. */
#define SETTLED  0.40
#define STOPPING 0.95

/* A rate that grows by this factor from one half of the time to the next is rising. */
#define GROWTH 1.15

#define MAX_SWEEPS  2000
#define CONVERGED   1e-6 /* of the typical latency */
#define RELAXATION  1.8  /* beyond 1 it takes fewer sweeps; from 2 on there is no end */
#define WEIGHINGS   4
#define RTT_FLOOR   20e-6 /* seconds: shorter round trips are as uncertain as this one */
#define ERROR_FLOOR 0.005 /* relative; smaller errors have the same weight */

/* Points at which the sum of streams is taken. */
#define POINTS 40

/* The bytes after @a seconds, on the line from sample @a low to the next one. */
static double interpolate(const mtree_probe_rate_sample_t *low, double seconds)
{
    double width = low[1].seconds - low[0].seconds;

    return low[0].bytes +
           (low[1].bytes - low[0].bytes) * (seconds - low[0].seconds) / width;
}

/* Add to @a bytes [POINTS] those of @a curve at times from @a first on, @a step seconds
 * apart, interpolated between rate samples: 0 before the first, those of the last after
 * it. In one walk, since a probe asks for all of its streams in each round. */
static void add_curve(const mtree_probe_curve_t *curve, double first, double step,
                      double *bytes)
{
    const mtree_probe_rate_sample_t *samples = curve->samples;
    int last = curve->num_samples - 1, low = 0;

    for (int i = 0; i < POINTS; ++i) {
        double seconds = first + i * step;

        while (low < last && samples[low + 1].seconds <= seconds) {
            ++low;
        }
        if (low == last) {
            bytes[i] += samples[last].bytes;
        } else if (seconds >= samples[0].seconds) {
            bytes[i] += interpolate(&samples[low], seconds);
        }
    }
}

/* Least-squares slope of the points from @a first to @a end - 1, which are @a step
 * apart. */
static double slope(const double *bytes, int first, int end, double step)
{
    double middle = (first + end - 1) / 2.0;
    double xx = 0, xy = 0;

    for (int i = first; i < end; ++i) {
        xx += (i - middle) * (i - middle);
        xy += (i - middle) * bytes[i];
    }
    return xy / xx / step;
}

/* The greatest slope of @a count successive points. */
static double greatest_slope(const double *bytes, int count, double step)
{
    double greatest = 0;

    for (int i = 0; i + count <= POINTS; ++i) {
        greatest = fmax(greatest, slope(bytes, i, i + count, step));
    }
    return greatest;
}

/* Is the rate of the later half of the points from @a first on higher than that of the
 * earlier one?  *spread_p is half of their difference, relative to @a rate. */
static bool compare_parts(const double *bytes, int first, double step, double rate,
                          double *spread_p)
{
    int middle = (first + POINTS) / 2;
    double early = 8 * slope(bytes, first, middle, step);
    double late = 8 * slope(bytes, middle, POINTS, step);

    *spread_p = (rate > 0) ? fabs(late - early) / 2 / rate : 0;
    return late > GROWTH * early;
}

mtree_probe_rate_t mtree_probe_fit_rate(const mtree_probe_curve_t *curves, int num_curves)
{
    double begin = INFINITY, end = INFINITY, step;
    mtree_probe_rate_t rate = {0};
    double bytes[POINTS] = {0};

    for (int i = 0; i < num_curves; ++i) {
        begin = fmin(begin, curves[i].samples[0].seconds);
        end = fmin(end, curves[i].samples[curves[i].num_samples - 1].seconds);
    }
    step = (STOPPING - SETTLED) * (end - begin) / (POINTS - 1);
    if (!(step > 0)) {
        rate.spread = 1;
        rate.rising = true;
        return rate;
    }
    for (int i = 0; i < num_curves; ++i) {
        add_curve(&curves[i], begin + SETTLED * (end - begin), step, bytes);
    }
    rate.rate = 8 * greatest_slope(bytes, POINTS / 2, step);
    rate.rising = compare_parts(bytes, 0, step, rate.rate, &rate.spread) &&
                  compare_parts(bytes, POINTS / 2, step, rate.rate, &rate.spread);
    if (rate.rising) {
        rate.rate = 8 * greatest_slope(bytes, POINTS / 4, step);
    }
    return rate;
}

/* The equations: row by row the links that a round trip crosses. */
typedef struct {
    int num_rows, num_links;
    int *first; /* [num_rows + 1] */
    int *links; /* [length] a link there and back comes twice */
    int length, capacity;
    double *seconds, *weight;
    double *change, *share; /* [num_links] sums over its rows: of errors, of weights */
    double *error;          /* [num_rows] relative; scratch */
    mtree_arena_t arena;    /* of the arrays */
} system_t;

static void add_links(system_t *system, const mtree_probe_path_t *path)
{
    for (int i = 0; i < path->num_arcs; ++i) {
        int *added = MTREE_ARENA_APPEND(&system->arena, system->links, system->length,
                                        system->capacity);

        *added = path->arcs[i] >> 1;
    }
}

static void system_init(system_t *system, const mtree_probe_graph_t *graph,
                        const mtree_probe_rtt_t *rtts, int num_rtts)
{
    const size_t num_rows = (size_t)num_rtts, num_links = (size_t)graph->num_links;
    mtree_arena_t *arena = &system->arena;

    *system = (system_t){.num_links = graph->num_links};
    MTREE_ARENA_ARRAY(arena, system->first, num_rows + 1);
    MTREE_ARENA_ARRAY(arena, system->seconds, num_rows);
    MTREE_ARENA_ARRAY(arena, system->weight, num_rows);
    MTREE_ARENA_ARRAY(arena, system->change, num_links);
    MTREE_ARENA_ARRAY(arena, system->share, num_links);
    MTREE_ARENA_ARRAY(arena, system->error, num_rows);
    for (int i = 0; i < num_rtts; ++i) {
        const mtree_probe_path_t *there =
            mtree_probe_graph_find_path(graph, rtts[i].from, rtts[i].to);
        const mtree_probe_path_t *back =
            mtree_probe_graph_find_path(graph, rtts[i].to, rtts[i].from);

        if (there != NULL || back != NULL) {
            system->seconds[system->num_rows++] = rtts[i].seconds;
            add_links(system, (there != NULL) ? there : back);
            add_links(system, (back != NULL) ? back : there);
            system->first[system->num_rows] = system->length;
        }
    }
}

/* The part of a round trip that the latencies do not explain, seconds. */
static double residual(const system_t *system, int row, const double *latency)
{
    double seconds = system->seconds[row];

    for (int i = system->first[row]; i < system->first[row + 1]; ++i) {
        seconds -= latency[system->links[i]];
    }
    return seconds;
}

static double relative(const system_t *system, int row, const double *latency)
{
    return fabs(residual(system, row, latency)) / fmax(system->seconds[row], RTT_FLOOR);
}

/* Share what each round trip lacks equally among its links, and move each latency by
 * @a factor times the weighted mean of its shares; returns the largest change. */
static double sweep(system_t *system, double factor, double *latency)
{
    double largest = 0;

    for (int link = 0; link < system->num_links; ++link) {
        system->change[link] = system->share[link] = 0;
    }
    for (int row = 0; row < system->num_rows; ++row) {
        const double part = system->weight[row] * residual(system, row, latency) /
                            (system->first[row + 1] - system->first[row]);

        for (int i = system->first[row]; i < system->first[row + 1]; ++i) {
            system->change[system->links[i]] += part;
            system->share[system->links[i]] += system->weight[row];
        }
    }
    for (int link = 0; link < system->num_links; ++link) {
        if (system->share[link] > 0) {
            const double moved =
                fmax(factor * system->change[link] / system->share[link], -latency[link]);

            latency[link] += moved;
            largest = fmax(largest, fabs(moved));
        }
    }
    return largest;
}

/* Huber's weights for the current errors: the inverse square of the round trip, and less
 * beyond twice the median error. */
static void weigh(system_t *system, const double *latency)
{
    double limit;

    for (int row = 0; row < system->num_rows; ++row) {
        system->error[row] = relative(system, row, latency);
    }
    limit = fmax(2 * mtree_median(system->error, system->num_rows), ERROR_FLOOR);
    for (int row = 0; row < system->num_rows; ++row) {
        const double length = fmax(system->seconds[row], RTT_FLOOR);

        system->weight[row] =
            fmin(1, limit / fmax(relative(system, row, latency), limit)) /
            (length * length);
    }
}

/* Simultaneous iterative reconstruction (Gilbert, J. Theor. Biol. 36, 1972). */
static void solve(system_t *system, double *latency)
{
    double typical = 0;

    for (int row = 0; row < system->num_rows; ++row) {
        typical += system->seconds[row] / system->num_rows;
        system->weight[row] = 1;
    }
    /* First each latency is the mean of equal shares. */
    (void)sweep(system, 1, latency);
    for (int weighing = 0; weighing < WEIGHINGS; ++weighing) {
        weigh(system, latency);
        for (int i = 0;
             i < MAX_SWEEPS && sweep(system, RELAXATION, latency) > CONVERGED * typical;
             ++i) {}
    }
}

void mtree_probe_fit_latencies(const mtree_probe_graph_t *graph,
                               const mtree_probe_rtt_t *rtts, int num_rtts,
                               double *latency, double *error_p)
{
    system_t system;
    double error = 0;

    system_init(&system, graph, rtts, num_rtts);
    for (int link = 0; link < graph->num_links; ++link) {
        latency[link] = 0;
    }
    if (system.num_rows > 0) {
        solve(&system, latency);
    }
    for (int i = 0; i < system.num_rows; ++i) {
        error += relative(&system, i, latency) / system.num_rows;
    }
    if (error_p != NULL) {
        *error_p = error;
    }
    mtree_arena_cleanup(&system.arena);
}
