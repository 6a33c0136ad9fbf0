/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A rank's host by the parameter coll_mtree_hosts, which lists the hosts of the ranks of
 * MPI_COMM_WORLD, separated by commas: the host's name, and the rank's local rank, its
 * number among the processes of that host.  Empty names do not count.
 */
#ifndef COLL_MTREE_CONTROL_LOCAL_RANK_H
#define COLL_MTREE_CONTROL_LOCAL_RANK_H

#include <stddef.h>

typedef struct {
    int index; /* from 0 */
    int count; /* processes on the host */
} coll_mtree_local_rank_t;

/* The name of the host of @a rank in the list @a hosts (may be NULL), *length_p
 * characters; NULL: the list has none. */
const char *coll_mtree_listed_host(const char *hosts, int rank, size_t *length_p);

/* The local rank of @a rank by the list @a hosts (may be NULL); @a real where the list
 * has no host of it. */
coll_mtree_local_rank_t coll_mtree_local_rank_find(const char *hosts, int rank,
                                                   coll_mtree_local_rank_t real);

#endif
