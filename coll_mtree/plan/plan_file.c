/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/plan/plan_file.h"

#include "coll_mtree/base/log.h"
#include "coll_mtree/base/params.h"

#include "base/file.h"
#include "base/memory.h"
#include "planner/plan/json.h"

#include <stdlib.h>
#include <string.h>

/* Read once per process, so that an error in it is logged once. */
static struct {
    bool is_read;
    char *text; /* [length] of the file */
    size_t length;
    mtree_plan_t *plan; /* NULL: none that can be used */
} of_user;

static mtree_status_t plan_load(const char *path)
{
    mtree_status_t status = mtree_file_read(path, &of_user.text, &of_user.length);

    if (status == MTREE_OK) {
        status = mtree_plan_from_json(of_user.text, of_user.length, path, &of_user.plan);
    }
    if (status == MTREE_OK && of_user.plan->num_relays > 0) {
        mtree_error("%s: it has relays, and jobs plan with relays themselves; save one "
                    "without --relays",
                    path);
        mtree_plan_destroy(of_user.plan);
        status = MTREE_ERR_UNSUPPORTED;
    }
    return status;
}

/* NULL when none is given or it cannot be used. */
static const mtree_plan_t *plan_read(void)
{
    const char *path = coll_mtree_params.plan;

    if (!of_user.is_read && path != NULL && path[0] != '\0') {
        of_user.is_read = true;
        mtree_log_about("coll_mtree_plan", "planned as without it");
        if (plan_load(path) != MTREE_OK) {
            of_user.plan = NULL;
        }
        mtree_log_about(NULL, NULL);
    }
    return of_user.plan;
}

void coll_mtree_plan_file_close(void)
{
    mtree_plan_destroy(of_user.plan);
    free(of_user.text);
    memset(&of_user, 0, sizeof(of_user));
}

/* Is one of the first @a count numbers @a number? */
static bool is_among(const int *numbers, int count, int number)
{
    while (count > 0 && numbers[count - 1] != number) {
        count--;
    }
    return count > 0;
}

/* The number in @a hosts of each host of @a plan.  NULL: they are not the same hosts. */
static int *plan_host_numbers(const mtree_plan_t *plan,
                              const coll_mtree_plan_hosts_t *hosts)
{
    int num_hosts = hosts->num_hosts;
    int *number;

    if (plan->num_hosts != num_hosts) {
        return NULL;
    }
    number = mtree_malloc((size_t)num_hosts * sizeof(*number));
    for (int i = 0; i < num_hosts; i++) {
        int vertex = mtree_topology_find_host(hosts->topology, plan->hosts[i]);

        number[i] = 0;
        while (number[i] < num_hosts && hosts->vertices[number[i]] != vertex) {
            number[i]++;
        }
        /* All found and none twice, by whatever spellings, means the same set. */
        if (number[i] == num_hosts || is_among(number, i, number[i])) {
            free(number);
            return NULL;
        }
    }
    return number;
}

mtree_plan_t *coll_mtree_plan_file_get(ompi_communicator_t *comm,
                                       const coll_mtree_plan_hosts_t *hosts,
                                       const coll_mtree_call_class_t *call_class)
{
    const mtree_plan_t *plan = plan_read();
    mtree_plan_t *fitting = NULL;
    int *number;

    if (plan == NULL || plan->collective != call_class->collective) {
        return NULL;
    }
    number = plan_host_numbers(plan, hosts);
    if (number == NULL && coll_mtree_log_is_first("hosts of coll_mtree_plan")) {
        coll_mtree_verbose(comm, 0,
                           "coll_mtree_plan: %s: its %d hosts are not the %d of this "
                           "communicator; planned as without it",
                           coll_mtree_params.plan, plan->num_hosts, hosts->num_hosts);
    }
    if (number != NULL &&
        (call_class->root < 0 || number[plan->root] == call_class->root)) {
        mtree_require(mtree_plan_from_json(of_user.text, of_user.length,
                                           coll_mtree_params.plan, &fitting));
        mtree_plan_renumber(fitting, number);
    }
    free(number);
    return fitting;
}
