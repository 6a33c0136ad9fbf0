/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/mpi/intra.h"

#include "tests/mpi/random_case.h"

static bool is_rooted(collective_t collective)
{
    return collective == BCAST || collective == REDUCE ||
           (collective >= GATHER && collective <= SCATTERV);
}

void mtree_intra_check(MPI_Comm comm, const char *name, bool nonblocking, bool large)
{
    int ranks;

    MPI_Comm_size(comm, &ranks);
    run =
        (random_run_t){.common.state = large, .tame = true, .late = large, .where = name};
    items_init();
    for (int c = 0; c < COLLECTIVES; c++) {
        /* From and to any rank. */
        for (int i = is_rooted((collective_t)c) ? ranks : 2; i > 0; i--) {
            case_run((collective_t)c,
                     nonblocking ? MTREE_NONBLOCKING_FORM : MTREE_BLOCKING_FORM, comm);
        }
    }
    items_cleanup();
}
