/* SPDX-License-Identifier: BSD-3-Clause */
#include "planner/graph/constraints.h"

#include <stdint.h>
#include <stdlib.h>

/* Two independent 64-bit hashes of the multiset of edges that use an arc. */
typedef struct {
    uint64_t a, b;
    int arc;
} signature_t;

static uint64_t mix(uint64_t x)
{
    x ^= x >> 30;
    x *= 0xbf58476d1ce4e5b9u;
    x ^= x >> 27;
    x *= 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

static int signature_compare(const void *left, const void *right)
{
    const signature_t *x = left, *y = right;

    if (x->a != y->a) {
        return x->a < y->a ? -1 : 1;
    }
    if (x->b != y->b) {
        return x->b < y->b ? -1 : 1;
    }
    return (x->arc > y->arc) - (x->arc < y->arc);
}

static void sign_arcs(const mtree_candidates_t *made, int num_arcs,
                      signature_t *signatures)
{
    for (int arc = 0; arc < num_arcs; ++arc) {
        signatures[arc] = (signature_t){0, 0, arc};
    }
    for (int edge = 0; edge < made->num_edges; ++edge) {
        for (int use = made->first[edge]; use < made->first[edge + 1]; ++use) {
            signatures[made->constraints[use]].a += mix((uint64_t)edge + 1);
            signatures[made->constraints[use]].b += mix(~(uint64_t)edge);
        }
    }
    qsort(signatures, (size_t)num_arcs, sizeof(*signatures), signature_compare);
}

/* Make arcs with equal signatures one constraint, and drop those that no edge uses; @a
 * constraint_of is [num_arcs]. */
static void merge_arcs(const mtree_topology_t *topology, int num_arcs,
                       const signature_t *signatures, int *constraint_of,
                       mtree_candidates_t *made)
{
    for (int i = 0; i < num_arcs; ++i) {
        const signature_t *here = &signatures[i];
        double capacity = mtree_arc_capacity(topology, here->arc);
        int c = made->num_constraints - 1;

        if (here->a == 0 && here->b == 0) {
            continue;
        }
        if (c < 0 || here[-1].a != here->a || here[-1].b != here->b) {
            c = made->num_constraints++;
            made->capacity[c] = capacity;
            made->arc[c] = here->arc;
        } else if (capacity < made->capacity[c]) {
            made->capacity[c] = capacity;
            made->arc[c] = here->arc;
        }
        constraint_of[here->arc] = c;
    }
}

mtree_status_t mtree_constraints_make(const mtree_problem_t *problem,
                                      mtree_candidates_t *made)
{
    int num_arcs = 2 * problem->topology->num_links, kept = 0;
    mtree_arena_t *arena = problem->arena;
    signature_t *signatures;
    int *constraint_of;

    MTREE_ARENA_ARRAY(arena, signatures, (size_t)num_arcs);
    MTREE_ARENA_ARRAY(arena, constraint_of, (size_t)num_arcs);
    MTREE_ARENA_ARRAY(arena, made->capacity, (size_t)num_arcs);
    MTREE_ARENA_ARRAY(arena, made->arc, (size_t)num_arcs);
    if (arena->status != MTREE_OK) {
        return MTREE_ERR_NO_MEMORY;
    }
    sign_arcs(made, num_arcs, signatures);
    merge_arcs(problem->topology, num_arcs, signatures, constraint_of, made);
    for (int edge = 0; edge < made->num_edges; ++edge) {
        int start = kept;

        /* All arcs of a constraint are used by the same edges equally often: one of them
         * counts.
         */
        for (int use = made->first[edge]; use < made->first[edge + 1]; ++use) {
            int c = constraint_of[made->constraints[use]];

            if (made->arc[c] == made->constraints[use]) {
                made->constraints[kept++] = c;
            }
        }
        made->first[edge] = start;
    }
    made->first[made->num_edges] = kept;
    return MTREE_OK;
}
