/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/control/exchange.h"

#include "coll_mtree/control/exchange_tree.h"
#include "coll_mtree/control/fragmented_message.h"
#include "coll_mtree/transport/transport.h"

#include "base/container_of.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { TAG_CONTRIBUTION, TAG_NUMBERS, TAG_PAYLOAD };

/* What the numbers of a reply are; the hosts of the ranks follow, then their localities.
 */
enum { REPLY_LENGTH, REPLY_KIND, REPLY_CHUNK, REPLY_NUM_HOSTS, FIRST_HOST };

/* Numbers per locality. */
#define LOCALITY_NUMBERS (sizeof(mtree_locality_t) / sizeof(int))

typedef struct {
    int rank;
    coll_mtree_fragmented_message_t contribution, numbers, payload;
} child_t;

struct coll_mtree_exchange {
    mtree_inbox_t inbox;
    coll_mtree_transport_t transport;
    coll_mtree_exchange_decide_t decide;
    coll_mtree_exchange_end_t end;
    void *arg;
    mtree_event_t decision; /* on rank 0, when it is postponed */
    void (*decided)(coll_mtree_exchange_t *exchange, void *arg);
    void *decided_arg;
    int rank, ranks;
    int parent; /* -1 on rank 0 */
    int num_children;
    child_t *child; /* [num_children] in the order of their ranks */
    mtree_event_t open;
    coll_mtree_fragmented_message_t contribution_up, numbers_down, payload_down;
    size_t longest;  /* bytes of a fragment */
    size_t missing;  /* contributions, and on rank 0 the opening, to wait for */
    size_t underway; /* messages, the opening, and a decision that is postponed */
    mtree_status_t status;
    bool ended;
    bool with_hosts;           /* the contributions are hosts */
    size_t contribution_bytes; /* per rank */
    char *contribution;        /* of this rank and those below it, in order; or NULL */
    int *numbers;              /* of the reply, [num_numbers] */
    size_t num_numbers;
    char *payload; /* [numbers[REPLY_LENGTH]] */
};

/* Nothing new is started after an error. */
static void exchange_fail(coll_mtree_exchange_t *exchange, mtree_status_t status)
{
    if (exchange->status == MTREE_OK) {
        exchange->status = status;
    }
}

static coll_mtree_exchange_t *exchange_of(mtree_inbox_t *inbox)
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
    (void)exchange_goes_on(exchange_of(message->move.inbox), status);
}

/* Start to send, or with @a received to receive, @a length bytes. */
static void exchange_post(coll_mtree_exchange_t *exchange,
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

static size_t exchange_payload_bytes(const coll_mtree_exchange_t *exchange)
{
    return (size_t)exchange->numbers[REPLY_LENGTH];
}

static void exchange_forward_payload(coll_mtree_exchange_t *exchange)
{
    for (int i = 0; i < exchange->num_children; i++) {
        exchange_post(exchange, &exchange->child[i].payload, NULL,
                      exchange->child[i].rank, TAG_PAYLOAD, exchange->payload,
                      exchange_payload_bytes(exchange));
    }
}

static void exchange_forward_numbers(coll_mtree_exchange_t *exchange)
{
    for (int i = 0; i < exchange->num_children; i++) {
        exchange_post(exchange, &exchange->child[i].numbers, NULL,
                      exchange->child[i].rank, TAG_NUMBERS, exchange->numbers,
                      exchange->num_numbers * sizeof(int));
    }
}

static void payload_received(coll_mtree_fragmented_message_t *message,
                             mtree_status_t status)
{
    coll_mtree_exchange_t *exchange = exchange_of(message->move.inbox);

    if (exchange_goes_on(exchange, status)) {
        exchange_forward_payload(exchange);
    }
}

static void numbers_received(coll_mtree_fragmented_message_t *message,
                             mtree_status_t status)
{
    coll_mtree_exchange_t *exchange = exchange_of(message->move.inbox);

    if (!exchange_goes_on(exchange, status)) {
        return;
    }
    exchange_forward_numbers(exchange);
    if (exchange_payload_bytes(exchange) > 0) {
        exchange->payload = malloc(exchange_payload_bytes(exchange));
        if (exchange->payload == NULL) {
            exchange_fail(exchange, MTREE_ERR_NO_MEMORY);
            return;
        }
        exchange_post(exchange, &exchange->payload_down, payload_received,
                      exchange->parent, TAG_PAYLOAD, exchange->payload,
                      exchange_payload_bytes(exchange));
    }
}

/* The number of ranks in the subtree of @a rank. */
static size_t exchange_below(const coll_mtree_exchange_t *exchange, int rank)
{
    return (size_t)coll_mtree_exchange_tree_size(rank, exchange->ranks);
}

/* One of the `missing` is there; the last one decides, or sends up. */
static void exchange_gather(coll_mtree_exchange_t *exchange)
{
    if (--exchange->missing > 0) {
        return;
    }
    if (exchange->rank == 0) {
        exchange->decide(exchange, exchange->contribution, exchange->arg);
    } else if (exchange->contribution != NULL) {
        exchange_post(exchange, &exchange->contribution_up, NULL, exchange->parent,
                      TAG_CONTRIBUTION, exchange->contribution,
                      exchange_below(exchange, exchange->rank) *
                          exchange->contribution_bytes);
    }
}

static void contribution_received(coll_mtree_fragmented_message_t *message,
                                  mtree_status_t status)
{
    coll_mtree_exchange_t *exchange = exchange_of(message->move.inbox);

    if (exchange_goes_on(exchange, status)) {
        exchange_gather(exchange);
    }
}

static void opened(mtree_event_t *event)
{
    coll_mtree_exchange_t *exchange = exchange_of(event->inbox);

    if (exchange_goes_on(exchange, event->status) && exchange->rank == 0) {
        exchange_gather(exchange);
    }
}

static void postponed_decided(mtree_event_t *event)
{
    coll_mtree_exchange_t *exchange = exchange_of(event->inbox);
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

/* The localities of the ranks, behind their hosts in the numbers. */
static mtree_locality_t *exchange_localities(coll_mtree_exchange_t *exchange)
{
    return (mtree_locality_t *)(void *)(exchange->numbers + FIRST_HOST + exchange->ranks);
}

void coll_mtree_exchange_reply_hosts(coll_mtree_exchange_t *exchange, int num_hosts,
                                     const int *hosts)
{
    const coll_mtree_host_t *contributions = (const void *)exchange->contribution;

    exchange->numbers[REPLY_NUM_HOSTS] = num_hosts;
    exchange->numbers[REPLY_CHUNK] = contributions[0].hints.chunk_bytes;
    memcpy(exchange->numbers + FIRST_HOST, hosts, (size_t)exchange->ranks * sizeof(int));
    for (int rank = 0; rank < exchange->ranks; rank++) {
        exchange_localities(exchange)[rank] = contributions[rank].locality;
    }
}

void coll_mtree_exchange_reply(coll_mtree_exchange_t *exchange, int kind,
                               const void *payload, size_t length)
{
    bool fits = length < INT_MAX;

    if (length > 0 && fits) {
        exchange->payload = malloc(length);
        fits = exchange->payload != NULL;
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
}

static void exchange_report_end(coll_mtree_exchange_t *exchange)
{
    coll_mtree_reply_t reply = {
        .code = coll_mtree_transport_code(&exchange->transport, exchange->status),
        .kind = exchange->numbers[REPLY_KIND],
        .payload = exchange->payload,
        .length = exchange_payload_bytes(exchange),
        .num_hosts = exchange->numbers[REPLY_NUM_HOSTS],
        .chunk_bytes = exchange->numbers[REPLY_CHUNK],
        .hosts = exchange->with_hosts ? exchange->numbers + FIRST_HOST : NULL,
        .localities = exchange->with_hosts ? exchange_localities(exchange) : NULL};

    exchange->ended = true;
    exchange->end(exchange, &reply, exchange->arg);
}

static void exchange_free(coll_mtree_exchange_t *exchange)
{
    free(exchange->child);
    free(exchange->contribution);
    free(exchange->numbers);
    free(exchange->payload);
    free(exchange);
}

/* An exchange that has failed ends at once; messages under way keep its memory. */
static bool exchange_idle(mtree_inbox_t *inbox)
{
    coll_mtree_exchange_t *exchange = exchange_of(inbox);

    if (exchange->status != MTREE_OK && !exchange->ended && exchange->underway > 0) {
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

static int exchange_next_child(const coll_mtree_exchange_t *exchange, int last)
{
    return coll_mtree_exchange_tree_next_child(exchange->rank, exchange->ranks, last);
}

/* False: no memory. */
static bool exchange_init_tree(coll_mtree_exchange_t *exchange)
{
    int count = 0;

    exchange->parent =
        exchange->rank == 0 ? -1 : coll_mtree_exchange_tree_parent(exchange->rank);
    for (int child = exchange_next_child(exchange, exchange->rank); child >= 0;
         child = exchange_next_child(exchange, child)) {
        count++;
    }
    exchange->child = calloc((size_t)count + 1, sizeof(*exchange->child));
    if (exchange->child == NULL) {
        return false;
    }
    for (int child = exchange_next_child(exchange, exchange->rank); child >= 0;
         child = exchange_next_child(exchange, child)) {
        exchange->child[exchange->num_children++].rank = child;
    }
    return true;
}

static coll_mtree_exchange_t *exchange_alloc(const mca_coll_mtree_module_t *module,
                                             ompi_communicator_t *comm, bool with_hosts,
                                             size_t bytes)
{
    coll_mtree_exchange_t *exchange = calloc(1, sizeof(*exchange));

    if (exchange == NULL) {
        return NULL;
    }
    exchange->rank = ompi_comm_rank(comm);
    exchange->ranks = ompi_comm_size(comm);
    exchange->longest = module->longest_bytes;
    exchange->with_hosts = with_hosts;
    exchange->contribution_bytes = bytes;
    exchange->num_numbers =
        FIRST_HOST + (with_hosts ? (size_t)exchange->ranks * (1 + LOCALITY_NUMBERS) : 0);
    exchange->numbers = calloc(exchange->num_numbers, sizeof(int));
    if (bytes > 0) {
        exchange->contribution = calloc(exchange_below(exchange, exchange->rank), bytes);
    }
    if (!exchange_init_tree(exchange) || exchange->numbers == NULL ||
        (bytes > 0 && exchange->contribution == NULL)) {
        exchange_free(exchange);
        return NULL;
    }
    return exchange;
}

/* Receive the contributions of the ranks below; this rank's is there. */
static void exchange_receive_contributions(coll_mtree_exchange_t *exchange)
{
    for (int i = 0; i < exchange->num_children; i++) {
        child_t *child = &exchange->child[i];

        exchange_post(exchange, &child->contribution, contribution_received, child->rank,
                      TAG_CONTRIBUTION,
                      exchange->contribution + (size_t)(child->rank - exchange->rank) *
                                                   exchange->contribution_bytes,
                      exchange_below(exchange, child->rank) *
                          exchange->contribution_bytes);
    }
    /* A leaf has nothing to wait for. */
    if (exchange->missing == 0) {
        exchange->missing = 1;
        exchange_gather(exchange);
    }
}

/* Start; this rank's contribution is there. */
static void exchange_begin(coll_mtree_exchange_t *exchange, ompi_communicator_t *comm,
                           int first_tag, coll_mtree_exchange_decide_t decide,
                           coll_mtree_exchange_end_t end, void *arg)
{
    coll_mtree_transport_init(&exchange->transport, comm, MPI_BYTE, first_tag);
    mtree_inbox_init(&exchange->inbox, exchange_idle, exchange_finish);
    exchange->decide = decide;
    exchange->end = end;
    exchange->arg = arg;
    exchange->missing =
        (exchange->rank == 0) +
        (exchange->contribution != NULL ? (size_t)exchange->num_children : 0);
    mtree_event_init(&exchange->open, &exchange->inbox, opened);
    exchange->underway = 1;
    if (exchange->rank > 0) {
        exchange_post(exchange, &exchange->numbers_down, numbers_received,
                      exchange->parent, TAG_NUMBERS, exchange->numbers,
                      exchange->num_numbers * sizeof(int));
    }
    if (exchange->contribution != NULL) {
        exchange_receive_contributions(exchange);
    }
    mtree_inbox_open(&exchange->inbox);
}

coll_mtree_exchange_t *coll_mtree_exchange_start(const mca_coll_mtree_module_t *module,
                                                 ompi_communicator_t *comm, int first_tag,
                                                 bool with_hosts,
                                                 coll_mtree_exchange_decide_t decide,
                                                 coll_mtree_exchange_end_t end, void *arg)
{
    coll_mtree_exchange_t *exchange = exchange_alloc(
        module, comm, with_hosts, with_hosts ? sizeof(coll_mtree_host_t) : 0);

    if (exchange != NULL) {
        if (with_hosts) {
            coll_mtree_host_t *host = (void *)exchange->contribution;

            coll_mtree_host_describe(host);
            host->hints = module->hints.own;
        }
        exchange_begin(exchange, comm, first_tag, decide, end, arg);
    }
    return exchange;
}

coll_mtree_exchange_t *
coll_mtree_exchange_start_with(const mca_coll_mtree_module_t *module,
                               ompi_communicator_t *comm, int first_tag, const void *mine,
                               size_t bytes, coll_mtree_exchange_decide_t decide,
                               coll_mtree_exchange_end_t end, void *arg)
{
    coll_mtree_exchange_t *exchange = exchange_alloc(module, comm, false, bytes);

    if (exchange != NULL) {
        if (exchange->contribution != NULL) {
            memcpy(exchange->contribution, mine, bytes);
        }
        exchange_begin(exchange, comm, first_tag, decide, end, arg);
    }
    return exchange;
}

void coll_mtree_exchange_open(coll_mtree_exchange_t *exchange)
{
    exchange->open.completion.func(&exchange->open.completion, MTREE_OK);
}
