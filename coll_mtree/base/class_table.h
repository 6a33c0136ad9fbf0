/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tables of what is kept per call class: one hashed lookup finds the element of a class.
 *
 * The element is a structure of the table's owner whose first member is a
 * coll_mtree_class_node_t; the table allocates it.  All elements are also in a list, in
 * the order in which they were made.  A table has no lock.
 */
#ifndef COLL_MTREE_BASE_CLASS_TABLE_H
#define COLL_MTREE_BASE_CLASS_TABLE_H

#include "coll_mtree/base/call_class.h"

#include "base/hash.h"
#include "base/list.h"

typedef struct {
    mtree_hash_link_t hash;
    mtree_list_t order;
    coll_mtree_call_class_t call_class; /* of the call that made it */
} coll_mtree_class_node_t;

typedef struct {
    mtree_hash_table_t table;
    mtree_list_t nodes; /* in the order in which they were made */
} coll_mtree_class_table_t;

void coll_mtree_class_table_init(coll_mtree_class_table_t *table);

/* The element of @a call_class; NULL: there is none. */
void *coll_mtree_class_table_find(const coll_mtree_class_table_t *table,
                                  const coll_mtree_call_class_t *call_class);

/* The element of @a call_class, made when there is none: @a size bytes of zeros but for
 * the node.  The table's, to be found with the same size always. */
void *coll_mtree_class_table_get(coll_mtree_class_table_t *table,
                                 const coll_mtree_call_class_t *call_class, size_t size);

/* Call @a clear (may be NULL), which frees what an element holds, for each element; then
 * free the elements.  The table is empty then. */
void coll_mtree_class_table_cleanup(coll_mtree_class_table_t *table,
                                    void (*clear)(void *element));

/* Each @a _element of @a _table, a pointer to a structure that begins with a node; @a
 * _link is a mtree_list_t pointer of the loop's own. */
#define COLL_MTREE_CLASS_TABLE_FOR_EACH(_element, _link, _table)                         \
    for ((_link) = (_table)->nodes.next;                                                 \
         (_link) != &(_table)->nodes &&                                                  \
         ((_element) = (void *)MTREE_CONTAINER_OF(_link, coll_mtree_class_node_t,        \
                                                  order)) != NULL;                       \
         (_link) = (_link)->next)

#endif
