/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * coll/cuda: in the place of Open MPI's component of that name, which is only built with
 * CUDA.  It says when it is asked for a module, and has none.
 */
#include "coll_mtree/compat.h"

#include "ompi/communicator/communicator.h"

static int init_query(bool enable_progress_threads, bool enable_mpi_threads)
{
    (void)enable_progress_threads;
    (void)enable_mpi_threads;
    return OMPI_SUCCESS;
}

static mca_coll_base_module_t *comm_query(ompi_communicator_t *comm, int *priority)
{
    (void)priority;
    if (comm == &ompi_mpi_comm_world.comm && ompi_comm_rank(comm) == 0) {
        (void)puts("coll/cuda: asked");
    }
    return NULL;
}

OMPI_DECLSPEC mca_coll_base_component_t mca_coll_cuda_component = {
    .collm_version = {MTREE_COLL_BASE_VERSION, .mca_component_name = "cuda",
                      .mca_component_major_version = 1},
    .collm_data = {MCA_BASE_METADATA_PARAM_NONE},
    .collm_init_query = init_query,
    .collm_comm_query = comm_query};
