/* SPDX-License-Identifier: BSD-3-Clause */
#include "simulate/check_data.h"

#include "base/log.h"

#include <stdlib.h>

mtree_status_t mtree_check_data_init(mtree_check_data_t *sample,
                                     mtree_collective_t collective, int num_ranks,
                                     int root, size_t count)
{
    const size_t size = (size_t)num_ranks;
    size_t *blocks = malloc((size + 1) * sizeof(size_t));
    size_t r;

    if (blocks == NULL) {
        return MTREE_ERR_NO_MEMORY;
    }
    for (r = 0; r <= size; r++) {
        blocks[r] = r * (count / size) + (r < count % size ? r : count % size);
    }
    *sample = (mtree_check_data_t){.collective = collective,
                                   .num_ranks = num_ranks,
                                   .root = root,
                                   .count = count,
                                   .blocks = blocks};
    return MTREE_OK;
}

void mtree_check_data_clear(mtree_check_data_t *sample)
{
    free(sample->blocks);
    sample->blocks = NULL;
}

uint32_t mtree_check_data_value(int rank, size_t index)
{
    /* Odd factors, so that no two ranks and no two elements near each other agree. */
    return (uint32_t)(rank + 1) * 2654435761u + (uint32_t)index * 40503u;
}

/* The sum over all ranks, in closed form. */
static uint32_t sample_sum(const mtree_check_data_t *sample, size_t index)
{
    const uint32_t size = (uint32_t)sample->num_ranks;

    return (uint32_t)((uint64_t)size * (size + 1) / 2) * 2654435761u +
           size * ((uint32_t)index * 40503u);
}

/* The elements that rank @a rank must have. */
static void sample_range(const mtree_check_data_t *sample, int rank, size_t *begin,
                         size_t *end)
{
    *begin = 0;
    *end = sample->count;
    if (sample->collective == MTREE_REDUCE_SCATTER) {
        *begin = sample->blocks[rank];
        *end = sample->blocks[rank + 1];
    } else if (sample->collective == MTREE_REDUCE && rank != sample->root) {
        *end = 0;
    }
}

mtree_status_t mtree_check_data_check(const mtree_check_data_t *sample, const char *name,
                                      int rank, const uint32_t *result)
{
    size_t i, begin, end;
    uint32_t value;
    int source = 0;

    sample_range(sample, rank, &begin, &end);
    for (i = begin; i < end; i++) {
        value = sample_sum(sample, i);
        if (sample->collective == MTREE_BCAST) {
            value = mtree_check_data_value(sample->root, i);
        } else if (sample->collective == MTREE_ALLGATHER) {
            while (i >= sample->blocks[source + 1]) {
                source++;
            }
            value = mtree_check_data_value(source, i);
        }
        if (result[i] != value) {
            mtree_error(
                "simulator: %s by %s gives rank %d of %d a wrong element %zu of %zu; "
                "the algorithm is wrong",
                mtree_collective_name(sample->collective), name, rank, sample->num_ranks,
                i, sample->count);
            return MTREE_ERR_TRANSPORT;
        }
    }
    return MTREE_OK;
}
