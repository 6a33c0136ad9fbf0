/* SPDX-License-Identifier: BSD-3-Clause */
#include "simulate/baseline/rules.h"

#include <string.h>

const mtree_baseline_t *mtree_rules_find(const mtree_baseline_list_t *list,
                                         const char *name)
{
    for (size_t i = 0; i < list->num_algorithms; i++) {
        if (strcmp(list->algorithms[i].name, name) == 0) {
            return &list->algorithms[i];
        }
    }
    return NULL;
}

const mtree_baseline_t *mtree_rules_choose(const mtree_baseline_list_t *list,
                                           int num_ranks, size_t bytes)
{
    const mtree_collective_t collective = list->algorithms->collective;
    const mtree_rule_t *rule = list->rules;

    /* Open MPI decides on what one rank contributes. */
    if (mtree_collective_traits(collective)->input == MTREE_PART_BLOCK) {
        bytes /= (size_t)num_ranks;
    }
    while (rule->ranks_below != MTREE_ANY && num_ranks >= rule->ranks_below) {
        rule++;
    }
    while (rule->bytes_below != MTREE_ANY && bytes >= rule->bytes_below) {
        rule++;
    }
    return mtree_rules_find(list, rule->name);
}

void mtree_rules_build(const mtree_baseline_list_t *list, mtree_program_t *program,
                       const mtree_baseline_call_t *call)
{
    const mtree_baseline_t *baseline =
        mtree_rules_choose(list, call->num_ranks, call->count * call->element_bytes);
    mtree_baseline_call_t part = *call;

    part.segment = 0;
    part.tree = baseline->tree;
    baseline->build(program, &part);
}
