/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/report/statistics.h"

#include "coll_mtree/plan/proc_group.h"

#include "base/clock.h"
#include "base/median.h"

#include <stdlib.h>
#include <string.h>

/* One thread at a time counts; the totals, which are added to for each message, are
 * atomic. */
static opal_mutex_t lock = OPAL_MUTEX_STATIC_INIT;
static coll_mtree_group_t *groups, *last_group;
static coll_mtree_totals_t totals; /* counters are apart */

static coll_mtree_call_hook_t call_hook;

void coll_mtree_statistics_set_hook(coll_mtree_call_hook_t hook)
{
    call_hook = hook;
}

/* The statistics of @a group, whose communicator @a comm makes its first call; they are
 * the last then.  NULL: no memory. */
static coll_mtree_group_t *group_add(const coll_mtree_proc_group_t *processes,
                                     ompi_communicator_t *comm)
{
    coll_mtree_group_t *group = calloc(1, sizeof(*group));

    if (group == NULL || (group->name = strdup(comm->c_name)) == NULL) {
        free(group);
        return NULL;
    }
    coll_mtree_class_table_init(&group->classes);
    group->identity = processes->identity;
    group->num_ranks = ompi_comm_size(comm);
    group->rank = ompi_comm_rank(comm);
    group->leader = (int)ompi_comm_peer_lookup(comm, 0)->super.proc_name.vpid;
    if (last_group == NULL) {
        groups = group;
    } else {
        last_group->next = group;
    }
    last_group = group;
    return group;
}

static coll_mtree_group_t *group_of(mca_coll_mtree_module_t *module,
                                    ompi_communicator_t *comm)
{
    coll_mtree_proc_group_t *processes;

    if (module->group != NULL) {
        return module->group;
    }
    processes = coll_mtree_proc_group_get(comm);
    if (processes == NULL) {
        return NULL;
    }
    if (processes->statistics == NULL) {
        processes->statistics = group_add(processes, comm);
    }
    module->group = processes->statistics;
    if (module->group != NULL) {
        module->group->communicators++;
    }
    return module->group;
}

static coll_mtree_record_t *record_add(coll_mtree_group_t *group, const char *function,
                                       coll_mtree_group_class_t *class)
{
    coll_mtree_record_t *record = calloc(1, sizeof(*record));

    if (record == NULL) {
        return NULL;
    }
    record->group = group;
    record->function = function;
    record->call_class = class->node.call_class;
    record->next_function = class->records;
    class->records = record;
    if (group->last_record == NULL) {
        group->records = record;
    } else {
        group->last_record->next = record;
    }
    group->last_record = record;
    return record;
}

static coll_mtree_record_t *record_of(coll_mtree_group_t *group, const char *function,
                                      const coll_mtree_call_class_t *call_class)
{
    coll_mtree_group_class_t *class =
        coll_mtree_class_table_get(&group->classes, call_class, sizeof(*class));
    coll_mtree_record_t *record = class == NULL ? NULL : class->records;

    while (record != NULL && strcmp(record->function, function) != 0) {
        record = record->next_function;
    }
    return record != NULL || class == NULL ? record : record_add(group, function, class);
}

void coll_mtree_statistics_open(coll_mtree_count_t *count,
                                mca_coll_mtree_module_t *module,
                                ompi_communicator_t *comm, const char *function,
                                coll_mtree_comm_class_t *comm_class, double bytes)
{
    coll_mtree_group_t *group;

    count->bytes = bytes;
    count->record = comm_class->record;
    if (count->record != NULL && count->record->function == function) {
        return;
    }
    opal_mutex_lock(&lock);
    group = group_of(module, comm);
    count->record =
        group == NULL ? NULL : record_of(group, function, &comm_class->node.call_class);
    opal_mutex_unlock(&lock);
    comm_class->record = count->record;
}

void coll_mtree_statistics_served(coll_mtree_count_t *count, coll_mtree_backend_t backend)
{
    coll_mtree_durations_t *durations;

    count->backend = backend;
    if (count->record == NULL) {
        return;
    }
    opal_mutex_lock(&lock);
    durations = &count->record->by[backend];
    durations->calls++;
    durations->bytes += count->bytes;
    totals.calls[backend]++;
    totals.bytes[backend] += (uint64_t)count->bytes;
    opal_mutex_unlock(&lock);
}

void coll_mtree_statistics_fell_back(coll_mtree_count_t *count,
                                     coll_mtree_fallback_reason_t reason)
{
    coll_mtree_statistics_served(count, COLL_MTREE_FALLBACK);
    if (count->record == NULL) {
        return;
    }
    opal_mutex_lock(&lock);
    count->record->reason[reason]++;
    totals.reason[reason]++;
    opal_mutex_unlock(&lock);
}

void coll_mtree_statistics_left(coll_mtree_fallback_reason_t reason)
{
    opal_mutex_lock(&lock);
    totals.calls[COLL_MTREE_FALLBACK]++;
    totals.reason[reason]++;
    opal_mutex_unlock(&lock);
}

void coll_mtree_statistics_close(const coll_mtree_count_t *count)
{
    double seconds = mtree_clock_seconds() - count->began;
    coll_mtree_durations_t *durations;

    if (count->record == NULL) {
        return;
    }
    opal_mutex_lock(&lock);
    durations = &count->record->by[count->backend];
    durations->recent[durations->timed % COLL_MTREE_RECENT] = seconds;
    durations->least =
        durations->timed == 0 || seconds < durations->least ? seconds : durations->least;
    durations->most = seconds > durations->most ? seconds : durations->most;
    durations->timed++;
    durations->timed_bytes += count->bytes;
    durations->seconds += seconds;
    opal_mutex_unlock(&lock);
    if (call_hook != NULL) {
        call_hook(count, seconds);
    }
}

void coll_mtree_statistics_measured(const coll_mtree_count_t *count,
                                    const double *seconds)
{
    if (count->record == NULL) {
        return;
    }
    opal_mutex_lock(&lock);
    memcpy(count->record->measured, seconds, sizeof(count->record->measured));
    opal_mutex_unlock(&lock);
}

/* The trees of @a record are others from now on. */
static void forget_trees(coll_mtree_record_t *record)
{
    free(record->trees);
    record->trees = NULL;
    record->num_trees = 0;
    record->over_plan = 0;
}

static void pass_trees(const coll_mtree_transfer_record_t *transfer,
                       const mtree_goodput_t *goodput, const mtree_layout_t *layout,
                       double unit_bytes)
{
    coll_mtree_record_t *record = transfer->record;
    int num_trees = transfer->num_trees;

    if (record->num_trees != num_trees) {
        forget_trees(record);
    }
    if (record->trees == NULL) {
        record->trees = calloc((size_t)num_trees, sizeof(*record->trees));
        record->num_trees = record->trees == NULL ? 0 : num_trees;
    }
    if (record->trees == NULL) {
        return;
    }
    if (++record->over_plan == 2) {
        memset(record->trees, 0, (size_t)num_trees * sizeof(*record->trees));
    }
    coll_mtree_goodput_add_trees(goodput, layout, unit_bytes, transfer->began,
                                 record->trees, num_trees);
    record->group->latest = record;
}

void coll_mtree_statistics_passed(const coll_mtree_transfer_record_t *transfer,
                                  const mtree_goodput_t *goodput,
                                  const mtree_layout_t *layout, double unit_bytes,
                                  double scale)
{
    coll_mtree_group_t *group;

    if (transfer->record == NULL || goodput == NULL) {
        return;
    }
    opal_mutex_lock(&lock);
    group = transfer->record->group;
    if (group->paths == NULL) {
        group->paths = calloc((size_t)group->num_ranks, sizeof(*group->paths));
    }
    if (group->paths != NULL) {
        coll_mtree_goodput_add_paths(goodput, scale, group->paths);
    }
    if (transfer->num_trees > 0) {
        pass_trees(transfer, goodput, layout, unit_bytes);
    }
    opal_mutex_unlock(&lock);
}

void coll_mtree_statistics_planned(mca_coll_mtree_module_t *module,
                                   ompi_communicator_t *comm,
                                   const coll_mtree_call_class_t *call_class,
                                   const mtree_plan_t *plan)
{
    coll_mtree_group_class_t *class = NULL;
    coll_mtree_group_t *group;

    opal_mutex_lock(&lock);
    totals.plans++;
    group = group_of(module, comm);
    if (group != NULL) {
        group->context = module->context;
        class = coll_mtree_class_table_get(&group->classes, call_class, sizeof(*class));
    }
    if (class != NULL) {
        for (coll_mtree_record_t *r = class->records; r != NULL; r = r->next_function) {
            forget_trees(r);
        }
        if (call_hook != NULL) {
            mtree_plan_destroy(class->plan);
            class->plan = mtree_plan_retain(plan);
        }
    }
    opal_mutex_unlock(&lock);
}

void coll_mtree_statistics_totals(coll_mtree_totals_t *totals_p)
{
    opal_mutex_lock(&lock);
    *totals_p = totals;
    opal_mutex_unlock(&lock);
    totals_p->counters = coll_mtree_counters_get();
}

double coll_mtree_durations_median(const coll_mtree_durations_t *durations)
{
    double sorted[COLL_MTREE_RECENT];
    int count =
        durations->timed < COLL_MTREE_RECENT ? (int)durations->timed : COLL_MTREE_RECENT;

    memcpy(sorted, durations->recent, sizeof(sorted));
    return count == 0 ? 0 : mtree_median(sorted, count);
}

const coll_mtree_group_t *coll_mtree_statistics_lock(void)
{
    opal_mutex_lock(&lock);
    return groups;
}

const coll_mtree_group_t *coll_mtree_statistics_find(ompi_communicator_t *comm)
{
    coll_mtree_proc_group_t *processes = coll_mtree_proc_group_get(comm);

    return processes == NULL ? NULL : processes->statistics;
}

void coll_mtree_statistics_unlock(void)
{
    opal_mutex_unlock(&lock);
}

static void group_class_clear(void *element)
{
    mtree_plan_destroy(((coll_mtree_group_class_t *)element)->plan);
}

static void group_destroy(coll_mtree_group_t *group)
{
    while (group->records != NULL) {
        coll_mtree_record_t *record = group->records;

        group->records = record->next;
        free(record->trees);
        free(record);
    }
    coll_mtree_class_table_cleanup(&group->classes, group_class_clear);
    free(group->paths);
    free(group->name);
    free(group);
}

void coll_mtree_statistics_finish(void)
{
    while (groups != NULL) {
        coll_mtree_group_t *group = groups;

        groups = group->next;
        group_destroy(group);
    }
    last_group = NULL;
}
