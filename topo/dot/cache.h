/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Topologies that were learned, kept for later jobs: a topology file for each set of
 * hosts, in $XDG_CACHE_HOME/mtree or ~/.cache/mtree, with a stamp of comment lines.
 */
#ifndef MTREE_TOPO_DOT_CACHE_H
#define MTREE_TOPO_DOT_CACHE_H

#include "base/status.h"

#include <stddef.h>
#include <time.h>

#define MTREE_CACHE_PATH_LENGTH 4096

/* What the file of a set of hosts is found by; all strings are the caller's. */
typedef struct {
    int num_hosts;
    const char *const *names;
    const char *const *addresses; /* [num_hosts] "" when a host has none */
    const char *version;          /* of mtree; a file of another one is refused */
} mtree_cache_key_t;

/*
 * The path of the file for the hosts of @a key, in whatever order they are given, into
 * @a path of MTREE_CACHE_PATH_LENGTH bytes.  MTREE_ERR_NOT_FOUND when neither
 * XDG_CACHE_HOME nor HOME says where it would be; MTREE_ERR_NO_MEMORY.
 */
mtree_status_t mtree_cache_path(const mtree_cache_key_t *key, char *path);

/*
 * Read the file for @a key; *text_p is malloc'ed.  MTREE_ERR_NOT_FOUND when there is
 * none.  One that is older than @a days at @a now, of other hosts, addresses or another
 * version, or that others may have written, is refused: one warning that says which and
 * what to do, MTREE_ERR_INVALID.
 */
mtree_status_t mtree_cache_read(const mtree_cache_key_t *key, double days, time_t now,
                                char **text_p, size_t *length_p);

/*
 * Write @a text, a topology file, as the file for @a key, stamped with @a now, in one
 * step and readable by its owner only; folders are made as needed, symbolic links are not
 * followed.  MTREE_ERR_IO, warned of.
 */
mtree_status_t mtree_cache_write(const mtree_cache_key_t *key, time_t now,
                                 const char *text);

#endif
