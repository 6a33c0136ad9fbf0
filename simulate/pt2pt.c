/* SPDX-License-Identifier: BSD-3-Clause */
#include "simulate/pt2pt_private.h"

#include "base/memory.h"

#include <stdlib.h>

double mtree_pt2pt_free_at(const mtree_pt2pt_t *pt2pt, int rank)
{
    const double now = mtree_event_queue_now(pt2pt->queue);

    return pt2pt->ranks[rank].free_at > now ? pt2pt->ranks[rank].free_at : now;
}

void mtree_pt2pt_compute(mtree_pt2pt_t *pt2pt, int rank, double seconds)
{
    pt2pt->ranks[rank].free_at = mtree_pt2pt_free_at(pt2pt, rank) + seconds;
}

static int host_of(const mtree_pt2pt_options_t *options, int rank)
{
    int others = options->num_ranks - options->num_relays;

    return rank < others ? rank / options->ranks_per_host
                         : others / options->ranks_per_host + rank - others;
}

mtree_pair_t *mtree_pt2pt_pair(mtree_rank_t *from, int peer)
{
    mtree_pt2pt_t *pt2pt = from->pt2pt;
    mtree_pair_t *pair = from->to[peer];

    if (pair == NULL) {
        MTREE_ARENA_ARRAY(&pt2pt->arena, pair, 1);
        pair->connection =
            mtree_network_connect(pt2pt->network, host_of(&pt2pt->options, from->number),
                                  host_of(&pt2pt->options, peer));
        pair->from = from;
        pair->to = &pt2pt->ranks[peer];
        from->to[peer] = pair;
    }
    return pair;
}

static bool queues_equal(const mtree_hash_link_t *link, const void *key)
{
    const mtree_match_queues_t *queues =
        MTREE_CONTAINER_OF(link, const mtree_match_queues_t, link);
    const mtree_match_queues_t *wanted = key;

    return queues->pair == wanted->pair && queues->tag == wanted->tag;
}

mtree_match_queues_t *mtree_pt2pt_queues(const mtree_pair_t *pair, int tag)
{
    mtree_pt2pt_t *pt2pt = pair->from->pt2pt;
    const mtree_match_queues_t key = {.pair = pair, .tag = tag};
    const int numbers[] = {pair->from->number, pair->to->number, tag};
    const uint64_t hash = mtree_hash_bytes(MTREE_HASH_INIT, numbers, sizeof(numbers));
    mtree_hash_link_t *link =
        mtree_hash_table_find(&pt2pt->queues, hash, queues_equal, &key);
    mtree_match_queues_t *queues;

    if (link != NULL) {
        return MTREE_CONTAINER_OF(link, mtree_match_queues_t, link);
    }
    MTREE_ARENA_ARRAY(&pt2pt->arena, queues, 1);
    mtree_hash_table_add(&pt2pt->queues, &queues->link, hash);
    queues->pair = pair;
    queues->tag = tag;
    mtree_list_init(&queues->arrived);
    mtree_list_init(&queues->posted);
    return queues;
}

mtree_pt2pt_t *mtree_pt2pt_create(mtree_event_queue_t *queue, mtree_network_t *network,
                                  const mtree_pt2pt_options_t *options)
{
    const size_t num_ranks = (size_t)options->num_ranks;
    mtree_pt2pt_t *pt2pt = mtree_calloc(1, sizeof(*pt2pt));
    mtree_pair_t **pairs;

    pt2pt->queue = queue;
    pt2pt->network = network;
    pt2pt->options = *options;
    mtree_list_init(&pt2pt->sends);
    mtree_list_init(&pt2pt->recvs);
    MTREE_ARENA_ARRAY(&pt2pt->arena, pt2pt->ranks, num_ranks);
    MTREE_ARENA_ARRAY(&pt2pt->arena, pairs, num_ranks * num_ranks);
    for (int r = 0; r < options->num_ranks; r++) {
        mtree_rank_t *rank = &pt2pt->ranks[r];

        rank->data = (mtree_endpoint_t){{.ops = &mtree_pt2pt_ops}, rank, false};
        rank->control = (mtree_endpoint_t){{.ops = &mtree_pt2pt_ops}, rank, true};
        rank->pt2pt = pt2pt;
        rank->number = r;
        rank->to = pairs + (size_t)r * num_ranks;
    }
    return pt2pt;
}

void mtree_pt2pt_destroy(mtree_pt2pt_t *pt2pt)
{
    mtree_list_t *link;

    if (pt2pt == NULL) {
        return;
    }
    while ((link = mtree_list_take(&pt2pt->sends)) != NULL) {
        mtree_send_t *send = MTREE_CONTAINER_OF(link, mtree_send_t, live);
        mtree_completion_t *done = send->done;

        mtree_event_queue_remove(pt2pt->queue, &send->event);
        mtree_pt2pt_send_free(send);
        if (done != NULL) {
            done->func(done, MTREE_ERR_TRANSPORT);
        }
    }
    while ((link = mtree_list_take(&pt2pt->recvs)) != NULL) {
        mtree_recv_t *recv = MTREE_CONTAINER_OF(link, mtree_recv_t, live);
        mtree_completion_t *done = recv->done;

        mtree_event_queue_remove(pt2pt->queue, &recv->event);
        mtree_pt2pt_recv_free(recv);
        done->func(done, MTREE_ERR_TRANSPORT);
    }
    mtree_hash_table_cleanup(&pt2pt->queues);
    mtree_arena_cleanup(&pt2pt->arena);
    free(pt2pt);
}

mtree_transport_t *mtree_pt2pt_transport(mtree_pt2pt_t *pt2pt, int rank)
{
    return &pt2pt->ranks[rank].data.transport;
}

mtree_transport_t *mtree_pt2pt_control(mtree_pt2pt_t *pt2pt, int rank)
{
    return &pt2pt->ranks[rank].control.transport;
}

void mtree_pt2pt_pace(mtree_pt2pt_t *pt2pt, int from, int to, double rate)
{
    const mtree_pair_t *pair = mtree_pt2pt_pair(&pt2pt->ranks[from], to);

    if (pt2pt->options.streams && mtree_network_acknowledges(pair->connection)) {
        mtree_network_pace(pair->connection, rate);
    }
}

size_t mtree_pt2pt_messages(const mtree_pt2pt_t *pt2pt)
{
    return pt2pt->messages;
}

void mtree_pt2pt_limit(mtree_pt2pt_t *pt2pt, size_t most, size_t all)
{
    pt2pt->most = most;
    pt2pt->all = all;
}

bool mtree_pt2pt_is_cut(const mtree_pt2pt_t *pt2pt, double *seconds_p)
{
    const double half = (double)(pt2pt->most - pt2pt->most / 2);

    if (pt2pt->most == 0 || pt2pt->received < pt2pt->most) {
        return false;
    }
    *seconds_p = pt2pt->cut_at + (pt2pt->cut_at - pt2pt->half_at) *
                                     (double)(pt2pt->all - pt2pt->most) / half;
    return true;
}
