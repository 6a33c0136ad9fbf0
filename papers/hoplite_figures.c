/* SPDX-License-Identifier: BSD-3-Clause */
#include "papers/hoplite_figures.h"

#include "papers/instance.h"

#include "simulate/simulate.h"

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

mtree_status_t hoplite_print_fig6_bcast(FILE *out, unsigned seed)
{
    (void)seed;
    return print_fig6(out, MTREE_BCAST);
}

mtree_status_t hoplite_print_fig6_reduce(FILE *out, unsigned seed)
{
    (void)seed;
    return print_fig6(out, MTREE_REDUCE);
}

mtree_status_t hoplite_print_fig6_allreduce(FILE *out, unsigned seed)
{
    (void)seed;
    return print_fig6(out, MTREE_ALLREDUCE);
}

mtree_status_t hoplite_print_fig7_bcast(FILE *out, unsigned seed)
{
    (void)seed;
    return print_fig7(out, MTREE_BCAST);
}

mtree_status_t hoplite_print_fig7_reduce(FILE *out, unsigned seed)
{
    (void)seed;
    return print_fig7(out, MTREE_REDUCE);
}

mtree_status_t hoplite_print_last_bcast(FILE *out, unsigned seed)
{
    (void)seed;
    return print_last(out, MTREE_BCAST);
}

mtree_status_t hoplite_print_last_reduce(FILE *out, unsigned seed)
{
    (void)seed;
    return print_last(out, MTREE_REDUCE);
}
