/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The one status type of mtree.  Every function that can fail returns it, and sets its
 * outputs only when it returns MTREE_OK.
 */
#ifndef MTREE_BASE_STATUS_H
#define MTREE_BASE_STATUS_H

typedef enum {
    MTREE_OK = 0,
    MTREE_ERR_INVALID = -1, /* an argument or an input is malformed */
    MTREE_ERR_NO_MEMORY = -2,
    MTREE_ERR_IO = -3,          /* the system refused to open, read or write */
    MTREE_ERR_NOT_FOUND = -4,   /* a name is not in the topology */
    MTREE_ERR_UNREACHABLE = -5, /* two hosts are not connected */
    MTREE_ERR_LIMIT = -6,       /* beyond a limit of mtree */
    MTREE_ERR_UNSUPPORTED = -7, /* not built; the caller falls back */
    MTREE_ERR_SOLVER = -8,      /* the linear program could not be solved */
    MTREE_ERR_TRANSPORT = -9,   /* a send or a receive failed */
    MTREE_ERR_CANCELLED = -10   /* nobody needs the result any more; not logged */
} mtree_status_t;

/* The status in words, never NULL; the string is static. */
const char *mtree_status_string(mtree_status_t status);

#endif
