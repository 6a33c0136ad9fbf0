/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * `packing` beside every other algorithm, on the networks of all five papers: none may
 * plan for more throughput; and with at most ten trees, beside gost with its MILP.
 */
#include "papers/figures.h"
#include "papers/instance.h"
#include "planner/algorithms.h"

#include "papers/baselines/steiner_machines.h"

#include <math.h>
#include <string.h>

#define SKEW      0.7
#define MAX_TREES 10
#define MARGIN    1.1   /* by which packing with ten trees is to be better than gost */
#define MOST_RATE 100e9 /* bits/s of a link where a paper leaves it open, or of PCIe */

/* Blink's choice of ten trees takes minutes on more hosts. */
#define MOST_HOSTS_THINNED 40

/* A network: a shape to generate, or one of MTREE's, or machines of GPUs. */
typedef struct {
    const char *name;
    const char *shape;                 /* NULL: B4 */
    bool drawn;                        /* as MTREE draws capacities and latencies */
    int num_active;                    /* hosts that take part; 0: all */
    mtree_steiner_machines_t machines; /* where num_machines > 0 */
} network_t;

static const network_t networks[] = {
    {.name = "B4", .drawn = true},
    {.name = "synthetic 20/141", .shape = "random:20:141", .drawn = true},
    {.name = "synthetic 40/231", .shape = "random:40:231", .drawn = true},
    {.name = "torus 4x4", .shape = "torus:4x4"},
    {.name = "torus 8x8", .shape = "torus:8x8"},
    {.name = "mesh 4x4", .shape = "mesh:4x4"},
    {.name = "mesh 8x8", .shape = "mesh:8x8"},
    {.name = "fat tree 2x8", .shape = "fattree:2x8"},
    {.name = "fat tree 8x8", .shape = "fattree:8x8"},
    {.name = "BiGraph 4x8", .shape = "bigraph:4x8"},
    {.name = "BiGraph 4x16", .shape = "bigraph:4x16"},
    {.name = "2x4 GPUs, 10 Gb/s", .machines = {2, 4, MOST_RATE, 10e9}},
    {.name = "4x4 GPUs, 10 Gb/s", .machines = {4, 4, MOST_RATE, 10e9}},
    {.name = "4x4 GPUs, 40 Gb/s", .machines = {4, 4, MOST_RATE, 40e9}},
    {.name = "2x8 GPUs, 25 Gb/s", .machines = {2, 8, MOST_RATE, 25e9}},
    {.name = "4x4 GPUs, 6 active", .num_active = 6, .machines = {4, 4, MOST_RATE, 10e9}},
    {.name = "ring 16", .shape = "ring:16"},
    {.name = "star 16", .shape = "star:16"},
};

#define NUM_NETWORKS ((int)(sizeof(networks) / sizeof(networks[0])))

static mtree_status_t open_network(const network_t *network, unsigned seed,
                                   mtree_instance_t *instance_p)
{
    const mtree_generate_request_t request = {.capacity = MOST_RATE, .seed = seed};
    mtree_topology_t *topology;
    mtree_status_t status;

    if (network->drawn) {
        return mtree_instance_draw(network->shape, seed, SKEW, seed, instance_p);
    }
    if (network->machines.num_machines == 0) {
        return mtree_instance_generate(network->shape, &request, instance_p);
    }
    status = mtree_steiner_machines_create(&network->machines, &topology);
    return status == MTREE_OK
               ? mtree_instance_create(topology, network->num_active, instance_p)
               : status;
}

static mtree_status_t plan_throughput(const mtree_instance_t *instance,
                                      const mtree_plan_request_t *request,
                                      double *throughput_p)
{
    mtree_plan_t *plan;
    mtree_status_t status = mtree_instance_plan(instance, request, &plan);

    if (status == MTREE_OK) {
        *throughput_p = plan->throughput;
        mtree_plan_destroy(plan);
    }
    return status;
}

/* One row: every algorithm's throughput over packing's. */
static mtree_status_t print_shares(FILE *out, const char *name,
                                   const mtree_instance_t *instance,
                                   mtree_plan_request_t request)
{
    const char *const *algorithm = mtree_algorithms_names();
    double packing, other;
    mtree_status_t status = plan_throughput(instance, &request, &packing);

    fprintf(out, "%s", name);
    while (*++algorithm != NULL && status == MTREE_OK) {
        if (!mtree_algorithms_do(*algorithm, request.collective)) {
            continue;
        }
        request.algorithm = *algorithm;
        status = plan_throughput(instance, &request, &other);
        if (status == MTREE_OK) {
            fprintf(out, "\t%.4f", other / packing);
        }
    }
    fprintf(out, "\n");
    fflush(out); /* a row may take seconds */
    return status;
}

static mtree_status_t print_networks(FILE *out, unsigned seed,
                                     mtree_collective_t collective, int max_trees)
{
    const mtree_plan_request_t request = {
        .collective = collective, .max_trees = max_trees, .seed = seed};
    const char *const *algorithm = mtree_algorithms_names();
    mtree_status_t status = MTREE_OK;

    fprintf(out, "network");
    while (*++algorithm != NULL) {
        if (mtree_algorithms_do(*algorithm, collective)) {
            fprintf(out, "\t%s", *algorithm);
        }
    }
    fprintf(out, "\n");
    for (int i = 0; i < NUM_NETWORKS && status == MTREE_OK; i++) {
        mtree_instance_t instance;

        status = open_network(&networks[i], seed, &instance);
        if (status != MTREE_OK) {
            break;
        }
        if (max_trees == 0 || instance.num_hosts <= MOST_HOSTS_THINNED) {
            status = print_shares(out, networks[i].name, &instance, request);
        }
        mtree_instance_destroy(&instance);
    }
    return status;
}

static mtree_status_t print_allreduce(FILE *out, unsigned seed)
{
    return print_networks(out, seed, MTREE_ALLREDUCE, 0);
}

static mtree_status_t print_allreduce_ten(FILE *out, unsigned seed)
{
    return print_networks(out, seed, MTREE_ALLREDUCE, MAX_TREES);
}

static mtree_status_t print_bcast(FILE *out, unsigned seed)
{
    return print_networks(out, seed, MTREE_BCAST, 0);
}

static mtree_status_t print_allgather(FILE *out, unsigned seed)
{
    return print_networks(out, seed, MTREE_ALLGATHER, 0);
}

/* Packing beside gost, both with ten trees, over the drawings so far. */
typedef struct {
    double sum, least; /* of packing's throughput over gost's */
    double shares;     /* sum of packing's throughput over the bound */
    int below;         /* drawings on which packing has less than MARGIN times gost's */
    int out_of_reach;  /* of them: where MARGIN times gost's is over the bound */
} margins_t;

/* One more drawing of links, capacities and latencies. */
static mtree_status_t add_drawing(const char *shape, double skew, unsigned seed,
                                  margins_t *margins)
{
    mtree_plan_request_t request = {.max_trees = MAX_TREES, .seed = seed};
    mtree_instance_t instance;
    mtree_plan_t *plan;
    double gost;
    mtree_status_t status = mtree_instance_draw(shape, seed, skew, seed, &instance);

    if (status != MTREE_OK) {
        return status;
    }
    status = mtree_instance_plan(&instance, &request, &plan);
    if (status != MTREE_OK) {
        goto destroy_instance;
    }
    request.algorithm = "gost";
    status = plan_throughput(&instance, &request, &gost);
    if (status == MTREE_OK) {
        bool below = plan->throughput < MARGIN * gost;

        margins->sum += plan->throughput / gost;
        margins->least = fmin(margins->least, plan->throughput / gost);
        margins->shares += plan->throughput / plan->bound;
        margins->below += below;
        margins->out_of_reach += below && MARGIN * gost > plan->bound;
    }
    mtree_plan_destroy(plan);
destroy_instance:
    mtree_instance_destroy(&instance);
    return status;
}

/* By skew, over several drawings. */
static mtree_status_t print_ten(FILE *out, unsigned seed, const char *shape)
{
    enum { DRAWINGS = 10 };

    fprintf(out,
            "skew\tmean over gost\tleast over gost\tmean of the bound\tdrawings "
            "below %g\tof them out of reach\n",
            MARGIN);
    for (int tenth = 1; tenth <= 9; tenth += 2) {
        margins_t margins = {.least = INFINITY};

        for (unsigned drawn = seed; drawn < seed + DRAWINGS; drawn++) {
            mtree_status_t status = add_drawing(shape, tenth / 10.0, drawn, &margins);

            if (status != MTREE_OK) {
                return status;
            }
        }
        fprintf(out, "%.1f\t%.3f\t%.3f\t%.3f\t%d\t%d\n", tenth / 10.0,
                margins.sum / DRAWINGS, margins.least, margins.shares / DRAWINGS,
                margins.below, margins.out_of_reach);
        fflush(out); /* a row takes half a minute */
    }
    return MTREE_OK;
}

static mtree_status_t print_ten_20(FILE *out, unsigned seed)
{
    return print_ten(out, seed, "random:20:141");
}

static mtree_status_t print_ten_40(FILE *out, unsigned seed)
{
    return print_ten(out, seed, "random:40:231");
}

int main(int argc, char **argv)
{
    static const mtree_figure_t figures[] = {
        {"allreduce", "the others' throughput over packing's, any number of trees",
         print_allreduce},
        {"allreduce-10", "the same with at most ten trees, networks of up to 40 hosts",
         print_allreduce_ten},
        {"bcast", "the same for bcast, any number of trees", print_bcast},
        {"allgather", "the same for allgather", print_allgather},
        {"ten-20", "packing over gost with its MILP, ten trees each, synthetic 20/141",
         print_ten_20},
        {"ten-40", "the same, synthetic 40/231", print_ten_40},
        {NULL, NULL, NULL}};

    return mtree_figures_main(argc, argv, figures);
}
