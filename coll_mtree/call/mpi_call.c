/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/call/mpi_call.h"

#include "coll_mtree/base/log.h"
#include "coll_mtree/base/params.h"
#include "coll_mtree/base/tags.h"
#include "coll_mtree/call/backend_choice.h"
#include "coll_mtree/call/plan_entry.h"
#include "coll_mtree/topology/source.h"

#include "base/units.h"

/* A barrier is an allreduce of nothing, to which what is measured of others does not
 * apply. */
static bool is_barrier(const coll_mtree_mpi_call_t *call)
{
    return call->args.call.collective == MTREE_ALLREDUCE && call->args.op == NULL;
}

/* What is encrypted is not left to Open MPI because that was measured to be faster. */
static int autotune_in_force(void)
{
    return coll_mtree_params_encrypt() ? COLL_MTREE_AUTOTUNE_NEVER
                                       : coll_mtree_params.autotune;
}

/* May what the autotuner measured choose what serves the call? */
static bool may_be_tried(const coll_mtree_mpi_call_t *call)
{
    const coll_mtree_coll_args_t *args = &call->args;
    bool reduces = mtree_collective_reduces(args->call.collective);

    return !is_barrier(call) && coll_mtree_trial_is_allowed(
                                    reduces ? &args->reduction : NULL,
                                    autotune_in_force(), coll_mtree_params.deterministic);
}

/* Does the autotuner choose?  Nonblocking and persistent calls do as their blocking kind
 * once that has been measured. */
static bool is_autotuned(const coll_mtree_mpi_call_t *call,
                         const coll_mtree_comm_class_t *comm_class)
{
    const coll_mtree_autotuner_t *autotuner = comm_class->autotuner;

    return may_be_tried(call) &&
           (call->form == MTREE_BLOCKING || (autotuner != NULL && autotuner->trials > 0));
}

/* Are the datatypes on this rank, of a call that moves data, MPI's own? */
static bool is_predefined(const coll_mtree_coll_args_t *args, int ranks)
{
    return coll_mtree_side_is_predefined(&args->send, ranks) &&
           coll_mtree_side_is_predefined(&args->recv, ranks) &&
           ompi_datatype_is_predefined(args->datatype) &&
           (args->own.from_type == NULL ||
            ompi_datatype_is_predefined(args->own.from_type));
}

/* What is known of the plan of @a comm_class; the autotuner has been asked, if it is to
 * be. */
static coll_mtree_plan_facts_t plan_facts(const coll_mtree_mpi_call_t *call,
                                          const coll_mtree_comm_class_t *comm_class,
                                          bool autotuned)
{
    coll_mtree_plan_facts_t facts = {.is_unserved = call->module->unserved,
                                     .is_known = comm_class->known,
                                     .is_autotuned = autotuned};

    if (facts.is_known) {
        facts.has_plan = coll_mtree_plan_entry_has_plan(comm_class->entry);
        facts.confidence = coll_mtree_plan_entry_confidence(comm_class->entry);
        facts.trials = comm_class->autotuner->trials;
    }
    return facts;
}

/* What the autotuner chooses.  Open MPI's other algorithms have the blocking form alone.
 */
static coll_mtree_backend_t select_backend(coll_mtree_mpi_call_t *call,
                                           coll_mtree_autotuner_t *autotuner)
{
    if (call->form != MTREE_BLOCKING) {
        return coll_mtree_autotuner_backend(autotuner) < COLL_MTREE_FALLBACK
                   ? COLL_MTREE_TREES
                   : COLL_MTREE_FALLBACK;
    }
    call->trial.is_predefined = is_predefined(&call->args, ompi_comm_size(call->comm));
    return coll_mtree_autotune_begin(autotuner, &call->trial);
}

/* Are there tags for the call?  The first time that there are none one line tells. */
static bool has_tags(const coll_mtree_mpi_call_t *call)
{
    mca_coll_mtree_module_t *module = call->module;
    int count = call->form != MTREE_PERSISTENT
                    ? 0
                    : coll_mtree_request_tags(call->args.call.collective);

    if (coll_mtree_tags_has(module, call->comm, count)) {
        return true;
    }
    if (!module->tags.is_spent) {
        module->tags.is_spent = true;
        coll_mtree_verbose(call->comm, 1, "%s goes to the fallback, since %s",
                           call->args.function,
                           coll_mtree_reason_text(COLL_MTREE_REASON_TAGS));
    }
    return false;
}

static coll_mtree_summation_backend_t *summation_of(const coll_mtree_mpi_call_t *call,
                                                    coll_mtree_comm_class_t *comm_class)
{
    return call->form == MTREE_BLOCKING ? &comm_class->blocking_summation
                                        : &comm_class->later_summation;
}

void coll_mtree_mpi_call_note(const coll_mtree_mpi_call_t *call,
                              coll_mtree_comm_class_t *comm_class,
                              coll_mtree_backend_t backend)
{
    if (!call->args.keeps_order) {
        return;
    }
    if (backend == COLL_MTREE_TREES) {
        atomic_store(&call->module->keeps_order, true);
    }
    if (coll_mtree_summation_backend_set(summation_of(call, comm_class), backend,
                                         call->trial.base_algorithm)) {
        char size[32];

        atomic_store(&call->module->all_reordered, true);
        mtree_units_format_size(comm_class->node.call_class.bytes, size, sizeof(size));
        coll_mtree_verbose(call->comm, 0,
                           "%s of about %s is served %s from here on, which adds in "
                           "another order",
                           call->args.function, size,
                           backend == COLL_MTREE_TREES  ? "over trees"
                           : backend == COLL_MTREE_RING ? "around a ring"
                                                        : "by Open MPI");
    }
}

bool coll_mtree_mpi_call_is_hurried(const coll_mtree_mpi_call_t *call,
                                    const coll_mtree_comm_class_t *comm_class)
{
    return call->form == MTREE_BLOCKING && comm_class->entry == NULL &&
           coll_mtree_backend_may_leave(call->args.keeps_order,
                                        coll_mtree_params_min_bytes());
}

/* What would serve the call if it might change its order.  Where no topology is known
 * yet, a blocking call may wait until one is. */
static coll_mtree_backend_t choose_freely(coll_mtree_mpi_call_t *call,
                                          coll_mtree_comm_class_t *comm_class,
                                          coll_mtree_fallback_reason_t *reason_p)
{
    mca_coll_mtree_module_t *module = call->module;
    coll_mtree_call_facts_t call_facts = {.is_supported = call->args.verdict ==
                                                          MTREE_COLL_ARGS_SERVED,
                                          .is_unserved = module->unserved};
    bool autotuned = is_autotuned(call, comm_class);
    coll_mtree_plan_facts_t facts;

    call_facts.has_tags =
        call_facts.is_supported && !call_facts.is_unserved && has_tags(call);
    if (!coll_mtree_backend_is_possible(&call_facts, reason_p)) {
        return COLL_MTREE_FALLBACK;
    }
    if (!coll_mtree_source_is_settled(module, call->form == MTREE_BLOCKING)) {
        *reason_p =
            module->unserved ? COLL_MTREE_REASON_GROUP : COLL_MTREE_REASON_TOPOLOGY;
        return COLL_MTREE_FALLBACK;
    }
    if (coll_mtree_mpi_call_is_hurried(call, comm_class) &&
        !coll_mtree_backend_looks(++comm_class->calls)) {
        *reason_p = COLL_MTREE_REASON_PLANNING;
        return COLL_MTREE_FALLBACK;
    }
    facts = plan_facts(call, comm_class, autotuned);
    if (facts.is_known && autotuned) {
        facts.selected = select_backend(call, comm_class->autotuner);
        facts.is_timed = call->trial.autotuner != NULL;
    }
    *reason_p = coll_mtree_backend_reason(&facts);
    return coll_mtree_backend_choose(&facts);
}

coll_mtree_backend_t coll_mtree_mpi_call_choose(coll_mtree_mpi_call_t *call,
                                                coll_mtree_comm_class_t *comm_class,
                                                coll_mtree_fallback_reason_t *reason_p)
{
    coll_mtree_backend_t wanted = choose_freely(call, comm_class, reason_p), kept;
    const coll_mtree_summation_backend_t *summation;
    coll_mtree_plan_facts_t facts;

    if (!call->args.keeps_order) {
        return wanted;
    }
    facts = plan_facts(call, comm_class, false);
    facts.lacks_tags = *reason_p == COLL_MTREE_REASON_TAGS;
    summation = summation_of(call, comm_class);
    kept =
        coll_mtree_backend_keep(summation, wanted, &facts, call->form == MTREE_BLOCKING,
                                coll_mtree_params.deterministic);
    if (kept != wanted) {
        *reason_p = COLL_MTREE_REASON_ORDER;
        call->trial.base_algorithm = summation->base_algorithm;
    }
    return kept;
}

coll_mtree_fallback_reason_t
coll_mtree_mpi_call_reason(const coll_mtree_mpi_call_t *call,
                           const coll_mtree_comm_class_t *comm_class)
{
    coll_mtree_plan_facts_t facts = plan_facts(call, comm_class, true);

    return comm_class->known ? coll_mtree_backend_reason(&facts)
                             : COLL_MTREE_REASON_PLANNING;
}
