/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/adapt/bandwidth_monitor.h"

#include "coll_mtree/base/memory.h"
#include "coll_mtree/transport/progress.h"

#include "base/clock.h"
#include "base/list.h"

#include <stdlib.h>

typedef struct coll_mtree_bandwidth_monitor {
    mtree_list_t link;
    mtree_bandwidth_monitor_t *monitor;
} monitor_t;

static struct {
    mtree_list_t list;
    opal_mutex_t lock;
} all = {.list = {&all.list, &all.list}, .lock = OPAL_MUTEX_STATIC_INIT};

static monitor_t *monitor_of(mtree_list_t *link)
{
    return MTREE_CONTAINER_OF(link, monitor_t, link);
}

/* The poller: Open MPI looks after its messages. */
static int monitors_attend(void)
{
    mtree_list_t *link;
    int busy = 0;

    /* The thread that has the lock attends to all. */
    if (opal_mutex_trylock(&all.lock) != 0) {
        return 0;
    }
    MTREE_LIST_FOR_EACH(link, &all.list)
    {
        busy += mtree_bandwidth_monitor_is_busy(monitor_of(link)->monitor);
    }
    MTREE_LIST_FOR_EACH(link, &all.list)
    {
        if (busy > 0 && mtree_bandwidth_monitor_is_busy(monitor_of(link)->monitor)) {
            mtree_bandwidth_monitor_attend(monitor_of(link)->monitor, busy == 1,
                                           mtree_clock_seconds());
        }
    }
    opal_mutex_unlock(&all.lock);
    return 0;
}

mtree_bandwidth_monitor_t *
coll_mtree_bandwidth_monitor_find(const mca_coll_mtree_module_t *module)
{
    const monitor_t *self = module->monitor;

    return self == NULL ? NULL : self->monitor;
}

mtree_bandwidth_monitor_t *
coll_mtree_bandwidth_monitor_get(mca_coll_mtree_module_t *module)
{
    if (module->monitor != NULL) {
        return coll_mtree_bandwidth_monitor_find(module);
    }
    opal_mutex_lock(&all.lock);
    if (module->monitor == NULL) {
        monitor_t *made = coll_mtree_calloc(1, sizeof(*made));

        coll_mtree_require(
            mtree_bandwidth_monitor_create(module->placement->num_hosts, &made->monitor));
        mtree_list_append(&all.list, &made->link);
        /* Other threads look at it without the lock. */
        module->monitor = made;
        coll_mtree_progress_add(monitors_attend);
    }
    opal_mutex_unlock(&all.lock);
    return coll_mtree_bandwidth_monitor_find(module);
}

coll_mtree_traffic_t *coll_mtree_bandwidth_monitor_take(mca_coll_mtree_module_t *module)
{
    mtree_bandwidth_monitor_t *monitor = coll_mtree_bandwidth_monitor_find(module);
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
    mtree_bandwidth_monitor_put_back(coll_mtree_bandwidth_monitor_find(module),
                                     &traffic->sum, traffic->paths);
}

void coll_mtree_bandwidth_monitor_destroy(mca_coll_mtree_module_t *module)
{
    monitor_t *self = module->monitor;

    if (self == NULL) {
        return;
    }
    opal_mutex_lock(&all.lock);
    mtree_list_remove(&self->link);
    opal_mutex_unlock(&all.lock);
    mtree_bandwidth_monitor_destroy(self->monitor);
    free(self);
    module->monitor = NULL;
}

void coll_mtree_bandwidth_monitor_close(void)
{
    coll_mtree_progress_remove(monitors_attend);
}
