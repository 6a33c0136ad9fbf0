/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/probe/coordinator.h"

#include "coll_mtree/transport/transport.h"

#include <stdlib.h>

/* One host's messages. */
typedef struct {
    ompi_request_t *command, *items, *reply;
    bool expected; /* a reply that has not come */
} exchange_t;

int coll_mtree_probe_coordinator_init(coll_mtree_probe_coordinator_t *coordinator,
                                      ompi_communicator_t *comm, int first_tag,
                                      int num_hosts, const int *leader)
{
    *coordinator = (coll_mtree_probe_coordinator_t){
        .comm = comm, .first_tag = first_tag, .num_hosts = num_hosts, .leader = leader};
    coordinator->round_trip = calloc((size_t)num_hosts, sizeof(*coordinator->round_trip));
    coordinator->share = calloc((size_t)num_hosts, sizeof(*coordinator->share));
    return coordinator->round_trip == NULL || coordinator->share == NULL
               ? OMPI_ERR_OUT_OF_RESOURCE
               : OMPI_SUCCESS;
}

void coll_mtree_probe_coordinator_clear(coll_mtree_probe_coordinator_t *coordinator,
                                        coll_mtree_command_kind_t kind)
{
    for (int host = 0; host < coordinator->num_hosts; host++) {
        coll_mtree_share_t *share = &coordinator->share[host];

        free(share->items);
        free(share->reply);
        *share = (coll_mtree_share_t){.command = {.kind = kind}};
    }
}

static bool share_is_wanted(const coll_mtree_share_t *share)
{
    return share->command.num_items > 0 ||
           share->command.kind == COLL_MTREE_COMMAND_HANDSHAKE;
}

/* Order, items and the receive of the reply. */
static bool exchange_start(coll_mtree_probe_coordinator_t *coordinator, int host,
                           exchange_t *exchange)
{
    coll_mtree_share_t *share = &coordinator->share[host];
    ompi_communicator_t *comm = coordinator->comm;
    int peer = coordinator->leader[host];
    size_t length = (size_t)share->command.num_items *
                    coll_mtree_command_item_bytes(share->command.kind);

    if (!coll_mtree_probe_send(
            comm, peer, coordinator->first_tag - COLL_MTREE_COMMAND_TAG, &share->command,
            sizeof(share->command), &exchange->command) ||
        (length > 0 && !coll_mtree_probe_send(
                           comm, peer, coordinator->first_tag - COLL_MTREE_COMMAND_TAG,
                           share->items, length, &exchange->items))) {
        return false;
    }
    exchange->expected = true;
    return coll_mtree_probe_recv(
        comm, peer, coordinator->first_tag - COLL_MTREE_REPLY_TAG, share->reply,
        coll_mtree_command_reply_bytes(&share->command, share->items), &exchange->reply);
}

/* True when nothing of it is under way. */
static bool exchange_is_over(coll_mtree_probe_coordinator_t *coordinator, int host,
                             exchange_t *exchange, double started)
{
    bool sent = coll_mtree_probe_done(&exchange->command, NULL);

    sent = coll_mtree_probe_done(&exchange->items, NULL) && sent;
    if (exchange->expected && coll_mtree_probe_done(&exchange->reply, NULL)) {
        exchange->expected = false;
        if (coordinator->share[host].command.kind == COLL_MTREE_COMMAND_HANDSHAKE) {
            coordinator->round_trip[host] = coll_mtree_clock() - started;
        }
    }
    return sent && !exchange->expected;
}

/* A host that hears of an experiment early waits for those that hear of it late. */
static void set_delays(coll_mtree_probe_coordinator_t *coordinator)
{
    double longest = 0;

    for (int host = 0; host < coordinator->num_hosts; host++) {
        if (share_is_wanted(&coordinator->share[host]) &&
            coordinator->round_trip[host] > longest) {
            longest = coordinator->round_trip[host];
        }
    }
    for (int host = 0; host < coordinator->num_hosts; host++) {
        coordinator->share[host].command.delay =
            (longest - coordinator->round_trip[host]) / 2;
    }
}

static int replies_prepare(coll_mtree_probe_coordinator_t *coordinator)
{
    for (int host = 0; host < coordinator->num_hosts; host++) {
        coll_mtree_share_t *share = &coordinator->share[host];

        if (share_is_wanted(share)) {
            share->reply = calloc(
                coll_mtree_command_reply_bytes(&share->command, share->items) + 1, 1);
            if (share->reply == NULL) {
                return OMPI_ERR_OUT_OF_RESOURCE;
            }
        }
    }
    return OMPI_SUCCESS;
}

/* Advance all that is under way once; true when it is over. */
static bool run_advance(coll_mtree_probe_coordinator_t *coordinator,
                        exchange_t *exchanges, coll_mtree_probe_worker_t *own,
                        double started)
{
    bool over = own == NULL || coll_mtree_probe_worker_advance(own);

    for (int host = 0; host < coordinator->num_hosts; host++) {
        over = exchange_is_over(coordinator, host, &exchanges[host], started) && over;
    }
    return over;
}

/*
 * What is still under way is given up.  Buffers that the PML may use are lost, on a
 * network that has failed.
 */
static void exchange_abandon(coll_mtree_probe_coordinator_t *coordinator, int host,
                             exchange_t *exchange)
{
    coll_mtree_share_t *share = &coordinator->share[host];

    if (!coll_mtree_probe_abandon(&exchange->command)) {
        coordinator->is_lost = true;
    }
    if (!coll_mtree_probe_abandon(&exchange->items)) {
        share->items = NULL;
    }
    if (!coll_mtree_probe_abandon(&exchange->reply)) {
        share->reply = NULL;
    }
}

static int run_all(coll_mtree_probe_coordinator_t *coordinator, exchange_t *exchanges,
                   double started, double seconds)
{
    coll_mtree_probe_worker_t *own = NULL;
    int rc = OMPI_SUCCESS;

    for (int host = 0; host < coordinator->num_hosts && rc == OMPI_SUCCESS; host++) {
        if (share_is_wanted(&coordinator->share[host]) &&
            coordinator->leader[host] != 0 &&
            !exchange_start(coordinator, host, &exchanges[host])) {
            rc = OMPI_ERROR;
        }
    }
    for (int host = 0; host < coordinator->num_hosts && rc == OMPI_SUCCESS; host++) {
        coll_mtree_share_t *share = &coordinator->share[host];

        if (share_is_wanted(share) && coordinator->leader[host] == 0) {
            own = coll_mtree_probe_worker_begin(coordinator->comm, &share->command,
                                                share->items, share->reply);
            rc = own == NULL ? OMPI_ERR_OUT_OF_RESOURCE : OMPI_SUCCESS;
        }
    }
    while (rc == OMPI_SUCCESS && !run_advance(coordinator, exchanges, own, started)) {
        coll_mtree_probe_progress_wait(coll_mtree_probe_worker_wait(own));
        if (coll_mtree_clock() > started + seconds) {
            rc = OMPI_ERR_TIMEOUT;
        }
    }
    coll_mtree_probe_worker_end(own);
    return rc;
}

int coll_mtree_probe_coordinator_run(coll_mtree_probe_coordinator_t *coordinator,
                                     double seconds, double *seconds_p)
{
    exchange_t *exchanges = calloc((size_t)coordinator->num_hosts, sizeof(*exchanges));
    double started = coll_mtree_clock();
    int rc = exchanges == NULL ? OMPI_ERR_OUT_OF_RESOURCE : replies_prepare(coordinator);

    if (rc == OMPI_SUCCESS) {
        set_delays(coordinator);
        rc = run_all(coordinator, exchanges, started, seconds);
    }
    for (int host = 0; exchanges != NULL && host < coordinator->num_hosts; host++) {
        exchange_abandon(coordinator, host, &exchanges[host]);
    }
    free(exchanges);
    *seconds_p = coll_mtree_clock() - started;
    return rc;
}

int coll_mtree_probe_coordinator_handshake(coll_mtree_probe_coordinator_t *coordinator,
                                           double seconds)
{
    double took;
    int rc;

    /* The first may open connections. */
    coll_mtree_probe_coordinator_clear(coordinator, COLL_MTREE_COMMAND_HANDSHAKE);
    rc = coll_mtree_probe_coordinator_run(coordinator, seconds, &took);
    if (rc == OMPI_SUCCESS) {
        coll_mtree_probe_coordinator_clear(coordinator, COLL_MTREE_COMMAND_HANDSHAKE);
        rc = coll_mtree_probe_coordinator_run(coordinator, seconds, &took);
    }
    return rc;
}

void coll_mtree_probe_coordinator_cleanup(coll_mtree_probe_coordinator_t *coordinator)
{
    if (coordinator->share != NULL) {
        coll_mtree_probe_coordinator_clear(coordinator, COLL_MTREE_COMMAND_HANDSHAKE);
    }
    if (!coordinator->is_lost) {
        free(coordinator->share);
    }
    free(coordinator->round_trip);
}
