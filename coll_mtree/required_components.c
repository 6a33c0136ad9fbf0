/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/coll_mtree.h"

#include "opal/mca/base/base.h"
#include "opal/mca/base/mca_base_component_repository.h"
#include "opal/mca/base/mca_base_framework.h"

#include <stdio.h>
#include <string.h>

/*
 * `--mca coll mtree` leaves nothing to serve what mtree does not, and MPI_Init would
 * abort.  These are Open MPI's own components that together serve every function of every
 * kind of communicator; the last one agrees where processes are lost, as shrinking needs.
 */
#define REQUIRED_COMPONENTS "basic,libnbc,self,inter,tuned"
#define SURVIVOR_COMPONENTS REQUIRED_COMPONENTS ",ftagree"

/* Those that stage buffers in the memory of devices, where Open MPI was built with them.
 */
static const char *const device_components[] = {"cuda", "accelerator"};

/* Bytes of the list of all. */
#define LONGEST_SELECTION 96

static bool mtree_is_alone(void)
{
    mca_base_component_list_item_t *item;

    if (opal_list_get_size(&ompi_coll_base_framework.framework_components) != 1) {
        return false;
    }
    item = (mca_base_component_list_item_t *)opal_list_get_first(
        &ompi_coll_base_framework.framework_components);
    return strcmp(item->cli_component->mca_component_name, "mtree") == 0;
}

/* Is there a coll component @a name, in Open MPI's library or as a file? */
static bool is_available(mca_base_framework_t *framework, const char *name)
{
    const mca_base_component_t *own;
    const mca_base_component_repository_item_t *item;
    opal_list_t *files;

    for (int c = 0; (own = coll_mtree_static_component(framework, c)) != NULL; c++) {
        if (strcmp(own->mca_component_name, name) == 0) {
            return true;
        }
    }
    if (mca_base_component_repository_get_components(framework, &files) != OPAL_SUCCESS) {
        return false;
    }
    OPAL_LIST_FOREACH(item, files, mca_base_component_repository_item_t)
    {
        if (strcmp(item->ri_name, name) == 0) {
            return true;
        }
    }
    return false;
}

/* Open MPI ends a job whose selection names a component that is not there. */
static void write_selection(char selection[LONGEST_SELECTION])
{
    size_t length = (size_t)snprintf(selection, LONGEST_SELECTION, "%s",
                                     coll_mtree_survives() ? SURVIVOR_COMPONENTS
                                                           : REQUIRED_COMPONENTS);

    for (size_t c = 0; c < sizeof(device_components) / sizeof(*device_components); c++) {
        if (is_available(&ompi_coll_base_framework, device_components[c])) {
            length += (size_t)snprintf(selection + length, LONGEST_SELECTION - length,
                                       ",%s", device_components[c]);
        }
    }
}

/*
 * Components are found through a framework's selection, so a copy of the coll framework
 * with another selection and empty lists finds the companions; they then join the real
 * list, which closes them at the end.
 */
int coll_mtree_open_required_components(bool enable_progress_threads,
                                        bool enable_mpi_threads)
{
    mca_base_framework_t copy = ompi_coll_base_framework;
    mca_base_component_list_item_t *item, *next;
    char selection[LONGEST_SELECTION];
    int rc;

    if (!mtree_is_alone()) {
        return OMPI_SUCCESS;
    }
    write_selection(selection);
    copy.framework_selection = selection;
    OBJ_CONSTRUCT(&copy.framework_components, opal_list_t);
    OBJ_CONSTRUCT(&copy.framework_failed_components, opal_list_t);
    rc = mca_base_framework_components_register(&copy, MCA_BASE_REGISTER_DEFAULT);
    if (rc == OPAL_SUCCESS) {
        rc = mca_base_framework_components_open(&copy, MCA_BASE_OPEN_DEFAULT);
    }
    OPAL_LIST_FOREACH_SAFE(item, next, &copy.framework_components,
                           mca_base_component_list_item_t)
    {
        const mca_coll_base_component_t *component =
            (const mca_coll_base_component_t *)item->cli_component;

        opal_list_remove_item(&copy.framework_components, &item->super);
        if (rc == OPAL_SUCCESS &&
            component->collm_init_query(enable_progress_threads, enable_mpi_threads) ==
                OMPI_SUCCESS) {
            opal_list_append(&ompi_coll_base_framework.framework_components,
                             &item->super);
        } else {
            mca_base_component_close(item->cli_component, copy.framework_output);
            OBJ_RELEASE(item);
        }
    }
    OPAL_LIST_DESTRUCT(&copy.framework_failed_components);
    OBJ_DESTRUCT(&copy.framework_components);
    return rc;
}
