/* SPDX-License-Identifier: BSD-3-Clause */
#include "simulate/loss.h"

#include <math.h>

/* Beyond it TCP would hardly come to an end. */
#define MOST_PROBABILITY 0.5

/* Packets until the next one is lost, a geometric distribution. */
static double draw_run(mtree_loss_t *loss)
{
    if (loss->probability <= 0.0) {
        return INFINITY;
    }
    return floor(log1p(-mtree_random_fraction(&loss->random)) /
                 log1p(-loss->probability));
}

void mtree_loss_init(mtree_loss_t *loss, double probability, uint64_t seed)
{
    loss->probability = fmin(probability, MOST_PROBABILITY);
    mtree_random_init(&loss->random, seed);
    loss->until = draw_run(loss);
}

int mtree_loss_draw(mtree_loss_t *loss, int packets, int *last_p)
{
    double left = packets;
    int lost = 0;

    *last_p = 0;
    while (loss->until < left) {
        left -= loss->until + 1.0;
        *last_p = loss->until > 0.0 ? 1 : *last_p + 1;
        lost++;
        loss->until = draw_run(loss);
    }
    loss->until -= left;
    *last_p = left > 0.0 ? 0 : *last_p;
    return lost;
}

double mtree_loss_window(double probability, size_t packet_bytes, double trip,
                         double timeout)
{
    double p = probability, losses, timeouts;

    if (p <= 0.0 || trip <= 0.0) {
        return INFINITY;
    }
    losses = trip * sqrt(2.0 * p / 3.0);
    timeouts = timeout * fmin(1.0, 3.0 * sqrt(3.0 * p / 8.0)) * p * (1.0 + 32.0 * p * p);
    return (double)packet_bytes * trip / (losses + timeouts);
}
