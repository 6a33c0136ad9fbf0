/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Control transports of simulated ranks.  The messages that schedules send each other to
 * decide who sends data to whom carry their contents even where the simulation carries no
 * data.
 */
#ifndef MTREE_SIMULATE_CONTROL_TRANSPORT_H
#define MTREE_SIMULATE_CONTROL_TRANSPORT_H

#include "simulate/pt2pt.h"

typedef struct mtree_control_transport mtree_control_transport_t;

/*
 * Transports for @a num_ranks ranks of @a pt2pt, which must outlive them.  Their unit is
 * the byte.  A message takes the time of its whole units of @a pt2pt, @a unit_bytes each.
 * Owned by the caller.  MTREE_ERR_NO_MEMORY.
 */
mtree_status_t mtree_control_transport_create(mtree_pt2pt_t *pt2pt, int num_ranks,
                                              size_t unit_bytes,
                                              mtree_control_transport_t **control_p);

/* Free; NULL is allowed. */
void mtree_control_transport_destroy(mtree_control_transport_t *control);

/* The transport of rank @a rank.  It lives as long as @a control. */
mtree_transport_t *mtree_control_transport_of(mtree_control_transport_t *control,
                                              int rank);

#endif
