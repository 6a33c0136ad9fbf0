/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The formats that networks are imported from, as one table (docs/adding.md).
 */
#ifndef MTREE_TOOLS_IMPORT_FORMATS_H
#define MTREE_TOOLS_IMPORT_FORMATS_H

#include "tools/import/network.h"

/* Reads the whole of @a text into @a import.  Errors are logged with file and line. */
typedef mtree_status_t (*import_reader_t)(import_t *import, const char *text,
                                          size_t length);

typedef struct {
    const char *ending; /* of the file's name: ".gml" */
    const char *help;   /* what such a file is, for --help */
    import_reader_t read;
} import_format_t;

/* All of them, up to one without an ending. */
extern const import_format_t import_formats[];

/* The row for @a file, by the end of its name.  NULL, logged with all endings: none. */
const import_format_t *import_format_find(const char *file);

#endif
