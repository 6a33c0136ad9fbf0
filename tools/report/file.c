/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/report/file.h"

#include "base/file.h"
#include "report/report.h"

#include <stdlib.h>

mtree_status_t report_file_read(const char *path, json_t **report_p)
{
    size_t length;
    char *text;
    mtree_status_t status = mtree_file_read(path, &text, &length);

    if (status == MTREE_OK) {
        status = mtree_report_parse(text, path, report_p);
        free(text);
    }
    return status;
}
