/* SPDX-License-Identifier: BSD-3-Clause */
/* The figures of papers/topology-adaptive.txt: packing of Steiner trees on machines of
 * GPUs. */
#include "papers/figures.h"

#include "base/log.h"
#include "papers/baselines/steiner_baselines.h"
#include "papers/baselines/steiner_machines.h"
#include "papers/published/steiner.h"

#include <math.h>
#include <stdlib.h>

#define BYTES     1.33e9 /* parameters (Section VI-A) */
#define MOST_GPUS 64
#define GAP       0.01

/* A network of machines and its active GPUs first in `hosts`. */
typedef struct {
    mtree_steiner_machines_t machines;
    mtree_topology_t *topology;
    int hosts[MOST_GPUS];
    int num_hosts, num_active;
} setting_t;

/* @a active[m] has a bit for each active GPU of machine m; NULL: all are. */
static mtree_status_t setting_init(setting_t *setting,
                                   const mtree_steiner_machines_t *machines,
                                   const unsigned *active)
{
    setting->machines = *machines;
    setting->num_hosts = 0;
    setting->num_active = 0;
    for (int relays = 0; relays < 2; relays++) {
        for (int i = 0; i < machines->num_machines * machines->num_gpus; i++) {
            unsigned bits =
                active == NULL ? ~0u
                               : active[i / machines->num_gpus] >> i % machines->num_gpus;

            if ((bits & 1u) != (unsigned)relays) {
                setting->hosts[setting->num_hosts++] = i;
                setting->num_active += relays == 0;
            }
        }
    }
    return mtree_steiner_machines_create(machines, &setting->topology);
}

/* Our seconds.  The links are equal both ways, so reversed broadcast trees are reduce
 * trees. */
static mtree_status_t pack_seconds(const setting_t *setting, mtree_steiner_mode_t mode,
                                   double *seconds_p)
{
    mtree_steiner_request_t request = {.topology = setting->topology,
                                       .hosts = setting->hosts,
                                       .num_hosts = setting->num_hosts,
                                       .num_active = setting->num_active,
                                       .mode = mode,
                                       .root = -1,
                                       .gap = GAP};
    mtree_steiner_packing_t *packing;
    mtree_status_t status = mtree_steiner_pack(&request, &packing);

    if (status == MTREE_OK) {
        *seconds_p = 2.0 * 8.0 * BYTES / packing->chi;
        mtree_steiner_packing_destroy(packing);
    }
    return status;
}

/* Seconds of the baselines into @a seconds[MTREE_BASELINE_LAST], ours after them. */
static mtree_status_t compare(const setting_t *setting, double *seconds)
{
    mtree_status_t status = MTREE_OK;

    for (int b = 0; b < MTREE_BASELINE_LAST && status == MTREE_OK; b++) {
        status = mtree_steiner_baseline_seconds(
            setting->topology, &setting->machines, setting->hosts, setting->num_active,
            (mtree_steiner_baseline_t)b, BYTES, &seconds[b]);
    }
    if (status == MTREE_OK) {
        status =
            pack_seconds(setting, MTREE_STEINER_BROADCAST, &seconds[MTREE_BASELINE_LAST]);
    }
    return status;
}

static mtree_status_t compare_machines(const mtree_steiner_machines_t *machines,
                                       const unsigned *active, double *seconds)
{
    setting_t setting;
    mtree_status_t status = setting_init(&setting, machines, active);

    if (status == MTREE_OK) {
        status = compare(&setting, seconds);
        mtree_topology_destroy(setting.topology);
    }
    return status;
}

static double best_baseline(const double *seconds)
{
    double best = INFINITY;

    for (int b = 0; b < MTREE_BASELINE_LAST; b++) {
        best = fmin(best, seconds[b]);
    }
    return best;
}

static void print_names(FILE *out, const char *axis)
{
    fprintf(out, "%s", axis);
    for (int b = 0; b < MTREE_BASELINE_LAST; b++) {
        fprintf(out, "\t%s", mtree_steiner_baseline_name((mtree_steiner_baseline_t)b));
    }
    fprintf(out, "\tsteiner\n");
}

static void print_seconds(FILE *out, const double *seconds)
{
    for (int b = 0; b <= MTREE_BASELINE_LAST; b++) {
        fprintf(out, "\t%.4f", seconds[b]);
    }
    fprintf(out, "\n");
}

static const double bandwidths[] = {10e9, 25e9, 40e9, 100e9};

#define NUM_BANDWIDTHS ((int)(sizeof(bandwidths) / sizeof(bandwidths[0])))

static const int shapes[][2] = {{2, 4}, {4, 4}, {2, 8}};

#define NUM_SHAPES ((int)(sizeof(shapes) / sizeof(shapes[0])))

/* All workers active: seconds of every scheme. */
static mtree_status_t print_figure4(FILE *out, unsigned seed)
{
    (void)seed;
    print_names(out, "machines x GPUs, Gb/s between");
    for (int b = 0; b < NUM_BANDWIDTHS; b++) {
        for (int s = 0; s < NUM_SHAPES; s++) {
            mtree_steiner_machines_t machines = {shapes[s][0], shapes[s][1], 100e9,
                                                 bandwidths[b]};
            double seconds[MTREE_BASELINE_LAST + 1];
            mtree_status_t status = compare_machines(&machines, NULL, seconds);

            if (status != MTREE_OK) {
                return status;
            }
            fprintf(out, "%dx%d %g", shapes[s][0], shapes[s][1], bandwidths[b] / 1e9);
            print_seconds(out, seconds);
        }
    }
    return MTREE_OK;
}

/* All workers active: the best baseline's time over ours. */
static mtree_status_t print_figure4_ratio(FILE *out, unsigned seed)
{
    (void)seed;
    fprintf(out, "Gb/s between\t2x4\t4x4\t2x8\n");
    for (int b = 0; b < NUM_BANDWIDTHS; b++) {
        fprintf(out, "%g", bandwidths[b] / 1e9);
        for (int s = 0; s < NUM_SHAPES; s++) {
            mtree_steiner_machines_t machines = {shapes[s][0], shapes[s][1], 100e9,
                                                 bandwidths[b]};
            double seconds[MTREE_BASELINE_LAST + 1];
            mtree_status_t status = compare_machines(&machines, NULL, seconds);

            if (status != MTREE_OK) {
                return status;
            }
            fprintf(out, "\t%.2f", best_baseline(seconds) / seconds[MTREE_BASELINE_LAST]);
        }
        fprintf(out, "\n");
    }
    return MTREE_OK;
}

/* How many GPUs of each of four machines are active; the paper's own choices are in its
 * figure only. */
static const int distributions[][4] = {
    {1, 1, 0, 0}, {1, 1, 1, 0}, {1, 1, 1, 1}, {2, 1, 1, 0}, {2, 2, 0, 0}, {2, 2, 1, 1},
    {2, 2, 2, 2}, {3, 2, 1, 1}, {4, 1, 1, 1}, {4, 2, 1, 1}, {3, 3, 2, 2}};

#define NUM_DISTRIBUTIONS ((int)(sizeof(distributions) / sizeof(distributions[0])))

/* Print the distribution and give the bits of its active GPUs. */
static void print_distribution(FILE *out, int d, unsigned active[4])
{
    for (int m = 0; m < 4; m++) {
        active[m] = (1u << distributions[d][m]) - 1u;
    }
    fprintf(out, "(%d %d %d %d)", distributions[d][0], distributions[d][1],
            distributions[d][2], distributions[d][3]);
}

/* Part of the workers active, 10 Gb/s between machines. */
static mtree_status_t print_figure5(FILE *out, unsigned seed)
{
    mtree_steiner_machines_t machines = {4, 4, 100e9, 10e9};

    (void)seed;
    print_names(out, "active");
    for (int d = 0; d < NUM_DISTRIBUTIONS; d++) {
        double seconds[MTREE_BASELINE_LAST + 1];
        unsigned active[4];
        mtree_status_t status;

        print_distribution(out, d, active);
        status = compare_machines(&machines, active, seconds);
        if (status != MTREE_OK) {
            return status;
        }
        print_seconds(out, seconds);
    }
    return MTREE_OK;
}

/* A number about four machines of four GPUs, of which @a active are. */
typedef mtree_status_t (*measure_t)(const mtree_steiner_machines_t *machines,
                                    const unsigned *active, double *number_p);

/* A row per distribution, a column per bandwidth between machines. */
static mtree_status_t print_by_bandwidth(FILE *out, measure_t measure)
{
    fprintf(out, "active\t10 Gb/s\t25 Gb/s\t40 Gb/s\t100 Gb/s\n");
    for (int d = 0; d < NUM_DISTRIBUTIONS; d++) {
        unsigned active[4];

        print_distribution(out, d, active);
        for (int b = 0; b < NUM_BANDWIDTHS; b++) {
            mtree_steiner_machines_t machines = {4, 4, 100e9, bandwidths[b]};
            double number;
            mtree_status_t status = measure(&machines, active, &number);

            if (status != MTREE_OK) {
                return status;
            }
            fprintf(out, "\t%.2f", number);
        }
        fprintf(out, "\n");
    }
    return MTREE_OK;
}

/* The best baseline's time over ours. */
static mtree_status_t measure_ratio(const mtree_steiner_machines_t *machines,
                                    const unsigned *active, double *ratio_p)
{
    double seconds[MTREE_BASELINE_LAST + 1];
    mtree_status_t status = compare_machines(machines, active, seconds);

    if (status == MTREE_OK) {
        *ratio_p = best_baseline(seconds) / seconds[MTREE_BASELINE_LAST];
    }
    return status;
}

static mtree_status_t print_figure5_ratio(FILE *out, unsigned seed)
{
    (void)seed;
    return print_by_bandwidth(out, measure_ratio);
}

/* Machines of eight: the paper's "2G" is workers A and G, "3G" A, B and G, "4H" A, B, G
 * and H. */
static mtree_status_t print_figure6(FILE *out, unsigned seed)
{
    enum {
        MACHINES = 4,
        TWO_G = 0x41,
        THREE_G = 0x43,
        FOUR_H = 0xc3,
        TWO = 0x3,
        ONE = 0x1
    };
    static const struct {
        const char *name;
        unsigned active[MACHINES];
    } cases[] = {{"(1 1 1 1)", {ONE, ONE, ONE, ONE}},
                 {"(2 2 2 2)", {TWO, TWO, TWO, TWO}},
                 {"(2G 2G 2G 2G)", {TWO_G, TWO_G, TWO_G, TWO_G}},
                 {"(2G 2G 1 1)", {TWO_G, TWO_G, ONE, ONE}},
                 {"(3G 2 2G 1)", {THREE_G, TWO, TWO_G, ONE}},
                 {"(4H 2G 1 1)", {FOUR_H, TWO_G, ONE, ONE}}};
    mtree_steiner_machines_t machines = {MACHINES, 8, 300e9, 100e9};

    (void)seed;
    print_names(out, "active");
    for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
        double seconds[MTREE_BASELINE_LAST + 1];
        mtree_status_t status = compare_machines(&machines, cases[c].active, seconds);

        if (status != MTREE_OK) {
            return status;
        }
        fprintf(out, "%s", cases[c].name);
        print_seconds(out, seconds);
    }
    return MTREE_OK;
}

/* How many per cent less time linear program (8) takes than (4). */
static mtree_status_t overlap_gain(const setting_t *setting, double *gain_p)
{
    double separate, overlapped;
    mtree_status_t status = pack_seconds(setting, MTREE_STEINER_SEPARATE, &separate);

    if (status == MTREE_OK) {
        status = pack_seconds(setting, MTREE_STEINER_OVERLAPPED, &overlapped);
    }
    if (status == MTREE_OK) {
        *gain_p = 100.0 * (1.0 - overlapped / separate);
    }
    return status;
}

static mtree_status_t measure_gain(const mtree_steiner_machines_t *machines,
                                   const unsigned *active, double *gain_p)
{
    setting_t setting;
    double gain = 0.0;
    mtree_status_t status = setting_init(&setting, machines, active);

    if (status == MTREE_OK) {
        status = overlap_gain(&setting, &gain);
        mtree_topology_destroy(setting.topology);
    }
    *gain_p = fabs(gain) < 0.005 ? 0.0 : gain;
    return status;
}

static mtree_status_t print_figure7(FILE *out, unsigned seed)
{
    (void)seed;
    return print_by_bandwidth(out, measure_gain);
}

/* Six hosts, each joined to each by a link of 1 to 5 Gb/s, another each way. */
static mtree_status_t draw_setting(setting_t *setting, int num_active)
{
    mtree_status_t status = MTREE_OK;

    setting->topology = mtree_topology_create("drawn", "generated");
    setting->num_hosts = 6;
    setting->num_active = num_active;
    for (int v = 0; v < setting->num_hosts && status == MTREE_OK; v++) {
        char name[] = {(char)('a' + v), '\0'};

        setting->hosts[v] = v;
        status = mtree_topology_add_vertex(setting->topology, name, NULL,
                                           MTREE_VERTEX_HOST, NULL);
    }
    for (int u = 0; u < setting->num_hosts; u++) {
        for (int v = u + 1; v < setting->num_hosts && status == MTREE_OK; v++) {
            double forward = 1e9 * (1 + rand() % 5);
            double backward = 1e9 * (1 + rand() % 5);

            status = mtree_topology_add_link(setting->topology, u, v, forward, backward,
                                             0.0, NULL);
        }
    }
    return status;
}

static mtree_status_t print_figure7_drawn(FILE *out, unsigned seed)
{
    enum { DRAWINGS = 20 };

    srand(seed);
    fprintf(out, "active of 6\tmean per cent\tlargest per cent\n");
    for (int num_active = 2; num_active <= 6; num_active++) {
        double sum = 0.0, largest = 0.0;

        for (int i = 0; i < DRAWINGS; i++) {
            setting_t setting = {.topology = NULL};
            double gain = 0.0;
            mtree_status_t status = draw_setting(&setting, num_active);

            if (status == MTREE_OK) {
                status = overlap_gain(&setting, &gain);
            }
            mtree_topology_destroy(setting.topology);
            if (status != MTREE_OK) {
                return status;
            }
            sum += gain;
            largest = fmax(largest, gain);
        }
        fprintf(out, "%d\t%.2f\t%.2f\n", num_active, sum / DRAWINGS, largest);
    }
    return MTREE_OK;
}

int main(int argc, char **argv)
{
    static const mtree_figure_t figures[] = {
        {"fig4", "Figure 4: seconds, all workers active", print_figure4},
        {"fig4-ratio", "Figure 4: the best baseline's time over ours",
         print_figure4_ratio},
        {"fig5", "Figure 5: seconds, part of 4x4 workers active, 10 Gb/s", print_figure5},
        {"fig5-ratio", "Figure 5: the best baseline's time over ours",
         print_figure5_ratio},
        {"fig6", "Figure 6: seconds, machines of eight", print_figure6},
        {"fig7", "Figure 7: per cent less time by overlap", print_figure7},
        {"fig7-drawn", "the same where links differ each way", print_figure7_drawn},
        {NULL, NULL, NULL}};

    return mtree_figures_main(argc, argv, figures);
}
