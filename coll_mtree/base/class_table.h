/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Call classes, and tables of what is kept per class, such as a plan, a server and a row
 * of the statistics.
 *
 * A class is what calls have in common on every rank: collective, root, and size to a
 * factor of two.  Two calls of one class on one communicator are of the same class on
 * every rank.
 *
 * One hashed lookup finds the element of a class.  The element is a structure of the
 * table's owner whose first member is a coll_mtree_class_node_t; the table allocates it.
 * All elements are also in a list, in the order in which they were made.  A table has no
 * lock.
 */
#ifndef COLL_MTREE_BASE_CLASS_TABLE_H
#define COLL_MTREE_BASE_CLASS_TABLE_H

#include "base/hash.h"
#include "base/list.h"
#include "planner/plan/plan.h"

#include <stdbool.h>
#include <stdint.h>

/* What the messages of a call may pass through. */
typedef enum {
    COLL_MTREE_BY_RANKS,
    COLL_MTREE_BY_RELAYS /* hosts without ranks, too */
} coll_mtree_path_t;

typedef struct {
    mtree_collective_t collective;
    int root;               /* rank, in planning its host; -1: the collective has none */
    int size_class;         /* binary logarithm of the bytes, rounded down */
    double bytes;           /* of the first such call; not part of the key */
    coll_mtree_path_t path; /* that all of its calls may take */
} coll_mtree_call_class_t;

/* The class of calls of @a bytes in all; all below COLL_MTREE_SHORT_BYTES are in one.  @a
 * root is ignored for collectives that have none. */
coll_mtree_call_class_t coll_mtree_call_class_of(mtree_collective_t collective, int root,
                                                 size_t bytes);

/*
 * What a call's bytes are to be multiplied by to give those of its plan, where @a ranks
 * ranks run on @a hosts hosts: the size of an all-to-all is what one rank sends, that of
 * its plan what a host does.
 */
double coll_mtree_call_class_host_share(mtree_collective_t collective, int ranks,
                                        int hosts);

bool coll_mtree_call_class_equals(const coll_mtree_call_class_t *a,
                                  const coll_mtree_call_class_t *b);

/* Equal classes have the same hash, within one process. */
uint64_t coll_mtree_call_class_hash(const coll_mtree_call_class_t *call_class);

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
