/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/base/class_table.h"

#include "coll_mtree/base/tuning.h"

#include "base/memory.h"

#include <stdlib.h>

/* An odd number whose bits are about as many ones as zeros: 2^64 by the golden ratio. */
#define MULTIPLIER UINT64_C(0x9e3779b97f4a7c15)

coll_mtree_call_class_t coll_mtree_call_class_of(mtree_collective_t collective, int root,
                                                 size_t bytes)
{
    coll_mtree_call_class_t call_class = {
        .collective = collective,
        .root = mtree_collective_has_root(collective) ? root : -1};

    if (bytes < COLL_MTREE_SHORT_BYTES) {
        bytes = COLL_MTREE_SHORT_BYTES;
    }
    call_class.bytes = (double)bytes;
    for (; bytes > 1; bytes >>= 1) {
        call_class.size_class++;
    }
    return call_class;
}

double coll_mtree_call_class_host_share(mtree_collective_t collective, int ranks,
                                        int hosts)
{
    return mtree_collective_is_transposed(collective) ? (ranks + hosts - 1) / hosts : 1;
}

bool coll_mtree_call_class_equals(const coll_mtree_call_class_t *a,
                                  const coll_mtree_call_class_t *b)
{
    return a->collective == b->collective && a->root == b->root &&
           a->size_class == b->size_class && a->path == b->path;
}

/* One multiplication: every call computes it. */
uint64_t coll_mtree_call_class_hash(const coll_mtree_call_class_t *call_class)
{
    uint64_t hash = (uint64_t)call_class->collective | (uint64_t)call_class->path << 6 |
                    (uint64_t)call_class->size_class << 8 |
                    (uint64_t)(uint32_t)call_class->root << 16;

    hash *= MULTIPLIER;
    return hash ^ hash >> 32;
}

void coll_mtree_class_table_init(coll_mtree_class_table_t *table)
{
    table->table = (mtree_hash_table_t){.buckets = NULL};
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
    node = mtree_calloc(1, size);
    mtree_hash_table_add(&table->table, &node->hash, hash);
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
