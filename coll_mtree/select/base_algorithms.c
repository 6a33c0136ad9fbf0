/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/select/base_algorithms.h"

#include "ompi/mca/coll/base/coll_base_functions.h"

/* Children of an inner rank, as the tuned component has it. */
#define RADIX 4

static int reduce_binomial(MTREE_PARAMETERS_reduce, mca_coll_base_module_t *module)
{
    return ompi_coll_base_reduce_intra_binomial(MTREE_ARGUMENTS_reduce, module, 0, 0);
}

static int reduce_pipeline(MTREE_PARAMETERS_reduce, mca_coll_base_module_t *module)
{
    return ompi_coll_base_reduce_intra_pipeline(MTREE_ARGUMENTS_reduce, module,
                                                MTREE_BASE_ALGORITHM_SEGMENT, 0);
}

static int bcast_binomial(MTREE_PARAMETERS_bcast, mca_coll_base_module_t *module)
{
    return ompi_coll_base_bcast_intra_binomial(MTREE_ARGUMENTS_bcast, module, 0);
}

static int bcast_knomial(MTREE_PARAMETERS_bcast, mca_coll_base_module_t *module)
{
    return ompi_coll_base_bcast_intra_knomial(MTREE_ARGUMENTS_bcast, module, 0, RADIX);
}

/* The functions, after 0 the fallback, in the order of mtree_base_algorithm_name(); they
 * keep requests and trees in their module's data. */
#define DEFINE_BASE_ALGORITHM(_name, ...)                                                \
    int coll_mtree_base_algorithm_##_name(int base_algorithm, MTREE_PARAMETERS_##_name,  \
                                          mca_coll_mtree_module_t *module)               \
    {                                                                                    \
        static int (*const functions[MTREE_BASE_ALGORITHMS + 1])(                        \
            MTREE_PARAMETERS_##_name, mca_coll_base_module_t *) = {NULL, __VA_ARGS__};   \
                                                                                         \
        if (functions[base_algorithm] == NULL) {                                         \
            return MTREE_FALLBACK(module, _name, MTREE_ARGUMENTS_##_name);               \
        }                                                                                \
        if (module->super.base_data == NULL) {                                           \
            module->super.base_data = OBJ_NEW(mca_coll_base_comm_t);                     \
        }                                                                                \
        return module->super.base_data == NULL                                           \
                   ? coll_mtree_no_memory(comm)                                          \
                   : functions[base_algorithm](MTREE_ARGUMENTS_##_name, &module->super); \
    }

DEFINE_BASE_ALGORITHM(allreduce, ompi_coll_base_allreduce_intra_recursivedoubling,
                      ompi_coll_base_allreduce_intra_ring,
                      ompi_coll_base_allreduce_intra_redscat_allgather)
DEFINE_BASE_ALGORITHM(reduce, ompi_coll_base_reduce_intra_basic_linear, reduce_binomial,
                      reduce_pipeline, ompi_coll_base_reduce_intra_redscat_gather)
DEFINE_BASE_ALGORITHM(bcast, ompi_coll_base_bcast_intra_basic_linear, bcast_binomial,
                      bcast_knomial)
DEFINE_BASE_ALGORITHM(allgather, ompi_coll_base_allgather_intra_bruck,
                      ompi_coll_base_allgather_intra_ring,
                      ompi_coll_base_allgather_intra_recursivedoubling)
DEFINE_BASE_ALGORITHM(allgatherv, ompi_coll_base_allgatherv_intra_bruck,
                      ompi_coll_base_allgatherv_intra_ring)
DEFINE_BASE_ALGORITHM(reduce_scatter,
                      ompi_coll_base_reduce_scatter_intra_basic_recursivehalving,
                      ompi_coll_base_reduce_scatter_intra_butterfly,
                      ompi_coll_base_reduce_scatter_intra_ring)
DEFINE_BASE_ALGORITHM(reduce_scatter_block,
                      ompi_coll_base_reduce_scatter_block_intra_recursivehalving,
                      ompi_coll_base_reduce_scatter_block_intra_butterfly)

/* No others are tried. */
DEFINE_BASE_ALGORITHM(barrier, NULL)
