/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rehearsals: blocking calls of mtree's own on scratch data
 * (coll_mtree/adapt/scratch_call.h), made where a call of the user's cannot show what is
 * to be known.  They pass through no relays.
 */
#ifndef COLL_MTREE_CALL_REHEARSAL_H
#define COLL_MTREE_CALL_REHEARSAL_H

#include "coll_mtree/call/mpi_call.h"

/* Compare the first calls of the class with what is expected, by blocking ones on scratch
 * data: what the program starts itself runs beside other things, and its ranks do not
 * wait for each other's times. */
void coll_mtree_rehearsal_run(const coll_mtree_mpi_call_t *call,
                              const coll_mtree_comm_class_t *comm_class);

/*
 * The blocking @a call, which @a req ran, was one of the first of @a comm_class.  Where
 * these are all there and passed through relays, although the plan without may be faster,
 * calls without are timed; and all ranks leave relays in this class where they lose.
 */
void coll_mtree_rehearsal_without_relays(const coll_mtree_mpi_call_t *call,
                                         coll_mtree_comm_class_t *comm_class,
                                         const coll_mtree_request_t *req);

#endif
