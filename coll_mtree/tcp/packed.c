/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/tcp/packed.h"

#include "coll_mtree/base/memory.h"

#include <stdlib.h>

typedef struct {
    mtree_completion_t super;
    mtree_completion_t *done;       /* the caller's */
    coll_mtree_elements_t elements; /* of a receive; of a send none */
    char bytes[];
} packed_t;

bool coll_mtree_packed_is_needless(const ompi_datatype_t *type)
{
    ptrdiff_t lower, true_extent, extent;
    size_t size;

    ompi_datatype_type_size(type, &size);
    ompi_datatype_type_extent(type, &extent);
    ompi_datatype_get_true_extent(type, &lower, &true_extent);
    return lower == 0 && extent == (ptrdiff_t)size && true_extent == extent &&
           opal_datatype_is_contiguous_memory_layout(&type->super, 2);
}

static void packed_ended(mtree_completion_t *super, mtree_status_t status)
{
    packed_t *packed = (packed_t *)super;
    mtree_completion_t *done = packed->done;

    if (status == MTREE_OK && !super->empty && packed->elements.count > 0) {
        coll_mtree_unpack(&packed->elements, 0, packed->bytes,
                          coll_mtree_elements_bytes(&packed->elements));
    }
    done->empty = super->empty;
    free(packed);
    done->func(done, status);
}

mtree_completion_t *coll_mtree_packed_begin(const coll_mtree_elements_t *elements,
                                            bool sends, mtree_completion_t *done,
                                            void **bytes_p)
{
    size_t bytes = coll_mtree_elements_bytes(elements);
    packed_t *packed = coll_mtree_malloc(sizeof(*packed) + bytes);

    *packed = (packed_t){.super.func = packed_ended, .done = done};
    if (sends) {
        coll_mtree_pack(elements, 0, packed->bytes, bytes);
    } else {
        packed->elements = *elements;
    }
    *bytes_p = packed->bytes;
    return &packed->super;
}

void coll_mtree_packed_drop(mtree_completion_t *packed)
{
    free(packed);
}
