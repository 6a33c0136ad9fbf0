/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/topology/user_files.h"

#include "coll_mtree/base/log.h"
#include "coll_mtree/base/params.h"
#include "coll_mtree/coll_mtree.h"

#include "base/file.h"
#include "planner/plan/json.h"
#include "topo/dot/read.h"

#include <stdlib.h>

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
