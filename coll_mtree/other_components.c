/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/coll_mtree.h"

#include "opal/mca/base/base.h"
#include "opal/mca/base/mca_base_framework.h"

#include <stdio.h>
#include <stdlib.h>

/* Does the user's list name the components to open, and not those to leave out? */
static bool is_list_of_names(const char *selection)
{
    return selection != NULL && selection[0] != '\0' && selection[0] != '^';
}

/*
 * Find and open what @a copy selects, and give it to the coll framework, if it wants to
 * run.  It goes to the front of the list, where Open MPI, which asks one component after
 * the other, has already been.
 */
static int open_others(mca_base_framework_t *copy, bool enable_progress_threads,
                       bool enable_mpi_threads)
{
    mca_base_component_list_item_t *item, *next;
    int rc = mca_base_framework_components_register(copy, MCA_BASE_REGISTER_DEFAULT);

    if (rc == OPAL_SUCCESS) {
        rc = mca_base_framework_components_open(copy, MCA_BASE_OPEN_DEFAULT);
    }
    OPAL_LIST_FOREACH_SAFE(item, next, &copy->framework_components,
                           mca_base_component_list_item_t)
    {
        const mca_coll_base_component_t *component =
            (const mca_coll_base_component_t *)item->cli_component;

        opal_list_remove_item(&copy->framework_components, &item->super);
        if (rc == OPAL_SUCCESS &&
            component->collm_init_query(enable_progress_threads, enable_mpi_threads) ==
                OMPI_SUCCESS) {
            opal_list_prepend(&ompi_coll_base_framework.framework_components,
                              &item->super);
        } else {
            mca_base_component_close(item->cli_component, copy->framework_output);
            OBJ_RELEASE(item);
        }
    }
    return rc;
}

/*
 * Components are found through a framework's selection, so a copy of the coll framework
 * that leaves out what the user named finds all others.
 */
int coll_mtree_open_other_components(bool enable_progress_threads,
                                     bool enable_mpi_threads)
{
    mca_base_framework_t copy = ompi_coll_base_framework;
    char *selection;
    int rc;

    if (!is_list_of_names(copy.framework_selection)) {
        return OMPI_SUCCESS;
    }
    if (asprintf(&selection, "^%s", copy.framework_selection) < 0) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    copy.framework_selection = selection;
    OBJ_CONSTRUCT(&copy.framework_components, opal_list_t);
    OBJ_CONSTRUCT(&copy.framework_failed_components, opal_list_t);
    rc = open_others(&copy, enable_progress_threads, enable_mpi_threads);
    OPAL_LIST_DESTRUCT(&copy.framework_failed_components);
    OBJ_DESTRUCT(&copy.framework_components);
    free(selection);
    return rc;
}
