/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every collective with counts and displacements of 64 bits (MPI_Alltoallv_c(), ...), in
 * all three forms.
 *
 *   large_counts           makes the calls
 *   large_counts is_there  only tells whether there are such functions, from MPI 4 on: 0,
 *                          or 77
 */
#include "tests/mpi/expect.h"
#include "tests/mpi/random_case.h"

#include <stdio.h>

#define CASES 4 /* of each collective and form */

int main(int argc, char **argv)
{
    if (!HAS_LARGE_COUNTS || argc > 1) {
        (void)puts(HAS_LARGE_COUNTS ? "large_counts: there are such functions"
                                    : "large_counts: this MPI has none: skipped");
        return HAS_LARGE_COUNTS ? 0 : 77;
    }
    cases_begin(&argc, &argv);
    run.tame = true;
    for (int i = 0; i < CASES * COLLECTIVES * MTREE_FORMS; i++) {
        case_run((collective_t)(i % COLLECTIVES),
                 (mtree_form_t)(i / COLLECTIVES % MTREE_FORMS), MPI_COMM_WORLD);
    }
    return cases_end("large_counts");
}
