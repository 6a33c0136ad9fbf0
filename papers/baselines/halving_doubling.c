/* SPDX-License-Identifier: BSD-3-Clause */
#include "papers/baselines/halving_doubling.h"

#include "base/log.h"

static bool is_power_of_two(int n)
{
    return n > 0 && (n & (n - 1)) == 0;
}

/* Rank `rank` sends each piece of its partner's half, `distance` pieces, or gets them
 * back as finished ones of its own. */
static void exchange(mtree_rounds_t *schedule, const int *host_of, int step, int rank,
                     int distance, bool reduce)
{
    int partner = rank ^ distance;
    int owner = reduce ? partner : rank; /* whose pieces move */
    int from = host_of == NULL ? rank : host_of[rank];
    int to = host_of == NULL ? partner : host_of[partner];
    int first = owner & ~(distance - 1);

    for (int piece = first; piece < first + distance; piece++) {
        mtree_rounds_add(schedule, step, from, to, piece, reduce);
    }
}

mtree_status_t mtree_halving_doubling_schedule(int num_hosts, const int *host_of,
                                               mtree_rounds_t **schedule_p)
{
    mtree_rounds_t *schedule;
    int step = 0;

    if (!is_power_of_two(num_hosts)) {
        mtree_error("halving-doubling needs a power of two of hosts, not %d; use ring",
                    num_hosts);
        return MTREE_ERR_UNSUPPORTED;
    }
    schedule = mtree_rounds_create("halving-doubling", num_hosts, num_hosts);
    for (int distance = num_hosts / 2; distance > 0; distance /= 2) {
        step++;
        for (int rank = 0; rank < num_hosts; rank++) {
            exchange(schedule, host_of, step, rank, distance, true);
        }
    }
    for (int distance = 1; distance < num_hosts; distance *= 2) {
        step++;
        for (int rank = 0; rank < num_hosts; rank++) {
            exchange(schedule, host_of, step, rank, distance, false);
        }
    }
    *schedule_p = schedule;
    return MTREE_OK;
}

static int log2_of(int power)
{
    int log = 0;

    while (power >> (log + 1) > 0) {
        log++;
    }
    return log;
}

mtree_status_t mtree_halving_doubling_map_bigraph(int num_hosts, int per_switch,
                                                  int *host_of)
{
    int half = num_hosts / 2, switches;

    if (!is_power_of_two(num_hosts) || !is_power_of_two(per_switch) ||
        per_switch > half) {
        mtree_error(
            "rank mapping: %d hosts, %d on each switch; both must be powers of two, on "
            "two switches at least",
            num_hosts, per_switch);
        return MTREE_ERR_UNSUPPORTED;
    }
    switches = half / per_switch;
    for (int rank = 0; rank < num_hosts; rank++) {
        /* Without its last bit a rank is still unique on its side, and partners differ in
         * one bit or in none. */
        int vector = rank >> 1;

        if (__builtin_popcount((unsigned)rank) % 2 == 0) {
            host_of[rank] = vector; /* its switch: the high bits */
        } else {
            int slot = vector >> log2_of(switches), at = vector & (switches - 1);

            host_of[rank] = half + at * per_switch + slot; /* its switch: the low bits */
        }
    }
    return MTREE_OK;
}
