/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Open MPI's point-to-point layer as a transport for schedules.
 */
#ifndef COLL_MTREE_TRANSPORT_TRANSPORT_H
#define COLL_MTREE_TRANSPORT_TRANSPORT_H

#include "coll_mtree/compat.h"

#include "ompi/communicator/communicator.h"
#include "ompi/datatype/ompi_datatype.h"

#include <stdatomic.h>
#include <stdint.h>

#include "schedule/transport.h"

/* Open MPI counts the elements of a message in an int in some places. */
#define COLL_MTREE_ANY_LENGTH ((uint32_t)1 << 30)

typedef struct {
    mtree_transport_t super;
    ompi_communicator_t *comm;
    ompi_datatype_t *unit; /* one unit is one element of it */
    size_t unit_bytes;     /* of data in it */
    int first_tag;         /* tag i is first_tag - i for the PML */
    bool stays_off_pml;    /* what finds no connection of mtree's own fails */
    atomic_int error;      /* Open MPI's code of the first message that failed */
    void (*count_sent)(size_t bytes); /* of each message with data; NULL: not counted */
    struct coll_mtree_tcp_operation *tcp; /* coll_mtree/tcp/transport.h's, or NULL */
} coll_mtree_transport_t;

/* A transport's send and receive by the PML, of @a count elements of @a type. */
mtree_status_t coll_mtree_pml_send(coll_mtree_transport_t *transport, int peer, int tag,
                                   const void *buffer, size_t count,
                                   ompi_datatype_t *type, bool synchronous,
                                   mtree_completion_t *done);
mtree_status_t coll_mtree_pml_recv(coll_mtree_transport_t *transport, int peer, int tag,
                                   void *buffer, size_t count, ompi_datatype_t *type,
                                   mtree_completion_t *done);

/* Open with the component and close with it; @a threads: several threads may call MPI at
 * the same time. */
void coll_mtree_transport_open(bool threads);
void coll_mtree_transport_close(void);

/*
 * Make @a transport send units of datatype @a unit over @a comm, with the tags from
 * @a first_tag downwards (coll_mtree/base/tags.h).  What it sends counts as chunks,
 * unless the caller then sets `count_sent`.
 */
void coll_mtree_transport_init(coll_mtree_transport_t *transport,
                               ompi_communicator_t *comm, ompi_datatype_t *unit,
                               int first_tag);

/*
 * Give up the message of @a done, which was started and has not been handled.  A receive
 * that nothing has matched fails at once; any other message completes as it would have.
 * `done->func` is called in both cases, now or later.
 */
void coll_mtree_transport_cancel(mtree_completion_t *done);

/* Open MPI's code for an operation over @a transport that ended with @a status. */
int coll_mtree_transport_code(coll_mtree_transport_t *transport, mtree_status_t status);

/*
 * Bytes that a message of this process may hold.  Less than the eager limit of Open MPI's
 * tcp or sm transport where its acknowledgements of longer messages may be lost or may
 * turn a message away (docs/openmpi.md); elsewhere COLL_MTREE_ANY_LENGTH.  Ranks use the
 * least of all of them (coll_mtree/control/modex.h).
 */
uint32_t coll_mtree_transport_longest(void);

#endif
