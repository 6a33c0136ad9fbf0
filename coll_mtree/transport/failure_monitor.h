/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Gives up messages whose communicator has lost a process or was revoked, in a job whose
 * other processes go on (Open MPI 5 with `mpirun --with-ft ulfm`).
 *
 * Open MPI looks after a message while somebody waits for it.  Nobody waits for mtree's,
 * which complete by callbacks; so while any are under way mtree looks at their
 * communicators from within Open MPI's progress.  It gives up messages between living
 * processes, too: they may wait for what the lost one was to send on.  Without fault
 * tolerance nothing of this costs anything.
 */
#ifndef COLL_MTREE_TRANSPORT_FAILURE_MONITOR_H
#define COLL_MTREE_TRANSPORT_FAILURE_MONITOR_H

#include "coll_mtree/compat.h"

#include "schedule/transport.h"

/* The messages of one transport that are under way. */
typedef struct {
    ompi_communicator_t *comm;
    mtree_list_t messages; /* completions, whose `message` is a request of the PML's */
    mtree_list_t link;     /* among those that have any */
} coll_mtree_monitored_t;

/* Open with the component and close with it. */
void coll_mtree_failure_monitor_open(void);
void coll_mtree_failure_monitor_close(void);

bool coll_mtree_failure_monitor_is_open(void);

/* No messages on @a comm yet. */
void coll_mtree_monitored_init(coll_mtree_monitored_t *monitored,
                               ompi_communicator_t *comm);

/* The message of @a done, whose `message` is set, is under way. */
void coll_mtree_failure_monitor_add(coll_mtree_monitored_t *monitored,
                                    mtree_completion_t *done);

/*
 * The message of @a done is complete: free its request.  From within the request's
 * callback; nothing of @a monitored is touched afterwards.
 */
void coll_mtree_failure_monitor_free(coll_mtree_monitored_t *monitored,
                                     mtree_completion_t *done);

/* Cancel the request of @a done if it is still monitored. */
void coll_mtree_failure_monitor_cancel(coll_mtree_monitored_t *monitored,
                                       mtree_completion_t *done);

#endif
