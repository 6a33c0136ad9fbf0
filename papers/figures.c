/* SPDX-License-Identifier: BSD-3-Clause */
#include "papers/figures.h"

#include "papers/published/algorithms.h"

#include "base/log.h"

#include <stdlib.h>
#include <string.h>

#define DEFAULT_SEED 1

static void print_list(const char *program, const mtree_figure_t *figures)
{
    const mtree_figure_t *figure;

    printf("usage: %s FIGURE [SEED]\n", program);
    for (figure = figures; figure->name != NULL; figure++) {
        printf("  %-16s %s\n", figure->name, figure->what);
    }
}

static int print_figure(const mtree_figure_t *figure, const char *seed_text)
{
    unsigned long seed = DEFAULT_SEED;
    char *end;

    if (seed_text != NULL) {
        seed = strtoul(seed_text, &end, 10);
        if (*seed_text == '\0' || *end != '\0') {
            mtree_error("seed \"%s\" is not a number; give a whole number", seed_text);
            return EXIT_FAILURE;
        }
    }
    if (figure->print(stdout, (unsigned)seed) != MTREE_OK) {
        return EXIT_FAILURE;
    }
    if (fflush(stdout) != 0) {
        mtree_error("cannot write figure %s to standard output; is the disk full?",
                    figure->name);
        return EXIT_FAILURE;
    }
    return EXIT_SUCCESS;
}

int mtree_figures_main(int argc, char **argv, const mtree_figure_t *figures)
{
    const mtree_figure_t *figure;

    mtree_published_add();
    if (argc < 2) {
        print_list(argv[0], figures);
        return EXIT_SUCCESS;
    }
    for (figure = figures; figure->name != NULL; figure++) {
        if (strcmp(figure->name, argv[1]) == 0) {
            return print_figure(figure, argc > 2 ? argv[2] : NULL);
        }
    }
    mtree_error("no figure \"%s\"; run %s without arguments for the list", argv[1],
                argv[0]);
    return EXIT_FAILURE;
}
