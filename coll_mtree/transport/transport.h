/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Open MPI's point-to-point layer as a transport for schedules.
 */
#ifndef COLL_MTREE_TRANSPORT_TRANSPORT_H
#define COLL_MTREE_TRANSPORT_TRANSPORT_H

#include "coll_mtree/transport/failure_monitor.h"

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
    int first_tag;         /* tag i of the schedule is first_tag - i */
    atomic_int error;      /* Open MPI's code of the first message that failed */
    coll_mtree_failure_monitor_t watch;
} coll_mtree_transport_t;

/* Begin and end, with the component, to look after messages under way; there may be many
 * @a threads. */
void coll_mtree_transport_open(bool threads);
void coll_mtree_transport_close(void);

/*
 * Make @a transport send units of datatype @a unit over @a comm, with the tags from @a
 * first_tag downwards (coll_mtree/base/tags.h).
 */
void coll_mtree_transport_init(coll_mtree_transport_t *transport,
                               ompi_communicator_t *comm, ompi_datatype_t *unit,
                               int first_tag);

/* Open MPI's code of how what ran over @a transport ended with @a status. */
int coll_mtree_transport_code(coll_mtree_transport_t *transport, mtree_status_t status);

/*
 * Bytes that a message of this process may hold, so that Open MPI need not acknowledge
 * it, where acknowledgements are lost or say that a message was turned away
 * (docs/openmpi.md): less than the eager limit of its tcp or sm transport; elsewhere
 * COLL_MTREE_ANY_LENGTH.  Others must agree on the least.
 */
uint32_t coll_mtree_transport_longest(void);

/* Seconds on this host's steady clock. */
double coll_mtree_clock(void);

#endif
