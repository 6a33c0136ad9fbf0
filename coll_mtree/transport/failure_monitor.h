/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Watches: messages that are under way where a process may be lost and the others go on
 * (Open MPI 5 with `mpirun --with-ft ulfm`).
 *
 * Open MPI looks after a message while somebody waits for it.  Nobody waits for mtree's,
 * whose ends are callbacks; so while any are under way mtree looks itself, now and then
 * from within Open MPI's progress, whether their communicator has lost a process or was
 * revoked, and gives them up, those between living processes too: they may wait for what
 * the lost one was to send on.  Without fault tolerance nothing of this costs anything.
 */
#ifndef COLL_MTREE_TRANSPORT_FAILURE_MONITOR_H
#define COLL_MTREE_TRANSPORT_FAILURE_MONITOR_H

#include "coll_mtree/compat.h"

#include "schedule/transport.h"

typedef struct coll_mtree_failure_monitor coll_mtree_failure_monitor_t;

/* The messages of one transport; all zero but the communicator: none. */
struct coll_mtree_failure_monitor {
    ompi_communicator_t *comm;
    mtree_completion_t *first;          /* whose `message` is a request of the PML's */
    coll_mtree_failure_monitor_t *next; /* of those that have any */
};

/* Begin and end to look, with the component. */
void coll_mtree_failure_monitor_open(void);
void coll_mtree_failure_monitor_close(void);

/* The message of @a done, whose `message` is set, is under way. */
void coll_mtree_failure_monitor_add(coll_mtree_failure_monitor_t *watch,
                                    mtree_completion_t *done);

/*
 * It has come to its end: free its request.  From within the request's callback; nothing
 * of @a watch is touched after it.
 */
void coll_mtree_failure_monitor_free(coll_mtree_failure_monitor_t *watch,
                                     mtree_completion_t *done);

#endif
