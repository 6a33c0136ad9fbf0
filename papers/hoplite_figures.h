/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Figures 6 and 7 of papers/hoplite.txt, and what order of arrival does, on the
 * simulator.
 */
#ifndef MTREE_PAPERS_HOPLITE_FIGURES_H
#define MTREE_PAPERS_HOPLITE_FIGURES_H

#include "papers/figures.h"

/* Figure 6: seconds against megabytes on 16 equal hosts of a 10 Gb/s switch, all at once.
 */
mtree_status_t hoplite_print_fig6_bcast(FILE *out, unsigned seed);
mtree_status_t hoplite_print_fig6_reduce(FILE *out, unsigned seed);
mtree_status_t hoplite_print_fig6_allreduce(FILE *out, unsigned seed);

/* Figure 7: seconds of 1 GB against the interval between arrivals. */
mtree_status_t hoplite_print_fig7_bcast(FILE *out, unsigned seed);
mtree_status_t hoplite_print_fig7_reduce(FILE *out, unsigned seed);

/* Seconds of 1 GB after the last arrival, which is 1.5 times packing's time with all at
 * once after the first, against who comes last: the hosts come in their order but for
 * that one. */
mtree_status_t hoplite_print_last_bcast(FILE *out, unsigned seed);
mtree_status_t hoplite_print_last_reduce(FILE *out, unsigned seed);

#endif
