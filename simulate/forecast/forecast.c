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

/* The size of the calls that @a request is for; that of an all-to-all's plan is what the
 * @a ranks_per_host ranks of a host send. */
static size_t call_bytes(const mtree_plan_request_t *request, int ranks_per_host)
{
    return (size_t)(mtree_collective_is_transposed(request->collective)
                        ? request->bytes / ranks_per_host
                        : request->bytes);
}

/* The most ranks that are simulated. */
static int most_ranks(const mtree_plan_request_t *request,
                      const mtree_baseline_t *baseline)
{
    return mtree_collective_is_transposed(request->collective) &&
                   strcmp(baseline->name, "modified_bruck") != 0
               ? MOST_ALLTOALL_RANKS
               : MOST_RANKS;
}

/* Calls of Open MPI in the simulator. */
typedef struct {
    const mtree_topology_t *topology;
    const int *vertices;
    int num_hosts;
    const mtree_baseline_t *baseline;
    mtree_simulate_options_t options;
} fallback_t;

/* Seconds that a call of @a bytes takes; negative: not known. */
static double simulated_seconds(fallback_t *fallback, double bytes)
{
    mtree_simulate_result_t result = {.seconds = -1};
    double seconds;

    fallback->options.bytes = (size_t)bytes;
    (void)mtree_simulate_baseline(fallback->topology, fallback->vertices,
                                  fallback->num_hosts, fallback->baseline,
                                  &fallback->options, &result);
    seconds = result.seconds;
    mtree_simulate_result_clear(&result);
    return seconds;
}

/* The same; where the bytes are too many from what a part takes. */
static double extrapolated_seconds(fallback_t *fallback, size_t bytes)
{
    int num_ranks = fallback->num_hosts * fallback->options.ranks_per_host;
    double whole = (double)bytes, part = fmin(whole, MOST_BYTES / num_ranks);
    double seconds = simulated_seconds(fallback, part), half;

    if (seconds < 0 || part >= whole) {
        return seconds;
    }
    half = simulated_seconds(fallback, part / 2);
    return half < 0 ? -1 : seconds + (whole - part) * (seconds - half) / (part / 2);
}

double mtree_forecast_fallback_seconds(mtree_openmpi_t openmpi,
                                       const mtree_topology_t *topology,
                                       const int *vertices, int num_hosts,
                                       int ranks_per_host,
                                       const mtree_plan_request_t *request)
{
    fallback_t fallback = {.topology = topology,
                           .vertices = vertices,
                           .num_hosts = num_hosts,
                           .baseline = mtree_baseline_default(
                               openmpi, request->collective, num_hosts * ranks_per_host,
                               call_bytes(request, ranks_per_host))};
    mtree_simulate_options_t *options = &fallback.options;
    int most_per_host = fallback.baseline == NULL
                            ? 0
                            : most_ranks(request, fallback.baseline) / num_hosts;

    if (most_per_host < 1) {
        return -1;
    }
    mtree_simulate_default_options(options);
    options->root = request->root;
    options->ranks_per_host =
        ranks_per_host < most_per_host ? ranks_per_host : most_per_host;
    options->most_messages = MOST_MESSAGES;
    options->openmpi = openmpi;
    options->network.routes = request->routes;
    return extrapolated_seconds(&fallback, call_bytes(request, options->ranks_per_host));
}

mtree_forecast_t mtree_forecast_make(double plan, double fallback)
{
    double handicap = fmin(plan, fallback) < BRIEF_SECONDS ? BRIEF_GAIN : LOSSES;

    return (mtree_forecast_t){.pays = fallback < 0 || plan <= handicap * fallback,
                              .seconds = plan,
                              .fallback = fmax(fallback, 0)};
}
