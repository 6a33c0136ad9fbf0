/* SPDX-License-Identifier: BSD-3-Clause */
#include "simulate/control_transport.h"

#include <stdlib.h>
#include <string.h>

/* A message on its way. */
typedef struct letter letter_t;
struct letter {
    letter_t *next;
    int from, to, tag;
    size_t bytes;
    char text[];
};

/* A receive that was started. */
typedef struct {
    mtree_completion_t arrived; /* must be first */
    mtree_control_transport_t *control_transport;
    int from, to, tag;
    void *buffer;
    mtree_completion_t *done;
} awaited_t;

typedef struct {
    mtree_transport_t transport; /* must be first */
    mtree_control_transport_t *control_transport;
    int rank;
} porter_t;

struct mtree_control_transport {
    mtree_pt2pt_t *pt2pt;
    size_t unit_bytes;
    letter_t *letters, **last_p;
    porter_t porters[];
};

/* The world keeps the order of a pair's messages of one tag, and so does the list. */
static void letter_arrived(mtree_completion_t *self, mtree_status_t status)
{
    awaited_t awaited = *(awaited_t *)self;
    mtree_control_transport_t *control_transport = awaited.control_transport;
    letter_t **at = &control_transport->letters;
    letter_t *letter;

    free(self);
    while (*at != NULL && ((*at)->from != awaited.from || (*at)->to != awaited.to ||
                           (*at)->tag != awaited.tag)) {
        at = &(*at)->next;
    }
    letter = *at;
    if (status == MTREE_OK && letter != NULL) {
        *at = letter->next;
        if (letter->next == NULL) {
            control_transport->last_p = at;
        }
        memcpy(awaited.buffer, letter->text, letter->bytes);
        free(letter);
    }
    awaited.done->empty = awaited.arrived.empty;
    awaited.done->func(awaited.done, status);
}

static mtree_status_t control_transport_send(mtree_transport_t *transport, int peer,
                                             int tag, const void *buffer, size_t bytes,
                                             bool synchronous, mtree_completion_t *done)
{
    const porter_t *porter = (const porter_t *)transport;
    mtree_control_transport_t *control_transport = porter->control_transport;
    mtree_transport_t *through =
        mtree_pt2pt_transport(control_transport->pt2pt, porter->rank);
    letter_t *letter = malloc(sizeof(*letter) + bytes);

    if (letter == NULL) {
        return MTREE_ERR_NO_MEMORY;
    }
    *letter = (letter_t){NULL, porter->rank, peer, tag, bytes};
    memcpy(letter->text, buffer, bytes);
    *control_transport->last_p = letter;
    control_transport->last_p = &letter->next;
    return through->ops->send(through, peer, tag, buffer,
                              bytes / control_transport->unit_bytes, synchronous, done);
}

static mtree_status_t control_transport_recv(mtree_transport_t *transport, int peer,
                                             int tag, void *buffer, size_t bytes,
                                             mtree_completion_t *done)
{
    const porter_t *porter = (const porter_t *)transport;
    mtree_control_transport_t *control_transport = porter->control_transport;
    mtree_transport_t *through =
        mtree_pt2pt_transport(control_transport->pt2pt, porter->rank);
    awaited_t *awaited = malloc(sizeof(*awaited));
    mtree_status_t status;

    if (awaited == NULL) {
        return MTREE_ERR_NO_MEMORY;
    }
    *awaited = (awaited_t){{.func = letter_arrived},
                           control_transport,
                           peer,
                           porter->rank,
                           tag,
                           buffer,
                           done};
    status = through->ops->recv(through, peer, tag, buffer,
                                bytes / control_transport->unit_bytes, &awaited->arrived);
    if (status != MTREE_OK) {
        free(awaited);
    }
    return status;
}

static double control_transport_now(mtree_transport_t *transport)
{
    const porter_t *porter = (const porter_t *)transport;
    mtree_transport_t *through =
        mtree_pt2pt_transport(porter->control_transport->pt2pt, porter->rank);

    return through->ops->now(through);
}

static const mtree_transport_ops_t control_transport_ops = {
    control_transport_send, control_transport_recv, control_transport_now};

mtree_status_t
mtree_control_transport_create(mtree_pt2pt_t *pt2pt, int num_ranks, size_t unit_bytes,
                               mtree_control_transport_t **control_transport_p)
{
    mtree_control_transport_t *control_transport =
        calloc(1, sizeof(*control_transport) + (size_t)num_ranks * sizeof(porter_t));

    if (control_transport == NULL) {
        return MTREE_ERR_NO_MEMORY;
    }
    control_transport->pt2pt = pt2pt;
    control_transport->unit_bytes = unit_bytes;
    control_transport->last_p = &control_transport->letters;
    for (int rank = 0; rank < num_ranks; rank++) {
        control_transport->porters[rank] =
            (porter_t){{.ops = &control_transport_ops}, control_transport, rank};
    }
    *control_transport_p = control_transport;
    return MTREE_OK;
}

void mtree_control_transport_destroy(mtree_control_transport_t *control_transport)
{
    while (control_transport != NULL && control_transport->letters != NULL) {
        letter_t *letter = control_transport->letters;

        control_transport->letters = letter->next;
        free(letter);
    }
    free(control_transport);
}

mtree_transport_t *
mtree_control_transport_transport(mtree_control_transport_t *control_transport, int rank)
{
    return &control_transport->porters[rank].transport;
}
