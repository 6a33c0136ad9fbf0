/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/control/exchange_private.h"

#include "coll_mtree/base/memory.h"

#include <stdlib.h>
#include <string.h>

static void exchange_report_end(coll_mtree_exchange_t *exchange)
{
    coll_mtree_range_t range = coll_mtree_exchange_range(exchange, exchange->rank, 1);
    coll_mtree_reply_t reply = {
        .code = coll_mtree_transport_code(&exchange->transport, exchange->status),
        .kind = exchange->numbers[REPLY_KIND],
        .payload = exchange->payload,
        .length = coll_mtree_exchange_payload_bytes(exchange),
        .part = exchange->parts,
        .part_length = range.end - range.begin,
        .num_hosts = exchange->numbers[REPLY_NUM_HOSTS],
        .hosts = exchange->with_hosts ? coll_mtree_exchange_hosts(exchange) : NULL,
        .localities =
            exchange->with_hosts ? coll_mtree_exchange_localities(exchange) : NULL};

    exchange->ended = true;
    exchange->end(exchange, &reply, exchange->arg);
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

/* An exchange that has failed ends at once; messages under way keep its memory. */
static bool exchange_idle(mtree_inbox_t *inbox)
{
    coll_mtree_exchange_t *exchange = coll_mtree_exchange_of(inbox);

    if (exchange->status != MTREE_OK && !exchange->ended && exchange->underway > 0) {
        exchange_report_end(exchange);
    }
    return exchange->underway == 0;
}

static void exchange_finish(mtree_inbox_t *inbox)
{
    coll_mtree_exchange_t *exchange = coll_mtree_exchange_of(inbox);

    if (!exchange->ended) {
        exchange_report_end(exchange);
    }
    exchange_free(exchange);
}

static int exchange_next_child(const coll_mtree_exchange_t *exchange, int last)
{
    return coll_mtree_exchange_tree_next_child(exchange->rank, exchange->ranks, last);
}

static void exchange_init_tree(coll_mtree_exchange_t *exchange)
{
    int count = 0;

    exchange->parent =
        exchange->rank == 0 ? -1 : coll_mtree_exchange_tree_parent(exchange->rank);
    for (int child = exchange_next_child(exchange, exchange->rank); child >= 0;
         child = exchange_next_child(exchange, child)) {
        count++;
    }
    exchange->child = coll_mtree_calloc((size_t)count, sizeof(*exchange->child));
    for (int child = exchange_next_child(exchange, exchange->rank); child >= 0;
         child = exchange_next_child(exchange, child)) {
        exchange->child[exchange->num_children++].rank = child;
    }
}

static coll_mtree_exchange_t *exchange_alloc(const mca_coll_mtree_module_t *module,
                                             ompi_communicator_t *comm, bool with_hosts,
                                             size_t bytes)
{
    coll_mtree_exchange_t *exchange = coll_mtree_calloc(1, sizeof(*exchange));

    exchange->rank = ompi_comm_rank(comm);
    exchange->ranks = ompi_comm_size(comm);
    exchange->longest = module->longest_bytes;
    exchange->with_hosts = with_hosts;
    exchange->contribution_bytes = bytes;
    exchange->num_numbers =
        FIRST_PART + (size_t)exchange->ranks * (with_hosts ? 2 + LOCALITY_NUMBERS : 1);
    exchange->numbers = coll_mtree_calloc(exchange->num_numbers, sizeof(int));
    if (bytes > 0) {
        exchange->contribution =
            coll_mtree_calloc(coll_mtree_exchange_below(exchange, exchange->rank), bytes);
    }
    exchange_init_tree(exchange);
    return exchange;
}

/* Receive the contributions of the ranks below; this rank's is there. */
static void exchange_receive_contributions(coll_mtree_exchange_t *exchange)
{
    for (int i = 0; i < exchange->num_children; i++) {
        child_t *child = &exchange->child[i];

        coll_mtree_exchange_post(
            exchange, &child->contribution, coll_mtree_exchange_contribution_received,
            child->rank, TAG_CONTRIBUTION,
            exchange->contribution +
                (size_t)(child->rank - exchange->rank) * exchange->contribution_bytes,
            coll_mtree_exchange_below(exchange, child->rank) *
                exchange->contribution_bytes);
    }
    /* A leaf has nothing to wait for. */
    if (exchange->missing == 0) {
        exchange->missing = 1;
        coll_mtree_exchange_gather(exchange);
    }
}

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
    mtree_event_init(&exchange->open, &exchange->inbox, coll_mtree_exchange_opened);
    exchange->underway = 1;
    if (exchange->rank > 0) {
        coll_mtree_exchange_post(exchange, &exchange->numbers_down,
                                 coll_mtree_exchange_numbers_received, exchange->parent,
                                 TAG_NUMBERS, exchange->numbers,
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

    if (with_hosts) {
        coll_mtree_host_describe((void *)exchange->contribution);
    }
    exchange_begin(exchange, comm, first_tag, decide, end, arg);
    return exchange;
}

coll_mtree_exchange_t *
coll_mtree_exchange_start_with(const mca_coll_mtree_module_t *module,
                               ompi_communicator_t *comm, int first_tag, const void *mine,
                               size_t bytes, coll_mtree_exchange_decide_t decide,
                               coll_mtree_exchange_end_t end, void *arg)
{
    coll_mtree_exchange_t *exchange = exchange_alloc(module, comm, false, bytes);

    memcpy(exchange->contribution, mine, bytes);
    exchange_begin(exchange, comm, first_tag, decide, end, arg);
    return exchange;
}

void coll_mtree_exchange_open(coll_mtree_exchange_t *exchange)
{
    exchange->open.completion.func(&exchange->open.completion, MTREE_OK);
}
