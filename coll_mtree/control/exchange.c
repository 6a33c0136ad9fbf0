/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/control/exchange.h"

#include "coll_mtree/control/exchange_tree.h"
#include "coll_mtree/control/fragmented_message.h"
#include "coll_mtree/transport/transport.h"

#include "base/array.h"
#include "base/container_of.h"
#include "base/memory.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { TAG_CONTRIBUTION, TAG_NUMBERS, TAG_PAYLOAD, TAG_PARTS, TAGS };

/* What the numbers of a reply are; the lengths of the parts of the ranks follow. */
enum { REPLY_LENGTH, REPLY_KIND, FIRST_PART };

/* The parent or a child, and the messages to it and from it. */
typedef struct {
    int rank; /* -1: of rank 0, which has no parent */
    coll_mtree_fragmented_message_t messages[TAGS]; /* by tag */
} neighbour_t;

struct coll_mtree_exchange {
    mtree_inbox_t inbox;
    coll_mtree_transport_t transport;
    coll_mtree_exchange_spec_t spec; /* `mine` has been copied */
    mtree_event_t decision;          /* on rank 0, when it is postponed */
    void (*decided)(coll_mtree_exchange_t *exchange, void *arg); /* NULL: it is not */
    int rank, ranks;
    neighbour_t parent;
    int num_children;
    neighbour_t *child; /* [num_children] in the order of their ranks */
    size_t missing;     /* contributions to wait for */
    size_t underway;    /* messages, and a decision that is postponed */
    mtree_status_t status;
    bool ended;
    char *contribution; /* of this rank and those below it, in order; or NULL */
    int *numbers;       /* of the reply, [num_numbers] */
    size_t num_numbers;
    char *payload; /* [numbers[REPLY_LENGTH]] */
    char *parts;   /* of this rank and those below it; NULL: none, or not yet */
};

static coll_mtree_exchange_t *exchange_of(mtree_inbox_t *inbox)
{
    return MTREE_CONTAINER_OF(inbox, coll_mtree_exchange_t, inbox);
}

/* What was counted in `underway` has ended with @a status.  False: nothing new is started
 * after an error, the first of which counts. */
static bool exchange_goes_on(coll_mtree_exchange_t *exchange, mtree_status_t status)
{
    exchange->underway--;
    exchange->status = exchange->status == MTREE_OK ? status : exchange->status;
    return exchange->status == MTREE_OK;
}

static void sent(coll_mtree_fragmented_message_t *message, mtree_status_t status)
{
    (void)exchange_goes_on(exchange_of(message->move.inbox), status);
}

/* Start to send @a length bytes, or with @a received to receive them. */
static void post(coll_mtree_exchange_t *exchange, neighbour_t *neighbour, int tag,
                 void (*received)(coll_mtree_fragmented_message_t *message,
                                  mtree_status_t status),
                 void *bytes, size_t length)
{
    coll_mtree_move_t move = {.inbox = &exchange->inbox,
                              .transport = &exchange->transport.super,
                              .longest = exchange->spec.module->longest_bytes,
                              .receives = received != NULL,
                              .peer = neighbour->rank,
                              .tag = tag,
                              .bytes = bytes,
                              .length = length,
                              .ended = received != NULL ? received : sent};

    if (exchange->status == MTREE_OK) {
        exchange->underway++;
        coll_mtree_fragmented_message_start(&neighbour->messages[tag], &move);
    }
}

/* The number of ranks in the subtree of @a rank. */
static size_t num_below(const coll_mtree_exchange_t *exchange, int rank)
{
    return (size_t)coll_mtree_exchange_tree_size(rank, exchange->ranks);
}

static size_t payload_bytes(const coll_mtree_exchange_t *exchange)
{
    return (size_t)exchange->numbers[REPLY_LENGTH];
}

/* Where the parts of @a count ranks from @a first on are among all. */
static coll_mtree_range_t range_of(const coll_mtree_exchange_t *exchange, int first,
                                   size_t count)
{
    return coll_mtree_exchange_tree_range(exchange->numbers + FIRST_PART, first,
                                          (int)count);
}

/* What of the reply's message with @a tag is for @a child; its length. */
static size_t find_share(const coll_mtree_exchange_t *exchange, int child, int tag,
                         void **bytes_p)
{
    coll_mtree_range_t range;

    if (tag == TAG_NUMBERS) {
        *bytes_p = exchange->numbers;
        return exchange->num_numbers * sizeof(int);
    }
    if (tag == TAG_PAYLOAD) {
        *bytes_p = exchange->payload;
        return payload_bytes(exchange);
    }
    range = range_of(exchange, child, num_below(exchange, child));
    *bytes_p =
        exchange->parts + (range.begin - range_of(exchange, exchange->rank, 1).begin);
    return range.end - range.begin;
}

/* The message with @a tag is there: send it on. */
static void forward(coll_mtree_exchange_t *exchange, int tag)
{
    for (int i = 0; i < exchange->num_children; i++) {
        void *bytes;
        size_t length = find_share(exchange, exchange->child[i].rank, tag, &bytes);

        if (length > 0) {
            post(exchange, &exchange->child[i], tag, NULL, bytes, length);
        }
    }
}

static void received_down(coll_mtree_fragmented_message_t *message, mtree_status_t status)
{
    coll_mtree_exchange_t *exchange = exchange_of(message->move.inbox);

    if (exchange_goes_on(exchange, status)) {
        forward(exchange, message->move.tag);
    }
}

/* Receive @a length bytes from the parent; 0: none are sent.  They are returned. */
static char *receive_down(coll_mtree_exchange_t *exchange, int tag, size_t length)
{
    char *bytes = length > 0 ? mtree_malloc(length) : NULL;

    if (bytes != NULL) {
        post(exchange, &exchange->parent, tag, received_down, bytes, length);
    }
    return bytes;
}

static void numbers_received(coll_mtree_fragmented_message_t *message,
                             mtree_status_t status)
{
    coll_mtree_exchange_t *exchange = exchange_of(message->move.inbox);
    coll_mtree_range_t range;

    if (!exchange_goes_on(exchange, status)) {
        return;
    }
    range = range_of(exchange, exchange->rank, num_below(exchange, exchange->rank));
    forward(exchange, TAG_NUMBERS);
    exchange->payload = receive_down(exchange, TAG_PAYLOAD, payload_bytes(exchange));
    exchange->parts = receive_down(exchange, TAG_PARTS, range.end - range.begin);
}

/* All contributions are there: decide, or send them up. */
static void gather(coll_mtree_exchange_t *exchange)
{
    if (exchange->rank == 0) {
        exchange->spec.decide(exchange, exchange->contribution, exchange->spec.arg);
    } else if (exchange->contribution != NULL) {
        post(exchange, &exchange->parent, TAG_CONTRIBUTION, NULL, exchange->contribution,
             num_below(exchange, exchange->rank) * exchange->spec.bytes);
    }
}

static void contribution_received(coll_mtree_fragmented_message_t *message,
                                  mtree_status_t status)
{
    coll_mtree_exchange_t *exchange = exchange_of(message->move.inbox);

    if (exchange_goes_on(exchange, status) && --exchange->missing == 0) {
        gather(exchange);
    }
}

static void postponed_decided(mtree_event_t *event)
{
    coll_mtree_exchange_t *exchange = exchange_of(event->inbox);
    void (*decided)(coll_mtree_exchange_t * exchange, void *arg) = exchange->decided;

    exchange->decided = NULL;
    if (exchange_goes_on(exchange, event->status)) {
        decided(exchange, exchange->spec.arg);
    }
}

void coll_mtree_exchange_postpone(coll_mtree_exchange_t *exchange,
                                  void (*decided)(coll_mtree_exchange_t *exchange,
                                                  void *arg))
{
    exchange->decided = decided;
    exchange->underway++;
    mtree_event_init(&exchange->decision, &exchange->inbox, postponed_decided);
}

void coll_mtree_exchange_resume(coll_mtree_exchange_t *exchange)
{
    exchange->decision.completion.func(&exchange->decision.completion, MTREE_OK);
}

void coll_mtree_exchange_reply_parts(coll_mtree_exchange_t *exchange, const int *lengths,
                                     void *parts)
{
    exchange->parts = parts;
    memcpy(exchange->numbers + FIRST_PART, lengths,
           (size_t)exchange->ranks * sizeof(*lengths));
}

void coll_mtree_exchange_reply(coll_mtree_exchange_t *exchange, int kind,
                               const void *payload, size_t length)
{
    bool fits = length < INT_MAX;

    exchange->numbers[REPLY_KIND] = fits ? kind : 0;
    if (fits && length > 0) {
        exchange->payload = mtree_malloc(length);
        memcpy(exchange->payload, payload, length);
        exchange->numbers[REPLY_LENGTH] = (int)length;
    }
    forward(exchange, TAG_NUMBERS);
    forward(exchange, TAG_PAYLOAD);
    if (exchange->parts != NULL) {
        forward(exchange, TAG_PARTS);
    }
}

static void exchange_report_end(coll_mtree_exchange_t *exchange)
{
    coll_mtree_range_t range = range_of(exchange, exchange->rank, 1);
    coll_mtree_reply_t reply = {
        .code = coll_mtree_transport_code(&exchange->transport, exchange->status),
        .kind = exchange->numbers[REPLY_KIND],
        .payload = exchange->payload,
        .length = payload_bytes(exchange),
        .part = exchange->parts,
        .part_length = range.end - range.begin};

    exchange->ended = true;
    exchange->spec.end(&reply, exchange->spec.arg);
}

static void exchange_free(coll_mtree_exchange_t *exchange)
{
    free(exchange->child);
    free(exchange->contribution);
    free(exchange->numbers);
    free(exchange->payload);
    free(exchange->parts);
    free(exchange);
}

/* An exchange that has failed ends once nothing is being decided; messages under way keep
 * its memory. */
static bool exchange_idle(mtree_inbox_t *inbox)
{
    coll_mtree_exchange_t *exchange = exchange_of(inbox);

    if (exchange->status != MTREE_OK && exchange->decided == NULL && !exchange->ended &&
        exchange->underway > 0) {
        exchange_report_end(exchange);
    }
    return exchange->underway == 0;
}

static void exchange_finish(mtree_inbox_t *inbox)
{
    coll_mtree_exchange_t *exchange = exchange_of(inbox);

    if (!exchange->ended) {
        exchange_report_end(exchange);
    }
    exchange_free(exchange);
}

static void exchange_init_tree(coll_mtree_exchange_t *exchange)
{
    const int end = exchange->rank + (int)num_below(exchange, exchange->rank);
    int room = 0;

    exchange->parent.rank =
        exchange->rank == 0 ? -1 : coll_mtree_exchange_tree_parent(exchange->rank);
    for (int child = exchange->rank + 1; child < end;
         child += (int)num_below(exchange, child)) {
        mtree_array_reserve(&exchange->child, &room, exchange->num_children + 1,
                            sizeof(*exchange->child));
        exchange->child[exchange->num_children++].rank = child;
    }
}

static coll_mtree_exchange_t *exchange_alloc(const coll_mtree_exchange_spec_t *spec)
{
    coll_mtree_exchange_t *exchange = mtree_calloc(1, sizeof(*exchange));

    exchange->spec = *spec;
    exchange->rank = ompi_comm_rank(spec->comm);
    exchange->ranks = ompi_comm_size(spec->comm);
    exchange->num_numbers = FIRST_PART + (size_t)exchange->ranks;
    exchange->numbers = mtree_calloc(exchange->num_numbers, sizeof(int));
    if (spec->mine != NULL) {
        exchange->contribution =
            mtree_calloc(num_below(exchange, exchange->rank), spec->bytes);
        memcpy(exchange->contribution, spec->mine, spec->bytes);
    }
    exchange_init_tree(exchange);
    return exchange;
}

/* Receive the contributions of the ranks below; this rank's is there. */
static void exchange_receive_contributions(coll_mtree_exchange_t *exchange)
{
    const size_t bytes = exchange->spec.bytes;

    for (int i = 0; i < exchange->num_children; i++) {
        neighbour_t *child = &exchange->child[i];

        post(exchange, child, TAG_CONTRIBUTION, contribution_received,
             exchange->contribution + (size_t)(child->rank - exchange->rank) * bytes,
             num_below(exchange, child->rank) * bytes);
    }
    exchange->missing = (size_t)exchange->num_children;
}

void coll_mtree_exchange_start(const coll_mtree_exchange_spec_t *spec)
{
    coll_mtree_exchange_t *exchange = exchange_alloc(spec);

    coll_mtree_transport_init(
        &exchange->transport, spec->comm, MPI_BYTE,
        coll_mtree_tag_range_control(&exchange->spec.module->tags, TAGS));
    mtree_inbox_init(&exchange->inbox, exchange_idle, exchange_finish);
    if (exchange->rank > 0) {
        post(exchange, &exchange->parent, TAG_NUMBERS, numbers_received,
             exchange->numbers, exchange->num_numbers * sizeof(int));
    }
    if (exchange->contribution != NULL) {
        exchange_receive_contributions(exchange);
    }
    /* A leaf has nothing to wait for. */
    if (exchange->missing == 0) {
        gather(exchange);
    }
    mtree_inbox_open(&exchange->inbox);
}
