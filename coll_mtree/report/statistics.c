/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/report/statistics.h"

#include "coll_mtree/call/plan_entry.h"

#include "base/clock.h"
#include "base/median.h"
#include "planner/plan/json.h"

#include <stdlib.h>
#include <string.h>

/* FNV-1a's. */
#define HASH_BASIS UINT64_C(14695981039346656037)
#define HASH_PRIME UINT64_C(1099511628211)

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

static uint64_t hash_number(uint64_t hash, uint64_t number)
{
    for (int i = 0; i < 8; i++) {
        hash = (hash ^ ((number >> (8 * i)) & 0xff)) * HASH_PRIME;
    }
    return hash;
}

/* A number that only communicators of the same processes in the same order have. */
static uint64_t identify(ompi_communicator_t *comm)
{
    uint64_t hash = HASH_BASIS;

    for (int rank = 0; rank < ompi_comm_size(comm); rank++) {
        const opal_process_name_t *name =
            &ompi_comm_peer_lookup(comm, rank)->super.proc_name;

        hash = hash_number(hash_number(hash, name->jobid), name->vpid);
    }
    return hash;
}

/* A new group of the processes of @a comm, at the end; NULL: no memory. */
static coll_mtree_group_t *group_add(ompi_communicator_t *comm, uint64_t identity)
{
    coll_mtree_group_t *group = calloc(1, sizeof(*group));

    if (group == NULL || (group->name = strdup(comm->c_name)) == NULL) {
        free(group);
        return NULL;
    }
    group->identity = identity;
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

static coll_mtree_group_t *group_find(uint64_t identity)
{
    coll_mtree_group_t *group = groups;

    while (group != NULL && group->identity != identity) {
        group = group->next;
    }
    return group;
}

static coll_mtree_group_t *group_of(mca_coll_mtree_module_t *module,
                                    ompi_communicator_t *comm)
{
    uint64_t identity;

    if (module->group != NULL) {
        return module->group;
    }
    identity = identify(comm);
    module->group = group_find(identity);
    if (module->group == NULL) {
        module->group = group_add(comm, identity);
    }
    if (module->group != NULL) {
        module->group->communicators++;
    }
    return module->group;
}

static coll_mtree_record_t *record_of(coll_mtree_group_t *group, const char *function,
                                      const coll_mtree_call_class_t *call_class)
{
    coll_mtree_record_t *record = group->records;

    while (record != NULL &&
           (!coll_mtree_call_class_equals(&record->call_class, call_class) ||
            strcmp(record->function, function) != 0)) {
        record = record->next;
    }
    if (record != NULL) {
        return record;
    }
    record = calloc(1, sizeof(*record));
    if (record == NULL) {
        return NULL;
    }
    record->group = group;
    record->function = function;
    record->call_class = *call_class;
    if (group->last_record == NULL) {
        group->records = record;
    } else {
        group->last_record->next = record;
    }
    group->last_record = record;
    return record;
}

void coll_mtree_statistics_open(coll_mtree_count_t *count,
                                mca_coll_mtree_module_t *module,
                                ompi_communicator_t *comm, const char *function,
                                const coll_mtree_call_class_t *call_class, double bytes)
{
    coll_mtree_group_t *group;

    count->bytes = bytes;
    opal_mutex_lock(&lock);
    group = group_of(module, comm);
    count->record = group == NULL ? NULL : record_of(group, function, call_class);
    opal_mutex_unlock(&lock);
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

/* Keep @a text, which is taken over, as the plan for calls of @a call_class. */
static void keep_plan(coll_mtree_group_t *group,
                      const coll_mtree_call_class_t *call_class, char *text)
{
    coll_mtree_planned_t **at = &group->planned, *planned;

    while (*at != NULL && !coll_mtree_call_class_equals(&(*at)->call_class, call_class)) {
        at = &(*at)->next;
    }
    planned = *at;
    if (planned == NULL) {
        planned = calloc(1, sizeof(*planned));
        if (planned == NULL) {
            free(text);
            return;
        }
        planned->call_class = *call_class;
        *at = planned;
    }
    free(planned->text);
    planned->text = text;
}

void coll_mtree_statistics_planned(mca_coll_mtree_module_t *module,
                                   ompi_communicator_t *comm,
                                   const coll_mtree_call_class_t *call_class,
                                   const mtree_plan_t *plan)
{
    coll_mtree_group_t *group;
    char *text = NULL;

    if (call_hook != NULL && mtree_plan_to_json(plan, &text) != MTREE_OK) {
        text = NULL;
    }
    opal_mutex_lock(&lock);
    totals.plans++;
    group = group_of(module, comm);
    if (group == NULL) {
        free(text);
    } else {
        group->context = module->context;
        for (coll_mtree_record_t *r = group->records; r != NULL; r = r->next) {
            if (coll_mtree_call_class_equals(&r->call_class, call_class)) {
                forget_trees(r);
            }
        }
        if (text != NULL) {
            keep_plan(group, call_class, text);
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
    return group_find(identify(comm));
}

void coll_mtree_statistics_unlock(void)
{
    opal_mutex_unlock(&lock);
}

static void group_destroy(coll_mtree_group_t *group)
{
    while (group->records != NULL) {
        coll_mtree_record_t *record = group->records;

        group->records = record->next;
        free(record->trees);
        free(record);
    }
    while (group->planned != NULL) {
        coll_mtree_planned_t *planned = group->planned;

        group->planned = planned->next;
        free(planned->text);
        free(planned);
    }
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
