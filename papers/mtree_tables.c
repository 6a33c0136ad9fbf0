/* SPDX-License-Identifier: BSD-3-Clause */
#include "papers/mtree_tables.h"

#include <string.h>

/* Of the stand-ins' links, the same in all trials. */
#define GRAPH_SEED 1

const mtree_paper_network_t mtree_paper_networks[MTREE_PAPER_NETWORKS] = {
    {"B4", NULL, 20},
    {"synthetic 20/141", "random:20:141", 3},
    {"synthetic 40/231", "random:40:231", 2}};

double mtree_paper_throughput_unit(const mtree_instance_t *instance)
{
    double sum = 0;

    for (int link = 0; link < instance->topology->num_links; link++) {
        sum += instance->topology->links[link].capacity[0];
    }
    return sum / (instance->num_hosts - 1);
}

mtree_status_t mtree_paper_open(const mtree_paper_network_t *network, double skew,
                                unsigned seed, mtree_instance_t *instance_p)
{
    return mtree_instance_draw(network->shape, GRAPH_SEED, skew, seed, instance_p);
}

mtree_status_t mtree_paper_average(const mtree_paper_network_t *network, double skew,
                                   unsigned seed, mtree_paper_measure_t measure,
                                   double parameter, int num, double *means)
{
    mtree_status_t status = MTREE_OK;
    double values[16];

    memset(means, 0, (size_t)num * sizeof(*means));
    for (int trial = 0; trial < network->num_trials && status == MTREE_OK; trial++) {
        unsigned drawn = seed + (unsigned)trial;
        mtree_instance_t instance;

        status = mtree_paper_open(network, skew, drawn, &instance);
        if (status != MTREE_OK) {
            break;
        }
        status = measure(&instance, drawn, parameter, values);
        for (int i = 0; i < num && status == MTREE_OK; i++) {
            means[i] += values[i] / network->num_trials;
        }
        mtree_instance_destroy(&instance);
    }
    return status;
}

void mtree_paper_print_row(FILE *out, const char *x, const double *values, int num)
{
    fprintf(out, "%s", x);
    for (int i = 0; i < num; i++) {
        fprintf(out, "\t%.3f", values[i]);
    }
    fprintf(out, "\n");
    fflush(out); /* a row may have taken a minute */
}

mtree_status_t mtree_paper_print_by_skew(FILE *out, unsigned seed,
                                         const mtree_paper_network_t *network,
                                         const char *header,
                                         mtree_paper_measure_t measure, int num)
{
    mtree_status_t status = MTREE_OK;
    double means[16];
    char x[16];

    fprintf(out, "skew\t%s\n", header);
    for (int tenth = 1; tenth <= 9 && status == MTREE_OK; tenth += 2) {
        status = mtree_paper_average(network, tenth / 10.0, seed, measure, 0, num, means);
        snprintf(x, sizeof(x), "%.1f", tenth / 10.0);
        if (status == MTREE_OK) {
            mtree_paper_print_row(out, x, means, num);
        }
    }
    return status;
}

mtree_status_t mtree_paper_print_by_limit(FILE *out, unsigned seed, const char *header,
                                          mtree_paper_measure_t measure, int num,
                                          int step, int last)
{
    mtree_status_t status = MTREE_OK;

    fprintf(out, "%s\n", header);
    for (int limit = step; limit <= last && status == MTREE_OK; limit += step) {
        double means[16];
        char x[16];

        for (int i = 0; i < MTREE_PAPER_NETWORKS && status == MTREE_OK; i++) {
            status = mtree_paper_average(&mtree_paper_networks[i], MTREE_PAPER_SKEW, seed,
                                         measure, limit, num, means + i * num);
        }
        snprintf(x, sizeof(x), "%d", limit);
        if (status == MTREE_OK) {
            mtree_paper_print_row(out, x, means, MTREE_PAPER_NETWORKS * num);
        }
    }
    return status;
}
