/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The stage of the probe that measures round trips.
 */
#include "base/median.h"
#include "topo/probe/infer.h"
#include "topo/probe/state.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Pings that a host takes part in at the same time; fewer in the second pass. */
#define CROWD       8
#define CROWD_AGAIN 4

#define PING_BYTES     8
#define PING_REPEATS   6
#define LEAST_REPEATS  3
#define PING_SHARE     0.3  /* of the budget */
#define PINGS_PER_LINK 3    /* pairs whose path crosses a link between switches */
#define NOISY          0.05 /* relative noise of pairs that are pinged once more, */
#define NOISY_SECONDS  1e-4 /* if the noise is so large where links are known */
#define MAX_PASSES     2
#define LEAST_PART     0.1 /* of a round trip, that is its latency */

/* Seconds; what is beyond is the clock's, or another process's. */
#define LEAST_MESSAGE 0.5e-6
#define MOST_MESSAGE  50e-6
#define MOST_BYTE     8e-9 /* a Gb/s */

static void add_pair(mtree_probe_t *probe, int from, int to)
{
    mtree_probe_pair_t *pair = MTREE_ARENA_APPEND(&probe->arena, probe->pairs,
                                                  probe->num_pairs, probe->pair_capacity);

    pair->rtt.from = (from < to) ? from : to;
    pair->rtt.to = (from < to) ? to : from;
}

static int compare_pairs(const void *left, const void *right)
{
    const mtree_probe_rtt_t *a = &((const mtree_probe_pair_t *)left)->rtt;
    const mtree_probe_rtt_t *b = &((const mtree_probe_pair_t *)right)->rtt;

    return a->from != b->from ? a->from - b->from : a->to - b->to;
}

/* Choose pairs whose path is one link, and for every other arc some whose path crosses
 * it: the shortest one and random ones of the shorter half. */
static void choose_pairs(mtree_probe_t *probe)
{
    const mtree_probe_graph_t *graph = &probe->graph;
    int kept = 0;

    for (int arc = 0; arc < 2 * graph->num_links; ++arc) {
        const int first = graph->first_crossing[arc];
        const int count = graph->first_crossing[arc + 1] - first;

        for (int i = 0; i < PINGS_PER_LINK && i < count; ++i) {
            const int place =
                (i == 0)
                    ? 0
                    : (int)mtree_random_below(&probe->random, (uint64_t)(count + 1) / 2);
            const mtree_probe_path_t *path =
                &graph->paths[graph->crossing[first + place]];

            add_pair(probe, path->from, path->to);
            if (path->num_arcs == 1) {
                break;
            }
        }
    }
    if (probe->num_pairs > 0) {
        qsort(probe->pairs, (size_t)probe->num_pairs, sizeof(*probe->pairs),
              compare_pairs);
    }
    for (int i = 0; i < probe->num_pairs; ++i) {
        if (kept == 0 || compare_pairs(&probe->pairs[i], &probe->pairs[kept - 1]) != 0) {
            probe->pairs[kept++] = probe->pairs[i];
        }
    }
    probe->num_pairs = kept;
}

void mtree_probe_list_pairs(mtree_probe_t *probe)
{
    if (probe->has_graph) {
        choose_pairs(probe);
        return;
    }
    for (int a = 0; a < probe->num_hosts; ++a) {
        for (int b = a + 1; b < probe->num_hosts; ++b) {
            add_pair(probe, a, b);
        }
    }
}

/* Is @a pair to be pinged in pass @a pass? */
static bool is_due(const mtree_probe_t *probe, const mtree_probe_pair_t *pair, int pass)
{
    bool noisy = pair->noise > NOISY &&
                 (!probe->has_graph || pair->noise * pair->rtt.seconds > NOISY_SECONDS);

    return pair->passes == pass &&
           (pass == 0 || ((!(pair->rtt.seconds > 0) || noisy) &&
                          probe->spent < PING_SHARE * probe->options.seconds));
}

/* Round trips per pair, such that @a rounds more rounds keep to their share of the
 * budget. */
static int choose_repeats(const mtree_probe_t *probe, int rounds)
{
    double left = PING_SHARE * probe->options.seconds - probe->spent;
    double longest = 0;

    for (int i = 0; i < probe->num_pairs; ++i) {
        longest = fmax(longest, probe->pairs[i].rtt.seconds);
    }
    if (!(longest > 0)) {
        return PING_REPEATS;
    }
    return (int)fmax(LEAST_REPEATS, fmin(PING_REPEATS, left / rounds / longest));
}

/* Fill a round with pairs of @a pass; returns how many are due in all. */
static int fill_pass(mtree_probe_t *probe, int pass)
{
    /* In the second pass fewer pings disturb each other: in the lab, on a busy machine,
     * round trips come 4.3 % late with it, 11.8 without (a tree of 12 hosts). */
    int crowd = (pass > 0) ? CROWD_AGAIN : CROWD;
    int due = 0, *busy;

    MTREE_ARENA_ARRAY(&probe->scratch, busy, (size_t)probe->num_hosts);
    for (int i = 0; i < probe->num_pairs; ++i) {
        mtree_probe_pair_t *pair = &probe->pairs[i];

        if (!is_due(probe, pair, pass)) {
            continue;
        }
        ++due;
        if (busy[pair->rtt.from] < crowd && busy[pair->rtt.to] < crowd) {
            ++busy[pair->rtt.from];
            ++busy[pair->rtt.to];
            ++pair->passes;
            mtree_probe_add_experiment(
                probe, (mtree_probe_experiment_t){.kind = MTREE_PROBE_PING,
                                                  .from = pair->rtt.from,
                                                  .to = pair->rtt.to,
                                                  .bytes = PING_BYTES});
        }
    }
    return due;
}

void mtree_probe_fill_rtt(mtree_probe_t *probe)
{
    int pass, repeats, due = 0;

    for (pass = 0; pass < MAX_PASSES && probe->num_experiments == 0; ++pass) {
        due = fill_pass(probe, pass);
    }
    if (probe->num_experiments == 0) {
        return;
    }
    repeats = choose_repeats(probe,
                             (due + probe->num_experiments - 1) / probe->num_experiments);
    for (int i = 0; i < probe->num_experiments; ++i) {
        probe->experiments[i].repeats = repeats;
    }
    (void)snprintf(probe->purpose, sizeof(probe->purpose),
                   "latency of %d pairs of hosts%s", probe->num_experiments,
                   (pass > 1) ? " once more" : "");
}

void mtree_probe_keep_rtt(mtree_probe_t *probe, const mtree_probe_result_t *results)
{
    const mtree_probe_experiment_t *experiment;
    mtree_probe_pair_t wanted = {0};
    mtree_probe_pair_t *pair;

    for (int i = 0; i < probe->num_experiments; ++i) {
        experiment = &probe->experiments[i];
        if (results[i].failed) {
            continue;
        }
        wanted.rtt.from = experiment->from;
        wanted.rtt.to = experiment->to;
        pair = bsearch(&wanted, probe->pairs, (size_t)probe->num_pairs, sizeof(*pair),
                       compare_pairs);
        if (pair == NULL) {
            continue;
        }
        if (!(pair->rtt.seconds > 0) || results[i].least < pair->rtt.seconds) {
            pair->rtt.seconds = results[i].least;
        }
        pair->noise = results[i].median / results[i].least - 1;
        if (results[i].send > 0 && (!(pair->send > 0) || results[i].send < pair->send)) {
            pair->send = results[i].send;
        }
        probe->bytes += 2.0 * experiment->repeats * (double)experiment->bytes;
    }
}

/* More than that is not known. */
static double three_digits(double value)
{
    const double unit = value > 0.0 ? pow(10.0, floor(log10(value)) - 2.0) : 1.0;

    return round(value / unit) * unit;
}

/* What messages cost processors, from the times in which the senders of pings had handed
 * them over. */
void mtree_probe_find_cost(mtree_probe_t *probe, mtree_message_cost_t *cost)
{
    double *sends;
    int count = 0;

    MTREE_ARENA_ARRAY(&probe->scratch, sends, (size_t)probe->num_pairs);
    for (int i = 0; i < probe->num_pairs; ++i) {
        if (probe->pairs[i].send > 0) {
            sends[count++] = probe->pairs[i].send;
        }
    }
    if (count > 0) {
        cost->message = three_digits(
            fmin(fmax(mtree_median(sends, count), LEAST_MESSAGE), MOST_MESSAGE));
        cost->byte = three_digits(fmin(probe->options.byte_seconds, MOST_BYTE));
    }
}

/*
 * The round trips that there are, in @a rtts [num_pairs]; *noise_p is the median of their
 * noise.  Returns their number.  What processors take for the two messages, each at both
 * ends, is no latency: the map says it apart.
 */
static int list_rtts(mtree_probe_t *probe, mtree_probe_rtt_t *rtts, double *noise_p)
{
    mtree_message_cost_t cost = {0};
    double *noise;
    int count = 0;

    mtree_probe_find_cost(probe, &cost);
    MTREE_ARENA_ARRAY(&probe->scratch, noise, (size_t)probe->num_pairs);
    for (int i = 0; i < probe->num_pairs; ++i) {
        if (probe->pairs[i].rtt.seconds > 0) {
            noise[count] = probe->pairs[i].noise;
            rtts[count] = probe->pairs[i].rtt;
            rtts[count].seconds = fmax(rtts[count].seconds - 4 * cost.message,
                                       LEAST_PART * rtts[count].seconds);
            count++;
        }
    }
    *noise_p = (count > 0) ? mtree_median(noise, count) : 0;
    return count;
}

mtree_status_t mtree_probe_fit_graph(mtree_probe_t *probe)
{
    mtree_status_t status = MTREE_OK;
    mtree_probe_rtt_t *rtts;
    double noise;
    int num_rtts;

    MTREE_ARENA_ARRAY(&probe->scratch, rtts, (size_t)probe->num_pairs);
    num_rtts = list_rtts(probe, rtts, &noise);
    if (!probe->has_graph) {
        status =
            mtree_probe_infer(probe->num_hosts, rtts, num_rtts, noise, &probe->graph);
        probe->has_graph = status == MTREE_OK;
    }
    MTREE_ARENA_ARRAY(&probe->arena, probe->latency, (size_t)probe->graph.num_links);
    if (status == MTREE_OK) {
        mtree_probe_fit_latencies(&probe->graph, rtts, num_rtts, probe->latency,
                                  &probe->latency_error);
        mtree_probe_reset_arcs(probe);
    }
    return status;
}
