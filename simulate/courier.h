/*
 * Couriers: transports over simulated ranks whose messages' contents count even where the
 * simulation carries no data.  What schedules say to each other goes by courier.
 */
#ifndef MTREE_SIMULATE_COURIER_H
#define MTREE_SIMULATE_COURIER_H

#include "simulate/world.h"

typedef struct mtree_courier mtree_courier_t;

/*
 * The couriers of @a num_ranks ranks of @a world, which must outlive them.  Their units
 * are bytes; messages are of whole units of the world, @a unit_bytes each.  Owned by the
 * caller.  MTREE_ERR_NO_MEMORY.
 */
mtree_status_t mtree_courier_create(mtree_world_t *world, int num_ranks,
                                    size_t unit_bytes, mtree_courier_t **courier_p);

/* Free; NULL is allowed. */
void mtree_courier_destroy(mtree_courier_t *courier);

/* The transport of rank @a rank; the courier's. */
mtree_transport_t *mtree_courier_transport(mtree_courier_t *courier, int rank);

#endif
