/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/export/formats.h"

#include "base/log.h"

#include <stdio.h>
#include <string.h>

#define EXPORT_ROW(_name, _write, _source, _help)                                        \
    {.name = _name, .source = _source, .help = _help, .write = _write},

const export_format_t export_formats[] = {EXPORT_FORMATS(EXPORT_ROW){0}};

const export_format_t *export_format_find(const char *name)
{
    const export_format_t *format;
    char names[128] = "";

    for (format = export_formats; format->name != NULL; format++) {
        size_t used = strlen(names);

        if (strcmp(name, format->name) == 0) {
            return format;
        }
        snprintf(names + used, sizeof(names) - used, "%s%s", used > 0 ? ", " : "",
                 format->name);
    }
    mtree_error("export: no format '%s'; use one of %s", name, names);
    return NULL;
}
