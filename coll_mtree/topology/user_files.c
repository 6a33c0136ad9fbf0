/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/topology/user_files.h"

#include "coll_mtree/base/log.h"
#include "coll_mtree/base/params.h"
#include "coll_mtree/coll_mtree.h"

#include "base/file.h"
#include "planner/plan/json.h"
#include "topo/dot/read.h"

#include <math.h>
#include <stdlib.h>

/* Seconds of a round trip that is long, and of the longest on earth. */
#define LONG_TRIP 0.002
#define MOST_TRIP 0.5

static mtree_topology_t *topology;
static mtree_plan_t *plan;
static bool topology_read, plan_read;

const mtree_topology_t *coll_mtree_user_files_topology(void)
{
    const char *path = coll_mtree_params.topology;

    if (!topology_read) {
        topology_read = true;
        coll_mtree_log_about("coll_mtree_topology", "the fallback serves");
        if (mtree_topology_read(path, &topology) != MTREE_OK) {
            topology = NULL;
        }
        coll_mtree_log_about(NULL, NULL);
    }
    return topology;
}

double coll_mtree_user_files_trip(void)
{
    const mtree_topology_t *of = coll_mtree_params_topology() == COLL_MTREE_TOPOLOGY_FILE
                                     ? coll_mtree_user_files_topology()
                                     : NULL;
    double sum = 0, longest = 0;

    for (int l = 0; of != NULL && l < of->num_links; l++) {
        if (of->links[l].num_cables > 0) {
            return 0;
        }
        sum += of->links[l].latency;
        longest = fmax(longest, of->links[l].latency);
    }
    /* No way takes a link twice. */
    return 2 * longest >= LONG_TRIP ? fmin(2 * sum, MOST_TRIP) : 0;
}

static mtree_status_t plan_load(const char *path)
{
    size_t length;
    char *text;
    mtree_status_t status = mtree_file_read(path, &text, &length);

    if (status == MTREE_OK) {
        status = mtree_plan_from_json(text, length, path, &plan);
        free(text);
    }
    return status;
}

const mtree_plan_t *coll_mtree_user_files_plan(void)
{
    const char *path = coll_mtree_params.plan;

    if (!plan_read && path != NULL && path[0] != '\0') {
        plan_read = true;
        coll_mtree_log_about("coll_mtree_plan", "planned as without it");
        if (plan_load(path) != MTREE_OK) {
            plan = NULL;
        }
        coll_mtree_log_about(NULL, NULL);
    }
    return plan;
}

void coll_mtree_user_files_close(void)
{
    mtree_topology_destroy(topology);
    mtree_plan_destroy(plan);
    topology = NULL;
    plan = NULL;
    topology_read = plan_read = false;
}
