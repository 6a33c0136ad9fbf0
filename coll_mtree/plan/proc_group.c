/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/plan/proc_group.h"

#include "ompi/proc/proc.h"

#include <stdlib.h>
#include <string.h>

/* All groups by their identity. */
static mtree_hash_table_t groups;
static opal_mutex_t groups_lock = OPAL_MUTEX_STATIC_INIT;

static void group_destroy(coll_mtree_proc_group_t *group)
{
    free(group->names);
    free(group);
}

/* NULL: no memory. */
static coll_mtree_proc_group_t *group_create(ompi_communicator_t *comm)
{
    size_t num_procs = (size_t)ompi_comm_size(comm);
    coll_mtree_proc_group_t *group = calloc(1, sizeof(*group));

    if (group == NULL) {
        return NULL;
    }
    group->names = calloc(num_procs, sizeof(*group->names));
    if (group->names == NULL) {
        free(group);
        return NULL;
    }
    group->num_procs = (int)num_procs;
    group->identity = MTREE_HASH_INIT;
    for (int rank = 0; rank < group->num_procs; rank++) {
        const opal_process_name_t *name =
            &ompi_comm_peer_lookup(comm, rank)->super.proc_name;
        const uint64_t numbers[] = {name->jobid, name->vpid};

        group->names[rank] = *name;
        group->identity = mtree_hash_bytes(group->identity, numbers, sizeof(numbers));
    }
    return group;
}

static bool has_names_of(const mtree_hash_link_t *link, const void *key)
{
    const coll_mtree_proc_group_t *other = key;
    const coll_mtree_proc_group_t *group =
        MTREE_CONTAINER_OF(link, coll_mtree_proc_group_t, link);

    return group->num_procs == other->num_procs &&
           memcmp(group->names, other->names,
                  (size_t)group->num_procs * sizeof(*group->names)) == 0;
}

coll_mtree_proc_group_t *coll_mtree_proc_group_get(ompi_communicator_t *comm)
{
    coll_mtree_proc_group_t *group = group_create(comm);
    mtree_hash_link_t *link;

    if (group == NULL) {
        return NULL;
    }
    opal_mutex_lock(&groups_lock);
    link = mtree_hash_table_find(&groups, group->identity, has_names_of, group);
    if (link != NULL ||
        mtree_hash_table_add(&groups, &group->link, group->identity) != MTREE_OK) {
        group_destroy(group);
        group =
            link == NULL ? NULL : MTREE_CONTAINER_OF(link, coll_mtree_proc_group_t, link);
    }
    opal_mutex_unlock(&groups_lock);
    return group;
}

void coll_mtree_proc_group_close(void)
{
    for (size_t i = 0; i < groups.num_buckets; i++) {
        while (groups.buckets[i] != NULL) {
            coll_mtree_proc_group_t *group =
                MTREE_CONTAINER_OF(groups.buckets[i], coll_mtree_proc_group_t, link);

            mtree_hash_table_remove(&groups, &group->link);
            group_destroy(group);
        }
    }
    mtree_hash_table_cleanup(&groups);
    mtree_hash_table_init(&groups);
}
