/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The figures of papers/multitree.txt: steps on the 2x2 mesh (Fig. 3), allreduce
 * bandwidth by network and size (Fig. 9), weak scaling on tori (Fig. 10).  Links as in
 * its Table III; headers of 16 bytes on 256 except for MULTITREEMSG.
 */
#include "base/memory.h"
#include "papers/figures.h"
#include "papers/instance.h"

#include "papers/baselines/double_tree.h"
#include "papers/baselines/halving_doubling.h"
#include "papers/baselines/multitree_schedule.h"
#include "papers/baselines/ring_schedule.h"

#include <math.h>
#include <stdlib.h>

#define LINK_RATE    (16e9 * 8) /* bits/s */
#define LINK_LATENCY 150e-9
#define HEADERS      ((256.0 + 16) / 256)
#define KIB          1024.0
#define GIGA         1e9
#define MAX_CHUNKS   32

typedef enum {
    MULTITREE_MSG,
    MULTITREE,
    DBTREE,
    RING_2D,
    RING,
    HDRM,
    NUM_ALGORITHMS
} name_t;

static const char *const algorithm_names[NUM_ALGORITHMS] = {
    "MultiTreeMsg", "MultiTree", "DBTree", "2D-Ring", "Ring", "HDRM"};

/* A network with its hosts and routes, and the grid that it is, if any. */
typedef struct {
    mtree_instance_t on;
    int rows, cols; /* 0: no grid */
    int per_switch; /* of a BiGraph; 0: none */
} network_t;

static mtree_status_t open_network(const char *shape, network_t *network)
{
    const mtree_generate_request_t request = {.capacity = LINK_RATE,
                                              .latency = LINK_LATENCY};

    return mtree_instance_generate(shape, &request, &network->on);
}

static mtree_status_t make_multitree(const network_t *network,
                                     mtree_rounds_t **schedule_p)
{
    mtree_multitree_t *trees;
    mtree_status_t status = mtree_multitree_create(
        network->on.topology, network->on.hosts, network->on.num_hosts, &trees);

    if (status == MTREE_OK) {
        *schedule_p = mtree_multitree_schedule(trees);
        mtree_multitree_destroy(trees);
    }
    return status;
}

/* Around the grid where there is one, else by number: switch after switch. */
static mtree_rounds_t *make_ring(const network_t *network)
{
    int *order = mtree_malloc((size_t)network->on.num_hosts * sizeof(*order));
    mtree_rounds_t *schedule;

    if (network->rows > 0) {
        mtree_ring_order_grid(network->rows, network->cols, order);
    }
    schedule =
        mtree_ring_schedule(network->on.num_hosts, network->rows > 0 ? order : NULL);
    free(order);
    return schedule;
}

static mtree_status_t make_halving(const network_t *network, mtree_rounds_t **schedule_p)
{
    int *host_of = mtree_malloc((size_t)network->on.num_hosts * sizeof(*host_of));
    mtree_status_t status;

    status = mtree_halving_doubling_map_bigraph(network->on.num_hosts,
                                                network->per_switch, host_of);
    if (status == MTREE_OK) {
        status =
            mtree_halving_doubling_schedule(network->on.num_hosts, host_of, schedule_p);
    }
    free(host_of);
    return status;
}

static bool applies(const network_t *network, name_t name)
{
    return (name != RING_2D || network->rows > 0) &&
           (name != HDRM || network->per_switch > 0);
}

static mtree_status_t make_schedule(const network_t *network, name_t name, int num_chunks,
                                    mtree_rounds_t **schedule_p)
{
    switch (name) {
    case DBTREE:
        *schedule_p = mtree_double_tree_schedule(network->on.num_hosts, num_chunks);
        return MTREE_OK;
    case RING_2D:
        *schedule_p = mtree_ring_schedule_2d(network->rows, network->cols);
        return MTREE_OK;
    case RING:
        *schedule_p = make_ring(network);
        return MTREE_OK;
    case HDRM:
        return make_halving(network, schedule_p);
    default:
        return make_multitree(network, schedule_p);
    }
}

/* Seconds for each of the sizes, the best over the numbers of chunks where there is a
 * choice. */
static mtree_status_t time_sizes(const network_t *network, name_t name,
                                 const double *bytes, int num_sizes, double *seconds)
{
    double wire = name == MULTITREE_MSG ? 1 : HEADERS;
    mtree_status_t status = MTREE_OK;

    for (int i = 0; i < num_sizes; i++) {
        seconds[i] = INFINITY;
    }
    for (int chunks = 1; chunks <= (name == DBTREE ? MAX_CHUNKS : 1); chunks *= 2) {
        mtree_rounds_t *schedule;

        status = make_schedule(network, name, chunks, &schedule);
        if (status != MTREE_OK) {
            return status;
        }
        for (int i = 0; i < num_sizes; i++) {
            seconds[i] = fmin(seconds[i],
                              mtree_rounds_seconds(schedule, network->on.topology,
                                                   network->on.routes, bytes[i], wire));
        }
        mtree_rounds_destroy(schedule);
    }
    return status;
}

/* Fig. 3 and 4: time steps of one phase on the 2x2 mesh. */
static mtree_status_t print_fig3(FILE *out, unsigned seed)
{
    network_t network = {.rows = 2, .cols = 2};
    mtree_status_t status = open_network("mesh:2x2", &network);

    (void)seed; /* nothing is drawn */
    if (status != MTREE_OK) {
        return status;
    }
    fprintf(out, "algorithm\tsteps of a phase\tcontention\n");
    for (name_t name = MULTITREE; name <= RING && status == MTREE_OK; name++) {
        mtree_rounds_t *schedule;

        status = make_schedule(&network, name, 1, &schedule);
        if (status != MTREE_OK) {
            break;
        }
        fprintf(
            out, "%s\t%d\t%g\n", algorithm_names[name], schedule->num_steps / 2,
            mtree_rounds_contention(schedule, network.on.topology, network.on.routes));
        mtree_rounds_destroy(schedule);
    }
    mtree_instance_destroy(&network.on);
    return status;
}

#define NUM_SIZES 12 /* 32 KiB to 64 MiB */

static mtree_status_t print_fig9(FILE *out, const char *shape, network_t network)
{
    double bytes[NUM_SIZES], seconds[NUM_ALGORITHMS][NUM_SIZES];
    mtree_status_t status = open_network(shape, &network);

    if (status != MTREE_OK) {
        return status;
    }
    for (int i = 0; i < NUM_SIZES; i++) {
        bytes[i] = 32 * KIB * (1 << i);
    }
    fprintf(out, "size KiB");
    for (name_t name = 0; name < NUM_ALGORITHMS && status == MTREE_OK; name++) {
        if (applies(&network, name)) {
            fprintf(out, "\t%s GB/s", algorithm_names[name]);
            status = time_sizes(&network, name, bytes, NUM_SIZES, seconds[name]);
        }
    }
    for (int i = 0; i < NUM_SIZES && status == MTREE_OK; i++) {
        fprintf(out, "\n%g", bytes[i] / KIB);
        for (name_t name = 0; name < NUM_ALGORITHMS; name++) {
            if (applies(&network, name)) {
                fprintf(out, "\t%.3f", bytes[i] / seconds[name][i] / GIGA);
            }
        }
    }
    fprintf(out, "\n");
    mtree_instance_destroy(&network.on);
    return status;
}

static mtree_status_t print_torus16(FILE *out, unsigned seed)
{
    (void)seed;
    return print_fig9(out, "torus:4x4", (network_t){.rows = 4, .cols = 4});
}

static mtree_status_t print_torus64(FILE *out, unsigned seed)
{
    (void)seed;
    return print_fig9(out, "torus:8x8", (network_t){.rows = 8, .cols = 8});
}

static mtree_status_t print_mesh16(FILE *out, unsigned seed)
{
    (void)seed;
    return print_fig9(out, "mesh:4x4", (network_t){.rows = 4, .cols = 4});
}

static mtree_status_t print_mesh64(FILE *out, unsigned seed)
{
    (void)seed;
    return print_fig9(out, "mesh:8x8", (network_t){.rows = 8, .cols = 8});
}

static mtree_status_t print_fattree16(FILE *out, unsigned seed)
{
    (void)seed;
    return print_fig9(out, "fattree:2x8", (network_t){0});
}

static mtree_status_t print_fattree64(FILE *out, unsigned seed)
{
    (void)seed;
    return print_fig9(out, "fattree:8x8", (network_t){0});
}

static mtree_status_t print_bigraph32(FILE *out, unsigned seed)
{
    (void)seed;
    return print_fig9(out, "bigraph:4x8", (network_t){.per_switch = 4});
}

static mtree_status_t print_bigraph64(FILE *out, unsigned seed)
{
    (void)seed;
    return print_fig9(out, "bigraph:4x16", (network_t){.per_switch = 8});
}

/* Fig. 10: 375 N KiB on N nodes, against RING on 16. */
static mtree_status_t print_fig10(FILE *out, unsigned seed)
{
    static const struct {
        const char *shape;
        int rows, cols;
    } tori[] = {{"torus:4x4", 4, 4},
                {"torus:4x8", 4, 8},
                {"torus:8x8", 8, 8},
                {"torus:8x16", 8, 16},
                {"torus:16x16", 16, 16}};
    static const name_t names[] = {RING, RING_2D, MULTITREE_MSG};
    mtree_status_t status = MTREE_OK;
    double seconds[3], unit = 0;

    (void)seed;
    fprintf(out, "nodes\tRing\t2D-Ring\tMultiTreeMsg\n");
    for (int i = 0; i < 5 && status == MTREE_OK; i++) {
        network_t network = {.rows = tori[i].rows, .cols = tori[i].cols};
        double bytes = 375 * KIB * tori[i].rows * tori[i].cols;

        status = open_network(tori[i].shape, &network);
        if (status != MTREE_OK) {
            break;
        }
        for (int name = 0; name < 3 && status == MTREE_OK; name++) {
            status = time_sizes(&network, names[name], &bytes, 1, &seconds[name]);
        }
        unit = i == 0 ? seconds[0] : unit;
        if (status == MTREE_OK) {
            fprintf(out, "%d\t%.3f\t%.3f\t%.3f\n", network.on.num_hosts,
                    seconds[0] / unit, seconds[1] / unit, seconds[2] / unit);
        }
        mtree_instance_destroy(&network.on);
    }
    return status;
}

int main(int argc, char **argv)
{
    static const mtree_figure_t figures[] = {
        {"fig3", "steps of one phase on the 2x2 mesh", print_fig3},
        {"fig9-torus16", "bandwidth, 4x4 torus", print_torus16},
        {"fig9-torus64", "bandwidth, 8x8 torus", print_torus64},
        {"fig9-mesh16", "bandwidth, 4x4 mesh", print_mesh16},
        {"fig9-mesh64", "bandwidth, 8x8 mesh", print_mesh64},
        {"fig9-fattree16", "bandwidth, 16 nodes below two switches", print_fattree16},
        {"fig9-fattree64", "bandwidth, 64 nodes, 8-ary 2-level fat tree",
         print_fattree64},
        {"fig9-bigraph32", "bandwidth, 4x8 BiGraph", print_bigraph32},
        {"fig9-bigraph64", "bandwidth, 4x16 BiGraph", print_bigraph64},
        {"fig10", "time by number of nodes on tori, RING on 16 is 1", print_fig10},
        {NULL, NULL, NULL}};

    return mtree_figures_main(argc, argv, figures);
}
