/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/probe/experiments.h"

#include "coll_mtree/control/host.h"

#include "base/clock.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

/* By kind of experiment.  Packets have no runner, since all are sent by one socket. */
static const struct {
    const coll_mtree_probe_runner_t *runner;
    coll_mtree_wait_t wait;
} kinds[] = {[MTREE_PROBE_TRACE] = {NULL, COLL_MTREE_WAIT_LATER},
             [MTREE_PROBE_PING] = {&coll_mtree_ping_runner, COLL_MTREE_WAIT_AT_ONCE},
             [MTREE_PROBE_STREAM] = {&coll_mtree_stream_runner, COLL_MTREE_WAIT_SOON},
             [MTREE_PROBE_CABLE] = {&coll_mtree_cable_runner, COLL_MTREE_WAIT_AT_ONCE}};

struct coll_mtree_probe_experiments {
    const coll_mtree_channel_t *channel;
    const coll_mtree_probe_part_t *parts;
    int num_parts;
    const coll_mtree_probe_runner_t *runner; /* NULL: they are TRACEs */
    double begins;                           /* of the clock, seconds */
    double patience;
    coll_mtree_probe_report_t *reports;
    bool begun, ended;
    mtree_traceroute_t *traces;       /* NULL: none, or no socket: none is answered */
    mtree_traceroute_probe_t *probes; /* [num_parts] of these */
    struct {
        void *run;
        bool ended;
    } running[]; /* [num_parts] of the others */
};

static void begin_traces(coll_mtree_probe_experiments_t *experiments)
{
    mtree_traceroute_probe_t *probes =
        mtree_calloc((size_t)experiments->num_parts, sizeof(*probes));
    mtree_address_t own[COLL_MTREE_HOST_ADDRESSES];
    int i = 0;

    experiments->probes = probes;
    for (int p = 0; p < experiments->num_parts; p++) {
        probes[p].to = experiments->parts[p].to;
        probes[p].limit = experiments->parts[p].experiment.limit;
    }
    (void)coll_mtree_host_addresses(own);
    while (i < COLL_MTREE_HOST_ADDRESSES && own[i].family != probes[0].to.family) {
        i++;
    }
    if (i < COLL_MTREE_HOST_ADDRESSES &&
        mtree_traceroute_start(&own[i], probes, experiments->num_parts,
                               experiments->patience, &experiments->traces) != MTREE_OK) {
        experiments->traces = NULL;
    }
}

static void begin_parts(coll_mtree_probe_experiments_t *experiments)
{
    experiments->begun = true;
    if (experiments->runner == NULL) {
        begin_traces(experiments);
        return;
    }
    for (int i = 0; i < experiments->num_parts; i++) {
        experiments->running[i].run =
            experiments->runner->begin(experiments->channel, &experiments->parts[i]);
    }
}

coll_mtree_probe_experiments_t *coll_mtree_probe_experiments_begin(
    const coll_mtree_channel_t *channel, const coll_mtree_probe_part_t *parts,
    int num_parts, double delay, double patience, coll_mtree_probe_report_t *reports)
{
    coll_mtree_probe_experiments_t *experiments = mtree_calloc(
        1, sizeof(*experiments) + (size_t)num_parts * sizeof(experiments->running[0]));

    experiments->channel = channel;
    experiments->parts = parts;
    experiments->num_parts = num_parts;
    experiments->runner = kinds[parts[0].experiment.kind].runner;
    experiments->begins = mtree_clock_seconds() + delay;
    experiments->patience = patience;
    experiments->reports = reports;
    return experiments;
}

/* Go on with all parts, which have begun; true when they have ended. */
static bool advance_parts(coll_mtree_probe_experiments_t *experiments)
{
    bool ended = true;

    if (experiments->runner == NULL) {
        return experiments->traces == NULL ||
               mtree_traceroute_advance(experiments->traces);
    }
    for (int i = 0; i < experiments->num_parts; i++) {
        experiments->running[i].ended =
            experiments->running[i].ended ||
            experiments->runner->advance(experiments->running[i].run);
        ended = ended && experiments->running[i].ended;
    }
    return ended;
}

bool coll_mtree_probe_experiments_advance(coll_mtree_probe_experiments_t *experiments)
{
    if (experiments == NULL || experiments->ended) {
        return true;
    }
    if (!experiments->begun && mtree_clock_seconds() < experiments->begins) {
        return false;
    }
    if (!experiments->begun) {
        begin_parts(experiments);
    }
    return experiments->ended = advance_parts(experiments);
}

coll_mtree_wait_t
coll_mtree_probe_experiments_wait(const coll_mtree_probe_experiments_t *experiments)
{
    return experiments == NULL || experiments->ended
               ? COLL_MTREE_WAIT_LATER
               : kinds[experiments->parts[0].experiment.kind].wait;
}

void coll_mtree_probe_experiments_end(coll_mtree_probe_experiments_t *experiments)
{
    coll_mtree_probe_report_t *report;

    if (experiments == NULL) {
        return;
    }
    report = experiments->reports;
    for (int i = 0; i < experiments->num_parts; i++) {
        const bool reports = coll_mtree_probe_part_reports(&experiments->parts[i]);

        if (reports) {
            *report = (coll_mtree_probe_report_t){.number = experiments->parts[i].number,
                                                  .result.failed = true};
        }
        if (experiments->running[i].run != NULL) {
            experiments->runner->end(experiments->running[i].run,
                                     reports ? &report->result : NULL);
        } else if (experiments->probes != NULL) {
            report->result.failed = false;
            report->result.answer = experiments->probes[i].answer;
            if (experiments->probes[i].from.family != AF_UNSPEC) {
                (void)mtree_address_format(&experiments->probes[i].from,
                                           report->result.address);
            }
        }
        report += reports;
    }
    mtree_traceroute_destroy(experiments->traces);
    free(experiments->probes);
    free(experiments);
}
