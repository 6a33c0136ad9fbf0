#include "coll_mtree.h"
#include "coll_mtree_transport.h"

#include "schedule/operation.h"

#include "opal/datatype/opal_convertor.h"
#include "opal/runtime/opal_progress.h"

/* All that one call needs while it runs. */
typedef struct {
    coll_mtree_transport_t transport;
    mtree_operation_data_t data;
    ompi_op_t *op;
    ompi_datatype_t *datatype;
    opal_convertor_t packer, unpacker; /* of the output, where it is not contiguous */
    bool packs;
} run_t;

/* MPI's functions give in op inout; mtree folds commutative operations only, so the side
 * is free. */
static void run_fold(void *arg, const void *a, const void *b, void *out, size_t count)
{
    run_t *run = arg;

    if (out == b) {
        ompi_op_reduce(run->op, (void *)a, out, (int)count, run->datatype);
    } else {
        ompi_3buff_op_reduce(run->op, (void *)a, (void *)b, out, (int)count,
                             run->datatype);
    }
}

static void run_pack(void *arg, size_t offset, void *bytes, size_t length)
{
    run_t *run = arg;
    struct iovec iov = {.iov_base = bytes, .iov_len = length};
    uint32_t num_iovs = 1;
    size_t done = length;

    opal_convertor_set_position(&run->packer, &offset);
    opal_convertor_pack(&run->packer, &iov, &num_iovs, &done);
}

static void run_unpack(void *arg, size_t offset, const void *bytes, size_t length)
{
    run_t *run = arg;
    struct iovec iov = {.iov_base = (void *)bytes, .iov_len = length};
    uint32_t num_iovs = 1;
    size_t done = length;

    opal_convertor_set_position(&run->unpacker, &offset);
    opal_convertor_unpack(&run->unpacker, &iov, &num_iovs, &done);
}

/* Data to be folded: units are elements. */
static void run_init_fold(run_t *run, const coll_mtree_vector_t *vector)
{
    ptrdiff_t lower, extent;

    ompi_datatype_get_extent(vector->datatype, &lower, &extent);
    run->data.input = vector->input;
    run->data.output = vector->output;
    run->data.extent = extent;
    ompi_datatype_get_true_extent(vector->datatype, &run->data.gap, &extent);
    run->data.span = (size_t)extent;
    run->data.fold = run_fold;
}

/*
 * Data to be moved: units are bytes of the packed image, which is what all ranks have in
 * common when their datatypes differ.  Whether it lies packed in memory is each rank's
 * own affair.
 */
static int run_init_move(run_t *run, const coll_mtree_vector_t *vector)
{
    ptrdiff_t lower, extent;

    run->data.extent = 1;
    run->data.span = 1;
    if (ompi_datatype_is_contiguous_memory_layout(vector->datatype, 2)) {
        ompi_datatype_get_true_extent(vector->datatype, &lower, &extent);
        run->data.output = (char *)vector->output + lower;
        run->data.input = run->data.output;
        return OMPI_SUCCESS;
    }
    OBJ_CONSTRUCT(&run->packer, opal_convertor_t);
    OBJ_CONSTRUCT(&run->unpacker, opal_convertor_t);
    run->packs = true;
    run->data.pack = run_pack;
    run->data.unpack = run_unpack;
    if (opal_convertor_copy_and_prepare_for_send(ompi_mpi_local_convertor,
                                                 &vector->datatype->super, vector->count,
                                                 vector->output, 0, &run->packer) < 0 ||
        opal_convertor_copy_and_prepare_for_recv(ompi_mpi_local_convertor,
                                                 &vector->datatype->super, vector->count,
                                                 vector->output, 0, &run->unpacker) < 0) {
        return OMPI_ERROR;
    }
    return OMPI_SUCCESS;
}

static void run_cleanup(run_t *run)
{
    if (run->packs) {
        OBJ_DESTRUCT(&run->packer);
        OBJ_DESTRUCT(&run->unpacker);
    }
}

/* Start and wait.  An operation that fails may still have messages under way: `run`
 * outlives them. */
static int run_to_end(run_t *run, const mtree_layout_t *layout)
{
    mtree_operation_t *operation;
    mtree_status_t status = mtree_operation_start(layout, &run->transport.super,
                                                  &run->data, NULL, NULL, &operation);

    if (status == MTREE_ERR_NO_MEMORY) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    while (!mtree_operation_done(operation, &status)) {
        opal_progress();
    }
    mtree_operation_free(operation);
    return status == MTREE_OK ? OMPI_SUCCESS : OMPI_ERROR;
}

int coll_mtree_run(mca_coll_mtree_module_t *module, ompi_communicator_t *comm,
                   const mtree_call_t *call, const coll_mtree_vector_t *vector,
                   bool *served_p)
{
    const mtree_plan_t *plan;
    mtree_layout_t *layout;
    run_t run = {.op = vector->op, .datatype = vector->datatype};
    int rc = OMPI_SUCCESS;

    *served_p = false;
    if (!coll_mtree_network_get(module, comm)) {
        return OMPI_SUCCESS;
    }
    plan = coll_mtree_network_plan(module, comm, call);
    if (plan == NULL) {
        return OMPI_SUCCESS;
    }
    *served_p = true;
    if (mtree_layout_create(plan, coll_mtree_network_placement(module->network), call,
                            ompi_comm_rank(comm), &layout) != MTREE_OK) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    run.data.arg = &run;
    if (vector->op != NULL) {
        run_init_fold(&run, vector);
    } else {
        rc = run_init_move(&run, vector);
    }
    coll_mtree_transport_init(&run.transport, comm,
                              vector->op != NULL ? vector->datatype : MPI_BYTE,
                              layout->num_tags);
    if (rc == OMPI_SUCCESS) {
        rc = run_to_end(&run, layout);
    }
    run_cleanup(&run);
    mtree_layout_destroy(layout);
    return rc;
}
