/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/probe/round.h"

#include "coll_mtree/base/memory.h"

#include "base/log.h"

/* The probe is given up when a round takes TIMEOUT_FACTOR times as long as expected and
 * TIMEOUT_SECONDS more. */
#define TIMEOUT_FACTOR  4.0
#define TIMEOUT_SECONDS 20.0

/* Allocate the parts of each host, of which there are none yet. */
static void shares_alloc(coll_mtree_probe_coordinator_t *coordinator,
                         const mtree_probe_round_t *round)
{
    coll_mtree_probe_coordinator_clear(coordinator, COLL_MTREE_COMMAND_EXPERIMENTS);
    for (int e = 0; e < round->num_experiments; e++) {
        coordinator->share[round->experiments[e].from].command.num_items++;
        coordinator->share[round->experiments[e].to].command.num_items++;
    }
    for (int host = 0; host < coordinator->num_hosts; host++) {
        coll_mtree_share_t *share = &coordinator->share[host];

        share->items = coll_mtree_calloc((size_t)share->command.num_items,
                                         sizeof(coll_mtree_probe_part_t));
        share->command.num_items = 0;
    }
}

/* Add the part of @a host in experiment @a number with the host @a other. */
static void add_part(coll_mtree_probe_coordinator_t *coordinator,
                     const mtree_probe_experiment_t *experiment, int number, int tag,
                     int host, int other)
{
    coll_mtree_share_t *share = &coordinator->share[host];
    coll_mtree_probe_part_t *parts = share->items;

    parts[share->command.num_items++] =
        (coll_mtree_probe_part_t){.number = number,
                                  .kind = (int)experiment->kind,
                                  .sends = host == experiment->from,
                                  .peer = coordinator->leader[other],
                                  .tag = tag,
                                  .trip = experiment->rtt,
                                  .speed = experiment->speed,
                                  .repeats = experiment->repeats,
                                  .bytes = experiment->bytes,
                                  .sharing = experiment->sharing,
                                  .seconds = experiment->seconds,
                                  .begin = experiment->begin};
}

static void shares_fill(coll_mtree_probe_coordinator_t *coordinator,
                        const mtree_probe_round_t *round, int *next_tag)
{
    shares_alloc(coordinator, round);
    for (int e = 0; e < round->num_experiments; e++) {
        const mtree_probe_experiment_t *experiment = &round->experiments[e];
        int tag = COLL_MTREE_EXPERIMENT_TAG + *next_tag;

        *next_tag = (*next_tag + 1) % (COLL_MTREE_PROBE_TAGS - COLL_MTREE_EXPERIMENT_TAG);
        add_part(coordinator, experiment, e, tag, experiment->from, experiment->to);
        add_part(coordinator, experiment, e, tag, experiment->to, experiment->from);
    }
}

/* Take the reports, in the order of the experiments; the number that failed. */
static int take_reports(const coll_mtree_probe_coordinator_t *coordinator,
                        const mtree_probe_round_t *round, mtree_probe_result_t *results)
{
    int failed = round->num_experiments;

    for (int e = 0; e < round->num_experiments; e++) {
        results[e] = (mtree_probe_result_t){.failed = true};
    }
    for (int host = 0; host < coordinator->num_hosts; host++) {
        const coll_mtree_share_t *share = &coordinator->share[host];
        const coll_mtree_probe_report_t *reports = share->reply;
        size_t bytes = reports == NULL ? 0
                                       : coll_mtree_command_reply_bytes(&share->command,
                                                                        share->items);

        for (size_t i = 0; i < bytes / sizeof(*reports); i++) {
            if (reports[i].number >= 0 && reports[i].number < round->num_experiments) {
                results[reports[i].number] = reports[i].result;
                failed -= !reports[i].result.failed;
            }
        }
    }
    return failed;
}

int coll_mtree_probe_round_run(coll_mtree_probe_coordinator_t *coordinator,
                               const mtree_probe_round_t *round, int *next_tag,
                               mtree_probe_result_t *results, double *seconds_p)
{
    double took;
    int rc;

    shares_fill(coordinator, round, next_tag);
    rc = coll_mtree_probe_coordinator_run(
        coordinator, TIMEOUT_FACTOR * round->seconds + TIMEOUT_SECONDS, &took);
    if (rc == OMPI_SUCCESS) {
        mtree_debug("probe: %s: %d experiments, %d failed, %.3f s (%.3f s expected)",
                    round->purpose, round->num_experiments,
                    take_reports(coordinator, round, results), took, round->seconds);
        *seconds_p = took;
    }
    return rc;
}
