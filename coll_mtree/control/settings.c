/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/control/settings.h"

#include <string.h>

static size_t line_length(const char *line)
{
    return strcspn(line, "\n");
}

bool coll_mtree_settings_find_difference(const char **own_p, const char **theirs_p)
{
    size_t own = line_length(*own_p), theirs = line_length(*theirs_p);

    while (own > 0 && own == theirs && strncmp(*own_p, *theirs_p, own) == 0) {
        *own_p += own + ((*own_p)[own] == '\n');
        *theirs_p += theirs + ((*theirs_p)[theirs] == '\n');
        own = line_length(*own_p);
        theirs = line_length(*theirs_p);
    }
    return own > 0 && theirs > 0;
}
