/* SPDX-License-Identifier: BSD-3-Clause */
#include "topo/adjacency.h"

#include "base/log.h"

#include <stdlib.h>
#include <string.h>

mtree_status_t mtree_adjacency_init(mtree_adjacency_t *adjacency,
                                    const mtree_topology_t *topology)
{
    int num_arcs = 2 * topology->num_links;
    int num_vertices = topology->num_vertices;
    int *first = calloc((size_t)num_vertices + 1, sizeof(*first));
    int *next = malloc(((size_t)num_vertices + 1) * sizeof(*next));
    int *entering = malloc(((size_t)num_arcs + 1) * sizeof(*entering));
    int *arcs = malloc(((size_t)num_arcs + 1) * sizeof(*arcs));
    mtree_status_t status = MTREE_OK;

    if (first == NULL || next == NULL || entering == NULL || arcs == NULL) {
        status = mtree_no_memory("%d arcs", num_arcs);
        free(first);
        free(arcs);
        goto out_free;
    }
    for (int i = 0; i < num_arcs; ++i) {
        ++first[mtree_arc_from(topology, i) + 1];
    }
    for (int i = 0; i < num_vertices; ++i) {
        first[i + 1] += first[i];
    }
    /* As many arcs enter a vertex as leave it.  Distributing them first by the vertex
     * they enter and then by that they leave sorts them by both. */
    memcpy(next, first, ((size_t)num_vertices + 1) * sizeof(*next));
    for (int i = 0; i < num_arcs; ++i) {
        entering[next[mtree_arc_to(topology, i)]++] = i;
    }
    memcpy(next, first, ((size_t)num_vertices + 1) * sizeof(*next));
    for (int i = 0; i < num_arcs; ++i) {
        arcs[next[mtree_arc_from(topology, entering[i])]++] = entering[i];
    }
    adjacency->first = first;
    adjacency->arcs = arcs;

out_free:
    free(next);
    free(entering);
    return status;
}

void mtree_adjacency_cleanup(mtree_adjacency_t *adjacency)
{
    free(adjacency->first);
    free(adjacency->arcs);
}
