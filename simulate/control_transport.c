/* SPDX-License-Identifier: BSD-3-Clause */
#include "simulate/control_transport.h"

#include "base/list.h"

#include <stdlib.h>
#include <string.h>

/* The contents of a message that was sent and not received. */
typedef struct {
    mtree_list_t link;
    int from, to, tag;
    size_t bytes;
    char text[];
} contents_t;

/* A receive that was started. */
typedef struct {
    mtree_completion_t arrived; /* must be first */
    mtree_control_transport_t *control;
    int from, to, tag;
    void *buffer;
    mtree_completion_t *done;
} posted_recv_t;

/* The transport of one rank. */
typedef struct {
    mtree_transport_t transport; /* must be first */
    mtree_control_transport_t *control;
    int rank;
} endpoint_t;

struct mtree_control_transport {
    mtree_pt2pt_t *pt2pt;
    size_t unit_bytes;
    mtree_list_t contents; /* in the order in which they were sent */
    endpoint_t endpoints[];
};

static mtree_transport_t *pt2pt_of(const endpoint_t *endpoint)
{
    return mtree_pt2pt_transport(endpoint->control->pt2pt, endpoint->rank);
}

/* The first contents sent from @a from to @a to with @a tag; NULL: none.  Messages of one
 * pair and one tag arrive in this order, too. */
static contents_t *take_contents(mtree_control_transport_t *control, int from, int to,
                                 int tag)
{
    mtree_list_t *link;

    MTREE_LIST_FOR_EACH(link, &control->contents)
    {
        contents_t *contents = MTREE_CONTAINER_OF(link, contents_t, link);

        if (contents->from == from && contents->to == to && contents->tag == tag) {
            mtree_list_remove(link);
            return contents;
        }
    }
    return NULL;
}

static void recv_arrived(mtree_completion_t *self, mtree_status_t status)
{
    posted_recv_t recv = *(posted_recv_t *)self;

    free(self);
    if (status == MTREE_OK) {
        contents_t *contents = take_contents(recv.control, recv.from, recv.to, recv.tag);

        if (contents != NULL) {
            memcpy(recv.buffer, contents->text, contents->bytes);
            free(contents);
        }
    }
    recv.done->empty = recv.arrived.empty;
    recv.done->func(recv.done, status);
}

static mtree_status_t control_send(mtree_transport_t *transport, int peer, int tag,
                                   const void *buffer, size_t bytes, bool synchronous,
                                   mtree_completion_t *done)
{
    const endpoint_t *endpoint = (const endpoint_t *)transport;
    mtree_control_transport_t *control = endpoint->control;
    mtree_transport_t *through = pt2pt_of(endpoint);
    contents_t *contents = malloc(sizeof(*contents) + bytes);

    if (contents == NULL) {
        return MTREE_ERR_NO_MEMORY;
    }
    *contents =
        (contents_t){.from = endpoint->rank, .to = peer, .tag = tag, .bytes = bytes};
    memcpy(contents->text, buffer, bytes);
    mtree_list_append(&control->contents, &contents->link);
    return through->ops->send(through, peer, tag, buffer, bytes / control->unit_bytes,
                              synchronous, done);
}

static mtree_status_t control_recv(mtree_transport_t *transport, int peer, int tag,
                                   void *buffer, size_t bytes, mtree_completion_t *done)
{
    const endpoint_t *endpoint = (const endpoint_t *)transport;
    mtree_control_transport_t *control = endpoint->control;
    mtree_transport_t *through = pt2pt_of(endpoint);
    posted_recv_t *recv = malloc(sizeof(*recv));
    mtree_status_t status;

    if (recv == NULL) {
        return MTREE_ERR_NO_MEMORY;
    }
    *recv = (posted_recv_t){
        {.func = recv_arrived}, control, peer, endpoint->rank, tag, buffer, done};
    status = through->ops->recv(through, peer, tag, buffer, bytes / control->unit_bytes,
                                &recv->arrived);
    if (status != MTREE_OK) {
        free(recv);
    }
    return status;
}

static double control_now(mtree_transport_t *transport)
{
    mtree_transport_t *through = pt2pt_of((const endpoint_t *)transport);

    return through->ops->now(through);
}

static const mtree_transport_ops_t control_ops = {
    .send = control_send, .recv = control_recv, .now = control_now};

mtree_status_t mtree_control_transport_create(mtree_pt2pt_t *pt2pt, int num_ranks,
                                              size_t unit_bytes,
                                              mtree_control_transport_t **control_p)
{
    mtree_control_transport_t *control =
        calloc(1, sizeof(*control) + (size_t)num_ranks * sizeof(endpoint_t));

    if (control == NULL) {
        return MTREE_ERR_NO_MEMORY;
    }
    control->pt2pt = pt2pt;
    control->unit_bytes = unit_bytes;
    mtree_list_init(&control->contents);
    for (int rank = 0; rank < num_ranks; rank++) {
        control->endpoints[rank] = (endpoint_t){{.ops = &control_ops}, control, rank};
    }
    *control_p = control;
    return MTREE_OK;
}

void mtree_control_transport_destroy(mtree_control_transport_t *control)
{
    mtree_list_t *link;

    if (control == NULL) {
        return;
    }
    while ((link = mtree_list_take(&control->contents)) != NULL) {
        free(MTREE_CONTAINER_OF(link, contents_t, link));
    }
    free(control);
}

mtree_transport_t *mtree_control_transport_of(mtree_control_transport_t *control,
                                              int rank)
{
    return &control->endpoints[rank].transport;
}
