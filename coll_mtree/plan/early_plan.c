/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/plan/early_plan.h"

#include "coll_mtree/base/memory.h"
#include "coll_mtree/plan/decision.h"
#include "coll_mtree/plan/planning_context.h"
#include "coll_mtree/tcp/contact.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    coll_mtree_decision_t super;
    coll_mtree_proc_group_t *group;
    coll_mtree_call_class_t call_class;
    coll_mtree_host_t hosts[]; /* [ranks], of which the names alone are known */
} early_plan_t;

static early_plan_t *early_of(coll_mtree_decision_t *decision)
{
    return MTREE_CONTAINER_OF(decision, early_plan_t, super);
}

static void early_decide(coll_mtree_decision_t *decision)
{
    early_plan_t *early = early_of(decision);
    coll_mtree_planning_context_t *context =
        coll_mtree_planning_context_get(early->group, decision->comm, early->hosts);

    if (context != NULL) {
        coll_mtree_planned_t planned =
            coll_mtree_planning_context_plan(context, decision->comm, &early->call_class);

        mtree_plan_destroy(planned.plan);
    }
}

static void early_release(coll_mtree_decision_t *decision)
{
    free(early_of(decision));
}

/* False: a process has not published it. */
static bool find_names(ompi_communicator_t *comm, coll_mtree_host_t *hosts)
{
    for (int rank = 0; rank < ompi_comm_size(comm); rank++) {
        const opal_process_name_t name = coll_mtree_process_name(comm, rank);
        coll_mtree_contact_t contact;

        if (!coll_mtree_contact_read(&name, &contact)) {
            return false;
        }
        memcpy(hosts[rank].name, contact.host, sizeof(hosts[rank].name));
    }
    return true;
}

void coll_mtree_early_plan_start(mca_coll_mtree_module_t *module,
                                 ompi_communicator_t *comm,
                                 const coll_mtree_call_class_t *call_class)
{
    size_t ranks = (size_t)ompi_comm_size(comm);
    early_plan_t *early;

    /* Between near hosts the exchange takes no longer than to ask for their names. */
    if (ompi_comm_rank(comm) != 0 || coll_mtree_contact_trip() <= 0) {
        return;
    }
    early = coll_mtree_calloc(1, sizeof(*early) + ranks * sizeof(early->hosts[0]));
    if (!find_names(comm, early->hosts)) {
        free(early);
        return;
    }
    early->group = coll_mtree_proc_group_of(module, comm);
    early->call_class = *call_class;
    early->super = (coll_mtree_decision_t){
        .comm = comm, .decide = early_decide, .release = early_release};
    coll_mtree_decision_start(&early->super, NULL);
}
