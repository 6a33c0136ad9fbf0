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

void mtree_probe_curve_add(const mtree_probe_curve_t *curve, double first, double step,
                           int count, double *bytes)
{
    const mtree_probe_rate_sample_t *samples = curve->samples;
    int last = curve->num_samples - 1, low = 0;

    for (int i = 0; i < count; ++i) {
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
        mtree_probe_curve_add(&curves[i], begin + SETTLED * (end - begin), step, POINTS,
                              bytes);
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
    int *links; /* a link there and back comes twice */
    double *seconds, *weight, *residual;
    double *curvature;   /* [num_links] */
    int *first_row;      /* [num_links + 1] */
    int *rows;           /* those that cross a link */
    mtree_arena_t arena; /* of the arrays */
} system_t;

static void add_links(system_t *system, const mtree_probe_path_t *path, int *length)
{
    for (int i = 0; i < path->num_arcs; ++i) {
        system->links[(*length)++] = path->arcs[i] >> 1;
    }
}

static mtree_status_t system_alloc(system_t *system, int num_rtts, int total)
{
    const size_t num_rows = (size_t)num_rtts, num_entries = (size_t)total;
    const size_t num_links = (size_t)system->num_links;
    mtree_arena_t *arena = &system->arena;

    MTREE_ARENA_ARRAY(arena, system->first, num_rows + 1);
    MTREE_ARENA_ARRAY(arena, system->links, num_entries);
    MTREE_ARENA_ARRAY(arena, system->seconds, num_rows);
    MTREE_ARENA_ARRAY(arena, system->weight, num_rows);
    MTREE_ARENA_ARRAY(arena, system->residual, num_rows);
    MTREE_ARENA_ARRAY(arena, system->curvature, num_links);
    MTREE_ARENA_ARRAY(arena, system->first_row, num_links + 2);
    MTREE_ARENA_ARRAY(arena, system->rows, num_entries);
    return arena->status == MTREE_OK
               ? MTREE_OK
               : mtree_no_memory("the latencies of %d links", system->num_links);
}

/* List each link's rows, in ascending order. */
static void transpose(system_t *system)
{
    for (int i = 0; i < system->first[system->num_rows]; ++i) {
        ++system->first_row[system->links[i] + 2];
    }
    for (int link = 0; link < system->num_links; ++link) {
        system->first_row[link + 1] += system->first_row[link];
    }
    for (int row = 0; row < system->num_rows; ++row) {
        for (int i = system->first[row]; i < system->first[row + 1]; ++i) {
            system->rows[system->first_row[system->links[i] + 1]++] = row;
        }
    }
}

static mtree_status_t system_init(system_t *system, const mtree_probe_graph_t *graph,
                                  const mtree_probe_rtt_t *rtts, int num_rtts)
{
    const mtree_probe_path_t *there, *back;
    mtree_status_t status;
    int total = 0, length = 0;

    *system = (system_t){.num_links = graph->num_links};
    for (int i = 0; i < num_rtts; ++i) {
        there = mtree_probe_graph_find_path(graph, rtts[i].from, rtts[i].to);
        back = mtree_probe_graph_find_path(graph, rtts[i].to, rtts[i].from);
        total += (there != NULL) ? 2 * there->num_arcs : 0;
        total += (back != NULL) ? 2 * back->num_arcs : 0;
    }
    status = system_alloc(system, num_rtts, total);
    if (status != MTREE_OK) {
        return status;
    }
    for (int i = 0; i < num_rtts; ++i) {
        there = mtree_probe_graph_find_path(graph, rtts[i].from, rtts[i].to);
        back = mtree_probe_graph_find_path(graph, rtts[i].to, rtts[i].from);
        if (there == NULL && back == NULL) {
            continue;
        }
        system->first[system->num_rows] = length;
        system->seconds[system->num_rows++] = rtts[i].seconds;
        add_links(system, (there != NULL) ? there : back, &length);
        add_links(system, (back != NULL) ? back : there, &length);
    }
    system->first[system->num_rows] = length;
    transpose(system);
    return MTREE_OK;
}

/* First estimate: each round trip is shared equally by its links, and a link has the mean
 * of its shares. */
static void start(const system_t *system, double *latency)
{
    int row;

    for (int link = 0; link < system->num_links; ++link) {
        latency[link] = 0;
        for (int i = system->first_row[link]; i < system->first_row[link + 1]; ++i) {
            row = system->rows[i];
            latency[link] += system->seconds[row] /
                             (system->first[row + 1] - system->first[row]) /
                             (system->first_row[link + 1] - system->first_row[link]);
        }
    }
}

static void find_residuals(system_t *system, const double *latency)
{
    for (int row = 0; row < system->num_rows; ++row) {
        system->residual[row] = system->seconds[row];
        for (int i = system->first[row]; i < system->first[row + 1]; ++i) {
            system->residual[row] -= latency[system->links[i]];
        }
    }
}

static double relative(const system_t *system, int row)
{
    return fabs(system->residual[row]) / fmax(system->seconds[row], RTT_FLOOR);
}

/* Set each latency to the value of least squared errors while the others are fixed;
 * returns the largest change.  A row that has the link twice is listed twice. */
static double sweep(system_t *system, double *latency)
{
    double gradient, moved, largest = 0;

    for (int link = 0; link < system->num_links; ++link) {
        gradient = 0;
        for (int i = system->first_row[link]; i < system->first_row[link + 1]; ++i) {
            gradient +=
                system->weight[system->rows[i]] * system->residual[system->rows[i]];
        }
        if (!(system->curvature[link] > 0)) {
            continue;
        }
        moved = fmax(gradient / system->curvature[link], -latency[link]);
        latency[link] += moved;
        for (int i = system->first_row[link]; i < system->first_row[link + 1]; ++i) {
            system->residual[system->rows[i]] -= moved;
        }
        largest = fmax(largest, fabs(moved));
    }
    return largest;
}

/* Huber's weights for the current errors: the inverse square of the round trip, and less
 * beyond twice the median error. */
static mtree_status_t weigh(system_t *system)
{
    double *errors = malloc(((size_t)system->num_rows + 1) * sizeof(*errors));
    double limit, length;
    int row, count;

    if (errors == NULL) {
        return mtree_no_memory("the errors of %d trips", system->num_rows);
    }
    for (row = 0; row < system->num_rows; ++row) {
        errors[row] = relative(system, row);
    }
    limit = fmax(2 * mtree_median(errors, system->num_rows), ERROR_FLOOR);
    free(errors);
    for (row = 0; row < system->num_rows; ++row) {
        length = fmax(system->seconds[row], RTT_FLOOR);
        system->weight[row] =
            fmin(1, limit / fmax(relative(system, row), limit)) / (length * length);
    }
    for (int link = 0; link < system->num_links; ++link) {
        system->curvature[link] = 0;
        for (int i = system->first_row[link]; i < system->first_row[link + 1];
             i += count) {
            row = system->rows[i];
            count = 0;
            for (int j = i; j < system->first_row[link + 1] && system->rows[j] == row;
                 ++j) {
                ++count;
            }
            system->curvature[link] += count * count * system->weight[row];
        }
    }
    return MTREE_OK;
}

static void solve(system_t *system, double *latency)
{
    double typical = 0;

    for (int row = 0; row < system->num_rows; ++row) {
        typical += system->seconds[row] / system->num_rows;
    }
    for (int i = 0; i < MAX_SWEEPS && sweep(system, latency) > CONVERGED * typical; ++i) {
    }
}

mtree_status_t mtree_probe_fit_latencies(const mtree_probe_graph_t *graph,
                                         const mtree_probe_rtt_t *rtts, int num_rtts,
                                         double *latency, double *error_p)
{
    mtree_status_t status;
    system_t system;
    double error = 0;

    status = system_init(&system, graph, rtts, num_rtts);
    if (status != MTREE_OK) {
        goto out;
    }
    start(&system, latency);
    find_residuals(&system, latency);
    for (int i = 0; i < WEIGHINGS && system.num_rows > 0; ++i) {
        status = weigh(&system);
        if (status != MTREE_OK) {
            goto out;
        }
        solve(&system, latency);
    }
    for (int i = 0; i < system.num_rows; ++i) {
        error += relative(&system, i) / system.num_rows;
    }
    if (error_p != NULL) {
        *error_p = error;
    }

out:
    mtree_arena_cleanup(&system.arena);
    return status;
}
