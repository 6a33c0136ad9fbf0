/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/base/tags.h"

#include "ompi/mca/pml/pml.h"

static int tags_limit(void)
{
    int limit = -MCA_COLL_BASE_TAG_HCOLL_END;

    return mca_pml.pml_max_tag < limit ? mca_pml.pml_max_tag : limit;
}

bool coll_mtree_tags_has(const mca_coll_mtree_module_t *module, int count)
{
    return coll_mtree_tag_range_has(&module->tags, tags_limit(), count);
}

int coll_mtree_tags_of_call(unsigned long number)
{
    return coll_mtree_tag_range_call(tags_limit(), number);
}

int coll_mtree_tags_control(mca_coll_mtree_module_t *module, int count)
{
    return coll_mtree_tag_range_control(&module->tags, tags_limit(), count);
}

int coll_mtree_tags_persistent(mca_coll_mtree_module_t *module, int count)
{
    return coll_mtree_tag_range_persistent(&module->tags, tags_limit(), count);
}
