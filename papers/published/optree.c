/* SPDX-License-Identifier: BSD-3-Clause */
#include "papers/published/optree.h"

#include <math.h>

/* Quotients and powers of whole numbers come out of pow() a little over: 64^(1/3) is
 * not 4. */
#define ROUNDING 1e-9

/* A link of an electrical network carries one block at a time, as a fibre of one
 * wavelength does. */
#define LINK_WAVELENGTHS 1

static long divide_up(long value, long by)
{
    return (value + by - 1) / by;
}

/* Do the arities reach every rank? */
static int arities_suffice(const int *arity, int num_stages, int num_ranks)
{
    long product = 1;
    int i;

    for (i = 0; i < num_stages && product < num_ranks; i++) {
        product *= arity[i];
    }
    return product >= num_ranks;
}

/* m = ceil(N^(1/k)), the first ones lowered as long as their product still reaches N (16
 * ranks in 3 stages: 2, 3, 3 as in Section III-C). */
static void choose_arities(int num_ranks, int num_stages, int *arity_p)
{
    int widest = (int)ceil(pow(num_ranks, 1.0 / num_stages) - ROUNDING);
    int i;

    for (i = 0; i < num_stages; i++) {
        arity_p[i] = widest;
    }
    for (i = 0; i < num_stages; i++) {
        while (arity_p[i] > 1) {
            arity_p[i]--;
            if (!arities_suffice(arity_p, num_stages, num_ranks)) {
                arity_p[i]++;
                return;
            }
        }
    }
}

long mtree_optree_count_steps(int num_ranks, int num_stages, int num_wavelengths,
                              mtree_optree_stage_t *stages)
{
    int arity[MTREE_OPTREE_MAX_STAGES];
    int group = num_ranks;
    int items = 1;
    long sum = 0;
    int i;

    choose_arities(num_ranks, num_stages, arity);
    for (i = 0; i < num_stages; i++) {
        long square = (long)arity[i] * arity[i];
        /* Lemma 1: the whole ring in the first stage, a line (the group's segment) in the
         * others. */
        long all_to_all = i == 0 ? divide_up(square, 8) : square / 4;

        stages[i].arity = arity[i];
        stages[i].positions = (int)divide_up(group, arity[i]);
        stages[i].items = items;
        stages[i].wavelengths = all_to_all * stages[i].positions * items;
        stages[i].steps = divide_up(stages[i].wavelengths, num_wavelengths);
        sum += stages[i].steps;
        group = stages[i].positions;
        items *= arity[i];
    }
    return sum;
}

int mtree_optree_least_stages(int num_ranks, int num_wavelengths)
{
    mtree_optree_stage_t stages[MTREE_OPTREE_MAX_STAGES];
    long least = mtree_optree_count_steps(num_ranks, 1, num_wavelengths, stages);
    int best = 1;
    int k;

    for (k = 2; k <= MTREE_OPTREE_MAX_STAGES && 1L << (k - 1) < num_ranks; k++) {
        long steps = mtree_optree_count_steps(num_ranks, k, num_wavelengths, stages);

        if (steps < least) {
            least = steps;
            best = k;
        }
    }
    return best;
}

bool mtree_optree_fits(const mtree_problem_t *problem)
{
    return problem->num_hosts <= MTREE_OPTREE_MAX_RANKS;
}

mtree_status_t mtree_optree_plan(const mtree_problem_t *problem, mtree_plan_t **plan_p)
{
    int num_hosts = problem->num_hosts;
    mtree_optree_schedule_t *schedule = NULL;
    mtree_status_t status = mtree_optree_schedule_create(
        num_hosts, mtree_optree_least_stages(num_hosts, LINK_WAVELENGTHS),
        LINK_WAVELENGTHS, &schedule);

    if (status == MTREE_OK) {
        *plan_p = mtree_problem_plan(problem, "optree", num_hosts);
    }
    for (int root = 0; root < num_hosts && status == MTREE_OK; root++) {
        (*plan_p)->trees[root].root = root;
    }
    for (int stage = 0; status == MTREE_OK && stage < schedule->num_stages; stage++) {
        for (int i = schedule->stage_send[stage]; i < schedule->stage_send[stage + 1];
             i++) {
            const mtree_optree_send_t *send = &schedule->sends[i];
            const int *blocks = mtree_optree_blocks(schedule, send->from);

            for (int b = 0; b < send->num_blocks; b++) {
                (*plan_p)->trees[blocks[b]].parent[send->to] = send->from;
                (*plan_p)->trees[blocks[b]].step[send->to] = stage + 1;
            }
        }
    }
    mtree_optree_schedule_destroy(schedule);
    return status;
}
