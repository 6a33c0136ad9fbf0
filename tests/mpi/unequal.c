/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls whose size only some ranks know: blocking ones agree on it and are served,
 * nonblocking ones are once that has been done, and persistent ones agree by themselves.
 */
#include "tests/mpi/expect.h"
#include "tests/mpi/random_case.h"
#include "tests/mpi/served.h"

#include <unistd.h>

/* While rank 0 plans the fallback serves. */
#define MOST_CALLS 2000
#define PAUSE_US   1000

/* Is a call of @a form served by mtree?  Blocks differ; all calls have the same. */
static bool is_served(mtree_form_t form)
{
    static const choice_t choice = {.kind = ITEM_COMPLEX, .block = -1};
    long before = served_calls();

    run.choice = &choice;
    run.common.state = 1;
    case_run(ALLTOALLV, form, MPI_COMM_WORLD);
    return served_calls() > before;
}

int main(int argc, char **argv)
{
    int calls = 0;

    served_open();
    MPI_Init(&argc, &argv);
    items_init();
    mtree_expect(!is_served(MTREE_NONBLOCKING_FORM),
                 "a nonblocking call was served before any rank could know its size");
    while (!is_served(MTREE_BLOCKING_FORM) && ++calls < MOST_CALLS) {
        usleep(PAUSE_US);
    }
    mtree_expect(calls < MOST_CALLS, "no blocking call was served");
    mtree_expect(is_served(MTREE_NONBLOCKING_FORM),
                 "a nonblocking call was not served after blocking ones");
    mtree_expect(is_served(MTREE_PERSISTENT_FORM), "a persistent call was not served");
    items_cleanup();
    served_close();
    return mtree_expect_end("unequal");
}
