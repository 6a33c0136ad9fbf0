/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Hashes of bytes (FNV-1a, 64 bits), and hash tables whose links are members of what they
 * hold (MTREE_CONTAINER_OF).
 */
#ifndef MTREE_BASE_HASH_H
#define MTREE_BASE_HASH_H

#include "base/container_of.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The hash of no bytes. */
#define MTREE_HASH_INIT UINT64_C(14695981039346656037)

/* Continue @a hash with @a size bytes.  It is the same on all machines of one byte order.
 */
uint64_t mtree_hash_bytes(uint64_t hash, const void *bytes, size_t size);

/* Continue @a hash with a string and its NUL, so that "ab", "c" and "a", "bc" differ. */
uint64_t mtree_hash_string(uint64_t hash, const char *string);

/* The link of one element; only the table writes to it. */
typedef struct mtree_hash_link {
    struct mtree_hash_link *next;
    uint64_t hash;
} mtree_hash_link_t;

/* All zero: an empty table. */
typedef struct {
    mtree_hash_link_t **buckets; /* [num_buckets], a power of two; NULL: none yet */
    size_t num_buckets, count;
} mtree_hash_table_t;

/* Does the element of @a link have the key @a key? */
typedef bool (*mtree_hash_equals_t)(const mtree_hash_link_t *link, const void *key);

/* Free the table's own memory; it is empty then.  The elements belong to the caller. */
void mtree_hash_table_cleanup(mtree_hash_table_t *table);

/* Add @a link under @a hash; an equal element is not looked for. */
void mtree_hash_table_add(mtree_hash_table_t *table, mtree_hash_link_t *link,
                                    uint64_t hash);

/* The first element under @a hash for which @a equals is true of @a key; NULL: none. */
mtree_hash_link_t *mtree_hash_table_find(const mtree_hash_table_t *table, uint64_t hash,
                                         mtree_hash_equals_t equals, const void *key);

/* Take @a link, which is in the table, out of it. */
void mtree_hash_table_remove(mtree_hash_table_t *table, mtree_hash_link_t *link);

#endif
