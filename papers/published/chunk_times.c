/* SPDX-License-Identifier: BSD-3-Clause */
#include "papers/published/chunk_times.h"

#include <math.h>

/* beta: seconds per byte. */
static double seconds_per_byte(const mtree_chunk_path_t *path)
{
    return 8.0 / path->rate;
}

double mtree_chunk_published_size(const mtree_chunk_path_t *path, double bytes)
{
    return mtree_chunk_size(path, bytes, path->latency_max);
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
