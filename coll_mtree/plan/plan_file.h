/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The plan file of coll_mtree_plan, for the calls that it is for.  It is kept until the
 * end of the job.  One thread at a time may call.
 */
#ifndef COLL_MTREE_PLAN_PLAN_FILE_H
#define COLL_MTREE_PLAN_PLAN_FILE_H

#include "coll_mtree/coll_mtree.h"
#include "coll_mtree/plan/plan_choice.h"

/*
 * The user's plan with its hosts numbered as in @a hosts, when it is for calls of @a
 * call_class, whose root is a host, between exactly these hosts; the caller's.  NULL when
 * there is none.  That its hosts are others is logged once per process.
 */
mtree_plan_t *coll_mtree_plan_file_get(ompi_communicator_t *comm,
                                       const coll_mtree_plan_hosts_t *hosts,
                                       const coll_mtree_call_class_t *call_class);

/* Free it. */
void coll_mtree_plan_file_close(void);

#endif
