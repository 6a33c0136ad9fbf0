/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/base/finalize_hooks.h"

#include "coll_mtree/base/memory.h"
#include "coll_mtree/compat.h"

#include <assert.h>

/* Attributes of MPI_COMM_SELF point into `funcs`; it has room for all callers. */
#define MOST_FUNCS 4

static coll_mtree_finalize_func_t funcs[MOST_FUNCS];
static int num_funcs;

/* MPI_Finalize deletes the attributes of MPI_COMM_SELF before all else. */
static int attribute_deleted(MPI_Comm comm, int keyval, void *attribute, void *extra)
{
    const coll_mtree_finalize_func_t *func = attribute;

    (void)comm;
    (void)keyval;
    (void)extra;
    (*func)();
    return MPI_SUCCESS;
}

void coll_mtree_finalize_hook_add(coll_mtree_finalize_func_t func)
{
    ompi_attribute_fn_ptr_union_t end = {.attr_communicator_delete_fn =
                                             attribute_deleted};
    ompi_communicator_t *self = &ompi_mpi_comm_self.comm;
    int key;

    assert(num_funcs < MOST_FUNCS);
    funcs[num_funcs] = func;
    if (ompi_attr_create_keyval(COMM_ATTR, coll_mtree_copy_nothing(), end, &key, NULL, 0,
                                NULL) != OMPI_SUCCESS ||
        ompi_attr_set_c(COMM_ATTR, self, &self->c_keyhash, key, &funcs[num_funcs],
                        false) != OMPI_SUCCESS) {
        coll_mtree_require(MTREE_ERR_NO_MEMORY);
    }
    num_funcs++;
    /* The key lives as long as the attribute. */
    (void)ompi_attr_free_keyval(COMM_ATTR, &key, false);
}
