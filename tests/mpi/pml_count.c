/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/mpi/pml_count.h"

#include "ompi_config.h"

#include "ompi/communicator/communicator.h"
#include "ompi/datatype/ompi_datatype.h"
#include "ompi/mca/pml/pml.h"

pml_sent_t pml_sent[PML_COUNT_MOST_RANKS];
size_t pml_sent_all;

static mca_pml_base_module_t own;

static void count(struct ompi_datatype_t *type, size_t elements, int peer,
                  ompi_communicator_t *comm)
{
    size_t bytes;

    pml_sent_all++;
    if (comm == &ompi_mpi_comm_world.comm) {
        ompi_datatype_type_size(type, &bytes);
        pml_sent[peer].messages += elements * bytes > 0;
        pml_sent[peer].empty += elements * bytes == 0;
        pml_sent[peer].bytes += elements * bytes;
    }
}

static int count_isend(const void *buffer, size_t elements, struct ompi_datatype_t *type,
                       int peer, int tag, mca_pml_base_send_mode_t mode,
                       struct ompi_communicator_t *comm, struct ompi_request_t **request)
{
    count(type, elements, peer, comm);
    return own.pml_isend(buffer, elements, type, peer, tag, mode, comm, request);
}

static int count_send(const void *buffer, size_t elements, struct ompi_datatype_t *type,
                      int peer, int tag, mca_pml_base_send_mode_t mode,
                      struct ompi_communicator_t *comm)
{
    count(type, elements, peer, comm);
    return own.pml_send(buffer, elements, type, peer, tag, mode, comm);
}

/* A persistent send; collectives start each once. */
static int count_isend_init(const void *buffer, size_t elements,
                            struct ompi_datatype_t *type, int peer, int tag,
                            mca_pml_base_send_mode_t mode,
                            struct ompi_communicator_t *comm,
                            struct ompi_request_t **request)
{
    count(type, elements, peer, comm);
    return own.pml_isend_init(buffer, elements, type, peer, tag, mode, comm, request);
}

void pml_count_begin(void)
{
    own = mca_pml;
    mca_pml.pml_isend_init = count_isend_init;
    mca_pml.pml_isend = count_isend;
    mca_pml.pml_send = count_send;
}
