/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/control/exchange.h"

#include "coll_mtree/transport/transport.h"

#include "schedule/inbox.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { TAG_CONTRIBUTION, TAG_NUMBERS, TAG_PAYLOAD };

/* A rank's parent lacks the lowest digit, to this base, that is not 0. */
#define BASE 8

/* What the numbers of a reply are; the hosts of the ranks follow, then their localities.
 */
enum { REPLY_LENGTH, REPLY_KIND, REPLY_NUM_HOSTS, FIRST_HOST };

/* Numbers that a locality takes. */
#define LOCALITY_NUMBERS (sizeof(mtree_locality_t) / sizeof(int))

/* A message whose length both ends know: in parts as long as messages may be, one after
 * the other. */
typedef struct {
    mtree_event_t event; /* of the part; must be first */
    void (*came)(
        coll_mtree_exchange_t *exchange); /* when all has come; NULL: it is sent */
    int rank, tag;
    char *bytes;
    size_t left;
} long_message_t;

typedef struct {
    int rank;
    long_message_t contribution, numbers, payload;
} child_t;

struct coll_mtree_exchange {
    mtree_inbox_t inbox;
    coll_mtree_transport_t transport;
    coll_mtree_exchange_decide_t decide;
    coll_mtree_exchange_end_t end;
    void *arg;
    int rank, ranks;
    int parent; /* -1 on rank 0 */
    int num_children;
    child_t *child; /* [num_children] in the order of their ranks */
    mtree_event_t open;
    long_message_t contribution_up, numbers_down, payload_down;
    size_t longest;  /* of a message's bytes */
    size_t missing;  /* of what rank 0 decides on, or a rank sends up */
    size_t underway; /* messages; and the opening */
    mtree_status_t status;
    bool ended;
    bool with_hosts;           /* the ranks say where they are, and rank 0 who is where */
    size_t contribution_bytes; /* by each rank */
    char *contribution;        /* by this rank and those below it, in order; or NULL */
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

static coll_mtree_exchange_t *inbox_exchange(mtree_inbox_t *inbox)
{
    return (coll_mtree_exchange_t *)((char *)inbox -
                                     offsetof(coll_mtree_exchange_t, inbox));
}

/* One message less is under way; the talk, or NULL when it has failed. */
static coll_mtree_exchange_t *exchange_of_event(mtree_event_t *event)
{
    coll_mtree_exchange_t *exchange = inbox_exchange(event->inbox);

    exchange->underway--;
    if (event->status != MTREE_OK) {
        exchange_fail(exchange, event->status);
    }
    return exchange->status == MTREE_OK ? exchange : NULL;
}

static void long_message_moved(mtree_event_t *event);

static void long_message_go(coll_mtree_exchange_t *exchange, long_message_t *long_message)
{
    mtree_transport_t *transport = &exchange->transport.super;
    size_t length =
        long_message->left < exchange->longest ? long_message->left : exchange->longest;
    char *bytes = long_message->bytes;
    mtree_status_t status;

    long_message->bytes += length;
    long_message->left -= length;
    mtree_event_init(&long_message->event, &exchange->inbox, long_message_moved);
    exchange->underway++;
    status =
        long_message->came == NULL
            ? transport->ops->send(transport, long_message->rank, long_message->tag,
                                   bytes, length, false, &long_message->event.completion)
            : transport->ops->recv(transport, long_message->rank, long_message->tag,
                                   bytes, length, &long_message->event.completion);
    if (status != MTREE_OK) {
        exchange->underway--;
        exchange_fail(exchange, status);
    }
}

static void long_message_moved(mtree_event_t *event)
{
    coll_mtree_exchange_t *exchange = exchange_of_event(event);
    long_message_t *long_message = (long_message_t *)event;

    if (exchange == NULL) {
        return;
    }
    if (long_message->left > 0) {
        long_message_go(exchange, long_message);
    } else if (long_message->came != NULL) {
        long_message->came(exchange);
    }
}

/* Begin to send, or where @a came is given to receive, @a length bytes. */
static void exchange_post(coll_mtree_exchange_t *exchange, long_message_t *long_message,
                          void (*came)(coll_mtree_exchange_t *exchange), int rank,
                          int tag, void *bytes, size_t length)
{
    if (exchange->status == MTREE_OK) {
        long_message->came = came;
        long_message->rank = rank;
        long_message->tag = tag;
        long_message->bytes = bytes;
        long_message->left = length;
        long_message_go(exchange, long_message);
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

static void numbers_came(coll_mtree_exchange_t *exchange)
{
    exchange_forward_numbers(exchange);
    if (exchange_payload_bytes(exchange) > 0) {
        exchange->payload = malloc(exchange_payload_bytes(exchange));
        if (exchange->payload == NULL) {
            exchange_fail(exchange, MTREE_ERR_NO_MEMORY);
            return;
        }
        exchange_post(exchange, &exchange->payload_down, exchange_forward_payload,
                      exchange->parent, TAG_PAYLOAD, exchange->payload,
                      exchange_payload_bytes(exchange));
    }
}

/* What a rank's lowest digit that is not 0 counts; rank 0: not less than all ranks. */
static int64_t exchange_unit(const coll_mtree_exchange_t *exchange, int rank)
{
    int64_t unit = 1;

    while (unit < exchange->ranks && rank / unit % BASE == 0) {
        unit *= BASE;
    }
    return unit;
}

/* Ranks below this one, itself included: they follow one another. */
static size_t exchange_below(const coll_mtree_exchange_t *exchange, int rank)
{
    int64_t most = exchange_unit(exchange, rank);

    return (size_t)(most < exchange->ranks - rank ? most : exchange->ranks - rank);
}

/* One thing less is missing. */
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

static void opened(mtree_event_t *event)
{
    coll_mtree_exchange_t *exchange = exchange_of_event(event);

    if (exchange != NULL && exchange->rank == 0) {
        exchange_gather(exchange);
    }
}

/* Where the localities of the ranks are in the numbers. */
static mtree_locality_t *exchange_localities(coll_mtree_exchange_t *exchange)
{
    return (mtree_locality_t *)(void *)(exchange->numbers + FIRST_HOST + exchange->ranks);
}

void coll_mtree_exchange_reply_hosts(coll_mtree_exchange_t *exchange, int num_hosts,
                                     const int *hosts)
{
    const coll_mtree_host_t *contributions = (const void *)exchange->contribution;

    exchange->numbers[REPLY_NUM_HOSTS] = num_hosts;
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

/* One that has failed ends at once; messages that stay under way keep its memory. */
static bool exchange_idle(mtree_inbox_t *inbox)
{
    coll_mtree_exchange_t *exchange = inbox_exchange(inbox);

    if (exchange->status != MTREE_OK && !exchange->ended && exchange->underway > 0) {
        exchange_report_end(exchange);
    }
    return exchange->underway == 0;
}

static void exchange_finish(mtree_inbox_t *inbox)
{
    coll_mtree_exchange_t *exchange = inbox_exchange(inbox);

    if (!exchange->ended) {
        exchange_report_end(exchange);
    }
    exchange_free(exchange);
}

/* False: no memory. */
static bool exchange_init_tree(coll_mtree_exchange_t *exchange)
{
    int64_t unit = exchange_unit(exchange, exchange->rank);
    size_t most = 0;

    for (int64_t below = 1; below < unit; below *= BASE) {
        most += BASE - 1;
    }
    exchange->parent = exchange->rank == 0
                           ? -1
                           : (int)(exchange->rank - exchange->rank / unit % BASE * unit);
    exchange->child = calloc(most > 0 ? most : 1, sizeof(*exchange->child));
    if (exchange->child == NULL) {
        return false;
    }
    for (int64_t below = 1; below < unit; below *= BASE) {
        for (int digit = 1; digit < BASE; digit++) {
            int64_t child = exchange->rank + digit * below;

            if (child < exchange->ranks) {
                exchange->child[exchange->num_children++].rank = (int)child;
            }
        }
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

/* Hear what the ranks below say; what this one says is there. */
static void exchange_listen(coll_mtree_exchange_t *exchange)
{
    for (int i = 0; i < exchange->num_children; i++) {
        child_t *child = &exchange->child[i];

        exchange_post(exchange, &child->contribution, exchange_gather, child->rank,
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

/* Start; what this rank says is there. */
static void exchange_begin(coll_mtree_exchange_t *exchange, ompi_communicator_t *comm,
                           int first_tag, coll_mtree_exchange_decide_t decide,
                           coll_mtree_exchange_end_t end, void *arg)
{
    coll_mtree_transport_init(&exchange->transport, comm, MPI_BYTE, first_tag);
    mtree_inbox_init(&exchange->inbox, exchange_idle, exchange_finish);
    exchange->decide = decide;
    exchange->end = end;
    exchange->arg = arg;
    /* What the ranks below say, and on rank 0 the opening. */
    exchange->missing =
        (exchange->rank == 0) +
        (exchange->contribution != NULL ? (size_t)exchange->num_children : 0);
    mtree_event_init(&exchange->open, &exchange->inbox, opened);
    exchange->underway = 1;
    if (exchange->rank > 0) {
        exchange_post(exchange, &exchange->numbers_down, numbers_came, exchange->parent,
                      TAG_NUMBERS, exchange->numbers,
                      exchange->num_numbers * sizeof(int));
    }
    if (exchange->contribution != NULL) {
        exchange_listen(exchange);
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
            coll_mtree_host_describe((coll_mtree_host_t *)(void *)exchange->contribution);
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
