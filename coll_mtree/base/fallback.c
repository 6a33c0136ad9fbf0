/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/base/fallback.h"

#include "opal/mca/base/mca_base_var.h"
#include "opal/mca/base/mca_base_var_group.h"

#include <stdatomic.h>
#include <string.h>

/* The user has set a parameter of coll/tuned. */
static atomic_bool is_configured;

void coll_mtree_fallback_look_up(void)
{
    int index = mca_base_var_group_find("ompi", "coll", "tuned");
    const mca_base_var_group_t *group;
    const mca_base_var_t *variable;

    if (index < 0 || mca_base_var_group_get(index, &group) != OPAL_SUCCESS) {
        return;
    }
    for (size_t i = 0;
         i < opal_value_array_get_size((opal_value_array_t *)&group->group_vars); i++) {
        if (mca_base_var_get(OPAL_VALUE_ARRAY_GET_ITEM(&group->group_vars, int, i),
                             &variable) == OPAL_SUCCESS &&
            variable->mbv_source != MCA_BASE_VAR_SOURCE_DEFAULT) {
            is_configured = true;
        }
    }
}

/* The name of the class of modules that serves @a collective where mtree does not. */
static const char *class_name(const coll_mtree_fallback_t *fallback,
                              mtree_collective_t collective)
{
    const mca_coll_base_module_t *modules[MTREE_COLLECTIVE_LAST] = {
        [MTREE_ALLREDUCE] = fallback->coll_allreduce_module,
        [MTREE_REDUCE] = fallback->coll_reduce_module,
        [MTREE_BCAST] = fallback->coll_bcast_module,
        [MTREE_ALLGATHER] = fallback->coll_allgather_module,
        [MTREE_REDUCE_SCATTER] = fallback->coll_reduce_scatter_module,
        [MTREE_SCATTER] = fallback->coll_scatter_module,
        [MTREE_GATHER] = fallback->coll_gather_module,
        [MTREE_ALLTOALL] = fallback->coll_alltoall_module,
        [MTREE_SCAN] = fallback->coll_scan_module};

    return modules[collective] == NULL ? ""
                                       : modules[collective]->super.obj_class->cls_name;
}

bool coll_mtree_fallback_has_fixed_rules(ompi_communicator_t *comm,
                                         mtree_collective_t collective)
{
    /* A component in front of mtree may serve some forms, which its nonblocking ones
     * show. */
    mca_coll_base_module_t *base = comm->c_coll->coll_iallreduce_module;
    /* The tuned component leaves scans to basic, which has one algorithm. */
    const char *known =
        collective == MTREE_SCAN ? "mca_coll_basic_module_t" : "mca_coll_tuned_module_t";

    return !is_configured &&
           base->super.obj_class == OBJ_CLASS(mca_coll_mtree_module_t) &&
           strcmp(class_name(&((mca_coll_mtree_module_t *)base)->fallback, collective),
                  known) == 0;
}
