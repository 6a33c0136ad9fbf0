#include "coll_mtree/base/ordered_gate.h"

void coll_mtree_ordered_gate_init(coll_mtree_ordered_gate_t *queue)
{
    OBJ_CONSTRUCT(&queue->lock, opal_mutex_t);
    queue->first = NULL;
    queue->last = &queue->first;
    queue->busy = false;
}

void coll_mtree_ordered_gate_cleanup(coll_mtree_ordered_gate_t *queue)
{
    OBJ_DESTRUCT(&queue->lock);
}

/* Take who may pass; NULL: nobody may. */
static coll_mtree_waiter_t *queue_take(coll_mtree_ordered_gate_t *queue)
{
    coll_mtree_waiter_t *place = queue->first;

    if (place == NULL || (place->is_ready != NULL && !place->is_ready(place))) {
        return NULL;
    }
    queue->first = place->next;
    if (queue->first == NULL) {
        queue->last = &queue->first;
    }
    return place;
}

void coll_mtree_ordered_gate_advance(coll_mtree_ordered_gate_t *queue)
{
    coll_mtree_waiter_t *place;

    opal_mutex_lock(&queue->lock);
    /* Who is at it looks again before it ends.  So they pass one at a time. */
    if (queue->busy) {
        opal_mutex_unlock(&queue->lock);
        return;
    }
    queue->busy = true;
    while ((place = queue_take(queue)) != NULL) {
        opal_mutex_unlock(&queue->lock);
        place->pass(place);
        opal_mutex_lock(&queue->lock);
    }
    queue->busy = false;
    opal_mutex_unlock(&queue->lock);
}

void coll_mtree_ordered_gate_join(coll_mtree_ordered_gate_t *queue,
                                  coll_mtree_waiter_t *place)
{
    place->next = NULL;
    opal_mutex_lock(&queue->lock);
    *queue->last = place;
    queue->last = &place->next;
    opal_mutex_unlock(&queue->lock);
    coll_mtree_ordered_gate_advance(queue);
}
