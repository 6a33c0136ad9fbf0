/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/select/base_algorithms.h"

#include "coll_mtree/base/log.h"
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

static int allgather_bruck(MTREE_PARAMETERS_allgather, mca_coll_base_module_t *module)
{
    return MTREE_ALLGATHER_BRUCK(MTREE_ARGUMENTS_allgather, module);
}

/* The functions by the numbers of simulate/forecast/forecast.h; 0 is the fallback.  They
 * keep requests and trees in the module's base_data. */
#define DEFINE_BASE_ALGORITHM(_name, ...)                                                \
    int coll_mtree_base_algorithm_##_name(int base_algorithm, MTREE_PARAMETERS_##_name,  \
                                          mca_coll_mtree_module_t *module)               \
    {                                                                                    \
        static int (*const functions[MTREE_BASE_ALGORITHMS + 1])(                        \
            MTREE_PARAMETERS_##_name, mca_coll_base_module_t *) = {__VA_ARGS__};         \
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

DEFINE_BASE_ALGORITHM(
    allreduce,
    [MTREE_BASE_ALLREDUCE_DOUBLING] = ompi_coll_base_allreduce_intra_recursivedoubling,
    [MTREE_BASE_ALLREDUCE_RING] = ompi_coll_base_allreduce_intra_ring,
    [MTREE_BASE_ALLREDUCE_RABENSEIFNER] =
        ompi_coll_base_allreduce_intra_redscat_allgather)
DEFINE_BASE_ALGORITHM(
    reduce, [MTREE_BASE_REDUCE_LINEAR] = ompi_coll_base_reduce_intra_basic_linear,
    [MTREE_BASE_REDUCE_BINOMIAL] = reduce_binomial,
    [MTREE_BASE_REDUCE_PIPELINE] = reduce_pipeline,
    [MTREE_BASE_REDUCE_RABENSEIFNER] = ompi_coll_base_reduce_intra_redscat_gather)
DEFINE_BASE_ALGORITHM(
    bcast, [MTREE_BASE_BCAST_LINEAR] = ompi_coll_base_bcast_intra_basic_linear,
    [MTREE_BASE_BCAST_BINOMIAL] = bcast_binomial,
    [MTREE_BASE_BCAST_KNOMIAL] = bcast_knomial)
DEFINE_BASE_ALGORITHM(
    allgather, [MTREE_BASE_ALLGATHER_BRUCK] = allgather_bruck,
    [MTREE_BASE_ALLGATHER_RING] = ompi_coll_base_allgather_intra_ring,
    [MTREE_BASE_ALLGATHER_DOUBLING] = ompi_coll_base_allgather_intra_recursivedoubling)
DEFINE_BASE_ALGORITHM(
    allgatherv, [MTREE_BASE_ALLGATHER_BRUCK] = ompi_coll_base_allgatherv_intra_bruck,
    [MTREE_BASE_ALLGATHER_RING] = ompi_coll_base_allgatherv_intra_ring)
DEFINE_BASE_ALGORITHM(
    reduce_scatter,
    [MTREE_BASE_REDUCE_SCATTER_HALVING] =
        ompi_coll_base_reduce_scatter_intra_basic_recursivehalving,
    [MTREE_BASE_REDUCE_SCATTER_BUTTERFLY] = ompi_coll_base_reduce_scatter_intra_butterfly,
    [MTREE_BASE_REDUCE_SCATTER_RING] = ompi_coll_base_reduce_scatter_intra_ring)
DEFINE_BASE_ALGORITHM(reduce_scatter_block,
                      [MTREE_BASE_REDUCE_SCATTER_HALVING] =
                          ompi_coll_base_reduce_scatter_block_intra_recursivehalving,
                      [MTREE_BASE_REDUCE_SCATTER_BUTTERFLY] =
                          ompi_coll_base_reduce_scatter_block_intra_butterfly)

DEFINE_BASE_ALGORITHM(
    gather, [MTREE_BASE_GATHER_LINEAR] = ompi_coll_base_gather_intra_basic_linear,
    [MTREE_BASE_GATHER_BINOMIAL] = ompi_coll_base_gather_intra_binomial)
DEFINE_BASE_ALGORITHM(gatherv, NULL)
DEFINE_BASE_ALGORITHM(
    scatter, [MTREE_BASE_SCATTER_LINEAR] = ompi_coll_base_scatter_intra_basic_linear,
    [MTREE_BASE_SCATTER_BINOMIAL] = ompi_coll_base_scatter_intra_binomial)
DEFINE_BASE_ALGORITHM(scatterv, NULL)
DEFINE_BASE_ALGORITHM(
    alltoall, [MTREE_BASE_ALLTOALL_LINEAR] = ompi_coll_base_alltoall_intra_basic_linear,
    [MTREE_BASE_ALLTOALL_PAIRWISE] = ompi_coll_base_alltoall_intra_pairwise,
    [MTREE_BASE_ALLTOALL_BRUCK] = ompi_coll_base_alltoall_intra_bruck)
DEFINE_BASE_ALGORITHM(
    alltoallv, [MTREE_BASE_ALLTOALL_LINEAR] = ompi_coll_base_alltoallv_intra_basic_linear,
    [MTREE_BASE_ALLTOALL_PAIRWISE] = ompi_coll_base_alltoallv_intra_pairwise)
DEFINE_BASE_ALGORITHM(alltoallw, NULL)

DEFINE_BASE_ALGORITHM(
    scan, [MTREE_BASE_SCAN_LINEAR] = ompi_coll_base_scan_intra_linear,
    [MTREE_BASE_SCAN_DOUBLING] = ompi_coll_base_scan_intra_recursivedoubling)
DEFINE_BASE_ALGORITHM(
    exscan, [MTREE_BASE_SCAN_LINEAR] = ompi_coll_base_exscan_intra_linear,
    [MTREE_BASE_SCAN_DOUBLING] = ompi_coll_base_exscan_intra_recursivedoubling)

/* Barriers have no other algorithm. */
DEFINE_BASE_ALGORITHM(barrier, NULL)
