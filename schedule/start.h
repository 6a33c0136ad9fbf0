/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls over any layout, of trees (schedule/operation.h) or of a rank program
 * (schedule/program/run.h).
 */
#ifndef MTREE_SCHEDULE_START_H
#define MTREE_SCHEDULE_START_H

#include "schedule/operation.h"

/* As mtree_operation_start() and mtree_operation_scratch().  A program has room of its
 * own where the user's buffers do not serve it. */
mtree_status_t mtree_schedule_start(const mtree_layout_t *layout,
                                    mtree_transport_t *transport,
                                    const mtree_operation_data_t *data,
                                    mtree_operation_func_t func, void *arg,
                                    mtree_operation_t **operation_p);
size_t mtree_schedule_scratch(const mtree_layout_t *layout,
                              const mtree_operation_data_t *data);

/* Units by which a vector of @a data reaches beyond its last unit: data of units whose
 * extent is less than what they cover. */
size_t mtree_schedule_overlap(const mtree_operation_data_t *data);

#endif
