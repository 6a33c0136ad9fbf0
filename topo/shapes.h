/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The shapes of topologies that mtree_generate() makes.  Internal to it.
 */
#ifndef MTREE_TOPO_SHAPES_H
#define MTREE_TOPO_SHAPES_H

#include "topo/generators.h"

#define MTREE_SHAPE_MAX_SIZES 3

/* After a fault vertices and links are no longer added, so shapes need not check. */
typedef struct {
    const mtree_generate_request_t *request;
    int size[MTREE_SHAPE_MAX_SIZES];
    int num_sizes;
    mtree_topology_t *topology;
    mtree_status_t status; /* of the first fault, which has been logged */
} mtree_shape_maker_t;

typedef struct {
    const char *name;
    char separator; /* between the sizes */
    int min_sizes, max_sizes;
    void (*make)(mtree_shape_maker_t *maker); /* into the empty topology */
} mtree_shape_t;

/* The shapes, up to one without a name. */
extern const mtree_shape_t mtree_shapes[];

#endif
