/* SPDX-License-Identifier: BSD-3-Clause */
#include "topo/probe/probe.h"

#include "base/log.h"
#include "base/memory.h"
#include "topo/probe/state.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static mtree_status_t check_hosts(const mtree_probe_host_t *hosts, int num_hosts)
{
    if (num_hosts < 1 || num_hosts > MTREE_PROBE_MAX_HOSTS) {
        mtree_error("a probe of %d hosts; give 1 to %d", num_hosts,
                    MTREE_PROBE_MAX_HOSTS);
        return MTREE_ERR_LIMIT;
    }
    for (int i = 0; i < num_hosts; ++i) {
        if (!mtree_topology_name_valid(hosts[i].name)) {
            mtree_error("host number %d is called \"%s\", which is no name for a map", i,
                        hosts[i].name);
            return MTREE_ERR_INVALID;
        }
    }
    return MTREE_OK;
}

mtree_status_t mtree_probe_create(const mtree_probe_host_t *hosts, int num_hosts,
                                  const mtree_probe_options_t *options,
                                  mtree_probe_t **probe_p)
{
    mtree_status_t status = check_hosts(hosts, num_hosts);
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
    MTREE_ARENA_ARRAY(&probe->arena, probe->names, (size_t)num_hosts);
    MTREE_ARENA_ARRAY(&probe->arena, probe->speeds, (size_t)num_hosts);
    MTREE_ARENA_ARRAY(&probe->arena, probe->tested, (size_t)num_hosts);
    MTREE_ARENA_ARRAY(&probe->arena, probe->fastest, (size_t)num_hosts);
    for (int i = 0; i < num_hosts; ++i) {
        addresses[i] = hosts[i].address;
        probe->speeds[i] = hosts[i].speed;
        probe->fastest[i] = -1;
        probe->names[i] = mtree_arena_strdup(&probe->arena, hosts[i].name);
        mtree_probe_write(probe, "host %s %s %.6g\n", hosts[i].name, hosts[i].address,
                          hosts[i].speed);
    }
    probe->routes = mtree_probe_routes_create(addresses, num_hosts);
    probe->search = mtree_traceroute_search_create(probe->routes);
    mtree_traceroute_search_sample(probe->search, options->seed);
    *probe_p = probe;
    return MTREE_OK;
}

void mtree_probe_destroy(mtree_probe_t *probe)
{
    if (probe == NULL) {
        return;
    }
    mtree_probe_graph_clear(&probe->graph);
    mtree_networks_cleanup(&probe->networks);
    mtree_traceroute_search_destroy(probe->search);
    mtree_probe_routes_destroy(probe->routes);
    mtree_arena_cleanup(&probe->arena);
    mtree_arena_cleanup(&probe->scratch);
    free(probe);
}

void mtree_probe_add_address(mtree_probe_t *probe, int host, const char *address)
{
    mtree_probe_write(probe, "address %d %s\n", host, address);
    mtree_probe_routes_add_address(probe->routes, host, address);
}

void mtree_probe_set_first_hop(mtree_probe_t *probe, int host, int target,
                               const mtree_kernel_route_t *first_hop)
{
    mtree_traceroute_search_set_first_hop(probe->search, host, target, first_hop);
}

/* What fills the rounds of each stage, and what draws its conclusions (NULL: nothing). */
static const struct {
    void (*fill)(mtree_probe_t *probe);
    mtree_status_t (*end)(mtree_probe_t *probe);
} stages[] = {
    [MTREE_PROBE_STAGE_ROUTES] = {mtree_probe_fill_trace, mtree_probe_end_routes},
    [MTREE_PROBE_STAGE_RTT] = {mtree_probe_fill_rtt, mtree_probe_fit_graph},
    [MTREE_PROBE_STAGE_INTERFACE_TEST] = {mtree_probe_fill_interface_test,
                                          mtree_probe_end_interface_test},
    [MTREE_PROBE_STAGE_SINGLE_LINK_TEST] = {mtree_probe_fill_single_link_test,
                                            mtree_probe_end_single_link_test},
    [MTREE_PROBE_STAGE_INTERFACE_RETEST] = {mtree_probe_fill_interface_test,
                                            mtree_probe_end_interface_test},
    [MTREE_PROBE_STAGE_SINGLE_LINK_RETEST] = {mtree_probe_fill_single_link_test,
                                              mtree_probe_end_single_link_retest},
    [MTREE_PROBE_STAGE_CROSS] = {mtree_probe_fill_cross, NULL},
    [MTREE_PROBE_STAGE_NETWORKS] = {mtree_probe_fill_networks, NULL},
};

/* Fill the next round, going through the stages until one has something to do. */
static mtree_status_t fill_round(mtree_probe_t *probe)
{
    mtree_status_t status = MTREE_OK;

    probe->num_experiments = 0;
    while (status == MTREE_OK && probe->stage != MTREE_PROBE_STAGE_DONE) {
        stages[probe->stage].fill(probe);
        if (probe->num_experiments > 0) {
            break;
        }
        if (stages[probe->stage].end != NULL) {
            status = stages[probe->stage].end(probe);
        }
        if (status == MTREE_OK) {
            ++probe->stage;
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
    const mtree_status_t status = fill_round(probe);

    mtree_arena_cleanup(&probe->scratch);
    if (status != MTREE_OK) {
        return status;
    }
    *round_p = (mtree_probe_round_t){.num_experiments = probe->num_experiments,
                                     .experiments = probe->experiments,
                                     .purpose = probe->purpose,
                                     .seconds = expected_seconds(probe)};
    return MTREE_OK;
}

static bool samples_valid(const mtree_probe_result_t *result)
{
    mtree_probe_rate_sample_t before = {0, 0};

    if (result->num_samples < 2 || result->num_samples > MTREE_PROBE_MAX_SAMPLES) {
        return false;
    }
    for (int i = 0; i < result->num_samples; ++i) {
        const mtree_probe_rate_sample_t now = result->samples[i];

        if (!isfinite(now.seconds) || !isfinite(now.bytes) ||
            !(now.seconds >= before.seconds) || !(now.bytes >= before.bytes)) {
            return false;
        }
        before = now;
    }
    return before.seconds > 0;
}

static bool is_possible(mtree_probe_kind_t kind, const mtree_probe_result_t *result)
{
    switch (kind) {
    case MTREE_PROBE_TRACE:
        return memchr(result->address, '\0', sizeof(result->address)) != NULL;
    case MTREE_PROBE_PING:
        return result->least > 0 && result->median >= result->least &&
               result->median <= 2 * MTREE_TOPOLOGY_MAX_LATENCY;
    case MTREE_PROBE_STREAM:
        return samples_valid(result);
    default:
        return isfinite(result->rate[0]) && isfinite(result->rate[1]) &&
               result->latency >= 0;
    }
}

static void record_result(const mtree_probe_t *probe,
                          const mtree_probe_experiment_t *experiment,
                          const mtree_probe_result_t *result)
{
    const bool is_ping = experiment->kind == MTREE_PROBE_PING;

    mtree_probe_write(probe, "%s %d %d", is_ping ? "ping" : "stream", experiment->from,
                      experiment->to);
    if (!result->failed && is_ping) {
        mtree_probe_write(probe, " %.6f %.6f", result->least, result->median);
    }
    for (int i = 0; !result->failed && i < result->num_samples; ++i) {
        mtree_probe_write(probe, " %.4f %.0f", result->samples[i].seconds,
                          result->samples[i].bytes);
    }
    mtree_probe_write(probe, "\n");
}

/* Write the results of the current round to the record; those of TRACE as routes, later,
 * those of CABLE not at all. */
static void record_round(const mtree_probe_t *probe, const mtree_probe_result_t *results,
                         double seconds)
{
    mtree_probe_write(probe, "round %d %.6f %s\n", probe->num_rounds, seconds,
                      probe->purpose);
    for (int i = 0; i < probe->num_experiments; ++i) {
        if (probe->experiments[i].kind == MTREE_PROBE_PING ||
            probe->experiments[i].kind == MTREE_PROBE_STREAM) {
            record_result(probe, &probe->experiments[i], &results[i]);
        }
    }
}

void mtree_probe_record(mtree_probe_t *probe, mtree_probe_result_t *results,
                        double seconds)
{
    static void (*const keep[])(mtree_probe_t *, const mtree_probe_result_t *) = {
        [MTREE_PROBE_TRACE] = mtree_probe_keep_traces,
        [MTREE_PROBE_PING] = mtree_probe_keep_rtt,
        [MTREE_PROBE_STREAM] = mtree_probe_keep_streams,
        [MTREE_PROBE_CABLE] = mtree_probe_keep_networks};
    const mtree_probe_kind_t kind = probe->experiments[0].kind;

    for (int i = 0; i < probe->num_experiments; ++i) {
        results[i].failed = results[i].failed || !is_possible(kind, &results[i]);
    }
    record_round(probe, results, seconds);
    if (kind == MTREE_PROBE_STREAM) {
        const double planned = expected_seconds(probe) - probe->delay;

        probe->delay = fmax(probe->delay, seconds - planned);
    }
    keep[kind](probe, results);
    probe->spent += seconds;
    ++probe->num_rounds;
    mtree_arena_cleanup(&probe->scratch);
}
