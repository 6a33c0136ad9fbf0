/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Whole files in memory.
 */
#ifndef MTREE_BASE_FILE_H
#define MTREE_BASE_FILE_H

#include "base/status.h"

#include <stddef.h>

/* No file that mtree reads needs to be larger. */
#define MTREE_FILE_MAX_BYTES (64u << 20)

/*
 * Read all of the file at @a path ("-": standard input), at most MTREE_FILE_MAX_BYTES.
 * *text_p is malloc'ed, the caller's, and followed by a NUL that *length_p does not
 * count.  MTREE_ERR_IO and MTREE_ERR_LIMIT are logged.
 */
mtree_status_t mtree_file_read(const char *path, char **text_p, size_t *length_p);

#endif
