/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Files that jobs write where their user wants them: traces, reports, probe results.
 */
#ifndef COLL_MTREE_BASE_SAFE_FILE_H
#define COLL_MTREE_BASE_SAFE_FILE_H

#include <stdbool.h>
#include <stdio.h>

/*
 * Open the file at @a path, or a new one there, to be written from its beginning; NULL
 * with errno, and then coll_mtree_safe_file_error(), when that cannot be.
 *
 * No symbolic link is followed, since others may write in the folder, and a pipe is not
 * waited for.  With @a anew an existing file is removed first.
 */
FILE *coll_mtree_safe_file_open(const char *path, bool anew);

/* errno in words, of a file that could not be opened or written. */
const char *coll_mtree_safe_file_error(void);

#endif
