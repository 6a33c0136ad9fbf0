/* SPDX-License-Identifier: BSD-3-Clause */
#include "topo/dot/scope.h"

#include "base/array.h"

#include <stdlib.h>
#include <string.h>

void mtree_dot_scopes_cleanup(mtree_dot_scopes_t *scopes)
{
    mtree_dot_scope_t *scope;

    while ((scope = scopes->first) != NULL) {
        scopes->first = scope->next;
        free(scope->ranges);
        free(scope);
    }
    mtree_hash_table_cleanup(&scopes->named);
}

static bool is_same(const mtree_hash_link_t *link, const void *key)
{
    const mtree_dot_scope_t *scope = MTREE_CONTAINER_OF(link, mtree_dot_scope_t, link);
    const mtree_dot_scope_t *wanted = key;

    return scope->parent == wanted->parent && strcmp(scope->name, wanted->name) == 0;
}

mtree_dot_scope_t *mtree_dot_scopes_open(mtree_dot_scopes_t *scopes,
                                         mtree_dot_scope_t *parent, const char *name)
{
    const mtree_dot_scope_t wanted = {.parent = parent, .name = name};
    uint64_t hash = mtree_hash_bytes(MTREE_HASH_INIT, &parent, sizeof(parent));
    mtree_hash_link_t *link;
    mtree_dot_scope_t *scope;

    if (name != NULL) {
        hash = mtree_hash_string(hash, name);
        link = mtree_hash_table_find(&scopes->named, hash, is_same, &wanted);
        if (link != NULL) {
            return MTREE_CONTAINER_OF(link, mtree_dot_scope_t, link);
        }
    }
    scope = malloc(sizeof(*scope));
    if (scope == NULL) {
        return NULL;
    }
    *scope = wanted;
    if (name != NULL &&
        mtree_hash_table_add(&scopes->named, &scope->link, hash) != MTREE_OK) {
        free(scope);
        return NULL;
    }
    scope->next = scopes->first;
    scopes->first = scope;
    return scope;
}

mtree_status_t mtree_dot_scope_add_range(mtree_dot_scope_t *scope,
                                         mtree_dot_range_t range)
{
    mtree_status_t status = mtree_array_reserve(&scope->ranges, &scope->range_capacity,
                                                scope->num_ranges + 1, sizeof(range));

    if (status == MTREE_OK) {
        scope->ranges[scope->num_ranges++] = range;
    }
    return status;
}

void mtree_dot_scope_apply(const mtree_dot_scope_t *scope, mtree_dot_kind_t kind,
                           mtree_dot_graph_t *graph, mtree_dot_attribute_t **list_p)
{
    if (scope->parent != NULL) {
        mtree_dot_scope_apply(scope->parent, kind, graph, list_p);
    }
    mtree_dot_attributes_set_all(graph, list_p, scope->attributes[kind]);
}
