/* SPDX-License-Identifier: BSD-3-Clause */
#include "planner/packing/enumerate.h"

#include <math.h>
#include <string.h>

double mtree_enumerate_count(const mtree_candidates_t *candidates)
{
    double matrix[MTREE_ENUMERATE_MAX_HOSTS][MTREE_ENUMERATE_MAX_HOSTS] = {{0.0}};
    int size = candidates->num_hosts - 1;
    double count = 1.0;

    if (candidates->num_hosts > MTREE_ENUMERATE_MAX_HOSTS) {
        return INFINITY;
    }
    for (int edge = 0; edge < candidates->num_edges; ++edge) {
        int u = candidates->from[edge], v = candidates->to[edge];

        matrix[u][u] += 1.0;
        matrix[v][v] += 1.0;
        matrix[u][v] -= 1.0;
        matrix[v][u] -= 1.0;
    }
    /* The last host's line is left out; the rest is positive definite, so no pivoting is
     * needed. */
    for (int i = 0; i < size; ++i) {
        count *= matrix[i][i];
        for (int row = i + 1; row < size; ++row) {
            double factor = matrix[row][i] / matrix[i][i];

            for (int column = i; column < size; ++column) {
                matrix[row][column] -= factor * matrix[i][column];
            }
        }
    }
    return round(count);
}

typedef struct {
    const mtree_candidates_t *candidates;
    mtree_columns_t *columns;
    int edges[MTREE_ENUMERATE_MAX_HOSTS];
    int num_edges;
} search_t;

/* Join the parts of both ends of an edge; false when they are one. */
static bool join(const mtree_candidates_t *candidates, int edge, signed char *part)
{
    signed char keep = part[candidates->from[edge]], lose = part[candidates->to[edge]];

    if (keep == lose) {
        return false;
    }
    for (int i = 0; i < candidates->num_hosts; ++i) {
        part[i] = part[i] == lose ? keep : part[i];
    }
    return true;
}

/* Can the edges from @a first on still connect the parts, of which there are @a
 * num_parts? */
static bool can_span(const mtree_candidates_t *candidates, int first,
                     const signed char *part, int num_parts)
{
    signed char joined[MTREE_ENUMERATE_MAX_HOSTS];

    memcpy(joined, part, (size_t)candidates->num_hosts);
    for (int edge = first; edge < candidates->num_edges && num_parts > 1; ++edge) {
        num_parts -= join(candidates, edge, joined);
    }
    return num_parts == 1;
}

/*
 * Decide about edges from @a edge on: with it, then without it.  Every call ends in at
 * least one tree, so the work is at most edges x trees.
 */
static mtree_status_t decide(search_t *search, int edge, const signed char *part)
{
    const mtree_candidates_t *candidates = search->candidates;
    int wanted = candidates->num_hosts - 1;
    signed char joined[MTREE_ENUMERATE_MAX_HOSTS];
    mtree_status_t status = MTREE_OK;

    if (search->num_edges == wanted) {
        return mtree_columns_add(search->columns, 0, 0, search->edges, NULL);
    }
    memcpy(joined, part, (size_t)candidates->num_hosts);
    if (join(candidates, edge, joined)) {
        search->edges[search->num_edges++] = edge;
        status = decide(search, edge + 1, joined);
        --search->num_edges;
    }
    if (status == MTREE_OK &&
        can_span(candidates, edge + 1, part, candidates->num_hosts - search->num_edges)) {
        status = decide(search, edge + 1, part);
    }
    return status;
}

mtree_status_t mtree_enumerate_trees(const mtree_candidates_t *candidates,
                                     mtree_columns_t *columns)
{
    search_t search = {.candidates = candidates, .columns = columns};
    signed char part[MTREE_ENUMERATE_MAX_HOSTS];

    for (int i = 0; i < candidates->num_hosts; ++i) {
        part[i] = (signed char)i;
    }
    return decide(&search, 0, part);
}
