/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The formats that networks are imported from, as one table (docs/adding.md).
 */
#ifndef MTREE_TOOLS_IMPORT_FORMATS_H
#define MTREE_TOOLS_IMPORT_FORMATS_H

#include "tools/import/network.h"

/* The end of a file's name, the function that reads such a file, and its line of --help.
 */
/* clang-format off */
#define IMPORT_FORMATS(_row)                                                              \
    _row(".tsv",     import_tsv,     "a table of links")                                  \
    _row(".gml",     import_gml,     "GML")                                               \
    _row(".graphml", import_graphml, "GraphML")                                           \
    _row(".conf",    import_slurm,   "Slurm's topology.conf (tree, block, ring)")         \
    _row(".yaml",    import_yaml,    "Slurm's topology.yaml (these, torus3d)")            \
    _row(".xml",     import_xml,     "GraphML, or a machine of hwloc (lstopo FILE.xml)")
/* clang-format on */

/* Reads the whole of @a text into @a import.  Errors are logged with file and line. */
typedef mtree_status_t (*import_reader_t)(import_t *import, const char *text,
                                          size_t length);

#define IMPORT_PROTOTYPE(_ending, _read, _help)                                          \
    mtree_status_t _read(import_t *import, const char *text, size_t length);
IMPORT_FORMATS(IMPORT_PROTOTYPE)

/* One of the formats that end in .xml. */
mtree_status_t import_hwloc(import_t *import, const char *text, size_t length);

typedef struct {
    const char *ending, *help;
    import_reader_t read;
} import_format_t;

/* The rows, up to one without an ending. */
extern const import_format_t import_formats[];

/* The row for @a file, by @a wanted, which is an ending without its dot, or, if that is
 * NULL, by the end of its name.  NULL, logged with all that there are: none. */
const import_format_t *import_format_find(const char *file, const char *wanted);

#endif
