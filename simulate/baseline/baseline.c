/* SPDX-License-Identifier: BSD-3-Clause */
#include "simulate/baseline/build.h"

#include "base/log.h"

#include <stdlib.h>
#include <string.h>

/* Steps of all ranks together: some gigabytes. */
#define MAX_STEPS ((size_t)1 << 26)

static const mtree_baseline_t baselines[] = {
    {MTREE_ALLREDUCE, "basic_linear", false, mtree_build_allreduce_linear},
    {MTREE_ALLREDUCE, "nonoverlapping", false, mtree_build_allreduce_nonoverlapping},
    {MTREE_ALLREDUCE, "recursive_doubling", false, mtree_build_allreduce_doubling},
    {MTREE_ALLREDUCE, "ring", false, mtree_build_allreduce_ring},
    {MTREE_ALLREDUCE, "segmented_ring", true, mtree_build_allreduce_segmented_ring},
    {MTREE_ALLREDUCE, "rabenseifner", false, mtree_build_allreduce_rabenseifner},
    {MTREE_REDUCE, "linear", false, mtree_build_linear_reduce},
    {MTREE_REDUCE, "chain", true, mtree_build_reduce_chain},
    {MTREE_REDUCE, "pipeline", true, mtree_build_reduce_pipeline},
    {MTREE_REDUCE, "binary", true, mtree_build_reduce_binary},
    {MTREE_REDUCE, "binomial", true, mtree_build_reduce_binomial},
    {MTREE_REDUCE, "in-order_binary", true, mtree_build_reduce_in_order},
    {MTREE_REDUCE, "rabenseifner", false, mtree_build_reduce_rabenseifner},
    {MTREE_BCAST, "basic_linear", false, mtree_build_bcast_linear},
    {MTREE_BCAST, "chain", true, mtree_build_bcast_chain},
    {MTREE_BCAST, "pipeline", true, mtree_build_bcast_pipeline},
    {MTREE_BCAST, "split_binary_tree", true, mtree_build_bcast_split_binary},
    {MTREE_BCAST, "binary_tree", true, mtree_build_bcast_binary},
    {MTREE_BCAST, "binomial", true, mtree_build_bcast_binomial},
    {MTREE_BCAST, "knomial", true, mtree_build_bcast_knomial},
    {MTREE_BCAST, "scatter_allgather", false, mtree_build_bcast_scatter_allgather},
    {MTREE_BCAST, "scatter_allgather_ring", false, mtree_build_bcast_scatter_ring},
    {MTREE_ALLGATHER, "linear", false, mtree_build_allgather_linear},
    {MTREE_ALLGATHER, "bruck", false, mtree_build_allgather_bruck},
    {MTREE_ALLGATHER, "recursive_doubling", false, mtree_build_allgather_doubling},
    {MTREE_ALLGATHER, "ring", false, mtree_build_allgather_ring},
    {MTREE_ALLGATHER, "neighbor", false, mtree_build_allgather_neighbor},
    {MTREE_ALLGATHER, "two_proc", false, mtree_build_allgather_two},
    {MTREE_REDUCE_SCATTER, "non-overlapping", false,
     mtree_build_reduce_scatter_nonoverlapping},
    {MTREE_REDUCE_SCATTER, "recursive_halving", false,
     mtree_build_reduce_scatter_halving},
    {MTREE_REDUCE_SCATTER, "ring", false, mtree_build_reduce_scatter_ring},
    {MTREE_REDUCE_SCATTER, "butterfly", false, mtree_build_reduce_scatter_butterfly},
};

const mtree_baseline_t *mtree_baselines(size_t *num_p)
{
    *num_p = sizeof(baselines) / sizeof(baselines[0]);
    return baselines;
}

const mtree_baseline_t *mtree_baseline_find(mtree_collective_t collective,
                                            const char *name)
{
    size_t i;

    for (i = 0; i < sizeof(baselines) / sizeof(baselines[0]); i++) {
        if (baselines[i].collective == collective &&
            strcmp(baselines[i].name, name) == 0) {
            return &baselines[i];
        }
    }
    return NULL;
}

mtree_block_t mtree_block(size_t count, size_t parts, size_t index)
{
    const size_t longer = count % parts; /* blocks with one element more */
    const size_t base = count / parts;

    return (mtree_block_t){index * base + (index < longer ? index : longer),
                           base + (index < longer ? 1 : 0)};
}

mtree_block_t mtree_blocks(size_t count, size_t parts, size_t first, size_t last)
{
    const size_t start = mtree_block(count, parts, first).offset;

    return (mtree_block_t){start, mtree_block(count, parts, last).offset - start};
}

int mtree_power_of_two(int n)
{
    int power = 1;

    while (power <= n / 2) {
        power *= 2;
    }
    return power;
}

mtree_status_t mtree_baseline_build(const mtree_baseline_t *baseline,
                                    const mtree_baseline_call_t *call,
                                    mtree_program_t **programs_p)
{
    mtree_program_t *programs = calloc((size_t)call->num_ranks, sizeof(*programs));
    mtree_baseline_call_t mine = *call;
    mtree_status_t status = MTREE_OK;
    size_t steps = 0;

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
