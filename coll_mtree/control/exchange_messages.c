/* SPDX-License-Identifier: BSD-3-Clause */
/* What passes between the ranks in an exchange (coll_mtree/control/exchange.h). */
#include "coll_mtree/control/exchange_private.h"

#include "coll_mtree/base/memory.h"

#include <limits.h>
#include <string.h>

/* Nothing new is started after an error. */
static void exchange_fail(coll_mtree_exchange_t *exchange, mtree_status_t status)
{
    if (exchange->status == MTREE_OK) {
        exchange->status = status;
    }
}

coll_mtree_exchange_t *coll_mtree_exchange_of(mtree_inbox_t *inbox)
{
    return MTREE_CONTAINER_OF(inbox, coll_mtree_exchange_t, inbox);
}

/* What was counted in `underway` has ended with @a status; false: nothing new is to be
 * started. */
static bool exchange_goes_on(coll_mtree_exchange_t *exchange, mtree_status_t status)
{
    exchange->underway--;
    if (status != MTREE_OK) {
        exchange_fail(exchange, status);
    }
    return exchange->status == MTREE_OK;
}

static void sent(coll_mtree_fragmented_message_t *message, mtree_status_t status)
{
    (void)exchange_goes_on(coll_mtree_exchange_of(message->move.inbox), status);
}

/* Start to send, or with @a received to receive, @a length bytes. */
void coll_mtree_exchange_post(coll_mtree_exchange_t *exchange,
                              coll_mtree_fragmented_message_t *message,
                              void (*received)(coll_mtree_fragmented_message_t *message,
                                               mtree_status_t status),
                              int peer, int tag, void *bytes, size_t length)
{
    coll_mtree_move_t move = {.inbox = &exchange->inbox,
                              .transport = &exchange->transport.super,
                              .longest = exchange->longest,
                              .receives = received != NULL,
                              .peer = peer,
                              .tag = tag,
                              .bytes = bytes,
                              .length = length,
                              .ended = received != NULL ? received : sent};

    if (exchange->status == MTREE_OK) {
        exchange->underway++;
        coll_mtree_fragmented_message_start(message, &move);
    }
}

/* The number of ranks in the subtree of @a rank. */
size_t coll_mtree_exchange_below(const coll_mtree_exchange_t *exchange, int rank)
{
    return (size_t)coll_mtree_exchange_tree_size(rank, exchange->ranks);
}

size_t coll_mtree_exchange_payload_bytes(const coll_mtree_exchange_t *exchange)
{
    return (size_t)exchange->numbers[REPLY_LENGTH];
}

static void exchange_forward_payload(coll_mtree_exchange_t *exchange)
{
    for (int i = 0; i < exchange->num_children; i++) {
        coll_mtree_exchange_post(exchange, &exchange->child[i].payload, NULL,
                                 exchange->child[i].rank, TAG_PAYLOAD, exchange->payload,
                                 coll_mtree_exchange_payload_bytes(exchange));
    }
}

/* Where the parts of @a count ranks from @a first on are among all. */
coll_mtree_range_t coll_mtree_exchange_range(const coll_mtree_exchange_t *exchange,
                                             int first, size_t count)
{
    return coll_mtree_exchange_tree_range(exchange->numbers + FIRST_PART, first,
                                          (int)count);
}

static void exchange_forward_parts(coll_mtree_exchange_t *exchange)
{
    size_t mine = coll_mtree_exchange_range(exchange, exchange->rank, 1).begin;

    for (int i = 0; i < exchange->num_children; i++) {
        int child = exchange->child[i].rank;
        coll_mtree_range_t range = coll_mtree_exchange_range(
            exchange, child, coll_mtree_exchange_below(exchange, child));

        if (range.end > range.begin) {
            coll_mtree_exchange_post(exchange, &exchange->child[i].parts, NULL, child,
                                     TAG_PARTS, exchange->parts + (range.begin - mine),
                                     range.end - range.begin);
        }
    }
}

static void exchange_forward_numbers(coll_mtree_exchange_t *exchange)
{
    for (int i = 0; i < exchange->num_children; i++) {
        coll_mtree_exchange_post(exchange, &exchange->child[i].numbers, NULL,
                                 exchange->child[i].rank, TAG_NUMBERS, exchange->numbers,
                                 exchange->num_numbers * sizeof(int));
    }
}

static void payload_received(coll_mtree_fragmented_message_t *message,
                             mtree_status_t status)
{
    coll_mtree_exchange_t *exchange = coll_mtree_exchange_of(message->move.inbox);

    if (exchange_goes_on(exchange, status)) {
        exchange_forward_payload(exchange);
    }
}

static void parts_received(coll_mtree_fragmented_message_t *message,
                           mtree_status_t status)
{
    coll_mtree_exchange_t *exchange = coll_mtree_exchange_of(message->move.inbox);

    if (exchange_goes_on(exchange, status)) {
        exchange_forward_parts(exchange);
    }
}

/* Receive @a length bytes from the parent into @a bytes; 0: none are sent. */
static void exchange_receive(coll_mtree_exchange_t *exchange,
                             coll_mtree_fragmented_message_t *message,
                             void (*received)(coll_mtree_fragmented_message_t *message,
                                              mtree_status_t status),
                             int tag, char *bytes, size_t length)
{
    if (length > 0) {
        coll_mtree_exchange_post(exchange, message, received, exchange->parent, tag,
                                 bytes, length);
    }
}

/* @a length bytes; NULL: none. */
static char *reserve(size_t length)
{
    return length > 0 ? coll_mtree_malloc(length) : NULL;
}

void coll_mtree_exchange_numbers_received(coll_mtree_fragmented_message_t *message,
                                          mtree_status_t status)
{
    coll_mtree_exchange_t *exchange = coll_mtree_exchange_of(message->move.inbox);
    coll_mtree_range_t range;
    size_t payload, parts;

    if (!exchange_goes_on(exchange, status)) {
        return;
    }
    range = coll_mtree_exchange_range(
        exchange, exchange->rank, coll_mtree_exchange_below(exchange, exchange->rank));
    payload = coll_mtree_exchange_payload_bytes(exchange);
    parts = range.end - range.begin;
    exchange->payload = reserve(payload);
    exchange->parts = reserve(parts);
    exchange_forward_numbers(exchange);
    exchange_receive(exchange, &exchange->payload_down, payload_received, TAG_PAYLOAD,
                     exchange->payload, payload);
    exchange_receive(exchange, &exchange->parts_down, parts_received, TAG_PARTS,
                     exchange->parts, parts);
}

/* One of the `missing` is there; the last one decides, or sends up. */
void coll_mtree_exchange_gather(coll_mtree_exchange_t *exchange)
{
    if (--exchange->missing > 0) {
        return;
    }
    if (exchange->rank == 0) {
        exchange->decide(exchange, exchange->contribution, exchange->arg);
    } else if (exchange->contribution != NULL) {
        coll_mtree_exchange_post(exchange, &exchange->contribution_up, NULL,
                                 exchange->parent, TAG_CONTRIBUTION,
                                 exchange->contribution,
                                 coll_mtree_exchange_below(exchange, exchange->rank) *
                                     exchange->contribution_bytes);
    }
}

void coll_mtree_exchange_contribution_received(coll_mtree_fragmented_message_t *message,
                                               mtree_status_t status)
{
    coll_mtree_exchange_t *exchange = coll_mtree_exchange_of(message->move.inbox);

    if (exchange_goes_on(exchange, status)) {
        coll_mtree_exchange_gather(exchange);
    }
}

void coll_mtree_exchange_opened(mtree_event_t *event)
{
    coll_mtree_exchange_t *exchange = coll_mtree_exchange_of(event->inbox);

    if (exchange_goes_on(exchange, event->status) && exchange->rank == 0) {
        coll_mtree_exchange_gather(exchange);
    }
}

static void postponed_decided(mtree_event_t *event)
{
    coll_mtree_exchange_t *exchange = coll_mtree_exchange_of(event->inbox);
    bool goes_on = exchange_goes_on(exchange, event->status);

    exchange->decided(goes_on ? exchange : NULL, exchange->decided_arg);
}

void coll_mtree_exchange_postpone(coll_mtree_exchange_t *exchange,
                                  void (*decided)(coll_mtree_exchange_t *exchange,
                                                  void *arg),
                                  void *arg)
{
    exchange->decided = decided;
    exchange->decided_arg = arg;
    exchange->underway++;
    mtree_event_init(&exchange->decision, &exchange->inbox, postponed_decided);
}

void coll_mtree_exchange_resume(coll_mtree_exchange_t *exchange)
{
    exchange->decision.completion.func(&exchange->decision.completion, MTREE_OK);
}

/* The hosts of the ranks, and behind them their localities, in the numbers. */
int *coll_mtree_exchange_hosts(coll_mtree_exchange_t *exchange)
{
    return exchange->numbers + FIRST_PART + exchange->ranks;
}

mtree_locality_t *coll_mtree_exchange_localities(coll_mtree_exchange_t *exchange)
{
    return (mtree_locality_t *)(void *)(coll_mtree_exchange_hosts(exchange) +
                                        exchange->ranks);
}

void coll_mtree_exchange_reply_hosts(coll_mtree_exchange_t *exchange, int num_hosts,
                                     const int *hosts)
{
    const coll_mtree_host_t *contributions = (const void *)exchange->contribution;

    exchange->numbers[REPLY_NUM_HOSTS] = num_hosts;
    memcpy(coll_mtree_exchange_hosts(exchange), hosts,
           (size_t)exchange->ranks * sizeof(int));
    for (int rank = 0; rank < exchange->ranks; rank++) {
        coll_mtree_exchange_localities(exchange)[rank] = contributions[rank].locality;
    }
}

void coll_mtree_exchange_reply_parts(coll_mtree_exchange_t *exchange, const int *lengths,
                                     const void *parts)
{
    size_t length = 0;

    for (int rank = 0; rank < exchange->ranks; rank++) {
        length += (size_t)lengths[rank];
    }
    exchange->parts = coll_mtree_malloc(length);
    memcpy(exchange->parts, parts, length);
    memcpy(exchange->numbers + FIRST_PART, lengths,
           (size_t)exchange->ranks * sizeof(*lengths));
}

void coll_mtree_exchange_reply(coll_mtree_exchange_t *exchange, int kind,
                               const void *payload, size_t length)
{
    bool fits = length < INT_MAX;

    if (fits) {
        exchange->payload = reserve(length);
    }
    exchange->numbers[REPLY_KIND] = fits ? kind : 0;
    if (exchange->payload != NULL) {
        memcpy(exchange->payload, payload, length);
        exchange->numbers[REPLY_LENGTH] = (int)length;
    }
    exchange_forward_numbers(exchange);
    if (exchange->payload != NULL) {
        exchange_forward_payload(exchange);
    }
    if (exchange->parts != NULL) {
        exchange_forward_parts(exchange);
    }
}
