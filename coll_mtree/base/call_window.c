/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/base/call_window.h"

#include "coll_mtree/base/tuning.h"

#include "base/container_of.h"

void coll_mtree_call_window_init(coll_mtree_call_window_t *window)
{
    *window = (coll_mtree_call_window_t){.issued = 0};
    mtree_list_init(&window->waiting);
    mtree_list_init(&window->ready);
}

/* Are the tags of call number @a number free? */
static bool has_tags(const coll_mtree_call_window_t *window, unsigned long number)
{
    return window->is_broken ||
           window->left[number % COLL_MTREE_LIVE_CALLS] == number / COLL_MTREE_LIVE_CALLS;
}

void coll_mtree_call_window_enter(coll_mtree_call_window_t *window,
                                  coll_mtree_windowed_call_t *call)
{
    mtree_list_append(has_tags(window, call->number) ? &window->ready : &window->waiting,
                      &call->link);
}

/* The first call that has not left. */
static unsigned long window_first(const coll_mtree_call_window_t *window)
{
    unsigned long first = window->left[0] * COLL_MTREE_LIVE_CALLS;

    for (unsigned long set = 1; set < COLL_MTREE_LIVE_CALLS; set++) {
        unsigned long number = window->left[set] * COLL_MTREE_LIVE_CALLS + set;

        first = number < first ? number : first;
    }
    return first;
}

/* May @a call, which has tags, begin? */
static bool fits(const coll_mtree_call_window_t *window,
                 const coll_mtree_windowed_call_t *call)
{
    return window->is_broken || window->num_running < COLL_MTREE_LONG_CALLS ||
           window->bytes + call->bytes <= COLL_MTREE_LONG_BYTES ||
           call->number == window_first(window);
}

coll_mtree_windowed_call_t *coll_mtree_call_window_take(coll_mtree_call_window_t *window)
{
    mtree_list_t *link;

    MTREE_LIST_FOR_EACH(link, &window->ready)
    {
        coll_mtree_windowed_call_t *call =
            MTREE_CONTAINER_OF(link, coll_mtree_windowed_call_t, link);

        if (fits(window, call)) {
            mtree_list_remove(link);
            window->num_running++;
            window->bytes += call->bytes;
            return call;
        }
    }
    return NULL;
}

void coll_mtree_call_window_leave(coll_mtree_call_window_t *window,
                                  const coll_mtree_windowed_call_t *call)
{
    mtree_list_t *link;

    window->left[call->number % COLL_MTREE_LIVE_CALLS]++;
    window->num_running--;
    window->bytes -= call->bytes;
    MTREE_LIST_FOR_EACH(link, &window->waiting)
    {
        if (MTREE_CONTAINER_OF(link, coll_mtree_windowed_call_t, link)->number ==
            call->number + COLL_MTREE_LIVE_CALLS) {
            mtree_list_remove(link);
            mtree_list_append(&window->ready, link);
            return;
        }
    }
}

void coll_mtree_call_window_break(coll_mtree_call_window_t *window)
{
    window->is_broken = true;
    mtree_list_move(&window->ready, &window->waiting);
}
