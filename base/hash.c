/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/hash.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

#define PRIME         UINT64_C(1099511628211)
#define FIRST_BUCKETS 16

uint64_t mtree_hash_bytes(uint64_t hash, const void *bytes, size_t size)
{
    const unsigned char *byte = bytes;

    for (size_t i = 0; i < size; ++i) {
        hash = (hash ^ byte[i]) * PRIME;
    }
    return hash;
}

uint64_t mtree_hash_string(uint64_t hash, const char *string)
{
    return mtree_hash_bytes(hash, string, strlen(string) + 1);
}

void mtree_hash_table_cleanup(mtree_hash_table_t *table)
{
    free(table->buckets);
    *table = (mtree_hash_table_t){.buckets = NULL};
}

static mtree_hash_link_t **bucket_of(const mtree_hash_table_t *table, uint64_t hash)
{
    return &table->buckets[hash & (table->num_buckets - 1)];
}

static void table_insert(mtree_hash_table_t *table, mtree_hash_link_t *link)
{
    mtree_hash_link_t **bucket = bucket_of(table, link->hash);

    link->next = *bucket;
    *bucket = link;
}

/* Double the buckets, so that one holds at most one element on average. */
static void table_grow(mtree_hash_table_t *table)
{
    mtree_hash_table_t grown = {.count = table->count};

    grown.num_buckets = table->num_buckets > 0 ? 2 * table->num_buckets : FIRST_BUCKETS;
    grown.buckets = mtree_calloc(grown.num_buckets, sizeof(*grown.buckets));
    for (size_t i = 0; i < table->num_buckets; ++i) {
        while (table->buckets[i] != NULL) {
            mtree_hash_link_t *link = table->buckets[i];

            table->buckets[i] = link->next;
            table_insert(&grown, link);
        }
    }
    free(table->buckets);
    *table = grown;
}

void mtree_hash_table_add(mtree_hash_table_t *table, mtree_hash_link_t *link,
                                    uint64_t hash)
{
    if (table->count == table->num_buckets) {
        table_grow(table);
    }
    link->hash = hash;
    table_insert(table, link);
    ++table->count;
}

mtree_hash_link_t *mtree_hash_table_find(const mtree_hash_table_t *table, uint64_t hash,
                                         mtree_hash_equals_t equals, const void *key)
{
    mtree_hash_link_t *link = table->num_buckets > 0 ? *bucket_of(table, hash) : NULL;

    while (link != NULL && !(link->hash == hash && equals(link, key))) {
        link = link->next;
    }
    return link;
}

void mtree_hash_table_remove(mtree_hash_table_t *table, mtree_hash_link_t *link)
{
    mtree_hash_link_t **link_p = bucket_of(table, link->hash);

    while (*link_p != link) {
        link_p = &(*link_p)->next;
    }
    *link_p = link->next;
    --table->count;
}
