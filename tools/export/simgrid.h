/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MTREE_TOOLS_EXPORT_SIMGRID_H
#define MTREE_TOOLS_EXPORT_SIMGRID_H

#include "base/status.h"

typedef struct {
    const char *output; /* NULL: standard output */
    int chunks;         /* of the vector, or of a rank's block, which trees share */
} export_options_t;

/* Write the topology in @a file as a platform of SimGrid.  Errors are logged, before the
 * output is opened where they can be. */
mtree_status_t export_simgrid(const char *file, const export_options_t *options);

#endif
