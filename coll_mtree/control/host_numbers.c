/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/control/host_numbers.h"

#include "base/hash.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    mtree_hash_link_t link;
    const char *name;
    int number;
} named_t;

static bool has_name(const mtree_hash_link_t *link, const void *name)
{
    return strcmp(MTREE_CONTAINER_OF(link, named_t, link)->name, name) == 0;
}

/* The number of the host @a name; a new one takes @a next. */
static int number_of(mtree_hash_table_t *table, const char *name, named_t *next)
{
    uint64_t hash = mtree_hash_string(MTREE_HASH_INIT, name);
    mtree_hash_link_t *link = mtree_hash_table_find(table, hash, has_name, name);

    if (link != NULL) {
        return MTREE_CONTAINER_OF(link, named_t, link)->number;
    }
    next->name = name;
    mtree_hash_table_add(table, &next->link, hash);
    return next->number;
}

void coll_mtree_host_numbers_create(const char *const *name, int num_ranks,
                                    coll_mtree_host_numbers_t *numbers_p)
{
    size_t ranks = (size_t)num_ranks;
    named_t *named = mtree_calloc(ranks, sizeof(*named));
    mtree_hash_table_t table = {.buckets = NULL};

    *numbers_p = (coll_mtree_host_numbers_t){
        .num_ranks = num_ranks,
        .host = mtree_calloc(ranks, sizeof(*numbers_p->host)),
        .first = mtree_calloc(ranks, sizeof(*numbers_p->first))};
    for (int rank = 0; rank < num_ranks; rank++) {
        int next = numbers_p->num_hosts;

        named[next].number = next;
        numbers_p->host[rank] = number_of(&table, name[rank], &named[next]);
        if (numbers_p->host[rank] == next) {
            numbers_p->first[numbers_p->num_hosts++] = rank;
        }
    }
    mtree_hash_table_cleanup(&table);
    free(named);
}

bool coll_mtree_host_is_first(const int *host, int rank)
{
    int before = rank - 1;

    while (before >= 0 && host[before] != host[rank]) {
        before--;
    }
    return before < 0;
}

void coll_mtree_host_numbers_cleanup(coll_mtree_host_numbers_t *numbers)
{
    free(numbers->host);
    free(numbers->first);
    *numbers = (coll_mtree_host_numbers_t){0};
}
