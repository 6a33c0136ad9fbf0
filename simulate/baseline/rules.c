/* SPDX-License-Identifier: BSD-3-Clause */
#include "simulate/baseline/baseline.h"

#include <limits.h>

/*
 * The fixed decision of Open MPI 4.1.4 (ompi/mca/coll/tuned/coll_tuned_decision_fixed.c)
 * for commutative operations, as facts: the first row whose limits are above the number
 * of ranks and the number of bytes holds.  A chain stands there without a fanout, which
 * makes it the pipeline.
 */
typedef struct {
    int ranks_below;
    size_t bytes_below;
    const char *name;
} rule_t;

#define ANY_RANKS INT_MAX
#define ANY_BYTES SIZE_MAX

static const rule_t allreduce_rules[] = {
    {4, 8, "ring"},
    {4, 4096, "recursive_doubling"},
    {4, 8192, "ring"},
    {4, 16384, "recursive_doubling"},
    {4, 65536, "ring"},
    {4, 262144, "segmented_ring"},
    {4, ANY_BYTES, "rabenseifner"},
    {8, 16, "ring"},
    {8, 8192, "recursive_doubling"},
    {8, ANY_BYTES, "rabenseifner"},
    {16, 8192, "recursive_doubling"},
    {16, ANY_BYTES, "rabenseifner"},
    {32, 64, "segmented_ring"},
    {32, 4096, "recursive_doubling"},
    {32, ANY_BYTES, "rabenseifner"},
    {64, 128, "segmented_ring"},
    {64, ANY_BYTES, "rabenseifner"},
    {128, 262144, "recursive_doubling"},
    {128, ANY_BYTES, "rabenseifner"},
    {256, 131072, "nonoverlapping"},
    {256, 262144, "recursive_doubling"},
    {256, ANY_BYTES, "rabenseifner"},
    {512, 4096, "nonoverlapping"},
    {512, ANY_BYTES, "rabenseifner"},
    {2048, 2048, "nonoverlapping"},
    {2048, 16384, "recursive_doubling"},
    {2048, ANY_BYTES, "rabenseifner"},
    {4096, 2048, "nonoverlapping"},
    {4096, 4096, "segmented_ring"},
    {4096, 16384, "recursive_doubling"},
    {4096, ANY_BYTES, "rabenseifner"},
    {ANY_RANKS, 2048, "nonoverlapping"},
    {ANY_RANKS, 16384, "segmented_ring"},
    {ANY_RANKS, 32768, "recursive_doubling"},
    {ANY_RANKS, ANY_BYTES, "rabenseifner"},
};

static const rule_t bcast_rules[] = {
    {4, 32, "pipeline"},
    {4, 256, "binary_tree"},
    {4, 512, "pipeline"},
    {4, 1024, "knomial"},
    {4, 32768, "basic_linear"},
    {4, 131072, "binary_tree"},
    {4, 262144, "pipeline"},
    {4, 524288, "basic_linear"},
    {4, 1048576, "binomial"},
    {4, ANY_BYTES, "binary_tree"},
    {8, 64, "binary_tree"},
    {8, 128, "binomial"},
    {8, 2048, "binary_tree"},
    {8, 8192, "binomial"},
    {8, 1048576, "basic_linear"},
    {8, ANY_BYTES, "pipeline"},
    {16, 8, "knomial"},
    {16, 64, "binary_tree"},
    {16, 4096, "knomial"},
    {16, 16384, "binary_tree"},
    {16, 32768, "binomial"},
    {16, ANY_BYTES, "basic_linear"},
    {32, 4096, "knomial"},
    {32, 1048576, "binomial"},
    {32, ANY_BYTES, "scatter_allgather"},
    {64, 2048, "binomial"},
    {64, ANY_BYTES, "knomial"},
    {128, ANY_BYTES, "knomial"},
    {256, 2, "binomial"},
    {256, 16384, "binary_tree"},
    {256, 32768, "basic_linear"},
    {256, 65536, "binary_tree"},
    {256, ANY_BYTES, "knomial"},
    {1024, 16384, "knomial"},
    {1024, 32768, "split_binary_tree"},
    {1024, ANY_BYTES, "knomial"},
    {2048, 524288, "knomial"},
    {2048, ANY_BYTES, "scatter_allgather"},
    {4096, 262144, "knomial"},
    {4096, ANY_BYTES, "scatter_allgather"},
    {ANY_RANKS, 8192, "knomial"},
    {ANY_RANKS, 16384, "binary_tree"},
    {ANY_RANKS, 262144, "knomial"},
    {ANY_RANKS, ANY_BYTES, "scatter_allgather"},
};

static const rule_t reduce_rules[] = {
    {4, 8, "rabenseifner"},
    {4, 16, "binary"},
    {4, 32, "pipeline"},
    {4, 262144, "linear"},
    {4, ANY_BYTES, "pipeline"},
    {8, 4096, "binary"},
    {8, 65536, "pipeline"},
    {8, 262144, "binomial"},
    {8, 524288, "linear"},
    {8, 1048576, "binomial"},
    {8, ANY_BYTES, "linear"},
    {16, 8192, "binary"},
    {16, ANY_BYTES, "binomial"},
    {32, 4096, "binary"},
    {32, ANY_BYTES, "binomial"},
    {256, ANY_BYTES, "binomial"},
    {512, 8192, "binomial"},
    {512, 16384, "in-order_binary"},
    {512, ANY_BYTES, "binomial"},
    {2048, ANY_BYTES, "binomial"},
    {4096, 512, "binomial"},
    {4096, 1024, "in-order_binary"},
    {4096, 8192, "binomial"},
    {4096, 16384, "in-order_binary"},
    {4096, ANY_BYTES, "binomial"},
    {ANY_RANKS, 16, "binomial"},
    {ANY_RANKS, 32, "in-order_binary"},
    {ANY_RANKS, 1024, "binomial"},
    {ANY_RANKS, 2048, "in-order_binary"},
    {ANY_RANKS, 8192, "binomial"},
    {ANY_RANKS, 16384, "in-order_binary"},
    {ANY_RANKS, ANY_BYTES, "binomial"},
};

static const rule_t reduce_scatter_rules[] = {
    {4, 65536, "ring"},
    {4, 131072, "butterfly"},
    {4, ANY_BYTES, "ring"},
    {8, 8, "non-overlapping"},
    {8, 262144, "recursive_halving"},
    {8, ANY_BYTES, "ring"},
    {32, 262144, "recursive_halving"},
    {32, ANY_BYTES, "ring"},
    {64, 64, "non-overlapping"},
    {64, 2048, "recursive_halving"},
    {64, 524288, "butterfly"},
    {64, ANY_BYTES, "ring"},
    {128, 256, "non-overlapping"},
    {128, 512, "recursive_halving"},
    {128, 2048, "butterfly"},
    {128, 4096, "recursive_halving"},
    {128, ANY_BYTES, "butterfly"},
    {256, 256, "non-overlapping"},
    {256, 512, "recursive_halving"},
    {256, ANY_BYTES, "butterfly"},
    {512, 256, "non-overlapping"},
    {512, 1024, "recursive_halving"},
    {512, ANY_BYTES, "butterfly"},
    {1024, 512, "non-overlapping"},
    {1024, 2048, "recursive_halving"},
    {1024, 8192, "butterfly"},
    {1024, 16384, "recursive_halving"},
    {1024, ANY_BYTES, "butterfly"},
    {2048, 512, "non-overlapping"},
    {2048, 4096, "recursive_halving"},
    {2048, 16384, "butterfly"},
    {2048, 32768, "recursive_halving"},
    {2048, ANY_BYTES, "butterfly"},
    {4096, 512, "non-overlapping"},
    {4096, 4096, "recursive_halving"},
    {4096, ANY_BYTES, "butterfly"},
    {ANY_RANKS, 1024, "non-overlapping"},
    {ANY_RANKS, 8192, "recursive_halving"},
    {ANY_RANKS, ANY_BYTES, "butterfly"},
};

static const rule_t allgather_rules[] = {
    {3, ANY_BYTES, "two_proc"},
    {32, ANY_BYTES, "recursive_doubling"},
    {64, 1024, "recursive_doubling"},
    {64, 65536, "neighbor"},
    {64, ANY_BYTES, "ring"},
    {128, 512, "recursive_doubling"},
    {128, 65536, "neighbor"},
    {128, ANY_BYTES, "ring"},
    {256, 512, "recursive_doubling"},
    {256, 131072, "neighbor"},
    {256, 524288, "ring"},
    {256, 1048576, "neighbor"},
    {256, ANY_BYTES, "ring"},
    {512, 32, "recursive_doubling"},
    {512, 128, "bruck"},
    {512, 1024, "recursive_doubling"},
    {512, 131072, "neighbor"},
    {512, 524288, "ring"},
    {512, 1048576, "neighbor"},
    {512, ANY_BYTES, "ring"},
    {1024, 64, "recursive_doubling"},
    {1024, 256, "bruck"},
    {1024, 2048, "recursive_doubling"},
    {1024, ANY_BYTES, "neighbor"},
    {2048, 4, "recursive_doubling"},
    {2048, 8, "bruck"},
    {2048, 16, "recursive_doubling"},
    {2048, 32, "bruck"},
    {2048, 256, "recursive_doubling"},
    {2048, 512, "bruck"},
    {2048, 4096, "recursive_doubling"},
    {2048, ANY_BYTES, "neighbor"},
    {4096, 32, "bruck"},
    {4096, 128, "recursive_doubling"},
    {4096, 512, "bruck"},
    {4096, 4096, "recursive_doubling"},
    {4096, ANY_BYTES, "neighbor"},
    {ANY_RANKS, 2, "recursive_doubling"},
    {ANY_RANKS, 8, "bruck"},
    {ANY_RANKS, 16, "recursive_doubling"},
    {ANY_RANKS, 512, "bruck"},
    {ANY_RANKS, 4096, "recursive_doubling"},
    {ANY_RANKS, ANY_BYTES, "neighbor"},
};

static const rule_t *const rules[MTREE_COLLECTIVE_LAST] = {
    [MTREE_ALLREDUCE] = allreduce_rules,
    [MTREE_REDUCE] = reduce_rules,
    [MTREE_BCAST] = bcast_rules,
    [MTREE_ALLGATHER] = allgather_rules,
    [MTREE_REDUCE_SCATTER] = reduce_scatter_rules,
};

const mtree_baseline_t *mtree_baseline_default(mtree_collective_t collective,
                                               int num_ranks, size_t bytes)
{
    const mtree_collective_traits_t *traits = mtree_collective_traits(collective);
    const rule_t *rule = traits == NULL ? NULL : rules[collective];

    if (rule == NULL) {
        return NULL;
    }
    /* Open MPI decides on what one rank contributes. */
    if (traits->input == MTREE_PART_BLOCK) {
        bytes /= (size_t)num_ranks;
    }
    while (rule->ranks_below != ANY_RANKS && num_ranks >= rule->ranks_below) {
        rule++;
    }
    while (rule->bytes_below != ANY_BYTES && bytes >= rule->bytes_below) {
        rule++;
    }
    return mtree_baseline_find(collective, rule->name);
}
