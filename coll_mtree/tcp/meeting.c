/* SPDX-License-Identifier: BSD-3-Clause */
/* Connections that are begun before the plan is there (coll_mtree/tcp/endpoints.h). */
#include "coll_mtree/tcp/contact.h"
#include "coll_mtree/tcp/endpoints.h"

#include <string.h>

/* Ranks of a communicator at most: each connects to all others, and the plan may use few
 * of these connections. */
#define MOST_RANKS 16

/* The contacts of the ranks of @a comm; false: one has none, or two are on one host. */
static bool find_contacts(ompi_communicator_t *comm, coll_mtree_contact_t *contacts)
{
    for (int rank = 0; rank < ompi_comm_size(comm); rank++) {
        if (!coll_mtree_contact_find((int)coll_mtree_process_name(comm, rank).vpid,
                                     &contacts[rank])) {
            return false;
        }
        for (int other = 0; other < rank; other++) {
            if (strcmp(contacts[rank].host, contacts[other].host) == 0) {
                return false;
            }
        }
    }
    return true;
}

void coll_mtree_endpoints_meet(ompi_communicator_t *comm)
{
    coll_mtree_contact_t contacts[MOST_RANKS];
    coll_mtree_way_t way = {.trip = 0};
    const int ranks = ompi_comm_size(comm);

    if (ranks > MOST_RANKS || !coll_mtree_contact_is_published() ||
        !coll_mtree_endpoints_serve(comm) || coll_mtree_endpoints_most() == 0 ||
        (way.trip = coll_mtree_contact_trip()) <= 0 || !find_contacts(comm, contacts)) {
        return;
    }
    for (int i = 1; i < ranks; i++) {
        int rank = (ompi_comm_rank(comm) + i) % ranks;

        if (coll_mtree_endpoint_lock(comm, rank, &way) != NULL) {
            coll_mtree_endpoint_unlock();
        }
    }
}
