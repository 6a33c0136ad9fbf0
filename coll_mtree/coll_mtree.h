/*
 * coll/mtree: collectives over several trees at once, on networks that are not uniform.
 *
 * A call takes this way: coll_mtree_OPERATION.c decides, from what is the same on every
 * rank, whether mtree serves it; coll_mtree_network.c knows who runs where and has the
 * plan; schedule/layout.h turns the plan into this rank's streams; coll_mtree_run.c runs
 * them over the PML; everything else goes to the functions that were installed before
 * mtree (MTREE_FALLBACK).
 */
#ifndef MCA_COLL_MTREE_H
#define MCA_COLL_MTREE_H

#include "coll_mtree_compat.h"

#include "ompi/communicator/communicator.h"
#include "ompi/datatype/ompi_datatype.h"
#include "ompi/op/op.h"
#include "ompi/request/request.h"

#include "planner/plan.h"
#include "schedule/layout.h"

BEGIN_C_DECLS

/* The collectives that mtree may serve, and those it needs for itself. */
#define MTREE_FOR_EACH_FALLBACK(_do) _do(allreduce) _do(bcast) _do(allgather) _do(gather)

typedef struct {
    mca_coll_base_component_t super;
    int priority;
    int verbose;
    int stream; /* of opal_output */
    char *topology;
    char *hosts;
    int trees;
    size_t chunk_bytes;
    size_t min_bytes;
} mca_coll_mtree_component_t;

OMPI_MODULE_DECLSPEC extern mca_coll_mtree_component_t mca_coll_mtree_component;

typedef struct coll_mtree_network coll_mtree_network_t;

typedef struct {
    mca_coll_base_module_t super;
    mca_coll_base_comm_coll_t fallback; /* functions with their modules, retained */
    bool enabled;
    coll_mtree_network_t
        *network; /* NULL until the first eligible call; shared, not owned */
} mca_coll_mtree_module_t;

OBJ_CLASS_DECLARATION(mca_coll_mtree_module_t);

/* Call the function that served this collective before mtree, with its own module. */
#define MTREE_FALLBACK(_self, _name, ...)                                                \
    (_self)->fallback.coll_##_name(__VA_ARGS__, (_self)->fallback.coll_##_name##_module)

/* coll_mtree_module.c */
int coll_mtree_init_query(bool enable_progress_threads, bool enable_mpi_threads);
mca_coll_base_module_t *coll_mtree_comm_query(ompi_communicator_t *comm, int *priority);

/*
 * coll_mtree_companions.c: when mtree is alone on the user's list, open the components
 * without which no communicator can be made.
 */
int coll_mtree_open_companions(bool enable_progress_threads, bool enable_mpi_threads);

/* One line on rank 0 of a communicator when coll_mtree_verbose is at least @a level. */
void coll_mtree_say(ompi_communicator_t *comm, int level, const char *format, ...)
    __opal_attribute_format__(__printf__, 3, 4);

/*
 * coll_mtree_network.c: who runs where, and the plans.  Both are collective over @a comm:
 * every rank calls in the same order.  The first call of a group of processes
 * communicates (with the fallback's functions), later ones find what is there.  False:
 * mtree cannot serve; the same on every rank.
 */
bool coll_mtree_network_get(mca_coll_mtree_module_t *module, ompi_communicator_t *comm);
const mtree_plan_t *coll_mtree_network_plan(mca_coll_mtree_module_t *module,
                                            ompi_communicator_t *comm,
                                            const mtree_call_t *call);
const mtree_placement_t *
coll_mtree_network_placement(const coll_mtree_network_t *network);
void coll_mtree_network_close(void);

/* What a call's buffers are, for coll_mtree_run(). */
typedef struct {
    const void *input;
    void *output;
    ompi_datatype_t *datatype; /* of the vector */
    size_t count;              /* elements of datatype in the vector */
    ompi_op_t *op;             /* NULL: bytes are moved, not folded */
} coll_mtree_vector_t;

/*
 * coll_mtree_run.c: serve @a call over the module's network and wait for its end.
 * *served_p is false, on every rank, when there is no plan for it; then nothing was done.
 */
int coll_mtree_run(mca_coll_mtree_module_t *module, ompi_communicator_t *comm,
                   const mtree_call_t *call, const coll_mtree_vector_t *vector,
                   bool *served_p);

/* The collectives themselves. */
int coll_mtree_allreduce(const void *sbuf, void *rbuf, int count, ompi_datatype_t *dtype,
                         ompi_op_t *op, ompi_communicator_t *comm,
                         mca_coll_base_module_t *module);
int coll_mtree_bcast(void *buffer, int count, ompi_datatype_t *dtype, int root,
                     ompi_communicator_t *comm, mca_coll_base_module_t *module);
int coll_mtree_allgather(const void *sbuf, int scount, ompi_datatype_t *sdtype,
                         void *rbuf, int rcount, ompi_datatype_t *rdtype,
                         ompi_communicator_t *comm, mca_coll_base_module_t *module);

END_C_DECLS

#endif
