/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the programs of papers/ share: `papers/NAME FIGURE [SEED]` prints the numbers of
 * one figure as a table, tab-separated; its first line names the columns, its first
 * column is the figure's x axis, every other column one of its curves or bars.
 * papers/plot.gp draws any such table.
 */
#ifndef MTREE_PAPERS_FIGURES_H
#define MTREE_PAPERS_FIGURES_H

#include "base/status.h"

#include <stdio.h>

/* Print one figure's table to @a out; @a seed starts all that is drawn at random.  Errors
 * are logged. */
typedef mtree_status_t (*mtree_figure_func_t)(FILE *out, unsigned seed);

typedef struct {
    const char *name; /* "fig6-b4" */
    const char *what; /* one line for the list */
    mtree_figure_func_t print;
} mtree_figure_t;

/*
 * The main function of a program of papers/: @a figures ends with a NULL name.  Without
 * arguments it lists them. Returns the exit status.
 */
int mtree_figures_main(int argc, char **argv, const mtree_figure_t *figures);

#endif
