/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/probe/coordinator.h"

#include "base/array.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A probe for a hop is answered within the longest round trip and this many seconds. */
#define PATIENCE_SECONDS 0.2

/* For the last command to leave. */
#define END_SECONDS 5.0

void coll_mtree_probe_coordinator_init(coll_mtree_probe_coordinator_t *coordinator,
                                       const coll_mtree_channel_t *channel, int num_hosts,
                                       const int *leader)
{
    *coordinator = (coll_mtree_probe_coordinator_t){
        .channel = channel,
        .num_hosts = num_hosts,
        .leader = leader,
        .share = mtree_calloc((size_t)num_hosts, sizeof(coll_mtree_share_t))};
}

void coll_mtree_probe_coordinator_clear(coll_mtree_probe_coordinator_t *coordinator,
                                        coll_mtree_command_kind_t kind)
{
    for (int host = 0; host < coordinator->num_hosts; host++) {
        coll_mtree_share_t *share = &coordinator->share[host];

        free(share->items);
        free(share->replies);
        *share = (coll_mtree_share_t){.round_trip = share->round_trip,
                                      .pressure = share->pressure,
                                      .command = {.kind = kind}};
    }
}

void coll_mtree_probe_coordinator_add(coll_mtree_probe_coordinator_t *coordinator,
                                      int host, const void *item)
{
    coll_mtree_share_t *share = &coordinator->share[host];
    coll_mtree_command_t *command = &share->command;
    size_t bytes = coll_mtree_command_item_bytes(command->kind);

    if (bytes > 0) {
        mtree_array_reserve(&share->items, &share->capacity, command->num_items + 1,
                            bytes);
        memcpy((char *)share->items + (size_t)command->num_items * bytes, item, bytes);
    }
    command->num_items++;
    command->num_replies += command->kind != COLL_MTREE_COMMAND_EXPERIMENTS ||
                            coll_mtree_probe_part_reports(item);
}

/* Have rank @a peer carry out @a share. */
static void share_send(const coll_mtree_channel_t *channel, int peer,
                       coll_mtree_share_t *share)
{
    size_t length = coll_mtree_command_items_bytes(&share->command);

    share->sent = mtree_malloc(sizeof(*share->sent));
    *share->sent = share->command;
    share->commanding = coll_mtree_message_start(
        channel, true, peer, COLL_MTREE_COMMAND_TAG, share->sent, sizeof(*share->sent));
    if (length > 0) {
        share->giving = coll_mtree_message_start(
            channel, true, peer, COLL_MTREE_ITEMS_TAG, share->items, length);
    }
    share->taking = coll_mtree_message_start(
        channel, false, peer, COLL_MTREE_REPLY_TAG, share->replies,
        coll_mtree_command_replies_bytes(&share->command));
}

/* True when no message is under way. */
static bool share_is_over(coll_mtree_share_t *share, double started)
{
    bool sent = coll_mtree_message_test(&share->commanding, NULL);
    mtree_status_t status;

    sent = coll_mtree_message_test(&share->giving, NULL) && sent;
    if (share->taking != NULL && coll_mtree_message_test(&share->taking, &status)) {
        share->failed = status != MTREE_OK;
        if (share->command.kind == COLL_MTREE_COMMAND_HANDSHAKE) {
            share->round_trip = mtree_clock_seconds() - started;
        }
    }
    return sent && share->taking == NULL;
}

/* The longest round trip to a host that has @a least_items. */
static double longest_trip(const coll_mtree_probe_coordinator_t *coordinator,
                           int least_items)
{
    double longest = 0;

    for (int host = 0; host < coordinator->num_hosts; host++) {
        if (coordinator->share[host].command.num_items >= least_items) {
            longest = fmax(longest, coordinator->share[host].round_trip);
        }
    }
    return longest;
}

/* Start all shares.  A host to which a command takes less time waits for the others. */
static void start_all(coll_mtree_probe_coordinator_t *coordinator)
{
    double longest = longest_trip(coordinator, 1);
    double patience = longest_trip(coordinator, 0) + PATIENCE_SECONDS;

    for (int host = 0; host < coordinator->num_hosts; host++) {
        coll_mtree_share_t *share = &coordinator->share[host];

        if (share->command.num_items == 0) {
            continue;
        }
        share->command.delay = (longest - share->round_trip) / 2;
        share->command.patience = patience;
        share->replies =
            mtree_calloc(coll_mtree_command_replies_bytes(&share->command), 1);
        if (coordinator->leader[host] == 0) {
            coordinator->own = coll_mtree_probe_command_begin(
                coordinator->channel, &share->command, share->items, share->replies);
        } else {
            share_send(coordinator->channel, coordinator->leader[host], share);
        }
    }
}

/* Go on without waiting; *is_over_p: all replies are there.  MTREE_ERR_TRANSPORT: one
 * will not come. */
static mtree_status_t run_advance(coll_mtree_probe_coordinator_t *coordinator,
                                  bool *is_over_p)
{
    mtree_status_t status = MTREE_OK;

    *is_over_p = coll_mtree_probe_experiments_advance(coordinator->own);
    for (int host = 0; host < coordinator->num_hosts; host++) {
        coll_mtree_share_t *share = &coordinator->share[host];

        *is_over_p = share_is_over(share, coordinator->started) && *is_over_p;
        status = share->failed ? MTREE_ERR_TRANSPORT : status;
    }
    return status;
}

/* Give up what is still under way; its buffers stay for as long as the PML needs them. */
static void share_abandon(coll_mtree_share_t *share)
{
    coll_mtree_message_abandon(&share->commanding, share->sent);
    share->sent = NULL;
    if (share->giving != NULL) {
        coll_mtree_message_abandon(&share->giving, share->items);
        share->items = NULL;
    }
    if (share->taking != NULL) {
        coll_mtree_message_abandon(&share->taking, share->replies);
        share->replies = NULL;
    }
}

mtree_status_t
coll_mtree_probe_coordinator_run(coll_mtree_probe_coordinator_t *coordinator,
                                 double seconds)
{
    mtree_status_t status = MTREE_OK;
    bool is_over = false;

    coordinator->started = mtree_clock_seconds();
    start_all(coordinator);
    while (status == MTREE_OK && !is_over) {
        status = run_advance(coordinator, &is_over);
        coordinator->took = mtree_clock_seconds() - coordinator->started;
        if (status == MTREE_OK && !is_over) {
            coll_mtree_progress_wait(coll_mtree_probe_experiments_wait(coordinator->own));
            status = coordinator->took > seconds ? MTREE_ERR_TRANSPORT : status;
        }
    }
    coll_mtree_probe_experiments_end(coordinator->own);
    coordinator->own = NULL;
    for (int host = 0; host < coordinator->num_hosts; host++) {
        share_abandon(&coordinator->share[host]);
    }
    return status;
}

mtree_status_t
coll_mtree_probe_coordinator_ask(coll_mtree_probe_coordinator_t *coordinator,
                                 coll_mtree_command_kind_t kind, double seconds)
{
    coll_mtree_probe_coordinator_clear(coordinator, kind);
    for (int host = 0; host < coordinator->num_hosts; host++) {
        coll_mtree_probe_coordinator_add(coordinator, host, NULL);
    }
    return coll_mtree_probe_coordinator_run(coordinator, seconds);
}

mtree_status_t
coll_mtree_probe_coordinator_handshake(coll_mtree_probe_coordinator_t *coordinator,
                                       double seconds, mtree_pressure_t *risen_p)
{
    mtree_status_t status = coll_mtree_probe_coordinator_ask(
        coordinator, COLL_MTREE_COMMAND_HANDSHAKE, seconds);

    *risen_p = (mtree_pressure_t){.waited = 0};
    for (int host = 0; status == MTREE_OK && host < coordinator->num_hosts; host++) {
        coll_mtree_share_t *share = &coordinator->share[host];
        const mtree_pressure_t *now = share->replies;

        risen_p->waited = fmax(risen_p->waited, now->waited - share->pressure.waited);
        risen_p->stolen = fmax(risen_p->stolen, now->stolen - share->pressure.stolen);
        share->pressure = *now;
    }
    return status;
}

mtree_status_t
coll_mtree_probe_coordinator_meet(coll_mtree_probe_coordinator_t *coordinator,
                                  double seconds)
{
    mtree_pressure_t risen;
    mtree_status_t status =
        coll_mtree_probe_coordinator_handshake(coordinator, INFINITY, &risen);

    return status == MTREE_OK
               ? coll_mtree_probe_coordinator_handshake(coordinator, seconds, &risen)
               : status;
}

/* The probe is given up when a round takes TIMEOUT_FACTOR times as long as expected and
 * TIMEOUT_SECONDS more. */
#define TIMEOUT_FACTOR  4.0
#define TIMEOUT_SECONDS 20.0

/* Add the part of the host at the one end of experiment @a number. */
static void add_part(coll_mtree_probe_coordinator_t *coordinator,
                     const mtree_probe_experiment_t *experiment, int number, int tag,
                     bool sends)
{
    const int other = sends ? experiment->to : experiment->from;
    coll_mtree_probe_part_t part = {.number = number,
                                    .sends = sends,
                                    .peer = coordinator->leader[other],
                                    .tag = tag,
                                    .experiment = *experiment};

    if (experiment->kind == MTREE_PROBE_TRACE) {
        part.to = coordinator->hosts[other].addresses[0];
    } else if (experiment->kind == MTREE_PROBE_CABLE) {
        part.port = coordinator->described[other].port;
        part.secret = coordinator->described[other].secret;
    }
    coll_mtree_probe_coordinator_add(coordinator,
                                     sends ? experiment->from : experiment->to, &part);
}

static void shares_fill(coll_mtree_probe_coordinator_t *coordinator,
                        const mtree_probe_round_t *round)
{
    int *next_tag = &coordinator->next_tag;

    coll_mtree_probe_coordinator_clear(coordinator, COLL_MTREE_COMMAND_EXPERIMENTS);
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
        const coll_mtree_probe_report_t *reports = share->replies;

        for (int i = 0; i < share->command.num_replies; i++) {
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

    shares_fill(coordinator, round);
    status = coll_mtree_probe_coordinator_run(
        coordinator, TIMEOUT_FACTOR * round->seconds + TIMEOUT_SECONDS);
    if (status == MTREE_OK) {
        const int failed = take_reports(coordinator, round, results);

        mtree_debug("probe: %s: %d experiments, %d failed, %.3f s (%.3f s expected)",
                    round->purpose, round->num_experiments, failed, coordinator->took,
                    round->seconds);
    }
    return status;
}

void coll_mtree_probe_coordinator_end(const coll_mtree_probe_coordinator_t *coordinator)
{
    static const coll_mtree_command_t end = {.kind = COLL_MTREE_COMMAND_END};
    double deadline = mtree_clock_seconds() + END_SECONDS;

    for (int host = 0; host < coordinator->num_hosts; host++) {
        if (coordinator->leader[host] != 0) {
            (void)coll_mtree_message_send_copy(
                coordinator->channel, coordinator->leader[host], COLL_MTREE_COMMAND_TAG,
                &end, sizeof(end), deadline);
        }
    }
}

void coll_mtree_probe_coordinator_cleanup(coll_mtree_probe_coordinator_t *coordinator)
{
    coll_mtree_probe_coordinator_clear(coordinator, COLL_MTREE_COMMAND_HANDSHAKE);
    free(coordinator->share);
}
