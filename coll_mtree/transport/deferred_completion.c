/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/transport/deferred_completion.h"

#include "coll_mtree/transport/progress.h"

#include "ompi/mca/pml/base/base.h"

static bool is_open;
static opal_mutex_t lock = OPAL_MUTEX_STATIC_INIT;
static mtree_list_t queue = {&queue, &queue};

/* A thread handles completions.  Handling one begins messages, which may call the poller
 * again. */
static bool is_busy;

/* Move all that are queued to @a taken; false: nothing is, or another thread is busy. */
static bool take_queued(mtree_list_t *taken)
{
    bool takes;

    opal_mutex_lock(&lock);
    takes = !is_busy && !mtree_list_is_empty(&queue);
    if (takes) {
        mtree_list_move(taken, &queue);
        is_busy = true;
    }
    opal_mutex_unlock(&lock);
    return takes;
}

static int handle_queued(void)
{
    mtree_list_t taken, *link;
    int handled = 0;

    mtree_list_init(&taken);
    if (!take_queued(&taken)) {
        return 0;
    }
    while ((link = mtree_list_take(&taken)) != NULL) {
        mtree_completion_t *done = MTREE_CONTAINER_OF(link, mtree_completion_t, link);

        done->func(done, done->status);
        handled++;
    }
    opal_mutex_lock(&lock);
    is_busy = false;
    opal_mutex_unlock(&lock);
    return handled;
}

void coll_mtree_deferred_completion_open(void)
{
    const char *pml = mca_pml_base_selected_component.pmlm_version.mca_component_name;

    is_open = strcmp(pml, "cm") == 0 || strcmp(pml, "ucx") == 0;
    if (is_open) {
        coll_mtree_progress_add(handle_queued);
    }
}

void coll_mtree_deferred_completion_close(void)
{
    coll_mtree_progress_remove(handle_queued);
    is_open = false;
}

void coll_mtree_deferred_completion_call(mtree_completion_t *done, mtree_status_t status)
{
    if (!is_open) {
        done->func(done, status);
        return;
    }
    done->status = status;
    opal_mutex_lock(&lock);
    mtree_list_append(&queue, &done->link);
    opal_mutex_unlock(&lock);
}
