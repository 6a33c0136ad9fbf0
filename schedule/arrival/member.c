/* SPDX-License-Identifier: BSD-3-Clause */
#include "schedule/arrival/private.h"

#include <string.h>

static void member_report(mtree_arrival_run_t *run, mtree_report_kind_t kind,
                          size_t chunk)
{
    mtree_control_msg_t *control_msg = mtree_control_msg_get(run);

    if (control_msg != NULL) {
        control_msg->text.report = (mtree_report_t){kind, (int64_t)chunk};
        mtree_control_msg_send(control_msg, run->coordinator, MTREE_ARRIVAL_TAG_REPORT,
                               sizeof(control_msg->text.report));
    }
}

/* Leave, but for the rank that is to be given no more. */
static void member_leave(mtree_arrival_run_t *run, const mtree_command_t *command)
{
    size_t chunk = 0;

    if (command->num_ranks > 0) {
        chunk = mtree_dynamic_peers_stop(run->operation, command->ranks[0]);
    }
    run->dismissed = true;
    member_report(run, MTREE_REPORT_BYE, chunk);
}

static void member_listen(mtree_arrival_run_t *run);

static void member_commanded(mtree_event_t *event)
{
    mtree_posted_recv_t *posted_recv = (mtree_posted_recv_t *)event;
    mtree_arrival_run_t *run = posted_recv->run;
    mtree_command_t command = posted_recv->text.command;
    bool last = command.kind == MTREE_COMMAND_LEAVE ||
                (command.kind == MTREE_COMMAND_PASS && !run->has_directory);

    if (!mtree_dynamic_peers_settle(run->operation, event)) {
        return;
    }
    if (!last) {
        member_listen(run);
    }
    mtree_arrival_obey(run, &command);
    if (last) {
        mtree_dynamic_peers_end(run->operation);
    }
}

static void member_listen(mtree_arrival_run_t *run)
{
    mtree_posted_recv_t *posted_recv = run->posted_recvs;

    mtree_dynamic_peers_recv(run->operation, run->arrival.control, run->coordinator,
                             MTREE_ARRIVAL_TAG_COMMAND, &posted_recv->text.command,
                             sizeof(posted_recv->text.command), &posted_recv->event,
                             member_commanded);
}

void mtree_arrival_obey(mtree_arrival_run_t *run, const mtree_command_t *command)
{
    switch ((mtree_command_kind_t)command->kind) {
    case MTREE_COMMAND_GATHER:
        for (int i = 0; i < command->num_ranks; i++) {
            run->children[i] = command->ranks[i];
        }
        mtree_dynamic_peers_children(run->operation, command->num_ranks, run->children);
        break;
    case MTREE_COMMAND_PASS:
        mtree_dynamic_peers_parent(run->operation, command->ranks[0]);
        break;
    case MTREE_COMMAND_TAKE:
        mtree_dynamic_peers_source(run->operation, command->ranks[0]);
        break;
    case MTREE_COMMAND_GIVE:
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

void mtree_arrival_report(mtree_arrival_run_t *run)
{
    if (mtree_dynamic_peers_is_stopped(run->operation)) {
        mtree_dynamic_peers_source(run->operation, run->coordinator);
    }
    if (!run->has_directory || run->dismissed ||
        !mtree_dynamic_peers_is_complete(run->operation)) {
        return;
    }
    if (!run->reported_hold) {
        run->reported_hold = true;
        member_report(run, MTREE_REPORT_HOLD, 0);
    }
    /* What is left is an order to leave, and the answer. */
    if (run->settled && !run->arrival.lasting &&
        mtree_dynamic_peers_is_idle(run->operation)) {
        mtree_dynamic_peers_let_go(run->operation);
    }
}

void mtree_arrival_enter(mtree_arrival_run_t *run)
{
    const mtree_stream_t *stream = &run->stream;

    run->posted_recvs->run = run;
    if (stream->broadcast && !run->has_directory) {
        mtree_dynamic_peers_source(run->operation, run->coordinator);
    }
    if (!stream->reduce && !run->has_directory) {
        mtree_dynamic_peers_end(run->operation);
        return;
    }
    member_report(run, MTREE_REPORT_HERE, 0);
    member_listen(run);
}
