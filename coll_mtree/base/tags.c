/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/base/tags.h"

#include "ompi/mca/pml/pml.h"

int coll_mtree_tags_limit(void)
{
    int limit = -MTREE_FARTHEST_TAG;

    return mca_pml.pml_max_tag < limit ? mca_pml.pml_max_tag : limit;
}

/* The ranks tell each other what they use. */
static void learn_free_slots(mca_coll_mtree_module_t *module, ompi_communicator_t *comm)
{
    coll_mtree_tag_slots_t *slots = &module->tags.slots;
    size_t bytes = coll_mtree_tag_slots_write(slots);

    if (MTREE_FALLBACK(module, allreduce, MPI_IN_PLACE, slots->bits,
                       (coll_mtree_mpi_count_t)bytes, MPI_BYTE, MPI_BOR,
                       comm) == OMPI_SUCCESS) {
        coll_mtree_tag_slots_learn(slots);
    }
}

bool coll_mtree_tags_has(mca_coll_mtree_module_t *module, ompi_communicator_t *comm,
                         bool persistent)
{
    const coll_mtree_tag_slots_t *slots = &module->tags.slots;
    int most = coll_mtree_tag_range_most(module->tags.limit);

    if (!persistent || most < 0) {
        return most >= 0;
    }
    if (coll_mtree_tag_slots_look(slots, most) == COLL_MTREE_TAG_SLOT_ASK) {
        learn_free_slots(module, comm);
    }
    return coll_mtree_tag_slots_look(slots, most) == COLL_MTREE_TAG_SLOT_THERE;
}
