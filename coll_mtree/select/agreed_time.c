/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/select/agreed_time.h"

#include "base/clock.h"

double coll_mtree_agreed_time(const mca_coll_mtree_module_t *module,
                              ompi_communicator_t *comm, double began, double *agreed,
                              double *flag)
{
    double since = *agreed > 0 ? *agreed : began;
    double last[3] = {began - since, mtree_clock_seconds() - since, *flag};

    if (MTREE_FALLBACK(module, allreduce, MPI_IN_PLACE, last, 3, MPI_DOUBLE, MPI_MAX,
                       comm) != OMPI_SUCCESS) {
        *flag = 1;
        return 0;
    }
    *agreed = mtree_clock_seconds();
    *flag = last[2];
    return last[1] - last[0];
}
