/* SPDX-License-Identifier: BSD-3-Clause */
#include "planner/packing/master.h"

#include "base/array.h"
#include "planner/graph/candidate_trees.h"

#include <math.h>
#include <stdlib.h>

/* Column 0 of the program is x; tree t is column t + 1. */
#define FIRST_TREE 1

/* What capacities are perturbed by at most, and a number whose multiples spread evenly
 * between whole ones. */
#define TINY_PART 1e-6
#define GOLDEN    0.6180339887498949

void mtree_master_destroy(mtree_master_t *master)
{
    if (master == NULL) {
        return;
    }
    mtree_lp_destroy(master->lp);
    free(master->rate);
}

/*
 * Set the constraints' capacities, each less by a different tiny part (@a slack 1) or in
 * full (0).  Equal capacities make the program degenerate: the simplex method then pivots
 * on without getting anywhere.
 */
static void bound_rows(mtree_master_t *master, double slack)
{
    const mtree_candidates_t *candidates = master->columns->candidates;

    for (int c = 0; c < candidates->num_constraints; ++c) {
        double part = fmod((c + 1) * GOLDEN, 1.0) * TINY_PART * slack;

        mtree_lp_bound_row(master->lp, c, -INFINITY,
                           candidates->capacity[c] * (1.0 - part) / master->scale);
    }
}

/* Rows of capacity, one of groups each, and x. */
static void set_up(mtree_master_t *master)
{
    const mtree_candidates_t *candidates = master->columns->candidates;

    mtree_lp_add_rows(master->lp, candidates->num_constraints, -INFINITY, 0.0);
    mtree_lp_add_rows(master->lp, master->num_groups, 0.0, INFINITY);
    bound_rows(master, 1.0);
    for (int group = 0; group < master->num_groups; ++group) {
        master->index[group] = candidates->num_constraints + group;
        master->value[group] = -1.0;
    }
    mtree_lp_add_column(master->lp, 1.0, master->num_groups, master->index,
                        master->value);
}

mtree_status_t mtree_master_create(mtree_arena_t *arena, const mtree_columns_t *columns,
                                   int num_groups, mtree_master_t **master_p)
{
    const mtree_candidates_t *candidates = columns->candidates;
    size_t num_constraints = (size_t)candidates->num_constraints;
    size_t num_rows = num_constraints + (size_t)num_groups;
    mtree_master_t *master = MTREE_ARENA_ARRAY(arena, *master_p, 1);
    mtree_status_t status = MTREE_OK;

    if (master == NULL) {
        return MTREE_ERR_NO_MEMORY;
    }
    master->columns = columns;
    master->num_groups = num_groups;
    for (int c = 0; c < candidates->num_constraints; ++c) {
        master->scale += candidates->capacity[c] / candidates->num_constraints;
    }
    MTREE_ARENA_ARRAY(arena, master->constraint_price, num_constraints);
    MTREE_ARENA_ARRAY(arena, master->group_price, (size_t)num_groups);
    MTREE_ARENA_ARRAY(arena, master->uses, num_constraints);
    MTREE_ARENA_ARRAY(arena, master->index, num_rows);
    MTREE_ARENA_ARRAY(arena, master->value, num_rows);
    if (arena->status != MTREE_OK) {
        return MTREE_ERR_NO_MEMORY;
    }
    if (mtree_lp_is_available()) {
        status = mtree_lp_create(&master->lp);
    }
    if (master->lp != NULL) {
        set_up(master);
    }
    return status;
}

double mtree_master_weight(const mtree_master_t *master, const mtree_column_t *column)
{
    if (column->is_left_out || (master->columns->max_height > 0 &&
                                column->height > master->columns->max_height)) {
        return 0.0;
    }
    return master->time > 0.0 ? fmax(0.0, 1.0 - column->delay / master->time) : 1.0;
}

/* The coefficients of a tree into index and value; returns their number. */
static int write_column(mtree_master_t *master, const mtree_column_t *column)
{
    const mtree_candidates_t *candidates = master->columns->candidates;
    int count;

    mtree_candidates_count(candidates, column->edges, master->uses);
    count =
        mtree_candidates_column(candidates, master->uses, master->index, master->value);
    master->index[count] = candidates->num_constraints + column->group;
    master->value[count++] = mtree_master_weight(master, column);
    return count;
}

void mtree_master_reweight(mtree_master_t *master, int t)
{
    int count = write_column(master, &master->columns->column[t]);

    mtree_lp_set_column(master->lp, FIRST_TREE + t, count, master->index, master->value);
}

void mtree_master_set_time(mtree_master_t *master, double time)
{
    if (time == master->time) {
        return;
    }
    master->time = time;
    for (int t = 0; t < master->num_columns; ++t) {
        mtree_master_reweight(master, t);
    }
}

static mtree_status_t take_columns(mtree_master_t *master)
{
    const mtree_columns_t *columns = master->columns;

    for (; master->num_columns < columns->num_columns; ++master->num_columns) {
        int count = write_column(master, &columns->column[master->num_columns]);

        mtree_lp_add_column(master->lp, 0.0, count, master->index, master->value);
    }
    return mtree_array_reserve(&master->rate, &master->rate_capacity,
                               columns->num_columns, sizeof(*master->rate));
}

mtree_status_t mtree_master_solve(mtree_master_t *master)
{
    const mtree_candidates_t *candidates = master->columns->candidates;
    mtree_status_t status = take_columns(master);

    if (status == MTREE_OK) {
        status = mtree_lp_solve(master->lp);
    }
    if (status != MTREE_OK) {
        return status;
    }
    master->x = master->lp->objective * master->scale;
    for (int t = 0; t < master->num_columns; ++t) {
        master->rate[t] = fmax(0.0, master->lp->values[FIRST_TREE + t]) * master->scale;
    }
    for (int c = 0; c < candidates->num_constraints; ++c) {
        master->constraint_price[c] = fmax(0.0, master->lp->prices[c]);
    }
    for (int group = 0; group < master->num_groups; ++group) {
        master->group_price[group] =
            fmax(0.0, -master->lp->prices[candidates->num_constraints + group]);
    }
    return MTREE_OK;
}

mtree_status_t mtree_master_finish(mtree_master_t *master)
{
    bound_rows(master, 0.0);
    return mtree_master_solve(master);
}
