/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What each process publishes with what the transports publish (the modex), before there
 * is any communicator: the parameters that must agree, the version of mtree's messages,
 * its host, and how it is reached.
 *
 * A communicator whose processes differ, or of which one has no mtree, is left to the
 * fallback by all of its ranks, since each rank finds another that differs from it.
 */
#ifndef COLL_MTREE_CONTROL_MODEX_H
#define COLL_MTREE_CONTROL_MODEX_H

#include "coll_mtree/coll_mtree.h"
#include "coll_mtree/control/host.h"

#include "relay/greeting.h"
#include "tcp/greeting.h"
#include "topo/host/interface.h"

/* What a process can do, or those of a communicator together. */
typedef struct {
    uint32_t longest; /* bytes of a message that each can send */
    bool is_threaded; /* several threads of one may call MPI at once */
    bool spans_hosts; /* not all are on one host */
} coll_mtree_abilities_t;

/* Published as it is: all processes of a communicator store numbers in the same way.
 * Older versions published the lines alone, so they come first. */
typedef struct {
    char lines[504]; /* one line "NAME VALUE" per parameter, and a NUL */
    coll_mtree_abilities_t abilities;
    coll_mtree_host_t host;
    struct { /* coll_mtree/tcp/contact.c's */
        uint32_t port;
        mtree_tcp_secret_t secret;
        double trip;
    } tcp;
    struct { /* coll_mtree/relay/world.c's */
        uint32_t port;
        bool has_secret;
        mtree_tcp_secret_t secret;
    } relay;
    struct { /* coll_mtree/control/btl_network.c's */
        int count;
        mtree_address_t addresses[MTREE_HOST_INTERFACES];
    } networks;
} coll_mtree_published_t;

/* What this process publishes.  The three last members are to be set before. */
coll_mtree_published_t *coll_mtree_modex_own(void);

/* Publish this process's settings, its host, and the rest; when the component is opened.
 */
void coll_mtree_modex_publish(void);

/* What the process @a name, which may be this one, has published; false: not with the
 * settings of this one. */
bool coll_mtree_modex_find(const opal_process_name_t *name,
                           coll_mtree_published_t *published);

/*
 * Are the settings the same on all ranks of @a comm?  Otherwise rank 0 of the first such
 * communicator (rank 1, when rank 0 has no mtree) logs what differs.  No message is sent.
 * Where PMIx does not say what a process is set to, the job ends.
 * Where they are the same, *abilities_p is what the ranks can do together.
 */
bool coll_mtree_modex_equal(ompi_communicator_t *comm,
                            coll_mtree_abilities_t *abilities_p);

/* The hosts of the ranks of @a comm, whose settings are the same, and where each rank is
 * on its host, *localities_p [ranks]; the caller's. */
void coll_mtree_modex_hosts(ompi_communicator_t *comm, coll_mtree_hosts_t *hosts_p,
                            mtree_locality_t **localities_p);

void coll_mtree_modex_close(void);

#endif
