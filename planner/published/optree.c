/* SPDX-License-Identifier: BSD-3-Clause */
#include "planner/published/optree.h"

#include <math.h>

/* Quotients and powers of whole numbers come out of pow() a little over: 64^(1/3) is
 * not 4. */
#define ROUNDING 1e-9

static long divide_up(long value, long by)
{
    return (value + by - 1) / by;
}

/* The real root that equation (2) rounds, or 1 where it does not exist. */
static double stages_root(int num_ranks)
{
    double log_ranks = log(num_ranks);

    if (log_ranks < 2) {
        return 1;
    }
    return (log_ranks + sqrt(log_ranks * (log_ranks - 2))) / 2;
}

int mtree_optree_published_stages(int num_ranks)
{
    return (int)ceil(stages_root(num_ranks));
}

int mtree_optree_best_stages(int num_ranks, int num_wavelengths)
{
    int above = mtree_optree_published_stages(num_ranks);
    int below = (int)floor(stages_root(num_ranks));

    return mtree_optree_formula_steps(num_ranks, below, num_wavelengths) <
                   mtree_optree_formula_steps(num_ranks, above, num_wavelengths)
               ? below
               : above;
}

long mtree_optree_formula_steps(int num_ranks, int num_stages, int num_wavelengths)
{
    double power = pow(num_ranks, 1 + 1.0 / num_stages);

    return (long)ceil((2 * num_stages - 1) * power / (8.0 * num_wavelengths) - ROUNDING);
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

void mtree_optree_arities(int num_ranks, int num_stages, int *arity_p)
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

    mtree_optree_arities(num_ranks, num_stages, arity);
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

double mtree_optree_time(long steps, double bytes, double rate, double overhead)
{
    return (double)steps * (8 * bytes / rate + overhead);
}

long mtree_optree_ring_steps(int num_ranks)
{
    return num_ranks - 1;
}

long mtree_optree_neighbour_steps(int num_ranks)
{
    return divide_up(num_ranks, 2);
}

/* theta, the least number of levels of groups of @a group that hold all ranks, and
 * group^(theta-1). */
static int wrht_levels(int num_ranks, long group, long *inner_p)
{
    int levels = 1;
    long inner = 1;

    while (inner * group < num_ranks) {
        inner *= group;
        levels++;
    }
    *inner_p = inner;
    return levels;
}

long mtree_optree_wrht_steps(int num_ranks, int num_wavelengths)
{
    long group = 2L * num_wavelengths + 1;
    long inner;
    int levels = wrht_levels(num_ranks, group, &inner);

    return 1 + divide_up(group * (inner - 1), group - 1) + (levels - 1) * inner;
}

long mtree_optree_wrht_table_steps(int num_ranks, int num_wavelengths)
{
    long group = 2L * num_wavelengths + 1;
    long inner;
    int levels = wrht_levels(num_ranks, group, &inner);
    long rest = num_ranks > group ? num_ranks - group : 0;

    return 1 + divide_up(rest, group - 1) + divide_up((levels - 1L) * num_ranks, group);
}
