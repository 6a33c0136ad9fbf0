#include "schedule/bandwidth_monitor.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>

/* Turns of progress that lie further apart (seconds) were none: where processors are
 * shared, that many processes may have their turn in between. */
#define MOST_GAP 0.025

/* For so long after a gap buffers fill again. */
#define SETTLING 0.025

typedef struct {
    mtree_bandwidth_monitor_path_t passed;
    int pressing; /* operations that press it */
    double since; /* clock up to which the time that it is pressed is counted */
} way_t;

struct mtree_bandwidth_monitor {
    atomic_flag lock; /* held for some instructions only */
    atomic_int underway;
    mtree_bandwidth_monitor_sum_t sum;
    double looked;  /* clock of the last turn, or of whatever else came */
    double settled; /* clock from which on what passes counts as pressed */
    int num_ways;
    way_t ways[];
};

mtree_status_t mtree_bandwidth_monitor_create(int num_ways,
                                              mtree_bandwidth_monitor_t **gauge_p)
{
    mtree_bandwidth_monitor_t *gauge =
        calloc(1, sizeof(*gauge) + (size_t)num_ways * sizeof(gauge->ways[0]));

    if (gauge == NULL) {
        return MTREE_ERR_NO_MEMORY;
    }
    atomic_flag_clear(&gauge->lock);
    atomic_init(&gauge->underway, 0);
    gauge->num_ways = num_ways;
    *gauge_p = gauge;
    return MTREE_OK;
}

void mtree_bandwidth_monitor_destroy(mtree_bandwidth_monitor_t *gauge)
{
    free(gauge);
}

/* Count the time until @a now as pressed for the ways that are. */
static void count_pressed(mtree_bandwidth_monitor_t *gauge, double now)
{
    for (int i = 0; i < gauge->num_ways; i++) {
        way_t *way = &gauge->ways[i];
        double since = fmax(way->since, gauge->settled);

        if (way->pressing > 0 && now > since) {
            way->passed.pressed_seconds += now - since;
        }
        way->since = now;
    }
}

/* It is @a now: was somebody there all the time, and was the gauge's @a alone? */
static void gauge_turn(mtree_bandwidth_monitor_t *gauge, bool alone, double now)
{
    double past = now - gauge->looked;

    if (past <= 0) {
        return;
    }
    if (atomic_load(&gauge->underway) > 0) {
        gauge->sum.seconds += past;
        if (!alone || past > MOST_GAP) {
            count_pressed(gauge, gauge->looked);
            gauge->sum.unattended += past;
            gauge->settled = now + SETTLING;
        }
    }
    gauge->looked = now;
}

static void gauge_lock(mtree_bandwidth_monitor_t *gauge)
{
    while (atomic_flag_test_and_set_explicit(&gauge->lock, memory_order_acquire)) {}
}

static void gauge_unlock(mtree_bandwidth_monitor_t *gauge)
{
    atomic_flag_clear_explicit(&gauge->lock, memory_order_release);
}

void mtree_bandwidth_monitor_begin(mtree_bandwidth_monitor_t *gauge, double now)
{
    gauge_lock(gauge);
    gauge_turn(gauge, true, now);
    atomic_fetch_add(&gauge->underway, 1);
    gauge_unlock(gauge);
}

void mtree_bandwidth_monitor_end(mtree_bandwidth_monitor_t *gauge, double now)
{
    gauge_lock(gauge);
    gauge_turn(gauge, true, now);
    atomic_fetch_sub(&gauge->underway, 1);
    gauge_unlock(gauge);
}

bool mtree_bandwidth_monitor_is_busy(const mtree_bandwidth_monitor_t *gauge)
{
    return atomic_load(&gauge->underway) > 0;
}

void mtree_bandwidth_monitor_attend(mtree_bandwidth_monitor_t *gauge, bool alone,
                                    double now)
{
    gauge_lock(gauge);
    gauge_turn(gauge, alone, now);
    gauge_unlock(gauge);
}

void mtree_bandwidth_monitor_sent(mtree_bandwidth_monitor_t *gauge, int way, double bytes,
                                  double now)
{
    gauge_lock(gauge);
    gauge_turn(gauge, true, now);
    gauge->ways[way].passed.bytes += bytes;
    if (gauge->ways[way].pressing > 0 && now > gauge->settled) {
        gauge->ways[way].passed.pressed_bytes += bytes;
    }
    gauge_unlock(gauge);
}

void mtree_bandwidth_monitor_backlog(mtree_bandwidth_monitor_t *gauge, int way,
                                     bool pressed, double now)
{
    gauge_lock(gauge);
    gauge_turn(gauge, true, now);
    count_pressed(gauge, now);
    gauge->ways[way].pressing += pressed ? 1 : -1;
    gauge_unlock(gauge);
}

void mtree_bandwidth_monitor_read(mtree_bandwidth_monitor_t *gauge, double now,
                                  mtree_bandwidth_monitor_sum_t *sum_p,
                                  mtree_bandwidth_monitor_path_t *ways)
{
    gauge_lock(gauge);
    gauge_turn(gauge, true, now);
    count_pressed(gauge, now);
    *sum_p = gauge->sum;
    for (int i = 0; i < gauge->num_ways; i++) {
        ways[i] = gauge->ways[i].passed;
    }
    gauge_unlock(gauge);
}
