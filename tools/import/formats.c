/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/import/formats.h"

#include "base/log.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

/* GraphML and hwloc's files are XML, and either may be called so. */
mtree_status_t import_xml(import_t *import, const char *text, size_t length)
{
    return strstr(text, "<graphml") != NULL ? import_graphml(import, text, length)
                                            : import_hwloc(import, text, length);
}

#define IMPORT_ROW(_ending, _read, _help)                                                \
    {.ending = _ending, .help = _help, .read = _read},

const import_format_t import_formats[] = {IMPORT_FORMATS(IMPORT_ROW){0}};

const import_format_t *import_format_find(const char *file, const char *wanted)
{
    const import_format_t *format;
    size_t length = strlen(file);
    char all[256] = "";

    for (format = import_formats; format->ending != NULL; format++) {
        const char *name = format->ending + (wanted != NULL);
        size_t end = strlen(name), used = strlen(all);

        if (wanted != NULL ? strcasecmp(wanted, name) == 0
                           : length > end && strcmp(file + length - end, name) == 0) {
            return format;
        }
        snprintf(all + used, sizeof(all) - used, "%s%s", used > 0 ? ", " : "", name);
    }
    if (wanted != NULL) {
        mtree_error("import: --format '%s': the formats are %s", wanted, all);
    } else {
        mtree_error("import: %s: the file's name must end in one of %s; else say what it "
                    "is by --format",
                    file, all);
    }
    return NULL;
}
