/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/tcp/descriptors.h"

/* What mtree has open beside its connections: it listens, and waits for events. */
#define OWN 2

/* Descriptors that are left to the program, and to connections that come and go: where
 * the limit may be raised, and where it may not. */
#define ROOM       256
#define LEAST_ROOM 16

static long least(long a, long b)
{
    return a < b ? a : b;
}

coll_mtree_descriptors_t
coll_mtree_descriptors_share(const coll_mtree_descriptors_facts_t *facts)
{
    const long peers = facts->peers;
    const long others = facts->open + OWN + peers * facts->openmpi;
    const long enough = others + peers * facts->wanted + ROOM;
    coll_mtree_descriptors_t share = {facts->soft, facts->wanted};
    long left;

    if (facts->soft < enough && facts->soft < facts->hard) {
        share.limit = least(enough, facts->hard);
    }
    left = share.limit - others - LEAST_ROOM;
    if (peers > 0 && left < peers * facts->wanted) {
        share.connections = left < 0 ? 0 : (int)(left / peers);
    }
    return share;
}
