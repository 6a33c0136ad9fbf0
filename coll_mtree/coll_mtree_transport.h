/*
 * Open MPI's point-to-point layer as a transport for schedules.
 */
#ifndef MCA_COLL_MTREE_TRANSPORT_H
#define MCA_COLL_MTREE_TRANSPORT_H

#include "coll_mtree_compat.h"

#include "ompi/communicator/communicator.h"
#include "ompi/datatype/ompi_datatype.h"

#include "schedule/transport.h"

typedef struct {
    mtree_transport_t super;
    ompi_communicator_t *comm;
    ompi_datatype_t *unit; /* one unit is one element of it */
    int first_tag;         /* tag i of the schedule is first_tag - i */
} coll_mtree_transport_t;

/*
 * Make @a transport send units of datatype @a unit over @a comm, with the tags from @a
 * first_tag downwards (coll_mtree_tags.h).
 */
void coll_mtree_transport_init(coll_mtree_transport_t *transport,
                               ompi_communicator_t *comm, ompi_datatype_t *unit,
                               int first_tag);

/* Seconds on this host's steady clock. */
double coll_mtree_clock(void);

#endif
