/* SPDX-License-Identifier: BSD-3-Clause */
/* What an arrival-ordered call's ranks and its coordinator tell each other. */
#include "schedule/arrival/private.h"

/* Part of the message that may be sent before the root assigns further sources. */
#define GATHERING_PART 0.02

/*
 * Commands of the coordinator to a rank, in this order: of a reduction CHILDREN and
 * PARENT, of a broadcast SOURCE, any number of RECEIVERs, and LAST.  Nothing follows the
 * last of them.
 *
 * A rank sends the coordinator an empty message when it arrives, and another one, where a
 * broadcast has a directory, when it has the whole result or has received LAST.
 */
typedef enum {
    COMMAND_CHILDREN, /* add the sums of these ranks to your own part */
    COMMAND_PARENT,   /* send the sum to this rank */
    COMMAND_SOURCE,   /* receive the result from this rank */
    COMMAND_RECEIVER, /* send the result to this rank, too */
    COMMAND_LAST      /* no more receivers will follow */
} command_kind_t;

typedef struct {
    int32_t kind;
    int32_t num_ranks;
    int32_t ranks[MTREE_CHAIN_CHILDREN];
} command_t;

/* A command, or an empty message, that is being sent to a rank or received from it. */
typedef struct {
    mtree_event_t event; /* must be first */
    mtree_arrival_run_t *run;
    int rank;
    command_t command;
} message_t;

static bool is_coordinator(const mtree_arrival_run_t *run)
{
    return run->arrival.rank == run->coordinator;
}

/* Memory for a message, which lives as long as the run. */
static message_t *message_new(mtree_arrival_run_t *run, int rank)
{
    message_t *message = MTREE_ARENA_ARRAY(&run->arena, message, 1);

    message->run = run;
    message->rank = rank;
    return message;
}

static void message_sent(mtree_event_t *event)
{
    (void)mtree_operation_ended(((message_t *)event)->run->operation, event);
}

/* Send a copy of @a command to @a rank; NULL: an empty message. */
static void send_command(mtree_arrival_run_t *run, int rank, const command_t *command)
{
    message_t *message = message_new(run, rank);

    if (command != NULL) {
        message->command = *command;
    }
    mtree_arrival_message(run, false, rank,
                          command == NULL ? MTREE_ARRIVAL_TAG_EVENT
                                          : MTREE_ARRIVAL_TAG_COMMAND,
                          &message->command, command == NULL ? 0 : sizeof(*command),
                          &message->event, message_sent);
}

/* The second message, which is sent once. */
static void member_report(mtree_arrival_run_t *run)
{
    if (!run->has_reported) {
        run->has_reported = true;
        send_command(run, run->coordinator, NULL);
    }
}

static void member_execute(mtree_arrival_run_t *run, const command_t *command)
{
    switch ((command_kind_t)command->kind) {
    case COMMAND_CHILDREN:
        for (int i = 0; i < command->num_ranks; i++) {
            run->children[i] = command->ranks[i];
        }
        run->stream.num_children = command->num_ranks;
        mtree_arrival_add_children(run);
        break;
    case COMMAND_PARENT:
        mtree_arrival_add_channel(run, command->ranks[0], true);
        break;
    case COMMAND_SOURCE:
        mtree_arrival_add_source(run, command->ranks[0]);
        break;
    case COMMAND_RECEIVER:
        mtree_arrival_add_channel(run, command->ranks[0], false);
        break;
    case COMMAND_LAST:
        member_report(run);
        break;
    }
}

static void member_recv_command(mtree_arrival_run_t *run);

static void member_command_received(mtree_event_t *event)
{
    const message_t *message = (const message_t *)event;
    const command_t *command = &message->command;
    mtree_arrival_run_t *run = message->run;
    bool last = command->kind == COMMAND_LAST ||
                (command->kind == COMMAND_PARENT && !run->has_directory);

    if (!mtree_operation_ended(run->operation, event)) {
        return;
    }
    if (!last) {
        member_recv_command(run);
    }
    member_execute(run, command);
    if (last) {
        mtree_arrival_end_peers(run->operation);
    }
}

static void member_recv_command(mtree_arrival_run_t *run)
{
    message_t *message = message_new(run, run->coordinator);

    mtree_arrival_message(run, true, run->coordinator, MTREE_ARRIVAL_TAG_COMMAND,
                          &message->command, sizeof(message->command), &message->event,
                          member_command_received);
}

static void member_progress(mtree_arrival_run_t *run)
{
    if (run->has_directory && mtree_arrival_is_complete(run)) {
        member_report(run);
    }
}

static void member_begin(mtree_arrival_run_t *run)
{
    const mtree_stream_t *stream = &run->stream;

    if (stream->down && !run->has_directory) {
        mtree_arrival_add_source(run, run->coordinator);
    }
    if (!stream->up && !run->has_directory) {
        mtree_arrival_end_peers(run->operation);
        return;
    }
    send_command(run, run->coordinator, NULL);
    member_recv_command(run);
}

/* Have @a rank execute a command about @a num ranks. */
static void coordinator_tell(mtree_arrival_run_t *run, int rank, command_kind_t kind,
                             const int *ranks, int num)
{
    command_t command = {.kind = kind, .num_ranks = num};

    for (int i = 0; i < num; i++) {
        command.ranks[i] = ranks[i];
    }
    if (rank == run->coordinator) {
        member_execute(run, &command);
    } else {
        send_command(run, rank, &command);
    }
}

/* Receive the next message of @a rank. */
static void coordinator_recv(mtree_arrival_run_t *run, int rank,
                             void (*handle)(mtree_event_t *event))
{
    mtree_arrival_message(run, true, rank, MTREE_ARRIVAL_TAG_EVENT, NULL, 0,
                          &message_new(run, rank)->event, handle);
}

/* A rank has the whole result or needs no more receivers. */
static void coordinator_reported(mtree_event_t *event)
{
    const message_t *message = (const message_t *)event;

    if (mtree_operation_ended(message->run->operation, event)) {
        mtree_directory_hold(message->run->directory, message->rank);
    }
}

static void coordinator_arrived(mtree_event_t *event)
{
    const message_t *message = (const message_t *)event;
    mtree_arrival_run_t *run = message->run;

    if (!mtree_operation_ended(run->operation, event)) {
        return;
    }
    if (run->chain != NULL) {
        mtree_chain_arrive(run->chain, message->rank);
    }
    if (run->directory != NULL) {
        mtree_directory_arrive(run->directory, message->rank);
        coordinator_recv(run, message->rank, coordinator_reported);
    }
}

/* Give the ranks that have arrived their places in the chain. */
static void coordinator_assign_chain(mtree_arrival_run_t *run)
{
    mtree_chain_link_t link;

    while (mtree_chain_next(run->chain, &link)) {
        coordinator_tell(run, link.rank, COMMAND_CHILDREN, link.children,
                         link.num_children);
        for (int i = 0; i < link.num_children; i++) {
            coordinator_tell(run, link.children[i], COMMAND_PARENT, &link.rank, 1);
        }
    }
}

/*
 * Ranks that arrive together do not arrive at the same instant.  Where it matters who
 * serves whom, all but the first wait until the root has sent a small part: the more
 * ranks have arrived by then, the better is the assignment.
 */
static bool coordinator_waits_for_more(const mtree_arrival_run_t *run)
{
    return run->arrival.plan->routes != NULL && !run->stream.up &&
           mtree_directory_num_assigned(run->directory) == 1 &&
           mtree_directory_num_arrived(run->directory) <
               run->arrival.placement->num_ranks - 1 &&
           mtree_arrival_sent_part(run) < GATHERING_PART;
}

/* Assign sources to the ranks that have arrived, and dismiss those that nobody needs. */
static void coordinator_assign_sources(mtree_arrival_run_t *run)
{
    int source, rank;

    while (!coordinator_waits_for_more(run) &&
           mtree_directory_assign(run->directory, &source, &rank)) {
        coordinator_tell(run, rank, COMMAND_SOURCE, &source, 1);
        coordinator_tell(run, source, COMMAND_RECEIVER, &rank, 1);
    }
    while (mtree_directory_dismiss(run->directory, &rank)) {
        coordinator_tell(run, rank, COMMAND_LAST, &rank, 1);
    }
}

/* Take @a bytes from the budget of the process. */
static bool budget_take(atomic_size_t *budget, size_t bytes)
{
    size_t left = budget == NULL ? 0 : atomic_load(budget);

    while (left >= bytes && left > 0) {
        if (atomic_compare_exchange_weak(budget, &left, left - bytes)) {
            return true;
        }
    }
    return false;
}

/*
 * The root of a broadcast makes a copy when it has served a receiver, has no other one
 * now, and more may arrive.
 */
static bool coordinator_copy(mtree_arrival_run_t *run)
{
    size_t bytes = run->stream.length;

    if (run->stream.up || run->copied_bytes > 0 ||
        mtree_directory_num_assigned(run->directory) == 0 ||
        !budget_take(run->arrival.copy_budget, bytes)) {
        return false;
    }
    mtree_arrival_copy_result(run);
    run->copied_bytes = bytes;
    return true;
}

static void coordinator_progress(mtree_arrival_run_t *run)
{
    bool complete = true;

    if (run->chain != NULL) {
        coordinator_assign_chain(run);
        complete = mtree_chain_is_complete(run->chain);
    }
    if (complete && run->directory != NULL) {
        coordinator_assign_sources(run);
        complete = mtree_directory_is_done(run->directory);
    }
    if (complete) {
        mtree_arrival_end_peers(run->operation);
    }
    if (run->directory != NULL && !run->arrival.reuses_tags &&
        mtree_arrival_is_complete(run) && mtree_arrival_is_idle(run) &&
        (complete || coordinator_copy(run))) {
        run->operation->detached = true;
    }
}

static void coordinator_begin(mtree_arrival_run_t *run)
{
    const mtree_stream_t *stream = &run->stream;
    const mtree_placement_t *placement = run->arrival.placement;
    const mtree_plan_t *plan = run->arrival.plan;

    if (stream->up) {
        run->chain = mtree_chain_create(&run->arena, plan, placement, run->coordinator);
    }
    if (run->has_directory) {
        run->directory =
            mtree_directory_create(&run->arena, plan, placement, run->coordinator);
    }
    for (int rank = 0; rank < placement->num_ranks; rank++) {
        if (rank == run->coordinator) {
            continue;
        }
        if (stream->down && !run->has_directory) {
            mtree_arrival_add_channel(run, rank, false);
        }
        if (stream->up || run->has_directory) {
            coordinator_recv(run, rank, coordinator_arrived);
        }
    }
}

void mtree_arrival_begin(mtree_arrival_run_t *run)
{
    if (is_coordinator(run)) {
        coordinator_begin(run);
    } else {
        member_begin(run);
    }
}

void mtree_arrival_decide(mtree_arrival_run_t *run)
{
    if (is_coordinator(run)) {
        coordinator_progress(run);
    } else {
        member_progress(run);
    }
}
