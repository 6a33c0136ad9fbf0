/* SPDX-License-Identifier: BSD-3-Clause */
#include "topo/probe/probe.h"

#include "base/log.h"
#include "base/memory.h"
#include "topo/probe/state.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * The record of a probe: all of its input as lines of text (docs/probe.md, "The record").
 * Users send it in when a topology is wrong, and tests replay it.
 *
 *     host NAME ADDRESS SPEED
 *     address HOST ADDRESS               another of the host
 *     route FROM TO HOP...               "-": did not answer
 *     round NUMBER SECONDS PURPOSE       its results follow
 *     ping FROM TO LEAST MEDIAN
 *     stream FROM TO SECONDS BYTES ...   a pair for each rate sample
 *
 * Hosts are numbered from 0 in the order of their lines; numbers are seconds, bytes and
 * bits/s.  An experiment that failed has none.
 */
static void record(const mtree_probe_t *probe, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void record(const mtree_probe_t *probe, const char *format, ...)
{
    va_list args;

    if (probe->options.log != NULL) {
        va_start(args, format);
        (void)vfprintf(probe->options.log, format, args);
        va_end(args);
    }
}

static mtree_status_t check_arguments(const mtree_probe_host_t *hosts, int num_hosts,
                                      const mtree_probe_options_t *options)
{
    if (num_hosts < 1 || num_hosts > MTREE_PROBE_MAX_HOSTS) {
        mtree_error("a probe of %d hosts; give 1 to %d", num_hosts,
                    MTREE_PROBE_MAX_HOSTS);
        return MTREE_ERR_LIMIT;
    }
    if (!(options->seconds > 0) || !isfinite(options->seconds)) {
        mtree_error("a probe's budget of %g seconds; give more than 0", options->seconds);
        return MTREE_ERR_INVALID;
    }
    if (!(options->bytes >= 0)) {
        mtree_error("a probe's budget of %g bytes; give 0 or more", options->bytes);
        return MTREE_ERR_INVALID;
    }
    for (int i = 0; i < num_hosts; ++i) {
        if (!mtree_topology_name_valid(hosts[i].name) || hosts[i].address[0] == '\0' ||
            !(hosts[i].speed >= 0) || !isfinite(hosts[i].speed)) {
            mtree_error(
                "host number %d, name \"%s\", address \"%s\", speed %g, cannot be "
                "probed; give it a name and an address",
                i, hosts[i].name, hosts[i].address, hosts[i].speed);
            return MTREE_ERR_INVALID;
        }
    }
    return MTREE_OK;
}

static int compare_names(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

/* Copy the hosts, and see that each is there once. */
static mtree_status_t copy_hosts(mtree_probe_t *probe, const mtree_probe_host_t *hosts)
{
    const size_t num_hosts = (size_t)probe->num_hosts;
    const char **sorted;

    MTREE_ARENA_ARRAY(&probe->arena, probe->names, num_hosts);
    MTREE_ARENA_ARRAY(&probe->arena, probe->speeds, num_hosts);
    MTREE_ARENA_ARRAY(&probe->arena, sorted, num_hosts);
    for (size_t i = 0; i < num_hosts; ++i) {
        probe->speeds[i] = hosts[i].speed;
        probe->names[i] = mtree_arena_strdup(&probe->arena, hosts[i].name);
        sorted[i] = probe->names[i];
    }
    qsort(sorted, num_hosts, sizeof(*sorted), compare_names);
    for (size_t i = 1; i < num_hosts; ++i) {
        if (strcmp(sorted[i - 1], sorted[i]) == 0) {
            mtree_error("host %s is to be probed twice; name each host once", sorted[i]);
            return MTREE_ERR_INVALID;
        }
    }
    return MTREE_OK;
}

mtree_status_t mtree_probe_create(const mtree_probe_host_t *hosts, int num_hosts,
                                  const mtree_probe_options_t *options,
                                  mtree_probe_t **probe_p)
{
    mtree_status_t status = check_arguments(hosts, num_hosts, options);
    const char **addresses;
    mtree_probe_t *probe;

    if (status != MTREE_OK) {
        return status;
    }
    probe = mtree_calloc(1, sizeof(*probe));
    probe->num_hosts = num_hosts;
    probe->options = *options;
    mtree_random_init(&probe->random, options->seed);
    MTREE_ARENA_ARRAY(&probe->arena, addresses, (size_t)num_hosts);
    status = copy_hosts(probe, hosts);
    if (status == MTREE_OK) {
        for (int i = 0; i < num_hosts; ++i) {
            addresses[i] = hosts[i].address;
            record(probe, "host %s %s %.6g\n", hosts[i].name, hosts[i].address,
                   hosts[i].speed);
        }
        status = mtree_probe_routes_create(addresses, num_hosts, &probe->routes);
    }
    if (status != MTREE_OK) {
        mtree_probe_destroy(probe);
        return status;
    }
    *probe_p = probe;
    return MTREE_OK;
}

void mtree_probe_destroy(mtree_probe_t *probe)
{
    if (probe == NULL) {
        return;
    }
    mtree_probe_graph_clear(&probe->graph);
    mtree_probe_routes_destroy(probe->routes);
    mtree_arena_cleanup(&probe->arena);
    mtree_arena_cleanup(&probe->scratch);
    free(probe);
}

mtree_status_t mtree_probe_add_address(mtree_probe_t *probe, int host,
                                       const char *address)
{
    if (host < 0 || host >= probe->num_hosts || address[0] == '\0') {
        mtree_error("address \"%s\" of host number %d of %d; give one that it has",
                    address, host, probe->num_hosts);
        return MTREE_ERR_INVALID;
    }
    record(probe, "address %d %s\n", host, address);
    return mtree_probe_routes_add_address(probe->routes, host, address);
}

mtree_status_t mtree_probe_add_route(mtree_probe_t *probe, int from, int to,
                                     const char *const *hops, int num_hops)
{
    if (probe->stage != MTREE_PROBE_STAGE_ROUTES) {
        mtree_error("a route from host number %d to %d came after the probe had used the "
                    "routes; add routes before the first round",
                    from, to);
        return MTREE_ERR_INVALID;
    }
    record(probe, "route %d %d", from, to);
    for (int i = 0; i < num_hops; ++i) {
        record(probe, " %s", hops[i][0] == '\0' ? "-" : hops[i]);
    }
    record(probe, "\n");
    return mtree_probe_routes_add(probe->routes, from, to, hops, num_hops);
}

/* What fills the rounds of each stage, and what draws its conclusions; NULL: nothing. */
static const struct {
    void (*fill)(mtree_probe_t *probe);
    mtree_status_t (*end)(mtree_probe_t *probe);
} stages[] = {
    [MTREE_PROBE_STAGE_ROUTES] = {NULL, mtree_probe_end_routes},
    [MTREE_PROBE_STAGE_RTT] = {mtree_probe_fill_rtt, mtree_probe_fit_graph},
    [MTREE_PROBE_STAGE_INTERFACE_TEST] = {mtree_probe_fill_interface_test, NULL},
    [MTREE_PROBE_STAGE_SINGLE_LINK_TEST] = {mtree_probe_fill_single_link_test,
                                            mtree_probe_end_single_link_test},
    [MTREE_PROBE_STAGE_INTERFACE_RETEST] = {mtree_probe_fill_interface_test, NULL},
    [MTREE_PROBE_STAGE_SINGLE_LINK_RETEST] = {mtree_probe_fill_single_link_test,
                                              mtree_probe_end_single_link_retest},
    [MTREE_PROBE_STAGE_CROSS] = {mtree_probe_fill_cross, NULL},
};

/* Fill the next round, going through the stages until one has something to do. */
static mtree_status_t fill_round(mtree_probe_t *probe)
{
    mtree_status_t status = MTREE_OK;

    probe->num_experiments = 0;
    while (status == MTREE_OK && probe->stage != MTREE_PROBE_STAGE_DONE) {
        if (stages[probe->stage].fill != NULL) {
            stages[probe->stage].fill(probe);
        }
        if (probe->num_experiments > 0) {
            break;
        }
        if (stages[probe->stage].end != NULL) {
            status = stages[probe->stage].end(probe);
        }
        if (status == MTREE_OK) {
            ++probe->stage;
            probe->prepared = false;
        }
    }
    return status;
}

static double expected_seconds(const mtree_probe_t *probe)
{
    double longest = 0;

    for (int i = 0; i < probe->num_experiments; ++i) {
        longest = fmax(longest, probe->experiments[i].seconds);
    }
    return longest + probe->delay;
}

mtree_status_t mtree_probe_next(mtree_probe_t *probe, mtree_probe_round_t *round_p)
{
    mtree_status_t status;

    if (probe->pending) {
        mtree_error("round %d of the probe has no results yet; record them first",
                    probe->num_rounds);
        return MTREE_ERR_INVALID;
    }
    status = fill_round(probe);
    mtree_arena_cleanup(&probe->scratch);
    if (status != MTREE_OK) {
        return status;
    }
    probe->pending = probe->num_experiments > 0;
    *round_p = (mtree_probe_round_t){.num_experiments = probe->num_experiments,
                                     .experiments = probe->experiments,
                                     .purpose = probe->purpose,
                                     .seconds = expected_seconds(probe)};
    return MTREE_OK;
}

static bool marks_valid(const mtree_probe_result_t *result)
{
    if (result->num_samples < 2 || result->num_samples > MTREE_PROBE_MAX_SAMPLES) {
        return false;
    }
    for (int i = 0; i < result->num_samples; ++i) {
        if (!isfinite(result->samples[i].seconds) ||
            !isfinite(result->samples[i].bytes) ||
            !(result->samples[i].seconds >=
              ((i > 0) ? result->samples[i - 1].seconds : 0)) ||
            !(result->samples[i].bytes >= ((i > 0) ? result->samples[i - 1].bytes : 0))) {
            return false;
        }
    }
    return result->samples[result->num_samples - 1].seconds > 0;
}

static bool result_valid(const mtree_probe_experiment_t *experiment,
                         const mtree_probe_result_t *result)
{
    if (result->failed) {
        return true;
    }
    if (experiment->kind == MTREE_PROBE_STREAM) {
        return marks_valid(result);
    }
    return result->least > 0 && result->median >= result->least &&
           result->median <= 2 * MTREE_TOPOLOGY_MAX_LATENCY;
}

static void record_result(const mtree_probe_t *probe,
                          const mtree_probe_experiment_t *experiment,
                          const mtree_probe_result_t *result)
{
    const bool is_ping = experiment->kind == MTREE_PROBE_PING;

    record(probe, "%s %d %d", is_ping ? "ping" : "stream", experiment->from,
           experiment->to);
    if (!result->failed && is_ping) {
        record(probe, " %.6f %.6f", result->least, result->median);
    }
    for (int i = 0; !result->failed && i < result->num_samples; ++i) {
        record(probe, " %.4f %.0f", result->samples[i].seconds, result->samples[i].bytes);
    }
    record(probe, "\n");
}

/* Write the results of the current round to the record. */
static void record_round(const mtree_probe_t *probe, const mtree_probe_result_t *results,
                         double seconds)
{
    record(probe, "round %d %.6f %s\n", probe->num_rounds, seconds, probe->purpose);
    for (int i = 0; i < probe->num_experiments; ++i) {
        record_result(probe, &probe->experiments[i], &results[i]);
    }
}

mtree_status_t mtree_probe_record(mtree_probe_t *probe,
                                  const mtree_probe_result_t *results, double seconds)
{
    double planned;

    if (!probe->pending || !(seconds >= 0) || !isfinite(seconds)) {
        mtree_error("results of %g seconds for round %d of the probe; record each round "
                    "once",
                    seconds, probe->num_rounds);
        return MTREE_ERR_INVALID;
    }
    for (int i = 0; i < probe->num_experiments; ++i) {
        if (!result_valid(&probe->experiments[i], &results[i])) {
            mtree_error("result %d of round %d of the probe, from %s to %s, cannot be; "
                        "mark it as failed",
                        i, probe->num_rounds, probe->names[probe->experiments[i].from],
                        probe->names[probe->experiments[i].to]);
            return MTREE_ERR_INVALID;
        }
    }
    record_round(probe, results, seconds);
    planned = expected_seconds(probe) - probe->delay;
    if (probe->experiments[0].kind == MTREE_PROBE_PING) {
        mtree_probe_keep_rtt(probe, results);
    } else {
        probe->delay = fmax(probe->delay, seconds - planned);
        mtree_probe_keep_streams(probe, results);
    }
    probe->spent += seconds;
    probe->pending = false;
    ++probe->num_rounds;
    mtree_arena_cleanup(&probe->scratch);
    return MTREE_OK;
}
