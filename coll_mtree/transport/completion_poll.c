/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/transport/completion_poll.h"

#include "coll_mtree/compat.h"

#include "ompi/request/request.h"
#include "opal/runtime/opal_progress.h"

static coll_mtree_completion_poll_func_t ended;
static opal_mutex_t lock = OPAL_MUTEX_STATIC_INIT;
static mtree_completion_t *first; /* under way, the latest first */

static void poll_remove(mtree_completion_t *done)
{
    if (done->previous == NULL) {
        first = done->next;
    } else {
        done->previous->next = done->next;
    }
    if (done->next != NULL) {
        done->next->previous = done->previous;
    }
}

/* Take those that have ended, the earliest first. */
static mtree_completion_t *poll_take(void)
{
    mtree_completion_t *taken = NULL, *next;

    for (mtree_completion_t *done = first; done != NULL; done = next) {
        next = done->next;
        if (REQUEST_COMPLETE((ompi_request_t *)done->message)) {
            poll_remove(done);
            done->next = taken;
            taken = done;
        }
    }
    return taken;
}

static int poll_progress(void)
{
    mtree_completion_t *done;
    int handled = 0;

    /* Who has the lock looks for all. */
    if (opal_mutex_trylock(&lock) != 0) {
        return 0;
    }
    done = poll_take();
    opal_mutex_unlock(&lock);
    opal_atomic_rmb();
    while (done != NULL) {
        /* The function may use it for the next message. */
        mtree_completion_t *next = done->next;

        ended(done);
        handled++;
        done = next;
    }
    return handled;
}

void coll_mtree_completion_poll_open(bool threads, coll_mtree_completion_poll_func_t func)
{
    if (threads && !coll_mtree_survives()) {
        ended = func;
        opal_progress_register(poll_progress);
    }
}

void coll_mtree_completion_poll_close(void)
{
    if (ended != NULL) {
        opal_progress_unregister(poll_progress);
        ended = NULL;
    }
}

bool coll_mtree_completion_poll_is_open(void)
{
    return ended != NULL;
}

void coll_mtree_completion_poll_add(mtree_completion_t *done)
{
    opal_mutex_lock(&lock);
    done->previous = NULL;
    done->next = first;
    if (first != NULL) {
        first->previous = done;
    }
    first = done;
    opal_mutex_unlock(&lock);
}
