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
    char *text; /* [length]; NULL: none that can be used */
    size_t length;
    mtree_plan_t *plan; /* of the text */
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
        of_user.plan = NULL;
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

/* The number in @a vertices [num_hosts] of the host that the plan calls @a name; -1: it
 * is none of these. */
static int find_number(const mtree_topology_t *topology, const int *vertices,
                       int num_hosts, const char *name)
{
    const int vertex = mtree_topology_find_host(topology, name);
    int number = num_hosts - 1;

    while (number >= 0 && vertices[number] != vertex) {
        number--;
    }
    return number;
}

static void swap(int *numbers, int a, int b)
{
    const int number = numbers[a];

    numbers[a] = numbers[b];
    numbers[b] = number;
}

void coll_mtree_plan_file_number(const mtree_topology_t *topology, int *vertices,
                                 coll_mtree_host_numbers_t *numbers)
{
    const mtree_plan_t *plan = plan_read();
    int *renumbered;

    if (plan == NULL || plan->num_hosts != numbers->num_hosts) {
        return;
    }
    for (int i = 0; i < numbers->num_hosts; i++) {
        int number = find_number(topology, vertices, numbers->num_hosts, plan->hosts[i]);

        if (number > i) {
            swap(vertices, i, number);
            swap(numbers->first, i, number);
        }
    }
    renumbered = mtree_malloc((size_t)numbers->num_hosts * sizeof(*renumbered));
    for (int i = 0; i < numbers->num_hosts; i++) {
        renumbered[numbers->host[numbers->first[i]]] = i;
    }
    for (int rank = 0; rank < numbers->num_ranks; rank++) {
        numbers->host[rank] = renumbered[numbers->host[rank]];
    }
    free(renumbered);
}

/* Has @a plan the same hosts by the same numbers? */
static bool fits(const mtree_plan_t *plan, const coll_mtree_plan_hosts_t *hosts)
{
    int host = 0;

    while (plan->num_hosts == hosts->num_hosts && host < plan->num_hosts &&
           mtree_topology_find_host(hosts->topology, plan->hosts[host]) ==
               hosts->vertices[host]) {
        host++;
    }
    return host == hosts->num_hosts;
}

mtree_plan_t *coll_mtree_plan_file_get(ompi_communicator_t *comm,
                                       const coll_mtree_plan_hosts_t *hosts,
                                       const coll_mtree_call_class_t *call_class)
{
    const mtree_plan_t *plan = plan_read();
    mtree_plan_t *own;

    if (plan == NULL || plan->collective != call_class->collective) {
        return NULL;
    }
    if (!fits(plan, hosts)) {
        if (coll_mtree_log_is_first("hosts of coll_mtree_plan")) {
            coll_mtree_verbose(comm, 0,
                               "coll_mtree_plan: %s: its %d hosts are not the %d of this "
                               "communicator; planned as without it",
                               coll_mtree_params.plan, plan->num_hosts, hosts->num_hosts);
        }
        return NULL;
    }
    if (call_class->root >= 0 && plan->root != call_class->root) {
        return NULL;
    }
    mtree_require(
        mtree_plan_from_json(of_user.text, of_user.length, coll_mtree_params.plan, &own));
    return own;
}
