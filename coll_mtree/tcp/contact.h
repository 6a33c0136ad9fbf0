/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How processes of a job reach each other by connections of mtree's own.
 *
 * Each publishes its addresses, port and secret (coll_mtree/control/modex.h), so that no
 * message is needed before the first connection.  A process does not listen yet, and
 * publishes that, where messages are encrypted, since keys are of two processes, and
 * where the ports are those of Open MPI's connections, which come first.  Under the lock
 * of coll_mtree/tcp/endpoints.c.
 */
#ifndef COLL_MTREE_TCP_CONTACT_H
#define COLL_MTREE_TCP_CONTACT_H

#include "coll_mtree/coll_mtree.h"
#include "coll_mtree/control/modex.h"

#include "tcp/dial.h"

/* Sent as it is. */
typedef struct {
    uint32_t port; /* 0: this end cannot listen */
    int num_addresses;
    mtree_address_t addresses[MTREE_TCP_ADDRESSES];
    mtree_tcp_secret_t secret;
    char host[COLL_MTREE_NAME_LENGTH];
} coll_mtree_contact_t;

/* Listen, if there may be connections, and have that published, and @a trip: of rank 0,
 * seconds than which no round trip is longer, where some are long, or 0.  When the
 * component is opened. */
void coll_mtree_contact_publish(double trip);

/* This process's contact, from whose first use on it listens. */
const coll_mtree_contact_t *coll_mtree_contact_own(void);

/* What @a rank in MPI_COMM_WORLD has published; false: nothing that it can be reached by,
 * or it cannot reach this process by what that has published. */
bool coll_mtree_contact_find(int rank, coll_mtree_contact_t *contact);

/* No round trip between two hosts of the job takes longer by its topology file, seconds;
 * 0: none is long, or it is not known. */
double coll_mtree_contact_trip(void);

/* NULL: this process does not listen; and the secret by which others prove themselves to
 * it then. */
mtree_tcp_listener_t *coll_mtree_contact_listener(void);
const mtree_tcp_secret_t *coll_mtree_contact_secret(void);

/* Listen no more. */
void coll_mtree_contact_close(void);

#endif
