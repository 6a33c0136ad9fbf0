/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/probe/coordinator.h"

#include "coll_mtree/base/tuning.h"

#include "base/array.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static coll_mtree_command_t *command_of(const coll_mtree_share_t *share)
{
    return share->pieces[COLL_MTREE_COMMAND_TAG];
}

/* Give up what is still under way, whose bytes stay for as long as the PML needs them,
 * and free the rest. */
static void share_clear(coll_mtree_share_t *share)
{
    for (int tag = 0; tag < COLL_MTREE_PIECES; tag++) {
        coll_mtree_message_abandon(&share->messages[tag], share->pieces[tag]);
        share->pieces[tag] = NULL;
    }
    share->capacity = 0;
}

/* Begin new shares, of @a kind and without items. */
static void clear(coll_mtree_probe_coordinator_t *coordinator,
                  coll_mtree_command_kind_t kind)
{
    for (int host = 0; host < coordinator->num_hosts; host++) {
        coll_mtree_share_t *share = &coordinator->share[host];

        share_clear(share);
        share->pieces[COLL_MTREE_COMMAND_TAG] =
            mtree_calloc(1, sizeof(coll_mtree_command_t));
        command_of(share)->kind = kind;
    }
}

/* Give @a share @a num_items more, and as many replies to them. */
static void share_add(coll_mtree_share_t *share, const void *items, int num_items,
                      int num_replies)
{
    coll_mtree_command_t *command = command_of(share);
    const size_t before = coll_mtree_command_bytes(command, COLL_MTREE_ITEMS_TAG);
    size_t length;

    command->num_items += num_items;
    command->num_replies += num_replies;
    length = coll_mtree_command_bytes(command, COLL_MTREE_ITEMS_TAG);
    if (length > before) {
        mtree_array_reserve(&share->pieces[COLL_MTREE_ITEMS_TAG], &share->capacity,
                            (int)length, 1);
        memcpy((char *)share->pieces[COLL_MTREE_ITEMS_TAG] + before, items,
               length - before);
    }
}

/* Have rank @a peer carry out @a share. */
static void share_send(const coll_mtree_channel_t *channel, int peer,
                       coll_mtree_share_t *share)
{
    for (int tag = 0; tag < COLL_MTREE_PIECES; tag++) {
        const size_t length = coll_mtree_command_bytes(command_of(share), tag);

        if (length > 0 || tag == COLL_MTREE_REPLY_TAG) {
            share->messages[tag] =
                coll_mtree_message_start(channel, tag != COLL_MTREE_REPLY_TAG, peer, tag,
                                         share->pieces[tag], length);
        }
    }
}

/* True when no message is under way; *status_p: MTREE_ERR_TRANSPORT where the replies
 * will not come. */
static bool share_is_over(coll_mtree_share_t *share, double started,
                          mtree_status_t *status_p)
{
    coll_mtree_message_t **messages = share->messages;
    mtree_status_t status;

    if (messages[COLL_MTREE_REPLY_TAG] != NULL &&
        coll_mtree_message_test(&messages[COLL_MTREE_REPLY_TAG], &status)) {
        *status_p = status == MTREE_OK ? *status_p : status;
        if (command_of(share)->kind == COLL_MTREE_COMMAND_HANDSHAKE) {
            share->round_trip = mtree_clock_seconds() - started;
        }
    }
    return messages[COLL_MTREE_REPLY_TAG] == NULL &&
           coll_mtree_message_test(&messages[COLL_MTREE_COMMAND_TAG], NULL) &&
           coll_mtree_message_test(&messages[COLL_MTREE_ITEMS_TAG], NULL);
}

/* Start all shares but those without items; the experiments of this host, if there are
 * some.  A host to which a command takes less time waits for the others. */
static coll_mtree_probe_experiments_t *
start_all(const coll_mtree_probe_coordinator_t *coordinator)
{
    double longest = 0, longest_of_all = 0;

    for (int host = 0; host < coordinator->num_hosts; host++) {
        const coll_mtree_share_t *share = &coordinator->share[host];

        longest_of_all = fmax(longest_of_all, share->round_trip);
        longest =
            command_of(share)->num_items > 0 ? fmax(longest, share->round_trip) : longest;
    }
    /* This host, which is the first one, comes last, since it may wait. */
    for (int host = coordinator->num_hosts - 1; host >= 0; host--) {
        coll_mtree_share_t *share = &coordinator->share[host];
        coll_mtree_command_t *command = command_of(share);
        void **pieces = share->pieces;

        if (command->num_items == 0) {
            continue;
        }
        command->delay = (longest - share->round_trip) / 2;
        command->patience = longest_of_all + COLL_MTREE_HOP_SECONDS;
        pieces[COLL_MTREE_REPLY_TAG] =
            mtree_calloc(coll_mtree_command_bytes(command, COLL_MTREE_REPLY_TAG), 1);
        if (host > 0) {
            share_send(coordinator->channel, coordinator->leader[host], share);
        } else {
            return coll_mtree_probe_command_begin(coordinator->channel, command,
                                                  pieces[COLL_MTREE_ITEMS_TAG],
                                                  pieces[COLL_MTREE_REPLY_TAG]);
        }
    }
    return NULL;
}

/* Run all shares: send their commands and items, do this host's own, and wait for all
 * replies, for @a seconds. */
static mtree_status_t run(coll_mtree_probe_coordinator_t *coordinator, double seconds)
{
    const double started = mtree_clock_seconds();
    coll_mtree_probe_experiments_t *own = start_all(coordinator);
    mtree_status_t status = MTREE_OK;
    bool is_over = false;

    while (status == MTREE_OK && !is_over) {
        is_over = coll_mtree_probe_experiments_advance(own);
        for (int host = 0; host < coordinator->num_hosts; host++) {
            is_over =
                share_is_over(&coordinator->share[host], started, &status) && is_over;
        }
        coordinator->took = mtree_clock_seconds() - started;
        if (!is_over && coordinator->took > seconds) {
            status = MTREE_ERR_TRANSPORT;
        }
    }
    coll_mtree_probe_experiments_end(own);
    return status;
}

mtree_status_t
coll_mtree_probe_coordinator_ask(coll_mtree_probe_coordinator_t *coordinator,
                                 coll_mtree_command_kind_t kind, const void *items,
                                 int num_items)
{
    clear(coordinator, kind);
    for (int host = 0; host < coordinator->num_hosts; host++) {
        share_add(&coordinator->share[host], items, num_items, num_items);
    }
    return run(coordinator, coordinator->has_met ? 2 * COLL_MTREE_PATIENCE : INFINITY);
}

mtree_status_t
coll_mtree_probe_coordinator_handshake(coll_mtree_probe_coordinator_t *coordinator)
{
    mtree_pressure_t *risen = &coordinator->risen;
    mtree_status_t status = coll_mtree_probe_coordinator_ask(
        coordinator, COLL_MTREE_COMMAND_HANDSHAKE, NULL, 1);

    *risen = (mtree_pressure_t){.waited = 0};
    for (int host = 0; status == MTREE_OK && host < coordinator->num_hosts; host++) {
        coll_mtree_share_t *share = &coordinator->share[host];
        const mtree_pressure_t *now = share->pieces[COLL_MTREE_REPLY_TAG];

        risen->waited = fmax(risen->waited, now->waited - share->pressure.waited);
        risen->stolen = fmax(risen->stolen, now->stolen - share->pressure.stolen);
        share->pressure = *now;
    }
    return status;
}

mtree_status_t
coll_mtree_probe_coordinator_begin(coll_mtree_probe_coordinator_t *coordinator)
{
    mtree_status_t status;

    coordinator->share =
        mtree_calloc((size_t)coordinator->num_hosts, sizeof(*coordinator->share));
    status = coll_mtree_probe_coordinator_handshake(coordinator);
    coordinator->has_met = true;
    return status == MTREE_OK ? coll_mtree_probe_coordinator_handshake(coordinator)
                              : status;
}

/* Add the part of the host at the one end of experiment @a number. */
static void add_part(coll_mtree_probe_coordinator_t *coordinator,
                     const mtree_probe_experiment_t *experiment, int number, int tag,
                     bool sends)
{
    const int host = sends ? experiment->from : experiment->to;
    const int other = sends ? experiment->to : experiment->from;
    const coll_mtree_cable_host_t *described = &coordinator->share[other].described;
    const int *leader = coordinator->leader;
    coll_mtree_probe_part_t part = {.number = number,
                                    .sends = sends,
                                    .peer = leader[other],
                                    .tag = tag,
                                    .experiment = *experiment,
                                    .port = described->port,
                                    .secret = described->secret};

    if (experiment->kind == MTREE_PROBE_TRACE) {
        part.experiment.ends[0] = coordinator->hosts[host].addresses[0];
        part.experiment.ends[1] = coordinator->hosts[other].addresses[0];
    }
    share_add(&coordinator->share[host], &part, 1, coll_mtree_probe_part_reports(&part));
}

static void add_parts(coll_mtree_probe_coordinator_t *coordinator,
                      const mtree_probe_round_t *round)
{
    int *next_tag = &coordinator->next_tag;

    for (int e = 0; e < round->num_experiments; e++) {
        const mtree_probe_experiment_t *experiment = &round->experiments[e];
        int tag = COLL_MTREE_EXPERIMENT_TAG + *next_tag;

        *next_tag = (*next_tag + 1) % (COLL_MTREE_PROBE_TAGS - COLL_MTREE_EXPERIMENT_TAG);
        add_part(coordinator, experiment, e, tag, true);
        if (experiment->kind != MTREE_PROBE_TRACE) {
            add_part(coordinator, experiment, e, tag, false);
        }
    }
}

/* Take a report; @a result has that of the other end of a cable, unless it failed. */
static void take_report(const mtree_probe_result_t *report, mtree_probe_result_t *result)
{
    if (result->failed) {
        *result = *report;
    } else if (!report->failed) {
        result->rate[0] += report->rate[0];
        result->rate[1] += report->rate[1];
        result->latency = fmin(result->latency, report->latency);
    }
}

/* Take the reports, in the order of the experiments; the number that failed. */
static int take_reports(const coll_mtree_probe_coordinator_t *coordinator,
                        const mtree_probe_round_t *round, mtree_probe_result_t *results)
{
    int failed = 0;

    for (int e = 0; e < round->num_experiments; e++) {
        results[e] = (mtree_probe_result_t){.failed = true};
    }
    for (int host = 0; host < coordinator->num_hosts; host++) {
        const coll_mtree_share_t *share = &coordinator->share[host];
        const coll_mtree_probe_report_t *reports = share->pieces[COLL_MTREE_REPLY_TAG];

        for (int i = 0; i < command_of(share)->num_replies; i++) {
            if (reports[i].number >= 0 && reports[i].number < round->num_experiments) {
                take_report(&reports[i].result, &results[reports[i].number]);
            }
        }
    }
    for (int e = 0; e < round->num_experiments; e++) {
        failed += results[e].failed;
    }
    return failed;
}

mtree_status_t coll_mtree_probe_round_run(coll_mtree_probe_coordinator_t *coordinator,
                                          const mtree_probe_round_t *round,
                                          mtree_probe_result_t *results)
{
    mtree_status_t status;

    clear(coordinator, COLL_MTREE_COMMAND_EXPERIMENTS);
    add_parts(coordinator, round);
    /* An experiment that fails ends after its time by itself. */
    status = run(coordinator, round->seconds + 2 * COLL_MTREE_PATIENCE);
    if (status == MTREE_OK) {
        const int failed = take_reports(coordinator, round, results);

        mtree_debug("probe: %s: %d experiments, %d failed, %.3f s (%.3f s expected)",
                    round->purpose, round->num_experiments, failed, coordinator->took,
                    round->seconds);
    }
    return status;
}

void coll_mtree_probe_coordinator_end(coll_mtree_probe_coordinator_t *coordinator)
{
    static const coll_mtree_command_t end = {.kind = COLL_MTREE_COMMAND_END};
    double deadline = mtree_clock_seconds() + COLL_MTREE_PATIENCE;

    for (int host = 0; host < coordinator->num_hosts; host++) {
        share_clear(&coordinator->share[host]);
        if (host > 0) {
            (void)coll_mtree_message_send_copy(
                coordinator->channel, coordinator->leader[host], COLL_MTREE_COMMAND_TAG,
                &end, sizeof(end), deadline);
        }
    }
    free(coordinator->share);
}
