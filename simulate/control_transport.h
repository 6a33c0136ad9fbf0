/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Couriers: transports over simulated ranks whose messages' contents count even where the
 * simulation carries no data.  What schedules say to each other goes by courier.
 */
#ifndef MTREE_SIMULATE_CONTROL_TRANSPORT_H
#define MTREE_SIMULATE_CONTROL_TRANSPORT_H

#include "simulate/pt2pt.h"

typedef struct mtree_control_transport mtree_control_transport_t;

/*
 * The couriers of @a num_ranks ranks of @a pt2pt, which must outlive them.  Their units
 * are bytes; messages are of whole units of the world, @a unit_bytes each.  Owned by the
 * caller.  MTREE_ERR_NO_MEMORY.
 */
mtree_status_t
mtree_control_transport_create(mtree_pt2pt_t *pt2pt, int num_ranks, size_t unit_bytes,
                               mtree_control_transport_t **control_transport_p);

/* Free; NULL is allowed. */
void mtree_control_transport_destroy(mtree_control_transport_t *control_transport);

/* The transport of rank @a rank; the courier's. */
mtree_transport_t *
mtree_control_transport_transport(mtree_control_transport_t *control_transport, int rank);

#endif
