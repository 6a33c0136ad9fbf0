/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/adapt/link_check.h"

#include "coll_mtree/base/log.h"
#include "coll_mtree/base/params.h"
#include "coll_mtree/control/host_numbers.h"
#include "coll_mtree/probe/coordinator.h"
#include "coll_mtree/probe/probe.h"

#include "base/memory.h"
#include "topo/probe/fit.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

/* For a handshake with all hosts, once they are there. */
#define HANDSHAKE_SECONDS 20.0

/* Where the halves of a stream differ by more, it shows no rate. */
#define STEADY 0.25

/* The round of the streams of turn @a turn. */
static mtree_probe_round_t make_round(const mtree_link_stream_t *streams, int num_streams,
                                      int turn, mtree_probe_experiment_t *experiments)
{
    size_t bytes = coll_mtree_params.probe_bytes == 0
                       ? SIZE_MAX
                       : (size_t)coll_mtree_params.probe_bytes / (size_t)num_streams;
    double seconds = 0;
    int count = 0;

    for (int i = 0; i < num_streams; i++) {
        if (streams[i].turn == turn) {
            experiments[count] = streams[i].stream;
            experiments[count++].bytes = bytes;
            seconds = fmax(seconds, streams[i].stream.seconds);
        }
    }
    return (mtree_probe_round_t){.num_experiments = count,
                                 .experiments = experiments,
                                 .purpose = "link check",
                                 .seconds = seconds};
}

/* What a stream carried on the wire, bits/s; 0: it does not show. */
static double measured_rate(const mtree_probe_result_t *result)
{
    mtree_probe_curve_t curve = {result->num_samples, result->samples};
    mtree_probe_rate_t rate;

    if (result->failed) {
        return 0;
    }
    rate = mtree_probe_fit_rate(&curve, 1);
    return rate.rising || rate.spread > STEADY ? 0 : rate.rate;
}

/* Run the streams turn by turn. */
static mtree_status_t run_streams(coll_mtree_probe_coordinator_t *coordinator,
                                  mtree_link_stream_t *streams, int num_streams)
{
    mtree_probe_experiment_t *experiments =
        mtree_calloc((size_t)num_streams, sizeof(*experiments));
    mtree_probe_result_t *results = mtree_calloc((size_t)num_streams, sizeof(*results));
    mtree_status_t status = MTREE_OK;

    for (int turn = 0; turn < 2; turn++) {
        mtree_probe_round_t round = make_round(streams, num_streams, turn, experiments);
        const mtree_probe_result_t *result = results;

        if (status == MTREE_OK && round.num_experiments > 0) {
            status = coll_mtree_probe_round_run(coordinator, &round, results);
        }
        for (int i = 0; i < num_streams; i++) {
            if (streams[i].turn == turn) {
                streams[i].capacity = status == MTREE_OK ? measured_rate(result) : 0;
                result++;
            }
        }
    }
    free(results);
    free(experiments);
    return status;
}

/* On rank 0. */
static mtree_status_t check_lead(const coll_mtree_channel_t *channel,
                                 const coll_mtree_host_numbers_t *hosts,
                                 mtree_link_stream_t *streams, int num_streams)
{
    coll_mtree_probe_coordinator_t coordinator;
    mtree_status_t status;

    coll_mtree_probe_coordinator_init(&coordinator, channel, hosts->num_hosts,
                                      hosts->first);
    status = coll_mtree_probe_coordinator_meet(&coordinator, HANDSHAKE_SECONDS);
    if (status == MTREE_OK) {
        status = run_streams(&coordinator, streams, num_streams);
    }
    coll_mtree_probe_coordinator_cleanup(&coordinator);
    return status;
}

void coll_mtree_link_check_run(mca_coll_mtree_module_t *module, ompi_communicator_t *comm,
                               coll_mtree_link_check_t *check)
{
    const mtree_placement_t *placement = module->placement;
    coll_mtree_channel_t channel = coll_mtree_probe_channel(module, comm);
    int rank = ompi_comm_rank(comm);

    if (rank != 0) {
        if (coll_mtree_host_is_first(placement->host, rank)) {
            coll_mtree_probe_worker_serve(&channel);
        }
        return;
    }
    if (check_lead(&channel, &module->context->numbers, check->streams, check->count) !=
        MTREE_OK) {
        coll_mtree_verbose(comm, 1,
                           "the links could not be checked, a host did not "
                           "answer; their capacities stay");
    }
    coll_mtree_probe_coordinator_end(&channel, placement->host, placement->num_ranks);
}
