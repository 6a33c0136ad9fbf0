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

/* What a file's stamp says besides. */
typedef struct {
    time_t measured; /* when, the oldest part of it */
    bool is_loaded;  /* it was measured under load */
} mtree_cache_stamp_t;

/* The cache, as it is seen by a set of hosts.  Begin with all zero but the version and
 * the days.  Without hosts or days nothing is read or written. */
typedef struct {
    const char *version; /* of mtree; files of other versions are refused */
    double days;         /* that files live */
    int num_hosts, capacity;
    const char **lines; /* [num_hosts] "// host NAME ADDRESS\n"; sorted once it is open */
    const char *path;   /* of the file that was read; NULL: none was */
    /* Once it is open. */
    char name[MTREE_CACHE_NAME_LENGTH + 1]; /* of the file for exactly these hosts, a hash
                                               of them */
    const char *folder;
    time_t now;
    mtree_arena_t arena; /* of the lines and paths */
} mtree_cache_t;

/* A file that was read, at `now`. */
typedef struct {
    char name[MTREE_CACHE_NAME_LENGTH + 1];
    char *text;        /* malloc'ed */
    const char *fault; /* why it is not to be used; NULL: it is */
    mtree_cache_stamp_t stamp;
    int num_hosts, num_common; /* those of the cache's among them */
    bool is_old;
} mtree_cached_t;

/* A walk over the files of an open cache, the last written first. */
typedef struct {
    const mtree_cache_t *cache;
    int folder;          /* open; -1: it is missing */
    mtree_cached_t file; /* whose text the caller may take, leaving NULL */
    /* Private. */
    mtree_cache_entry_t *entries;
    int num, at;
    char why[160];
} mtree_cache_walk_t;

/* Add a host; @a address is "" when it has none. */
void mtree_cache_add_host(mtree_cache_t *cache, const char *name, const char *address);

/* Open the cache at @a now.  MTREE_ERR_NOT_FOUND when neither XDG_CACHE_HOME nor HOME is
 * set.  The functions that are given a time open it anew. */
mtree_status_t mtree_cache_open(mtree_cache_t *cache, time_t now);

/* Free what it holds; it is all zero then. */
void mtree_cache_cleanup(mtree_cache_t *cache);

/* Begin a walk, which stands before the first file; and go on to the next file.  False:
 * there is none, and the walk has ended. */
mtree_cache_walk_t mtree_cache_walk(const mtree_cache_t *cache);
bool mtree_cache_walk_next(mtree_cache_walk_t *walk);

/*
 * Read the newest file that has all hosts of @a cache, one that was not measured under
 * load if there is one; *text_p is malloc'ed.  MTREE_ERR_NOT_FOUND when there is none.
 * Files that are too old at @a now, that another version wrote or that other users may
 * have written are not used; of the file for exactly these hosts one warning says so,
 * MTREE_ERR_INVALID.
 */
mtree_status_t mtree_cache_read(mtree_cache_t *cache, time_t now, char **text_p);

/*
 * Write @a text for the hosts.  The file appears at once and only its owner can read it;
 * missing folders are made, and symbolic links are not followed.  Then files that are too
 * old at @a now, or topologies of no other hosts, are removed.  MTREE_ERR_IO, with a
 * warning.
 */
mtree_status_t mtree_cache_write(mtree_cache_t *cache, const mtree_cache_stamp_t *stamp,
                                 time_t now, const char *text);

/* The same for @a text, which a job made of what it had read, having learned that some
 * capacities are others: the new file has the stamp of the one that mtree_cache_read()
 * finds, since all else is as old as that.  MTREE_ERR_NOT_FOUND when it finds none. */
mtree_status_t mtree_cache_correct(mtree_cache_t *cache, time_t now, const char *text);

#endif
