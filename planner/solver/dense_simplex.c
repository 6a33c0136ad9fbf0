/* SPDX-License-Identifier: BSD-3-Clause */
#include "planner/solver/dense_simplex.h"

#include "base/cancel.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* A number below this, relative to what it is compared with, is zero. */
#define TINY 1e-10

/* Pivots after which the least index is taken instead of the steepest, which cannot cycle
 * (Bland). */
#define STEEP_PIVOTS 200
#define MAX_PIVOTS   2000

mtree_dense_simplex_t *mtree_dense_simplex_create(mtree_arena_t *arena,
                                                  int num_constraints,
                                                  const double *capacity, int max_trees,
                                                  int num_groups)
{
    size_t constraints = (size_t)num_constraints;
    size_t rows = constraints + (size_t)num_groups + 1, columns = (size_t)max_trees + 2;
    mtree_dense_simplex_t *simplex;

    MTREE_ARENA_ARRAY(arena, simplex, 1);
    simplex->num_constraints = num_constraints;
    simplex->num_groups = num_groups;
    simplex->capacity = capacity;
    simplex->num_slots = 64;
    while (simplex->num_slots < 2 * num_constraints) {
        simplex->num_slots *= 2;
    }
    MTREE_ARENA_ARRAY(arena, simplex->cells, rows * columns);
    MTREE_ARENA_ARRAY(arena, simplex->row_basis, rows);
    MTREE_ARENA_ARRAY(arena, simplex->column_basis, columns);
    MTREE_ARENA_ARRAY(arena, simplex->rate, columns);
    MTREE_ARENA_ARRAY(arena, simplex->constraint_price, constraints);
    MTREE_ARENA_ARRAY(arena, simplex->row_constraint, constraints);
    MTREE_ARENA_ARRAY(arena, simplex->pattern, constraints);
    MTREE_ARENA_ARRAY(arena, simplex->slots, (size_t)simplex->num_slots);
    MTREE_ARENA_ARRAY(arena, simplex->weight, columns);
    MTREE_ARENA_ARRAY(arena, simplex->group, columns);
    MTREE_ARENA_ARRAY(arena, simplex->uses, columns);
    for (int t = 0; t < max_trees; ++t) {
        MTREE_ARENA_ARRAY(arena, simplex->uses[t], constraints);
    }
    return simplex;
}

/* A number for each tree; sums of few of them, each a few times, are all different. */
static uint64_t tree_key(int t)
{
    uint64_t key = ((uint64_t)t + 1) * 0x9e3779b97f4a7c15u;

    key = (key ^ (key >> 30)) * 0xbf58476d1ce4e5b9u;
    return key ^ (key >> 29);
}

/* Find the constraints that can limit the trees: of each pattern of use the narrowest. */
static void choose_constraints(mtree_dense_simplex_t *simplex, int num_trees)
{
    memset(simplex->pattern, 0,
           (size_t)simplex->num_constraints * sizeof(*simplex->pattern));
    memset(simplex->slots, -1, (size_t)simplex->num_slots * sizeof(*simplex->slots));
    simplex->num_rows = 0;
    for (int t = 0; t < num_trees; ++t) {
        uint64_t key = tree_key(t);

        for (int c = 0; c < simplex->num_constraints; ++c) {
            simplex->pattern[c] += (uint64_t)simplex->uses[t][c] * key;
        }
    }
    for (int c = 0; c < simplex->num_constraints; ++c) {
        uint64_t pattern = simplex->pattern[c];
        int slot = (int)((pattern >> 32) & (uint64_t)(simplex->num_slots - 1));

        if (pattern == 0) {
            continue;
        }
        while (simplex->slots[slot] >= 0 &&
               simplex->pattern[simplex->row_constraint[simplex->slots[slot]]] !=
                   pattern) {
            slot = (slot + 1) & (simplex->num_slots - 1);
        }
        if (simplex->slots[slot] < 0) {
            simplex->slots[slot] = simplex->num_rows;
            simplex->row_constraint[simplex->num_rows++] = c;
        } else if (simplex->capacity[c] <
                   simplex->capacity[simplex->row_constraint[simplex->slots[slot]]]) {
            simplex->row_constraint[simplex->slots[slot]] = c;
        }
    }
    simplex->work += (double)simplex->num_constraints * (num_trees + 4.0) / 8.0;
}

static double *row_cells(const mtree_dense_simplex_t *simplex, int row)
{
    return simplex->cells + (size_t)row * (size_t)(simplex->num_columns + 1);
}

/*
 * Cells: a row of a constraint holds its coefficients and, last, what is left of its
 * capacity.  The row after all others holds each column's loss (negative: raising it
 * gains) and, last, the objective.
 */
static void fill_constraints(mtree_dense_simplex_t *simplex, int num_trees)
{
    for (int r = 0; r < simplex->num_rows; ++r) {
        int c = simplex->row_constraint[r];
        double *cells = row_cells(simplex, r);

        for (int t = 0; t < num_trees; ++t) {
            cells[t] = simplex->uses[t][c];
        }
        for (int column = num_trees; column < simplex->num_columns; ++column) {
            cells[column] = 0.0;
        }
        cells[simplex->num_columns] = simplex->capacity[c];
    }
}

/* One group: the objective is the trees' sum. */
static void fill_sum(mtree_dense_simplex_t *simplex, int num_trees)
{
    double *loss = row_cells(simplex, simplex->num_rows);

    for (int t = 0; t < num_trees; ++t) {
        loss[t] = -simplex->weight[t];
    }
    loss[num_trees] = 0.0;
}

/*
 * Several groups: the column after the trees is x, the objective, and a row for each
 * group, after those of the constraints, says x - sum of weight_t r_t <= 0.
 */
static void fill_groups(mtree_dense_simplex_t *simplex, int num_trees)
{
    size_t width = (size_t)simplex->num_columns + 1;
    double *first = row_cells(simplex, simplex->num_rows);

    memset(first, 0, ((size_t)simplex->num_groups + 1) * width * sizeof(*first));
    for (int g = 0; g <= simplex->num_groups; ++g) {
        first[(size_t)g * width + (size_t)num_trees] =
            g < simplex->num_groups ? 1.0 : -1.0;
    }
    for (int t = 0; t < num_trees; ++t) {
        first[(size_t)simplex->group[t] * width + (size_t)t] = -simplex->weight[t];
    }
    simplex->num_rows += simplex->num_groups;
}

static void fill(mtree_dense_simplex_t *simplex, int num_trees)
{
    simplex->num_columns = num_trees + (simplex->num_groups > 1);
    fill_constraints(simplex, num_trees);
    if (simplex->num_groups > 1) {
        fill_groups(simplex, num_trees);
    } else {
        fill_sum(simplex, num_trees);
    }
    for (int r = 0; r < simplex->num_rows; ++r) {
        simplex->row_basis[r] = -1 - r;
    }
    for (int column = 0; column < simplex->num_columns; ++column) {
        simplex->column_basis[column] = column;
    }
}

/* The column to raise, -1 at the optimum. */
static int choose_column(const mtree_dense_simplex_t *simplex, bool steepest)
{
    const double *loss = row_cells(simplex, simplex->num_rows);
    double least = -TINY;
    int best = -1;

    for (int column = 0; column < simplex->num_columns; ++column) {
        if (loss[column] < least &&
            (steepest || best < 0 ||
             simplex->column_basis[column] < simplex->column_basis[best])) {
            best = column;
            least = steepest ? loss[column] : -TINY;
        }
    }
    return best;
}

/* The row that limits the column first, -1 when none does. */
static int choose_row(const mtree_dense_simplex_t *simplex, int column)
{
    double least = INFINITY;
    int best = -1;

    for (int r = 0; r < simplex->num_rows; ++r) {
        const double *cells = row_cells(simplex, r);

        if (cells[column] > TINY) {
            double ratio = cells[simplex->num_columns] / cells[column];

            if (ratio < least * (1.0 - TINY) ||
                (ratio <= least && simplex->row_basis[r] < simplex->row_basis[best])) {
                least = ratio;
                best = r;
            }
        }
    }
    return best;
}

static void pivot(mtree_dense_simplex_t *simplex, int row, int column)
{
    int width = simplex->num_columns + 1;
    double *chosen = row_cells(simplex, row);
    double inverse = 1.0 / chosen[column];
    int swap = simplex->row_basis[row];

    chosen[column] = 1.0;
    for (int i = 0; i < width; ++i) {
        chosen[i] *= inverse;
    }
    for (int r = 0; r <= simplex->num_rows; ++r) {
        double *cells = row_cells(simplex, r);
        double factor = cells[column];

        if (r == row || factor == 0.0) {
            continue;
        }
        cells[column] = 0.0;
        for (int i = 0; i < width; ++i) {
            cells[i] -= factor * chosen[i];
        }
    }
    simplex->row_basis[row] = simplex->column_basis[column];
    simplex->column_basis[column] = swap;
}

static double read_result(mtree_dense_simplex_t *simplex, int num_trees)
{
    const double *loss = row_cells(simplex, simplex->num_rows);
    int num_constraint_rows =
        simplex->num_rows - (simplex->num_groups > 1 ? simplex->num_groups : 0);

    for (int t = 0; t < num_trees; ++t) {
        simplex->rate[t] = 0.0;
    }
    memset(simplex->constraint_price, 0,
           (size_t)simplex->num_constraints * sizeof(*simplex->constraint_price));
    for (int r = 0; r < simplex->num_rows; ++r) {
        int variable = simplex->row_basis[r];

        if (variable >= 0 && variable < num_trees) {
            simplex->rate[variable] =
                fmax(0.0, row_cells(simplex, r)[simplex->num_columns]);
        }
    }
    for (int column = 0; column < simplex->num_columns; ++column) {
        int row = -1 - simplex->column_basis[column];

        if (row >= 0 && row < num_constraint_rows) {
            simplex->constraint_price[simplex->row_constraint[row]] =
                fmax(0.0, loss[column]);
        }
    }
    return loss[simplex->num_columns];
}

double mtree_dense_simplex_solve(mtree_dense_simplex_t *simplex, int num_trees)
{
    choose_constraints(simplex, num_trees);
    fill(simplex, num_trees);
    for (int pivots = 0; pivots < MAX_PIVOTS * simplex->num_groups; ++pivots) {
        int column = choose_column(simplex, pivots < STEEP_PIVOTS * simplex->num_groups);
        int row = column < 0 ? -1 : choose_row(simplex, column);

        if (row < 0 || mtree_cancel_is_set() ||
            (simplex->most_work > 0.0 && simplex->work >= simplex->most_work)) {
            break;
        }
        pivot(simplex, row, column);
        simplex->work += (simplex->num_rows + 1.0) * (num_trees + 4.0) / 8.0;
    }
    return read_result(simplex, num_trees);
}
