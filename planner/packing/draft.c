/* SPDX-License-Identifier: BSD-3-Clause */
#include "planner/packing/draft.h"

#include "planner/solver/lp.h"

bool mtree_draft_is_prefix(const mtree_colgen_t *colgen)
{
    return mtree_collective_is_prefix(colgen->problem->request->collective);
}

double mtree_draft_num_blocks(const mtree_colgen_t *colgen)
{
    if (mtree_draft_is_prefix(colgen)) {
        return 1.0;
    }
    return colgen->candidates->is_personalized ? colgen->candidates->num_hosts
                                               : colgen->master->num_groups;
}

double mtree_draft_blocks_per_tree(const mtree_colgen_t *colgen)
{
    return colgen->candidates->is_personalized && !mtree_draft_is_prefix(colgen)
               ? colgen->candidates->num_hosts
               : 1.0;
}

double mtree_draft_least_rate(const mtree_colgen_t *colgen)
{
    return colgen->problem->request->min_rate / mtree_draft_blocks_per_tree(colgen);
}

double mtree_draft_group_bits(const mtree_colgen_t *colgen)
{
    return 8.0 * colgen->problem->request->bytes / mtree_draft_num_blocks(colgen);
}

int mtree_draft_num_lines(const mtree_draft_t *draft)
{
    return draft->colgen->candidates->num_constraints + draft->colgen->master->num_groups;
}

bool mtree_draft_suits_lp(const mtree_draft_t *draft, int most)
{
    return mtree_lp_is_available() && !draft->is_hard &&
           mtree_draft_num_lines(draft) <= most;
}

bool mtree_draft_is_large_alltoall(const mtree_draft_t *draft)
{
    const mtree_colgen_t *colgen = draft->colgen;
    int most = colgen->problem->request->bytes > 0.0 ? MTREE_DRAFT_SHAPE_LINES
                                                     : MTREE_DRAFT_LP_LINES;

    return draft->is_hard ||
           (colgen->candidates->is_personalized && colgen->master->num_groups > 1 &&
            mtree_draft_num_lines(draft) > most);
}

bool mtree_draft_wants_few(const mtree_draft_t *draft)
{
    return draft->colgen->problem->request->max_trees > 0 &&
           draft->colgen->master->num_groups == 1;
}
