/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Exchanges, for the two files that make them: exchange.c has their life,
 * exchange_messages.c what passes between the ranks.
 */
#ifndef COLL_MTREE_CONTROL_EXCHANGE_PRIVATE_H
#define COLL_MTREE_CONTROL_EXCHANGE_PRIVATE_H

#include "coll_mtree/control/exchange.h"
#include "coll_mtree/control/exchange_tree.h"
#include "coll_mtree/control/fragmented_message.h"
#include "coll_mtree/transport/transport.h"

#include "base/container_of.h"

enum { TAG_CONTRIBUTION, TAG_NUMBERS, TAG_PAYLOAD, TAG_PARTS };

/* What the numbers of a reply are; the lengths of the parts, hosts and localities of the
 * ranks follow. */
enum { REPLY_LENGTH, REPLY_KIND, REPLY_NUM_HOSTS, FIRST_PART };

/* Numbers per locality. */
#define LOCALITY_NUMBERS (sizeof(mtree_locality_t) / sizeof(int))

typedef struct {
    int rank;
    coll_mtree_fragmented_message_t contribution, numbers, payload, parts;
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
    coll_mtree_fragmented_message_t contribution_up, numbers_down, payload_down,
        parts_down;
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
    char *parts;   /* of this rank and those below it; NULL: none, or not yet */
};

/* Start to send, or with @a received to receive, @a length bytes. */
void coll_mtree_exchange_post(coll_mtree_exchange_t *exchange,
                              coll_mtree_fragmented_message_t *message,
                              void (*received)(coll_mtree_fragmented_message_t *message,
                                               mtree_status_t status),
                              int peer, int tag, void *bytes, size_t length);

/* One of the `missing` is there; the last one decides, or sends up. */
void coll_mtree_exchange_gather(coll_mtree_exchange_t *exchange);

/* The number of ranks in the subtree of @a rank. */
size_t coll_mtree_exchange_below(const coll_mtree_exchange_t *exchange, int rank);

/* Where the parts of @a count ranks from @a first on are among all. */
coll_mtree_range_t coll_mtree_exchange_range(const coll_mtree_exchange_t *exchange,
                                             int first, size_t count);

/* Bytes of the payload of a reply that has come. */
size_t coll_mtree_exchange_payload_bytes(const coll_mtree_exchange_t *exchange);

/* The hosts of the ranks, and behind them their localities, in the numbers. */
int *coll_mtree_exchange_hosts(coll_mtree_exchange_t *exchange);
mtree_locality_t *coll_mtree_exchange_localities(coll_mtree_exchange_t *exchange);

/* The exchange of an inbox. */
coll_mtree_exchange_t *coll_mtree_exchange_of(mtree_inbox_t *inbox);

/* What is done when a message has come, and when the exchange was opened. */
void coll_mtree_exchange_contribution_received(coll_mtree_fragmented_message_t *message,
                                               mtree_status_t status);
void coll_mtree_exchange_numbers_received(coll_mtree_fragmented_message_t *message,
                                          mtree_status_t status);
void coll_mtree_exchange_opened(mtree_event_t *event);

#endif
