/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/base/class_table.h"

#include "coll_mtree/base/memory.h"

#include <stdlib.h>

void coll_mtree_class_table_init(coll_mtree_class_table_t *table)
{
    mtree_hash_table_init(&table->table);
    mtree_list_init(&table->nodes);
}

static bool node_equals(const mtree_hash_link_t *hash, const void *call_class)
{
    return coll_mtree_call_class_equals(
        &MTREE_CONTAINER_OF(hash, const coll_mtree_class_node_t, hash)->call_class,
        call_class);
}

static void *table_find(const coll_mtree_class_table_t *table,
                        const coll_mtree_call_class_t *call_class, uint64_t hash)
{
    mtree_hash_link_t *link =
        mtree_hash_table_find(&table->table, hash, node_equals, call_class);

    return link == NULL ? NULL : MTREE_CONTAINER_OF(link, coll_mtree_class_node_t, hash);
}

void *coll_mtree_class_table_find(const coll_mtree_class_table_t *table,
                                  const coll_mtree_call_class_t *call_class)
{
    return table_find(table, call_class, coll_mtree_call_class_hash(call_class));
}

void *coll_mtree_class_table_get(coll_mtree_class_table_t *table,
                                 const coll_mtree_call_class_t *call_class, size_t size)
{
    uint64_t hash = coll_mtree_call_class_hash(call_class);
    coll_mtree_class_node_t *node = table_find(table, call_class, hash);

    if (node != NULL) {
        return node;
    }
    node = coll_mtree_calloc(1, size);
    coll_mtree_require(mtree_hash_table_add(&table->table, &node->hash, hash));
    node->call_class = *call_class;
    mtree_list_append(&table->nodes, &node->order);
    return node;
}

void coll_mtree_class_table_cleanup(coll_mtree_class_table_t *table,
                                    void (*clear)(void *element))
{
    mtree_list_t *link;

    while ((link = mtree_list_take(&table->nodes)) != NULL) {
        coll_mtree_class_node_t *node =
            MTREE_CONTAINER_OF(link, coll_mtree_class_node_t, order);

        if (clear != NULL) {
            clear(node);
        }
        free(node);
    }
    mtree_hash_table_cleanup(&table->table);
}
