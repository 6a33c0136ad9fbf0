/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/call/agreed.h"

#include "coll_mtree/base/free_hook.h"
#include "coll_mtree/base/tuning.h"
#include "coll_mtree/call/plan_entry.h"
#include "coll_mtree/plan/proc_group.h"
#include "coll_mtree/topology/source.h"

#include "base/memory.h"

#include <stdlib.h>

typedef struct coll_mtree_agreed {
    int communicators; /* that the user has not freed */
    coll_mtree_source_state_t topology;
    coll_mtree_size_estimate_t sizes[MTREE_COLLECTIVE_LAST];
    coll_mtree_class_table_t plans; /* of agreed_plan_t */
} agreed_t;

/* The plan of one class: the entry of a communicator, a reference. */
typedef struct {
    coll_mtree_class_node_t node;
    coll_mtree_plan_entry_t *entry;
} agreed_plan_t;

static void plan_clear(void *element)
{
    coll_mtree_plan_entry_release(((agreed_plan_t *)element)->entry);
}

static void agreed_destroy(agreed_t *agreed)
{
    coll_mtree_class_table_cleanup(&agreed->plans, plan_clear);
    free(agreed);
}

/* The user frees a communicator of the group @a arg, which the hook has held. */
static void communicator_freed(void *arg)
{
    coll_mtree_proc_group_t *group = arg;

    if (--group->agreed->communicators == 0) {
        agreed_destroy(group->agreed);
        group->agreed = NULL;
    }
    coll_mtree_proc_group_release(group);
}

/* Is @a group that of MPI_COMM_WORLD?  Sessions may have communicators before there is
 * one. */
static bool is_like_world(const coll_mtree_proc_group_t *group)
{
    coll_mtree_proc_group_t *of_world =
        coll_mtree_has_world() ? coll_mtree_proc_group_hold(&ompi_mpi_comm_world.comm)
                               : NULL;

    coll_mtree_proc_group_release(of_world);
    return of_world == group;
}

/* What the group of @a comm has agreed on; NULL: its communicators share nothing. */
static agreed_t *agreed_of(mca_coll_mtree_module_t *module, ompi_communicator_t *comm)
{
    coll_mtree_proc_group_t *group;

    if (module->is_threaded || coll_mtree_survives()) {
        return NULL;
    }
    group = coll_mtree_proc_group_of(module, comm);
    if (module->agrees) {
        return group->agreed;
    }
    module->agrees = true;
    if (group->agreed == NULL) {
        group->agreed = mtree_calloc(1, sizeof(*group->agreed));
        group->free_agreed = agreed_destroy;
        coll_mtree_class_table_init(&group->agreed->plans);
        group->agreed->communicators = is_like_world(group);
    }
    group->agreed->communicators++;
    if (comm != &ompi_mpi_comm_world.comm) {
        coll_mtree_free_hook_add(comm, communicator_freed,
                                 coll_mtree_proc_group_hold(comm));
    }
    return group->agreed;
}

bool coll_mtree_agreed_topology(mca_coll_mtree_module_t *module,
                                ompi_communicator_t *comm, double bytes)
{
    agreed_t *agreed = agreed_of(module, comm);

    return coll_mtree_source_learn(module, bytes,
                                   agreed == NULL ? NULL : &agreed->topology);
}

/* The ranks agree, by the fallback, on the size of a call of @a collective of which this
 * rank has *bytes_p.  Open MPI's code. */
static int agree_on_size(mca_coll_mtree_module_t *module, ompi_communicator_t *comm,
                         mtree_collective_t collective, double *bytes_p)
{
    int rc = MTREE_FALLBACK(module, allreduce, MPI_IN_PLACE, bytes_p, 1, MPI_DOUBLE,
                            MPI_SUM, comm);

    /* Of an all-to-all the size is what one rank sends. */
    if (!mtree_collective_has_root(collective)) {
        *bytes_p /= ompi_comm_size(comm);
    }
    return rc;
}

/* The ranks agree at calls 1, 2, 4, 8, ... and at each multiple of the interval; in
 * between the last sum holds. */
static bool is_to_agree(unsigned calls)
{
    return (calls & (calls - 1)) == 0 || calls % COLL_MTREE_AGREEMENT_INTERVAL == 0;
}

/* The size of a blocking call: what the ranks agree on now, or have agreed on. */
static int blocking_size(mca_coll_mtree_module_t *module, ompi_communicator_t *comm,
                         mtree_collective_t collective, double *bytes_p)
{
    coll_mtree_size_estimate_t *estimate = &module->sizes[collective];
    agreed_t *agreed;
    int rc;

    if (!estimate->is_agreed && (agreed = agreed_of(module, comm)) != NULL) {
        *estimate = agreed->sizes[collective];
    }
    estimate->since++;
    estimate->bytes += *bytes_p;
    if (!is_to_agree(++estimate->calls)) {
        *bytes_p = estimate->is_agreed ? estimate->agreed : 0;
        return OMPI_SUCCESS;
    }
    *bytes_p = estimate->bytes / estimate->since;
    rc = agree_on_size(module, comm, collective, bytes_p);
    *estimate = (coll_mtree_size_estimate_t){
        .calls = estimate->calls, .agreed = *bytes_p, .is_agreed = true};
    if ((agreed = agreed_of(module, comm)) != NULL) {
        agreed->sizes[collective] = *estimate;
    }
    return rc;
}

int coll_mtree_agreed_size(mca_coll_mtree_module_t *module, ompi_communicator_t *comm,
                           coll_mtree_coll_args_t *args, bool may_wait, bool at_once)
{
    mtree_collective_t collective = args->call.collective;
    const coll_mtree_size_estimate_t *estimate = &module->sizes[collective];
    double bytes = (double)args->own_bytes;
    int rc = OMPI_SUCCESS;

    /* All ranks know by now that the fallback serves. */
    if (!args->call.unequal || module->cannot_serve) {
        return OMPI_SUCCESS;
    }
    if (!may_wait) {
        bytes = estimate->is_agreed ? estimate->agreed : 0;
    } else if (at_once) {
        rc = agree_on_size(module, comm, collective, &bytes);
    } else {
        rc = blocking_size(module, comm, collective, &bytes);
    }
    coll_mtree_coll_args_size(args, bytes);
    return rc;
}

void coll_mtree_agreed_take_plan(mca_coll_mtree_module_t *module,
                                 ompi_communicator_t *comm,
                                 coll_mtree_comm_class_t *comm_class)
{
    const agreed_t *agreed = agreed_of(module, comm);
    const agreed_plan_t *plan =
        agreed == NULL
            ? NULL
            : coll_mtree_class_table_find(&agreed->plans, &comm_class->node.call_class);

    if (plan != NULL && comm_class->entry == NULL) {
        comm_class->entry = plan->entry;
        coll_mtree_plan_entry_retain(plan->entry);
        coll_mtree_plan_entry_note_version(module, plan->entry->version);
    }
}

void coll_mtree_agreed_give_plan(mca_coll_mtree_module_t *module,
                                 ompi_communicator_t *comm,
                                 const coll_mtree_comm_class_t *comm_class)
{
    agreed_t *agreed = agreed_of(module, comm);
    agreed_plan_t *plan;

    /* Relays know the communicator of a plan. */
    if (agreed == NULL || comm_class->node.call_class.path != COLL_MTREE_BY_RANKS) {
        return;
    }
    plan = coll_mtree_class_table_get(&agreed->plans, &comm_class->node.call_class,
                                      sizeof(*plan));
    coll_mtree_plan_entry_retain(comm_class->entry);
    coll_mtree_plan_entry_release(plan->entry);
    plan->entry = comm_class->entry;
}

void coll_mtree_agreed_forget_plans(mca_coll_mtree_module_t *module,
                                    ompi_communicator_t *comm)
{
    agreed_t *agreed = agreed_of(module, comm);

    if (agreed != NULL) {
        coll_mtree_class_table_cleanup(&agreed->plans, plan_clear);
    }
}
