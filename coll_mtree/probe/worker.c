#include "coll_mtree/probe/worker.h"

#include "coll_mtree/control/host.h"
#include "coll_mtree/transport/transport.h"

#include <stdlib.h>
#include <string.h>

struct coll_mtree_probe_worker {
    ompi_communicator_t *comm;
    coll_mtree_command_t order;
    void *items, *reply;
    double begins; /* experiments, by this host's clock */
    coll_mtree_probe_experiments_t *work;
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

size_t coll_mtree_command_reply_bytes(const coll_mtree_command_t *order,
                                      const void *items)
{
    const coll_mtree_probe_part_t *parts = items;
    size_t bytes = 0;

    if (order->kind == COLL_MTREE_COMMAND_FIRST_HOPS) {
        return (size_t)order->num_items * sizeof(mtree_kernel_route_t);
    }
    if (order->kind == COLL_MTREE_COMMAND_HOPS) {
        return (size_t)order->num_items * sizeof(mtree_traceroute_probe_t);
    }
    for (int i = 0; order->kind == COLL_MTREE_COMMAND_EXPERIMENTS && i < order->num_items;
         i++) {
        bytes += coll_mtree_probe_part_reports(&parts[i])
                     ? sizeof(coll_mtree_probe_report_t)
                     : 0;
    }
    return bytes;
}

static void find_first_hops(const coll_mtree_probe_worker_t *duty)
{
    const mtree_address_t *to = duty->items;
    mtree_kernel_route_t *found = duty->reply;

    for (int i = 0; i < duty->order.num_items; i++) {
        if (mtree_kernel_route_find(&to[i], &found[i]) != MTREE_OK) {
            found[i] = (mtree_kernel_route_t){.device = 0};
        }
    }
}

/* Without hops every probe stays silent. */
static void start_hops(coll_mtree_probe_worker_t *duty)
{
    mtree_traceroute_probe_t *probes = duty->reply;
    coll_mtree_host_t host;

    memcpy(probes, duty->items, (size_t)duty->order.num_items * sizeof(*probes));
    coll_mtree_host_describe(&host);
    for (int i = 0; i < COLL_MTREE_HOST_ADDRESSES; i++) {
        if (host.addresses[i].family == probes[0].to.family) {
            if (mtree_traceroute_start(&host.addresses[i], probes, duty->order.num_items,
                                       duty->order.patience, &duty->hops) != MTREE_OK) {
                duty->hops = NULL;
            }
            return;
        }
    }
}

/* What is reported when not even the work could begin. */
static void report_failure(const coll_mtree_probe_worker_t *duty)
{
    const coll_mtree_probe_part_t *parts = duty->items;
    coll_mtree_probe_report_t *report = duty->reply;

    for (int i = 0; i < duty->order.num_items; i++) {
        if (coll_mtree_probe_part_reports(&parts[i])) {
            report->number = parts[i].number;
            report->result = (mtree_probe_result_t){.failed = true};
            report++;
        }
    }
}

coll_mtree_probe_worker_t *
coll_mtree_probe_worker_begin(ompi_communicator_t *comm,
                              const coll_mtree_command_t *order, void *items, void *reply)
{
    coll_mtree_probe_worker_t *duty = calloc(1, sizeof(*duty));

    if (duty == NULL) {
        return NULL;
    }
    duty->comm = comm;
    duty->order = *order;
    duty->items = items;
    duty->reply = reply;
    duty->begins = coll_mtree_clock() + order->delay;
    if (order->kind == COLL_MTREE_COMMAND_FIRST_HOPS) {
        find_first_hops(duty);
    } else if (order->kind == COLL_MTREE_COMMAND_HOPS && order->num_items > 0) {
        start_hops(duty);
    }
    return duty;
}

static bool advance_experiments(coll_mtree_probe_worker_t *duty)
{
    if (duty->work == NULL) {
        if (coll_mtree_clock() < duty->begins) {
            return false;
        }
        duty->work = coll_mtree_probe_experiments_begin(duty->comm, duty->items,
                                                        duty->order.num_items);
        if (duty->work == NULL) {
            report_failure(duty);
            return true;
        }
    }
    if (!coll_mtree_probe_experiments_advance(duty->work)) {
        return false;
    }
    coll_mtree_probe_experiments_end(duty->work, duty->reply);
    duty->work = NULL;
    return true;
}

bool coll_mtree_probe_worker_advance(coll_mtree_probe_worker_t *duty)
{
    if (!duty->is_done) {
        duty->is_done = duty->order.kind == COLL_MTREE_COMMAND_EXPERIMENTS
                            ? advance_experiments(duty)
                            : duty->hops == NULL || mtree_traceroute_advance(duty->hops);
    }
    return duty->is_done;
}

coll_mtree_wait_t coll_mtree_probe_worker_wait(const coll_mtree_probe_worker_t *duty)
{
    const coll_mtree_probe_part_t *parts;

    if (duty == NULL || duty->work == NULL) {
        return COLL_MTREE_WAIT_LATER;
    }
    parts = duty->items;
    return parts[0].kind == MTREE_PROBE_PING ? COLL_MTREE_WAIT_AT_ONCE
                                             : COLL_MTREE_WAIT_SOON;
}

void coll_mtree_probe_worker_end(coll_mtree_probe_worker_t *duty)
{
    if (duty == NULL) {
        return;
    }
    if (duty->work != NULL) {
        coll_mtree_probe_experiments_end(duty->work, duty->reply);
    }
    mtree_traceroute_destroy(duty->hops);
    free(duty);
}

static void wait_for(ompi_request_t **request)
{
    while (!coll_mtree_probe_done(request, NULL)) {
        coll_mtree_probe_progress_wait(COLL_MTREE_WAIT_LATER);
    }
}

/* False when rank 0 cannot be followed any more. */
static bool follow_one(ompi_communicator_t *comm, int first_tag,
                       const coll_mtree_command_t *order)
{
    size_t length = (size_t)order->num_items * coll_mtree_command_item_bytes(order->kind);
    void *items = calloc(length + 1, 1), *reply = NULL;
    ompi_request_t *request = NULL;
    coll_mtree_probe_worker_t *duty = NULL;
    bool done = false;

    if (items != NULL &&
        (length == 0 || coll_mtree_probe_recv(comm, 0, first_tag - COLL_MTREE_COMMAND_TAG,
                                              items, length, &request))) {
        size_t bytes;

        wait_for(&request);
        bytes = coll_mtree_command_reply_bytes(order, items);
        reply = calloc(bytes + 1, 1);
        duty = reply == NULL ? NULL
                             : coll_mtree_probe_worker_begin(comm, order, items, reply);
        while (duty != NULL && !coll_mtree_probe_worker_advance(duty)) {
            coll_mtree_probe_progress_wait(coll_mtree_probe_worker_wait(duty));
        }
        done = duty != NULL &&
               coll_mtree_probe_send(comm, 0, first_tag - COLL_MTREE_REPLY_TAG, reply,
                                     bytes, &request);
        wait_for(&request);
    }
    coll_mtree_probe_worker_end(duty);
    free(reply);
    free(items);
    return done;
}

void coll_mtree_probe_worker_serve(ompi_communicator_t *comm, int first_tag)
{
    coll_mtree_command_t order;
    ompi_request_t *request = NULL;

    do {
        /* What it is when rank 0 is lost. */
        order.kind = COLL_MTREE_COMMAND_END;
        if (!coll_mtree_probe_recv(comm, 0, first_tag - COLL_MTREE_COMMAND_TAG, &order,
                                   sizeof(order), &request)) {
            return;
        }
        wait_for(&request);
    } while (order.kind != COLL_MTREE_COMMAND_END && follow_one(comm, first_tag, &order));
}
