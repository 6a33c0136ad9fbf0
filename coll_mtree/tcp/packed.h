/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages of units with gaps, which connections of mtree's own carry without these.
 */
#ifndef COLL_MTREE_TCP_PACKED_H
#define COLL_MTREE_TCP_PACKED_H

#include "coll_mtree/transport/packing.h"

#include "schedule/transport.h"

/* Are units of @a type bytes without gaps, of which the first is at their address? */
bool coll_mtree_packed_is_needless(const ompi_datatype_t *type);

/* What ends a message of @a elements, of one byte at least, instead of @a done, which it
 * then calls; *bytes_p are sent or received. */
mtree_completion_t *coll_mtree_packed_begin(const coll_mtree_elements_t *elements,
                                            bool sends, mtree_completion_t *done,
                                            void **bytes_p);

/* The message of @a packed was never begun. */
void coll_mtree_packed_drop(mtree_completion_t *packed);

#endif
