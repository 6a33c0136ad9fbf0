/* SPDX-License-Identifier: BSD-3-Clause */
#include "relay/job.h"

#include "base/bytes.h"
#include "base/log.h"
#include "base/memory.h"
#include "tcp/socket.h"

#include <stdio.h>
#include <stdlib.h>

/* Calls under way that a job may have; fewer than MTREE_RELAY_PLANS. */
#define MOST_CALLS 64

/* Messages of a job's channel that are read before other jobs have their turn. */
#define MOST_MESSAGES 64

/* What a byte of a plan's message may take in memory: most of them are edges. */
#define MEMORY_OF_BYTE 16

/* Seconds in which calls under way may end when the job has left: ranks have their
 * results before a relay knows that they have arrived. */
#define LEAVE_SECONDS 1.0

mtree_relay_job_t *mtree_relay_job_create(mtree_relay_shared_t *shared,
                                          const mtree_relay_hello_t *hello,
                                          const mtree_tcp_secret_t *key, int socket,
                                          const mtree_tls_key_t *tls_key,
                                          const char *from)
{
    const mtree_relay_hello_t to_relays = {.purpose = MTREE_RELAY_DATA,
                                           .number = MTREE_RELAY_IS_RELAY | hello->number,
                                           .is_encrypted = hello->is_encrypted,
                                           .job = hello->job};
    const size_t most = shared->memory.most;
    mtree_relay_job_t *job = mtree_calloc(1, sizeof(*job));

    job->shared = shared;
    (void)snprintf(job->from, sizeof(job->from), "%s", from);
    /* Rank 0 may compute for long, and reads little; its host answers all the same. */
    mtree_tcp_socket_keep(socket, MTREE_RELAY_JOB_SILENCE, true);
    mtree_relay_channel_init(&job->channel, socket, tls_key);
    mtree_list_init(&job->link);
    mtree_relay_peers_init(&job->peers, shared->tcp, &to_relays, key, &shared->traffic,
                           most > MTREE_RELAY_LEAST_EARLY ? most
                                                          : MTREE_RELAY_LEAST_EARLY);
    mtree_list_init(&job->plans);
    mtree_list_init(&job->calls);
    mtree_info("%s of %s begins%s", job->peers.name, from,
               hello->is_encrypted ? ", encrypted" : "");
    return job;
}

static mtree_relay_plan_t *find_plan(const mtree_relay_job_t *job, uint32_t number)
{
    mtree_list_t *link;

    MTREE_LIST_FOR_EACH(link, &job->plans)
    {
        mtree_relay_plan_t *plan = MTREE_CONTAINER_OF(link, mtree_relay_plan_t, link);

        if (plan->number == number) {
            return plan;
        }
    }
    return NULL;
}

static void forget_plan(mtree_relay_job_t *job, mtree_relay_plan_t *plan)
{
    mtree_list_remove(&plan->link);
    job->plan_bytes -= plan->bytes;
    job->num_plans--;
    mtree_relay_plan_destroy(plan);
}

/* Plans take as much memory as calls, at most. */
static bool has_room(const mtree_relay_job_t *job, size_t bytes)
{
    return job->num_plans < MTREE_RELAY_PLANS &&
           bytes <= job->shared->memory.most - job->plan_bytes;
}

/* Forget the least recently used plans that no call uses until there is room for one of
 * @a bytes; false: there is none. */
static bool make_room(mtree_relay_job_t *job, size_t bytes)
{
    mtree_list_t *link, *next;

    MTREE_LIST_FOR_EACH_SAFE(link, next, &job->plans)
    {
        mtree_relay_plan_t *plan = MTREE_CONTAINER_OF(link, mtree_relay_plan_t, link);

        if (!has_room(job, bytes) && plan->num_calls == 0) {
            forget_plan(job, plan);
        }
    }
    return has_room(job, bytes);
}

/* Which hosts has the part's host an edge to in a tree?  [num_hosts], the caller's. */
static bool *find_neighbours(const mtree_plan_part_t *part)
{
    bool *are_neighbours = mtree_calloc((size_t)part->num_hosts, sizeof(*are_neighbours));

    for (int t = 0; t < part->num_trees; t++) {
        for (int e = 0; e < part->trees[t].num_edges; e++) {
            are_neighbours[part->trees[t].edges[e].host] = true;
        }
    }
    return are_neighbours;
}

/* Dial the relays with a higher number that are neighbours in @a plan. */
static void dial_relays(mtree_relay_job_t *job, const mtree_relay_plan_t *plan,
                        double now)
{
    const int first = plan->part->num_hosts - plan->placement->num_relays;
    bool *are_neighbours = find_neighbours(plan->part);

    for (int i = 0; i < plan->placement->num_relays; i++) {
        const uint32_t number = plan->peers[plan->placement->num_ranks + i];

        if ((number & MTREE_RELAY_IS_RELAY) != 0 && number > job->peers.hello.number &&
            are_neighbours[first + i]) {
            (void)mtree_relay_peers_dial(&job->peers, number, plan->addresses[i], now);
        }
    }
    free(are_neighbours);
}

/* False: the job is to end.  Calls over a plan that is too long to keep are refused. */
static bool take_plan(mtree_relay_job_t *job, const mtree_relay_message_t *message,
                      double now)
{
    const size_t bytes = MEMORY_OF_BYTE * message->length;
    mtree_relay_plan_t *plan;

    if (!make_room(job, bytes)) {
        return true;
    }
    if (mtree_relay_plan_read(message->bytes, message->length, job->peers.hello.number,
                              &plan) != MTREE_OK) {
        return false;
    }
    if (find_plan(job, plan->number) != NULL) {
        mtree_relay_plan_destroy(plan);
        return false;
    }
    plan->bytes = bytes;
    mtree_list_append(&job->plans, &plan->link);
    job->plan_bytes += plan->bytes;
    job->num_plans++;
    dial_relays(job, plan, now);
    return true;
}

static void refuse(mtree_relay_job_t *job, const mtree_relay_start_t *start)
{
    unsigned char bytes[MTREE_RELAY_START_BYTES];

    mtree_relay_start_write(start, bytes);
    job->shared->done.failed++;
    (void)mtree_relay_channel_send(&job->channel, MTREE_RELAY_REFUSED, bytes,
                                   MTREE_RELAY_CALL_BYTES);
}

static mtree_status_t begin_call(mtree_relay_job_t *job, const mtree_relay_start_t *start)
{
    mtree_relay_plan_t *plan = find_plan(job, start->plan);
    mtree_relay_call_t *call;
    mtree_status_t status;

    if (plan == NULL || job->num_calls == MOST_CALLS) {
        return MTREE_ERR_LIMIT;
    }
    status =
        mtree_relay_call_begin(plan, start, &job->shared->memory, &job->peers, &call);
    if (status == MTREE_OK) {
        /* The most recently used plan is the last one. */
        mtree_list_remove(&plan->link);
        mtree_list_append(&job->plans, &plan->link);
        mtree_list_append(&job->calls, &call->link);
        plan->num_calls++;
        job->num_calls++;
    }
    return status;
}

/* The call of number @a number over plan @a plan; NULL: none is under way. */
static mtree_relay_call_t *find_call(const mtree_relay_job_t *job, uint32_t plan,
                                     uint32_t number)
{
    mtree_list_t *link;

    MTREE_LIST_FOR_EACH(link, &job->calls)
    {
        mtree_relay_call_t *call = MTREE_CONTAINER_OF(link, mtree_relay_call_t, link);
        const mtree_relay_start_t *start = &call->start;

        if (start->plan == plan && start->number == number) {
            return call;
        }
    }
    return NULL;
}

/* Two calls with the same number would share their sessions. */
static bool take_start(mtree_relay_job_t *job, const mtree_relay_message_t *message)
{
    mtree_relay_start_t start;
    mtree_status_t status;

    if (mtree_relay_start_read(message->bytes, message->length, &start) != MTREE_OK ||
        find_call(job, start.plan, start.number) != NULL) {
        return false;
    }
    status = begin_call(job, &start);
    if (status != MTREE_OK) {
        mtree_warn("%s: call of %zu bytes: %s", job->peers.name,
                   start.call.units * start.call.unit_bytes, mtree_status_string(status));
        refuse(job, &start);
    }
    return true;
}

static bool take_cancel(mtree_relay_job_t *job, const mtree_relay_message_t *message)
{
    mtree_relay_call_t *call;

    if (message->length != MTREE_RELAY_CALL_BYTES) {
        return false;
    }
    call = find_call(job, mtree_get32(message->bytes), mtree_get32(message->bytes + 4));
    if (call != NULL) {
        mtree_relay_call_cancel(call);
    }
    return true;
}

/* Who has not read an answer needs no other one. */
static void answer_ping(mtree_relay_job_t *job)
{
    if (job->channel.out_length == 0) {
        /* Where the job does not take the answer, the channel's end is seen next. */
        (void)mtree_relay_channel_send(&job->channel, MTREE_RELAY_PONG, NULL, 0);
    }
}

static bool take_message(mtree_relay_job_t *job, const mtree_relay_message_t *message,
                         double now)
{
    switch (message->kind) {
    case MTREE_RELAY_PLAN:
        return take_plan(job, message, now);
    case MTREE_RELAY_START:
        return take_start(job, message);
    case MTREE_RELAY_CANCEL:
        return take_cancel(job, message);
    case MTREE_RELAY_PING:
        answer_ping(job);
        return true;
    default:
        return false;
    }
}

/* Read what the channel has.  False: it was no message for a relay. */
static bool read_channel(mtree_relay_job_t *job, double now)
{
    mtree_relay_message_t message;
    int answer = 0, count = 0;

    while (count++ < MOST_MESSAGES &&
           (answer = mtree_relay_channel_poll(&job->channel, &message)) > 0) {
        if (!take_message(job, &message, now)) {
            mtree_warn("%s: %s sent what is no message for a relay", job->peers.name,
                       job->from);
            return false;
        }
    }
    job->has_more = answer > 0;
    if (answer < 0) {
        mtree_relay_channel_cleanup(&job->channel);
        job->end = now + LEAVE_SECONDS;
    }
    return true;
}

/* A mtree_relay_unreached_t: rank 0 hears the cause before calls fail. */
static void tell_unreached(void *arg, uint32_t number)
{
    mtree_relay_job_t *job = arg;
    unsigned char bytes[MTREE_RELAY_UNREACHED_BYTES];

    mtree_put32(bytes, number & ~MTREE_RELAY_IS_RELAY);
    (void)mtree_relay_channel_send(&job->channel, MTREE_RELAY_UNREACHED, bytes,
                                   sizeof(bytes));
}

bool mtree_relay_job_poll(mtree_relay_job_t *job, double now)
{
    if (job->end <= 0 && !read_channel(job, now)) {
        return false;
    }
    mtree_relay_peers_poll(&job->peers, tell_unreached, job, now);
    return job->end <= 0 || (job->num_calls > 0 && now < job->end);
}

void mtree_relay_job_reap(mtree_relay_job_t *job)
{
    mtree_list_t *link, *next;

    MTREE_LIST_FOR_EACH_SAFE(link, next, &job->calls)
    {
        mtree_relay_call_t *call = MTREE_CONTAINER_OF(link, mtree_relay_call_t, link);
        const mtree_relay_start_t *start = &call->start;
        int ended = mtree_relay_call_poll(call);

        if (ended > 0) {
            job->shared->done.calls++;
            job->shared->done.bytes += start->call.units * start->call.unit_bytes;
        } else if (ended < 0) {
            refuse(job, start);
        }
        if (ended != 0) {
            call->plan->num_calls--;
            mtree_relay_call_destroy(call);
            job->num_calls--;
        }
    }
}

/* Their messages have ended when the functions of the completions are called. */
static void end_calls(mtree_relay_job_t *job)
{
    mtree_list_t *link;

    MTREE_LIST_FOR_EACH(link, &job->calls)
    {
        mtree_relay_call_cancel(MTREE_CONTAINER_OF(link, mtree_relay_call_t, link));
    }
    while (job->num_calls > 0) {
        (void)mtree_tcp_hand_out(job->shared->tcp);
        mtree_relay_job_reap(job);
    }
}

void mtree_relay_job_destroy(mtree_relay_job_t *job)
{
    mtree_info("%s of %s ends", job->peers.name, job->from);
    mtree_relay_channel_cleanup(&job->channel);
    end_calls(job);
    mtree_relay_peers_cleanup(&job->peers);
    while (!mtree_list_is_empty(&job->plans)) {
        forget_plan(job, MTREE_CONTAINER_OF(job->plans.next, mtree_relay_plan_t, link));
    }
    mtree_list_remove(&job->link);
    free(job);
}
