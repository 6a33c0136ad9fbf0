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
    return coll_mtree_tag_range_most(tags_limit());
}

int coll_mtree_tags_reserve(mca_coll_mtree_module_t *module, int count, bool persistent)
{
    return coll_mtree_tag_range_take(&module->tags, tags_limit(), count, persistent);
}
