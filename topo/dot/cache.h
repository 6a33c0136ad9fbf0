/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The cache of probed topologies for later jobs: one topology file per set of hosts, in
 * $XDG_CACHE_HOME/mtree or ~/.cache/mtree.  It begins with a stamp of comment lines.
 */
#ifndef MTREE_TOPO_DOT_CACHE_H
#define MTREE_TOPO_DOT_CACHE_H

#include "base/status.h"

#include <stddef.h>
#include <time.h>

#define MTREE_CACHE_PATH_LENGTH 4096

/* The key of a set of hosts; all strings are the caller's. */
typedef struct {
    int num_hosts;
    const char *const *names;
    const char *const *addresses; /* [num_hosts] "" when a host has none */
    const char *version;          /* of mtree; files of other versions are refused */
} mtree_cache_key_t;

/*
 * Write the path of the file for the hosts of @a key, in any order, to @a path of
 * MTREE_CACHE_PATH_LENGTH bytes.  MTREE_ERR_NOT_FOUND when neither XDG_CACHE_HOME nor
 * HOME is set; MTREE_ERR_NO_MEMORY.
 */
mtree_status_t mtree_cache_path(const mtree_cache_key_t *key, char *path);

/*
 * Read the file for @a key; *text_p is malloc'ed.  MTREE_ERR_NOT_FOUND when there is
 * none.  MTREE_ERR_INVALID, with one warning, for a file that is older than @a days at
 * @a now, has other hosts, addresses or another version, or that other users may have
 * written.
 */
mtree_status_t mtree_cache_read(const mtree_cache_key_t *key, double days, time_t now,
                                char **text_p, size_t *length_p);

/*
 * Write @a text, a topology file, as the file for @a key with the stamp @a now.  The file
 * appears at once and only its owner can read it; missing folders are made, and symbolic
 * links are not followed.  MTREE_ERR_IO, with a warning.
 */
mtree_status_t mtree_cache_write(const mtree_cache_key_t *key, time_t now,
                                 const char *text);

#endif
