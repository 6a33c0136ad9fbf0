/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The numbers of the hosts that the ranks of a communicator run on: hosts are numbered
 * from 0 in the order in which the ranks name them, so all ranks agree on them.
 */
#ifndef COLL_MTREE_CONTROL_HOST_NUMBERS_H
#define COLL_MTREE_CONTROL_HOST_NUMBERS_H

#include <stdbool.h>

/* All zero: none. */
typedef struct {
    int num_ranks, num_hosts;
    int *host;  /* [num_ranks] number of each rank's host */
    int *first; /* [num_hosts] first rank on each host; it rises */
} coll_mtree_host_numbers_t;

/* Number the hosts by name, @a name [num_ranks] that of each rank's; equal names are one
 * host.  *numbers_p is to be cleaned up. */
void coll_mtree_host_numbers_create(const char *const *name, int num_ranks,
                                    coll_mtree_host_numbers_t *numbers_p);

/* Is @a rank the first on its host?  @a host is by rank. */
bool coll_mtree_host_is_first(const int *host, int rank);

/* Free what it holds; all zero afterwards. */
void coll_mtree_host_numbers_cleanup(coll_mtree_host_numbers_t *numbers);

#endif
