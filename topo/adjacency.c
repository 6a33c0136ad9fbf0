#include "topo/adjacency.h"

#include "topo/log.h"

#include <stdlib.h>
#include <string.h>

mtree_status_t mtree_adjacency_init(mtree_adjacency_t *adjacency,
                                    const mtree_topology_t *topology)
{
    int num_arcs = 2 * topology->num_links;
    int *first = calloc(topology->num_vertices + 2, sizeof(*first));
    int *arcs = malloc((num_arcs + 1) * sizeof(*arcs));
    int arc, i;

    if (first == NULL || arcs == NULL) {
        free(first);
        free(arcs);
        mtree_error("out of memory for %d arcs", num_arcs);
        return MTREE_ERR_NO_MEMORY;
    }
    /* Counted two places up and summed, first[v + 1] is where v starts; it ends where v +
     * 1 starts when each arc has moved it on by one. */
    for (arc = 0; arc < num_arcs; ++arc) {
        ++first[mtree_arc_from(topology, arc) + 2];
    }
    for (i = 2; i < topology->num_vertices + 2; ++i) {
        first[i] += first[i - 1];
    }
    for (arc = 0; arc < num_arcs; ++arc) {
        arcs[first[mtree_arc_from(topology, arc) + 1]++] = arc;
    }
    adjacency->first = first;
    adjacency->arcs = arcs;
    return MTREE_OK;
}

void mtree_adjacency_cleanup(mtree_adjacency_t *adjacency)
{
    free(adjacency->first);
    free(adjacency->arcs);
}
