/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The folder of what jobs learned for later ones, $XDG_CACHE_HOME/mtree or
 * ~/.cache/mtree, and files in it.
 *
 * A file is named by 16 hexadecimal digits and an ending, appears at once, and can be
 * read by its owner alone.  Files that others may have written are not read.
 */
#ifndef MTREE_TOPO_DOT_CACHE_FILE_H
#define MTREE_TOPO_DOT_CACHE_FILE_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#define MTREE_CACHE_PATH_LENGTH 4096

/* Endings: of topologies, and of plans (coll_mtree/plan/plan_cache.h). */
#define MTREE_CACHE_TOPOLOGIES ".dot"
#define MTREE_CACHE_PLANS      ".plan"

/* Bytes of a file's name without its NUL, at most. */
#define MTREE_CACHE_NAME_LENGTH 21

/* Bytes of its whole path with the NUL. */
#define MTREE_CACHE_FILE_LENGTH (MTREE_CACHE_PATH_LENGTH + MTREE_CACHE_NAME_LENGTH + 1)

typedef struct {
    char name[MTREE_CACHE_NAME_LENGTH + 1];
    struct timespec written;
} mtree_cache_entry_t;

/* Write the name of the file of @a hash with @a ending. */
void mtree_cache_file_name(uint64_t hash, const char *ending,
                           char name[MTREE_CACHE_NAME_LENGTH + 1]);

/* Write the path of the folder.  MTREE_ERR_NOT_FOUND: neither XDG_CACHE_HOME nor HOME is
 * set. */
mtree_status_t mtree_cache_file_folder(char folder[MTREE_CACHE_PATH_LENGTH]);

/* Open @a folder if it is this user's; returns its descriptor, or -1. */
int mtree_cache_file_open(const char *folder);

/* Read file @a name in the open @a folder.  *text_p is malloc'ed and followed by a NUL
 * that *length_p does not count.  Returns why that cannot be; NULL: it was read. */
const char *mtree_cache_file_read(int folder, const char *name, char **text_p,
                                  size_t *length_p);

/* Write @a text to file @a name in @a folder, which is made if it is missing; of more
 * than @a most files with that ending those written first are removed.  MTREE_ERR_IO,
 * with a warning. */
mtree_status_t mtree_cache_file_write(const char *folder, const char *name,
                                      const char *text, int most);

/* The files with @a ending in the open @a folder, the last written first; malloc'ed,
 * *num_p of them.  Those that a writer has left unfinished are removed. */
mtree_cache_entry_t *mtree_cache_file_list(int folder, const char *ending, int *num_p);

#endif
