/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What messages cost processors, from the times in which the senders of pings had handed
 * them over.
 */
#include "base/log.h"
#include "base/median.h"
#include "topo/probe/state.h"

#include <math.h>
#include <stdlib.h>

/* Seconds; what is beyond is the clock's, or another process's. */
#define LEAST_MESSAGE 0.5e-6
#define MOST_MESSAGE  50e-6
#define MOST_BYTE     8e-9 /* a Gb/s */

void mtree_probe_keep_send(mtree_probe_pair_t *pair, double seconds)
{
    if (seconds > 0 && (!(pair->send > 0) || seconds < pair->send)) {
        pair->send = seconds;
    }
}

/* More than that is not known. */
static double three_digits(double value)
{
    const double unit = value > 0.0 ? pow(10.0, floor(log10(value)) - 2.0) : 1.0;

    return round(value / unit) * unit;
}

mtree_status_t mtree_probe_find_cost(const mtree_probe_t *probe,
                                     mtree_message_cost_t *cost)
{
    double *sends = malloc(((size_t)probe->num_pairs + 1) * sizeof(*sends));
    int count = 0;

    if (sends == NULL) {
        return mtree_no_memory("%d pairs of hosts", probe->num_pairs);
    }
    for (int i = 0; i < probe->num_pairs; ++i) {
        if (probe->pairs[i].send > 0) {
            sends[count++] = probe->pairs[i].send;
        }
    }
    if (count > 0) {
        cost->message = three_digits(
            fmin(fmax(mtree_median(sends, count), LEAST_MESSAGE), MOST_MESSAGE));
        cost->byte = three_digits(fmin(probe->options.byte_seconds, MOST_BYTE));
    }
    free(sends);
    return MTREE_OK;
}
