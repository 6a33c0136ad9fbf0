/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/call/relayed_call.h"

#include "coll_mtree/base/counters.h"
#include "coll_mtree/base/log.h"
#include "coll_mtree/base/params.h"
#include "coll_mtree/base/tags.h"
#include "coll_mtree/control/message.h"
#include "coll_mtree/relay/links.h"
#include "coll_mtree/relay/numbers.h"
#include "coll_mtree/tcp/endpoints.h"

#include "opal/runtime/opal_progress.h"
#include "relay/fold.h"
#include "schedule/operation.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* Tags, from the first of them. */
enum { ENDED, VERDICT, NUM_TAGS };

/* What is said with both; UNKNOWN: nothing yet.  Only a verdict is LOST: it has failed,
 * and a relay is gone.  UNREACHED and more, of a rank: it has failed, since the rank
 * cannot reach a relay, that of so much less in the plan. */
enum { UNKNOWN, DONE, FAILED, LOST, UNREACHED };

/* A message of one number; it is the PML's until it has ended. */
typedef struct {
    coll_mtree_message_t *message; /* NULL: it has ended, or has not begun */
    int32_t what;
} word_t;

typedef struct {
    coll_mtree_request_t *req;
    coll_mtree_relayed_t *relayed;
    mtree_relay_start_t start;
    coll_mtree_channel_t channel;
    coll_mtree_relay_transport_t transport;
    mtree_layout_t *layout;
    mtree_operation_t *operation; /* NULL: it has not begun here */
    void *saved;                  /* of what is summed up in place */
    word_t
        *words; /* of rank 0: [ranks] from and to each; of others: [2] to and from it */
    int own, verdict;
} relayed_call_t;

/* Why a call can pass through no relay, to go behind "are not supported with". */
typedef enum {
    DETERMINISTIC,
    NOT_BLOCKING,
    COLLECTIVE,
    UNEQUAL,
    REDUCTION,
    CONNECTIONS,
    NO_REASON
} reason_t;

static const char *const reasons[NO_REASON] = {
    [DETERMINISTIC] = "coll_mtree_deterministic",
    [NOT_BLOCKING] = "nonblocking and persistent calls",
    [COLLECTIVE] = "this collective",
    [UNEQUAL] = "blocks of unequal size",
    [REDUCTION] = "this datatype or operation",
    [CONNECTIONS] =
        "ULFM, several jobs in a communicator or messages that are not TCP's"};

static reason_t find_reason(ompi_communicator_t *comm, const coll_mtree_coll_args_t *args,
                            bool blocking)
{
    const mtree_call_t *call = &args->call;
    bool reduces = mtree_collective_reduces(call->collective);

    if (coll_mtree_params.deterministic) {
        return DETERMINISTIC;
    }
    if (!blocking) {
        return NOT_BLOCKING;
    }
    /* A barrier is an allreduce without an operation. */
    if (!mtree_relay_serves(call->collective) || (reduces && args->op == NULL)) {
        return COLLECTIVE;
    }
    if (call->blocks != NULL) {
        return UNEQUAL;
    }
    if (args->op != NULL &&
        !coll_mtree_relay_numbers(args->op, args->datatype, NULL, NULL)) {
        return REDUCTION;
    }
    return coll_mtree_endpoints_serve(comm) ? NO_REASON : CONNECTIONS;
}

bool coll_mtree_relayed_call_is_possible(ompi_communicator_t *comm,
                                         const coll_mtree_coll_args_t *args,
                                         bool blocking)
{
    static atomic_uint told; /* a bit for each reason */
    reason_t reason;

    if (!coll_mtree_relays_are_asked_for()) {
        return false;
    }
    reason = find_reason(comm, args, blocking);
    if (reason != NO_REASON &&
        (atomic_fetch_or(&told, 1u << reason) >> reason) % 2 == 0) {
        coll_mtree_verbose(comm, 1, "%s: relays are not supported with %s",
                           args->function, reasons[reason]);
    }
    return reason == NO_REASON;
}

static int num_relays(const relayed_call_t *call)
{
    return call->relayed->plan->num_relays;
}

static bool is_first(const relayed_call_t *call)
{
    return ompi_comm_rank(call->req->comm) == 0;
}

static void describe(relayed_call_t *call)
{
    const coll_mtree_hints_t *hints = &call->req->replan->super.module->hints;
    coll_mtree_coll_args_t *args = &call->req->args;

    if (hints->chunk_bytes >= 0) {
        args->call.chunk_bytes = (size_t)hints->chunk_bytes;
    }
    call->start = (mtree_relay_start_t){.plan = call->relayed->contact.plan,
                                        .number = ++call->relayed->calls,
                                        .context = coll_mtree_cid(call->req->comm),
                                        .call = args->call};
    call->start.call.longest_bytes = 0;
    call->start.call.recovery = 0;
    if (args->op != NULL) {
        (void)coll_mtree_relay_numbers(args->op, args->datatype, &call->start.type,
                                       &call->start.op);
    }
}

/* Keep what a failure would leave half summed up. */
static bool save(relayed_call_t *call)
{
    const coll_mtree_coll_args_t *args = &call->req->args;
    size_t bytes = args->call.units * args->call.unit_bytes;

    if (args->op == NULL || args->input != args->output) {
        return true;
    }
    call->saved = malloc(bytes);
    if (call->saved != NULL) {
        memcpy(call->saved, args->input, bytes);
    }
    return call->saved != NULL;
}

static void restore(const relayed_call_t *call)
{
    const coll_mtree_coll_args_t *args = &call->req->args;

    if (call->saved != NULL) {
        memcpy(args->output, call->saved, args->call.units * args->call.unit_bytes);
    }
}

/* Begin this rank's part; false: it cannot. */
static bool begin(relayed_call_t *call)
{
    coll_mtree_request_t *req = call->req;
    int rank = ompi_comm_rank(req->comm);

    if (coll_mtree_buffers_init(&req->buffers, &req->args, rank,
                                ompi_comm_size(req->comm)) != OMPI_SUCCESS ||
        !save(call) ||
        mtree_layout_create(call->relayed->part, call->relayed->placement,
                            &call->start.call, rank, &call->layout) != MTREE_OK ||
        coll_mtree_buffers_begin(&req->buffers) != OMPI_SUCCESS) {
        return false;
    }
    if (is_first(call) && !coll_mtree_relays_start(&call->relayed->contact,
                                                   num_relays(call), &call->start)) {
        return false;
    }
    coll_mtree_relay_transport_init(&call->transport, req->comm,
                                    req->args.op != NULL ? req->args.datatype : MPI_BYTE,
                                    call->relayed, call->layout, &call->start);
    if (mtree_operation_start(call->layout, &call->transport.super.super,
                              &req->buffers.super, NULL, NULL,
                              &call->operation) != MTREE_OK) {
        call->operation = NULL;
        coll_mtree_relay_transport_end(&call->transport);
    }
    return call->operation != NULL;
}

/* How this rank's part has ended; UNKNOWN: it has not. */
static int look(const relayed_call_t *call)
{
    mtree_status_t status;

    if (call->operation == NULL || mtree_operation_has_failed(call->operation)) {
        return FAILED;
    }
    return !mtree_operation_done(call->operation, &status) ? UNKNOWN
           : status == MTREE_OK                            ? DONE
                                                           : FAILED;
}

static void say(relayed_call_t *call, word_t *word, int rank, int tag, int what)
{
    word->what = what;
    word->message = coll_mtree_message_send(&call->channel, rank, tag, &word->what,
                                            sizeof(word->what));
}

static void await(relayed_call_t *call, word_t *word, int rank, int tag)
{
    word->what = UNKNOWN;
    word->message = coll_mtree_message_recv(&call->channel, rank, tag, &word->what,
                                            sizeof(word->what));
}

/* Has it come, or left?  One that is lost says that all has failed. */
static bool has_ended(word_t *word)
{
    mtree_status_t status = MTREE_OK;

    if (!coll_mtree_message_test(&word->message, &status)) {
        return false;
    }
    word->what = status == MTREE_OK && word->what != UNKNOWN ? word->what : FAILED;
    return true;
}

static void go_on(void)
{
    coll_mtree_relay_links_poll();
    opal_progress();
}

/* Rank 0, while nothing has failed: do the relays go on? */
static bool relays_serve(const relayed_call_t *call)
{
    const char *who;

    return coll_mtree_relays_watch(&call->relayed->contact, num_relays(call),
                                   &call->start, &who) == COLL_MTREE_RELAYS_SERVE;
}

/* How this rank's part has failed. */
static int failure(const relayed_call_t *call)
{
    int relay = coll_mtree_relay_links_unreached(call->relayed);

    return relay < 0 ? FAILED : UNREACHED + relay;
}

/* Rank 0: give up the relays that a rank, or another relay, has said that it cannot
 * reach; were there some? */
static bool give_up_unreached(const relayed_call_t *call)
{
    bool some = false;

    for (int r = 0; r < ompi_comm_size(call->req->comm); r++) {
        int what = r > 0                 ? call->words[r].what
                   : call->own == FAILED ? failure(call)
                                         : DONE;

        if (what >= UNREACHED && what < UNREACHED + num_relays(call)) {
            coll_mtree_relays_give_up(
                &call->relayed->contact, what - UNREACHED,
                (int)coll_mtree_process_name(call->req->comm, r).vpid);
            some = true;
        }
    }
    return coll_mtree_relays_give_up_unreached() || some;
}

/* Rank 0: the call has failed.  Ranks and relays beside one that is gone notice that
 * before rank 0 may, so all are asked. */
static int find_cause(const relayed_call_t *call)
{
    const coll_mtree_relay_contact_t *contact = &call->relayed->contact;
    const char *who = NULL;
    coll_mtree_relays_do_t what;

    coll_mtree_relays_ask(contact, num_relays(call));
    do {
        go_on();
        what = coll_mtree_relays_watch(contact, num_relays(call), &call->start, &who);
    } while (!coll_mtree_relays_have_answered(contact, num_relays(call)));
    if (give_up_unreached(call) || what == COLL_MTREE_RELAYS_LOST) {
        return LOST;
    }
    if (what == COLL_MTREE_RELAYS_REFUSE) {
        mtree_warn(
            "relay %s: it refused or failed a call; such calls go on without relays",
            who);
    }
    return FAILED;
}

/* Rank 0: what has become of all parts so far. */
static int gather_words(relayed_call_t *call)
{
    int ranks = ompi_comm_size(call->req->comm), done = call->own == DONE;

    for (int r = 1; r < ranks; r++) {
        if (has_ended(&call->words[r])) {
            if (call->words[r].what != DONE) {
                return FAILED;
            }
            done++;
        }
    }
    return call->own == FAILED ? FAILED : done == ranks ? DONE : UNKNOWN;
}

/* Rank 0: wait for the verdict, say it to all, and hear the last of them. */
static void judge(relayed_call_t *call)
{
    int ranks = ompi_comm_size(call->req->comm);
    word_t *verdicts = call->words + ranks;

    for (int r = 1; r < ranks; r++) {
        await(call, &call->words[r], r, ENDED);
    }
    while (call->verdict == UNKNOWN) {
        go_on();
        call->own = call->own == UNKNOWN ? look(call) : call->own;
        call->verdict = gather_words(call);
        if (call->verdict != DONE && !relays_serve(call)) {
            call->verdict = FAILED;
        }
    }
    if (call->verdict == FAILED) {
        call->verdict = find_cause(call);
    }
    for (int r = 1; r < ranks; r++) {
        say(call, &verdicts[r], r, VERDICT, call->verdict);
    }
    if (call->verdict != DONE) {
        coll_mtree_relays_cancel(&call->relayed->contact, num_relays(call), &call->start);
        if (call->operation != NULL) {
            coll_mtree_relay_transport_abandon(&call->transport);
        }
    }
    for (int r = 1; r < ranks; r++) {
        while (!has_ended(&call->words[r]) || !has_ended(&verdicts[r])) {
            go_on();
        }
    }
}

/* Another rank: say how this part has ended, and hear the verdict. */
static void obey(relayed_call_t *call)
{
    word_t *said = &call->words[0], *heard = &call->words[1];
    bool has_said = false;

    await(call, heard, 0, VERDICT);
    while (call->verdict == UNKNOWN) {
        go_on();
        call->own = call->own == UNKNOWN ? look(call) : call->own;
        if (has_ended(heard)) {
            call->verdict = heard->what;
        }
        if (!has_said && (call->own != UNKNOWN || call->verdict != UNKNOWN)) {
            say(call, said, 0, ENDED, call->own == DONE ? DONE : failure(call));
            has_said = true;
        }
    }
    if (call->verdict != DONE && call->operation != NULL) {
        coll_mtree_relay_transport_abandon(&call->transport);
    }
    while (!has_ended(said)) {
        go_on();
    }
}

/* Nothing of the operation is under way any more. */
static void finish(relayed_call_t *call)
{
    if (call->operation != NULL) {
        while (!mtree_operation_done(call->operation, NULL)) {
            go_on();
        }
        coll_mtree_relay_transport_end(&call->transport);
        mtree_operation_free(call->operation);
    }
    if (call->verdict == DONE) {
        coll_mtree_buffers_deliver(&call->req->buffers);
    } else {
        restore(call);
    }
    mtree_layout_destroy(call->layout);
    coll_mtree_buffers_cleanup(&call->req->buffers);
    memset(&call->req->buffers, 0, sizeof(call->req->buffers));
    free(call->saved);
}

coll_mtree_relayed_end_t coll_mtree_relayed_call_run(coll_mtree_request_t *req,
                                                     coll_mtree_relayed_t *relayed)
{
    mca_coll_mtree_module_t *module = req->replan->super.module;
    relayed_call_t call = {
        .req = req,
        .relayed = relayed,
        .channel = {.comm = req->comm,
                    .first_tag = coll_mtree_tags_control(module, NUM_TAGS),
                    .longest = COLL_MTREE_ANY_LENGTH,
                    .wait = COLL_MTREE_WAIT_LATER}};

    /* Without it no rank could say anything: such a job is at its end. */
    call.words = calloc(2 * (size_t)ompi_comm_size(req->comm) + 2, sizeof(*call.words));
    if (call.words == NULL) {
        return COLL_MTREE_RELAYED_FAILED;
    }
    describe(&call);
    if (!begin(&call)) {
        call.own = FAILED;
    }
    if (is_first(&call)) {
        judge(&call);
    } else {
        obey(&call);
    }
    finish(&call);
    free(call.words);
    return call.verdict == DONE   ? COLL_MTREE_RELAYED_DONE
           : call.verdict == LOST ? COLL_MTREE_RELAYED_LOST
                                  : COLL_MTREE_RELAYED_FAILED;
}
