/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/base/fallback.h"

#include "opal/mca/base/mca_base_var.h"
#include "opal/mca/base/mca_base_var_group.h"

#include <stdatomic.h>
#include <string.h>

static bool find_configured(void)
{
    int index = mca_base_var_group_find("ompi", "coll", "tuned");
    const mca_base_var_group_t *group;
    const mca_base_var_t *variable;

    if (index < 0 || mca_base_var_group_get(index, &group) != OPAL_SUCCESS) {
        return false;
    }
    for (size_t i = 0;
         i < opal_value_array_get_size((opal_value_array_t *)&group->group_vars); i++) {
        if (mca_base_var_get(OPAL_VALUE_ARRAY_GET_ITEM(&group->group_vars, int, i),
                             &variable) == OPAL_SUCCESS &&
            variable->mbv_source != MCA_BASE_VAR_SOURCE_DEFAULT) {
            return true;
        }
    }
    return false;
}

bool coll_mtree_fallback_is_configured(void)
{
    static atomic_int answer; /* 1: yes; -1: no; 0: it has not been looked up */

    if (atomic_load(&answer) == 0) {
        atomic_store(&answer, find_configured() ? 1 : -1);
    }
    return atomic_load(&answer) > 0;
}

/* A component in front of mtree may serve some forms, which its nonblocking ones show. */
static const coll_mtree_fallback_t *fallback_of(ompi_communicator_t *comm)
{
    mca_coll_base_module_t *base = comm->c_coll->coll_iallreduce_module;

    return base->super.obj_class == OBJ_CLASS(mca_coll_mtree_module_t)
               ? &((mca_coll_mtree_module_t *)base)->fallback
               : NULL;
}

/* The name of the class of modules that serves @a collective on @a comm where mtree does
 * not, static; NULL: not known, or the user has set a parameter of coll/tuned. */
static const char *fallback_name(ompi_communicator_t *comm, mtree_collective_t collective)
{
    const coll_mtree_fallback_t *fallback = fallback_of(comm);
    const mca_coll_base_module_t *modules[MTREE_COLLECTIVE_LAST] = {NULL};

    if (fallback == NULL || coll_mtree_fallback_is_configured()) {
        return NULL;
    }
    modules[MTREE_ALLREDUCE] = fallback->coll_allreduce_module;
    modules[MTREE_REDUCE] = fallback->coll_reduce_module;
    modules[MTREE_BCAST] = fallback->coll_bcast_module;
    modules[MTREE_ALLGATHER] = fallback->coll_allgather_module;
    modules[MTREE_REDUCE_SCATTER] = fallback->coll_reduce_scatter_module;
    modules[MTREE_SCATTER] = fallback->coll_scatter_module;
    modules[MTREE_GATHER] = fallback->coll_gather_module;
    modules[MTREE_ALLTOALL] = fallback->coll_alltoall_module;
    modules[MTREE_SCAN] = fallback->coll_scan_module;
    return modules[collective] == NULL ? NULL
                                       : modules[collective]->super.obj_class->cls_name;
}

bool coll_mtree_fallback_has_fixed_rules(ompi_communicator_t *comm,
                                         mtree_collective_t collective)
{
    const char *name = fallback_name(comm, collective);
    /* The tuned component leaves scans to basic, which has one algorithm. */
    const char *known =
        collective == MTREE_SCAN ? "mca_coll_basic_module_t" : "mca_coll_tuned_module_t";

    return name != NULL && strcmp(name, known) == 0;
}
