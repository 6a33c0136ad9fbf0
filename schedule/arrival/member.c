/* SPDX-License-Identifier: BSD-3-Clause */
#include "schedule/arrival/private.h"

/* A command that is being sent, or an empty message. */
typedef struct {
    mtree_event_t event; /* must be first */
    mtree_arrival_run_t *run;
    mtree_arrival_command_t command;
} control_msg_t;

static void control_msg_sent(mtree_event_t *event)
{
    control_msg_t *control_msg = (control_msg_t *)event;

    (void)mtree_operation_ended(control_msg->run->operation, event);
}

void mtree_arrival_send(mtree_arrival_run_t *run, int rank,
                        const mtree_arrival_command_t *command)
{
    control_msg_t *control_msg = MTREE_ARENA_ARRAY(&run->arena, control_msg, 1);

    control_msg->run = run;
    if (command != NULL) {
        control_msg->command = *command;
    }
    mtree_arrival_message(run, false, rank,
                          command == NULL ? MTREE_ARRIVAL_TAG_EVENT
                                          : MTREE_ARRIVAL_TAG_COMMAND,
                          &control_msg->command, command == NULL ? 0 : sizeof(*command),
                          &control_msg->event, control_msg_sent);
}

/* The second message, which is sent once. */
static void member_report(mtree_arrival_run_t *run)
{
    if (!run->has_reported) {
        run->has_reported = true;
        mtree_arrival_send(run, run->coordinator, NULL);
    }
}

static void member_recv_command(mtree_arrival_run_t *run);

static void member_command_received(mtree_event_t *event)
{
    mtree_posted_recv_t *posted_recv = (mtree_posted_recv_t *)event;
    mtree_arrival_run_t *run = posted_recv->run;
    mtree_arrival_command_t command = posted_recv->command;
    bool last = command.kind == MTREE_COMMAND_LAST ||
                (command.kind == MTREE_COMMAND_PARENT && !run->has_directory);

    if (!mtree_operation_ended(run->operation, event)) {
        return;
    }
    if (!last) {
        member_recv_command(run);
    }
    mtree_member_execute(run, &command);
    if (last) {
        mtree_arrival_end_peers(run->operation);
    }
}

static void member_recv_command(mtree_arrival_run_t *run)
{
    mtree_posted_recv_t *posted_recv = run->posted_recvs;

    mtree_arrival_message(run, true, run->coordinator, MTREE_ARRIVAL_TAG_COMMAND,
                          &posted_recv->command, sizeof(posted_recv->command),
                          &posted_recv->event, member_command_received);
}

void mtree_member_execute(mtree_arrival_run_t *run,
                          const mtree_arrival_command_t *command)
{
    switch ((mtree_arrival_command_kind_t)command->kind) {
    case MTREE_COMMAND_CHILDREN:
        for (int i = 0; i < command->num_ranks; i++) {
            run->children[i] = command->ranks[i];
        }
        run->stream.num_children = command->num_ranks;
        mtree_arrival_add_children(run);
        break;
    case MTREE_COMMAND_PARENT:
        mtree_arrival_add_channel(run, command->ranks[0], true);
        break;
    case MTREE_COMMAND_SOURCE:
        mtree_arrival_add_source(run, command->ranks[0]);
        break;
    case MTREE_COMMAND_RECEIVER:
        mtree_arrival_add_channel(run, command->ranks[0], false);
        break;
    case MTREE_COMMAND_LAST:
        member_report(run);
        break;
    }
}

void mtree_member_progress(mtree_arrival_run_t *run)
{
    if (run->has_directory && mtree_arrival_is_complete(run)) {
        member_report(run);
    }
}

void mtree_member_begin(mtree_arrival_run_t *run)
{
    const mtree_stream_t *stream = &run->stream;

    run->posted_recvs->run = run;
    if (stream->down && !run->has_directory) {
        mtree_arrival_add_source(run, run->coordinator);
    }
    if (!stream->up && !run->has_directory) {
        mtree_arrival_end_peers(run->operation);
        return;
    }
    mtree_arrival_send(run, run->coordinator, NULL);
    member_recv_command(run);
}
