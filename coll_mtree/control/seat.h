/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The seat of a process: its number among the processes of its host.
 */
#ifndef COLL_MTREE_CONTROL_SEAT_H
#define COLL_MTREE_CONTROL_SEAT_H

typedef struct {
    int index; /* from 0 */
    int count; /* processes on the host */
} coll_mtree_seat_t;

/*
 * The seat of @a rank of MPI_COMM_WORLD when coll_mtree_hosts is @a hosts, the names of
 * the ranks' hosts with commas between (NULL or "": none); @a real where the list does
 * not name it.  Empty names do not count, as Open MPI splits lists.
 */
coll_mtree_seat_t coll_mtree_seat_find(const char *hosts, int rank,
                                       coll_mtree_seat_t real);

#endif
