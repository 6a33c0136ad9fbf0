/* SPDX-License-Identifier: BSD-3-Clause */
#include "topo/generators.h"

#include "base/log.h"
#include "base/random.h"
#include "topo/shapes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Read "4x4" into the sizes; false when it is not of that form. */
static bool read_sizes(mtree_shape_maker_t *maker, const char *text, char separator)
{
    int64_t product = 1;
    char *end;
    long size;

    for (maker->num_sizes = 0; maker->num_sizes < MTREE_SHAPE_MAX_SIZES;) {
        if (*text < '0' || *text > '9') {
            return false;
        }
        size = strtol(text, &end, 10);
        product *= (size <= MTREE_TOPOLOGY_MAX_LINKS) ? size : 0;
        if (product <= 0 || (separator == 'x' && product > MTREE_TOPOLOGY_MAX_VERTICES)) {
            return false;
        }
        maker->size[maker->num_sizes++] = (int)size;
        if (*end == '\0') {
            return true;
        }
        if (*end != separator) {
            return false;
        }
        text = end + 1;
    }
    return false;
}

mtree_status_t mtree_generate(const char *shape, const mtree_generate_request_t *request,
                              mtree_topology_t **topology_p)
{
    mtree_shape_maker_t maker = {.request = request, .status = MTREE_OK};
    size_t length = strcspn(shape, ":");
    const mtree_shape_t *found = mtree_shapes;

    while (found->name != NULL &&
           (strlen(found->name) != length || memcmp(found->name, shape, length) != 0)) {
        ++found;
    }
    if (found->name == NULL || shape[length] != ':' ||
        !read_sizes(&maker, shape + length + 1, found->separator) ||
        maker.num_sizes < found->min_sizes || maker.num_sizes > found->max_sizes) {
        mtree_error(
            "'%s' is no shape; use torus:4x4, mesh:4x4, ring:8, star:8, fattree:16, "
            "fattree:8x8, bigraph:4x8, tree:3x2x4 or random:20:60",
            shape);
        return MTREE_ERR_INVALID;
    }
    maker.topology = mtree_topology_create(shape, "generated");
    found->make(&maker);
    if (maker.status != MTREE_OK) {
        mtree_topology_destroy(maker.topology);
        return maker.status;
    }
    *topology_p = maker.topology;
    return MTREE_OK;
}

void mtree_generate_capacities(mtree_topology_t *topology, double mean, double skew,
                               uint64_t seed)
{
    /* The paper's step is 10 for a mean of 200.  The slack includes both ends. */
    int64_t least = (int64_t)ceil(20 * (1 - skew / 2) - 1e-9);
    int64_t most = (int64_t)floor(20 * (1 + skew / 2) + 1e-9);
    mtree_random_t random;
    int64_t steps;

    mtree_random_init(&random, seed);
    for (int i = 0; i < topology->num_links; ++i) {
        steps =
            least + (int64_t)mtree_random_below(&random, (uint64_t)(most - least + 1));
        topology->links[i].capacity[0] = mean / 20 * (double)steps;
        topology->links[i].capacity[1] = topology->links[i].capacity[0];
    }
}

void mtree_generate_latencies(mtree_topology_t *topology, double low, double high,
                              double least, double most)
{
    double capacity, place;

    for (int i = 0; i < topology->num_links; ++i) {
        capacity = fmin(fmax(topology->links[i].capacity[0], low), high);
        place = (high > low) ? (1 / capacity - 1 / high) / (1 / low - 1 / high) : 0;
        topology->links[i].latency = round((least + place * (most - least)) * 1e6) / 1e6;
    }
}
