/* SPDX-License-Identifier: BSD-3-Clause */
#include "planner/regular/programs.h"

#include "base/log.h"

#include <stdlib.h>

/* A plan that names the program @a algorithm, with the hosts in the order of their
 * numbers. */
static mtree_status_t plan_program(const mtree_problem_t *problem, const char *algorithm,
                                   mtree_plan_t **plan_p)
{
    mtree_status_t status = mtree_problem_plan(problem, algorithm, 0, plan_p);

    if (status != MTREE_OK) {
        return status;
    }
    (*plan_p)->order = malloc((size_t)problem->num_hosts * sizeof(*(*plan_p)->order));
    if ((*plan_p)->order == NULL) {
        return MTREE_ERR_NO_MEMORY;
    }
    for (int host = 0; host < problem->num_hosts; host++) {
        (*plan_p)->order[host] = host;
    }
    return MTREE_OK;
}

bool mtree_exchange_fits(const mtree_topology_t *topology, int num_hosts,
                         const mtree_plan_request_t *request)
{
    (void)topology;
    return num_hosts <= MTREE_EXCHANGE_MOST_HOSTS &&
           num_hosts * request->bytes <= MTREE_EXCHANGE_MOST_BYTES;
}

mtree_status_t mtree_exchange_plan(const mtree_problem_t *problem, mtree_plan_t **plan_p)
{
    if (!mtree_exchange_fits(problem->topology, problem->num_hosts, problem->request)) {
        mtree_error("exchange: %.0f bytes from each of %d hosts; up to %d hosts and %.0f "
                    "bytes of all together are exchanged at once",
                    problem->request->bytes, problem->num_hosts,
                    MTREE_EXCHANGE_MOST_HOSTS, MTREE_EXCHANGE_MOST_BYTES);
        return MTREE_ERR_UNSUPPORTED;
    }
    return plan_program(problem, "exchange", plan_p);
}
