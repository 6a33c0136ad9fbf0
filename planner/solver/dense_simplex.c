/* SPDX-License-Identifier: BSD-3-Clause */
#include "planner/solver/dense_simplex.h"

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

void mtree_dense_simplex_destroy(mtree_dense_simplex_t *tableau)
{
    if (tableau == NULL) {
        return;
    }
    free(tableau->cells);
    free(tableau->row_basis);
    free(tableau->column_basis);
    free(tableau->rate);
    free(tableau->row_price);
    free(tableau->line_row);
    free(tableau->pattern);
    free(tableau->slots);
    free(tableau);
}

mtree_status_t mtree_dense_simplex_create(int num_rows, const double *capacity,
                                          int max_trees,
                                          mtree_dense_simplex_t **tableau_p)
{
    size_t rows = (size_t)num_rows + 1, columns = (size_t)max_trees + 1;
    mtree_dense_simplex_t *tableau = calloc(1, sizeof(*tableau));

    if (tableau == NULL) {
        return MTREE_ERR_NO_MEMORY;
    }
    tableau->num_rows = num_rows;
    tableau->max_trees = max_trees;
    tableau->capacity = capacity;
    tableau->cells = malloc(rows * columns * sizeof(*tableau->cells));
    tableau->row_basis = malloc(rows * sizeof(*tableau->row_basis));
    tableau->column_basis = malloc(columns * sizeof(*tableau->column_basis));
    tableau->rate = malloc(columns * sizeof(*tableau->rate));
    tableau->row_price = malloc(rows * sizeof(*tableau->row_price));
    tableau->line_row = malloc(rows * sizeof(*tableau->line_row));
    tableau->pattern = malloc(rows * sizeof(*tableau->pattern));
    tableau->num_slots = 64;
    while (tableau->num_slots < 2 * num_rows) {
        tableau->num_slots *= 2;
    }
    tableau->slots = malloc((size_t)tableau->num_slots * sizeof(*tableau->slots));
    if (tableau->line_row == NULL || tableau->pattern == NULL || tableau->slots == NULL ||
        tableau->cells == NULL || tableau->row_basis == NULL ||
        tableau->column_basis == NULL || tableau->rate == NULL ||
        tableau->row_price == NULL) {
        mtree_dense_simplex_destroy(tableau);
        return MTREE_ERR_NO_MEMORY;
    }
    *tableau_p = tableau;
    return MTREE_OK;
}

/* A number for each tree; sums of few of them, each a few times, are all different. */
static uint64_t tree_key(int t)
{
    uint64_t key = ((uint64_t)t + 1) * 0x9e3779b97f4a7c15u;

    key = (key ^ (key >> 30)) * 0xbf58476d1ce4e5b9u;
    return key ^ (key >> 29);
}

/* Find the rows that can limit the trees: of each pattern of use the narrowest. */
static void choose_lines(mtree_dense_simplex_t *tableau, int num_trees, int *const *uses)
{
    memset(tableau->pattern, 0, (size_t)tableau->num_rows * sizeof(*tableau->pattern));
    memset(tableau->slots, -1, (size_t)tableau->num_slots * sizeof(*tableau->slots));
    tableau->num_lines = 0;
    for (int t = 0; t < num_trees; ++t) {
        uint64_t key = tree_key(t);

        for (int row = 0; row < tableau->num_rows; ++row) {
            tableau->pattern[row] += (uint64_t)uses[t][row] * key;
        }
    }
    for (int row = 0; row < tableau->num_rows; ++row) {
        uint64_t pattern = tableau->pattern[row];
        int slot = (int)((pattern >> 32) & (uint64_t)(tableau->num_slots - 1));

        if (pattern == 0) {
            continue;
        }
        while (tableau->slots[slot] >= 0 &&
               tableau->pattern[tableau->line_row[tableau->slots[slot]]] != pattern) {
            slot = (slot + 1) & (tableau->num_slots - 1);
        }
        if (tableau->slots[slot] < 0) {
            tableau->slots[slot] = tableau->num_lines;
            tableau->line_row[tableau->num_lines++] = row;
        } else if (tableau->capacity[row] <
                   tableau->capacity[tableau->line_row[tableau->slots[slot]]]) {
            tableau->line_row[tableau->slots[slot]] = row;
        }
    }
    tableau->work += (double)tableau->num_rows * (num_trees + 4.0) / 8.0;
}

/*
 * Cells: line r holds its row's coefficients and, last, what is left of its capacity; the
 * line after them holds each column's loss (negative: raising it gains) and, last, the
 * objective.
 */
static void fill(mtree_dense_simplex_t *tableau, int num_trees, int *const *uses,
                 const double *weight)
{
    int width = num_trees + 1;
    double *line;

    for (int l = 0; l < tableau->num_lines; ++l) {
        int row = tableau->line_row[l];

        line = tableau->cells + (size_t)l * (size_t)width;
        for (int t = 0; t < num_trees; ++t) {
            line[t] = uses[t][row];
        }
        line[num_trees] = tableau->capacity[row];
        tableau->row_basis[l] = -1 - l;
    }
    line = tableau->cells + (size_t)tableau->num_lines * (size_t)width;
    for (int t = 0; t < num_trees; ++t) {
        line[t] = -weight[t];
        tableau->column_basis[t] = t;
    }
    line[num_trees] = 0.0;
}

static int choose_column(const mtree_dense_simplex_t *tableau, int num_trees,
                         bool steepest)
{
    const double *loss =
        tableau->cells + (size_t)tableau->num_lines * (size_t)(num_trees + 1);
    double least = -TINY;
    int column = -1;

    for (int t = 0; t < num_trees; ++t) {
        if (loss[t] < least &&
            (steepest || column < 0 ||
             tableau->column_basis[t] < tableau->column_basis[column])) {
            column = t;
            least = steepest ? loss[t] : -TINY;
        }
    }
    return column;
}

static int choose_row(const mtree_dense_simplex_t *tableau, int num_trees, int column)
{
    int width = num_trees + 1;
    double least = INFINITY;
    int best = -1;

    for (int row = 0; row < tableau->num_lines; ++row) {
        const double *line = tableau->cells + (size_t)row * (size_t)width;

        if (line[column] > TINY) {
            double ratio = line[num_trees] / line[column];

            if (ratio < least * (1.0 - TINY) ||
                (ratio <= least && tableau->row_basis[row] < tableau->row_basis[best])) {
                least = ratio;
                best = row;
            }
        }
    }
    return best;
}

static void pivot(mtree_dense_simplex_t *tableau, int num_trees, int row, int column)
{
    int width = num_trees + 1;
    double *chosen = tableau->cells + (size_t)row * (size_t)width;
    double inverse = 1.0 / chosen[column];
    int swap = tableau->row_basis[row];

    chosen[column] = 1.0;
    for (int t = 0; t < width; ++t) {
        chosen[t] *= inverse;
    }
    for (int r = 0; r <= tableau->num_lines; ++r) {
        double *line = tableau->cells + (size_t)r * (size_t)width;
        double factor = line[column];

        if (r == row || factor == 0.0) {
            continue;
        }
        line[column] = 0.0;
        for (int t = 0; t < width; ++t) {
            line[t] -= factor * chosen[t];
        }
    }
    tableau->row_basis[row] = tableau->column_basis[column];
    tableau->column_basis[column] = swap;
}

static double read_result(mtree_dense_simplex_t *tableau, int num_trees)
{
    int width = num_trees + 1;
    const double *loss = tableau->cells + (size_t)tableau->num_lines * (size_t)width;

    for (int t = 0; t < num_trees; ++t) {
        tableau->rate[t] = 0.0;
    }
    memset(tableau->row_price, 0,
           (size_t)tableau->num_rows * sizeof(*tableau->row_price));
    for (int row = 0; row < tableau->num_lines; ++row) {
        if (tableau->row_basis[row] >= 0) {
            double left = tableau->cells[(size_t)row * (size_t)width + (size_t)num_trees];

            tableau->rate[tableau->row_basis[row]] = fmax(0.0, left);
        }
    }
    for (int t = 0; t < num_trees; ++t) {
        if (tableau->column_basis[t] < 0) {
            int row = tableau->line_row[-1 - tableau->column_basis[t]];

            tableau->row_price[row] = fmax(0.0, loss[t]);
        }
    }
    return loss[num_trees];
}

double mtree_dense_simplex_solve(mtree_dense_simplex_t *tableau, int num_trees,
                                 int *const *uses, const double *weight)
{
    choose_lines(tableau, num_trees, uses);
    fill(tableau, num_trees, uses, weight);
    for (int pivots = 0; pivots < MAX_PIVOTS; ++pivots) {
        int column = choose_column(tableau, num_trees, pivots < STEEP_PIVOTS);
        int row = column < 0 ? -1 : choose_row(tableau, num_trees, column);

        if (row < 0) {
            break;
        }
        pivot(tableau, num_trees, row, column);
        tableau->work += (tableau->num_lines + 1.0) * (num_trees + 4.0) / 8.0;
    }
    return read_result(tableau, num_trees);
}
