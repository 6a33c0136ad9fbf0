/* SPDX-License-Identifier: BSD-3-Clause */
#include "planner/packing/bottleneck.h"

#include <stdio.h>
#include <stdlib.h>

/* Links that are named before the rest is counted. */
#define MAX_NAMED 12

/* A constraint counts when price x capacity is at least this part of the greatest. */
#define LEAST_PART 1e-6

/* Mark the links of the constraints that count; returns how many there are. */
static int mark_links(const mtree_problem_t *problem,
                      const mtree_candidates_t *candidates,
                      const double *constraint_price, bool *marked)
{
    double most = 0.0;
    int count = 0;

    for (int c = 0; c < candidates->num_constraints; ++c) {
        double price = constraint_price[c] * candidates->capacity[c];

        most = price > most ? price : most;
    }
    for (int c = 0; c < candidates->num_constraints; ++c) {
        if (constraint_price[c] * candidates->capacity[c] > most * LEAST_PART) {
            marked[candidates->arc[c] >> 1] = true;
        }
    }
    for (int link = 0; link < problem->topology->num_links; ++link) {
        count += marked[link];
    }
    return count;
}

static void write_links(const mtree_topology_t *topology, const bool *marked, int count,
                        FILE *out)
{
    int named = 0;

    fputs(count == 1 ? "link " : "links ", out);
    for (int link = 0; link < topology->num_links && named < MAX_NAMED; ++link) {
        if (!marked[link]) {
            continue;
        }
        fprintf(out, "%s%s-%s",
                named == 0           ? ""
                : named == count - 1 ? " and "
                                     : ", ",
                topology->vertices[topology->links[link].u].name,
                topology->vertices[topology->links[link].v].name);
        ++named;
    }
    if (named < count) {
        fprintf(out, " and %d more", count - named);
    }
}

mtree_status_t mtree_bottleneck_describe(const mtree_problem_t *problem,
                                         const mtree_candidates_t *candidates,
                                         const double *constraint_price, char **text_p)
{
    bool *marked;
    char *text = NULL;
    size_t length;
    FILE *out;
    int count;

    MTREE_ARENA_ARRAY(problem->arena, marked, (size_t)problem->topology->num_links);
    out = marked == NULL ? NULL : open_memstream(&text, &length);
    if (out == NULL) {
        return MTREE_ERR_NO_MEMORY;
    }
    count = mark_links(problem, candidates, constraint_price, marked);
    if (count > 0) {
        write_links(problem->topology, marked, count, out);
    }
    if (fclose(out) != 0) {
        free(text);
        return MTREE_ERR_NO_MEMORY;
    }
    *text_p = text;
    return MTREE_OK;
}
