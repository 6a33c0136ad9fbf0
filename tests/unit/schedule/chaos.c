/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/schedule/chaos.h"

#include "schedule/stream.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* A send or a receive that waits for its counterpart. */
typedef struct waiting {
    int from, tag;
    void *buffer;
    size_t count;
    mtree_completion_t *done; /* NULL: told already */
    bool owned;               /* buffer is a copy */
    struct waiting *next;
} waiting_t;

typedef struct {
    waiting_t *first, **last;
} queue_t;

typedef struct {
    mtree_transport_t base;
    chaos_t *chaos;
    int rank;
    queue_t sends, receives; /* to it */
} endpoint_t;

static void queue_init(queue_t *queue)
{
    queue->first = NULL;
    queue->last = &queue->first;
}

struct chaos {
    size_t unit;
    unsigned long long random;
    endpoint_t *endpoints;
    int num_ranks;
    mtree_completion_t **pending; /* may be told at any time */
    size_t num_pending, room;
    size_t messages, longest, fail_at, steps;
    bool patient; /* nothing is told before chaos_complete() */
};

static unsigned chaos_draw(chaos_t *chaos, unsigned below)
{
    chaos->random = chaos->random * 6364136223846793005ULL + 1442695040888963407ULL;
    return (unsigned)((chaos->random >> 33) % below);
}

/* Tell at some later time. */
static void chaos_tell(chaos_t *chaos, mtree_completion_t *done)
{
    if (chaos->num_pending == chaos->room) {
        chaos->room = chaos->room * 2 + 16;
        chaos->pending = realloc(chaos->pending, chaos->room * sizeof(*chaos->pending));
    }
    chaos->pending[chaos->num_pending++] = done;
}

/* Tell at some later time, or at once. */
static void chaos_tell_any_time(chaos_t *chaos, mtree_completion_t *done)
{
    if (!chaos->patient && chaos_draw(chaos, 4) == 0) {
        done->func(done, MTREE_OK);
    } else {
        chaos_tell(chaos, done);
    }
}

/* The first in @a queue that fits, unlinked; or NULL. */
static waiting_t *chaos_take(queue_t *queue, int from, int tag)
{
    for (waiting_t **at = &queue->first; *at != NULL; at = &(*at)->next) {
        waiting_t *found = *at;

        if (found->from == from && found->tag == tag) {
            *at = found->next;
            if (queue->last == &found->next) {
                queue->last = at;
            }
            return found;
        }
    }
    return NULL;
}

static void chaos_wait(queue_t *queue, waiting_t what)
{
    waiting_t *waiting = malloc(sizeof(*waiting));

    *waiting = what;
    waiting->next = NULL;
    *queue->last = waiting;
    queue->last = &waiting->next;
}

/* Both sides are there: the lengths must agree, or nothing is sent. */
static void chaos_copy(const chaos_t *chaos, void *to, size_t room, const void *from,
                       size_t count)
{
    if (room != count && count > 0) {
        abort();
    }
    if (count > 0) {
        memcpy(to, from, count * chaos->unit);
    }
}

static mtree_status_t chaos_send(mtree_transport_t *transport, int peer, int tag,
                                 const void *buffer, size_t count, bool synchronous,
                                 mtree_completion_t *done)
{
    endpoint_t *self = (endpoint_t *)transport;
    chaos_t *chaos = self->chaos;
    waiting_t *receive;

    chaos->longest = count > chaos->longest ? count : chaos->longest;
    if (tag < 0 || tag >= MTREE_CALL_TAGS) {
        abort();
    }
    if (chaos->messages++ == chaos->fail_at) {
        return MTREE_ERR_TRANSPORT;
    }
    receive = chaos_take(&chaos->endpoints[peer].receives, self->rank, tag);
    if (receive != NULL) {
        chaos_copy(chaos, receive->buffer, receive->count, buffer, count);
        chaos_tell(chaos, receive->done);
        free(receive);
    } else {
        waiting_t send = {self->rank, tag, (void *)buffer, count, done, false, NULL};

        /* A buffer may change after a send that is not synchronous, never before one that
         * is. */
        if (!synchronous) {
            send.done = NULL;
            send.owned = true;
            send.buffer = malloc(count * chaos->unit + 1);
            chaos_copy(chaos, send.buffer, count, buffer, count);
        }
        chaos_wait(&chaos->endpoints[peer].sends, send);
        if (synchronous) {
            return MTREE_OK;
        }
    }
    chaos_tell_any_time(chaos, done);
    return MTREE_OK;
}

static mtree_status_t chaos_recv(mtree_transport_t *transport, int peer, int tag,
                                 void *buffer, size_t count, mtree_completion_t *done)
{
    endpoint_t *self = (endpoint_t *)transport;
    chaos_t *chaos = self->chaos;
    waiting_t *send = chaos_take(&self->sends, peer, tag);

    if (send == NULL) {
        chaos_wait(&self->receives,
                   (waiting_t){peer, tag, buffer, count, done, false, NULL});
        return MTREE_OK;
    }
    chaos_copy(chaos, buffer, count, send->buffer, send->count);
    if (send->owned) {
        free(send->buffer);
    }
    if (send->done != NULL) {
        chaos_tell(chaos, send->done);
    }
    free(send);
    chaos_tell_any_time(chaos, done);
    return MTREE_OK;
}

static double chaos_now(mtree_transport_t *transport)
{
    return (double)((endpoint_t *)transport)->chaos->steps;
}

static const mtree_transport_ops_t chaos_ops = {
    .send = chaos_send, .recv = chaos_recv, .now = chaos_now};

chaos_t *chaos_create(int num_ranks, size_t unit, unsigned seed)
{
    chaos_t *chaos = calloc(1, sizeof(*chaos));

    chaos->unit = unit;
    chaos->random = seed * 2654435761ULL + 1;
    chaos->fail_at = (size_t)-1;
    chaos->num_ranks = num_ranks;
    chaos->endpoints = calloc((size_t)num_ranks, sizeof(endpoint_t));
    for (int rank = 0; rank < num_ranks; rank++) {
        endpoint_t *endpoint = &chaos->endpoints[rank];

        *endpoint = (endpoint_t){.base.ops = &chaos_ops, .chaos = chaos, .rank = rank};
        queue_init(&endpoint->sends);
        queue_init(&endpoint->receives);
    }
    return chaos;
}

/* Forget what waits; tell of it where @a tells. */
static void queue_end(queue_t *queue, bool tells)
{
    while (queue->first != NULL) {
        waiting_t *waiting = queue->first;

        queue->first = waiting->next;
        if (queue->first == NULL) {
            queue->last = &queue->first;
        }
        if (tells && waiting->done != NULL) {
            waiting->done->func(waiting->done, MTREE_ERR_TRANSPORT);
        }
        if (waiting->owned) {
            free(waiting->buffer);
        }
        free(waiting);
    }
}

void chaos_destroy(chaos_t *chaos)
{
    for (int rank = 0; rank < chaos->num_ranks; rank++) {
        queue_end(&chaos->endpoints[rank].sends, false);
        queue_end(&chaos->endpoints[rank].receives, false);
    }
    free(chaos->pending);
    free(chaos->endpoints);
    free(chaos);
}

mtree_transport_t *chaos_transport(chaos_t *chaos, int rank)
{
    return &chaos->endpoints[rank].base;
}

void chaos_be_patient(chaos_t *chaos)
{
    chaos->patient = true;
}

size_t chaos_num_pending(const chaos_t *chaos)
{
    return chaos->num_pending;
}

const mtree_completion_t *chaos_pending(const chaos_t *chaos, size_t i)
{
    return chaos->pending[i];
}

void chaos_complete(chaos_t *chaos, size_t i)
{
    mtree_completion_t *told = chaos->pending[i];

    chaos->steps++;
    chaos->pending[i] = chaos->pending[--chaos->num_pending];
    told->func(told, MTREE_OK);
}

bool chaos_step(chaos_t *chaos)
{
    if (chaos->num_pending == 0) {
        return false;
    }
    chaos_complete(chaos, chaos_draw(chaos, (unsigned)chaos->num_pending));
    return true;
}

bool chaos_is_quiet(const chaos_t *chaos)
{
    size_t waiting = chaos->num_pending;

    for (int rank = 0; rank < chaos->num_ranks; rank++) {
        waiting += chaos->endpoints[rank].sends.first != NULL;
        waiting += chaos->endpoints[rank].receives.first != NULL;
    }
    return waiting == 0;
}

void chaos_fold_add(void *arg, const void *a, const void *b, void *out, size_t count)
{
    const uint32_t *x = a, *y = b;
    uint32_t *sum = out;

    (void)arg;
    for (size_t i = 0; i < count; i++) {
        sum[i] = x[i] + y[i];
    }
}

void chaos_pack(void *arg, int rank, size_t offset, void *bytes, size_t length)
{
    (void)rank;
    memcpy(bytes, (char *)arg + offset, length);
}

void chaos_unpack(void *arg, int rank, size_t offset, const void *bytes, size_t length)
{
    (void)rank;
    memcpy((char *)arg + offset, bytes, length);
}

size_t chaos_longest(const chaos_t *chaos)
{
    return chaos->longest;
}

void chaos_fail_after(chaos_t *chaos, size_t messages)
{
    chaos->fail_at = chaos->messages + messages;
}

void chaos_give_up(chaos_t *chaos)
{
    for (int rank = 0; rank < chaos->num_ranks; rank++) {
        queue_end(&chaos->endpoints[rank].receives, true);
    }
    for (int rank = 0; rank < chaos->num_ranks; rank++) {
        queue_end(&chaos->endpoints[rank].sends, true);
    }
}
