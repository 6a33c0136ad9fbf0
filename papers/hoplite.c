/* SPDX-License-Identifier: BSD-3-Clause */
/* The figures of papers/hoplite.txt: chains in the order of arrival (Section 4.3,
 * Appendix A). */
#include "papers/figures.h"

#include "papers/baselines/chain_times.h"
#include "papers/instance.h"
#include "simulate/simulate.h"

#include <math.h>
#include <stdlib.h>

#define HOSTS     16
#define BANDWIDTH 10e9   /* bits/s (Section 6) */
#define LATENCY   125e-6 /* seconds between two hosts (Section 6.1) */
#define LARGEST   1e9    /* bytes (Figure 7) */

/* When the last host comes, in times of what packing takes with all at once. */
#define LAST_COMES 1.5

/* A chunk of mtree's above LARGE bytes, sent without asking: at 10 Gb/s what the
 * simulated ranks spend on a message of 32 KiB, as in the lab, takes longer than the
 * wire. */
#define LARGE_CHUNK ((size_t)128 << 10)
#define LARGE       ((size_t)8000000)

/* Of Open MPI's algorithms that cut messages: above the eager limit, so that nothing
 * piles up at a rank that has not come. */
#define SEGMENT ((size_t)128 << 10)

/* A star of equal hosts. */
static mtree_status_t star_open(mtree_instance_t *star_p)
{
    const mtree_generate_request_t request = {.capacity = BANDWIDTH,
                                              .latency = LATENCY / 2};

    return mtree_instance_generate("star:16", &request, star_p);
}

static mtree_simulate_options_t options_for(size_t bytes, const double *arrivals)
{
    mtree_simulate_options_t options;

    mtree_simulate_default_options(&options);
    options.bytes = bytes;
    options.arrivals = arrivals;
    options.chunk_bytes = bytes > LARGE ? LARGE_CHUNK : 0;
    return options;
}

static mtree_status_t plan_seconds(const mtree_instance_t *star,
                                   mtree_collective_t collective, const char *algorithm,
                                   mtree_simulate_options_t options, double *seconds_p)
{
    const mtree_plan_request_t request = {.collective = collective,
                                          .algorithm = algorithm,
                                          .max_trees = 10,
                                          .bytes = (double)options.bytes};
    mtree_simulate_result_t result;
    mtree_plan_t *plan;
    mtree_status_t status = mtree_instance_plan(star, &request, &plan);

    if (status != MTREE_OK) {
        return status;
    }
    options.eager_bytes = 0;
    status = mtree_simulate_plan(star->topology, star->hosts, HOSTS, plan, collective,
                                 &options, &result);
    if (status == MTREE_OK) {
        *seconds_p = result.seconds;
        mtree_simulate_result_clear(&result);
    }
    mtree_plan_destroy(plan);
    return status;
}

static mtree_status_t baseline_seconds(const mtree_instance_t *star,
                                       const mtree_baseline_t *baseline,
                                       const mtree_simulate_options_t *options,
                                       double *seconds_p)
{
    mtree_simulate_result_t result;
    mtree_status_t status = mtree_simulate_baseline(star->topology, star->hosts, HOSTS,
                                                    baseline, options, &result);

    if (status == MTREE_OK) {
        *seconds_p = result.seconds;
        mtree_simulate_result_clear(&result);
    }
    return status;
}

/* The fastest of Open MPI's algorithms, whole or in segments. */
static mtree_status_t best_baseline(const mtree_instance_t *star,
                                    mtree_collective_t collective,
                                    mtree_simulate_options_t options, double *seconds_p)
{
    mtree_status_t status = MTREE_OK;
    const mtree_baseline_t *baselines;
    double best = 0, seconds;
    size_t num;

    baselines = mtree_baselines(collective, &num);
    for (size_t i = 0; i < num && status == MTREE_OK; i++) {
        options.segment_bytes = baselines[i].segments ? SEGMENT : 0;
        status = baseline_seconds(star, &baselines[i], &options, &seconds);
        if (status == MTREE_OK && (best == 0 || seconds < best)) {
            best = seconds;
        }
    }
    *seconds_p = best;
    return status;
}

/* A table's row but for its first column; seconds from @a since on. */
static mtree_status_t print_row(FILE *out, const mtree_instance_t *star,
                                mtree_collective_t collective,
                                const mtree_simulate_options_t *options, double since)
{
    double arrival, packing, usual, best;
    mtree_status_t status =
        plan_seconds(star, collective, MTREE_PLAN_ARRIVAL, *options, &arrival);

    if (status == MTREE_OK) {
        status = plan_seconds(star, collective, "packing", *options, &packing);
    }
    if (status == MTREE_OK) {
        status = baseline_seconds(star,
                                  mtree_baseline_default((mtree_openmpi_t){0}, collective,
                                                         HOSTS, options->bytes),
                                  options, &usual);
    }
    if (status == MTREE_OK) {
        status = best_baseline(star, collective, *options, &best);
    }
    if (status == MTREE_OK) {
        fprintf(out, "\t%.4g\t%.4g\t%.4g\t%.4g\n", arrival - since, packing - since,
                usual - since, best - since);
    }
    return status;
}

static mtree_status_t print_fig6(FILE *out, mtree_collective_t collective)
{
    static const double megabytes[] = {0.001, 0.032, 1, 32, 1000};
    mtree_instance_t star;
    mtree_status_t status = star_open(&star);

    if (status != MTREE_OK) {
        return status;
    }
    fprintf(out, "MB\tby arrival\tpacking\tOpen MPI\tits best\n");
    for (size_t i = 0; i < sizeof(megabytes) / sizeof(megabytes[0]) && status == MTREE_OK;
         i++) {
        const mtree_simulate_options_t options =
            options_for((size_t)(megabytes[i] * 1e6), NULL);

        fprintf(out, "%g", megabytes[i]);
        status = print_row(out, &star, collective, &options, 0);
    }
    mtree_instance_destroy(&star);
    return status;
}

static mtree_status_t print_fig7(FILE *out, mtree_collective_t collective)
{
    static const double intervals[] = {0, 0.05, 0.1, 0.2};
    mtree_instance_t star;
    mtree_status_t status = star_open(&star);

    if (status != MTREE_OK) {
        return status;
    }
    fprintf(out, "interval s\tlast arrival\tby arrival\tpacking\tOpen MPI\tits best\n");
    for (size_t i = 0; i < sizeof(intervals) / sizeof(intervals[0]) && status == MTREE_OK;
         i++) {
        double arrivals[HOSTS];
        mtree_simulate_options_t options;

        for (int host = 0; host < HOSTS; host++) {
            arrivals[host] = host * intervals[i];
        }
        options = options_for((size_t)LARGEST, arrivals);
        fprintf(out, "%g\t%g", intervals[i], arrivals[HOSTS - 1]);
        status = print_row(out, &star, collective, &options, 0);
    }
    mtree_instance_destroy(&star);
    return status;
}

static mtree_status_t print_last(FILE *out, mtree_collective_t collective)
{
    static const int lasts[] = {1, 2, 8, 14, 15};
    mtree_instance_t star;
    double together;
    mtree_status_t status = star_open(&star);

    if (status != MTREE_OK) {
        return status;
    }
    status = plan_seconds(&star, collective, "packing",
                          options_for((size_t)LARGEST, NULL), &together);
    fprintf(out, "last\tby arrival\tpacking\tOpen MPI\tits best\n");
    for (size_t i = 0; i < sizeof(lasts) / sizeof(lasts[0]) && status == MTREE_OK; i++) {
        const double interval = LAST_COMES * together / (HOSTS - 1);
        const int last = lasts[i];
        double arrivals[HOSTS];
        mtree_simulate_options_t options;

        for (int host = 0; host < HOSTS; host++) {
            arrivals[host] = interval * (host < last ? host : host - 1);
        }
        arrivals[last] = interval * (HOSTS - 1);
        options = options_for((size_t)LARGEST, arrivals);
        fprintf(out, "%d", last);
        status = print_row(out, &star, collective, &options, arrivals[last]);
    }
    mtree_instance_destroy(&star);
    return status;
}

/* Figure 6: seconds against megabytes on 16 equal hosts of a 10 Gb/s switch, all at once.
 */
static mtree_status_t hoplite_print_fig6_bcast(FILE *out, unsigned seed)
{
    (void)seed;
    return print_fig6(out, MTREE_BCAST);
}

static mtree_status_t hoplite_print_fig6_reduce(FILE *out, unsigned seed)
{
    (void)seed;
    return print_fig6(out, MTREE_REDUCE);
}

static mtree_status_t hoplite_print_fig6_allreduce(FILE *out, unsigned seed)
{
    (void)seed;
    return print_fig6(out, MTREE_ALLREDUCE);
}

/* Figure 7: seconds of 1 GB against the interval between arrivals. */
static mtree_status_t hoplite_print_fig7_bcast(FILE *out, unsigned seed)
{
    (void)seed;
    return print_fig7(out, MTREE_BCAST);
}

static mtree_status_t hoplite_print_fig7_reduce(FILE *out, unsigned seed)
{
    (void)seed;
    return print_fig7(out, MTREE_REDUCE);
}

/* Seconds of 1 GB after the last arrival, which is 1.5 times packing's time with all at
 * once after the first, against who comes last: the hosts come in their order but for
 * that one. */
static mtree_status_t hoplite_print_last_bcast(FILE *out, unsigned seed)
{
    (void)seed;
    return print_last(out, MTREE_BCAST);
}

static mtree_status_t hoplite_print_last_reduce(FILE *out, unsigned seed)
{
    (void)seed;
    return print_last(out, MTREE_REDUCE);
}

#define BANDWIDTH 10e9   /* bits/s (Section 6) */
#define LATENCY   125e-6 /* seconds (Section 6.1) */

/* T1d and T2d of 16 objects, and which the condition takes. */
static mtree_status_t print_times(FILE *out, unsigned seed)
{
    enum { OBJECTS = 16 };

    (void)seed;
    fprintf(out, "KB\tT1d ms\tT2d ms\tchosen ms\n");
    for (double kilobytes = 125; kilobytes <= 16000; kilobytes *= 2) {
        mtree_chains_link_t link = {kilobytes * 1e3, BANDWIDTH, LATENCY};
        double one = 1e3 * mtree_chains_time_1d(OBJECTS, &link);
        double two = 1e3 * mtree_chains_time_2d(OBJECTS, &link);

        fprintf(out, "%g\t%.3f\t%.3f\t%.3f\n", kilobytes, one, two,
                mtree_chains_use_2d(OBJECTS, &link) ? two : one);
    }
    return MTREE_OK;
}

/* The size below which two dimensions win, exactly and by the paper's n B L. */
static mtree_status_t print_switch(FILE *out, unsigned seed)
{
    (void)seed;
    fprintf(out, "objects\tT1d = T2d at KB\tn B L KB\n");
    for (int n = 4; n <= 1024; n *= 4) {
        fprintf(out, "%d\t%.1f\t%.1f\n", n,
                mtree_chains_switch_bytes(n, BANDWIDTH, LATENCY) / 1e3,
                n * BANDWIDTH * LATENCY / 8e3);
    }
    return MTREE_OK;
}

/* The least number of 1 MB objects for which the condition takes two dimensions. */
static mtree_status_t print_condition(FILE *out, unsigned seed)
{
    (void)seed;
    fprintf(out, "MB\tone chain up to objects\n");
    for (double megabytes = 1; megabytes <= 64; megabytes *= 4) {
        mtree_chains_link_t link = {megabytes * 1e6, BANDWIDTH, LATENCY};
        int n = 1;

        while (!mtree_chains_use_2d(n + 1, &link)) {
            n++;
        }
        fprintf(out, "%g\t%d\n", megabytes, n);
    }
    return MTREE_OK;
}

/* The longest path of an object in the chains that are built. */
static mtree_status_t print_depth(FILE *out, unsigned seed)
{
    static const double bytes[] = {64e6, 1e6, 1e5, 1e3};

    (void)seed;
    fprintf(out, "objects\t64 MB\t1 MB\t100 KB\t1 KB\n");
    for (int n = 4; n <= 1024; n *= 4) {
        fprintf(out, "%d", n);
        for (size_t i = 0; i < sizeof(bytes) / sizeof(bytes[0]); i++) {
            mtree_chains_link_t link = {bytes[i], BANDWIDTH, LATENCY};
            int arrivals[1024], parent[1025];

            for (int host = 0; host < n; host++) {
                arrivals[host] = host;
            }
            mtree_chains_build(arrivals, n, n, &link, parent);
            fprintf(out, "\t%d", mtree_chains_depth(parent, n + 1));
        }
        fprintf(out, "\n");
    }
    return MTREE_OK;
}

int main(int argc, char **argv)
{
    static const mtree_figure_t figures[] = {
        {"times", "Appendix A: T1d and T2d of 16 objects against size", print_times},
        {"switch", "Appendix A: where they cross", print_switch},
        {"condition", "Section 6.1: more than how many objects are cut in two dimensions",
         print_condition},
        {"depth", "Section 4.3: length of the chains built", print_depth},
        {"fig6-bcast", "Figure 6: bcast on 16 hosts, simulated",
         hoplite_print_fig6_bcast},
        {"fig6-reduce", "Figure 6: reduce", hoplite_print_fig6_reduce},
        {"fig6-allreduce", "Figure 6: allreduce", hoplite_print_fig6_allreduce},
        {"fig7-bcast", "Figure 7: bcast of 1 GB as hosts come one after another",
         hoplite_print_fig7_bcast},
        {"fig7-reduce", "Figure 7: reduce", hoplite_print_fig7_reduce},
        {"last-bcast", "bcast of 1 GB from the last arrival on, by who comes last",
         hoplite_print_last_bcast},
        {"last-reduce", "the same of reduce", hoplite_print_last_reduce},
        {NULL, NULL, NULL}};

    return mtree_figures_main(argc, argv, figures);
}
