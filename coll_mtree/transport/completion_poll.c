/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/transport/completion_poll.h"

#include "coll_mtree/compat.h"
#include "coll_mtree/transport/progress.h"

#include "ompi/mca/pml/base/base.h"
#include "ompi/request/request.h"

static coll_mtree_completion_poll_func_t completed; /* NULL: not open */
static opal_mutex_t lock = OPAL_MUTEX_STATIC_INIT;
static mtree_list_t polled = {&polled, &polled}; /* the earliest first */

/* A thread handles completions.  Handling one begins messages, which may call the poller
 * again. */
static bool is_busy;

/* Move those that are complete to @a taken; false: there are none, or a thread is busy.
 */
static bool take_completed(mtree_list_t *taken)
{
    mtree_list_t *link, *next;

    /* The thread that has the lock looks at all of them. */
    if (opal_mutex_trylock(&lock) != 0) {
        return false;
    }
    if (is_busy) {
        opal_mutex_unlock(&lock);
        return false;
    }
    MTREE_LIST_FOR_EACH_SAFE(link, next, &polled)
    {
        mtree_completion_t *done = MTREE_CONTAINER_OF(link, mtree_completion_t, link);

        if (REQUEST_COMPLETE((ompi_request_t *)done->message)) {
            mtree_list_remove(link);
            mtree_list_append(taken, link);
        }
    }
    is_busy = !mtree_list_is_empty(taken);
    opal_mutex_unlock(&lock);
    return !mtree_list_is_empty(taken);
}

static int poll_completions(void)
{
    mtree_list_t taken, *link;
    int handled = 0;

    mtree_list_init(&taken);
    if (!take_completed(&taken)) {
        return 0;
    }
    opal_atomic_rmb();
    while ((link = mtree_list_take(&taken)) != NULL) {
        completed(MTREE_CONTAINER_OF(link, mtree_completion_t, link));
        handled++;
    }
    opal_mutex_lock(&lock);
    is_busy = false;
    opal_mutex_unlock(&lock);
    return handled;
}

void coll_mtree_completion_poll_open(bool threads, coll_mtree_completion_poll_func_t func)
{
    const char *pml = mca_pml_base_selected_component.pmlm_version.mca_component_name;

    if (strcmp(pml, "cm") == 0 || strcmp(pml, "ucx") == 0 ||
        (threads && !coll_mtree_survives())) {
        coll_mtree_progress_add(poll_completions);
        completed = func;
    }
}

void coll_mtree_completion_poll_close(void)
{
    coll_mtree_progress_remove(poll_completions);
    completed = NULL;
}

bool coll_mtree_completion_poll_is_open(void)
{
    return completed != NULL;
}

void coll_mtree_completion_poll_add(mtree_completion_t *done)
{
    opal_mutex_lock(&lock);
    mtree_list_append(&polled, &done->link);
    opal_mutex_unlock(&lock);
}

void coll_mtree_completion_poll_cancel(mtree_completion_t *done)
{
    mtree_list_t *link;
    bool is_polled = false;

    opal_mutex_lock(&lock);
    MTREE_LIST_FOR_EACH(link, &polled)
    {
        if (link == &done->link) {
            is_polled = true;
            break;
        }
    }
    if (is_polled) {
        mtree_list_remove(&done->link);
    }
    opal_mutex_unlock(&lock);
    /* Without the lock: the mtl ofi calls Open MPI's progress, which may begin messages.
     * Nobody frees a request that is not polled. */
    if (is_polled) {
        (void)ompi_request_cancel(done->message);
        coll_mtree_completion_poll_add(done);
    }
}
