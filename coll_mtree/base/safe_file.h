/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Files that jobs write where their user says: traces, reports, what a probe found.
 */
#ifndef COLL_MTREE_BASE_SAFE_FILE_H
#define COLL_MTREE_BASE_SAFE_FILE_H

#include <stdbool.h>
#include <stdio.h>

/*
 * Open the file at @a path, or a new one there, to be written from its beginning; NULL
 * with errno, and then coll_mtree_safe_file_error(), when that cannot be.
 *
 * No symbolic link is followed, since folders for such files may be everybody's, and
 * nobody is waited for who would read a pipe.  With @a anew what is there is removed
 * first.
 */
FILE *coll_mtree_safe_file_open(const char *path, bool anew);

/* What errno says of a file that could not be opened or written, in words. */
const char *coll_mtree_safe_file_error(void);

#endif
