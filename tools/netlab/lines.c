/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/netlab/lines.h"

#include <stdio.h>
#include <string.h>

#define MAX_LINE 512

mtree_status_t netlab_read_lines(netlab_line_func_t func, void *data)
{
    char line[MAX_LINE];
    mtree_status_t status = MTREE_OK;

    while (status == MTREE_OK && fgets(line, sizeof(line), stdin) != NULL &&
           line[0] != '\n') {
        line[strcspn(line, "\n")] = '\0';
        status = func(data, line);
    }
    return status;
}
