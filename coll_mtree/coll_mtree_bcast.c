#include "coll_mtree.h"

int coll_mtree_bcast(void *buffer, int count, ompi_datatype_t *dtype, int root,
                     ompi_communicator_t *comm, mca_coll_base_module_t *base)
{
    mca_coll_mtree_module_t *module = (mca_coll_mtree_module_t *)base;
    size_t size, bytes;

    /* Count and datatype may differ between ranks, their product may not. */
    ompi_datatype_type_size(dtype, &size);
    bytes = size * (size_t)count;
    if (bytes > 0 && bytes >= mca_coll_mtree_component.min_bytes) {
        coll_mtree_vector_t vector = {
            .output = buffer, .datatype = dtype, .count = (size_t)count};
        mtree_call_t call = {.collective = MTREE_BCAST,
                             .root = root,
                             .units = bytes,
                             .unit_bytes = 1,
                             .chunk_bytes = mca_coll_mtree_component.chunk_bytes};
        bool served;
        int rc = coll_mtree_run(module, comm, &call, &vector, &served);

        if (served) {
            return rc;
        }
    }
    return MTREE_FALLBACK(module, bcast, buffer, count, dtype, root, comm);
}
