/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * All that differs between the versions of Open MPI that mtree is built for.
 */
#ifndef COLL_MTREE_COMPAT_H
#define COLL_MTREE_COMPAT_H

#include "coll_mtree/base/blocks.h"

#include "ompi_config.h"

#include "mpi.h"
#include "ompi/attribute/attribute.h"
#include "ompi/mca/coll/base/base.h"
#include "ompi/mca/coll/base/coll_base_functions.h"
#include "ompi/mca/coll/base/coll_base_util.h"
#include "ompi/mca/coll/base/coll_tags.h"
#include "ompi/mca/coll/coll.h"
#include "ompi/proc/proc.h"
#include "opal/util/info.h"
#include "opal/util/info_subscriber.h"
#include "opal/util/proc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if OMPI_MAJOR_VERSION >= 5
#include "ompi/mca/bml/base/base.h"
#include "ompi/mca/bml/bml.h"
#include "opal/mca/accelerator/accelerator.h"
#include "opal/mca/pmix/pmix-internal.h"
#include "opal/mca/threads/mutex.h"
#if OMPI_MAJOR_VERSION >= 6
#define MTREE_COLL_BASE_VERSION MCA_COLL_BASE_VERSION_3_0_0
#else
#define MTREE_COLL_BASE_VERSION MCA_COLL_BASE_VERSION_2_4_0
#endif
#else
#include "opal/mca/pmix/pmix.h"
#include "opal/threads/mutex.h"
#define MTREE_COLL_BASE_VERSION MCA_COLL_BASE_VERSION_2_0_0
#if OPAL_CUDA_SUPPORT
#include "opal/datatype/opal_datatype_cuda.h"
#endif
#endif

/*
 * The counts of collectives, and arrays of counts and of displacements, as the coll
 * interface passes them; Open MPI 6 has large counts.  Then what mtree makes of such
 * arrays.
 */
#if OMPI_MAJOR_VERSION >= 6
typedef size_t coll_mtree_mpi_count_t;
typedef ompi_count_array_t coll_mtree_mpi_counts_t;
typedef ompi_disp_array_t coll_mtree_mpi_displs_t;

static inline coll_mtree_int_array_t coll_mtree_counts(ompi_count_array_t counts)
{
    return (coll_mtree_int_array_t){.items = ompi_count_array_ptr(counts),
                                    .is_wide = ompi_count_array_is_64bit(counts)};
}

static inline coll_mtree_int_array_t coll_mtree_displs(ompi_disp_array_t displs)
{
    return (coll_mtree_int_array_t){.items = ompi_disp_array_ptr(displs),
                                    .is_wide = ompi_disp_array_is_64bit(displs)};
}

#else
typedef int coll_mtree_mpi_count_t;
typedef const int *coll_mtree_mpi_counts_t;
typedef const int *coll_mtree_mpi_displs_t;

#define coll_mtree_counts(_counts) coll_mtree_int_array(_counts)
#define coll_mtree_displs(_displs) coll_mtree_int_array(_displs)
#endif

/*
 * Who puts a module's functions on a communicator once it is enabled, and takes them
 * back?  From Open MPI 6 on the module itself; before, Open MPI, which holds the module
 * once for each function.
 */
#define MTREE_MODULES_SET_FUNCTIONS (OMPI_MAJOR_VERSION >= 6)

/*
 * The farthest tag of collectives that nobody has one by one.  Open MPI 6 takes what is
 * farther away for no collective's, and the last ones are those of neighbourhoods.
 */
#if OMPI_MAJOR_VERSION >= 6
#define MTREE_FARTHEST_TAG MCA_COLL_BASE_TAG_NONBLOCKING_END
#else
#define MTREE_FARTHEST_TAG MCA_COLL_BASE_TAG_HCOLL_END
#endif

/* Is this address in the memory of a device, which the processor may not be able to read?
 */
static inline bool coll_mtree_is_on_device(const void *address)
{
#if OMPI_MAJOR_VERSION >= 5
    uint64_t flags;
    int device;

    return opal_accelerator.check_addr(address, &device, &flags) > 0;
#elif OPAL_CUDA_SUPPORT
    return opal_cuda_check_bufs((char *)address, (char *)address);
#else
    (void)address;
    return false;
#endif
}

/* This process's rank in MPI_COMM_WORLD, also with sessions, which do without that, and
 * before Open MPI 5 has its processes. */
static inline int coll_mtree_world_rank(void)
{
    return (int)OPAL_PROC_MY_NAME.vpid;
}

/* Has this process an MPI_COMM_WORLD?  Not with sessions alone. */
static inline bool coll_mtree_has_world(void)
{
    return OMPI_COMM_IS_INTRINSIC(&ompi_mpi_comm_world.comm);
}

/* The name of the process of @a rank.  ompi_comm_peer_lookup() would make an entry in the
 * process table for it, and that with a look into the modex. */
static inline opal_process_name_t coll_mtree_process_name(ompi_communicator_t *comm,
                                                          int rank)
{
    return ompi_group_get_proc_name(comm->c_local_group, rank);
}

/* End the job as MPI_Abort does; does not return. */
static inline void coll_mtree_end_job(void)
{
    (void)ompi_mpi_abort(&ompi_mpi_comm_world.comm, MPI_ERR_OTHER);
}

/* A communicator's number in messages and the log. */
static inline unsigned coll_mtree_cid(ompi_communicator_t *comm)
{
#if OMPI_MAJOR_VERSION >= 5
    return comm->c_index;
#else
    return comm->c_contextid;
#endif
}

/*
 * True for a communicator made from a group of a session, not for copies of it.  It has a
 * number of its own on each rank, which Open MPI 5.0's ob1 exchanges with the first
 * messages; with many at once some calls never ended (5.0.7).
 */
static inline bool coll_mtree_is_numbered_by_rank(const ompi_communicator_t *comm)
{
#if OMPI_MAJOR_VERSION >= 5
    return !OMPI_COMM_IS_GLOBAL_INDEX(comm);
#else
    (void)comm;
    return false;
#endif
}

/* Does ob1 lose acknowledgements of messages when two processes connect to each other at
 * the same moment, over several TCP links (docs/openmpi.md)? */
static inline bool coll_mtree_loses_matches(void)
{
    return OMPI_MAJOR_VERSION < 5 ||
           (OMPI_MAJOR_VERSION == 5 && OMPI_MINOR_VERSION == 0 &&
            OMPI_RELEASE_VERSION < 9);
}

/*
 * May a message to rank @a peer of @a comm not be synchronous over ob1?  Over shared
 * memory, an acknowledgement for which ob1 of 5.0 has no fragment left waits in a list,
 * without its length, and then has a wrong one.  With fault tolerance rejected messages
 * do harm as well (docs/openmpi.md).
 */
static inline bool coll_mtree_loses_acknowledgements(ompi_communicator_t *comm, int peer)
{
#if OMPI_MAJOR_VERSION >= 5
    const mca_bml_base_endpoint_t *endpoint =
        mca_bml_base_get_endpoint(ompi_comm_peer_lookup(comm, peer));
    const mca_btl_base_module_t *btl;

    if (endpoint == NULL || endpoint->btl_eager.arr_size == 0) {
        return false;
    }
    btl = endpoint->btl_eager.bml_btls[0].btl;
    return strcmp(btl->btl_component->btl_version.mca_component_name, "sm") == 0;
#else
    (void)comm;
    (void)peer;
    return false;
#endif
}

/* Is there what processes publish at the start (the modex)?  Not for ompi_info. */
static inline bool coll_mtree_has_modex(void)
{
#if OMPI_MAJOR_VERSION >= 5
    return PMIx_Initialized() != 0;
#else
    return opal_pmix.initialized != NULL && opal_pmix.initialized() != 0;
#endif
}

/* Publish @a bytes under @a key; PMIx's code, OPAL_SUCCESS on success. */
static inline int coll_mtree_modex_put(const char *key, const void *bytes, size_t length)
{
    int rc;

#if OMPI_MAJOR_VERSION >= 5
    OPAL_MODEX_SEND_STRING(rc, PMIX_GLOBAL, (char *)key, (char *)bytes, length);
#else
    OPAL_MODEX_SEND_STRING(rc, OPAL_PMIX_GLOBAL, (char *)key, (char *)bytes,
                           (int32_t)length);
#endif
    return rc;
}

/* The code of a question for what was not published.  To 4.1 the server answers late. */
#if OMPI_MAJOR_VERSION >= 5
#define MTREE_MODEX_NOTHING PMIX_ERR_NOT_FOUND
#define MTREE_MODEX_LATE    PMIX_ERR_TIMEOUT
#else
#define MTREE_MODEX_NOTHING OPAL_ERR_NOT_FOUND
#define MTREE_MODEX_LATE    OPAL_ERR_TIMEOUT
#endif

/*
 * What the process @a name has published under @a key: *bytes_p, malloc'ed, and their
 * number.  PMIx's code, 0 on success: Open MPI's own macros do not distinguish an error
 * from nothing.
 */
static inline int coll_mtree_modex_get(const char *key, const opal_process_name_t *name,
                                       uint8_t **bytes_p, size_t *length_p)
{
#if OMPI_MAJOR_VERSION >= 5
    pmix_value_t *value = NULL;
    pmix_proc_t process;
    pmix_status_t rc;

    OPAL_PMIX_CONVERT_NAME(&process, name);
    rc = PMIx_Get(&process, key, NULL, 0, &value);
#else
    opal_value_t *value = NULL;
    int rc = opal_pmix.get(name, key, NULL, &value);
#endif

    *bytes_p = NULL;
    *length_p = 0;
    if (value != NULL) {
        *bytes_p = (uint8_t *)value->data.bo.bytes;
        *length_p = (size_t)value->data.bo.size;
        value->data.bo.bytes = NULL;
#if OMPI_MAJOR_VERSION >= 5
        PMIX_VALUE_RELEASE(value);
#else
        OBJ_RELEASE(value);
#endif
    }
    return rc;
}

/* In 4.1 there is no fault tolerance, in 5.0 it may be built in, and on or off in a job.
 */
#if OMPI_MAJOR_VERSION >= 5 && OPAL_ENABLE_FT_MPI
#include "ompi/runtime/params.h"
#include "opal/mca/smsc/base/base.h"

#define MTREE_HAS_FT 1
#else
#define MTREE_HAS_FT                     0
#define ompi_ftmpi_enabled               false
#define ompi_comm_is_revoked(_comm)      ((void)(_comm), false)
#define ompi_comm_coll_revoked(_comm)    ((void)(_comm), false)
#define ompi_request_is_failed(_request) ((void)(_request), false)
#ifndef MPI_ERR_PROC_FAILED
#define MPI_ERR_PROC_FAILED (MPI_ERR_LASTCODE + 1)
#define MPI_ERR_REVOKED     (MPI_ERR_LASTCODE + 2)
#endif
#endif

/* Is a process that is lost no reason to end the others (mpirun --with-ft ulfm)? */
static inline bool coll_mtree_survives(void)
{
    return ompi_ftmpi_enabled;
}

/* The code with which every collective on a communicator ends that has lost a process or
 * was revoked; OMPI_SUCCESS: it is whole. */
static inline int coll_mtree_loss_of(ompi_communicator_t *comm)
{
    if (ompi_comm_is_revoked(comm)) {
        return MPI_ERR_REVOKED;
    }
    return ompi_comm_coll_revoked(comm) ? MPI_ERR_PROC_FAILED : OMPI_SUCCESS;
}

/* Is this code of a message's end one that all messages of its communicator will have? */
static inline bool coll_mtree_is_loss(int code)
{
    return code == MPI_ERR_PROC_FAILED || code == MPI_ERR_REVOKED;
}

/* End a collective's message on a broken communicator, unless a living process has begun
 * to send it, which comes first. */
static inline void coll_mtree_request_give_up(ompi_request_t *request)
{
    (void)ompi_request_is_failed(request);
}

/*
 * A receiver that knows that a communicator is broken rejects messages.  The sender's ob1
 * then uses the request for another message, although over shared memory the completion
 * of the first part is still to come.  ob1 counts that completion for the other message,
 * which never ends (docs/openmpi.md).  Does that concern all messages that are longer
 * than sm's eager limit?  They have parts where no process may read another's memory,
 * which is Open MPI's component cma.
 */
static inline bool coll_mtree_long_is_turned_away(void)
{
#if MTREE_HAS_FT
    const mca_base_component_list_item_t *item;

    if (!ompi_ftmpi_enabled || !mca_base_framework_is_open(&opal_smsc_base_framework)) {
        return false;
    }
    OPAL_LIST_FOREACH(item, &opal_smsc_base_framework.framework_components,
                      mca_base_component_list_item_t)
    {
        if (strcmp(item->cli_component->mca_component_name, "cma") == 0) {
            return false;
        }
    }
#endif
    return MTREE_HAS_FT;
}

#endif
