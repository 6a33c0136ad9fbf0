/* SPDX-License-Identifier: BSD-3-Clause */
#include "papers/published/chunk_times.h"

#include "planner/plan/finish.h"

#include <math.h>

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

/* beta: seconds per byte. */
static double seconds_per_byte(const mtree_chunk_path_t *path)
{
    return 8.0 / path->rate;
}

double mtree_chunk_published_size(const mtree_chunk_path_t *path, double bytes)
{
    return mtree_chunk_size(path->num_links, path->rate, bytes, path->latency_max);
}

double mtree_chunk_published_time(const mtree_chunk_path_t *path, double bytes,
                                  double chunk)
{
    double beta = seconds_per_byte(path);

    if (path->num_links == 0) {
        return 0;
    }
    return path->latency_sum + (bytes / chunk - 1) * path->latency_max +
           (path->num_links - 1) * beta * chunk + beta * bytes;
}

double mtree_chunk_published_time_of_count(const mtree_chunk_path_t *path, double bytes,
                                           double count)
{
    return mtree_chunk_published_time(path, bytes, bytes / count);
}

double mtree_chunk_published_count(const mtree_chunk_path_t *path, double bytes)
{
    return sqrt(mtree_chunk_published_break_even(path, bytes));
}

double mtree_chunk_published_break_even(const mtree_chunk_path_t *path, double bytes)
{
    if (path->num_links < 2) {
        return 1;
    }
    return fmax(1, bytes * (path->num_links - 1) * seconds_per_byte(path) /
                       path->latency_max);
}
