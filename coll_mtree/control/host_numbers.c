/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/control/host_numbers.h"

#include "coll_mtree/base/memory.h"

#include "base/hash.h"

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

static void numbers_alloc(int num_ranks, coll_mtree_host_numbers_t *numbers)
{
    size_t ranks = (size_t)num_ranks;

    *numbers = (coll_mtree_host_numbers_t){.num_ranks = num_ranks};
    numbers->host = coll_mtree_calloc(ranks, sizeof(*numbers->host));
    numbers->first = coll_mtree_calloc(ranks, sizeof(*numbers->first));
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
    coll_mtree_require(mtree_hash_table_add(table, &next->link, hash));
    return next->number;
}

void coll_mtree_host_numbers_create(const char *const *name, int num_ranks,
                                    coll_mtree_host_numbers_t *numbers_p)
{
    named_t *named = coll_mtree_calloc((size_t)num_ranks, sizeof(*named));
    mtree_hash_table_t table;

    numbers_alloc(num_ranks, numbers_p);
    mtree_hash_table_init(&table);
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

mtree_status_t coll_mtree_host_numbers_copy(const int *host, int num_ranks, int num_hosts,
                                            coll_mtree_host_numbers_t *numbers_p)
{
    numbers_alloc(num_ranks, numbers_p);
    for (int rank = 0; rank < num_ranks; rank++) {
        if (host[rank] < 0 || host[rank] > numbers_p->num_hosts) {
            break;
        }
        numbers_p->host[rank] = host[rank];
        if (host[rank] == numbers_p->num_hosts) {
            numbers_p->first[numbers_p->num_hosts++] = rank;
        }
    }
    if (numbers_p->num_hosts != num_hosts ||
        memcmp(numbers_p->host, host, (size_t)num_ranks * sizeof(*host)) != 0) {
        coll_mtree_host_numbers_cleanup(numbers_p);
        return MTREE_ERR_INVALID;
    }
    return MTREE_OK;
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
