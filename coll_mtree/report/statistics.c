/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/report/statistics.h"

#include "coll_mtree/base/counters.h"
#include "coll_mtree/plan/proc_group.h"

#include "base/clock.h"
#include "base/median.h"
#include "base/memory.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One thread at a time counts. */
static struct {
    opal_mutex_t lock;
    void (*ended)(double now); /* a timed call; NULL: no report is wanted */
    coll_mtree_group_t *groups;
    int num_groups;
} all = {.lock = OPAL_MUTEX_STATIC_INIT};

void coll_mtree_statistics_begin(void (*ended)(double now))
{
    all.ended = ended;
}

/* An empty group, which is the last then. */
static coll_mtree_group_t *group_add(const char *name)
{
    coll_mtree_group_t *group = mtree_calloc(1, sizeof(*group)), **link = &all.groups;

    snprintf(group->name, sizeof(group->name), "%s", name);
    while (*link != NULL) {
        link = &(*link)->next;
    }
    *link = group;
    all.num_groups++;
    return group;
}

/* The context of its processes is destroyed; others may be of the same ones later. */
static void group_leave(coll_mtree_group_t *group)
{
    opal_mutex_lock(&all.lock);
    group->context = NULL;
    opal_mutex_unlock(&all.lock);
}

/* The statistics of the processes of this @a identity; NULL: there are none yet. */
static coll_mtree_group_t *group_find(uint64_t identity)
{
    coll_mtree_group_t *group = all.groups;

    while (group != NULL && group->identity != identity) {
        group = group->next;
    }
    return group;
}

/* The same, for the processes of @a comm; later groups share one. */
static coll_mtree_group_t *group_get(uint64_t identity, ompi_communicator_t *comm)
{
    coll_mtree_group_t *group = group_find(identity);

    if (group == NULL && all.num_groups >= COLL_MTREE_COUNTED_GROUPS) {
        group = group_find(0);
        return group != NULL ? group : group_add(COLL_MTREE_LATER_GROUPS);
    }
    if (group == NULL) {
        group = group_add(comm->c_name);
        group->identity = identity;
        snprintf(group->key, sizeof(group->key), "%016" PRIx64, identity);
        group->num_ranks = ompi_comm_size(comm);
        group->rank = ompi_comm_rank(comm);
        group->leader = (int)coll_mtree_process_name(comm, 0).vpid;
    }
    return group;
}

static coll_mtree_group_t *group_of(mca_coll_mtree_module_t *module,
                                    ompi_communicator_t *comm)
{
    coll_mtree_proc_group_t *processes;

    if (module->group == NULL) {
        processes = coll_mtree_proc_group_of(module, comm);
        module->group = group_get(processes->identity, comm);
        module->group->communicators++;
        processes->statistics = module->group;
        processes->leave_statistics = group_leave;
    }
    return module->group;
}

/* Calls that have passed through relays are shown with their plan, which stays where
 * @a relay_plan is NULL. */
static void keep_plans(coll_mtree_record_t *record, const mtree_plan_t *plan,
                       const mtree_plan_t *relay_plan, double expected, double openmpi)
{
    mtree_plan_destroy(record->plan);
    record->plan = mtree_plan_retain(plan);
    if (relay_plan != NULL) {
        mtree_plan_destroy(record->relay_plan);
        record->relay_plan = mtree_plan_retain(relay_plan);
    }
    record->expected = expected;
    record->openmpi = openmpi;
}

/* A record of @a function and @a call_class, the last one of @a group. */
static coll_mtree_record_t *record_add(coll_mtree_group_t *group, const char *function,
                                       const coll_mtree_call_class_t *call_class)
{
    coll_mtree_record_t *record = mtree_calloc(1, sizeof(*record)), **link;

    record->group = group;
    record->function = function;
    record->call_class = *call_class;
    snprintf(record->key, sizeof(record->key), "%s %s %d %d %d", group->key, function,
             call_class->root, call_class->size_class, call_class->path);
    for (link = &group->records; *link != NULL; link = &(*link)->next) {
        const coll_mtree_record_t *other = *link;

        /* Another function of the same class may have been planned. */
        if (coll_mtree_call_class_equals(&other->call_class, call_class)) {
            keep_plans(record, other->plan, other->relay_plan, other->expected,
                       other->openmpi);
        }
    }
    *link = record;
    return record;
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
    return record != NULL ? record : record_add(group, function, call_class);
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
    (void)move(count, COLL_MTREE_CALL_PLANNED, mtree_clock_seconds());
}

void coll_mtree_statistics_open(coll_mtree_count_t *count,
                                mca_coll_mtree_module_t *module,
                                ompi_communicator_t *comm, const char *function,
                                coll_mtree_comm_class_t *comm_class, double bytes)
{
    count->bytes = bytes;
    count->record = comm_class->record;
    if (all.ended == NULL ||
        (count->record != NULL && count->record->function == function)) {
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
    if (count->record != NULL) {
        opal_mutex_lock(&all.lock);
        durations = &count->record->by[backend];
        durations->calls++;
        durations->bytes += count->bytes;
        opal_mutex_unlock(&all.lock);
    }
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
    }
    coll_mtree_counter_add(COLL_MTREE_COUNT_REASON + reason, 1);
}

void coll_mtree_statistics_by_relays(const coll_mtree_count_t *count)
{
    if (count->record != NULL) {
        opal_mutex_lock(&all.lock);
        count->record->relay_calls++;
        count->record->relay_bytes += count->bytes;
        opal_mutex_unlock(&all.lock);
    }
}

void coll_mtree_statistics_close(coll_mtree_count_t *count)
{
    const bool runs = count->state == COLL_MTREE_CALL_RUNS;
    coll_mtree_call_reading_t end;
    coll_mtree_durations_t *durations;
    double now, seconds;

    /* The request of a blocking call, which counts itself. */
    if (count->state == COLL_MTREE_CALL_OUTSIDE) {
        return;
    }
    now = mtree_clock_seconds();
    end = move(count, COLL_MTREE_CALL_OUTSIDE, now);
    if (count->record == NULL) {
        return;
    }
    seconds = runs ? end.seconds - count->reading.seconds : now - count->served;
    opal_mutex_lock(&all.lock);
    durations = &count->record->by[count->backend];
    durations->recent[durations->timed % COLL_MTREE_RECENT] = seconds;
    durations->least = durations->timed == 0 ? seconds : fmin(durations->least, seconds);
    durations->most = fmax(durations->most, seconds);
    durations->timed++;
    durations->seconds += seconds;
    durations->shares += runs ? end.share - count->reading.share : seconds;
    opal_mutex_unlock(&all.lock);
    all.ended(now);
}

/* The trees of @a record are others from now on. */
static void forget_trees(coll_mtree_record_t *record)
{
    free(record->trees);
    record->trees = NULL;
    record->num_trees = 0;
    record->over_plan = 0;
}

/* Add what one call moved over each tree of its plan. */
static void pass_trees(const coll_mtree_transfer_record_t *transfer,
                       const mtree_goodput_t *goodput, const mtree_layout_t *layout,
                       double unit_bytes)
{
    coll_mtree_record_t *record = transfer->record;
    int num_trees = transfer->num_trees;

    if (record->num_trees != num_trees) {
        forget_trees(record);
        record->trees = mtree_calloc((size_t)num_trees, sizeof(*record->trees));
        record->num_trees = num_trees;
    }
    if (++record->over_plan == 2) {
        memset(record->trees, 0, (size_t)num_trees * sizeof(*record->trees));
    }
    for (int s = 0; s < layout->num_streams; s++) {
        coll_mtree_tree_sample_t *tree = &record->trees[layout->streams[s].tree];

        if (goodput->trees[s].bytes > 0) {
            tree->bytes += unit_bytes * (double)layout->streams[s].length;
            tree->end = fmax(tree->end, goodput->trees[s].end);
        }
    }
    for (int t = 0; t < num_trees; t++) {
        if (record->trees[t].end > 0) {
            record->trees[t].seconds += record->trees[t].end - transfer->began;
            record->trees[t].end = 0;
        }
    }
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
    for (int i = 0; i < goodput->num_links && group->identity != 0; i++) {
        const mtree_goodput_link_t *link = &goodput->links[i];

        mtree_goodput_add(goodput, link, scale, &group->paths[link->rank]);
    }
    if (transfer->num_trees > 0) {
        pass_trees(transfer, goodput, layout, unit_bytes);
    }
    opal_mutex_unlock(&all.lock);
}

void coll_mtree_statistics_planned(mca_coll_mtree_module_t *module,
                                   ompi_communicator_t *comm,
                                   const coll_mtree_call_class_t *call_class,
                                   const mtree_plan_t *plan,
                                   const mtree_plan_t *relay_plan,
                                   const mtree_forecast_t *forecast)
{
    coll_mtree_group_t *group;

    coll_mtree_counter_add(COLL_MTREE_COUNT_PLANS, 1);
    if (all.ended == NULL) {
        return;
    }
    opal_mutex_lock(&all.lock);
    group = group_of(module, comm);
    group->context =
        group->identity == 0 ? NULL : coll_mtree_planning_context_of(module->processes);
    for (coll_mtree_record_t *r = group->records; r != NULL; r = r->next) {
        if (coll_mtree_call_class_equals(&r->call_class, call_class)) {
            forget_trees(r);
            if (group->identity != 0) {
                keep_plans(r, plan, relay_plan, forecast->seconds, forecast->fallback);
            }
        }
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

static void group_destroy(coll_mtree_group_t *group)
{
    while (group->records != NULL) {
        coll_mtree_record_t *record = group->records;

        group->records = record->next;
        mtree_plan_destroy(record->plan);
        mtree_plan_destroy(record->relay_plan);
        free(record->trees);
        free(record);
    }
    free(group->paths);
    free(group);
}

void coll_mtree_statistics_finish(void)
{
    while (all.groups != NULL) {
        coll_mtree_group_t *group = all.groups;

        all.groups = group->next;
        group_destroy(group);
    }
    all.num_groups = 0;
    all.ended = NULL;
}
