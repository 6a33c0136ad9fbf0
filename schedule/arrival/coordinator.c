/* SPDX-License-Identifier: BSD-3-Clause */
#include "schedule/arrival/private.h"

/* Of the message: what waiting for it costs is no more than that. */
#define GATHERING_PART 0.02

/* Tell @a rank, which may be the coordinator itself. */
static void coordinator_command(mtree_arrival_run_t *run, int rank,
                                const mtree_command_t *command)
{
    mtree_control_msg_t *control_msg;

    if (rank == run->coordinator) {
        mtree_arrival_obey(run, command);
        return;
    }
    control_msg = mtree_control_msg_get(run);
    if (control_msg != NULL) {
        control_msg->text.command = *command;
        mtree_control_msg_send(control_msg, rank, MTREE_ARRIVAL_TAG_COMMAND,
                               sizeof(*command));
    }
}

/* An order about one rank. */
static void coordinator_command_about(mtree_arrival_run_t *run, int rank,
                                      mtree_command_kind_t kind, int about)
{
    mtree_command_t command = {.kind = kind, .num_ranks = 1, .ranks = {about}};

    coordinator_command(run, rank, &command);
}

static void coordinator_listen(mtree_posted_recv_t *posted_recv);

/* No rank reports after its last report, so nothing is left to be received. */
static void coordinator_heard(mtree_event_t *event)
{
    mtree_posted_recv_t *posted_recv = (mtree_posted_recv_t *)event;
    mtree_arrival_run_t *run = posted_recv->run;
    mtree_report_t report = posted_recv->text.report;

    if (!mtree_dynamic_peers_settle(run->operation, event)) {
        return;
    }
    if (run->has_directory && report.kind != MTREE_REPORT_BYE) {
        coordinator_listen(posted_recv);
    } else if (posted_recv->relieved >= 0) {
        run->handing_over--;
        mtree_dynamic_peers_receiver(run->operation, posted_recv->relieved,
                                     (size_t)report.chunk);
    }
    switch ((mtree_report_kind_t)report.kind) {
    case MTREE_REPORT_HERE:
        if (run->arrival.came != NULL) {
            run->arrival.came[posted_recv->rank] = mtree_arrival_now(run) - run->began;
        }
        if (run->chain != NULL) {
            mtree_chain_arrive(run->chain, posted_recv->rank);
        }
        if (run->directory != NULL) {
            mtree_directory_arrive(run->directory, posted_recv->rank);
        }
        break;
    case MTREE_REPORT_HOLD:
        mtree_directory_hold(run->directory, posted_recv->rank);
        break;
    case MTREE_REPORT_BYE:
        break;
    }
}

static void coordinator_listen(mtree_posted_recv_t *posted_recv)
{
    mtree_arrival_run_t *run = posted_recv->run;

    mtree_dynamic_peers_recv(run->operation, run->arrival.control, posted_recv->rank,
                             MTREE_ARRIVAL_TAG_REPORT, &posted_recv->text.report,
                             sizeof(posted_recv->text.report), &posted_recv->event,
                             coordinator_heard);
}

/* Chain those that are there. */
static void coordinator_chain(mtree_arrival_run_t *run)
{
    mtree_chain_link_t link;

    while (mtree_chain_next(run->chain, &link)) {
        mtree_command_t command = {.kind = MTREE_COMMAND_GATHER,
                                   .num_ranks = link.num_children};

        for (int i = 0; i < link.num_children; i++) {
            command.ranks[i] = link.children[i];
        }
        coordinator_command(run, link.rank, &command);
        for (int i = 0; i < link.num_children; i++) {
            coordinator_command_about(run, link.children[i], MTREE_COMMAND_PASS,
                                      link.rank);
        }
    }
}

/*
 * Those that come together do not come at the same instant.  Where it matters who gets
 * from whom, all but the first wait until the root has sent a small part: the more are
 * there by then, the better they can be matched.
 */
static bool coordinator_gathers(const mtree_arrival_run_t *run)
{
    return run->arrival.plan->routes != NULL && !run->stream.reduce &&
           mtree_directory_num_assigned(run->directory) == 1 &&
           mtree_directory_num_arrived(run->directory) <
               run->arrival.placement->num_ranks - 1 &&
           mtree_dynamic_peers_progress(run->operation) < GATHERING_PART;
}

/* Has the coordinator nothing to send, now and after what it was promised? */
static bool coordinator_is_free(const mtree_arrival_run_t *run)
{
    return mtree_dynamic_peers_is_idle(run->operation) && run->handing_over == 0;
}

/* Let @a rank leave, which gives @a relieved, if that is a rank, no more. */
static void coordinator_dismiss(mtree_arrival_run_t *run, int rank, int relieved)
{
    mtree_command_t command = {
        .kind = MTREE_COMMAND_LEAVE, .num_ranks = relieved >= 0, .ranks = {relieved}};

    run->handing_over += relieved >= 0;
    run->posted_recvs[rank].relieved = relieved;
    coordinator_command(run, rank, &command);
}

/* Give sources to those that are there, and let go whom nobody needs. */
static void coordinator_spread(mtree_arrival_run_t *run)
{
    double now = mtree_arrival_now(run);
    int source, rank, relieved;

    while (!coordinator_gathers(run) &&
           mtree_directory_assign(run->directory, now, &source, &rank)) {
        coordinator_command_about(run, rank, MTREE_COMMAND_TAKE, source);
        coordinator_command_about(run, source, MTREE_COMMAND_GIVE, rank);
    }
    while (mtree_directory_dismiss(run->directory, now, coordinator_is_free(run), &rank,
                                   &relieved)) {
        coordinator_dismiss(run, rank, relieved);
    }
    while (mtree_directory_settle(run->directory, &rank)) {
        coordinator_command_about(run, rank, MTREE_COMMAND_SETTLED, rank);
    }
}

/* Take @a bytes from what the process may keep aside. */
static bool aside_take(atomic_size_t *aside, size_t bytes)
{
    size_t left = aside == NULL ? 0 : atomic_load(aside);

    while (left >= bytes && left > 0) {
        if (atomic_compare_exchange_weak(aside, &left, left - bytes)) {
            return true;
        }
    }
    return false;
}

/*
 * The root of a broadcast that has served someone, and has nobody to serve while others
 * are still to come or may be handed over to it, keeps a copy for these.
 */
static bool coordinator_set_aside(mtree_arrival_run_t *run)
{
    size_t bytes = run->stream.length;

    if (run->stream.reduce || run->kept_aside > 0 ||
        mtree_directory_num_assigned(run->directory) == 0 ||
        !aside_take(run->arrival.aside, bytes)) {
        return false;
    }
    if (mtree_dynamic_peers_set_aside(run->operation) != MTREE_OK) {
        atomic_fetch_add(run->arrival.aside, bytes);
        return false;
    }
    run->kept_aside = bytes;
    return true;
}

void mtree_arrival_coordinate(mtree_arrival_run_t *run)
{
    bool settled = true;

    if (run->chain != NULL) {
        coordinator_chain(run);
        settled = mtree_chain_is_settled(run->chain);
    }
    if (settled && run->directory != NULL) {
        coordinator_spread(run);
        settled = mtree_directory_is_done(run->directory) && run->handing_over == 0;
    }
    if (settled) {
        mtree_dynamic_peers_end(run->operation);
    }
    if (run->directory != NULL && !run->arrival.lasting &&
        mtree_dynamic_peers_is_complete(run->operation) &&
        mtree_dynamic_peers_is_idle(run->operation) &&
        (settled || coordinator_set_aside(run))) {
        mtree_dynamic_peers_let_go(run->operation);
    }
}

void mtree_arrival_convene(mtree_arrival_run_t *run)
{
    const mtree_stream_t *stream = &run->stream;

    for (int rank = 0; rank < run->arrival.placement->num_ranks; rank++) {
        mtree_posted_recv_t *posted_recv = &run->posted_recvs[rank];

        posted_recv->run = run;
        posted_recv->rank = rank;
        posted_recv->relieved = -1;
        if (rank == run->coordinator) {
            continue;
        }
        if (stream->broadcast && !run->has_directory) {
            mtree_dynamic_peers_receiver(run->operation, rank, 0);
        }
        if (stream->reduce || run->has_directory) {
            coordinator_listen(posted_recv);
        }
    }
}
