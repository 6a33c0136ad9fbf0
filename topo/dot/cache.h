/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The cache of topologies: one file per set of hosts (topo/dot/cache_file.h).  It begins
 * with a stamp of comment lines, which name its hosts.  It serves each job whose hosts
 * are among them, and is a part of what is known of a job some of whose hosts are.
 */
#ifndef MTREE_TOPO_DOT_CACHE_H
#define MTREE_TOPO_DOT_CACHE_H

#include "base/arena.h"
#include "topo/dot/cache_file.h"

#include <stdbool.h>
#include <stddef.h>
#include <time.h>

/* Files that are kept; of more the oldest are removed. */
#define MTREE_CACHE_MOST_FILES 64

/* A file that was measured under load is used for this part of the usual time. */
#define MTREE_CACHE_LOADED_LIFE (1.0 / 7)

/* The key of a set of hosts; all strings are the caller's. */
typedef struct {
    int num_hosts;
    const char *const *names;
    const char *const *addresses; /* [num_hosts] "" when a host has none */
    const char *version;          /* of mtree; files of other versions are refused */
} mtree_cache_key_t;

/* What a file's stamp says besides. */
typedef struct {
    time_t measured; /* when, the oldest part of it */
    bool is_loaded;  /* it was measured under load */
} mtree_cache_stamp_t;

/* The cache, as it is seen by a set of hosts. */
typedef struct {
    const mtree_cache_key_t *key;
    const char **lines; /* [num_hosts] "// host NAME ADDRESS\n", sorted */
    char name[MTREE_CACHE_NAME_LENGTH + 1]; /* of the file for exactly these hosts, a hash
                                               of them */
    char folder[MTREE_CACHE_PATH_LENGTH];
    double days;
    time_t now;
    mtree_arena_t arena; /* of the lines */
} mtree_cache_t;

/* A file that was read, at `now`. */
typedef struct {
    char *text; /* malloc'ed */
    size_t length;
    mtree_cache_stamp_t stamp;
    int num_hosts, num_common; /* those of the key among them */
    bool is_old;
} mtree_cached_t;

/* Called with a file in the open @a folder, which the visitor may keep by taking
 * cached->text; @a fault says why it is not to be used, NULL: it is. */
typedef void (*mtree_cache_visit_t)(void *arg, const mtree_cache_t *cache, int folder,
                                    const char *name, mtree_cached_t *cached,
                                    const char *fault);

/* The cache for @a key, in which files live for @a days.  MTREE_ERR_NOT_FOUND when
 * neither XDG_CACHE_HOME nor HOME is set; MTREE_ERR_NO_MEMORY.  To be cleaned up in any
 * case. */
mtree_status_t mtree_cache_init(mtree_cache_t *cache, const mtree_cache_key_t *key,
                                double days, time_t now);
void mtree_cache_cleanup(mtree_cache_t *cache);

/* Visit all files.  MTREE_ERR_NOT_FOUND: the folder is missing. */
mtree_status_t mtree_cache_visit(const mtree_cache_t *cache, mtree_cache_visit_t visit,
                                 void *arg);

/*
 * Read the newest file that has all hosts of @a key, one that was not measured under load
 * if there is one; *text_p is malloc'ed, @a path where it is.  MTREE_ERR_NOT_FOUND when
 * there is none.  Files that are older than @a days at @a now, that another version wrote
 * or that other users may have written are not used; of the file for exactly these hosts
 * one warning says so, MTREE_ERR_INVALID.
 */
mtree_status_t mtree_cache_read(const mtree_cache_key_t *key, double days, time_t now,
                                char path[MTREE_CACHE_FILE_LENGTH], char **text_p,
                                size_t *length_p);

/* Called with the @a text, [length + 1] with its NUL, of a file. */
typedef void (*mtree_cache_take_t)(void *arg, const char *text, size_t length,
                                   const mtree_cache_stamp_t *stamp);

/* Call @a take for each usable file that has some of the hosts of @a key, two at least.
 * MTREE_ERR_NOT_FOUND: there is no cache; MTREE_ERR_NO_MEMORY. */
mtree_status_t mtree_cache_read_parts(const mtree_cache_key_t *key, double days,
                                      time_t now, mtree_cache_take_t take, void *arg);

/*
 * Write @a text for @a key.  The file appears at once and only its
 * owner can read it; missing folders are made, and symbolic links are not followed.  Then
 * files that are older than @a days at @a now, or topologies of no other
 * hosts, are removed.  MTREE_ERR_IO, with a warning.
 */
mtree_status_t mtree_cache_write(const mtree_cache_key_t *key,
                                 const mtree_cache_stamp_t *stamp, double days,
                                 time_t now, const char *text);

/* The same for @a text, which a job made of what it had read, having learned that some
 * capacities are others: the new file has the stamp of the one that mtree_cache_read()
 * finds, since all else is as old as that.  MTREE_ERR_NOT_FOUND when it finds none. */
mtree_status_t mtree_cache_correct(const mtree_cache_key_t *key, double days, time_t now,
                                   const char *text);

#endif
