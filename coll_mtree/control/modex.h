/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Settings: what must be the same on all ranks of a communicator, parameters and the
 * version of mtree's messages.
 *
 * Each process tells its own along with what the transports tell of themselves (the
 * modex), before there is any communicator.  A communicator whose processes differ, or of
 * which one has no mtree, is left to the fallback by all of its ranks, since each one
 * finds some other that differs from it.
 */
#ifndef COLL_MTREE_CONTROL_MODEX_H
#define COLL_MTREE_CONTROL_MODEX_H

#include "coll_mtree/coll_mtree.h"

/* Tell the others this process's settings; when the component is opened. */
void coll_mtree_modex_publish(void);

typedef enum {
    COLL_MTREE_MODEX_UNKNOWN, /* this rank has no memory to ask; the others may know */
    COLL_MTREE_MODEX_SAME,
    COLL_MTREE_MODEX_DIFFERENT
} coll_mtree_modex_t;

/*
 * Are they the same on all ranks of @a comm?  When not, rank 0 of the first such
 * communicator (rank 1, when 0 has no mtree) says what differs.  No message is sent.
 * Where they are, @a longest_p is what a message between them may hold
 * (coll_mtree_transport_longest()), the same on all.
 */
coll_mtree_modex_t coll_mtree_modex_compare(ompi_communicator_t *comm,
                                            uint32_t *longest_p);

void coll_mtree_modex_close(void);

#endif
