/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/base/free_hook.h"

#include "coll_mtree/compat.h"

#include "base/memory.h"

#include <stdlib.h>

/* An attribute of the communicator. */
typedef struct {
    void (*func)(void *arg);
    void *arg;
} hook_t;

/* MPI_Comm_free, or MPI_Finalize for MPI_COMM_SELF, deletes attributes before all else.
 */
static int attribute_deleted(MPI_Comm comm, int keyval, void *attribute, void *extra)
{
    hook_t *hook = attribute;

    (void)comm;
    (void)keyval;
    (void)extra;
    hook->func(hook->arg);
    free(hook);
    return MPI_SUCCESS;
}

void coll_mtree_free_hook_add(ompi_communicator_t *comm, void (*func)(void *arg),
                              void *arg)
{
    const ompi_attribute_fn_ptr_union_t end = {.attr_communicator_delete_fn =
                                                   attribute_deleted};
    /* Open MPI 4.1 has one parameter more, which this function does not look at. */
    const ompi_attribute_fn_ptr_union_t copy = {
        .attr_communicator_copy_fn =
            (__typeof__(copy.attr_communicator_copy_fn))(void (*)(
                void))MPI_COMM_NULL_COPY_FN};
    hook_t *hook = mtree_malloc(sizeof(*hook));
    int key;

    *hook = (hook_t){func, arg};
    if (ompi_attr_create_keyval(COMM_ATTR, copy, end, &key, NULL, 0, NULL) !=
            OMPI_SUCCESS ||
        ompi_attr_set_c(COMM_ATTR, comm, &comm->c_keyhash, key, hook, false) !=
            OMPI_SUCCESS) {
        mtree_require(MTREE_ERR_NO_MEMORY);
    }
    /* The key lives as long as the attribute. */
    (void)ompi_attr_free_keyval(COMM_ATTR, &key, false);
}
