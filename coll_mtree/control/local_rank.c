/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/control/local_rank.h"

#include <string.h>

/* The next name of a list and its length; NULL: there is none. */
static const char *next_name(const char *list, size_t *length_p)
{
    list += strspn(list, ",");
    *length_p = strcspn(list, ",");
    return *length_p == 0 ? NULL : list;
}

const char *coll_mtree_listed_host(const char *hosts, int rank, size_t *length_p)
{
    const char *name = next_name(hosts == NULL ? "" : hosts, length_p);

    while (name != NULL && rank-- > 0) {
        name = next_name(name + *length_p, length_p);
    }
    return name;
}

coll_mtree_local_rank_t coll_mtree_local_rank_find(const char *hosts, int rank,
                                                   coll_mtree_local_rank_t real)
{
    coll_mtree_local_rank_t local = {0, 0};
    size_t own_length, length;
    const char *own = coll_mtree_listed_host(hosts, rank, &own_length);

    if (own == NULL) {
        return real;
    }
    for (const char *name = next_name(hosts, &length); name != NULL;
         name = next_name(name + length, &length)) {
        if (length == own_length && strncmp(name, own, length) == 0) {
            local.index += name < own;
            local.count++;
        }
    }
    return local;
}
