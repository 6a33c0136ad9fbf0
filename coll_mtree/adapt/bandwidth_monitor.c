/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/adapt/bandwidth_monitor.h"

#include "coll_mtree/transport/progress.h"

#include "base/array.h"
#include "base/clock.h"
#include "base/memory.h"

#include <stdlib.h>

static struct {
    mtree_bandwidth_monitor_t **list; /* [count] */
    int count, capacity;
    opal_mutex_t lock;
} all = {.lock = OPAL_MUTEX_STATIC_INIT};

/* The poller: Open MPI looks after its messages. */
static int monitors_attend(void)
{
    int busy = 0;

    /* The thread that has the lock attends to all. */
    if (opal_mutex_trylock(&all.lock) != 0) {
        return 0;
    }
    for (int i = 0; i < all.count; i++) {
        busy += mtree_bandwidth_monitor_is_busy(all.list[i]);
    }
    for (int i = 0; i < all.count && busy > 0; i++) {
        if (mtree_bandwidth_monitor_is_busy(all.list[i])) {
            mtree_bandwidth_monitor_attend(all.list[i], busy == 1, mtree_clock_seconds());
        }
    }
    opal_mutex_unlock(&all.lock);
    return 0;
}

mtree_bandwidth_monitor_t *
coll_mtree_bandwidth_monitor_get(mca_coll_mtree_module_t *module)
{
    mtree_bandwidth_monitor_t *made;

    if (module->monitor != NULL) {
        return module->monitor;
    }
    opal_mutex_lock(&all.lock);
    if (module->monitor == NULL) {
        mtree_require(
            mtree_bandwidth_monitor_create(module->placement->num_hosts, &made));
        mtree_require(mtree_array_reserve(&all.list, &all.capacity, all.count + 1,
                                          sizeof(*all.list)));
        all.list[all.count++] = made;
        /* Other threads look at it without the lock. */
        module->monitor = made;
        coll_mtree_progress_add(monitors_attend);
    }
    opal_mutex_unlock(&all.lock);
    return module->monitor;
}

coll_mtree_traffic_t *coll_mtree_bandwidth_monitor_take(mca_coll_mtree_module_t *module)
{
    mtree_bandwidth_monitor_t *monitor = module->monitor;
    coll_mtree_traffic_t *traffic = NULL;

    if (monitor != NULL) {
        traffic = coll_mtree_traffic_create((size_t)module->placement->num_hosts);
        mtree_bandwidth_monitor_take(monitor, mtree_clock_seconds(), &traffic->sum,
                                     traffic->paths);
    }
    return traffic;
}

void coll_mtree_bandwidth_monitor_put_back(mca_coll_mtree_module_t *module,
                                           const coll_mtree_traffic_t *traffic)
{
    mtree_bandwidth_monitor_put_back(module->monitor, &traffic->sum, traffic->paths);
}

void coll_mtree_bandwidth_monitor_destroy(mca_coll_mtree_module_t *module)
{
    int i = 0;

    if (module->monitor == NULL) {
        return;
    }
    opal_mutex_lock(&all.lock);
    while (i < all.count && all.list[i] != module->monitor) {
        i++;
    }
    if (i < all.count) {
        all.list[i] = all.list[--all.count];
    }
    opal_mutex_unlock(&all.lock);
    mtree_bandwidth_monitor_destroy(module->monitor);
    module->monitor = NULL;
}

void coll_mtree_bandwidth_monitor_close(void)
{
    coll_mtree_progress_remove(monitors_attend);
    free(all.list);
    all.list = NULL;
    all.count = all.capacity = 0;
}
