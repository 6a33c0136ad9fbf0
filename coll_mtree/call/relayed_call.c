/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/call/relayed_call.h"

#include "coll_mtree/base/counters.h"
#include "coll_mtree/base/log.h"
#include "coll_mtree/base/params.h"
#include "coll_mtree/call/plan_entry.h"
#include "coll_mtree/call/plan_sequence.h"
#include "coll_mtree/control/message.h"
#include "coll_mtree/relay/links.h"
#include "coll_mtree/tcp/endpoints.h"

#include "base/clock.h"
#include "base/memory.h"
#include "opal/datatype/opal_datatype_internal.h"
#include "opal/runtime/opal_progress.h"
#include "relay/fold.h"
#include "schedule/operation.h"

#include <stdlib.h>

/* Tags, from the first of them. */
enum { ENDED, VERDICT, NUM_TAGS };

/* The state of a rank's part, which the rank reports, and of the call, which is rank 0's
 * verdict.  UNKNOWN: it has not ended.  UNREACHED + i, of a part alone: it has failed,
 * since the rank cannot reach relay i of the plan. */
enum {
    UNKNOWN,
    DONE,
    FAILED, /* so would others of its class */
    LOST,   /* a relay is lost; those that are left may serve */
    UNREACHED
};

/* A message of one state; it is the PML's until it has ended. */
typedef struct {
    coll_mtree_message_t *pending; /* NULL: it has ended, or has not begun */
    int32_t state;
} state_message_t;

typedef struct {
    const coll_mtree_request_t *req;
    coll_mtree_relay_plan_t *relay_plan;
    coll_mtree_coll_args_t args; /* the request's, but for where the result goes first */
    coll_mtree_buffers_t buffers;
    mtree_relay_start_t start;
    coll_mtree_channel_t channel;
    coll_mtree_relay_transport_t transport;
    mtree_layout_t *layout;
    mtree_operation_t *operation; /* NULL: it has not begun here */
    state_message_t
        *states; /* of rank 0: [ranks] from and to each; of others: [2] to and from it */
    int own, verdict;
} relayed_call_t;

/* Open MPI knows numbers of all languages by a few ids, and what is no number, such as
 * Fortran's characters and logicals, by the same ones. */
static mtree_relay_type_t type_of(const ompi_datatype_t *dtype)
{
    const unsigned numbers = OMPI_DATATYPE_FLAG_DATA_INT | OMPI_DATATYPE_FLAG_DATA_FLOAT;
    static const mtree_relay_type_t by_id[OPAL_DATATYPE_MAX_SUPPORTED] = {
        [OPAL_DATATYPE_INT1] = MTREE_RELAY_INT8,
        [OPAL_DATATYPE_INT2] = MTREE_RELAY_INT16,
        [OPAL_DATATYPE_INT4] = MTREE_RELAY_INT32,
        [OPAL_DATATYPE_INT8] = MTREE_RELAY_INT64,
        [OPAL_DATATYPE_UINT1] = MTREE_RELAY_UINT8,
        [OPAL_DATATYPE_UINT2] = MTREE_RELAY_UINT16,
        [OPAL_DATATYPE_UINT4] = MTREE_RELAY_UINT32,
        [OPAL_DATATYPE_UINT8] = MTREE_RELAY_UINT64,
        [OPAL_DATATYPE_FLOAT4] = MTREE_RELAY_FLOAT,
        [OPAL_DATATYPE_FLOAT8] = MTREE_RELAY_DOUBLE,
#ifdef OPAL_DATATYPE_LONG
        [OPAL_DATATYPE_LONG] = sizeof(long) == 8 ? MTREE_RELAY_INT64 : MTREE_RELAY_INT32,
        [OPAL_DATATYPE_UNSIGNED_LONG] =
            sizeof(long) == 8 ? MTREE_RELAY_UINT64 : MTREE_RELAY_UINT32,
#endif
    };

    return ompi_datatype_is_predefined(dtype) && (dtype->super.flags & numbers) != 0
               ? by_id[dtype->super.id]
               : MTREE_RELAY_NO_TYPE;
}

_Static_assert(OMPI_OP_SUM - OMPI_OP_MAX == MTREE_RELAY_SUM &&
                   OMPI_OP_BAND - OMPI_OP_MAX == MTREE_RELAY_BAND &&
                   OMPI_OP_BXOR - OMPI_OP_MAX == MTREE_RELAY_BXOR,
               "relays have the operations in Open MPI's order");

/* What relays know the operation and type of @a args by, in @a start; false: they do not.
 * The same on all ranks. */
static bool find_numbers(const coll_mtree_coll_args_t *args, mtree_relay_start_t *start)
{
    start->type = type_of(args->datatype);
    start->op = (uint32_t)args->op->op_type - OMPI_OP_MAX;
    return ompi_op_is_intrinsic(args->op) &&
           mtree_relay_fold(start->type, start->op) != NULL;
}

/* Why a call can pass through no relay, to go behind "are not supported with"; NULL: it
 * can. */
static const char *find_reason(ompi_communicator_t *comm,
                               const coll_mtree_coll_args_t *args, bool blocking)
{
    const mtree_call_t *call = &args->call;
    bool reduces = mtree_collective_reduces(call->collective);
    mtree_relay_start_t start;

    if (coll_mtree_params.deterministic) {
        return "coll_mtree_deterministic";
    }
    if (!blocking) {
        return "nonblocking and persistent calls";
    }
    /* A barrier is an allreduce without an operation. */
    if (!mtree_relay_serves(call) || (reduces && args->op == NULL)) {
        return "this collective, or more than 1 TiB";
    }
    if (call->blocks != NULL) {
        return "blocks of unequal size";
    }
    if (args->op != NULL && !find_numbers(args, &start)) {
        return "this datatype or operation";
    }
    return coll_mtree_endpoints_serve(comm)
               ? NULL
               : "ULFM, several jobs in a communicator or messages that are not TCP's";
}

coll_mtree_path_t coll_mtree_relayed_call_path(ompi_communicator_t *comm,
                                               const coll_mtree_coll_args_t *args,
                                               bool blocking)
{
    const char *reason;

    if (args->verdict != MTREE_COLL_ARGS_SERVED || !coll_mtree_relays_are_configured()) {
        return COLL_MTREE_BY_RANKS;
    }
    reason = find_reason(comm, args, blocking);
    if (reason != NULL && coll_mtree_log_is_first(reason)) {
        coll_mtree_verbose(comm, 1, "%s: relays are not supported with %s",
                           args->function, reason);
    }
    return reason == NULL ? COLL_MTREE_BY_RELAYS : COLL_MTREE_BY_RANKS;
}

static bool is_first(const relayed_call_t *call)
{
    return ompi_comm_rank(call->req->comm) == 0;
}

static void describe(relayed_call_t *call)
{
    const coll_mtree_coll_args_t *args = &call->args;

    call->start = (mtree_relay_start_t){.plan = call->relay_plan->plan->number,
                                        .number = ++call->relay_plan->calls,
                                        .context = coll_mtree_cid(call->req->comm),
                                        .call = args->call};
    call->start.call.longest_bytes = 0;
    call->start.call.recovery = 0;
    if (args->op != NULL) {
        (void)find_numbers(args, &call->start);
    }
}

/* Begin this rank's part; where it cannot there is no operation. */
static void begin(relayed_call_t *call)
{
    ompi_communicator_t *comm = call->req->comm;
    const coll_mtree_coll_args_t *args = &call->args;
    int rank = ompi_comm_rank(comm);

    /* What is summed up in place stays as it is where the call fails. */
    call->args.stashed |= args->op != NULL && args->input == args->output;
    coll_mtree_buffers_init(&call->buffers, args, rank, ompi_comm_size(comm));
    if (mtree_layout_create(call->relay_plan->plan->part,
                            call->relay_plan->plan->placement, &call->start.call, rank,
                            &call->layout) != MTREE_OK ||
        coll_mtree_buffers_begin(&call->buffers) != OMPI_SUCCESS ||
        (is_first(call) &&
         !mtree_relay_roster_tell(&coll_mtree_relays, call->relay_plan->plan,
                                  MTREE_RELAY_START, &call->start))) {
        return;
    }
    coll_mtree_relay_transport_init(&call->transport, comm,
                                    args->op != NULL ? args->datatype : MPI_BYTE,
                                    call->relay_plan, call->layout, &call->start);
    mtree_operation_start(call->layout, &call->transport.super.super,
                          &call->buffers.super, NULL, NULL, &call->operation);
}

/* How this rank's part has failed. */
static int failure(const relayed_call_t *call)
{
    int relay = coll_mtree_relay_links_unreached(call->relay_plan);

    return relay < 0 ? FAILED : UNREACHED + relay;
}

/* The state of this rank's part. */
static int own_state(const relayed_call_t *call)
{
    mtree_status_t status;

    if (call->operation == NULL || mtree_operation_has_failed(call->operation)) {
        return failure(call);
    }
    if (!mtree_operation_done(call->operation, &status)) {
        return UNKNOWN;
    }
    return status == MTREE_OK ? DONE : failure(call);
}

/* Start a message that @a sends @a state, or receives one, UNKNOWN until then. */
static void start_state(relayed_call_t *call, state_message_t *message, bool sends,
                        int rank, int tag, int state)
{
    message->state = state;
    message->pending = coll_mtree_message_start(&call->channel, sends, rank, tag,
                                                &message->state, sizeof(message->state));
}

/* Has the message been received, or sent?  One that is lost counts as FAILED. */
static bool has_ended(state_message_t *message)
{
    mtree_status_t status = MTREE_OK;

    if (!coll_mtree_message_test(&message->pending, &status)) {
        return false;
    }
    message->state =
        status == MTREE_OK && message->state != UNKNOWN ? message->state : FAILED;
    return true;
}

static void progress(const relayed_call_t *call)
{
    coll_mtree_relay_links_poll(call->relay_plan);
    opal_progress();
}

/* Rank 0: what the relays say of the call. */
static mtree_relay_report_t ask_relays(const relayed_call_t *call)
{
    return mtree_relay_roster_poll(&coll_mtree_relays, call->relay_plan->plan,
                                   &call->start, mtree_clock_seconds());
}

/* Rank 0: drop the relays that a rank, or another relay, has reported that it cannot
 * reach; false: there are none. */
static bool drop_unreached(const relayed_call_t *call)
{
    const mtree_relay_plan_t *plan = call->relay_plan->plan;
    bool some = false;

    for (int r = 0; r < ompi_comm_size(call->req->comm); r++) {
        int relay = (r > 0 ? call->states[r].state : own_state(call)) - UNREACHED;

        if (relay >= 0 && relay < plan->placement->num_relays) {
            mtree_relay_roster_drop(
                &coll_mtree_relays, plan, relay,
                (int)coll_mtree_process_name(call->req->comm, r).vpid);
            some = true;
        }
    }
    return mtree_relay_roster_drop_unreached(&coll_mtree_relays) || some;
}

/* Rank 0: the verdict on a call that has failed.  Neighbours of a relay that is lost may
 * notice that before rank 0 does, so it pings all relays. */
static int find_cause(const relayed_call_t *call)
{
    mtree_relay_report_t report;

    (void)mtree_relay_roster_tell(&coll_mtree_relays, call->relay_plan->plan,
                                  MTREE_RELAY_PING, &call->start);
    do {
        progress(call);
        report = ask_relays(call);
    } while (!report.is_answer);
    if (drop_unreached(call) || report.state == MTREE_RELAY_LOST) {
        return LOST;
    }
    if (report.state == MTREE_RELAY_REFUSES) {
        mtree_warn(
            "relay %s: it refused or failed a call; such calls go on without relays",
            report.refuses);
    } else {
        /* Before the relay has noticed that a rank is cut off, say. */
        mtree_warn("a rank failed in a call through relays; such calls go on without "
                   "relays");
    }
    return FAILED;
}

/* Rank 0: the state of the call by all reports so far. */
static int gather_states(relayed_call_t *call)
{
    int ranks = ompi_comm_size(call->req->comm), done = call->own == DONE;

    for (int r = 1; r < ranks; r++) {
        if (has_ended(&call->states[r])) {
            if (call->states[r].state != DONE) {
                return FAILED;
            }
            done++;
        }
    }
    return call->own >= FAILED ? FAILED : done == ranks ? DONE : UNKNOWN;
}

/* Rank 0: collect the reports, send the verdict to all ranks, and wait until both have
 * ended. */
static void coordinate(relayed_call_t *call)
{
    int ranks = ompi_comm_size(call->req->comm);
    state_message_t *verdicts = call->states + ranks;

    for (int r = 1; r < ranks; r++) {
        start_state(call, &call->states[r], false, r, ENDED, UNKNOWN);
    }
    while (call->verdict == UNKNOWN) {
        progress(call);
        call->own = own_state(call);
        call->verdict = gather_states(call);
        if (call->verdict != DONE && ask_relays(call).state != MTREE_RELAY_SERVES) {
            call->verdict = FAILED;
        }
    }
    if (call->verdict == FAILED) {
        call->verdict = find_cause(call);
    }
    for (int r = 1; r < ranks; r++) {
        start_state(call, &verdicts[r], true, r, VERDICT, call->verdict);
    }
    if (call->verdict != DONE) {
        /* Those that are up need not go on. */
        (void)mtree_relay_roster_tell(&coll_mtree_relays, call->relay_plan->plan,
                                      MTREE_RELAY_CANCEL, &call->start);
        if (call->operation != NULL) {
            coll_mtree_relay_transport_abandon(&call->transport);
        }
    }
    for (int r = 1; r < ranks; r++) {
        while (!has_ended(&call->states[r]) || !has_ended(&verdicts[r])) {
            progress(call);
        }
    }
}

/* Another rank: report the state of this part, and receive the verdict. */
static void participate(relayed_call_t *call)
{
    state_message_t *report = &call->states[0], *verdict = &call->states[1];

    start_state(call, verdict, false, 0, VERDICT, UNKNOWN);
    while (call->verdict == UNKNOWN) {
        progress(call);
        call->own = own_state(call);
        if (has_ended(verdict)) {
            call->verdict = verdict->state;
        }
        if (report->state == UNKNOWN &&
            (call->own != UNKNOWN || call->verdict != UNKNOWN)) {
            start_state(call, report, true, 0, ENDED,
                        call->own != UNKNOWN ? call->own : failure(call));
        }
    }
    if (call->verdict != DONE && call->operation != NULL) {
        coll_mtree_relay_transport_abandon(&call->transport);
    }
    while (!has_ended(report)) {
        progress(call);
    }
}

/* Nothing of the operation is under way any more. */
static void finish(relayed_call_t *call)
{
    if (call->operation != NULL) {
        while (!mtree_operation_done(call->operation, NULL)) {
            progress(call);
        }
        coll_mtree_relay_transport_end(&call->transport);
        mtree_operation_free(call->operation);
    }
    if (call->verdict == DONE) {
        coll_mtree_buffers_deliver(&call->buffers);
    }
    mtree_layout_destroy(call->layout);
    coll_mtree_buffers_cleanup(&call->buffers);
}

/* The verdict on the call of @a req over @a relay_plan. */
static int run(coll_mtree_request_t *req, coll_mtree_relay_plan_t *relay_plan)
{
    mca_coll_mtree_module_t *module = req->module;
    relayed_call_t call = {
        .req = req,
        .relay_plan = relay_plan,
        .args = req->args,
        .channel = {.comm = req->comm,
                    .first_tag = coll_mtree_tag_range_control(&module->tags, NUM_TAGS),
                    .longest = COLL_MTREE_ANY_LENGTH,
                    .wait = COLL_MTREE_WAIT_LATER}};

    call.states =
        mtree_calloc(2 * (size_t)ompi_comm_size(req->comm) + 2, sizeof(*call.states));
    describe(&call);
    begin(&call);
    if (is_first(&call)) {
        coordinate(&call);
    } else {
        participate(&call);
    }
    finish(&call);
    free(call.states);
    return call.verdict;
}

bool coll_mtree_relayed_call_run(coll_mtree_request_t *req,
                                 const coll_mtree_count_t *count)
{
    int verdict;

    if (!req->blocking || req->entry == NULL || req->entry->relay_plan == NULL) {
        return false;
    }
    verdict = run(req, req->entry->relay_plan);
    if (verdict == DONE) {
        /* It has not entered the window of calls. */
        req->module->calls.issued--;
        coll_mtree_statistics_by_relays(count);
    } else if (verdict == LOST) {
        coll_mtree_plan_sequence_renew(req->comm_class);
    } else {
        req->comm_class->path_failed = true;
    }
    return verdict == DONE;
}
