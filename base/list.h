/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Doubly linked lists whose links are members of what they link (MTREE_CONTAINER_OF).
 * A list is a ring through its head, so that no operation has a special case.
 */
#ifndef MTREE_BASE_LIST_H
#define MTREE_BASE_LIST_H

#include "base/container_of.h"

#include <stdbool.h>

/* A head, or the link of one element. */
typedef struct mtree_list {
    struct mtree_list *previous, *next;
} mtree_list_t;

/* An empty list; also the state of a link that is in no list. */
static inline void mtree_list_init(mtree_list_t *list)
{
    list->previous = list->next = list;
}

static inline bool mtree_list_is_empty(const mtree_list_t *head)
{
    return head->next == head;
}

/* Add @a link, which is in no list, as the last of the list. */
static inline void mtree_list_append(mtree_list_t *head, mtree_list_t *link)
{
    link->previous = head->previous;
    link->next = head;
    head->previous->next = link;
    head->previous = link;
}

/* Take @a link out of its list.  It may be in none. */
static inline void mtree_list_remove(mtree_list_t *link)
{
    link->previous->next = link->next;
    link->next->previous = link->previous;
    mtree_list_init(link);
}

/* The first link, taken out; NULL: the list is empty. */
static inline mtree_list_t *mtree_list_take(mtree_list_t *head)
{
    mtree_list_t *link = head->next;

    if (link == head) {
        return NULL;
    }
    mtree_list_remove(link);
    return link;
}

/* Append all links of @a from to @a to; @a from is empty afterwards. */
static inline void mtree_list_move(mtree_list_t *to, mtree_list_t *from)
{
    from->next->previous = to->previous;
    to->previous->next = from->next;
    from->previous->next = to;
    to->previous = from->previous;
    mtree_list_init(from);
}

/* Each @a _link of the list; the loop must not remove it. */
#define MTREE_LIST_FOR_EACH(_link, _head)                                                \
    for ((_link) = (_head)->next; (_link) != (_head); (_link) = (_link)->next)

/* The same; the loop may remove or free @a _link.  @a _next is the loop's own. */
#define MTREE_LIST_FOR_EACH_SAFE(_link, _next, _head)                                    \
    for ((_link) = (_head)->next, (_next) = (_link)->next; (_link) != (_head);           \
         (_link) = (_next), (_next) = (_link)->next)

#endif
