#include "simulate/pt2pt_private.h"

#include "base/log.h"

#include <stdlib.h>

double mtree_pt2pt_free_at(const mtree_pt2pt_t *world, int rank)
{
    const double now = mtree_event_queue_now(world->clock);

    return world->ranks[rank].free_at > now ? world->ranks[rank].free_at : now;
}

void mtree_pt2pt_compute(mtree_pt2pt_t *world, int rank, double seconds)
{
    world->ranks[rank].free_at = mtree_pt2pt_free_at(world, rank) + seconds;
}

mtree_status_t mtree_pt2pt_pair(mtree_rank_t *from, int peer, mtree_pair_t **pair_p)
{
    mtree_pt2pt_t *world = from->world;
    mtree_pair_t *pair = from->to[peer];
    mtree_status_t status;
    int per_host;

    if (pair != NULL) {
        *pair_p = pair;
        return MTREE_OK;
    }
    pair = calloc(1, sizeof(*pair));
    if (pair == NULL) {
        return MTREE_ERR_NO_MEMORY;
    }
    per_host = world->options.ranks_per_host;
    status = mtree_network_connect(world->network, from->number / per_host,
                                   peer / per_host, &pair->connection);
    if (status != MTREE_OK) {
        free(pair);
        return status;
    }
    pair->from = from;
    pair->to = &world->ranks[peer];
    pair->arrived_last_p = &pair->arrived;
    pair->posted_last_p = &pair->posted;
    from->to[peer] = pair;
    *pair_p = pair;
    return MTREE_OK;
}

mtree_status_t mtree_pt2pt_create(mtree_event_queue_t *clock, mtree_network_t *network,
                                  const mtree_pt2pt_options_t *options,
                                  mtree_pt2pt_t **world_p)
{
    const size_t num_ranks = (size_t)options->num_ranks;
    mtree_pt2pt_t *world;
    mtree_pair_t **pairs;
    int r;

    if (options->num_ranks < 1 || options->num_ranks > MTREE_WORLD_MAX_RANKS) {
        mtree_error("simulator: %d ranks; 1 to %d can be simulated", options->num_ranks,
                    MTREE_WORLD_MAX_RANKS);
        return MTREE_ERR_LIMIT;
    }
    world = calloc(1, sizeof(*world));
    if (world == NULL) {
        return MTREE_ERR_NO_MEMORY;
    }
    world->clock = clock;
    world->network = network;
    world->options = *options;
    world->ranks = calloc(num_ranks, sizeof(mtree_rank_t));
    pairs = calloc(num_ranks * num_ranks, sizeof(mtree_pair_t *));
    if (world->ranks == NULL || pairs == NULL) {
        free(pairs);
        free(world->ranks);
        free(world);
        return MTREE_ERR_NO_MEMORY;
    }
    for (r = 0; r < options->num_ranks; r++) {
        world->ranks[r].transport.ops = &mtree_pt2pt_ops;
        world->ranks[r].world = world;
        world->ranks[r].number = r;
        world->ranks[r].to = pairs + (size_t)r * num_ranks;
    }
    *world_p = world;
    return MTREE_OK;
}

void mtree_pt2pt_abort(mtree_pt2pt_t *world)
{
    mtree_completion_t *done;
    mtree_send_t *send;
    mtree_recv_t *recv;

    while (world->sends != NULL) {
        send = (mtree_send_t *)((char *)world->sends - offsetof(mtree_send_t, live));
        done = send->done;
        mtree_event_queue_remove(world->clock, &send->event);
        mtree_event_queue_remove(world->clock, &send->done_event);
        mtree_pt2pt_send_free(send);
        if (done != NULL) {
            done->func(done, MTREE_ERR_TRANSPORT);
        }
    }
    while (world->recvs != NULL) {
        recv = (mtree_recv_t *)((char *)world->recvs - offsetof(mtree_recv_t, live));
        done = recv->done;
        mtree_event_queue_remove(world->clock, &recv->event);
        mtree_pt2pt_recv_free(recv);
        done->func(done, MTREE_ERR_TRANSPORT);
    }
    world->pending = 0;
}

void mtree_pt2pt_destroy(mtree_pt2pt_t *world)
{
    int from, to;

    if (world == NULL) {
        return;
    }
    while (world->sends != NULL) {
        mtree_pt2pt_send_free(
            (mtree_send_t *)((char *)world->sends - offsetof(mtree_send_t, live)));
    }
    while (world->recvs != NULL) {
        mtree_pt2pt_recv_free(
            (mtree_recv_t *)((char *)world->recvs - offsetof(mtree_recv_t, live)));
    }
    for (from = 0; from < world->options.num_ranks; from++) {
        for (to = 0; to < world->options.num_ranks; to++) {
            free(world->ranks[from].to[to]);
        }
    }
    free(world->ranks[0].to);
    free(world->ranks);
    free(world);
}

mtree_transport_t *mtree_pt2pt_transport(mtree_pt2pt_t *world, int rank)
{
    return &world->ranks[rank].transport;
}

size_t mtree_pt2pt_messages(const mtree_pt2pt_t *world)
{
    return world->messages;
}

size_t mtree_pt2pt_pending(const mtree_pt2pt_t *world)
{
    return world->pending;
}
