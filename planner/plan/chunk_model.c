/* SPDX-License-Identifier: BSD-3-Clause */
#include "planner/plan/chunk_model.h"

#include <math.h>

#define BITS_PER_BYTE 8.0
#define CHUNK_ALIGN   64.0

mtree_chunk_path_t mtree_chunk_path(const mtree_tree_t *tree, int num_hosts,
                                    mtree_collective_t collective)
{
    int passes = mtree_collective_passes(collective);
    double widest = mtree_tree_widest(tree, num_hosts, collective);
    mtree_chunk_path_t path = {.rate = tree->rate * widest,
                               .num_links = passes * mtree_tree_height(tree, num_hosts),
                               .latency_sum = passes * mtree_tree_depth(tree, num_hosts)};

    for (int host = 0; host < num_hosts; host++) {
        path.latency_max = fmax(path.latency_max, tree->latency[host]);
    }
    return path;
}

/* The minimum of a/mu + b mu over 0 < mu <= bytes, where the overhead is paid v/mu
 * times. */
double mtree_chunk_size(const mtree_chunk_path_t *path, double bytes, double overhead)
{
    const double beta = BITS_PER_BYTE / path->rate;

    if (path->num_links < 2) {
        return bytes;
    }
    return fmin(bytes, sqrt(bytes * overhead / ((path->num_links - 1) * beta)));
}

size_t mtree_chunk_bytes(double size)
{
    if (size < CHUNK_ALIGN) {
        return size < 1 ? 1 : (size_t)ceil(size);
    }
    return (size_t)(ceil(size / CHUNK_ALIGN) * CHUNK_ALIGN);
}
