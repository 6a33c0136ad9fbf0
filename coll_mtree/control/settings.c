/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/control/settings.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool coll_mtree_settings_write(const char *lines, coll_mtree_abilities_t abilities,
                               char *text, size_t size)
{
    int length = snprintf(text, size, "%s\n%" PRIu32 " %d", lines, abilities.longest,
                          abilities.is_threaded);

    return length >= 0 && (size_t)length < size;
}

bool coll_mtree_settings_equal(const char *lines, const char *theirs,
                               coll_mtree_abilities_t *abilities_p)
{
    size_t length = strlen(lines);
    char *end;

    if (theirs == NULL || length == 0 || strncmp(theirs, lines, length) != 0 ||
        theirs[length] != '\n') {
        return false;
    }
    abilities_p->longest = (uint32_t)strtoul(theirs + length + 1, &end, 10);
    abilities_p->is_threaded = strtoul(end, NULL, 10) != 0;
    return true;
}

static size_t line_length(const char *line)
{
    return strcspn(line, "\n");
}

bool coll_mtree_settings_find_difference(const char *lines, const char *theirs,
                                         coll_mtree_settings_difference_t *difference_p)
{
    size_t own_length = line_length(lines), their_length;

    if (theirs == NULL) {
        return false;
    }
    their_length = line_length(theirs);
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
