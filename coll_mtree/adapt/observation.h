/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What one rank observed of a blocking call that has ended: the facts that replanning is
 * made of.  No Open MPI header is used.
 */
#ifndef COLL_MTREE_ADAPT_OBSERVATION_H
#define COLL_MTREE_ADAPT_OBSERVATION_H

#include "coll_mtree/base/call_class.h"

#include "schedule/goodput.h"
#include "schedule/plan_part.h"

/* What is pointed to is valid during the call that it is given to; the part stays with
 * the module. */
typedef struct {
    const coll_mtree_call_class_t *call_class;
    const mtree_plan_part_t *part; /* of the plan of the call */
    int rank;
    bool by_arrival; /* the call was arrival-ordered */
    bool warmed_up;  /* false: the first call over its plan, which opens connections and
                        finds their windows small */
    const mtree_goodput_t *goodput; /* NULL: not measured, or arrival-ordered */
    double goodput_scale;           /* bytes of the message per byte of `goodput` */
} coll_mtree_observation_t;

#endif
