/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/base/tags.h"

#include "ompi/mca/pml/pml.h"

static int tags_limit(void)
{
    int limit = -MTREE_FARTHEST_TAG;

    return mca_pml.pml_max_tag < limit ? mca_pml.pml_max_tag : limit;
}

/* The ranks tell each other what they use. */
static void learn_free_slots(mca_coll_mtree_module_t *module, ompi_communicator_t *comm,
                             int count)
{
    coll_mtree_tag_slots_t *slots = &module->tags.slots;
    size_t bytes;
    int rc;

    opal_mutex_lock(&module->lock);
    bytes = coll_mtree_tag_slots_write(slots);
    opal_mutex_unlock(&module->lock);
    rc = MTREE_FALLBACK(module, allreduce, MPI_IN_PLACE, slots->bits,
                        (coll_mtree_mpi_count_t)bytes, MPI_BYTE, MPI_BOR, comm);
    if (rc == OMPI_SUCCESS) {
        opal_mutex_lock(&module->lock);
        coll_mtree_tag_slots_learn(slots, count);
        opal_mutex_unlock(&module->lock);
    }
}

bool coll_mtree_tags_has(mca_coll_mtree_module_t *module, ompi_communicator_t *comm,
                         int count)
{
    const coll_mtree_tag_slots_t *slots = &module->tags.slots;
    int most = coll_mtree_tag_range_most(tags_limit());

    if (count == 0 || most < 0) {
        return most >= 0;
    }
    if (coll_mtree_tag_slots_look(slots, count, most) == COLL_MTREE_TAG_SLOT_ASK) {
        learn_free_slots(module, comm, count);
    }
    return coll_mtree_tag_slots_look(slots, count, most) == COLL_MTREE_TAG_SLOT_THERE;
}

int coll_mtree_tags_tcp(void)
{
    return coll_mtree_tag_range_tcp(tags_limit());
}

int coll_mtree_tags_of_call(unsigned long number)
{
    return coll_mtree_tag_range_call(tags_limit(), number);
}

int coll_mtree_tags_control(mca_coll_mtree_module_t *module, int count)
{
    return coll_mtree_tag_range_control(&module->tags, tags_limit(), count);
}

int coll_mtree_tags_take_slot(mca_coll_mtree_module_t *module, int count)
{
    int slot;

    opal_mutex_lock(&module->lock);
    slot = coll_mtree_tag_slots_take(&module->tags.slots, count);
    opal_mutex_unlock(&module->lock);
    return slot;
}

int coll_mtree_tags_of_slot(mca_coll_mtree_module_t *module, int slot)
{
    return coll_mtree_tag_range_persistent(&module->tags, tags_limit(), slot);
}

void coll_mtree_tags_release_slot(mca_coll_mtree_module_t *module, int slot)
{
    opal_mutex_lock(&module->lock);
    coll_mtree_tag_slots_release(&module->tags.slots, slot);
    opal_mutex_unlock(&module->lock);
}
