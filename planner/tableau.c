#include "planner/tableau.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

/* A number below this, relative to what it is compared with, is zero. */
#define TINY 1e-10

/* Pivots after which the least index is taken instead of the steepest, which cannot cycle
 * (Bland). */
#define STEEP_PIVOTS 200
#define MAX_PIVOTS   2000

void mtree_tableau_destroy(mtree_tableau_t *tableau)
{
    if (tableau == NULL) {
        return;
    }
    free(tableau->cells);
    free(tableau->row_basis);
    free(tableau->column_basis);
    free(tableau->rate);
    free(tableau->row_price);
    free(tableau);
}

mtree_status_t mtree_tableau_create(int num_rows, const double *capacity, int max_trees,
                                    mtree_tableau_t **tableau_p)
{
    size_t rows = (size_t)num_rows + 1, columns = (size_t)max_trees + 1;
    mtree_tableau_t *tableau = calloc(1, sizeof(*tableau));

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
    if (tableau->cells == NULL || tableau->row_basis == NULL ||
        tableau->column_basis == NULL || tableau->rate == NULL ||
        tableau->row_price == NULL) {
        mtree_tableau_destroy(tableau);
        return MTREE_ERR_NO_MEMORY;
    }
    *tableau_p = tableau;
    return MTREE_OK;
}

/*
 * Cells: line r holds row r's coefficients and, last, what is left of its capacity; the
 * line after the rows holds each column's loss (negative: raising it gains) and, last,
 * the objective.
 */
static void fill(mtree_tableau_t *tableau, int num_trees, int *const *uses,
                 const double *weight)
{
    int width = num_trees + 1;
    double *line;

    for (int row = 0; row < tableau->num_rows; ++row) {
        line = tableau->cells + (size_t)row * (size_t)width;
        for (int t = 0; t < num_trees; ++t) {
            line[t] = uses[t][row];
        }
        line[num_trees] = tableau->capacity[row];
        tableau->row_basis[row] = -1 - row;
    }
    line = tableau->cells + (size_t)tableau->num_rows * (size_t)width;
    for (int t = 0; t < num_trees; ++t) {
        line[t] = -weight[t];
        tableau->column_basis[t] = t;
    }
    line[num_trees] = 0.0;
}

static int choose_column(const mtree_tableau_t *tableau, int num_trees, bool steepest)
{
    const double *loss =
        tableau->cells + (size_t)tableau->num_rows * (size_t)(num_trees + 1);
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

static int choose_row(const mtree_tableau_t *tableau, int num_trees, int column)
{
    int width = num_trees + 1;
    double least = INFINITY;
    int best = -1;

    for (int row = 0; row < tableau->num_rows; ++row) {
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

static void pivot(mtree_tableau_t *tableau, int num_trees, int row, int column)
{
    int width = num_trees + 1;
    double *chosen = tableau->cells + (size_t)row * (size_t)width;
    double inverse = 1.0 / chosen[column];
    int swap = tableau->row_basis[row];

    chosen[column] = 1.0;
    for (int t = 0; t < width; ++t) {
        chosen[t] *= inverse;
    }
    for (int r = 0; r <= tableau->num_rows; ++r) {
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

static double read_result(mtree_tableau_t *tableau, int num_trees)
{
    int width = num_trees + 1;
    const double *loss = tableau->cells + (size_t)tableau->num_rows * (size_t)width;

    for (int t = 0; t < num_trees; ++t) {
        tableau->rate[t] = 0.0;
    }
    for (int row = 0; row < tableau->num_rows; ++row) {
        tableau->row_price[row] = 0.0;
        if (tableau->row_basis[row] >= 0) {
            double left = tableau->cells[(size_t)row * (size_t)width + (size_t)num_trees];

            tableau->rate[tableau->row_basis[row]] = fmax(0.0, left);
        }
    }
    for (int t = 0; t < num_trees; ++t) {
        if (tableau->column_basis[t] < 0) {
            tableau->row_price[-1 - tableau->column_basis[t]] = fmax(0.0, loss[t]);
        }
    }
    return loss[num_trees];
}

double mtree_tableau_solve(mtree_tableau_t *tableau, int num_trees, int *const *uses,
                           const double *weight)
{
    fill(tableau, num_trees, uses, weight);
    for (int pivots = 0; pivots < MAX_PIVOTS; ++pivots) {
        int column = choose_column(tableau, num_trees, pivots < STEEP_PIVOTS);
        int row = column < 0 ? -1 : choose_row(tableau, num_trees, column);

        if (row < 0) {
            break;
        }
        pivot(tableau, num_trees, row, column);
    }
    return read_result(tableau, num_trees);
}
