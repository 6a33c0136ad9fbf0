/* SPDX-License-Identifier: BSD-3-Clause */
#include "relay/call.h"

#include "base/clock.h"
#include "base/memory.h"

#include <math.h>
#include <stdlib.h>

/* Bytes that a call takes at most for a stream, and for a chunk that a receiver has a
 * place for, beside it. */
#define STREAM 512
#define PLACE  128

_Static_assert(MTREE_CALL_TAGS <= MTREE_TCP_TAGS, "a session has the tags of a call");

/* Sessions of calls with relays have it in their keys; no tag of Open MPI's does. */
#define KEY_FLAG ((uint32_t)1 << 31)

mtree_tcp_key_t mtree_relay_call_key(const mtree_relay_start_t *start)
{
    return (mtree_tcp_key_t){start->context, KEY_FLAG | start->plan, start->number};
}

static mtree_relay_call_t *call_of(mtree_transport_t *transport)
{
    return MTREE_CONTAINER_OF(transport, mtree_relay_call_t, transport);
}

static mtree_tcp_peer_t *call_peer(const mtree_relay_call_t *call, int rank)
{
    return mtree_relay_peers_get(call->peers, call->plan->peers[rank]);
}

/* What the plan has go to @a rank, but no more than is allowed. */
static double planned_rate(const mtree_relay_call_t *call, int rank)
{
    const mtree_layout_t *layout = call->layout;
    const double most = call->peers->traffic->rate;
    double rate = 0;

    for (int i = 0; i < layout->num_peers; i++) {
        rate = layout->peers[i].rank == rank ? layout->peers[i].rate : rate;
    }
    return most > 0 && (rate <= 0 || rate > most) ? most : rate;
}

/* The session with @a rank, which call_reserve() has found. */
static mtree_tcp_session_t *call_session(mtree_relay_call_t *call, int rank)
{
    const mtree_tcp_key_t key = mtree_relay_call_key(&call->start);

    return mtree_tcp_session_begin(call_peer(call, rank), &key, rank,
                                   planned_rate(call, rank), call);
}

static mtree_status_t call_send(mtree_transport_t *transport, int peer, int tag,
                                const void *buffer, size_t count, bool synchronous,
                                mtree_completion_t *done)
{
    mtree_relay_call_t *call = call_of(transport);

    return mtree_tcp_send(call_session(call, peer), (uint32_t)tag, buffer,
                          count * call->start.call.unit_bytes, synchronous, done);
}

static mtree_status_t call_recv(mtree_transport_t *transport, int peer, int tag,
                                void *buffer, size_t count, mtree_completion_t *done)
{
    mtree_relay_call_t *call = call_of(transport);

    return mtree_tcp_recv(call_session(call, peer), (uint32_t)tag, buffer,
                          count * call->start.call.unit_bytes, done);
}

static double call_now(mtree_transport_t *transport)
{
    (void)transport;
    return mtree_clock_seconds();
}

static const mtree_transport_ops_t call_ops = {
    .send = call_send, .recv = call_recv, .now = call_now};

static void call_fold(void *arg, const void *a, const void *b, void *out, size_t count)
{
    ((mtree_relay_call_t *)arg)->fold(a, b, out, count);
}

/* Is so much left of the memory of calls?  What plan and call claim may be more than any
 * integer is. */
static bool has_room(const mtree_relay_call_t *call, double bytes)
{
    return bytes <= (double)(call->memory->most - call->memory->used);
}

/* Bytes of the layout: a stream per tree, and where ranks have blocks, per rank of its
 * root's host. */
static double layout_bytes(const mtree_relay_call_t *call)
{
    const mtree_plan_part_t *part = call->plan->part;
    const mtree_placement_t *placement = call->plan->placement;
    const bool has_blocks = mtree_collective_has_blocks(call->start.call.collective);
    double bytes = 0;

    for (int t = 0; t < part->num_trees; t++) {
        const mtree_part_tree_t *tree = &part->trees[t];
        /* Trees of an allreduce serve any root. */
        const int streams =
            !has_blocks ? 1
            : !mtree_collective_has_blocks(part->collective)
                ? placement->num_ranks
                : placement->first[tree->root + 1] - placement->first[tree->root];

        bytes += streams * (STREAM + sizeof(int) * (double)tree->num_edges);
    }
    return bytes;
}

/* Take the memory that the call needs: its windows, since a relay has no vector; and its
 * peers. */
static mtree_status_t call_reserve(mtree_relay_call_t *call,
                                   const mtree_operation_data_t *data)
{
    const mtree_layout_t *layout = call->layout;
    size_t bytes = mtree_operation_scratch(layout, data);
    double places = 0;

    for (int i = 0; i < layout->num_streams; i++) {
        const mtree_stream_t *stream = &layout->streams[i];

        places += fmin((double)stream->window,
                       (double)stream->length / (double)stream->chunk + 1) *
                  (stream->num_children + 1);
    }
    if (!has_room(call, (double)bytes + PLACE * places)) {
        return MTREE_ERR_LIMIT;
    }
    bytes += PLACE * (size_t)places;
    for (int i = 0; i < layout->num_peers; i++) {
        if (call_peer(call, layout->peers[i].rank) == NULL) {
            return MTREE_ERR_LIMIT;
        }
    }
    call->memory->used += bytes;
    call->bytes = bytes;
    return MTREE_OK;
}

static mtree_status_t call_run(mtree_relay_call_t *call)
{
    size_t unit = call->start.call.unit_bytes;
    mtree_operation_data_t data = {.extent = (ptrdiff_t)unit,
                                   .span = unit,
                                   .fold = call->fold == NULL ? NULL : call_fold,
                                   .arg = call};
    mtree_status_t status =
        call->start.call.root >= call->plan->placement->num_ranks ? MTREE_ERR_INVALID
        : !has_room(call, layout_bytes(call))
            ? MTREE_ERR_LIMIT
            : mtree_layout_create(call->plan->part, call->plan->placement,
                                  &call->start.call, call->plan->self, &call->layout);

    if (status == MTREE_OK) {
        status = call_reserve(call, &data);
    }
    if (status == MTREE_OK) {
        mtree_operation_start(call->layout, &call->transport, &data, NULL, NULL,
                              &call->operation);
    }
    return status;
}

mtree_status_t mtree_relay_call_begin(mtree_relay_plan_t *plan,
                                      const mtree_relay_start_t *start,
                                      mtree_tcp_budget_t *memory,
                                      mtree_relay_peers_t *peers,
                                      mtree_relay_call_t **call_p)
{
    mtree_relay_call_t *call = mtree_calloc(1, sizeof(*call));
    mtree_status_t status;

    mtree_list_init(&call->link);
    call->transport = (mtree_transport_t){.ops = &call_ops, .ends_all = true};
    call->plan = plan;
    call->start = *start;
    call->memory = memory;
    call->peers = peers;
    if (mtree_collective_goes_up(start->call.collective)) {
        call->fold = mtree_relay_fold(start->type, start->op);
    }
    status = call_run(call);
    if (status != MTREE_OK) {
        mtree_relay_call_destroy(call);
        return status;
    }
    *call_p = call;
    return MTREE_OK;
}

/* End the sessions of the call, whose messages have ended, or are to. */
static void end_sessions(mtree_relay_call_t *call, bool is_done)
{
    const mtree_tcp_key_t key = mtree_relay_call_key(&call->start);

    for (int i = 0; i < call->layout->num_peers; i++) {
        mtree_tcp_session_end(call_peer(call, call->layout->peers[i].rank), &key,
                              !is_done);
    }
}

void mtree_relay_call_cancel(mtree_relay_call_t *call)
{
    if (!call->is_cancelled && !mtree_operation_done(call->operation, NULL)) {
        call->is_cancelled = true;
        end_sessions(call, false);
    }
}

int mtree_relay_call_poll(mtree_relay_call_t *call)
{
    mtree_status_t status;

    if (!mtree_operation_done(call->operation, &status)) {
        if (mtree_operation_has_failed(call->operation)) {
            mtree_relay_call_cancel(call);
        }
        return 0;
    }
    if (!call->is_cancelled) {
        end_sessions(call, status == MTREE_OK);
    }
    return status == MTREE_OK ? 1 : -1;
}

void mtree_relay_call_destroy(mtree_relay_call_t *call)
{
    mtree_list_remove(&call->link);
    mtree_operation_free(call->operation);
    mtree_layout_destroy(call->layout);
    call->memory->used -= call->bytes;
    free(call);
}
