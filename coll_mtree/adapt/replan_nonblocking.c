/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/adapt/replan_nonblocking.h"

#include "coll_mtree/base/counters.h"
#include "coll_mtree/base/params.h"
#include "coll_mtree/base/tags.h"
#include "coll_mtree/report/statistics.h"

#include <stdlib.h>

typedef coll_mtree_replan_nonblocking_t nonblocking_t;

static nonblocking_t *nonblocking_of(coll_mtree_replan_t *replan)
{
    return MTREE_CONTAINER_OF(replan, nonblocking_t, super);
}

static coll_mtree_replan_reply_t decide(coll_mtree_replan_query_t *query)
{
    nonblocking_t *self = nonblocking_of(query->replan);
    mca_coll_mtree_module_t *module = query->replan->module;
    ompi_communicator_t *comm = query->replan->comm;
    bool keeps_order = atomic_load(&query->replan->keeps_order);
    double least_gain = coll_mtree_replan_least_gain(
        keeps_order, query->replan->has_changed || atomic_load(&module->all_reordered));
    coll_mtree_samples_use_t use;

    query->part = mtree_plan_part_retain(query->replan->newest);
    use = module->context == NULL ? COLL_MTREE_SAMPLES_NOTHING
                                  : coll_mtree_replan_samples_use(
                                        query->part == NULL ? NULL : query->part->plan,
                                        query->samples, ompi_comm_size(comm));
    if (use == COLL_MTREE_SAMPLES_TOO_SHORT) {
        return COLL_MTREE_REPLY_MORE;
    }
    if (use == COLL_MTREE_SAMPLES_NOTHING ||
        !coll_mtree_replan_update(query, use == COLL_MTREE_SAMPLES_USABLE, least_gain)) {
        return COLL_MTREE_REPLY_STAY;
    }
    if (keeps_order) {
        query->replan->has_changed = true;
        atomic_store(&module->some_reordered, true);
    }
    query->new_plan =
        coll_mtree_planning_context_plan(module->context, comm, &self->call_class).plan;
    return query->new_plan == NULL ? COLL_MTREE_REPLY_STAY : COLL_MTREE_REPLY_PLAN;
}

void coll_mtree_replan_nonblocking_init(nonblocking_t *self,
                                        mca_coll_mtree_module_t *module,
                                        ompi_communicator_t *comm,
                                        const coll_mtree_call_class_t *call_class,
                                        int first_tag)
{
    memset(self, 0, sizeof(*self));
    coll_mtree_replan_init(&self->super, decide, module, comm, 0);
    self->call_class = *call_class;
    self->is_monitored = coll_mtree_replan_is_monitored(
        call_class, coll_mtree_params.replan, coll_mtree_params.deterministic);
    self->first_tag = first_tag;
}

void coll_mtree_replan_nonblocking_cleanup(nonblocking_t *self)
{
    coll_mtree_replan_cleanup(&self->super);
    mtree_plan_part_destroy(self->part);
}

void coll_mtree_replan_nonblocking_settle(nonblocking_t *self,
                                          const mtree_plan_part_t *part, unsigned version)
{
    self->part = mtree_plan_part_retain(part);
    coll_mtree_replan_open(&self->super, part, version);
}

static bool due_is_ready(coll_mtree_waiter_t *due)
{
    return atomic_load(&MTREE_CONTAINER_OF(due, coll_mtree_replan_query_t, due)->ended);
}

/* From the call behind it on the reply applies. */
static void due_pass(coll_mtree_waiter_t *due)
{
    coll_mtree_replan_query_t *query =
        MTREE_CONTAINER_OF(due, coll_mtree_replan_query_t, due);
    nonblocking_t *self = nonblocking_of(query->replan);

    if (query->status != OMPI_SUCCESS) {
        self->status = query->status;
    } else if (query->new_part != NULL) {
        mtree_plan_part_destroy(self->part);
        self->part = mtree_plan_part_retain(query->new_part);
        self->warmed_up = false;
        coll_mtree_counter_add(COLL_MTREE_COUNT_REPLANS, 1);
        coll_mtree_statistics_planned(self->super.module, self->super.comm,
                                      &self->call_class, self->part->plan, NULL, NULL);
    }
    coll_mtree_replan_query_release(query);
}

/* Begin a query at the call that was counted last. */
static void nonblocking_query(nonblocking_t *self)
{
    coll_mtree_replan_query_t *query = coll_mtree_replan_query_create(&self->super);
    int tag;

    tag = self->first_tag == 0
              ? coll_mtree_tags_control(self->super.module, COLL_MTREE_EXCHANGE_TAGS)
              : self->first_tag - (int)(self->num_queries * COLL_MTREE_EXCHANGE_TAGS %
                                        COLL_MTREE_QUERY_TAGS);
    self->num_queries++;
    query->traffic = coll_mtree_bandwidth_monitor_take(self->super.module);
    query->call_class = self->call_class;
    query->due.is_ready = due_is_ready;
    query->due.pass = due_pass;
    coll_mtree_replan_query_begin(query, tag);
}

void coll_mtree_replan_nonblocking_count(nonblocking_t *self, double bytes)
{
    coll_mtree_replan_schedule_t *schedule = &self->super.schedule;
    coll_mtree_replan_query_t *query;

    if (!self->is_monitored) {
        return;
    }
    schedule->calls++;
    while ((query = coll_mtree_replan_take_due(&self->super, schedule->calls)) != NULL) {
        coll_mtree_ordered_gate_pass(&self->super.gate, &query->due);
    }
    if (coll_mtree_replan_schedule_take_query(schedule)) {
        nonblocking_query(self);
    }
    coll_mtree_replan_schedule_add(schedule, bytes, 0);
}
