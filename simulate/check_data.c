/* SPDX-License-Identifier: BSD-3-Clause */
#include "simulate/check_data.h"

#include "base/log.h"

#include <stdlib.h>

mtree_status_t mtree_check_data_init(mtree_check_data_t *data,
                                     mtree_collective_t collective, int num_ranks,
                                     int root, size_t count)
{
    const size_t size = (size_t)num_ranks;
    size_t *blocks;
    size_t r;

    if (mtree_collective_check(collective) != MTREE_OK) {
        return MTREE_ERR_INVALID;
    }
    blocks = malloc((size + 1) * sizeof(size_t));
    if (blocks == NULL) {
        return MTREE_ERR_NO_MEMORY;
    }
    for (r = 0; r <= size; r++) {
        blocks[r] = r * (count / size) + (r < count % size ? r : count % size);
    }
    *data = (mtree_check_data_t){.collective = collective,
                                 .num_ranks = num_ranks,
                                 .root = root,
                                 .count = count,
                                 .blocks = blocks};
    return MTREE_OK;
}

void mtree_check_data_clear(mtree_check_data_t *data)
{
    free(data->blocks);
    data->blocks = NULL;
}

size_t mtree_check_data_sent(const mtree_check_data_t *data, int rank, int peer)
{
    return data->blocks[mtree_collective_goes_up(data->collective) ? rank : peer];
}

size_t mtree_check_data_received(const mtree_check_data_t *data, int rank, int peer)
{
    const size_t *own = &data->blocks[rank];

    if (mtree_collective_has_blocks(data->collective)) {
        return (size_t)peer * (own[1] - own[0]);
    }
    return mtree_collective_goes_up(data->collective) ? data->blocks[peer] : own[0];
}

uint32_t mtree_check_data_value(int rank, size_t index)
{
    /* Odd factors, so that no two ranks and no two adjacent elements are equal. */
    return (uint32_t)(rank + 1) * 2654435761u + (uint32_t)index * 40503u;
}

/* The sum over the first @a num_ranks ranks, in closed form. */
static uint32_t sum_of_first(int num_ranks, size_t index)
{
    const uint32_t size = (uint32_t)num_ranks;

    return (uint32_t)((uint64_t)size * (size + 1) / 2) * 2654435761u +
           size * ((uint32_t)index * 40503u);
}

static void part_range(const mtree_check_data_t *data, mtree_part_t part, int rank,
                       size_t *begin, size_t *end)
{
    *begin = part == MTREE_PART_BLOCK ? data->blocks[rank] : 0;
    *end = part == MTREE_PART_VECTOR  ? data->count
           : part == MTREE_PART_BLOCK ? data->blocks[rank + 1]
                                      : 0;
}

void mtree_check_data_input(const mtree_check_data_t *data, int rank, size_t *begin_p,
                            size_t *end_p)
{
    part_range(data, mtree_collective_input(data->collective, rank, data->root), rank,
               begin_p, end_p);
}

/* The part of its result that @a rank receives. */
static void result_range(const mtree_check_data_t *data, int rank, size_t *begin,
                         size_t *end)
{
    part_range(data, mtree_collective_result(data->collective, rank, data->root), rank,
               begin, end);
    if (mtree_collective_is_transposed(data->collective)) {
        *end = (size_t)data->num_ranks * (data->blocks[rank + 1] - data->blocks[rank]);
    }
}

/* Element @a index of the result of @a rank.  It comes from *source_p, which the caller
 * counts up from 0, where blocks are gathered. */
static uint32_t expected_value(const mtree_check_data_t *data, int rank, size_t index,
                               int *source_p)
{
    const size_t length = data->blocks[rank + 1] - data->blocks[rank];

    if (mtree_collective_is_prefix(data->collective)) {
        return sum_of_first(rank + 1, index);
    }
    if (mtree_collective_reduces(data->collective)) {
        return sum_of_first(data->num_ranks, index);
    }
    if (mtree_collective_has_root(data->collective) &&
        mtree_collective_goes_down(data->collective)) {
        return mtree_check_data_value(data->root, index);
    }
    if (mtree_collective_is_transposed(data->collective)) {
        return mtree_check_data_value((int)(index / length),
                                      data->blocks[rank] + index % length);
    }
    while (index >= data->blocks[*source_p + 1]) {
        ++*source_p;
    }
    return mtree_check_data_value(*source_p, index);
}

mtree_status_t mtree_check_data_check(const mtree_check_data_t *data, const char *name,
                                      int rank, const uint32_t *result)
{
    size_t begin, end;
    int source = 0;

    result_range(data, rank, &begin, &end);
    for (size_t i = begin; i < end; i++) {
        if (result[i] != expected_value(data, rank, i, &source)) {
            mtree_error(
                "simulator: %s by %s gives rank %d of %d a wrong element %zu of %zu; "
                "the algorithm is wrong",
                mtree_collective_name(data->collective), name, rank, data->num_ranks, i,
                data->count);
            return MTREE_ERR_TRANSPORT;
        }
    }
    return MTREE_OK;
}
