/* SPDX-License-Identifier: BSD-3-Clause */
#include "papers/published/forest.h"

#include "base/log.h"
#include "papers/published/lp.h"
#include "papers/published/lp_column.h"

#include <math.h>

/* Nodes of the search for the best trees: a bound that does not depend on the machine. */
#define MAX_NODES 3000

/* Rates below this part of what the widest tree can carry are none. */
#define LEAST_PART 1e-9

/* MILP (1).  Column 2 i is r_i in Mb/s, column 2 i + 1 is y_i. */
typedef struct {
    mtree_forest_t *forest;
    mtree_lp_t *lp;
    double unit;    /* bits/s that one unit of the program's rates stands for: what the
                       widest tree can carry alone */
    int *uses;      /* [num_constraints] how often a tree uses each capacity */
    int *rows;      /* [num_constraints + 3] of one column */
    double *values; /* same */
} program_t;

/*
 * The columns of one tree, and its rows `least` (1c) and `most` (1d).  (1c) M (1 - y) + r
 * >= r-min becomes r >= r-min y, the same for whole y and tighter for fractional ones.
 */
static void add_tree(program_t *program, int tree, int limit_row, double min_rate)
{
    const mtree_candidates_t *candidates = program->forest->candidates;
    double most = mtree_forest_fit(candidates, program->forest->trees[tree].edges,
                                   candidates->capacity, program->uses) /
                  program->unit;
    int least_row = limit_row + 1 + 2 * tree, most_row = least_row + 1;
    int num = mtree_candidates_column(candidates, program->uses, program->rows,
                                      program->values);
    const int rows[] = {limit_row, least_row, most_row};
    const double values[] = {1, -min_rate / program->unit, -most};

    program->rows[num] = least_row;
    program->values[num++] = 1;
    program->rows[num] = most_row;
    program->values[num++] = 1;
    mtree_lp_bound_row(program->lp, least_row, 0, INFINITY);
    mtree_lp_add_column(program->lp, 1, num, program->rows, program->values);
    mtree_lp_add_column(program->lp, 0, 3, rows, values);
    mtree_lp_make_binary(program->lp, 2 * tree + 1);
}

/* Rows (1b), one per capacity, then the others. */
static void build(program_t *program, int max_trees, double min_rate)
{
    const mtree_candidates_t *candidates = program->forest->candidates;
    int num_trees = program->forest->num_trees;

    mtree_lp_add_rows(program->lp, candidates->num_constraints, -INFINITY, 0);
    for (int row = 0; row < candidates->num_constraints; row++) {
        mtree_lp_bound_row(program->lp, row, -INFINITY,
                           candidates->capacity[row] / program->unit);
    }
    mtree_lp_add_rows(program->lp, 1, -INFINITY, max_trees == 0 ? num_trees : max_trees);
    mtree_lp_add_rows(program->lp, 2 * num_trees, -INFINITY, 0);
    for (int tree = 0; tree < num_trees; tree++) {
        add_tree(program, tree, candidates->num_constraints, min_rate);
    }
}

/* Keep the trees that got a rate. */
static void keep_chosen(program_t *program)
{
    mtree_forest_t *forest = program->forest;

    for (int tree = 0; tree < forest->num_trees; tree++) {
        double rate = program->lp->values[2 * tree];

        forest->trees[tree].rate = rate > LEAST_PART ? rate * program->unit : 0;
    }
    mtree_forest_drop_idle(forest);
}

static mtree_status_t solve(program_t *program, int max_trees, double min_rate)
{
    bool whole =
        (max_trees > 0 && max_trees < program->forest->num_trees) || min_rate > 0;
    mtree_status_t status = mtree_lp_solve(program->lp);

    if (status == MTREE_OK && whole) {
        status = mtree_lp_solve_integer(program->lp, MAX_NODES);
    }
    if (status != MTREE_OK) {
        mtree_error("cannot choose %d of %d trees: %s; allow more trees or a lower rate",
                    max_trees, program->forest->num_trees, mtree_status_string(status));
        return MTREE_ERR_SOLVER;
    }
    keep_chosen(program);
    return MTREE_OK;
}

mtree_status_t mtree_forest_select(mtree_forest_t *forest, int max_trees, double min_rate)
{
    const mtree_candidates_t *candidates = forest->candidates;
    program_t program = {.forest = forest};
    size_t length = (size_t)candidates->num_constraints + 3;
    mtree_arena_t arena = {0};
    mtree_status_t status;

    MTREE_ARENA_ARRAY(&arena, program.uses, length);
    MTREE_ARENA_ARRAY(&arena, program.rows, length);
    MTREE_ARENA_ARRAY(&arena, program.values, length);
    for (int tree = 0; tree < forest->num_trees; tree++) {
        program.unit =
            fmax(program.unit, mtree_forest_fit(candidates, forest->trees[tree].edges,
                                                candidates->capacity, program.uses));
    }
    status = mtree_lp_create(&program.lp);
    if (status == MTREE_OK) {
        build(&program, max_trees, min_rate);
        status = solve(&program, max_trees, min_rate);
    }
    mtree_lp_destroy(program.lp);
    mtree_arena_cleanup(&arena);
    return status;
}
