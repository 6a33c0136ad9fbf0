/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/plan/proc_group.h"

#include "coll_mtree/control/modex.h"
#include "coll_mtree/plan/planning_context.h"

#include "base/memory.h"

#include "ompi/proc/proc.h"

#include <stdlib.h>
#include <string.h>

static struct {
    mtree_hash_table_t table; /* all groups by their identity */
    opal_mutex_t lock;
    mtree_list_t idle; /* those without holders, by when they lost the last one */
    int num_idle;
} proc_groups = {.lock = OPAL_MUTEX_STATIC_INIT,
                 .idle = {&proc_groups.idle, &proc_groups.idle}};

static void group_destroy(coll_mtree_proc_group_t *group)
{
    if (group->statistics != NULL) {
        group->leave_statistics(group->statistics);
    }
    if (group->agreed != NULL) {
        group->free_agreed(group->agreed);
    }
    mtree_placement_destroy(group->placement);
    coll_mtree_host_numbers_cleanup(&group->hosts.numbers);
    free(group->hosts.list);
    coll_mtree_planning_context_destroy(group->context);
    free(group->names);
    free(group);
}

static coll_mtree_proc_group_t *group_create(ompi_communicator_t *comm)
{
    size_t num_procs = (size_t)ompi_comm_size(comm);
    coll_mtree_proc_group_t *group = mtree_calloc(1, sizeof(*group));

    group->names = mtree_calloc(num_procs, sizeof(*group->names));
    mtree_list_init(&group->idle);
    group->num_procs = (int)num_procs;
    group->identity = MTREE_HASH_INIT;
    for (int rank = 0; rank < group->num_procs; rank++) {
        const opal_process_name_t name = coll_mtree_process_name(comm, rank);
        const uint64_t numbers[] = {name.jobid, name.vpid};

        group->names[rank] = name;
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

/* Under the lock: the group that has the names of @a made, which may become it. */
static coll_mtree_proc_group_t *group_find(coll_mtree_proc_group_t *made)
{
    mtree_hash_link_t *link =
        mtree_hash_table_find(&proc_groups.table, made->identity, has_names_of, made);

    if (link != NULL) {
        return MTREE_CONTAINER_OF(link, coll_mtree_proc_group_t, link);
    }
    mtree_hash_table_add(&proc_groups.table, &made->link, made->identity);
    return made;
}

coll_mtree_proc_group_t *coll_mtree_proc_group_hold(ompi_communicator_t *comm)
{
    coll_mtree_proc_group_t *made = group_create(comm);
    coll_mtree_proc_group_t *group;

    opal_mutex_lock(&proc_groups.lock);
    group = group_find(made);
    if (group->holders++ == 0 && group != made) {
        mtree_list_remove(&group->idle);
        proc_groups.num_idle--;
    }
    opal_mutex_unlock(&proc_groups.lock);
    if (group != made) {
        group_destroy(made);
    }
    return group;
}

void coll_mtree_proc_group_release(coll_mtree_proc_group_t *group)
{
    coll_mtree_proc_group_t *oldest = NULL;

    if (group == NULL) {
        return;
    }
    opal_mutex_lock(&proc_groups.lock);
    if (--group->holders == 0) {
        mtree_list_append(&proc_groups.idle, &group->idle);
        if (++proc_groups.num_idle > COLL_MTREE_IDLE_GROUPS) {
            oldest = MTREE_CONTAINER_OF(mtree_list_take(&proc_groups.idle),
                                        coll_mtree_proc_group_t, idle);
            proc_groups.num_idle--;
            mtree_hash_table_remove(&proc_groups.table, &oldest->link);
        }
    }
    opal_mutex_unlock(&proc_groups.lock);
    if (oldest != NULL) {
        group_destroy(oldest);
    }
}

coll_mtree_proc_group_t *coll_mtree_proc_group_of(mca_coll_mtree_module_t *module,
                                                  ompi_communicator_t *comm)
{
    coll_mtree_proc_group_t *group;

    /* A thread that progresses decides while the communicator's own notes a call. */
    opal_mutex_lock(&module->lock);
    if (module->processes == NULL) {
        module->processes = coll_mtree_proc_group_hold(comm);
    }
    group = module->processes;
    opal_mutex_unlock(&module->lock);
    return group;
}

void coll_mtree_proc_group_place(mca_coll_mtree_module_t *module,
                                 ompi_communicator_t *comm)
{
    coll_mtree_proc_group_t *group = coll_mtree_proc_group_of(module, comm);

    opal_mutex_lock(&proc_groups.lock);
    if (group->placement == NULL) {
        mtree_locality_t *localities;

        coll_mtree_modex_hosts(comm, &group->hosts, &localities);
        mtree_require(mtree_placement_create(
            group->num_procs, group->hosts.numbers.num_hosts, group->hosts.numbers.host,
            localities, &group->placement));
        free(localities);
        coll_mtree_host_log_places(comm, group->placement);
    }
    opal_mutex_unlock(&proc_groups.lock);
    module->placement = group->placement;
}

void coll_mtree_proc_group_close(void)
{
    for (size_t i = 0; i < proc_groups.table.num_buckets; i++) {
        while (proc_groups.table.buckets[i] != NULL) {
            coll_mtree_proc_group_t *group = MTREE_CONTAINER_OF(
                proc_groups.table.buckets[i], coll_mtree_proc_group_t, link);

            mtree_hash_table_remove(&proc_groups.table, &group->link);
            group_destroy(group);
        }
    }
    mtree_hash_table_cleanup(&proc_groups.table);
    mtree_list_init(&proc_groups.idle);
    proc_groups.num_idle = 0;
}
