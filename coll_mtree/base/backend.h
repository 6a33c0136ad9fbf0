/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Backends: what can serve a call, and the reasons for which Open MPI does.
 */
#ifndef COLL_MTREE_BASE_BACKEND_H
#define COLL_MTREE_BASE_BACKEND_H

#include <stdbool.h>

/* In the order of preference, all else being equal. */
typedef enum {
    COLL_MTREE_TREES,          /* mtree, over the trees of a plan */
    COLL_MTREE_RING,           /* mtree, around a ring */
    COLL_MTREE_FALLBACK,       /* the function that was installed before mtree */
    COLL_MTREE_BASE_ALGORITHM, /* another algorithm of Open MPI's
                                  (coll_mtree/select/base_algorithms.h) */
    COLL_MTREE_BACKENDS
} coll_mtree_backend_t;

/* What serves the sums of one class and form that must give the same bits. */
typedef struct {
    bool is_set;      /* false: there was no such sum */
    bool has_changed; /* which it may do once */
    coll_mtree_backend_t backend;
    int base_algorithm; /* of COLL_MTREE_BASE_ALGORITHM; else 0 */
} coll_mtree_summation_backend_t;

/* Such a sum is served by @a backend, with @a base_algorithm.  True when this is another
 * one than before. */
bool coll_mtree_summation_backend_set(coll_mtree_summation_backend_t *summation,
                                      coll_mtree_backend_t backend, int base_algorithm);

/* Why the fallback serves a call. */
typedef enum {
    COLL_MTREE_REASON_CALL,
    COLL_MTREE_REASON_INTERNAL,
    COLL_MTREE_REASON_GROUP,
    COLL_MTREE_REASON_TAGS,
    COLL_MTREE_REASON_TOPOLOGY,
    COLL_MTREE_REASON_PLANNING,
    COLL_MTREE_REASON_PLAN,
    COLL_MTREE_REASON_FORECAST,
    COLL_MTREE_REASON_TRIAL,
    COLL_MTREE_REASON_MEASURED,
    COLL_MTREE_REASON_ORDER,
    COLL_MTREE_REASONS
} coll_mtree_fallback_reason_t;

/* A reason's name, for programs. */
const char *coll_mtree_reason_name(coll_mtree_fallback_reason_t reason);

/* The same for people: a clause that follows "since". */
const char *coll_mtree_reason_text(coll_mtree_fallback_reason_t reason);

#endif
