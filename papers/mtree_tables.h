/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The tables of papers/mtree.txt: means over drawings of its networks.
 *
 * B4 is the paper's GScale.  The links of its 20-node and 40-node networks are not
 * published: "synthetic" stand-ins with as many hosts and links are drawn instead.
 */
#ifndef MTREE_PAPERS_MTREE_TABLES_H
#define MTREE_PAPERS_MTREE_TABLES_H

#include "papers/instance.h"

#include <stdio.h>

/* Of the capacities, where a figure does not vary it. */
#define MTREE_PAPER_SKEW 0.7

typedef struct {
    const char *name;
    const char *shape; /* for the generator; NULL: B4's file */
    int num_trials;
} mtree_paper_network_t;

#define MTREE_PAPER_NETWORKS 3

extern const mtree_paper_network_t mtree_paper_networks[MTREE_PAPER_NETWORKS];

/* sum b_j / (n - 1), which throughput is divided by. */
double mtree_paper_throughput_unit(const mtree_instance_t *instance);

/* One drawing of @a network, the caller's. */
mtree_status_t mtree_paper_open(const mtree_paper_network_t *network, double skew,
                                unsigned seed, mtree_instance_t *instance_p);

/* What a figure measures on one drawing: numbers to be averaged over the trials. */
typedef mtree_status_t (*mtree_paper_measure_t)(const mtree_instance_t *instance,
                                                unsigned seed, double parameter,
                                                double *values);

/* The mean of `num` values over the network's trials. */
mtree_status_t mtree_paper_average(const mtree_paper_network_t *network, double skew,
                                   unsigned seed, mtree_paper_measure_t measure,
                                   double parameter, int num, double *means);

void mtree_paper_print_row(FILE *out, const char *x, const double *values, int num);

/* A table by skew, 0.1 to 0.9. */
mtree_status_t mtree_paper_print_by_skew(FILE *out, unsigned seed,
                                         const mtree_paper_network_t *network,
                                         const char *header,
                                         mtree_paper_measure_t measure, int num);

/* A table by a whole parameter for all networks, `num` columns each. */
mtree_status_t mtree_paper_print_by_limit(FILE *out, unsigned seed, const char *header,
                                          mtree_paper_measure_t measure, int num,
                                          int step, int last);

#endif
