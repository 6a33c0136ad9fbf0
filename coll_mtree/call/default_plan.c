/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/call/default_plan.h"

#include <stdio.h>
#include <stdlib.h>

/* bits/s, from which windows follow: nothing is known of the network. */
#define ASSUMED_RATE 1e9

#define NAME_LENGTH 16

/* A plan with one tree whose edges are not set; each host is named after its rank. */
static mtree_status_t plan_create(int num_ranks, mtree_plan_t **plan_p)
{
    const char **names = calloc((size_t)num_ranks, sizeof(*names));
    char *text = malloc((size_t)num_ranks * NAME_LENGTH);
    mtree_status_t status = MTREE_ERR_NO_MEMORY;

    if (names != NULL && text != NULL) {
        for (int rank = 0; rank < num_ranks; rank++) {
            char *name = text + (size_t)rank * NAME_LENGTH;

            snprintf(name, NAME_LENGTH, "%d", rank);
            names[rank] = name;
        }
        status = mtree_plan_create(MTREE_ALLREDUCE, "plain", num_ranks, names, 1, plan_p);
    }
    free(names);
    free(text);
    return status;
}

mtree_status_t coll_mtree_default_plan_create(int num_ranks, mtree_plan_t **plan_p,
                                              mtree_placement_t **placement_p)
{
    int *host = malloc((size_t)num_ranks * sizeof(*host));
    mtree_plan_t *plan = NULL;
    mtree_status_t status = host == NULL ? MTREE_ERR_NO_MEMORY : MTREE_OK;

    if (status == MTREE_OK) {
        status = plan_create(num_ranks, &plan);
    }
    if (status != MTREE_OK) {
        goto free_host;
    }
    for (int rank = 0; rank < num_ranks; rank++) {
        host[rank] = rank;
        /* The number without its lowest bit.  The root, 0, keeps its -1. */
        if (rank > 0) {
            plan->trees[0].parent[rank] = rank & (rank - 1);
        }
    }
    plan->trees[0].rate = plan->throughput = ASSUMED_RATE;
    plan->trees[0].share = 1;
    status = mtree_placement_create(num_ranks, num_ranks, host, NULL, placement_p);
    if (status != MTREE_OK) {
        mtree_plan_destroy(plan);
    } else {
        *plan_p = plan;
    }

free_host:
    free(host);
    return status;
}
