/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How processes of a job reach each other by connections of mtree's own.
 *
 * Each publishes its addresses, port and secret with what the transports publish (the
 * modex), so that no message is needed before the first connection.  Only where messages
 * are encrypted nothing is published, since keys are of two processes.  Where the ports
 * are those of Open MPI's connections, which come first, a process publishes that it does
 * not listen yet.  Under the lock of coll_mtree/tcp/endpoints.c.
 */
#ifndef COLL_MTREE_TCP_CONTACT_H
#define COLL_MTREE_TCP_CONTACT_H

#include "coll_mtree/coll_mtree.h"
#include "coll_mtree/control/host.h"

#include "tcp/dial.h"

/* Published, and sent, as it is: all processes of a communicator store numbers in the
 * same way. */
typedef struct {
    uint32_t port; /* 0: this end cannot listen */
    int num_addresses;
    mtree_address_t addresses[MTREE_TCP_ADDRESSES];
    mtree_tcp_secret_t secret;
    char host[COLL_MTREE_NAME_LENGTH];
    double trip; /* of rank 0: no round trip is longer, seconds, where some are long; 0 */
} coll_mtree_contact_t;

/* Listen, and publish that, and @a trip; when the component is opened. */
void coll_mtree_contact_publish(double trip);

/* This process's contact, from whose first use on it listens. */
const coll_mtree_contact_t *coll_mtree_contact_own(void);

/* Does this process hold what it has published?  Open MPI may have left networks out
 * since then. */
bool coll_mtree_contact_is_published(void);

/* What the process @a name has published, which may not listen; false: nothing. */
bool coll_mtree_contact_read(const opal_process_name_t *name,
                             coll_mtree_contact_t *contact);

/* The same of @a rank in MPI_COMM_WORLD; false: nothing that it can be reached by, or it
 * cannot reach this process by what that has published. */
bool coll_mtree_contact_find(int rank, coll_mtree_contact_t *contact);

/* No round trip between two hosts of the job takes longer by its topology file, seconds;
 * 0: none is long, or it is not known. */
double coll_mtree_contact_trip(void);

/* NULL: this process does not listen. */
mtree_tcp_listener_t *coll_mtree_contact_listener(void);

/* Listen no more. */
void coll_mtree_contact_close(void);

#endif
