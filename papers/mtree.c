/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The figures of papers/mtree.txt, section IV: throughput by skew (Fig. 6), completion
 * times (Fig. 8), chunk counts (Fig. 9 and 10), limits on heights and trees (Fig. 11 to
 * 13) and the solver's time.
 */
#include "papers/figures.h"
#include "papers/mtree_tables.h"

#include "base/log.h"
#include "papers/baselines/unpipelined.h"
#include "papers/published/blink.h"
#include "papers/published/chunk_times.h"
#include "papers/published/gost.h"

#include <math.h>
#include <time.h>

#define VECTOR    1e9  /* bytes that a host contributes */
#define MAX_TREES 10   /* K where the paper sets one */
#define MIN_RATE  10e6 /* r-bar: the step of the capacities */

/* The candidate edges of one drawing, for allreduce, in @a arena. */
static mtree_status_t make_candidates(const mtree_instance_t *instance,
                                      mtree_arena_t *arena,
                                      mtree_candidates_t **candidates_p)
{
    const mtree_plan_request_t request = {.collective = MTREE_ALLREDUCE};
    const mtree_problem_t problem = {.topology = instance->topology,
                                     .routes = instance->routes,
                                     .request = &request,
                                     .hosts = instance->hosts,
                                     .num_hosts = instance->num_hosts,
                                     .arena = arena};

    return mtree_candidates_create(&problem, candidates_p);
}

/* BLINK's whole units, before its weights are relaxed. */
static mtree_status_t measure_units(const mtree_instance_t *instance, double *rate_p)
{
    mtree_arena_t arena = {0};
    mtree_candidates_t *candidates;
    mtree_forest_t *forest;
    mtree_status_t status = make_candidates(instance, &arena, &candidates);

    if (status == MTREE_OK) {
        forest = mtree_blink_pack(candidates, 0);
        status = mtree_blink_choose(forest);
        *rate_p = mtree_forest_rate(forest);
        mtree_forest_destroy(forest);
    }
    mtree_arena_cleanup(&arena);
    return status;
}

/* Fig. 6: gost, blink, blink's units, topoadopt, and packing for comparison. */
static mtree_status_t measure_throughput(const mtree_instance_t *instance, unsigned seed,
                                         double parameter, double *values)
{
    static const char *const algorithms[] = {"gost", "blink", "topoadopt", "packing"};
    mtree_status_t status = MTREE_OK;

    (void)parameter;
    for (int i = 0; i < 4 && status == MTREE_OK; i++) {
        const mtree_plan_request_t request = {.algorithm = algorithms[i], .seed = seed};
        mtree_plan_t *plan;

        status = mtree_instance_plan(instance, &request, &plan);
        if (status == MTREE_OK) {
            values[i] = plan->throughput / mtree_paper_throughput_unit(instance);
            mtree_plan_destroy(plan);
        }
    }
    if (status == MTREE_OK) {
        status = measure_units(instance, &values[4]);
        values[4] /= mtree_paper_throughput_unit(instance);
    }
    return status;
}

#define THROUGHPUT_HEADER "gost\tblink\ttopoadopt\tpacking\tblink, whole units"

static mtree_status_t print_fig6_b4(FILE *out, unsigned seed)
{
    return mtree_paper_print_by_skew(out, seed, &mtree_paper_networks[0],
                                     THROUGHPUT_HEADER, measure_throughput, 5);
}

static mtree_status_t print_fig6_20(FILE *out, unsigned seed)
{
    return mtree_paper_print_by_skew(out, seed, &mtree_paper_networks[1],
                                     THROUGHPUT_HEADER, measure_throughput, 5);
}

static mtree_status_t print_fig6_40(FILE *out, unsigned seed)
{
    return mtree_paper_print_by_skew(out, seed, &mtree_paper_networks[2],
                                     THROUGHPUT_HEADER, measure_throughput, 5);
}

/* The longest of the trees' times by equation 4 for a reduce, each at lambda* + delta
 * chunks, at least one. */
static double pipelined_seconds(const mtree_plan_t *plan, double delta)
{
    double seconds = 0;

    for (int t = 0; t < plan->num_trees; t++) {
        mtree_chunk_path_t path =
            mtree_chunk_path(&plan->trees[t], plan->num_hosts, MTREE_REDUCE);
        double bytes = plan->trees[t].rate / plan->throughput * VECTOR;
        double count = fmax(1, mtree_chunk_published_count(&path, bytes) + delta);

        seconds = fmax(seconds, mtree_chunk_published_time_of_count(&path, bytes, count));
    }
    return seconds;
}

/* Fig. 8: times over that of gost's trees in chunks. */
static mtree_status_t measure_completion(const mtree_instance_t *instance, unsigned seed,
                                         double parameter, double *values)
{
    static const char *const algorithms[] = {"gost", "blink", "topoadopt", "plink",
                                             "psld"};
    mtree_status_t status = MTREE_OK;
    double pipelined = 1;

    (void)parameter;
    for (int i = 0; i < 5 && status == MTREE_OK; i++) {
        const mtree_plan_request_t request = {.algorithm = algorithms[i], .seed = seed};
        mtree_plan_t *plan;

        status = mtree_instance_plan(instance, &request, &plan);
        if (status != MTREE_OK) {
            return status;
        }
        pipelined = i == 0 ? pipelined_seconds(plan, 0) : pipelined;
        values[i] = mtree_unpipelined_seconds(plan, instance->topology, instance->routes,
                                              VECTOR) /
                    pipelined;
        mtree_plan_destroy(plan);
    }
    values[5] = pipelined;
    return status;
}

#define COMPLETION_HEADER                                                                \
    "gost, no pipeline\tblink\ttopoadopt\tplink\tpsld\tgost with pipeline, seconds"

static mtree_status_t print_fig8_b4(FILE *out, unsigned seed)
{
    return mtree_paper_print_by_skew(out, seed, &mtree_paper_networks[0],
                                     COMPLETION_HEADER, measure_completion, 6);
}

static mtree_status_t print_fig8_20(FILE *out, unsigned seed)
{
    return mtree_paper_print_by_skew(out, seed, &mtree_paper_networks[1],
                                     COMPLETION_HEADER, measure_completion, 6);
}

static mtree_status_t print_fig8_40(FILE *out, unsigned seed)
{
    return mtree_paper_print_by_skew(out, seed, &mtree_paper_networks[2],
                                     COMPLETION_HEADER, measure_completion, 6);
}

/* Nine trees on the 20-node stand-in, as the paper's example has. */
static mtree_status_t plan_example(unsigned seed, mtree_instance_t *instance_p,
                                   mtree_plan_t **plan_p)
{
    const mtree_plan_request_t request = {
        .algorithm = "gost", .max_trees = 9, .seed = seed};
    mtree_status_t status =
        mtree_paper_open(&mtree_paper_networks[1], MTREE_PAPER_SKEW, seed, instance_p);

    if (status != MTREE_OK) {
        return status;
    }
    status = mtree_instance_plan(instance_p, &request, plan_p);
    if (status != MTREE_OK) {
        mtree_instance_destroy(instance_p);
    }
    return status;
}

/* Fig. 9: each tree's time by its number of chunks. */
static mtree_status_t print_fig9(FILE *out, unsigned seed)
{
    mtree_instance_t instance;
    mtree_plan_t *plan;
    mtree_status_t status = plan_example(seed, &instance, &plan);

    if (status != MTREE_OK) {
        return status;
    }
    fprintf(out, "chunks");
    for (int t = 0; t < plan->num_trees; t++) {
        fprintf(out, "\ttree %d", t + 1);
    }
    for (int count = 1; count <= 100; count += count < 20 ? 1 : 10) {
        fprintf(out, "\n%d", count);
        for (int t = 0; t < plan->num_trees; t++) {
            mtree_chunk_path_t path =
                mtree_chunk_path(&plan->trees[t], plan->num_hosts, MTREE_REDUCE);
            double bytes = plan->trees[t].rate / plan->throughput * VECTOR;

            fprintf(out, "\t%.3f",
                    mtree_chunk_published_time_of_count(&path, bytes, count));
        }
    }
    fprintf(out, "\n");
    mtree_plan_destroy(plan);
    mtree_instance_destroy(&instance);
    return MTREE_OK;
}

/* Fig. 10: the whole time when every tree uses delta chunks more than its best number. */
static mtree_status_t print_fig10(FILE *out, unsigned seed)
{
    mtree_instance_t instance;
    mtree_plan_t *plan;
    mtree_status_t status = plan_example(seed, &instance, &plan);

    if (status != MTREE_OK) {
        return status;
    }
    fprintf(out, "delta\tseconds\n");
    for (int delta = -50; delta <= 100; delta += delta >= -10 && delta < 10 ? 1 : 10) {
        fprintf(out, "%d\t%.3f\n", delta, pipelined_seconds(plan, delta));
    }
    mtree_plan_destroy(plan);
    mtree_instance_destroy(&instance);
    return MTREE_OK;
}

/* Fig. 11 and 12: GBST at one height, all its trees by MILP (1): trees found, trees used,
 * throughput. */
static mtree_status_t measure_height(const mtree_instance_t *instance, unsigned seed,
                                     double parameter, double *values)
{
    mtree_gost_t gost = {.max_height = (int)parameter, .min_rate = MIN_RATE};
    mtree_random_t random = {.state = seed};
    mtree_arena_t arena = {0};
    mtree_candidates_t *candidates;
    mtree_forest_t *forest;
    mtree_status_t status = make_candidates(instance, &arena, &candidates);

    if (status == MTREE_OK) {
        gost.candidates = candidates;
        forest = mtree_gost_gbst(&gost, &random);
        values[0] = forest->num_trees;
        status = forest->num_trees == 0 ? MTREE_OK : mtree_forest_select(forest, 0, 0);
        values[1] = mtree_forest_rate(forest) / mtree_paper_throughput_unit(instance);
        values[2] = forest->num_trees;
        mtree_forest_destroy(forest);
    }
    mtree_arena_cleanup(&arena);
    return status;
}

/* Fig. 13: at most @a parameter trees, the height from ITH. */
static mtree_status_t measure_trees(const mtree_instance_t *instance, unsigned seed,
                                    double parameter, double *values)
{
    const mtree_plan_request_t request = {
        .algorithm = "gost", .max_trees = (int)parameter, .seed = seed};
    const mtree_plan_request_t best = {
        .algorithm = "packing", .max_trees = (int)parameter, .seed = seed};
    mtree_plan_t *plan;
    mtree_status_t status = mtree_instance_plan(instance, &request, &plan);

    if (status == MTREE_OK) {
        values[0] = plan->throughput / mtree_paper_throughput_unit(instance);
        mtree_plan_destroy(plan);
        status = mtree_instance_plan(instance, &best, &plan);
    }
    if (status == MTREE_OK) {
        values[1] = plan->throughput / mtree_paper_throughput_unit(instance);
        mtree_plan_destroy(plan);
    }
    return status;
}

static mtree_status_t print_fig11(FILE *out, unsigned seed)
{
    return mtree_paper_print_by_limit(
        out, seed,
        "H\tB4 trees\tB4 throughput\tB4 used\t20 trees\t20 throughput\t20 "
        "used\t40 trees\t40 throughput\t40 used",
        measure_height, 3, 1, 10);
}

static mtree_status_t print_fig13(FILE *out, unsigned seed)
{
    return mtree_paper_print_by_limit(
        out, seed, "K\tB4 gost\tB4 packing\t20 gost\t20 packing\t40 gost\t40 packing",
        measure_trees, 2, 2, 10);
}

static double seconds_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* The time of the whole of gost, without and with the choice of 10 trees. */
static mtree_status_t measure_solver(const mtree_instance_t *instance, unsigned seed,
                                     double parameter, double *values)
{
    mtree_status_t status = MTREE_OK;

    (void)parameter;
    for (int i = 0; i < 2 && status == MTREE_OK; i++) {
        const mtree_plan_request_t request = {
            .algorithm = "gost", .max_trees = i == 0 ? 0 : MAX_TREES, .seed = seed};
        double start = seconds_now();
        mtree_plan_t *plan;

        status = mtree_instance_plan(instance, &request, &plan);
        values[i] = seconds_now() - start;
        if (status == MTREE_OK) {
            mtree_plan_destroy(plan);
        }
    }
    return status;
}

static mtree_status_t print_solver(FILE *out, unsigned seed)
{
    mtree_status_t status = MTREE_OK;
    double means[2];

    fprintf(out, "network\tall trees, seconds\t10 trees, seconds\n");
    for (int i = 0; i < MTREE_PAPER_NETWORKS && status == MTREE_OK; i++) {
        status = mtree_paper_average(&mtree_paper_networks[i], MTREE_PAPER_SKEW, seed,
                                     measure_solver, 0, 2, means);
        if (status == MTREE_OK) {
            mtree_paper_print_row(out, mtree_paper_networks[i].name, means, 2);
        }
    }
    return status;
}

int main(int argc, char **argv)
{
    static const mtree_figure_t figures[] = {
        {"fig6-b4", "throughput by skew, B4", print_fig6_b4},
        {"fig6-20", "throughput by skew, synthetic 20 hosts, 141 links", print_fig6_20},
        {"fig6-40", "throughput by skew, synthetic 40 hosts, 231 links", print_fig6_40},
        {"fig8-b4", "times over gost's with pipeline, B4", print_fig8_b4},
        {"fig8-20", "the same, synthetic 20/141", print_fig8_20},
        {"fig8-40", "the same, synthetic 40/231", print_fig8_40},
        {"fig9", "time of each tree by its number of chunks", print_fig9},
        {"fig10", "time by the offset from the best number of chunks", print_fig10},
        {"fig11-12", "trees and throughput by H", print_fig11},
        {"fig13", "throughput by K", print_fig13},
        {"solver", "time of the solver (differs from run to run)", print_solver},
        {NULL, NULL, NULL}};

    return mtree_figures_main(argc, argv, figures);
}
