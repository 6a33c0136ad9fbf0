/* SPDX-License-Identifier: BSD-3-Clause */
#include "simulate/baseline/algorithms.h"

#include "base/log.h"

#include <stdlib.h>

/* Steps of all ranks together: some gigabytes. */
#define MAX_STEPS ((size_t)1 << 26)

#define LIST(_collective, _name, ...) [_collective] = &mtree_baselines_##_name,

static const mtree_baseline_list_t *const lists[] = {MTREE_COLLECTIVES(LIST, )};

/* NULL: no collective has this value. */
static const mtree_baseline_list_t *list_of(mtree_collective_t collective)
{
    return mtree_collective_traits(collective) == NULL ? NULL : lists[collective];
}

const mtree_baseline_t *mtree_baselines(mtree_collective_t collective, size_t *num_p)
{
    const mtree_baseline_list_t *list = list_of(collective);

    *num_p = list == NULL ? 0 : list->num_algorithms;
    return list == NULL ? NULL : list->algorithms;
}

const mtree_baseline_t *mtree_baseline_find(mtree_collective_t collective,
                                            const char *name)
{
    const mtree_baseline_list_t *list = list_of(collective);

    return list == NULL ? NULL : mtree_rules_find(list, name);
}

const mtree_baseline_t *mtree_baseline_default(mtree_collective_t collective,
                                               int num_ranks, size_t bytes)
{
    const mtree_baseline_list_t *list = list_of(collective);

    return list == NULL ? NULL : mtree_rules_choose(list, num_ranks, bytes);
}

mtree_status_t mtree_baseline_build(const mtree_baseline_t *baseline,
                                    const mtree_baseline_call_t *call,
                                    mtree_program_t **programs_p)
{
    mtree_program_t *programs = calloc((size_t)call->num_ranks, sizeof(*programs));
    mtree_baseline_call_t mine = *call;
    mtree_status_t status = MTREE_OK;
    size_t steps = 0;

    mine.tree = baseline->tree;
    if (programs == NULL) {
        return MTREE_ERR_NO_MEMORY;
    }
    for (mine.rank = 0; mine.rank < call->num_ranks && status == MTREE_OK; mine.rank++) {
        if (call->num_ranks > 1) {
            baseline->build(&programs[mine.rank], &mine);
        }
        status = programs[mine.rank].status;
        steps += programs[mine.rank].num_steps;
        if (steps > MAX_STEPS) {
            mtree_error(
                "simulator: %s takes more than %zu steps; ask for longer segments, "
                "a shorter message or fewer ranks",
                baseline->name, MAX_STEPS);
            status = MTREE_ERR_LIMIT;
        }
    }
    if (status != MTREE_OK) {
        mtree_baseline_destroy(programs, call->num_ranks);
        return status;
    }
    *programs_p = programs;
    return MTREE_OK;
}

void mtree_baseline_destroy(mtree_program_t *programs, int num_ranks)
{
    int r;

    if (programs == NULL) {
        return;
    }
    for (r = 0; r < num_ranks; r++) {
        mtree_program_clear(&programs[r]);
    }
    free(programs);
}
