/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/control/seat.h"

#include <stddef.h>
#include <string.h>

/* The next name of a list and its length; NULL: there is none. */
static const char *next_name(const char *list, size_t *length_p)
{
    list += strspn(list, ",");
    *length_p = strcspn(list, ",");
    return *length_p == 0 ? NULL : list;
}

coll_mtree_seat_t coll_mtree_seat_find(const char *hosts, int rank,
                                       coll_mtree_seat_t real)
{
    coll_mtree_seat_t seat = {0, 0};
    const char *own = NULL;
    size_t own_length = 0, length;
    int i = 0;

    hosts = hosts == NULL ? "" : hosts;
    for (const char *name = next_name(hosts, &length); name != NULL;
         name = next_name(name + length, &length)) {
        if (i++ == rank) {
            own = name;
            own_length = length;
        }
    }
    if (own == NULL) {
        return real;
    }
    for (const char *name = next_name(hosts, &length); name != NULL;
         name = next_name(name + length, &length)) {
        if (length == own_length && strncmp(name, own, length) == 0) {
            seat.index += name < own;
            seat.count++;
        }
    }
    return seat;
}
