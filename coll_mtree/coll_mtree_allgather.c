#include "coll_mtree.h"

/* The rank's own block goes to its place in the result, from where it is sent. */
static int allgather_own_block(const void *sbuf, int scount, ompi_datatype_t *sdtype,
                               void *rbuf, int rcount, ompi_datatype_t *rdtype, int rank)
{
    ptrdiff_t lower, extent;

    if (sbuf == MPI_IN_PLACE) {
        return OMPI_SUCCESS;
    }
    ompi_datatype_get_extent(rdtype, &lower, &extent);
    return ompi_datatype_sndrcv(sbuf, scount, sdtype,
                                (char *)rbuf + (ptrdiff_t)rank * rcount * extent, rcount,
                                rdtype);
}

int coll_mtree_allgather(const void *sbuf, int scount, ompi_datatype_t *sdtype,
                         void *rbuf, int rcount, ompi_datatype_t *rdtype,
                         ompi_communicator_t *comm, mca_coll_base_module_t *base)
{
    mca_coll_mtree_module_t *module = (mca_coll_mtree_module_t *)base;
    size_t size, bytes;

    /* Count and datatype may differ between ranks, the bytes of a block may not. */
    ompi_datatype_type_size(rdtype, &size);
    bytes = size * (size_t)rcount * (size_t)ompi_comm_size(comm);
    if (bytes > 0 && bytes >= mca_coll_mtree_component.min_bytes) {
        coll_mtree_vector_t vector = {.output = rbuf,
                                      .datatype = rdtype,
                                      .count =
                                          (size_t)rcount * (size_t)ompi_comm_size(comm)};
        mtree_call_t call = {.collective = MTREE_ALLGATHER,
                             .units = bytes,
                             .unit_bytes = 1,
                             .chunk_bytes = mca_coll_mtree_component.chunk_bytes};
        bool served;
        int rc = allgather_own_block(sbuf, scount, sdtype, rbuf, rcount, rdtype,
                                     ompi_comm_rank(comm));

        if (rc == OMPI_SUCCESS) {
            rc = coll_mtree_run(module, comm, &call, &vector, &served);
            if (served) {
                return rc;
            }
        }
    }
    return MTREE_FALLBACK(module, allgather, sbuf, scount, sdtype, rbuf, rcount, rdtype,
                          comm);
}
