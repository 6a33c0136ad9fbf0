#include "schedule/arrival/private.h"

#include <string.h>

static void member_report(mtree_arrival_run_t *run, mtree_report_kind_t kind,
                          size_t chunk)
{
    mtree_control_msg_t *note = mtree_arrival_control_msg(run);

    if (note != NULL) {
        note->text.report = (mtree_report_t){kind, (int64_t)chunk};
        mtree_arrival_send(note, run->coordinator, MTREE_ARRIVAL_TAG_REPORT,
                           sizeof(note->text.report));
    }
}

/* Leave, but for the rank that is to be given no more. */
static void member_leave(mtree_arrival_run_t *run, const mtree_command_t *order)
{
    size_t chunk = 0;

    if (order->num_ranks > 0) {
        chunk = mtree_dynamic_peers_stop(run->operation, order->ranks[0]);
    }
    run->dismissed = true;
    member_report(run, MTREE_REPORT_BYE, chunk);
}

static void member_listen(mtree_arrival_run_t *run);

static void member_ordered(mtree_event_t *event)
{
    mtree_posted_recv_t *ear = (mtree_posted_recv_t *)event;
    mtree_arrival_run_t *run = ear->run;
    mtree_command_t order = ear->text.order;
    bool last = order.kind == MTREE_COMMAND_LEAVE ||
                (order.kind == MTREE_COMMAND_PASS && !run->has_directory);

    if (!mtree_dynamic_peers_settle(run->operation, event)) {
        return;
    }
    if (!last) {
        member_listen(run);
    }
    mtree_arrival_obey(run, &order);
    if (last) {
        mtree_dynamic_peers_end(run->operation);
    }
}

static void member_listen(mtree_arrival_run_t *run)
{
    mtree_posted_recv_t *ear = run->ears;

    mtree_dynamic_peers_recv(run->operation, run->arrival.control, run->coordinator,
                             MTREE_ARRIVAL_TAG_COMMAND, &ear->text.order,
                             sizeof(ear->text.order), &ear->event, member_ordered);
}

void mtree_arrival_obey(mtree_arrival_run_t *run, const mtree_command_t *order)
{
    switch ((mtree_command_kind_t)order->kind) {
    case MTREE_COMMAND_GATHER:
        for (int i = 0; i < order->num_ranks; i++) {
            run->children[i] = order->ranks[i];
        }
        mtree_dynamic_peers_children(run->operation, order->num_ranks, run->children);
        break;
    case MTREE_COMMAND_PASS:
        mtree_dynamic_peers_parent(run->operation, order->ranks[0]);
        break;
    case MTREE_COMMAND_TAKE:
        mtree_dynamic_peers_source(run->operation, order->ranks[0]);
        break;
    case MTREE_COMMAND_GIVE:
        mtree_dynamic_peers_receiver(run->operation, order->ranks[0], 0);
        break;
    case MTREE_COMMAND_SETTLED:
        run->settled = true;
        break;
    case MTREE_COMMAND_LEAVE:
        member_leave(run, order);
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

    run->ears->run = run;
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
