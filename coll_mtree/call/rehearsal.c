/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/call/rehearsal.h"

#include "coll_mtree/adapt/scratch_call.h"
#include "coll_mtree/base/log.h"
#include "coll_mtree/call/plan_entry.h"
#include "coll_mtree/select/agreed_time.h"

#include "base/clock.h"
#include "base/units.h"

/* The first warms up, the second brings the ranks into step. */
#define REHEARSALS (COLL_MTREE_FIRST_CALLS + 2)

/* Without relays: a call that learns of the plan and opens connections. */
#define WARMUPS 1

#define SET_FUNCTION(_name)                                                              \
    functions->coll_##_name = coll_mtree_##_name;                                        \
    functions->coll_##_name##_module = &module->super;

/* The blocking functions of mtree on @a module. */
static void own_functions(mca_coll_mtree_module_t *module,
                          coll_mtree_fallback_t *functions)
{
    MTREE_FOR_EACH_INTERFACE(SET_FUNCTION)
}

void coll_mtree_rehearsal_run(const coll_mtree_mpi_call_t *call,
                              const coll_mtree_comm_class_t *comm_class)
{
    mca_coll_mtree_module_t *module = call->module;
    coll_mtree_fallback_t own;
    coll_mtree_scratch_call_t scratch;
    double agreed = 0;
    double fails = !coll_mtree_scratch_call_init(&scratch, &call->args.call,
                                                 ompi_comm_size(call->comm));

    own_functions(module, &own);
    (void)coll_mtree_agreed_time(module, call->comm, mtree_clock_seconds(), &agreed,
                                 &fails);
    module->is_rehearsing = true;
    for (int i = 0; fails <= 0 && i < REHEARSALS &&
                    coll_mtree_mpi_call_is_unmeasured(call, comm_class);
         i++) {
        coll_mtree_scratch_call_run(&scratch, &own, call->comm);
    }
    module->is_rehearsing = false;
    coll_mtree_scratch_call_cleanup(&scratch);
}

/* Calls of @a comm_class, some of which @a keeps_order, pass through no relays from here
 * on: @a without seconds instead of what the first ones took. */
static void leave_relays(const coll_mtree_mpi_call_t *call,
                         coll_mtree_comm_class_t *comm_class, double without,
                         bool keeps_order)
{
    coll_mtree_call_class_t other = comm_class->node.call_class;
    char size[32], through[32], alone[32];
    coll_mtree_comm_class_t *next;

    comm_class->left_relays = true;
    other.relayed = false;
    next = coll_mtree_comm_class_get(call->module, &other);
    if (keeps_order) {
        /* That was the one change. */
        atomic_store(&call->module->all_reordered, true);
        if (next != NULL) {
            next->blocking_summation.has_changed = true;
        }
    }
    mtree_units_format_size(other.bytes, size, sizeof(size));
    mtree_units_format_time(comm_class->first_calls.took, through, sizeof(through));
    mtree_units_format_time(without, alone, sizeof(alone));
    coll_mtree_verbose(call->comm, keeps_order ? 0 : 1,
                       "%s of about %s: %s through relays, %s without; from here on "
                       "without relays%s",
                       mtree_collective_name(other.collective), size, through, alone,
                       keeps_order ? ", which adds in another order" : "");
}

void coll_mtree_rehearsal_without_relays(const coll_mtree_mpi_call_t *call,
                                         coll_mtree_comm_class_t *comm_class,
                                         const coll_mtree_request_t *req)
{
    const mtree_call_t *what = &req->args.call;
    bool keeps_order = comm_class->blocking_summation.is_set;
    double promised = coll_mtree_plan_entry_seconds_without(
        req->entry, (double)what->units * (double)what->unit_bytes);
    double seconds[COLL_MTREE_FALLBACK_CALLS], without;
    mca_coll_mtree_module_t *module = call->module;
    coll_mtree_fallback_t own;
    int count;

    if (!coll_mtree_first_calls_doubt_relays(&comm_class->first_calls, promised)) {
        return;
    }
    own_functions(module, &own);
    module->is_rehearsing = true;
    coll_mtree_scratch_calls_time(module, call->comm, what, &own, WARMUPS, seconds,
                                  &count);
    module->is_rehearsing = false;
    if (count == 0) {
        return;
    }
    without = coll_mtree_first_calls_typical(seconds, count);
    if (coll_mtree_first_calls_leave_relays(&comm_class->first_calls, without,
                                            keeps_order)) {
        leave_relays(call, comm_class, without, keeps_order);
    }
}
