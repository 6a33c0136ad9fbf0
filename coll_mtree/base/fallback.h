/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is known of the component that serves where mtree does not.
 */
#ifndef COLL_MTREE_BASE_FALLBACK_H
#define COLL_MTREE_BASE_FALLBACK_H

#include "coll_mtree/coll_mtree.h"

/* See whether the user has set a parameter of coll/tuned, before a question below from
 * any thread.  Of this rank: ranks may differ. */
void coll_mtree_fallback_look_up(void);

/* Is the fallback of @a comm for @a collective coll/tuned with the rules that it has by
 * itself?  Only then is it known which algorithm it takes. */
bool coll_mtree_fallback_has_fixed_rules(ompi_communicator_t *comm,
                                         mtree_collective_t collective);

#endif
