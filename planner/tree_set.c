#include "planner/tree_set.h"

#include <stdlib.h>
#include <string.h>

/* A tree below this part of what its group gets is what rounding left of one that is not
 * there. */
#define LEAST_PART 1e-9

mtree_status_t mtree_tree_set_create(const mtree_generator_t *generator, int room,
                                     mtree_tree_set_t *set_p)
{
    size_t num_hosts = (size_t)generator->candidates->num_hosts;
    mtree_tree_set_t set = {.room = room};
    mtree_status_t status = MTREE_OK;

    set.trees = calloc((size_t)room + 1, sizeof(*set.trees));
    set.rate = calloc((size_t)room + 1, sizeof(*set.rate));
    if (set.trees == NULL || set.rate == NULL) {
        set.room = 0;
        status = MTREE_ERR_NO_MEMORY;
    }
    for (int t = 0; t < set.room && status == MTREE_OK; ++t) {
        set.trees[t].edges = malloc(num_hosts * sizeof(*set.trees[t].edges));
        if (set.trees[t].edges == NULL) {
            status = MTREE_ERR_NO_MEMORY;
        }
    }
    if (status != MTREE_OK) {
        mtree_tree_set_clear(&set);
        return status;
    }
    *set_p = set;
    return MTREE_OK;
}

void mtree_tree_set_append(mtree_tree_set_t *set, int num_edges,
                           const mtree_column_t *tree, double rate)
{
    mtree_column_t *place = &set->trees[set->num_trees];
    int *edges = place->edges;

    memcpy(edges, tree->edges, (size_t)num_edges * sizeof(*edges));
    *place = *tree;
    place->edges = edges;
    set->rate[set->num_trees++] = rate;
}

mtree_status_t mtree_tree_set_take(const mtree_generator_t *generator,
                                   mtree_tree_set_t *set_p)
{
    const mtree_master_t *master = generator->master;
    double least = master->x * LEAST_PART;
    mtree_tree_set_t set = {0};
    mtree_status_t status;
    int count = 0;

    for (int t = 0; t < master->num_columns; ++t) {
        count += master->rate[t] > least;
    }
    status = mtree_tree_set_create(generator, count, &set);
    if (status != MTREE_OK) {
        return status;
    }
    for (int t = 0; t < master->num_columns; ++t) {
        if (master->rate[t] > least) {
            mtree_tree_set_append(&set, generator->candidates->num_hosts - 1,
                                  &generator->pool->columns[t], master->rate[t]);
        }
    }
    *set_p = set;
    return MTREE_OK;
}

void mtree_tree_set_clear(mtree_tree_set_t *set)
{
    for (int t = 0; set->trees != NULL && t < set->room; ++t) {
        free(set->trees[t].edges);
    }
    free(set->trees);
    free(set->rate);
    *set = (mtree_tree_set_t){0};
}
