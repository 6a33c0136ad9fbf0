/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Layouts: what one rank does in one collective call, from a plan over hosts.
 *
 * The ranks of one host are below that host's leader (schedule/placement.h).  Every rank
 * computes its own layout from the plan and the call, without a message.  Layouts of
 * different ranks fit together because they depend on nothing that is local to a rank.
 */
#ifndef MTREE_SCHEDULE_LAYOUT_H
#define MTREE_SCHEDULE_LAYOUT_H

#include "schedule/call.h"
#include "schedule/placement.h"
#include "schedule/plan_part.h"
#include "schedule/stream.h"

/* Messages of up to this many bytes are sent without waiting for the receiver. */
#define MTREE_LAYOUT_UNPACED_BYTES 65536

/* Bytes of memory that the windows of all streams of a personalized call share on a rank
 * that forwards all of them, by what they have outstanding, at least two chunks each. */
#define MTREE_LAYOUT_FORWARD_BYTES ((size_t)64 << 20)

/*
 * The layout of @a rank, or relay, in @a call, from the @a part of its host.  The plan is
 * for the collective of the call, or for allreduce: data uses those trees in both
 * directions, so they serve every collective that is not personalized, with another root
 * where it has one.  Or the plan names a program that does the collective.  Owned by the
 * caller.  MTREE_ERR_UNSUPPORTED: the trees cannot serve the call.  MTREE_ERR_INVALID:
 * the plan is for other hosts, or the collective is not known (logged).
 */
mtree_status_t mtree_layout_create(const mtree_plan_part_t *part,
                                   const mtree_placement_t *placement,
                                   const mtree_call_t *call, int rank,
                                   mtree_layout_t **layout_p);

/* Free; NULL is allowed. */
void mtree_layout_destroy(mtree_layout_t *layout);

#endif
