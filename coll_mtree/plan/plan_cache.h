/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Plans that earlier jobs made, in the cache's folder (topo/dot/cache_file.h).
 *
 * The planner gives the same plan for the same question.  So a file is named by a hash of
 * all that its plan and its forecast follow from, and a plan that is read is the one that
 * would be made.  No Open MPI header is used.
 */
#ifndef COLL_MTREE_PLAN_PLAN_CACHE_H
#define COLL_MTREE_PLAN_PLAN_CACHE_H

#include "coll_mtree/plan/plan_choice.h"

/* Files that are kept; of more the oldest are removed. */
#define COLL_MTREE_PLAN_CACHE_MOST 256

/* What is asked of the planner. */
typedef struct {
    const coll_mtree_plan_hosts_t *hosts;
    const mtree_plan_request_t *request; /* without relays */
    const mtree_plan_t *donor;           /* whose trees may be taken; NULL: none */
    const char *rest;                    /* what else the forecast follows from */
} coll_mtree_plan_question_t;

/* The plan for @a question, the caller's, and in *forecast_p its forecast; NULL: no job
 * has left it. */
mtree_plan_t *coll_mtree_plan_cache_read(const coll_mtree_plan_question_t *question,
                                         mtree_forecast_t *forecast_p);

/* Leave @a plan for @a question, with its @a forecast, to later jobs. */
void coll_mtree_plan_cache_write(const coll_mtree_plan_question_t *question,
                                 const mtree_plan_t *plan, mtree_forecast_t forecast);

#endif
