#include "coll_mtree.h"

/* From what MPI requires to be equal on all ranks only. */
static bool allreduce_eligible(int count, ompi_datatype_t *dtype, const ompi_op_t *op)
{
    size_t size;
    ptrdiff_t lower, extent;

    ompi_datatype_type_size(dtype, &size);
    ompi_datatype_get_extent(dtype, &lower, &extent);
    return ompi_op_is_commute((ompi_op_t *)op) && size > 0 && extent > 0 &&
           size * (size_t)count >= mca_coll_mtree_component.min_bytes && count > 0;
}

int coll_mtree_allreduce(const void *sbuf, void *rbuf, int count, ompi_datatype_t *dtype,
                         ompi_op_t *op, ompi_communicator_t *comm,
                         mca_coll_base_module_t *base)
{
    mca_coll_mtree_module_t *module = (mca_coll_mtree_module_t *)base;

    if (allreduce_eligible(count, dtype, op)) {
        coll_mtree_vector_t vector = {.input = sbuf == MPI_IN_PLACE ? rbuf : sbuf,
                                      .output = rbuf,
                                      .datatype = dtype,
                                      .count = (size_t)count,
                                      .op = op};
        mtree_call_t call = {.collective = MTREE_ALLREDUCE,
                             .units = (size_t)count,
                             .chunk_bytes = mca_coll_mtree_component.chunk_bytes};
        bool served;
        int rc;

        ompi_datatype_type_size(dtype, &call.unit_bytes);
        rc = coll_mtree_run(module, comm, &call, &vector, &served);
        if (served) {
            return rc;
        }
    }
    return MTREE_FALLBACK(module, allreduce, sbuf, rbuf, count, dtype, op, comm);
}
