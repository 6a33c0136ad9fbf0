/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/report/statistics.h"

#include "coll_mtree/base/counters.h"
#include "coll_mtree/plan/proc_group.h"

#include "base/clock.h"
#include "base/median.h"
#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* One thread at a time counts. */
static struct {
    opal_mutex_t lock;
    coll_mtree_group_t *groups;
    coll_mtree_group_t **end;  /* the last one's `next` */
    coll_mtree_group_t *freed; /* what was freed; NULL: nothing yet */
    coll_mtree_call_hook_t call_hook;
    coll_mtree_sum_hook_t sum_hook;
} all = {.lock = OPAL_MUTEX_STATIC_INIT, .end = &all.groups};

static void group_free(coll_mtree_group_t *group);

void coll_mtree_statistics_set_hooks(coll_mtree_call_hook_t call,
                                     coll_mtree_sum_hook_t sum)
{
    all.call_hook = call;
    all.sum_hook = sum;
}

/* An empty group, which is the last then. */
static coll_mtree_group_t *group_add(const char *name)
{
    coll_mtree_group_t *group = mtree_calloc(1, sizeof(*group));

    group->name = mtree_malloc(strlen(name) + 1);
    memcpy(group->name, name, strlen(name) + 1);
    coll_mtree_class_table_init(&group->classes);
    *all.end = group;
    all.end = &group->next;
    return group;
}

static void group_remove(coll_mtree_group_t *group)
{
    coll_mtree_group_t **link = &all.groups;

    while (*link != group) {
        link = &(*link)->next;
    }
    *link = group->next;
    all.end = all.end == &group->next ? link : all.end;
}

/* The statistics of @a processes, whose communicator @a comm makes its first call. */
static coll_mtree_group_t *group_create(coll_mtree_proc_group_t *processes,
                                        ompi_communicator_t *comm)
{
    coll_mtree_group_t *group = group_add(comm->c_name);

    group->identity = processes->identity;
    group->num_ranks = ompi_comm_size(comm);
    group->rank = ompi_comm_rank(comm);
    group->leader = (int)coll_mtree_process_name(comm, 0).vpid;
    processes->free_statistics = group_free;
    return group;
}

static coll_mtree_group_t *group_of(mca_coll_mtree_module_t *module,
                                    ompi_communicator_t *comm)
{
    coll_mtree_proc_group_t *processes;

    if (module->group != NULL) {
        return module->group;
    }
    processes = coll_mtree_proc_group_of(module, comm);
    if (processes->statistics == NULL) {
        processes->statistics = group_create(processes, comm);
    }
    module->group = processes->statistics;
    module->group->communicators++;
    return module->group;
}

static coll_mtree_record_t *record_add(coll_mtree_group_t *group, const char *function,
                                       coll_mtree_group_class_t *class)
{
    coll_mtree_record_t *record = mtree_calloc(1, sizeof(*record));

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
    coll_mtree_record_t *record = class->records;

    while (record != NULL && strcmp(record->function, function) != 0) {
        record = record->next_function;
    }
    return record != NULL ? record : record_add(group, function, class);
}

/* @a count goes to @a state at @a now. */
static coll_mtree_call_reading_t move(coll_mtree_count_t *count,
                                      coll_mtree_call_state_t state, double now)
{
    coll_mtree_call_state_t from = count->state;

    count->state = state;
    return coll_mtree_call_clock_move(&coll_mtree_call_clock, from, state, now);
}

void coll_mtree_statistics_enter(coll_mtree_count_t *count)
{
    count->began = mtree_clock_seconds();
    (void)move(count, COLL_MTREE_CALL_PLANNED, count->began);
}

void coll_mtree_statistics_open(coll_mtree_count_t *count,
                                mca_coll_mtree_module_t *module,
                                ompi_communicator_t *comm, const char *function,
                                coll_mtree_comm_class_t *comm_class, double bytes)
{
    count->bytes = bytes;
    count->record = comm_class->record;
    if (count->record != NULL && count->record->function == function) {
        return;
    }
    opal_mutex_lock(&all.lock);
    count->record =
        record_of(group_of(module, comm), function, &comm_class->node.call_class);
    opal_mutex_unlock(&all.lock);
    comm_class->record = count->record;
}

void coll_mtree_statistics_served(coll_mtree_count_t *count, coll_mtree_backend_t backend)
{
    coll_mtree_durations_t *durations;

    count->backend = backend;
    if (count->state == COLL_MTREE_CALL_PLANNED) {
        count->served = mtree_clock_seconds();
        count->reading = move(count,
                              backend < COLL_MTREE_FALLBACK ? COLL_MTREE_CALL_RUNS
                                                            : COLL_MTREE_CALL_OPENMPI,
                              count->served);
    }
    if (count->record == NULL) {
        return;
    }
    opal_mutex_lock(&all.lock);
    durations = &count->record->by[backend];
    durations->calls++;
    durations->bytes += count->bytes;
    opal_mutex_unlock(&all.lock);
    coll_mtree_counter_add(COLL_MTREE_COUNT_CALLS + backend, 1);
    coll_mtree_counter_add(COLL_MTREE_COUNT_BYTES + backend, (uint64_t)count->bytes);
}

void coll_mtree_statistics_fell_back(coll_mtree_count_t *count,
                                     coll_mtree_fallback_reason_t reason)
{
    coll_mtree_statistics_served(count, COLL_MTREE_FALLBACK);
    if (count->record != NULL) {
        opal_mutex_lock(&all.lock);
        count->record->reason[reason]++;
        opal_mutex_unlock(&all.lock);
        coll_mtree_counter_add(COLL_MTREE_COUNT_REASON + reason, 1);
    }
}

void coll_mtree_statistics_relayed(const coll_mtree_count_t *count)
{
    opal_mutex_lock(&all.lock);
    if (count->record != NULL) {
        count->record->relayed++;
        count->record->relayed_bytes += count->bytes;
    }
    opal_mutex_unlock(&all.lock);
}

void coll_mtree_statistics_left(coll_mtree_fallback_reason_t reason)
{
    coll_mtree_counter_add(COLL_MTREE_COUNT_CALLS + COLL_MTREE_FALLBACK, 1);
    coll_mtree_counter_add(COLL_MTREE_COUNT_REASON + reason, 1);
}

/* The call leaves: its own time. */
static coll_mtree_call_reading_t leave(coll_mtree_count_t *count, double now)
{
    bool runs = count->state == COLL_MTREE_CALL_RUNS;
    coll_mtree_call_reading_t end = move(count, COLL_MTREE_CALL_OUTSIDE, now);
    double seconds = runs ? end.seconds - count->reading.seconds : now - count->served;

    return (coll_mtree_call_reading_t){
        .seconds = seconds, .share = runs ? end.share - count->reading.share : seconds};
}

void coll_mtree_statistics_close(coll_mtree_count_t *count)
{
    double now = mtree_clock_seconds(), seconds;
    coll_mtree_call_reading_t own = {0};
    coll_mtree_durations_t *durations;

    if (count->state != COLL_MTREE_CALL_OUTSIDE) {
        own = leave(count, now);
    }
    if (count->record == NULL) {
        return;
    }
    seconds = own.seconds;
    opal_mutex_lock(&all.lock);
    durations = &count->record->by[count->backend];
    durations->recent[durations->timed % COLL_MTREE_RECENT] = seconds;
    durations->least = durations->timed == 0 ? seconds : fmin(durations->least, seconds);
    durations->most = fmax(durations->most, seconds);
    durations->timed++;
    durations->seconds += seconds;
    durations->shares += own.share;
    opal_mutex_unlock(&all.lock);
    if (all.call_hook != NULL) {
        all.call_hook(count, now - count->began);
    }
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
        record->trees = mtree_calloc((size_t)num_trees, sizeof(*record->trees));
        record->num_trees = num_trees;
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
    opal_mutex_lock(&all.lock);
    group = transfer->record->group;
    if (group->paths == NULL) {
        group->paths = mtree_calloc((size_t)group->num_ranks, sizeof(*group->paths));
    }
    for (int i = 0; i < goodput->num_links; i++) {
        const mtree_goodput_link_t *link = &goodput->links[i];

        mtree_goodput_add(goodput, link, scale, &group->paths[link->rank]);
    }
    if (transfer->num_trees > 0) {
        pass_trees(transfer, goodput, layout, unit_bytes);
    }
    opal_mutex_unlock(&all.lock);
}

static void keep_plan(mtree_plan_t **kept, const mtree_plan_t *plan)
{
    mtree_plan_destroy(*kept);
    *kept = mtree_plan_retain(plan);
}

void coll_mtree_statistics_planned(mca_coll_mtree_module_t *module,
                                   ompi_communicator_t *comm,
                                   const coll_mtree_call_class_t *call_class,
                                   const mtree_plan_t *plan, const mtree_plan_t *relayed,
                                   const mtree_forecast_t *forecast)
{
    coll_mtree_group_class_t *class;
    coll_mtree_group_t *group;

    coll_mtree_counter_add(COLL_MTREE_COUNT_PLANS, 1);
    opal_mutex_lock(&all.lock);
    group = group_of(module, comm);
    group->context = module->context;
    class = coll_mtree_class_table_get(&group->classes, call_class, sizeof(*class));
    for (coll_mtree_record_t *r = class->records; r != NULL; r = r->next_function) {
        forget_trees(r);
    }
    if (all.call_hook != NULL) {
        keep_plan(&class->plan, plan);
        /* Calls that have passed through relays are shown with their plan. */
        if (relayed != NULL) {
            keep_plan(&class->relayed, relayed);
        }
        class->expected = forecast == NULL ? 0 : forecast->seconds;
        class->openmpi = forecast == NULL ? 0 : forecast->fallback;
    }
    opal_mutex_unlock(&all.lock);
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
    opal_mutex_lock(&all.lock);
    return all.groups;
}

void coll_mtree_statistics_unlock(void)
{
    opal_mutex_unlock(&all.lock);
}

static void group_class_clear(void *element)
{
    coll_mtree_group_class_t *class = element;

    mtree_plan_destroy(class->plan);
    mtree_plan_destroy(class->relayed);
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

static void durations_add(coll_mtree_durations_t *sum,
                          const coll_mtree_durations_t *durations)
{
    uint64_t kept =
        durations->timed < COLL_MTREE_RECENT ? durations->timed : COLL_MTREE_RECENT;

    if (durations->timed > 0) {
        sum->least =
            sum->timed == 0 ? durations->least : fmin(sum->least, durations->least);
        sum->most = fmax(sum->most, durations->most);
    }
    for (uint64_t i = 0; i < kept; i++) {
        sum->recent[(sum->timed + i) % COLL_MTREE_RECENT] = durations->recent[i];
    }
    sum->calls += durations->calls;
    sum->timed += durations->timed;
    sum->bytes += durations->bytes;
    sum->seconds += durations->seconds;
    sum->shares += durations->shares;
}

/* Add @a record to the sum over such calls of freed groups. */
static void record_add_to_freed(const coll_mtree_record_t *record)
{
    coll_mtree_record_t *sum =
        record_of(all.freed, record->function, &record->call_class);

    for (int backend = 0; backend < COLL_MTREE_BACKENDS; backend++) {
        durations_add(&sum->by[backend], &record->by[backend]);
    }
    for (int reason = 0; reason < COLL_MTREE_REASONS; reason++) {
        sum->reason[reason] += record->reason[reason];
    }
    sum->relayed += record->relayed;
    sum->relayed_bytes += record->relayed_bytes;
    all.sum_hook(record, sum);
}

/* The last communicator of @a group, and all who knew it, are gone. */
static void group_free(coll_mtree_group_t *group)
{
    opal_mutex_lock(&all.lock);
    group_remove(group);
    if (all.sum_hook != NULL) {
        all.freed = all.freed != NULL ? all.freed : group_add(COLL_MTREE_FREED_GROUPS);
        for (const coll_mtree_record_t *r = group->records; r != NULL; r = r->next) {
            record_add_to_freed(r);
        }
    }
    if (all.freed != NULL) {
        all.freed->communicators += group->communicators;
    }
    group_destroy(group);
    opal_mutex_unlock(&all.lock);
}

void coll_mtree_statistics_finish(void)
{
    if (all.freed != NULL) {
        group_remove(all.freed);
        group_destroy(all.freed);
        all.freed = NULL;
    }
}
