#include "coll_mtree/adapt/bandwidth_monitor.h"

#include "coll_mtree/transport/transport.h"

#include "opal/runtime/opal_progress.h"

#include <stdlib.h>

typedef struct coll_mtree_bandwidth_monitor gauge_t;

struct coll_mtree_bandwidth_monitor {
    mtree_bandwidth_monitor_t *gauge;
    size_t num_ways;
    coll_mtree_taken_t *base; /* that was taken so far */
    gauge_t *next;
};

/* All there are; their bases, too, are changed under the lock. */
static gauge_t *gauges;
static opal_mutex_t gauges_lock = OPAL_MUTEX_STATIC_INIT;
static bool is_open; /* turns of progress are told of */

/* A turn of Open MPI's progress. */
static int gauges_attend(void)
{
    int busy = 0;

    /* Who has the lock attends to all. */
    if (opal_mutex_trylock(&gauges_lock) != 0) {
        return 0;
    }
    for (gauge_t *self = gauges; self != NULL; self = self->next) {
        busy += mtree_bandwidth_monitor_is_busy(self->gauge);
    }
    for (gauge_t *self = gauges; busy > 0 && self != NULL; self = self->next) {
        if (mtree_bandwidth_monitor_is_busy(self->gauge)) {
            mtree_bandwidth_monitor_attend(self->gauge, busy == 1, coll_mtree_clock());
        }
    }
    opal_mutex_unlock(&gauges_lock);
    return 0;
}

static coll_mtree_taken_t *taken_alloc(size_t num_ways)
{
    return calloc(1, sizeof(coll_mtree_taken_t) +
                         num_ways * sizeof(mtree_bandwidth_monitor_path_t));
}

static gauge_t *gauge_create(size_t num_ways)
{
    gauge_t *self = calloc(1, sizeof(*self));

    if (self == NULL) {
        return NULL;
    }
    self->num_ways = num_ways;
    self->base = taken_alloc(num_ways);
    if (self->base == NULL ||
        mtree_bandwidth_monitor_create((int)num_ways, &self->gauge) != MTREE_OK) {
        free(self->base);
        free(self);
        return NULL;
    }
    return self;
}

mtree_bandwidth_monitor_t *
coll_mtree_bandwidth_monitor_find(const mca_coll_mtree_module_t *module)
{
    return module->gauge == NULL ? NULL : module->gauge->gauge;
}

mtree_bandwidth_monitor_t *
coll_mtree_bandwidth_monitor_get(mca_coll_mtree_module_t *module)
{
    opal_mutex_lock(&gauges_lock);
    if (module->gauge == NULL) {
        module->gauge = gauge_create((size_t)module->placement->num_hosts);
        if (module->gauge != NULL) {
            module->gauge->next = gauges;
            gauges = module->gauge;
        }
        if (!is_open) {
            is_open = opal_progress_register(gauges_attend) == OPAL_SUCCESS;
        }
    }
    opal_mutex_unlock(&gauges_lock);
    return coll_mtree_bandwidth_monitor_find(module);
}

/* Add @a sign times @a other to @a taken. */
static void taken_add(coll_mtree_taken_t *taken, const coll_mtree_taken_t *other,
                      size_t num_ways, double sign)
{
    taken->sum.seconds += sign * other->sum.seconds;
    taken->sum.unattended += sign * other->sum.unattended;
    for (size_t i = 0; i < num_ways; i++) {
        taken->ways[i].bytes += sign * other->ways[i].bytes;
        taken->ways[i].pressed_bytes += sign * other->ways[i].pressed_bytes;
        taken->ways[i].pressed_seconds += sign * other->ways[i].pressed_seconds;
    }
}

coll_mtree_taken_t *coll_mtree_bandwidth_monitor_take(mca_coll_mtree_module_t *module)
{
    gauge_t *self = module->gauge;
    coll_mtree_taken_t *taken = self == NULL ? NULL : taken_alloc(self->num_ways);

    if (taken == NULL) {
        return NULL;
    }
    opal_mutex_lock(&gauges_lock);
    mtree_bandwidth_monitor_read(self->gauge, coll_mtree_clock(), &taken->sum,
                                 taken->ways);
    taken_add(taken, self->base, self->num_ways, -1);
    taken_add(self->base, taken, self->num_ways, 1);
    opal_mutex_unlock(&gauges_lock);
    return taken;
}

void coll_mtree_bandwidth_monitor_put_back(mca_coll_mtree_module_t *module,
                                           const coll_mtree_taken_t *taken)
{
    gauge_t *self = module->gauge;

    opal_mutex_lock(&gauges_lock);
    taken_add(self->base, taken, self->num_ways, -1);
    opal_mutex_unlock(&gauges_lock);
}

void coll_mtree_bandwidth_monitor_destroy(mca_coll_mtree_module_t *module)
{
    gauge_t *self = module->gauge, **at = &gauges;

    if (self == NULL) {
        return;
    }
    opal_mutex_lock(&gauges_lock);
    while (*at != self) {
        at = &(*at)->next;
    }
    *at = self->next;
    opal_mutex_unlock(&gauges_lock);
    mtree_bandwidth_monitor_destroy(self->gauge);
    free(self->base);
    free(self);
    module->gauge = NULL;
}

void coll_mtree_bandwidth_monitor_close(void)
{
    if (is_open) {
        opal_progress_unregister(gauges_attend);
        is_open = false;
    }
}
