/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The first stages of the probe: what follows from routes, and round trips.
 */
#include "base/array.h"
#include "base/log.h"
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

mtree_status_t mtree_probe_add_experiment(mtree_probe_t *probe,
                                          mtree_probe_experiment_t experiment)
{
    if (mtree_array_reserve(&probe->experiments, &probe->experiment_capacity,
                            probe->num_experiments + 1,
                            sizeof(*probe->experiments)) != MTREE_OK) {
        return mtree_no_memory("a round of %d experiments", probe->num_experiments + 1);
    }
    probe->experiments[probe->num_experiments++] = experiment;
    return MTREE_OK;
}

mtree_status_t mtree_probe_end_routes(mtree_probe_t *probe)
{
    mtree_status_t status;
    int host;

    if (mtree_probe_routes_count(probe->routes) > 0) {
        status = mtree_probe_routes_resolve(probe->routes, &probe->graph);
        if (status != MTREE_OK) {
            return status;
        }
        for (host = 0; host < probe->num_hosts && probe->graph.first_link[host] >= 0;
             ++host) {}
        probe->routes_known = host == probe->num_hosts;
        if (probe->routes_known) {
            probe->has_graph = true;
            return MTREE_OK;
        }
        mtree_probe_graph_clear(&probe->graph);
        mtree_warn("no route to or from %s was traced: the network is inferred from "
                   "round trips; let ICMP \"time exceeded\" pass to see routes",
                   probe->names[host]);
    }
    if (probe->num_hosts > MTREE_PROBE_INFER_MAX_HOSTS) {
        mtree_error(
            "the routes between %d hosts were not traced, and a network of more than "
            "%d is not inferred without; let ICMP \"time exceeded\" pass or give "
            "a topology file",
            probe->num_hosts, MTREE_PROBE_INFER_MAX_HOSTS);
        return MTREE_ERR_UNSUPPORTED;
    }
    return MTREE_OK;
}

static mtree_status_t add_pair(mtree_probe_t *probe, int from, int to)
{
    if (mtree_array_reserve(&probe->pairs, &probe->pair_capacity, probe->num_pairs + 1,
                            sizeof(*probe->pairs)) != MTREE_OK) {
        return mtree_no_memory("%d pairs of hosts", probe->num_pairs + 1);
    }
    probe->pairs[probe->num_pairs++] = (mtree_probe_pair_t){
        .rtt = {.from = (from < to) ? from : to, .to = (from < to) ? to : from}};
    return MTREE_OK;
}

static int compare_pairs(const void *left, const void *right)
{
    const mtree_probe_rtt_t *a = &((const mtree_probe_pair_t *)left)->rtt;
    const mtree_probe_rtt_t *b = &((const mtree_probe_pair_t *)right)->rtt;

    return a->from != b->from ? a->from - b->from : a->to - b->to;
}

/* Choose pairs whose path is one link, and for every other arc some whose path crosses
 * it: the shortest one and random ones of the shorter half. */
static mtree_status_t choose_pairs(mtree_probe_t *probe)
{
    const mtree_probe_graph_t *graph = &probe->graph;
    mtree_status_t status = MTREE_OK;
    const mtree_probe_path_t *path;
    int arc, i, first, count, place, kept = 0;

    for (arc = 0; status == MTREE_OK && arc < 2 * graph->num_links; ++arc) {
        first = graph->first_crossing[arc];
        count = graph->first_crossing[arc + 1] - first;
        for (i = 0; status == MTREE_OK && i < PINGS_PER_LINK && i < count; ++i) {
            place = (i == 0) ? 0
                             : (int)mtree_random_below(&probe->random,
                                                       (uint64_t)(count + 1) / 2);
            path = &graph->paths[graph->crossing[first + place]];
            status = add_pair(probe, path->from, path->to);
            if (path->num_arcs == 1) {
                break;
            }
        }
    }
    qsort(probe->pairs, (size_t)probe->num_pairs, sizeof(*probe->pairs), compare_pairs);
    for (i = 0; i < probe->num_pairs; ++i) {
        if (kept == 0 || compare_pairs(&probe->pairs[i], &probe->pairs[kept - 1]) != 0) {
            probe->pairs[kept++] = probe->pairs[i];
        }
    }
    probe->num_pairs = kept;
    return status;
}

static mtree_status_t prepare_pairs(mtree_probe_t *probe)
{
    mtree_status_t status = MTREE_OK;

    probe->prepared = true;
    if (probe->has_graph) {
        return choose_pairs(probe);
    }
    for (int a = 0; a < probe->num_hosts; ++a) {
        for (int b = a + 1; status == MTREE_OK && b < probe->num_hosts; ++b) {
            status = add_pair(probe, a, b);
        }
    }
    return status;
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

/* Fill a round with pairs of @a pass; *due_p is how many are due in all. */
static mtree_status_t fill_pass(mtree_probe_t *probe, int pass, int *due_p)
{
    /* In the second pass fewer pings disturb each other: in the lab, on a busy machine,
     * round trips come 4.3 % late with it, 11.8 without (a tree of 12 hosts). */
    int crowd = (pass > 0) ? CROWD_AGAIN : CROWD;
    int *busy = calloc((size_t)probe->num_hosts, sizeof(*busy));
    mtree_status_t status = MTREE_OK;
    mtree_probe_pair_t *pair;

    if (busy == NULL) {
        return mtree_no_memory("the pings of %d hosts", probe->num_hosts);
    }
    *due_p = 0;
    for (int i = 0; status == MTREE_OK && i < probe->num_pairs; ++i) {
        pair = &probe->pairs[i];
        if (!is_due(probe, pair, pass)) {
            continue;
        }
        ++*due_p;
        if (busy[pair->rtt.from] < crowd && busy[pair->rtt.to] < crowd) {
            ++busy[pair->rtt.from];
            ++busy[pair->rtt.to];
            ++pair->passes;
            status = mtree_probe_add_experiment(
                probe, (mtree_probe_experiment_t){.kind = MTREE_PROBE_PING,
                                                  .from = pair->rtt.from,
                                                  .to = pair->rtt.to,
                                                  .bytes = PING_BYTES});
        }
    }
    free(busy);
    return status;
}

mtree_status_t mtree_probe_fill_rtt(mtree_probe_t *probe)
{
    mtree_status_t status = MTREE_OK;
    int pass, i, repeats, due = 0;

    if (!probe->prepared) {
        status = prepare_pairs(probe);
    }
    for (pass = 0; status == MTREE_OK && pass < MAX_PASSES && probe->num_experiments == 0;
         ++pass) {
        status = fill_pass(probe, pass, &due);
    }
    if (status != MTREE_OK || probe->num_experiments == 0) {
        return status;
    }
    repeats = choose_repeats(probe,
                             (due + probe->num_experiments - 1) / probe->num_experiments);
    for (i = 0; i < probe->num_experiments; ++i) {
        probe->experiments[i].repeats = repeats;
    }
    (void)snprintf(probe->purpose, sizeof(probe->purpose),
                   "latency of %d pairs of hosts%s", probe->num_experiments,
                   (pass > 1) ? " once more" : "");
    return MTREE_OK;
}

mtree_status_t mtree_probe_keep_rtt(mtree_probe_t *probe,
                                    const mtree_probe_result_t *results)
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
    return MTREE_OK;
}

/* More than that is not known. */
static double three_digits(double value)
{
    const double unit = value > 0.0 ? pow(10.0, floor(log10(value)) - 2.0) : 1.0;

    return round(value / unit) * unit;
}

/* What messages cost processors, from the times in which the senders of pings had handed
 * them over. */
mtree_status_t mtree_probe_find_cost(const mtree_probe_t *probe,
                                     mtree_message_cost_t *cost)
{
    double *sends = malloc(((size_t)probe->num_pairs + 1) * sizeof(*sends));
    int count = 0;

    if (sends == NULL) {
        return mtree_no_memory("%d pairs of hosts", probe->num_pairs);
    }
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
    free(sends);
    return MTREE_OK;
}

/*
 * The round trips that there are, in @a rtts; *noise_p is the median of their noise. What
 * processors take for the two messages, each at both ends, is no latency: the map says it
 * apart.
 */
static mtree_status_t list_rtts(const mtree_probe_t *probe, mtree_arena_t *arena,
                                mtree_probe_rtt_t **rtts_p, int *num_rtts_p,
                                double *noise_p)
{
    mtree_message_cost_t cost = {0};
    mtree_status_t status = mtree_probe_find_cost(probe, &cost);
    mtree_probe_rtt_t *rtts;
    double *noise;
    int count = 0;

    if (status != MTREE_OK) {
        return status;
    }
    MTREE_ARENA_ARRAY(arena, rtts, (size_t)probe->num_pairs);
    MTREE_ARENA_ARRAY(arena, noise, (size_t)probe->num_pairs);
    if (arena->status != MTREE_OK) {
        return mtree_no_memory("%d round trips", probe->num_pairs);
    }
    for (int i = 0; i < probe->num_pairs; ++i) {
        if (probe->pairs[i].rtt.seconds > 0) {
            noise[count] = probe->pairs[i].noise;
            rtts[count] = probe->pairs[i].rtt;
            rtts[count].seconds = fmax(rtts[count].seconds - 4 * cost.message,
                                       LEAST_PART * rtts[count].seconds);
            count++;
        }
    }
    *rtts_p = rtts;
    *num_rtts_p = count;
    *noise_p = (count > 0) ? mtree_median(noise, count) : 0;
    return MTREE_OK;
}

mtree_status_t mtree_probe_fit_graph(mtree_probe_t *probe)
{
    mtree_arena_t arena = {0};
    mtree_probe_rtt_t *rtts;
    mtree_status_t status;
    double noise, *latency;
    int num_rtts;

    status = list_rtts(probe, &arena, &rtts, &num_rtts, &noise);
    if (status == MTREE_OK && !probe->has_graph) {
        status =
            mtree_probe_infer(probe->num_hosts, rtts, num_rtts, noise, &probe->graph);
        probe->has_graph = status == MTREE_OK;
    }
    if (status == MTREE_OK) {
        MTREE_ARENA_ARRAY(&probe->arena, latency, (size_t)probe->graph.num_links);
        status = latency == NULL
                     ? mtree_no_memory("%d latencies", probe->graph.num_links)
                     : mtree_probe_fit_latencies(&probe->graph, rtts, num_rtts, latency,
                                                 &probe->latency_error);
    }
    if (status == MTREE_OK) {
        probe->latency = latency;
    }
    mtree_arena_cleanup(&arena);
    return status;
}
