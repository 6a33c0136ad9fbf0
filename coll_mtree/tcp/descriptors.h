/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How many connections a process may open to each other one: its limit of open files is
 * for Open MPI's connections and for the program's files, too.
 */
#ifndef COLL_MTREE_TCP_DESCRIPTORS_H
#define COLL_MTREE_TCP_DESCRIPTORS_H

typedef struct {
    long soft, hard; /* the limit in force, and the highest that the process may set */
    int open;        /* descriptors, before any connection to another host */
    int peers;       /* processes on other hosts */
    int openmpi;     /* connections that Open MPI may make to each of these */
    int wanted;      /* that mtree is to */
} coll_mtree_descriptors_facts_t;

typedef struct {
    long limit;      /* that the process is to set, at least the soft one */
    int connections; /* of mtree's to each peer, at most those wanted */
} coll_mtree_descriptors_t;

coll_mtree_descriptors_t
coll_mtree_descriptors_share(const coll_mtree_descriptors_facts_t *facts);

#endif
