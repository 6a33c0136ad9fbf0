/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which backend serves a call, and the reason when it is the fallback.
 *
 * All facts are the same on all ranks at the same call.  In particular, a plan counts
 * only once a blocking call has waited for it, since an exchange ends at another moment
 * on each rank.
 */
#ifndef COLL_MTREE_CALL_BACKEND_CHOICE_H
#define COLL_MTREE_CALL_BACKEND_CHOICE_H

#include "coll_mtree/base/backend.h"
#include "simulate/forecast/forecast.h"

#include <stdbool.h>
#include <stddef.h>

/* What is known before any message. */
typedef struct {
    bool is_supported; /* mtree serves such an operation, datatype and size */
    bool is_unserved;  /* all ranks know that mtree cannot serve the communicator */
    bool has_tags;     /* there are some for the call */
} coll_mtree_call_facts_t;

/* What is known of the plan of the call's class. */
typedef struct {
    bool is_unserved;              /* as above */
    bool lacks_tags;               /* there are none for the call */
    bool is_known;                 /* all ranks know it */
    bool has_plan;                 /* one could be made */
    mtree_confidence_t confidence; /* of its forecast */
    bool is_autotuned;             /* what follows is the autotuner's */
    coll_mtree_backend_t selected;
    bool is_timed; /* as part of a trial */
    int trials;    /* that have ended */
} coll_mtree_plan_facts_t;

/* May mtree serve the call, by what is known before any message?  Otherwise *reason_p is
 * why the fallback serves. */
bool coll_mtree_backend_is_possible(const coll_mtree_call_facts_t *facts,
                                    coll_mtree_fallback_reason_t *reason_p);

/*
 * May the fallback serve blocking calls while their plan is made?  Not calls whose bits
 * must be those of earlier calls (@a keeps_order), nor where the user wants all to be
 * served that have @a min_bytes, 0.
 */
bool coll_mtree_backend_may_leave(bool keeps_order, size_t min_bytes);

/* Does call number @a call, from 1, of those look whether there is a plan?  The more of
 * them there were, the fewer do. */
bool coll_mtree_backend_looks(unsigned call);

/* The backend of a call whose topology is known.  Trees stand for "to be planned" while
 * the plan is not known. */
coll_mtree_backend_t coll_mtree_backend_choose(const coll_mtree_plan_facts_t *facts);

/*
 * The backend of a call that must give the same bits as those before, for which @a wanted
 * was chosen by @a facts.  It changes once, to trees that are clearly faster; and to the
 * fallback, whatever else was asked for, where there are no tags.  A @a blocking call
 * whose plan is not known may go over trees to learn it; what serves it then follows from
 * @a facts.
 */
coll_mtree_backend_t
coll_mtree_backend_keep(const coll_mtree_summation_backend_t *summation,
                        coll_mtree_backend_t wanted, const coll_mtree_plan_facts_t *facts,
                        bool blocking, bool deterministic);

/*
 * Does the call that learns of a plan with a forecast of @a confidence go over its trees?
 * @a summation is that of its class.  What the fallback added before goes over trees only
 * where that pays clearly; what has changed to trees stays there.
 */
bool coll_mtree_backend_goes_over_trees(const coll_mtree_summation_backend_t *summation,
                                        mtree_confidence_t confidence);

/* Why the fallback serves a call for which it was chosen by @a facts. */
coll_mtree_fallback_reason_t
coll_mtree_backend_reason(const coll_mtree_plan_facts_t *facts);

#endif
