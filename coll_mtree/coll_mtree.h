/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * coll/mtree: collectives over several trees at once, on networks that are not uniform.
 *
 * coll_mtree/call/dispatch.h describes the path of a call.  Calls that mtree does not
 * serve go to the functions that were installed before it (MTREE_FALLBACK).
 */
#ifndef COLL_MTREE_COLL_MTREE_H
#define COLL_MTREE_COLL_MTREE_H

#include "coll_mtree/base/call_window.h"
#include "coll_mtree/base/class_table.h"
#include "coll_mtree/base/params.h"
#include "coll_mtree/base/tag_range.h"
#include "coll_mtree/call/server.h"
#include "coll_mtree/compat.h"

#include "ompi/communicator/communicator.h"
#include "ompi/datatype/ompi_datatype.h"
#include "ompi/op/op.h"
#include "ompi/request/request.h"

#include "schedule/layout.h"

#include <stdatomic.h>

BEGIN_C_DECLS

/* The functions of MPI that mtree may serve, by name: once each, or each of the three
 * forms, blocking, nonblocking and persistent. */
#define MTREE_INTERFACES(_with, _do)                                                     \
    _with(_do, allreduce) _with(_do, reduce) _with(_do, bcast) _with(_do, allgather)     \
        _with(_do, allgatherv) _with(_do, reduce_scatter)                                \
            _with(_do, reduce_scatter_block) _with(_do, gather) _with(_do, gatherv)      \
                _with(_do, scatter) _with(_do, scatterv) _with(_do, alltoall)            \
                    _with(_do, alltoallv) _with(_do, alltoallw) _with(_do, scan)         \
                        _with(_do, exscan) _with(_do, barrier)
#define MTREE_ONCE(_do, _name)        _do(_name)
#define MTREE_FORMS_OF(_do, _name)    _do(_name) _do(i##_name) _do(_name##_init)
#define MTREE_FOR_EACH_INTERFACE(_do) MTREE_INTERFACES(MTREE_ONCE, _do)
#define MTREE_FOR_EACH_FUNCTION(_do)  MTREE_INTERFACES(MTREE_FORMS_OF, _do)

typedef struct coll_mtree_plan_entry coll_mtree_plan_entry_t;

/* The size of calls of which each rank knows its own part alone, such as MPI_Alltoallv():
 * now and then the ranks add up what they had since the last time, all at the same call
 * (call/agreed.c). */
typedef struct {
    unsigned calls; /* so far */
    unsigned since; /* of them since the ranks agreed */
    double bytes;   /* of this rank in those */
    double agreed;  /* bytes of a call; counts once is_agreed */
    bool is_agreed;
} coll_mtree_size_estimate_t;

/* What a communicator keeps of the calls of one class; each pointer may be NULL. */
typedef struct {
    coll_mtree_class_node_t node;
    coll_mtree_plan_entry_t *entry;  /* in force, a reference (call/plan_entry.h) */
    mtree_plan_part_t *default_part; /* call/default_plan.h */
    coll_mtree_server_t server;
    bool path_failed;                 /* another class serves its calls, by ranks alone */
    struct coll_mtree_record *record; /* of the last call (report/statistics.h) */
} coll_mtree_comm_class_t;

#define MTREE_FALLBACK_FUNCTION(_name)                                                   \
    mca_coll_base_module_##_name##_fn_t coll_##_name;                                    \
    mca_coll_base_module_t *coll_##_name##_module;

/* The functions that were installed before mtree, with their modules. */
typedef struct {
    MTREE_FOR_EACH_FUNCTION(MTREE_FALLBACK_FUNCTION)
} coll_mtree_fallback_t;

typedef struct {
    mca_coll_base_module_t super;
    coll_mtree_fallback_t fallback; /* modules are retained */
    bool enabled;                   /* it holds the fallback's modules */
    uint32_t
        longest_bytes; /* of a message between its ranks (coll_mtree/control/modex.h) */
    bool is_threaded;  /* several threads of a process may call MPI at once */
    coll_mtree_tag_range_t tags; /* coll_mtree/base/tags.h */

    struct coll_mtree_source *source;        /* state of its topology */
    struct coll_mtree_proc_group *processes; /* held; NULL: not needed yet */
    struct coll_mtree_group *group;          /* its statistics; NULL: no calls yet */

    struct coll_mtree_plan_sequence *sequence; /* NULL: no call was monitored */
    coll_mtree_class_table_t classes;          /* of coll_mtree_comm_class_t */

    opal_mutex_t lock; /* of what coll_mtree/call keeps: */

    /* coll_mtree/call/request.c's */
    coll_mtree_call_window_t calls;
    bool beginning; /* a thread begins calls */

    /* coll_mtree/call/plan_entry.c's */
    bool has_met;                       /* an exchange has asked for its connections */
    const mtree_placement_t *placement; /* the group's (plan/proc_group.h); NULL: no call
                                           needed it yet */
    bool agrees;                        /* with others of its group (call/agreed.c) */
    atomic_uint version;      /* on rank 0: of the network that the oldest plan is for;
                                 UINT_MAX: there is none */
    atomic_bool keeps_order;  /* trees have served calls that must give the same bits */
    atomic_bool is_reordered; /* on rank 0: these have changed their order */
    coll_mtree_size_estimate_t
        sizes[MTREE_COLLECTIVE_LAST]; /* of calls with unequal blocks */
    bool cannot_serve; /* every rank knows by now that mtree cannot serve this
                          communicator */
    mtree_placement_t *default_placement; /* call/default_plan.h; NULL: not needed yet */
} mca_coll_mtree_module_t;

OBJ_CLASS_DECLARATION(mca_coll_mtree_module_t);

/* The element of @a call_class, made if need be. */
static inline coll_mtree_comm_class_t *
coll_mtree_comm_class_get(mca_coll_mtree_module_t *module,
                          const coll_mtree_call_class_t *call_class)
{
    return coll_mtree_class_table_get(&module->classes, call_class,
                                      sizeof(coll_mtree_comm_class_t));
}

/* Call the function that served this collective before mtree, with its own module. */
#define MTREE_FALLBACK(_self, _name, ...)                                                \
    (_self)->fallback.coll_##_name(__VA_ARGS__, (_self)->fallback.coll_##_name##_module)

/* coll_mtree/module.c */
int coll_mtree_init_query(bool enable_progress_threads, bool enable_mpi_threads);
mca_coll_base_module_t *coll_mtree_comm_query(ompi_communicator_t *comm, int *priority);

/*
 * coll_mtree/other_components.c: when the user's list names mtree, open all components
 * that Open MPI would have opened without that list.
 */
int coll_mtree_open_other_components(bool enable_progress_threads,
                                     bool enable_mpi_threads);

/* coll_mtree/base/params.c: register the parameters with Open MPI, @a all or those by
 * which the component finds out whether it is asked for. */
void coll_mtree_params_register(const mca_base_component_t *component, bool all);

/*
 * The parameters of the collectives, as Open MPI's coll interface has them, by _p(type,
 * name): of each those that all three forms of it begin with.  Blocks are equal, or (_V)
 * of any size and anywhere.
 */
#define MTREE_COMM(_p) _p(ompi_communicator_t *, comm)
#define MTREE_ROOT(_p) _p(int, root), MTREE_COMM(_p)
#define MTREE_SEND(_p)                                                                   \
    _p(const void *, sbuf), _p(coll_mtree_mpi_count_t, scount),                          \
        _p(ompi_datatype_t *, sdtype)
#define MTREE_RECV(_p)                                                                   \
    _p(void *, rbuf), _p(coll_mtree_mpi_count_t, rcount), _p(ompi_datatype_t *, rdtype)
#define MTREE_SEND_V(_p)                                                                 \
    _p(const void *, sbuf), _p(coll_mtree_mpi_counts_t, scounts),                        \
        _p(coll_mtree_mpi_displs_t, sdispls)
#define MTREE_RECV_V(_p)                                                                 \
    _p(void *, rbuf), _p(coll_mtree_mpi_counts_t, rcounts),                              \
        _p(coll_mtree_mpi_displs_t, rdispls)
#define MTREE_FOLD(_p, _type, _count)                                                    \
    _p(const void *, sbuf), _p(void *, rbuf), _p(_type, _count),                         \
        _p(ompi_datatype_t *, dtype), _p(ompi_op_t *, op)

#define MTREE_SIGNATURE_allreduce(_p)                                                    \
    MTREE_FOLD(_p, coll_mtree_mpi_count_t, count), MTREE_COMM(_p)
#define MTREE_SIGNATURE_reduce(_p)                                                       \
    MTREE_FOLD(_p, coll_mtree_mpi_count_t, count), MTREE_ROOT(_p)
#define MTREE_SIGNATURE_bcast(_p)                                                        \
    _p(void *, buffer), _p(coll_mtree_mpi_count_t, count), _p(ompi_datatype_t *, dtype), \
        MTREE_ROOT(_p)
#define MTREE_SIGNATURE_allgather(_p) MTREE_SEND(_p), MTREE_RECV(_p), MTREE_COMM(_p)
#define MTREE_SIGNATURE_allgatherv(_p)                                                   \
    MTREE_SEND(_p), MTREE_RECV_V(_p), _p(ompi_datatype_t *, rdtype), MTREE_COMM(_p)
#define MTREE_SIGNATURE_reduce_scatter(_p)                                               \
    MTREE_FOLD(_p, coll_mtree_mpi_counts_t, rcounts), MTREE_COMM(_p)
#define MTREE_SIGNATURE_reduce_scatter_block(_p)                                         \
    MTREE_FOLD(_p, coll_mtree_mpi_count_t, rcount), MTREE_COMM(_p)
#define MTREE_SIGNATURE_gather(_p) MTREE_SEND(_p), MTREE_RECV(_p), MTREE_ROOT(_p)
#define MTREE_SIGNATURE_gatherv(_p)                                                      \
    MTREE_SEND(_p), MTREE_RECV_V(_p), _p(ompi_datatype_t *, rdtype), MTREE_ROOT(_p)
#define MTREE_SIGNATURE_scatter(_p) MTREE_SIGNATURE_gather(_p)
#define MTREE_SIGNATURE_scatterv(_p)                                                     \
    MTREE_SEND_V(_p), _p(ompi_datatype_t *, sdtype), MTREE_RECV(_p), MTREE_ROOT(_p)
#define MTREE_SIGNATURE_alltoall(_p) MTREE_SIGNATURE_allgather(_p)
#define MTREE_SIGNATURE_alltoallv(_p)                                                    \
    MTREE_SEND_V(_p), _p(ompi_datatype_t *, sdtype), MTREE_RECV_V(_p),                   \
        _p(ompi_datatype_t *, rdtype), MTREE_COMM(_p)
#define MTREE_SIGNATURE_alltoallw(_p)                                                    \
    MTREE_SEND_V(_p), _p(ompi_datatype_t *const *, sdtypes), MTREE_RECV_V(_p),           \
        _p(ompi_datatype_t *const *, rdtypes), MTREE_COMM(_p)
#define MTREE_SIGNATURE_scan(_p)    MTREE_SIGNATURE_allreduce(_p)
#define MTREE_SIGNATURE_exscan(_p)  MTREE_SIGNATURE_allreduce(_p)
#define MTREE_SIGNATURE_barrier(_p) MTREE_COMM(_p)

/* The same as parameters of a function, and as arguments. */
#define MTREE_TYPED(_type, _name) _type _name
#define MTREE_NAMED(_type, _name) _name
#define MTREE_PARAMETERS(_name)   MTREE_SIGNATURE_##_name(MTREE_TYPED)
#define MTREE_ARGUMENTS(_name)    MTREE_SIGNATURE_##_name(MTREE_NAMED)

#define MTREE_DECLARE_FORMS(_name)                                                       \
    int coll_mtree_##_name(MTREE_PARAMETERS(_name), mca_coll_base_module_t *base);       \
    int coll_mtree_i##_name(MTREE_PARAMETERS(_name), ompi_request_t **request,           \
                            mca_coll_base_module_t *base);                               \
    int coll_mtree_##_name##_init(MTREE_PARAMETERS(_name), struct ompi_info_t *info,     \
                                  ompi_request_t **request,                              \
                                  mca_coll_base_module_t *base);

MTREE_FOR_EACH_INTERFACE(MTREE_DECLARE_FORMS)

END_C_DECLS

#endif
