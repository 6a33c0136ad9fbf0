/* SPDX-License-Identifier: BSD-3-Clause */
/* The figures of papers/optree.txt: OpTree, an all-gather for optical rings. */
#include "papers/figures.h"

#include "papers/baselines/optree_steps.h"

#include <math.h>

#define WAVELENGTHS 64
#define RATE        40e9 /* bits/s of a wavelength */
#define OVERHEAD                                                                         \
    25e-6 /* reconfiguration; the conversion of "one cycle/flit" has no clock to go with \
             it */

static mtree_status_t print_example(FILE *out, unsigned seed)
{
    enum { RANKS = 16, EXAMPLE_WAVELENGTHS = 2, MOST_STAGES = 3 };

    (void)seed;
    fprintf(out, "stages\tcounted steps\tsteps of the schedule's sends\n");
    for (int k = 1; k <= MOST_STAGES; k++) {
        mtree_optree_stage_t stages[MOST_STAGES];
        mtree_optree_schedule_t *schedule;
        mtree_status_t status =
            mtree_optree_schedule_create(RANKS, k, EXAMPLE_WAVELENGTHS, &schedule);

        if (status != MTREE_OK) {
            return status;
        }
        mtree_optree_measure(schedule, EXAMPLE_WAVELENGTHS);
        fprintf(out, "%d\t%ld\t%ld\n", k,
                mtree_optree_count_steps(RANKS, k, EXAMPLE_WAVELENGTHS, stages),
                schedule->steps);
        mtree_optree_schedule_destroy(schedule);
    }
    return MTREE_OK;
}

static mtree_status_t print_table1(FILE *out, unsigned seed)
{
    enum { RANKS = 1024 };
    int stages = mtree_optree_published_stages(RANKS);
    int least = mtree_optree_least_stages(RANKS, WAVELENGTHS);
    mtree_optree_stage_t counted[MTREE_OPTREE_MAX_STAGES];

    (void)seed;
    fprintf(out, "algorithm\tsteps\n");
    fprintf(out, "ring\t%ld\n", mtree_optree_ring_steps(RANKS));
    fprintf(out, "neighbour exchange\t%ld\n", mtree_optree_neighbour_steps(RANKS));
    fprintf(out, "WRHT (text)\t%ld\n", mtree_optree_wrht_steps(RANKS, WAVELENGTHS));
    fprintf(out, "WRHT (table's formula)\t%ld\n",
            mtree_optree_wrht_table_steps(RANKS, WAVELENGTHS));
    fprintf(out, "one stage\t%ld\n", mtree_optree_formula_steps(RANKS, 1, WAVELENGTHS));
    fprintf(out, "OpTree k*=%d (1)\t%ld\n", stages,
            mtree_optree_formula_steps(RANKS, stages, WAVELENGTHS));
    fprintf(out, "OpTree k=%d whole arities\t%ld\n", stages,
            mtree_optree_count_steps(RANKS, stages, WAVELENGTHS, counted));
    fprintf(out, "OpTree k=%d whole arities\t%ld\n", least,
            mtree_optree_count_steps(RANKS, least, WAVELENGTHS, counted));
    return MTREE_OK;
}

static const int figure4_ranks[] = {512, 1024, 2048, 4096};

/* Equation (1), or with @a whole the count over whole arities, over the least of its
 * column. */
static mtree_status_t print_depths(FILE *out, bool whole)
{
    enum { DEPTHS = 12, COLUMNS = 4 };
    long steps[DEPTHS + 1][COLUMNS];
    long least[COLUMNS];

    for (int c = 0; c < COLUMNS; c++) {
        for (int k = 1; k <= DEPTHS; k++) {
            mtree_optree_stage_t stages[DEPTHS];

            steps[k][c] =
                whole ? mtree_optree_count_steps(figure4_ranks[c], k, WAVELENGTHS, stages)
                      : mtree_optree_formula_steps(figure4_ranks[c], k, WAVELENGTHS);
            least[c] = k == 1 || steps[k][c] < least[c] ? steps[k][c] : least[c];
        }
    }
    fprintf(out, "depth\t512 nodes\t1024 nodes\t2048 nodes\t4096 nodes\n");
    for (int k = 1; k <= DEPTHS; k++) {
        fprintf(out, "%d", k);
        for (int c = 0; c < COLUMNS; c++) {
            fprintf(out, "\t%.3f", (double)steps[k][c] / (double)least[c]);
        }
        fprintf(out, "\n");
    }
    return MTREE_OK;
}

static mtree_status_t print_figure4(FILE *out, unsigned seed)
{
    (void)seed;
    return print_depths(out, false);
}

static mtree_status_t print_figure4_whole(FILE *out, unsigned seed)
{
    (void)seed;
    return print_depths(out, true);
}

/* Steps of OpTree, WRHT, ring and neighbour exchange as the paper compares them. */
static void take_steps(int ranks, int wavelengths, long steps[4])
{
    steps[0] = mtree_optree_formula_steps(ranks, mtree_optree_published_stages(ranks),
                                          wavelengths);
    steps[1] = mtree_optree_wrht_steps(ranks, wavelengths);
    steps[2] = mtree_optree_ring_steps(ranks);
    steps[3] = mtree_optree_neighbour_steps(ranks);
}

/* Times by equation (3) for message sizes from 4 to 128 MB, over OpTree's for the first.
 */
static void print_times(FILE *out, int ranks, int wavelengths)
{
    long steps[4];
    double first;

    take_steps(ranks, wavelengths, steps);
    first = mtree_optree_time(steps[0], 4e6, RATE, OVERHEAD);
    fprintf(out, "MB\tOpTree\tWRHT\tring\tneighbour exchange\n");
    for (double megabytes = 4; megabytes <= 128; megabytes *= 2) {
        fprintf(out, "%g", megabytes);
        for (int i = 0; i < 4; i++) {
            fprintf(out, "\t%.3f",
                    mtree_optree_time(steps[i], megabytes * 1e6, RATE, OVERHEAD) / first);
        }
        fprintf(out, "\n");
    }
}

/* By how many per cent OpTree's time is less, in each of two settings and on average. */
static void print_reductions(FILE *out, const int ranks[2], const int wavelengths[2])
{
    double sum[3] = {0};

    fprintf(out, "setting\tagainst WRHT\tagainst ring\tagainst neighbour exchange\n");
    for (int i = 0; i < 2; i++) {
        long steps[4];

        take_steps(ranks[i], wavelengths[i], steps);
        fprintf(out, "%d nodes %d wavelengths", ranks[i], wavelengths[i]);
        for (int b = 0; b < 3; b++) {
            double reduction = 100.0 * (1.0 - (double)steps[0] / (double)steps[b + 1]);

            sum[b] += reduction;
            fprintf(out, "\t%.2f", reduction);
        }
        fprintf(out, "\n");
    }
    fprintf(out, "average\t%.2f\t%.2f\t%.2f\n", sum[0] / 2, sum[1] / 2, sum[2] / 2);
}

static mtree_status_t print_figure5_1024(FILE *out, unsigned seed)
{
    (void)seed;
    print_times(out, 1024, WAVELENGTHS);
    return MTREE_OK;
}

static mtree_status_t print_figure5_2048(FILE *out, unsigned seed)
{
    (void)seed;
    print_times(out, 2048, WAVELENGTHS);
    return MTREE_OK;
}

static mtree_status_t print_figure5_reduction(FILE *out, unsigned seed)
{
    static const int ranks[] = {1024, 2048};
    static const int wavelengths[] = {WAVELENGTHS, WAVELENGTHS};

    (void)seed;
    print_reductions(out, ranks, wavelengths);
    return MTREE_OK;
}

static mtree_status_t print_figure6_96(FILE *out, unsigned seed)
{
    (void)seed;
    print_times(out, 1024, 96);
    return MTREE_OK;
}

static mtree_status_t print_figure6_128(FILE *out, unsigned seed)
{
    (void)seed;
    print_times(out, 1024, 128);
    return MTREE_OK;
}

static mtree_status_t print_figure6_reduction(FILE *out, unsigned seed)
{
    static const int ranks[] = {1024, 1024};
    static const int wavelengths[] = {96, 128};

    (void)seed;
    print_reductions(out, ranks, wavelengths);
    return MTREE_OK;
}

int main(int argc, char **argv)
{
    static const mtree_figure_t figures[] = {
        {"example", "Section III-C: steps of 16 nodes on 2 wavelengths", print_example},
        {"table1", "Table I: steps of 1024 nodes on 64 wavelengths", print_table1},
        {"fig4", "Figure 4: time against depth, by equation (1)", print_figure4},
        {"fig4-whole", "the same, with whole arities", print_figure4_whole},
        {"fig5-1024", "Figure 5: time against message size, 1024 nodes",
         print_figure5_1024},
        {"fig5-2048", "Figure 5: time against message size, 2048 nodes",
         print_figure5_2048},
        {"fig5-reduction", "Section IV-C: per cent less time", print_figure5_reduction},
        {"fig6-96", "Figure 6a: 1024 nodes, 96 wavelengths", print_figure6_96},
        {"fig6-128", "Figure 6b: 1024 nodes, 128 wavelengths", print_figure6_128},
        {"fig6-reduction", "Section IV-C: per cent less time", print_figure6_reduction},
        {NULL, NULL, NULL}};

    return mtree_figures_main(argc, argv, figures);
}
