/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The formats that `mtree export` writes, as one table (docs/adding.md).
 */
#ifndef MTREE_TOOLS_EXPORT_FORMATS_H
#define MTREE_TOOLS_EXPORT_FORMATS_H

#include "base/status.h"

/* The name for --format, the function that writes it, what it is written of, and its line
 * of --help. */
/* clang-format off */
#define EXPORT_FORMATS(_row)                                                              \
    _row("simgrid", export_simgrid, "FILE.dot",  "a topology as a platform of SimGrid")   \
    _row("msccl",   export_msccl,   "PLAN.json", "a plan as an algorithm of MSCCL")
/* clang-format on */

typedef struct {
    const char *output; /* NULL: standard output */
    int chunks;         /* of the vector, or of a rank's block, which trees share */
} export_options_t;

/* Writes what is in @a file in its format.  Nothing is opened for writing before all is
 * known to be right.  Errors are logged. */
typedef mtree_status_t (*export_writer_t)(const char *file,
                                          const export_options_t *options);

#define EXPORT_PROTOTYPE(_name, _write, _source, _help)                                  \
    mtree_status_t _write(const char *file, const export_options_t *options);
EXPORT_FORMATS(EXPORT_PROTOTYPE)

typedef struct {
    const char *name, *source, *help;
    export_writer_t write;
} export_format_t;

/* The rows, up to one without a name. */
extern const export_format_t export_formats[];

/* The row called @a name.  NULL, logged with all names: none. */
const export_format_t *export_format_find(const char *name);

#endif
