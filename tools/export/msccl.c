/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A plan as an algorithm of MSCCL, in the XML that its runtimes read: the plan is checked
 * here, and msccl.py, beside this file, writes what is made of it.
 */
#include "tools/command.h"
#include "tools/export/formats.h"
#include "tools/planned_network.h"

#include "base/log.h"

#include <stdio.h>

#define SCRIPT "msccl.py"

mtree_status_t export_msccl(const char *file, const export_options_t *options)
{
    char path[COMMAND_PATH_ROOM], chunks[16];
    const char *words[] = {"python3", path, file, chunks, options->output, NULL};
    planned_network_t planned;
    mtree_status_t status = planned_network_read(file, NULL, &planned);

    if (status != MTREE_OK) {
        return status;
    }
    planned_network_cleanup(&planned);
    if (!command_find(SCRIPT, PKGDATADIR, path)) {
        mtree_error("export: %s is neither beside mtree nor in %s", SCRIPT, PKGDATADIR);
        return MTREE_ERR_NOT_FOUND;
    }
    (void)snprintf(chunks, sizeof(chunks), "%d", options->chunks);
    command_become_python("export", words);
    return MTREE_ERR_IO;
}
