#include "simulate/world.h"

#include "topo/log.h"

#include <stdlib.h>
#include <string.h>

typedef struct mtree_rank mtree_rank_t;
typedef struct mtree_pair mtree_pair_t;
typedef struct mtree_send mtree_send_t;
typedef struct mtree_recv mtree_recv_t;

/* Sends and receives that are not done, so that they can be freed with the world. */
typedef struct mtree_live {
    struct mtree_live *next, **pointer_to_this;
} mtree_live_t;

/* A receive that was posted; freed when its completion is called. */
struct mtree_recv {
    mtree_live_t live;
    mtree_recv_t *next;
    mtree_pair_t *pair;
    int tag;
    void *buffer;
    size_t count;
    mtree_completion_t *done;
    mtree_clock_event_t event;
};

/* A message and its protocol; freed when both ends are done with it. */
struct mtree_send {
    mtree_live_t live;
    mtree_send_t *next; /* among those that wait for a receive */
    mtree_pair_t *pair;
    int tag;
    const void *buffer;
    void *copy; /* data mode: what was in the buffer, when it may be reused before the
                   match */
    size_t count, first_bytes, rest_bytes;
    bool synchronous;
    int references;
    mtree_recv_t *recv;
    mtree_completion_t *done;  /* NULL once it was called */
    mtree_clock_event_t event; /* at the sender: its time for this message is over */
    mtree_clock_event_t done_event;
    mtree_message_t message;     /* there: the first part, then the rest */
    mtree_message_t acknowledge; /* and back */
};

/* All that goes from one rank to another. */
struct mtree_pair {
    mtree_rank_t *from, *to;
    mtree_connection_t *connection;
    mtree_send_t *arrived, **arrived_last_p; /* without a receive */
    mtree_recv_t *posted, **posted_last_p;   /* without a message */
};

struct mtree_rank {
    mtree_transport_t transport;
    mtree_world_t *world;
    int number;
    double free_at;
    mtree_pair_t **to; /* [num_ranks], made when first used */
};

struct mtree_world {
    mtree_clock_t *clock;
    mtree_network_t *network;
    mtree_world_options_t options;
    mtree_rank_t *ranks;
    size_t messages, pending;
    mtree_live_t *sends, *recvs;
};

static mtree_rank_t *rank_of(mtree_transport_t *transport)
{
    return (mtree_rank_t *)((char *)transport - offsetof(mtree_rank_t, transport));
}

double mtree_world_free_at(const mtree_world_t *world, int rank)
{
    const double now = mtree_clock_now(world->clock);

    return world->ranks[rank].free_at > now ? world->ranks[rank].free_at : now;
}

void mtree_world_compute(mtree_world_t *world, int rank, double seconds)
{
    world->ranks[rank].free_at = mtree_world_free_at(world, rank) + seconds;
}

/* The rank handles one message; returns when that is over. */
static double handle(mtree_rank_t *rank)
{
    mtree_world_compute(rank->world, rank->number, rank->world->options.overhead);
    return rank->free_at;
}

static mtree_status_t get_pair(mtree_rank_t *from, int peer, mtree_pair_t **pair_p)
{
    mtree_world_t *world = from->world;
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

static mtree_status_t check_peer(const mtree_world_t *world, int peer)
{
    if (peer < 0 || peer >= world->options.num_ranks) {
        mtree_error(
            "simulator: a message to or from rank %d of %d; the schedule is wrong", peer,
            world->options.num_ranks);
        return MTREE_ERR_INVALID;
    }
    return MTREE_OK;
}

static void live_add(mtree_live_t **list, mtree_live_t *live)
{
    live->next = *list;
    live->pointer_to_this = list;
    if (*list != NULL) {
        (*list)->pointer_to_this = &live->next;
    }
    *list = live;
}

static void live_remove(mtree_live_t *live)
{
    *live->pointer_to_this = live->next;
    if (live->next != NULL) {
        live->next->pointer_to_this = live->pointer_to_this;
    }
}

static void send_free(mtree_send_t *send)
{
    live_remove(&send->live);
    free(send->copy);
    free(send);
}

static void recv_free(mtree_recv_t *recv)
{
    live_remove(&recv->live);
    free(recv);
}

static void send_release(mtree_send_t *send)
{
    if (--send->references == 0) {
        send_free(send);
    }
}

/* One more end of the message is done; its completion is the last use of it here. */
static void send_done(mtree_clock_event_t *event)
{
    mtree_send_t *send =
        (mtree_send_t *)((char *)event - offsetof(mtree_send_t, done_event));
    mtree_completion_t *done = send->done;

    send->pair->from->world->pending--;
    send->done = NULL;
    send_release(send);
    done->func(done, MTREE_OK);
}

static void recv_done(mtree_clock_event_t *event)
{
    mtree_recv_t *recv = (mtree_recv_t *)((char *)event - offsetof(mtree_recv_t, event));
    mtree_completion_t *done = recv->done;
    mtree_world_t *world = recv->pair->from->world;

    if (world->options.received != NULL) {
        world->options.received(world->options.received_arg, recv->tag);
    }
    world->pending--;
    recv_free(recv);
    done->func(done, MTREE_OK);
}

/* The bytes are taken from the sender's buffer as long as that is its to give. */
static void copy_data(const mtree_send_t *send)
{
    const mtree_world_t *world = send->pair->from->world;

    if (world->options.data && send->count > 0) {
        memcpy(send->recv->buffer, send->copy != NULL ? send->copy : send->buffer,
               send->count * world->options.unit_bytes);
    }
}

/* The whole message is there. */
static void deliver(mtree_send_t *send)
{
    mtree_clock_add(send->pair->from->world->clock, &send->recv->event,
                    handle(send->pair->to));
    send_release(send);
}

static mtree_send_t *send_of_message(mtree_message_t *message)
{
    return (mtree_send_t *)((char *)message - offsetof(mtree_send_t, message));
}

static void rest_departed(mtree_message_t *message)
{
    mtree_send_t *send = send_of_message(message);

    copy_data(send);
    mtree_clock_add(send->pair->from->world->clock, &send->done_event, 0.0);
}

static void rest_arrived(mtree_message_t *message)
{
    deliver(send_of_message(message));
}

/* The sender hears that its message was matched: it is done, or sends the rest. */
static void acknowledged(mtree_message_t *message)
{
    mtree_send_t *send =
        (mtree_send_t *)((char *)message - offsetof(mtree_send_t, acknowledge));
    const mtree_world_t *world = send->pair->from->world;

    if (send->rest_bytes == 0) {
        mtree_clock_add(world->clock, &send->done_event, 0.0);
        return;
    }
    send->message.bytes = send->rest_bytes;
    send->message.departed = rest_departed;
    send->message.arrived = rest_arrived;
    mtree_network_send(send->pair->connection, &send->message);
}

static void match(mtree_send_t *send, mtree_recv_t *recv)
{
    mtree_world_t *world = send->pair->from->world;
    mtree_pair_t *back;
    mtree_status_t status;

    send->recv = recv;
    if (recv->count != send->count) {
        mtree_error("simulator: rank %d sends %zu units with tag %d to rank %d, which "
                    "expects %zu; the schedule is wrong",
                    send->pair->from->number, send->count, send->tag,
                    send->pair->to->number, recv->count);
        mtree_clock_fail(world->clock, MTREE_ERR_TRANSPORT);
        return;
    }
    if (send->synchronous || send->rest_bytes > 0) {
        status = get_pair(send->pair->to, send->pair->from->number, &back);
        if (status != MTREE_OK) {
            mtree_clock_fail(world->clock, status);
            return;
        }
        send->acknowledge.bytes = world->options.control_bytes;
        send->acknowledge.arrived = acknowledged;
        mtree_network_send(back->connection, &send->acknowledge);
    }
    if (send->rest_bytes == 0) {
        copy_data(send);
        deliver(send);
    }
}

/* The message, or the first part of it, is at the receiver. */
static void first_arrived(mtree_message_t *message)
{
    mtree_send_t *send = send_of_message(message);
    mtree_pair_t *pair = send->pair;
    mtree_recv_t **recv_p, *recv;

    for (recv_p = &pair->posted; *recv_p != NULL; recv_p = &(*recv_p)->next) {
        if ((*recv_p)->tag == send->tag) {
            recv = *recv_p;
            *recv_p = recv->next;
            if (recv->next == NULL) {
                pair->posted_last_p = recv_p;
            }
            match(send, recv);
            return;
        }
    }
    send->next = NULL;
    *pair->arrived_last_p = send;
    pair->arrived_last_p = &send->next;
}

static void send_start(mtree_clock_event_t *event)
{
    mtree_send_t *send = (mtree_send_t *)((char *)event - offsetof(mtree_send_t, event));

    mtree_network_send(send->pair->connection, &send->message);
    /* The bytes were copied into the transport's buffers: that is all that the sender
     * waits for. */
    if (!send->synchronous && send->rest_bytes == 0) {
        mtree_clock_add(send->pair->from->world->clock, &send->done_event, 0.0);
    }
}

/* How the message is cut into the part that goes at once and the part that waits for the
 * match. */
static void send_cut(mtree_send_t *send, const mtree_world_options_t *options)
{
    const size_t bytes = send->count * options->unit_bytes;

    send->first_bytes = bytes;
    if (options->eager_bytes > 0 && bytes > options->eager_bytes) {
        send->first_bytes = options->eager_bytes;
    }
    send->rest_bytes = bytes - send->first_bytes;
    send->message.bytes = send->first_bytes + options->control_bytes;
    send->message.arrived = first_arrived;
}

static mtree_status_t send_copy(mtree_send_t *send, const mtree_world_options_t *options)
{
    const size_t bytes = send->count * options->unit_bytes;

    if (!options->data || send->synchronous || send->rest_bytes > 0 || bytes == 0) {
        return MTREE_OK;
    }
    send->copy = malloc(bytes);
    if (send->copy == NULL) {
        return MTREE_ERR_NO_MEMORY;
    }
    memcpy(send->copy, send->buffer, bytes);
    return MTREE_OK;
}

static mtree_status_t world_send(mtree_transport_t *transport, int peer, int tag,
                                 const void *buffer, size_t count, bool synchronous,
                                 mtree_completion_t *done)
{
    mtree_rank_t *rank = rank_of(transport);
    mtree_world_t *world = rank->world;
    mtree_send_t *send;
    mtree_pair_t *pair;
    mtree_status_t status;

    status = check_peer(world, peer);
    if (status == MTREE_OK) {
        status = get_pair(rank, peer, &pair);
    }
    if (status != MTREE_OK) {
        return status;
    }
    send = calloc(1, sizeof(*send));
    if (send == NULL) {
        return MTREE_ERR_NO_MEMORY;
    }
    send->pair = pair;
    send->tag = tag;
    send->buffer = buffer;
    send->count = count;
    send->synchronous = synchronous;
    send->references = 2;
    send->done = done;
    send->event.func = send_start;
    send->done_event.func = send_done;
    send_cut(send, &world->options);
    status = send_copy(send, &world->options);
    if (status != MTREE_OK) {
        free(send);
        return status;
    }
    live_add(&world->sends, &send->live);
    world->messages++;
    world->pending++;
    mtree_clock_add(world->clock, &send->event, handle(rank));
    return MTREE_OK;
}

static mtree_status_t world_recv(mtree_transport_t *transport, int peer, int tag,
                                 void *buffer, size_t count, mtree_completion_t *done)
{
    mtree_rank_t *rank = rank_of(transport);
    mtree_world_t *world = rank->world;
    mtree_send_t **send_p, *send;
    mtree_recv_t *recv;
    mtree_pair_t *pair;
    mtree_status_t status;

    status = check_peer(world, peer);
    if (status == MTREE_OK) {
        status = get_pair(&world->ranks[peer], rank->number, &pair);
    }
    if (status != MTREE_OK) {
        return status;
    }
    recv = calloc(1, sizeof(*recv));
    if (recv == NULL) {
        return MTREE_ERR_NO_MEMORY;
    }
    recv->pair = pair;
    recv->tag = tag;
    recv->buffer = buffer;
    recv->count = count;
    recv->done = done;
    recv->event.func = recv_done;
    live_add(&world->recvs, &recv->live);
    world->pending++;
    for (send_p = &pair->arrived; *send_p != NULL; send_p = &(*send_p)->next) {
        if ((*send_p)->tag == tag) {
            send = *send_p;
            *send_p = send->next;
            if (send->next == NULL) {
                pair->arrived_last_p = send_p;
            }
            match(send, recv);
            return MTREE_OK;
        }
    }
    *pair->posted_last_p = recv;
    pair->posted_last_p = &recv->next;
    return MTREE_OK;
}

static double world_now(mtree_transport_t *transport)
{
    return mtree_clock_now(rank_of(transport)->world->clock);
}

static const mtree_transport_ops_t world_ops = {
    .send = world_send, .recv = world_recv, .now = world_now};

mtree_status_t mtree_world_create(mtree_clock_t *clock, mtree_network_t *network,
                                  const mtree_world_options_t *options,
                                  mtree_world_t **world_p)
{
    const size_t num_ranks = (size_t)options->num_ranks;
    mtree_world_t *world;
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
        world->ranks[r].transport.ops = &world_ops;
        world->ranks[r].world = world;
        world->ranks[r].number = r;
        world->ranks[r].to = pairs + (size_t)r * num_ranks;
    }
    *world_p = world;
    return MTREE_OK;
}

void mtree_world_abort(mtree_world_t *world)
{
    mtree_completion_t *done;
    mtree_send_t *send;
    mtree_recv_t *recv;

    while (world->sends != NULL) {
        send = (mtree_send_t *)((char *)world->sends - offsetof(mtree_send_t, live));
        done = send->done;
        mtree_clock_remove(world->clock, &send->event);
        mtree_clock_remove(world->clock, &send->done_event);
        send_free(send);
        if (done != NULL) {
            done->func(done, MTREE_ERR_TRANSPORT);
        }
    }
    while (world->recvs != NULL) {
        recv = (mtree_recv_t *)((char *)world->recvs - offsetof(mtree_recv_t, live));
        done = recv->done;
        mtree_clock_remove(world->clock, &recv->event);
        recv_free(recv);
        done->func(done, MTREE_ERR_TRANSPORT);
    }
    world->pending = 0;
}

void mtree_world_destroy(mtree_world_t *world)
{
    int from, to;

    if (world == NULL) {
        return;
    }
    while (world->sends != NULL) {
        send_free((mtree_send_t *)((char *)world->sends - offsetof(mtree_send_t, live)));
    }
    while (world->recvs != NULL) {
        recv_free((mtree_recv_t *)((char *)world->recvs - offsetof(mtree_recv_t, live)));
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

mtree_transport_t *mtree_world_transport(mtree_world_t *world, int rank)
{
    return &world->ranks[rank].transport;
}

size_t mtree_world_messages(const mtree_world_t *world)
{
    return world->messages;
}

size_t mtree_world_pending(const mtree_world_t *world)
{
    return world->pending;
}
