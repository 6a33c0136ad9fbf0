/* SPDX-License-Identifier: BSD-3-Clause */
#include "simulate/baseline/algorithms.h"

#include "base/log.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

/* Steps of all ranks together: some gigabytes. */
#define MAX_STEPS ((size_t)1 << 26)

#define LIST(_collective, _name, ...) [_collective] = &mtree_baselines_##_name,

static const mtree_baseline_list_t *const lists[] = {MTREE_COLLECTIVES(LIST, )};

/* The list of @a collective; no algorithms: no collective has this value. */
static const mtree_baseline_list_t *list_of(mtree_collective_t collective)
{
    static const mtree_baseline_list_t none = {0};

    return mtree_collective_traits(collective) == NULL ? &none : lists[collective];
}

const mtree_baseline_t *mtree_baselines(mtree_collective_t collective, size_t *num_p)
{
    *num_p = list_of(collective)->num_algorithms;
    return list_of(collective)->algorithms;
}

const mtree_baseline_t *mtree_baseline_find(mtree_collective_t collective,
                                            const char *name)
{
    const mtree_baseline_list_t *list = list_of(collective);

    for (size_t i = 0; i < list->num_algorithms; i++) {
        if (strcmp(list->algorithms[i].name, name) == 0) {
            return &list->algorithms[i];
        }
    }
    return NULL;
}

const mtree_baseline_t *mtree_baseline_default(mtree_openmpi_t openmpi,
                                               mtree_collective_t collective,
                                               int num_ranks, size_t bytes)
{
    const mtree_baseline_list_t *list = list_of(collective);
    const mtree_rule_t *rule = list->rules;

    if (rule == NULL) {
        return NULL;
    }
    if (openmpi.apart && openmpi.release >= MTREE_OPENMPI_6_1 &&
        list->rules_apart != NULL) {
        rule = list->rules_apart;
    }
    /* Where ranks have blocks that are not summed, Open MPI decides on the size of one.
     */
    if (mtree_collective_is_personalized(collective) ||
        mtree_collective_traits(collective)->input == MTREE_PART_BLOCK) {
        bytes /= (size_t)num_ranks;
    }
    while (rule->ranks_below != MTREE_ANY && num_ranks >= rule->ranks_below) {
        rule++;
    }
    while (rule->bytes_below != MTREE_ANY && bytes >= rule->bytes_below) {
        rule++;
    }
    return mtree_baseline_find(collective, rule->name);
}

void mtree_build_default(const mtree_baseline_call_t *call, mtree_collective_t collective)
{
    const mtree_baseline_t *baseline = mtree_baseline_default(
        call->openmpi, collective, call->num_ranks, call->count * call->element_bytes);
    mtree_baseline_call_t part = *call;

    part.segment = 0;
    part.tree = baseline->tree;
    baseline->build(&part);
}

/* Are there too many steps even if each rank took but one for a segment of half the
 * vector?  Those of one rank would not fit in memory. */
static bool has_too_many_segments(const mtree_baseline_t *baseline,
                                  const mtree_baseline_call_t *call)
{
    return baseline->segments && call->segment > 0 && call->num_ranks > 1 &&
           call->count / call->segment / 2 > MAX_STEPS / (size_t)call->num_ranks;
}

static mtree_status_t refuse_steps(const mtree_baseline_t *baseline)
{
    mtree_error("simulator: %s takes more than %zu steps; ask for longer segments, "
                "a shorter message or fewer ranks",
                baseline->name, MAX_STEPS);
    return MTREE_ERR_LIMIT;
}

mtree_status_t mtree_baseline_build(const mtree_baseline_t *baseline,
                                    const mtree_baseline_call_t *call,
                                    mtree_program_t **programs_p)
{
    mtree_program_t *programs;
    mtree_baseline_call_t mine = *call;
    size_t steps = 0;

    if (has_too_many_segments(baseline, call)) {
        return refuse_steps(baseline);
    }
    programs = mtree_calloc((size_t)call->num_ranks, sizeof(*programs));
    mine.tree = baseline->tree;
    mine.root = mtree_collective_has_root(baseline->collective) ? call->root : 0;
    for (mine.rank = 0; mine.rank < call->num_ranks; mine.rank++) {
        mine.program = &programs[mine.rank];
        mine.program->without_copies = call->without_copies;
        if (call->num_ranks > 1) {
            if (baseline->collective == MTREE_BCAST && mine.rank == mine.root) {
                mtree_add_input(&mine); /* as a part of another, it has its data there */
            }
            baseline->build(&mine);
        }
        steps += programs[mine.rank].num_steps;
        if (steps > MAX_STEPS) {
            mtree_baseline_destroy(programs, call->num_ranks);
            return refuse_steps(baseline);
        }
    }
    *programs_p = programs;
    return MTREE_OK;
}

void mtree_baseline_destroy(mtree_program_t *programs, int num_ranks)
{
    for (int r = 0; programs != NULL && r < num_ranks; r++) {
        free(programs[r].steps);
    }
    free(programs);
}
