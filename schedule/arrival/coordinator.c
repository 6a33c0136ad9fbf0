/* SPDX-License-Identifier: BSD-3-Clause */
#include "schedule/arrival/private.h"

/* Part of the message that may be sent before the root assigns further sources. */
#define GATHERING_PART 0.02

/* Send @a rank a command, or execute it if the coordinator is @a rank. */
static void coordinator_command(mtree_arrival_run_t *run, int rank,
                                const mtree_arrival_command_t *command)
{
    if (rank == run->coordinator) {
        mtree_member_execute(run, command);
    } else {
        mtree_arrival_send(run, rank, command);
    }
}

/* A command with one rank. */
static void coordinator_command_about(mtree_arrival_run_t *run, int rank,
                                      mtree_arrival_command_kind_t kind, int about)
{
    mtree_arrival_command_t command = {.kind = kind, .num_ranks = 1, .ranks = {about}};

    coordinator_command(run, rank, &command);
}

static void coordinator_recv(mtree_posted_recv_t *posted_recv);

/* A rank has arrived or, by its second message, has the whole result or needs no more
 * receivers. */
static void coordinator_received(mtree_event_t *event)
{
    mtree_posted_recv_t *posted_recv = (mtree_posted_recv_t *)event;
    mtree_arrival_run_t *run = posted_recv->run;

    if (!mtree_operation_ended(run->operation, event)) {
        return;
    }
    if (posted_recv->has_arrived) {
        mtree_directory_hold(run->directory, posted_recv->rank);
        return;
    }
    posted_recv->has_arrived = true;
    if (run->chain != NULL) {
        mtree_chain_arrive(run->chain, posted_recv->rank);
    }
    if (run->directory != NULL) {
        mtree_directory_arrive(run->directory, posted_recv->rank);
        coordinator_recv(posted_recv);
    }
}

static void coordinator_recv(mtree_posted_recv_t *posted_recv)
{
    mtree_arrival_run_t *run = posted_recv->run;

    mtree_arrival_message(run, true, posted_recv->rank, MTREE_ARRIVAL_TAG_EVENT, NULL, 0,
                          &posted_recv->event, coordinator_received);
}

/* Give the ranks that have arrived their places in the chain. */
static void coordinator_assign_chain(mtree_arrival_run_t *run)
{
    mtree_chain_link_t link;

    while (mtree_chain_next(run->chain, &link)) {
        mtree_arrival_command_t command = {.kind = MTREE_COMMAND_CHILDREN,
                                           .num_ranks = link.num_children};

        for (int i = 0; i < link.num_children; i++) {
            command.ranks[i] = link.children[i];
        }
        coordinator_command(run, link.rank, &command);
        for (int i = 0; i < link.num_children; i++) {
            coordinator_command_about(run, link.children[i], MTREE_COMMAND_PARENT,
                                      link.rank);
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
        coordinator_command_about(run, rank, MTREE_COMMAND_SOURCE, source);
        coordinator_command_about(run, source, MTREE_COMMAND_RECEIVER, rank);
    }
    while (mtree_directory_dismiss(run->directory, &rank)) {
        coordinator_command_about(run, rank, MTREE_COMMAND_LAST, rank);
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

void mtree_coordinator_progress(mtree_arrival_run_t *run)
{
    bool settled = true;

    if (run->chain != NULL) {
        coordinator_assign_chain(run);
        settled = mtree_chain_is_settled(run->chain);
    }
    if (settled && run->directory != NULL) {
        coordinator_assign_sources(run);
        settled = mtree_directory_is_done(run->directory);
    }
    if (settled) {
        mtree_arrival_end_peers(run->operation);
    }
    if (run->directory != NULL && !run->arrival.reuses_tags &&
        mtree_arrival_is_complete(run) && mtree_arrival_is_idle(run) &&
        (settled || coordinator_copy(run))) {
        run->operation->detached = true;
    }
}

void mtree_coordinator_begin(mtree_arrival_run_t *run)
{
    const mtree_stream_t *stream = &run->stream;

    for (int rank = 0; rank < run->arrival.placement->num_ranks; rank++) {
        mtree_posted_recv_t *posted_recv = &run->posted_recvs[rank];

        posted_recv->run = run;
        posted_recv->rank = rank;
        if (rank == run->coordinator) {
            continue;
        }
        if (stream->down && !run->has_directory) {
            mtree_arrival_add_channel(run, rank, false);
        }
        if (stream->up || run->has_directory) {
            coordinator_recv(posted_recv);
        }
    }
}
