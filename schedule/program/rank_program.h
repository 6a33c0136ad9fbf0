/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What one rank does in a call over a plan that names a rank program: as a layout
 * (schedule/layout.h) is to a plan of trees.  Every rank builds its own without a
 * message.
 */
#ifndef MTREE_SCHEDULE_PROGRAM_RANK_PROGRAM_H
#define MTREE_SCHEDULE_PROGRAM_RANK_PROGRAM_H

#include "schedule/call.h"
#include "schedule/operation.h"
#include "schedule/placement.h"
#include "schedule/plan_part.h"
#include "schedule/program/run.h"

typedef struct {
    mtree_program_t program;
    mtree_layout_t layout; /* its peers, ascending, and one stream, which all of it is to
                              those who measure the call; nothing else is set */
    bool has_result;       /* the call gives this rank one */
} mtree_rank_program_t;

/* Units by which a vector of @a data reaches beyond its last unit: data of units whose
 * extent is less than what they cover. */
size_t mtree_rank_program_overlap(const mtree_operation_data_t *data);

/*
 * The program of @a rank in @a call, from the @a part of its host, which names one.
 * @a is_exclusive: of a scan, results leave out the rank's own part.  @a overlap: units
 * by which a vector in this rank's memory reaches beyond its last unit
 * (mtree_rank_program_overlap()).  Owned by the caller.  MTREE_ERR_UNSUPPORTED: the
 * program does not do the collective of the call.
 */
mtree_status_t mtree_rank_program_create(const mtree_plan_part_t *part,
                                         const mtree_placement_t *placement,
                                         const mtree_call_t *call, bool is_exclusive,
                                         size_t overlap, int rank,
                                         mtree_rank_program_t **program_p);

/* Start the call of @a program with the user's @a data: as mtree_program_start().  It
 * takes mtree_rank_program_scratch() bytes of memory while it runs. */
mtree_status_t mtree_rank_program_start(const mtree_rank_program_t *program,
                                        mtree_transport_t *transport,
                                        const mtree_operation_data_t *data,
                                        mtree_operation_func_t func, void *arg,
                                        mtree_operation_t **operation_p);
size_t mtree_rank_program_scratch(const mtree_rank_program_t *program,
                                  const mtree_operation_data_t *data);

/* Free; NULL is allowed. */
void mtree_rank_program_destroy(mtree_rank_program_t *program);

#endif
