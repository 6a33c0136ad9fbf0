/* SPDX-License-Identifier: BSD-3-Clause */
/* Backends: what can serve a call, and the reasons for which Open MPI does. */
#ifndef COLL_MTREE_BASE_BACKEND_H
#define COLL_MTREE_BASE_BACKEND_H

typedef enum {
    COLL_MTREE_TREES,    /* mtree, over the trees of a plan */
    COLL_MTREE_FALLBACK, /* the function that was installed before mtree */
    COLL_MTREE_BACKENDS
} coll_mtree_backend_t;

/* Why the fallback serves a call. */
typedef enum {
    COLL_MTREE_REASON_CALL,
    COLL_MTREE_REASON_INTERNAL,
    COLL_MTREE_REASON_GROUP,
    COLL_MTREE_REASON_TAGS,
    COLL_MTREE_REASON_TOPOLOGY,
    COLL_MTREE_REASON_PLAN,
    COLL_MTREE_REASON_FORECAST,
    COLL_MTREE_REASON_ORDER,
    COLL_MTREE_REASONS
} coll_mtree_fallback_reason_t;

/* A reason's name, for programs. */
const char *coll_mtree_reason_name(coll_mtree_fallback_reason_t reason);

/* The same for people: a clause that follows "since". */
const char *coll_mtree_reason_text(coll_mtree_fallback_reason_t reason);

#endif
