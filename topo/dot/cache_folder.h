/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The folder of the cache (topo/dot/cache.h) and the files in it.
 */
#ifndef MTREE_TOPO_DOT_CACHE_FOLDER_H
#define MTREE_TOPO_DOT_CACHE_FOLDER_H

#include "topo/dot/cache.h"

#include "base/arena.h"

/* The folder, as it is seen by a set of hosts. */
typedef struct {
    const mtree_cache_key_t *key;
    const char **lines; /* [num_hosts] "// host NAME ADDRESS\n", sorted */
    char name[MTREE_CACHE_NAME_LENGTH + 1]; /* of the file for exactly these hosts, a hash
                                               of them */
    char folder[MTREE_CACHE_PATH_LENGTH];
    double days;
    time_t now;
    mtree_arena_t arena; /* of the lines */
} mtree_cache_folder_t;

/* A file that was read, at @a now. */
typedef struct {
    char *text; /* malloc'ed */
    size_t length;
    mtree_cache_stamp_t stamp;
    int num_hosts, num_common; /* those of the key among them */
    bool is_old;
} mtree_cached_t;

/* Called with a file in the open @a folder, which the visitor may keep by taking
 * cached->text; @a fault says why it is not to be used, NULL: it is. */
typedef void (*mtree_cache_visit_t)(void *arg, int folder, const char *name,
                                    mtree_cached_t *cached, const char *fault);

/* The folder for @a key, in which files live for @a days.  MTREE_ERR_NOT_FOUND: there is
 * none; MTREE_ERR_NO_MEMORY.  To be cleaned up in any case. */
mtree_status_t mtree_cache_folder_init(mtree_cache_folder_t *cache,
                                       const mtree_cache_key_t *key, double days,
                                       time_t now);
void mtree_cache_folder_cleanup(mtree_cache_folder_t *cache);

/* Visit all files.  MTREE_ERR_NOT_FOUND: the folder is missing. */
mtree_status_t mtree_cache_folder_visit(const mtree_cache_folder_t *cache,
                                        mtree_cache_visit_t visit, void *arg);

/* Write the file for the key.  MTREE_ERR_IO, with a warning. */
mtree_status_t mtree_cache_folder_write(const mtree_cache_folder_t *cache,
                                        const mtree_cache_stamp_t *stamp,
                                        const char *text);

#endif
