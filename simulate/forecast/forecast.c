/* SPDX-License-Identifier: BSD-3-Clause */
#include "simulate/forecast/forecast.h"

#include "simulate/simulate.h"

#include <math.h>
#include <string.h>

/* Up to so many ranks it takes seconds at most.  Of more, some of each host stand for
 * all: what crosses the network decides. */
#define MOST_RANKS 1024

/* The same of an all-to-all whose messages grow with the square of the ranks, which is
 * all but Bruck's. */
#define MOST_ALLTOALL_RANKS 256

/*
 * What a simulation may take, some tenths of a second: of more messages the pace of these
 * counts, and of more bytes to all ranks a part is simulated, and half of it, which tells
 * how the time grows.  A segmented ring of 256 MiB over 1,024 hosts takes half a minute.
 */
#define MOST_MESSAGES 30000
#define MOST_BYTES    1e9

/*
 * What a plan may be expected to take, in the time of the fallback.  The simulator's
 * queues hold everything.  Plans send no more than queues hold; of Open MPI's algorithms
 * many take twice their forecast on equal links (notes/performance.md).  Brief calls fill
 * no queue; of two that take as long the fallback costs processors less.
 */
#define LOSSES        1.1
#define BRIEF_SECONDS 5e-3
#define BRIEF_GAIN    0.95

static bool is_alltoall(const mtree_plan_request_t *request)
{
    return mtree_collective_is_personalized(request->collective) &&
           mtree_collective_has_blocks(request->collective);
}

/* The size of the calls that @a request is for; that of an all-to-all's plan is what the
 * @a ranks_per_host ranks of a host send. */
static size_t call_bytes(const mtree_plan_request_t *request, int ranks_per_host)
{
    return (size_t)(is_alltoall(request) ? request->bytes / ranks_per_host
                                         : request->bytes);
}

/* The most ranks that are simulated. */
static int most_ranks(const mtree_plan_request_t *request,
                      const mtree_baseline_t *baseline)
{
    return is_alltoall(request) && strcmp(baseline->name, "modified_bruck") != 0
               ? MOST_ALLTOALL_RANKS
               : MOST_RANKS;
}

/* Seconds that @a bytes take with @a baseline in the simulator; negative: not known. */
static double simulated_seconds(const mtree_topology_t *topology, const int *vertices,
                                int num_hosts, const mtree_baseline_t *baseline,
                                const mtree_simulate_options_t *options, double bytes)
{
    mtree_simulate_options_t some = *options;
    mtree_simulate_result_t result;
    double seconds;

    some.bytes = (size_t)bytes;
    if (mtree_simulate_baseline(topology, vertices, num_hosts, baseline, &some,
                                &result) != MTREE_OK) {
        return -1;
    }
    seconds = result.seconds;
    mtree_simulate_result_clear(&result);
    return seconds;
}

/* The same of options->bytes, where these are too many from what a part takes. */
static double extrapolated_seconds(const mtree_topology_t *topology, const int *vertices,
                                   int num_hosts, const mtree_baseline_t *baseline,
                                   const mtree_simulate_options_t *options)
{
    double whole = (double)options->bytes;
    double part = fmin(whole, MOST_BYTES / (num_hosts * options->ranks_per_host));
    double seconds, half;

    seconds = simulated_seconds(topology, vertices, num_hosts, baseline, options, part);
    if (seconds < 0 || part >= whole) {
        return seconds;
    }
    half = simulated_seconds(topology, vertices, num_hosts, baseline, options, part / 2);
    return half < 0 ? -1 : seconds + (whole - part) * (seconds - half) / (part / 2);
}

/* Seconds that @a openmpi takes with @a baseline; negative: not known. */
static double baseline_seconds(mtree_openmpi_t openmpi, const mtree_topology_t *topology,
                               const int *vertices, int num_hosts, int ranks_per_host,
                               const mtree_plan_request_t *request,
                               const mtree_baseline_t *baseline)
{
    mtree_simulate_options_t options;
    int most_per_host = baseline == NULL ? 0 : most_ranks(request, baseline) / num_hosts;
    mtree_routes_t *found = NULL;
    double seconds;

    if (most_per_host < 1 ||
        (request->routes == NULL &&
         mtree_routes_create(topology, vertices, num_hosts, &found) != MTREE_OK)) {
        return -1;
    }
    mtree_simulate_default_options(&options);
    options.root = request->root;
    options.ranks_per_host =
        ranks_per_host < most_per_host ? ranks_per_host : most_per_host;
    options.bytes = call_bytes(request, options.ranks_per_host);
    options.most_messages = MOST_MESSAGES;
    options.openmpi = openmpi;
    options.network.routes = request->routes == NULL ? found : request->routes;
    seconds = extrapolated_seconds(topology, vertices, num_hosts, baseline, &options);
    mtree_routes_destroy(found);
    return seconds;
}

double mtree_forecast_fallback_seconds(mtree_openmpi_t openmpi,
                                       const mtree_topology_t *topology,
                                       const int *vertices, int num_hosts,
                                       int ranks_per_host,
                                       const mtree_plan_request_t *request)
{
    return baseline_seconds(
        openmpi, topology, vertices, num_hosts, ranks_per_host, request,
        mtree_baseline_default(openmpi, request->collective, num_hosts * ranks_per_host,
                               call_bytes(request, ranks_per_host)));
}

mtree_forecast_t mtree_forecast_make(double plan, double fallback)
{
    double handicap = fmin(plan, fallback) < BRIEF_SECONDS ? BRIEF_GAIN : LOSSES;

    return (mtree_forecast_t){.pays = fallback < 0 || plan <= handicap * fallback,
                              .seconds = plan,
                              .fallback = fmax(fallback, 0)};
}
