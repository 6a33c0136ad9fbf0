/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/adapt/bandwidth_monitor.h"

#include "coll_mtree/transport/progress.h"

#include "base/clock.h"

#include <stdlib.h>

typedef struct coll_mtree_bandwidth_monitor monitor_t;

struct coll_mtree_bandwidth_monitor {
    mtree_bandwidth_monitor_t *monitor;
    size_t num_paths;
    coll_mtree_taken_t *base; /* that was taken so far */
    monitor_t *next;
};

/* All there are; their bases, too, are changed under the lock. */
static monitor_t *monitors;
static opal_mutex_t monitors_lock = OPAL_MUTEX_STATIC_INIT;
static bool is_open; /* the poller was added */

/* Poll: a turn of Open MPI's progress. */
static int monitors_attend(void)
{
    int busy = 0;

    /* Who has the lock attends to all. */
    if (opal_mutex_trylock(&monitors_lock) != 0) {
        return 0;
    }
    for (monitor_t *self = monitors; self != NULL; self = self->next) {
        busy += mtree_bandwidth_monitor_is_busy(self->monitor);
    }
    for (monitor_t *self = monitors; busy > 0 && self != NULL; self = self->next) {
        if (mtree_bandwidth_monitor_is_busy(self->monitor)) {
            mtree_bandwidth_monitor_attend(self->monitor, busy == 1,
                                           mtree_clock_seconds());
        }
    }
    opal_mutex_unlock(&monitors_lock);
    return 0;
}

static coll_mtree_taken_t *taken_alloc(size_t num_paths)
{
    return calloc(1, sizeof(coll_mtree_taken_t) +
                         num_paths * sizeof(mtree_bandwidth_monitor_path_t));
}

static monitor_t *monitor_create(size_t num_paths)
{
    monitor_t *self = calloc(1, sizeof(*self));

    if (self == NULL) {
        return NULL;
    }
    self->num_paths = num_paths;
    self->base = taken_alloc(num_paths);
    if (self->base == NULL ||
        mtree_bandwidth_monitor_create((int)num_paths, &self->monitor) != MTREE_OK) {
        free(self->base);
        free(self);
        return NULL;
    }
    return self;
}

mtree_bandwidth_monitor_t *
coll_mtree_bandwidth_monitor_find(const mca_coll_mtree_module_t *module)
{
    return module->monitor == NULL ? NULL : module->monitor->monitor;
}

mtree_bandwidth_monitor_t *
coll_mtree_bandwidth_monitor_get(mca_coll_mtree_module_t *module)
{
    opal_mutex_lock(&monitors_lock);
    if (module->monitor == NULL) {
        module->monitor = monitor_create((size_t)module->placement->num_hosts);
        if (module->monitor != NULL) {
            module->monitor->next = monitors;
            monitors = module->monitor;
        }
        if (!is_open) {
            is_open = coll_mtree_progress_add(monitors_attend);
        }
    }
    opal_mutex_unlock(&monitors_lock);
    return coll_mtree_bandwidth_monitor_find(module);
}

/* Add @a sign times @a other to @a taken. */
static void taken_add(coll_mtree_taken_t *taken, const coll_mtree_taken_t *other,
                      size_t num_paths, double sign)
{
    taken->sum.seconds += sign * other->sum.seconds;
    taken->sum.unattended += sign * other->sum.unattended;
    for (size_t i = 0; i < num_paths; i++) {
        taken->paths[i].bytes += sign * other->paths[i].bytes;
        taken->paths[i].backlogged_bytes += sign * other->paths[i].backlogged_bytes;
        taken->paths[i].backlogged_seconds += sign * other->paths[i].backlogged_seconds;
    }
}

coll_mtree_taken_t *coll_mtree_bandwidth_monitor_take(mca_coll_mtree_module_t *module)
{
    monitor_t *self = module->monitor;
    coll_mtree_taken_t *taken = self == NULL ? NULL : taken_alloc(self->num_paths);

    if (taken == NULL) {
        return NULL;
    }
    opal_mutex_lock(&monitors_lock);
    mtree_bandwidth_monitor_read(self->monitor, mtree_clock_seconds(), &taken->sum,
                                 taken->paths);
    taken_add(taken, self->base, self->num_paths, -1);
    taken_add(self->base, taken, self->num_paths, 1);
    opal_mutex_unlock(&monitors_lock);
    return taken;
}

void coll_mtree_bandwidth_monitor_put_back(mca_coll_mtree_module_t *module,
                                           const coll_mtree_taken_t *taken)
{
    monitor_t *self = module->monitor;

    opal_mutex_lock(&monitors_lock);
    taken_add(self->base, taken, self->num_paths, -1);
    opal_mutex_unlock(&monitors_lock);
}

void coll_mtree_bandwidth_monitor_destroy(mca_coll_mtree_module_t *module)
{
    monitor_t *self = module->monitor, **at = &monitors;

    if (self == NULL) {
        return;
    }
    opal_mutex_lock(&monitors_lock);
    while (*at != self) {
        at = &(*at)->next;
    }
    *at = self->next;
    opal_mutex_unlock(&monitors_lock);
    mtree_bandwidth_monitor_destroy(self->monitor);
    free(self->base);
    free(self);
    module->monitor = NULL;
}

void coll_mtree_bandwidth_monitor_close(void)
{
    if (is_open) {
        coll_mtree_progress_remove(monitors_attend);
        is_open = false;
    }
}
