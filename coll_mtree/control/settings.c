/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/control/settings.h"

#include <string.h>

static size_t line_length(const char *line)
{
    return strcspn(line, "\n");
}

bool coll_mtree_settings_find_difference(const char *lines, const char *theirs,
                                         coll_mtree_settings_difference_t *difference_p)
{
    size_t own_length = line_length(lines), their_length = line_length(theirs);

    while (own_length > 0 && own_length == their_length &&
           strncmp(lines, theirs, own_length) == 0) {
        lines += own_length + (lines[own_length] == '\n');
        theirs += their_length + (theirs[their_length] == '\n');
        own_length = line_length(lines);
        their_length = line_length(theirs);
    }
    *difference_p = (coll_mtree_settings_difference_t){lines, theirs, (int)own_length,
                                                       (int)their_length};
    return own_length > 0 && their_length > 0;
}
