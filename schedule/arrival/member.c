/* SPDX-License-Identifier: BSD-3-Clause */
#include "schedule/arrival/private.h"
#include "schedule/operation_private.h"

#include <stdlib.h>
#include <string.h>

/* A command or an event that is being sent. */
typedef struct {
    mtree_event_t event; /* must be first */
    mtree_arrival_run_t *run;
    mtree_arrival_text_t text;
} control_msg_t;

static void control_msg_sent(mtree_event_t *event)
{
    control_msg_t *control_msg = (control_msg_t *)event;

    (void)mtree_operation_ended(control_msg->run->operation, event);
    free(control_msg);
}

void mtree_arrival_send(mtree_arrival_run_t *run, int rank, int tag, const void *text,
                        size_t bytes)
{
    control_msg_t *control_msg = calloc(1, sizeof(*control_msg));

    if (control_msg == NULL) {
        mtree_operation_fail(run->operation, MTREE_ERR_NO_MEMORY);
        return;
    }
    control_msg->run = run;
    memcpy(&control_msg->text, text, bytes);
    if (!mtree_dynamic_peers_message(run->operation, run->arrival.control, false, rank,
                                     tag, &control_msg->text, bytes, &control_msg->event,
                                     control_msg_sent)) {
        free(control_msg);
    }
}

static void member_send_event(mtree_arrival_run_t *run, mtree_arrival_event_kind_t kind,
                              size_t chunk)
{
    const mtree_arrival_event_t event = {.kind = kind, .chunk = (int64_t)chunk};

    mtree_arrival_send(run, run->coordinator, MTREE_ARRIVAL_TAG_EVENT, &event,
                       sizeof(event));
}

/* Leave, and stop sending to the receiver that the root takes over, if there is one. */
static void member_leave(mtree_arrival_run_t *run, const mtree_arrival_command_t *command)
{
    size_t chunk = 0;

    if (command->num_ranks > 0) {
        chunk = mtree_dynamic_peers_stop(run->operation, command->ranks[0]);
    }
    run->dismissed = true;
    member_send_event(run, MTREE_EVENT_LEFT, chunk);
}

static void member_recv_command(mtree_arrival_run_t *run);

static void member_command_received(mtree_event_t *event)
{
    mtree_posted_recv_t *posted_recv = (mtree_posted_recv_t *)event;
    mtree_arrival_run_t *run = posted_recv->run;
    mtree_arrival_command_t command = posted_recv->text.command;
    bool last = command.kind == MTREE_COMMAND_LEAVE ||
                (command.kind == MTREE_COMMAND_PARENT && !run->has_directory);

    if (!mtree_operation_ended(run->operation, event)) {
        return;
    }
    if (!last) {
        member_recv_command(run);
    }
    mtree_member_execute(run, &command);
    if (last) {
        mtree_dynamic_peers_end(run->operation);
    }
}

static void member_recv_command(mtree_arrival_run_t *run)
{
    mtree_posted_recv_t *posted_recv = run->posted_recvs;

    (void)mtree_dynamic_peers_message(
        run->operation, run->arrival.control, true, run->coordinator,
        MTREE_ARRIVAL_TAG_COMMAND, &posted_recv->text.command,
        sizeof(posted_recv->text.command), &posted_recv->event, member_command_received);
}

void mtree_member_execute(mtree_arrival_run_t *run,
                          const mtree_arrival_command_t *command)
{
    switch ((mtree_arrival_command_kind_t)command->kind) {
    case MTREE_COMMAND_CHILDREN:
        for (int i = 0; i < command->num_ranks; i++) {
            run->children[i] = command->ranks[i];
        }
        mtree_dynamic_peers_children(run->operation, command->num_ranks, run->children);
        break;
    case MTREE_COMMAND_PARENT:
        mtree_dynamic_peers_parent(run->operation, command->ranks[0]);
        break;
    case MTREE_COMMAND_SOURCE:
        mtree_dynamic_peers_source(run->operation, command->ranks[0]);
        break;
    case MTREE_COMMAND_RECEIVER:
        mtree_dynamic_peers_receiver(run->operation, command->ranks[0], 0);
        break;
    case MTREE_COMMAND_SETTLED:
        run->settled = true;
        break;
    case MTREE_COMMAND_LEAVE:
        member_leave(run, command);
        break;
    }
}

void mtree_member_progress(mtree_arrival_run_t *run)
{
    if (mtree_dynamic_peers_is_stopped(run->operation)) {
        mtree_dynamic_peers_source(run->operation, run->coordinator);
    }
    if (!run->has_directory || run->dismissed ||
        !mtree_dynamic_peers_is_complete(run->operation)) {
        return;
    }
    if (!run->reported_complete) {
        run->reported_complete = true;
        member_send_event(run, MTREE_EVENT_COMPLETE, 0);
    }
    /* What remains is the command to leave, and the answer. */
    if (run->settled && !run->arrival.reuses_tags &&
        mtree_dynamic_peers_is_idle(run->operation)) {
        mtree_dynamic_peers_detach(run->operation);
    }
}

void mtree_member_begin(mtree_arrival_run_t *run)
{
    const mtree_stream_t *stream = &run->stream;

    run->posted_recvs->run = run;
    if (stream->down && !run->has_directory) {
        mtree_dynamic_peers_source(run->operation, run->coordinator);
    }
    if (!stream->up && !run->has_directory) {
        mtree_dynamic_peers_end(run->operation);
        return;
    }
    member_send_event(run, MTREE_EVENT_ARRIVED, 0);
    member_recv_command(run);
}
