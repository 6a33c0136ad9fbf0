/* SPDX-License-Identifier: BSD-3-Clause */
#include "schedule/bandwidth_monitor.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>

/* Time between two calls of the progress engine (seconds) above which it is unattended.
 * Where processors are shared, other processes may run in between. */
#define MOST_GAP 0.025

/* Seconds after unattended time in which buffers fill again. */
#define REFILL_TIME 0.025

typedef struct {
    mtree_path_total_t total;
    int num_backlogging; /* operations that are backlogged on it */
    double since;        /* time up to which it is counted as backlogged */
} path_t;

struct mtree_bandwidth_monitor {
    atomic_flag lock; /* held for some instructions only */
    atomic_int outstanding;
    mtree_bandwidth_monitor_sum_t sum;
    double counted_to; /* time of the last call */
    double refilled;   /* time from which on traffic counts as backlogged */
    int num_paths;
    path_t paths[];
};

mtree_status_t mtree_bandwidth_monitor_create(int num_paths,
                                              mtree_bandwidth_monitor_t **monitor_p)
{
    mtree_bandwidth_monitor_t *monitor =
        calloc(1, sizeof(*monitor) + (size_t)num_paths * sizeof(monitor->paths[0]));

    if (monitor == NULL) {
        return MTREE_ERR_NO_MEMORY;
    }
    atomic_flag_clear(&monitor->lock);
    atomic_init(&monitor->outstanding, 0);
    monitor->num_paths = num_paths;
    *monitor_p = monitor;
    return MTREE_OK;
}

void mtree_bandwidth_monitor_destroy(mtree_bandwidth_monitor_t *monitor)
{
    free(monitor);
}

/* Count the time until @a now for the paths that are backlogged. */
static void count_backlogged(mtree_bandwidth_monitor_t *monitor, double now)
{
    for (int i = 0; i < monitor->num_paths; i++) {
        path_t *path = &monitor->paths[i];
        double since = fmax(path->since, monitor->refilled);

        if (path->num_backlogging > 0 && now > since) {
            path->total.backlogged_seconds += now - since;
        }
        path->since = now;
    }
}

/* Count the time until @a now, as unattended where the calls are too far apart or traffic
 * of others shared the paths. */
static void monitor_advance(mtree_bandwidth_monitor_t *monitor, bool alone, double now)
{
    double past = now - monitor->counted_to;

    if (past <= 0) {
        return;
    }
    if (atomic_load(&monitor->outstanding) > 0) {
        monitor->sum.seconds += past;
        if (!alone || past > MOST_GAP) {
            count_backlogged(monitor, monitor->counted_to);
            monitor->sum.unattended += past;
            monitor->refilled = now + REFILL_TIME;
        }
    }
    monitor->counted_to = now;
}

static void monitor_lock(mtree_bandwidth_monitor_t *monitor)
{
    while (atomic_flag_test_and_set_explicit(&monitor->lock, memory_order_acquire)) {}
}

static void monitor_unlock(mtree_bandwidth_monitor_t *monitor)
{
    atomic_flag_clear_explicit(&monitor->lock, memory_order_release);
}

void mtree_bandwidth_monitor_begin(mtree_bandwidth_monitor_t *monitor, double now)
{
    monitor_lock(monitor);
    monitor_advance(monitor, true, now);
    atomic_fetch_add(&monitor->outstanding, 1);
    monitor_unlock(monitor);
}

void mtree_bandwidth_monitor_end(mtree_bandwidth_monitor_t *monitor, double now)
{
    monitor_lock(monitor);
    monitor_advance(monitor, true, now);
    atomic_fetch_sub(&monitor->outstanding, 1);
    monitor_unlock(monitor);
}

bool mtree_bandwidth_monitor_is_busy(const mtree_bandwidth_monitor_t *monitor)
{
    return atomic_load(&monitor->outstanding) > 0;
}

void mtree_bandwidth_monitor_attend(mtree_bandwidth_monitor_t *monitor, bool alone,
                                    double now)
{
    monitor_lock(monitor);
    monitor_advance(monitor, alone, now);
    monitor_unlock(monitor);
}

void mtree_bandwidth_monitor_sent(mtree_bandwidth_monitor_t *monitor, int path,
                                  double bytes, double now)
{
    monitor_lock(monitor);
    monitor_advance(monitor, true, now);
    monitor->paths[path].total.bytes += bytes;
    if (monitor->paths[path].num_backlogging > 0 && now > monitor->refilled) {
        monitor->paths[path].total.backlogged_bytes += bytes;
    }
    monitor_unlock(monitor);
}

void mtree_bandwidth_monitor_backlog(mtree_bandwidth_monitor_t *monitor, int path,
                                     bool backlogged, double now)
{
    monitor_lock(monitor);
    monitor_advance(monitor, true, now);
    count_backlogged(monitor, now);
    monitor->paths[path].num_backlogging += backlogged ? 1 : -1;
    monitor_unlock(monitor);
}

void mtree_bandwidth_monitor_take(mtree_bandwidth_monitor_t *monitor, double now,
                                  mtree_bandwidth_monitor_sum_t *sum_p,
                                  mtree_path_total_t *paths)
{
    monitor_lock(monitor);
    monitor_advance(monitor, true, now);
    count_backlogged(monitor, now);
    *sum_p = monitor->sum;
    monitor->sum = (mtree_bandwidth_monitor_sum_t){0};
    for (int i = 0; i < monitor->num_paths; i++) {
        paths[i] = monitor->paths[i].total;
        monitor->paths[i].total = (mtree_path_total_t){0};
    }
    monitor_unlock(monitor);
}

void mtree_bandwidth_monitor_put_back(mtree_bandwidth_monitor_t *monitor,
                                      const mtree_bandwidth_monitor_sum_t *sum,
                                      const mtree_path_total_t *paths)
{
    monitor_lock(monitor);
    monitor->sum.seconds += sum->seconds;
    monitor->sum.unattended += sum->unattended;
    for (int i = 0; i < monitor->num_paths; i++) {
        monitor->paths[i].total.bytes += paths[i].bytes;
        monitor->paths[i].total.backlogged_bytes += paths[i].backlogged_bytes;
        monitor->paths[i].total.backlogged_seconds += paths[i].backlogged_seconds;
    }
    monitor_unlock(monitor);
}
