#include "simulate/probe.h"

#include "topo/log.h"

#include <stdlib.h>

mtree_status_t mtree_probe_init(mtree_probe_t *probe, mtree_collective_t collective,
                                int num_ranks, int root, size_t count)
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
    *probe = (mtree_probe_t){.collective = collective,
                             .num_ranks = num_ranks,
                             .root = root,
                             .count = count,
                             .blocks = blocks};
    return MTREE_OK;
}

void mtree_probe_clear(mtree_probe_t *probe)
{
    free(probe->blocks);
    probe->blocks = NULL;
}

uint32_t mtree_probe_value(int rank, size_t index)
{
    /* Odd factors, so that no two ranks and no two elements near each other agree. */
    return (uint32_t)(rank + 1) * 2654435761u + (uint32_t)index * 40503u;
}

/* The sum over all ranks, in closed form. */
static uint32_t probe_sum(const mtree_probe_t *probe, size_t index)
{
    const uint32_t size = (uint32_t)probe->num_ranks;

    return (uint32_t)((uint64_t)size * (size + 1) / 2) * 2654435761u +
           size * ((uint32_t)index * 40503u);
}

/* The elements that rank @a rank must have. */
static void probe_range(const mtree_probe_t *probe, int rank, size_t *begin, size_t *end)
{
    *begin = 0;
    *end = probe->count;
    if (probe->collective == MTREE_REDUCE_SCATTER) {
        *begin = probe->blocks[rank];
        *end = probe->blocks[rank + 1];
    } else if (probe->collective == MTREE_REDUCE && rank != probe->root) {
        *end = 0;
    }
}

mtree_status_t mtree_probe_check(const mtree_probe_t *probe, const char *name, int rank,
                                 const uint32_t *result)
{
    size_t i, begin, end;
    uint32_t value;
    int source = 0;

    probe_range(probe, rank, &begin, &end);
    for (i = begin; i < end; i++) {
        value = probe_sum(probe, i);
        if (probe->collective == MTREE_BCAST) {
            value = mtree_probe_value(probe->root, i);
        } else if (probe->collective == MTREE_ALLGATHER) {
            while (i >= probe->blocks[source + 1]) {
                source++;
            }
            value = mtree_probe_value(source, i);
        }
        if (result[i] != value) {
            mtree_error(
                "simulator: %s by %s gives rank %d of %d a wrong element %zu of %zu; "
                "the algorithm is wrong",
                mtree_collective_name(probe->collective), name, rank, probe->num_ranks, i,
                probe->count);
            return MTREE_ERR_TRANSPORT;
        }
    }
    return MTREE_OK;
}
