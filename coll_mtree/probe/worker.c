/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/probe/worker.h"

#include "coll_mtree/control/host.h"
#include "coll_mtree/transport/transport.h"

#include <stdlib.h>
#include <string.h>

struct coll_mtree_probe_worker {
    ompi_communicator_t *comm;
    coll_mtree_command_t command;
    void *items, *reply;
    double begins; /* experiments, by this host's clock */
    coll_mtree_probe_experiments_t *experiments;
    mtree_traceroute_t *hops;
    bool is_done;
};

size_t coll_mtree_command_item_bytes(int kind)
{
    return kind == COLL_MTREE_COMMAND_FIRST_HOPS    ? sizeof(mtree_address_t)
           : kind == COLL_MTREE_COMMAND_HOPS        ? sizeof(mtree_traceroute_probe_t)
           : kind == COLL_MTREE_COMMAND_EXPERIMENTS ? sizeof(coll_mtree_probe_part_t)
                                                    : 0;
}

size_t coll_mtree_command_reply_bytes(const coll_mtree_command_t *command,
                                      const void *items)
{
    const coll_mtree_probe_part_t *parts = items;
    size_t bytes = 0;

    if (command->kind == COLL_MTREE_COMMAND_FIRST_HOPS) {
        return (size_t)command->num_items * sizeof(mtree_kernel_route_t);
    }
    if (command->kind == COLL_MTREE_COMMAND_HOPS) {
        return (size_t)command->num_items * sizeof(mtree_traceroute_probe_t);
    }
    for (int i = 0;
         command->kind == COLL_MTREE_COMMAND_EXPERIMENTS && i < command->num_items; i++) {
        bytes += coll_mtree_probe_part_reports(&parts[i])
                     ? sizeof(coll_mtree_probe_report_t)
                     : 0;
    }
    return bytes;
}

static void find_first_hops(const coll_mtree_probe_worker_t *worker)
{
    const mtree_address_t *to = worker->items;
    mtree_kernel_route_t *found = worker->reply;

    for (int i = 0; i < worker->command.num_items; i++) {
        if (mtree_kernel_route_find(&to[i], &found[i]) != MTREE_OK) {
            found[i] = (mtree_kernel_route_t){.device = 0};
        }
    }
}

/* Without hops every probe stays silent. */
static void start_hops(coll_mtree_probe_worker_t *worker)
{
    mtree_traceroute_probe_t *probes = worker->reply;
    coll_mtree_host_t host;

    memcpy(probes, worker->items, (size_t)worker->command.num_items * sizeof(*probes));
    coll_mtree_host_describe(&host);
    for (int i = 0; i < COLL_MTREE_HOST_ADDRESSES; i++) {
        if (host.addresses[i].family == probes[0].to.family) {
            if (mtree_traceroute_start(
                    &host.addresses[i], probes, worker->command.num_items,
                    worker->command.patience, &worker->hops) != MTREE_OK) {
                worker->hops = NULL;
            }
            return;
        }
    }
}

/* What is reported when not even the work could begin. */
static void report_failure(const coll_mtree_probe_worker_t *worker)
{
    const coll_mtree_probe_part_t *parts = worker->items;
    coll_mtree_probe_report_t *report = worker->reply;

    for (int i = 0; i < worker->command.num_items; i++) {
        if (coll_mtree_probe_part_reports(&parts[i])) {
            report->number = parts[i].number;
            report->result = (mtree_probe_result_t){.failed = true};
            report++;
        }
    }
}

coll_mtree_probe_worker_t *
coll_mtree_probe_worker_begin(ompi_communicator_t *comm,
                              const coll_mtree_command_t *command, void *items,
                              void *reply)
{
    coll_mtree_probe_worker_t *worker = calloc(1, sizeof(*worker));

    if (worker == NULL) {
        return NULL;
    }
    worker->comm = comm;
    worker->command = *command;
    worker->items = items;
    worker->reply = reply;
    worker->begins = coll_mtree_clock() + command->delay;
    if (command->kind == COLL_MTREE_COMMAND_FIRST_HOPS) {
        find_first_hops(worker);
    } else if (command->kind == COLL_MTREE_COMMAND_HOPS && command->num_items > 0) {
        start_hops(worker);
    }
    return worker;
}

static bool advance_experiments(coll_mtree_probe_worker_t *worker)
{
    if (worker->experiments == NULL) {
        if (coll_mtree_clock() < worker->begins) {
            return false;
        }
        worker->experiments = coll_mtree_probe_experiments_begin(
            worker->comm, worker->items, worker->command.num_items);
        if (worker->experiments == NULL) {
            report_failure(worker);
            return true;
        }
    }
    if (!coll_mtree_probe_experiments_advance(worker->experiments)) {
        return false;
    }
    coll_mtree_probe_experiments_end(worker->experiments, worker->reply);
    worker->experiments = NULL;
    return true;
}

bool coll_mtree_probe_worker_advance(coll_mtree_probe_worker_t *worker)
{
    if (!worker->is_done) {
        worker->is_done =
            worker->command.kind == COLL_MTREE_COMMAND_EXPERIMENTS
                ? advance_experiments(worker)
                : worker->hops == NULL || mtree_traceroute_advance(worker->hops);
    }
    return worker->is_done;
}

coll_mtree_wait_t coll_mtree_probe_worker_wait(const coll_mtree_probe_worker_t *worker)
{
    const coll_mtree_probe_part_t *parts;

    if (worker == NULL || worker->experiments == NULL) {
        return COLL_MTREE_WAIT_LATER;
    }
    parts = worker->items;
    return parts[0].kind == MTREE_PROBE_PING ? COLL_MTREE_WAIT_AT_ONCE
                                             : COLL_MTREE_WAIT_SOON;
}

void coll_mtree_probe_worker_end(coll_mtree_probe_worker_t *worker)
{
    if (worker == NULL) {
        return;
    }
    if (worker->experiments != NULL) {
        coll_mtree_probe_experiments_end(worker->experiments, worker->reply);
    }
    mtree_traceroute_destroy(worker->hops);
    free(worker);
}

static void wait_for(ompi_request_t **request)
{
    while (!coll_mtree_probe_done(request, NULL)) {
        coll_mtree_probe_progress_wait(COLL_MTREE_WAIT_LATER);
    }
}

/* False when rank 0 cannot be followed any more. */
static bool follow_one(ompi_communicator_t *comm, int first_tag,
                       const coll_mtree_command_t *command)
{
    size_t length =
        (size_t)command->num_items * coll_mtree_command_item_bytes(command->kind);
    void *items = calloc(length + 1, 1), *reply = NULL;
    ompi_request_t *request = NULL;
    coll_mtree_probe_worker_t *worker = NULL;
    bool done = false;

    if (items != NULL &&
        (length == 0 || coll_mtree_probe_recv(comm, 0, first_tag - COLL_MTREE_COMMAND_TAG,
                                              items, length, &request))) {
        size_t bytes;

        wait_for(&request);
        bytes = coll_mtree_command_reply_bytes(command, items);
        reply = calloc(bytes + 1, 1);
        worker = reply == NULL
                     ? NULL
                     : coll_mtree_probe_worker_begin(comm, command, items, reply);
        while (worker != NULL && !coll_mtree_probe_worker_advance(worker)) {
            coll_mtree_probe_progress_wait(coll_mtree_probe_worker_wait(worker));
        }
        done = worker != NULL &&
               coll_mtree_probe_send(comm, 0, first_tag - COLL_MTREE_REPLY_TAG, reply,
                                     bytes, &request);
        wait_for(&request);
    }
    coll_mtree_probe_worker_end(worker);
    free(reply);
    free(items);
    return done;
}

void coll_mtree_probe_worker_serve(ompi_communicator_t *comm, int first_tag)
{
    coll_mtree_command_t command;
    ompi_request_t *request = NULL;

    do {
        /* What it is when rank 0 is lost. */
        command.kind = COLL_MTREE_COMMAND_END;
        if (!coll_mtree_probe_recv(comm, 0, first_tag - COLL_MTREE_COMMAND_TAG, &command,
                                   sizeof(command), &request)) {
            return;
        }
        wait_for(&request);
    } while (command.kind != COLL_MTREE_COMMAND_END &&
             follow_one(comm, first_tag, &command));
}
