/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/base/tags.h"

#include "ompi/mca/pml/pml.h"

static int tags_limit(void)
{
    int limit = -MCA_COLL_BASE_TAG_NONBLOCKING_END;

    return mca_pml.pml_max_tag < limit ? mca_pml.pml_max_tag : limit;
}

int coll_mtree_tags_most(void)
{
    return tags_limit() / 4;
}

int coll_mtree_tags_reserve(mca_coll_mtree_module_t *module, int count, bool persistent)
{
    coll_mtree_tags_t *tags = &module->tags[persistent];
    int first = tags_limit() / 2 + (persistent ? coll_mtree_tags_most() : 0);

    if (tags->taken > coll_mtree_tags_most() - count) {
        tags->taken = 0;
    }
    first += tags->taken;
    tags->taken += count;
    return -first;
}
