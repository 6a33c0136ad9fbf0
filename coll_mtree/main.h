/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The component but for its door: the library coll_mtree.so.  Every process of a machine
 * loads the door (component.c), which opens this library where mtree is asked for.
 */
#ifndef COLL_MTREE_MAIN_H
#define COLL_MTREE_MAIN_H

#include "coll_mtree/compat.h"

#include "ompi/communicator/communicator.h"

typedef struct {
    /* Register all parameters, with this library's values, and what MPI_T can read. */
    void (*register_all)(const mca_base_component_t *component);
    /* As Open MPI has them of a component; `open` if mtree is asked for. */
    int (*open)(void);
    int (*close)(void);
    int (*init_query)(bool enable_progress_threads, bool enable_mpi_threads);
    mca_coll_base_module_t *(*comm_query)(ompi_communicator_t *comm, int *priority);
} coll_mtree_main_t;

/* The library's one symbol. */
OMPI_DECLSPEC extern const coll_mtree_main_t coll_mtree_main;

#endif
