/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/transport/deferred_completion.h"

#include "ompi/mca/pml/base/base.h"
#include "opal/runtime/opal_progress.h"

static bool is_open;
static opal_mutex_t lock = OPAL_MUTEX_STATIC_INIT;
static mtree_completion_t *first, *last; /* that have ended */

/* What is handled begins messages, which may come back here. */
static bool is_busy;

/* Take all that have ended, unless somebody is about to handle some. */
static mtree_completion_t *later_take(void)
{
    mtree_completion_t *taken = NULL;

    opal_mutex_lock(&lock);
    if (!is_busy && first != NULL) {
        taken = first;
        first = NULL;
        is_busy = true;
    }
    opal_mutex_unlock(&lock);
    return taken;
}

static int later_progress(void)
{
    mtree_completion_t *done = later_take();
    int handled = 0;

    if (done == NULL) {
        return 0;
    }
    while (done != NULL) {
        /* The function may use it for the next message. */
        mtree_completion_t *next = done->next;

        done->func(done, done->status);
        handled++;
        done = next;
    }
    opal_mutex_lock(&lock);
    is_busy = false;
    opal_mutex_unlock(&lock);
    return handled;
}

void coll_mtree_deferred_completion_open(void)
{
    const char *pml = mca_pml_base_selected_component.pmlm_version.mca_component_name;

    if (strcmp(pml, "cm") == 0 || strcmp(pml, "ucx") == 0) {
        is_open = true;
        opal_progress_register(later_progress);
    }
}

void coll_mtree_deferred_completion_close(void)
{
    if (is_open) {
        opal_progress_unregister(later_progress);
        is_open = false;
    }
}

void coll_mtree_deferred_completion_call(mtree_completion_t *done, mtree_status_t status)
{
    if (!is_open) {
        done->func(done, status);
        return;
    }
    done->status = status;
    done->next = NULL;
    opal_mutex_lock(&lock);
    if (first == NULL) {
        first = done;
    } else {
        last->next = done;
    }
    last = done;
    opal_mutex_unlock(&lock);
}
