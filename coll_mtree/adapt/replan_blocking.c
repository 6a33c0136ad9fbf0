/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/adapt/replan_blocking.h"

#include "coll_mtree/adapt/replan.h"
#include "coll_mtree/base/log.h"
#include "coll_mtree/base/memory.h"
#include "coll_mtree/base/params.h"
#include "coll_mtree/base/tags.h"
#include "coll_mtree/control/host_numbers.h"
#include "coll_mtree/probe/coordinator.h"
#include "coll_mtree/probe/probe.h"
#include "coll_mtree/transport/progress.h"

#include "topo/drift/link_check.h"
#include "topo/probe/fit.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

/* For the handshakes with all hosts. */
#define HANDSHAKE_SECONDS 20.0

/* Where the halves of a stream differ by more, it shows no rate. */
#define STEADY 0.25

typedef struct coll_mtree_replan_blocking {
    coll_mtree_replan_t super;
    coll_mtree_traffic_t *traffic;   /* since the last query began */
    double promised;                 /* seconds that the plans predict for the traffic */
    coll_mtree_link_check_t checked; /* on rank 0: that no query has taken along */
} blocking_t;

static coll_mtree_replan_reply_t decide(coll_mtree_replan_query_t *query)
{
    mca_coll_mtree_module_t *module = query->replan->module;
    bool keeps_order = atomic_load(&module->keeps_order);
    bool changes = false;

    /* Other plans would add sums in another order. */
    if (!coll_mtree_params.deterministic) {
        changes = coll_mtree_replan_update(
            query, true,
            coll_mtree_replan_least_gain(keeps_order,
                                         atomic_load(&module->all_reordered) ||
                                             atomic_load(&module->some_reordered)));
        if (query->check.count > 0) {
            return COLL_MTREE_REPLY_CHECK;
        }
    }
    if (keeps_order && changes) {
        atomic_store(&module->all_reordered, true);
    }
    /* The first call with new plans would not wait for its plan to be made. */
    if (changes) {
        mtree_plan_destroy(coll_mtree_planning_context_plan(
                               module->context, query->replan->comm, &query->call_class)
                               .plan);
    }
    return changes ? COLL_MTREE_REPLY_RENEW : COLL_MTREE_REPLY_STAY;
}

static blocking_t *blocking_get(mca_coll_mtree_module_t *module,
                                ompi_communicator_t *comm)
{
    blocking_t *self = module->replan;

    if (self != NULL) {
        return self;
    }
    self = coll_mtree_calloc(1, sizeof(*self));
    self->traffic = coll_mtree_traffic_create((size_t)module->placement->num_hosts);
    coll_mtree_replan_init(&self->super, decide, module, comm,
                           COLL_MTREE_MEASURABLE_SECONDS);
    coll_mtree_replan_open(&self->super, NULL,
                           module->context == NULL ? 0 : module->context->version);
    module->replan = self;
    return self;
}

void coll_mtree_replan_blocking_destroy(mca_coll_mtree_module_t *module)
{
    if (module->replan != NULL) {
        coll_mtree_replan_cleanup(&module->replan->super);
        free(module->replan->traffic);
        free(module->replan->checked.streams);
        free(module->replan);
        module->replan = NULL;
    }
}

/* Begin a query after the call of @a observation. */
static void blocking_query(blocking_t *self, const coll_mtree_observation_t *observation)
{
    mca_coll_mtree_module_t *module = self->super.module;
    int first_tag = coll_mtree_tags_control(module, COLL_MTREE_EXCHANGE_TAGS);
    coll_mtree_replan_query_t *query = coll_mtree_replan_query_create(&self->super);

    query->call_class = *observation->call_class;
    query->part = mtree_plan_part_retain(observation->part);
    query->traffic = self->traffic;
    query->promised = self->promised;
    query->check = self->checked;
    self->promised = 0;
    self->checked = (coll_mtree_link_check_t){.count = 0};
    self->traffic = coll_mtree_traffic_create((size_t)module->placement->num_hosts);
    coll_mtree_replan_query_begin(query, first_tag);
}

/* The same on all ranks. */
static bool is_monitored(const coll_mtree_observation_t *observation)
{
    return coll_mtree_replan_is_monitored(observation->call_class,
                                          coll_mtree_params.replan,
                                          coll_mtree_params.deterministic) &&
           coll_mtree_replan_shows_rates(observation->part,
                                         observation->call_class->bytes) &&
           observation->part->num_steps == 0 && !observation->by_arrival;
}

void coll_mtree_replan_blocking_note(mca_coll_mtree_module_t *module,
                                     ompi_communicator_t *comm,
                                     const coll_mtree_observation_t *observation)
{
    double bytes = observation->call_class->bytes;
    double promised;
    blocking_t *self;

    if (!is_monitored(observation)) {
        return;
    }
    self = blocking_get(module, comm);
    self->super.schedule.calls++;
    if (observation->warmed_up) {
        coll_mtree_traffic_add_call(self->traffic, observation, module->placement->host);
        promised = coll_mtree_replan_promised_seconds(observation->part, bytes);
        self->promised += promised;
        coll_mtree_replan_schedule_add(&self->super.schedule, bytes, promised);
    }
    if (coll_mtree_replan_schedule_take_query(&self->super.schedule)) {
        blocking_query(self, observation);
    }
}

/* The round of one experiment per stream. */
static mtree_probe_round_t make_round(const mtree_link_stream_t *streams, int num_streams,
                                      mtree_probe_experiment_t *experiments)
{
    size_t bytes = coll_mtree_params.probe_bytes == 0
                       ? SIZE_MAX
                       : (size_t)coll_mtree_params.probe_bytes / (size_t)num_streams;
    mtree_link_check_times_t times;
    double rtt = 0;

    for (int i = 0; i < num_streams; i++) {
        rtt = fmax(rtt, streams[i].rtt);
    }
    times = mtree_link_check_times(rtt);
    for (int i = 0; i < num_streams; i++) {
        experiments[i] = (mtree_probe_experiment_t){.kind = MTREE_PROBE_STREAM,
                                                    .from = streams[i].from,
                                                    .to = streams[i].to,
                                                    .bytes = bytes,
                                                    .seconds = times.stream,
                                                    .begin = streams[i].turn * times.turn,
                                                    .set = streams[i].turn,
                                                    .sharing = 1,
                                                    .rtt = streams[i].rtt};
    }
    return (mtree_probe_round_t){.num_experiments = num_streams,
                                 .experiments = experiments,
                                 .purpose = "link check",
                                 .seconds = 2 * times.turn};
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

static int run_streams(coll_mtree_probe_coordinator_t *coordinator,
                       mtree_link_stream_t *streams, int num_streams)
{
    mtree_probe_experiment_t *experiments =
        coll_mtree_calloc((size_t)num_streams, sizeof(*experiments));
    mtree_probe_result_t *results =
        coll_mtree_calloc((size_t)num_streams, sizeof(*results));
    mtree_probe_round_t round = make_round(streams, num_streams, experiments);
    int next_tag = 0;
    double took;
    int rc = coll_mtree_probe_round_run(coordinator, &round, &next_tag, results, &took);

    for (int i = 0; i < num_streams; i++) {
        streams[i].capacity = rc == OMPI_SUCCESS ? measured_rate(&results[i]) : 0;
    }
    free(results);
    free(experiments);
    return rc;
}

/* On rank 0.  Open MPI's code. */
static int check_lead(const coll_mtree_channel_t *channel,
                      const coll_mtree_host_numbers_t *hosts,
                      mtree_link_stream_t *streams, int num_streams)
{
    coll_mtree_probe_coordinator_t coordinator;
    int rc;

    coll_mtree_probe_coordinator_init(&coordinator, channel, hosts->num_hosts,
                                      hosts->first);
    rc = coll_mtree_probe_coordinator_handshake(&coordinator, HANDSHAKE_SECONDS);
    if (rc == OMPI_SUCCESS) {
        rc = run_streams(&coordinator, streams, num_streams);
    }
    coll_mtree_probe_coordinator_cleanup(&coordinator);
    return rc;
}

/*
 * The first ranks of the hosts run @a streams [num_streams] that rank 0 asks for
 * (topo/drift/link_check.h), which sets their capacities, 0 where the stream failed;
 * other ranks pass none.  The rank may go on when this returns, whatever the others do.
 */
static void check_links(mca_coll_mtree_module_t *module, ompi_communicator_t *comm,
                        mtree_link_stream_t *streams, int num_streams)
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
    if (check_lead(&channel, &module->context->numbers, streams, num_streams) !=
        OMPI_SUCCESS) {
        coll_mtree_verbose(comm, 1,
                           "the links could not be checked, a host did not "
                           "answer; their capacities stay");
    }
    coll_mtree_probe_coordinator_end(&channel, placement->host, placement->num_ranks);
}

/* The links are checked; rank 0 has the next query take the result along. */
static void blocking_check(blocking_t *self, coll_mtree_replan_query_t *query)
{
    check_links(self->super.module, self->super.comm, query->check.streams,
                query->check.count);
    free(self->checked.streams);
    self->checked = query->check;
    query->check = (coll_mtree_link_check_t){.count = 0};
}

bool coll_mtree_replan_blocking_catch_up(mca_coll_mtree_module_t *module)
{
    coll_mtree_replan_t *replan = module->replan == NULL ? NULL : &module->replan->super;
    coll_mtree_replan_query_t *query;
    bool renews = false;

    while (replan != NULL && (query = coll_mtree_replan_take_due(
                                  replan, replan->schedule.calls + 1)) != NULL) {
        coll_mtree_progress_wait_for(&query->ended);
        renews = renews || query->reply == COLL_MTREE_REPLY_RENEW;
        if (query->reply == COLL_MTREE_REPLY_CHECK) {
            blocking_check(module->replan, query);
        }
        coll_mtree_replan_query_release(query);
    }
    return renews;
}
