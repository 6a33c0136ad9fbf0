/* SPDX-License-Identifier: BSD-3-Clause */
#include "papers/baselines/optree_steps.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

/*
 * The most blocks that the stage's sends take over any fibre.  `change` is scratch of 2 *
 * num_ranks + 2 zeros for the clockwise fibres and as many for the others: fibre i joins
 * ranks i and i + 1.
 */
static long stage_load(const mtree_optree_schedule_t *schedule, int stage, long *change)
{
    int num_ranks = schedule->num_ranks;
    long most = 0;
    int clockwise, i;

    for (clockwise = 0; clockwise < 2; clockwise++) {
        long load = 0, wrapped = 0;

        memset(change, 0, (2 * (size_t)num_ranks + 2) * sizeof(*change));
        for (i = schedule->stage_send[stage]; i < schedule->stage_send[stage + 1]; i++) {
            const mtree_optree_send_t *send = &schedule->sends[i];
            int first = send->clockwise ? send->from : send->to;
            int end = send->clockwise ? send->to : send->from;

            if (send->clockwise == clockwise) {
                change[first] += send->num_blocks;
                change[end < first ? end + num_ranks : end] -= send->num_blocks;
            }
        }
        for (i = 0; i < num_ranks; i++) {
            wrapped += change[i];
        }
        /* What is still open after the last rank goes on over fibre 0 and ends in the
         * second half. */
        for (i = 0; i < num_ranks; i++) {
            load += change[i] + change[num_ranks + i];
            most = load + wrapped > most ? load + wrapped : most;
        }
    }
    return most;
}

void mtree_optree_measure(mtree_optree_schedule_t *schedule, int num_wavelengths)
{
    long *change = mtree_malloc((2 * (size_t)schedule->num_ranks + 2) * sizeof(*change));
    int stage;

    schedule->steps = 0;
    for (stage = 0; stage < schedule->num_stages; stage++) {
        mtree_optree_stage_t *measured = &schedule->stages[stage];

        measured->wavelengths = stage_load(schedule, stage, change);
        measured->steps = divide_up(measured->wavelengths, num_wavelengths);
        schedule->steps += measured->steps;
    }
    free(change);
}
