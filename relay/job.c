/* SPDX-License-Identifier: BSD-3-Clause */
#include "relay/job.h"

#include "base/log.h"
#include "relay/bytes.h"
#include "tcp/socket.h"

#include <stdio.h>
#include <stdlib.h>

/* Calls under way that a job may have; fewer than MTREE_RELAY_PLANS. */
#define MOST_CALLS 64

/* Messages of a job's channel that are read before other jobs have their turn. */
#define MOST_MESSAGES 64

/* Seconds in which calls under way may end when the job has left: ranks have their
 * results before a relay knows that they have arrived. */
#define LEAVE_SECONDS 1.0

mtree_relay_job_t *
mtree_relay_job_create(mtree_tcp_t *tcp, const mtree_relay_hello_t *hello,
                       const mtree_relay_key_t *key, int socket,
                       const mtree_tls_key_t *tls_key, const char *from,
                       const mtree_relay_traffic_t *traffic, mtree_relay_memory_t *memory,
                       mtree_relay_done_t *done)
{
    mtree_relay_job_t *job = calloc(1, sizeof(*job));

    if (job == NULL) {
        mtree_tcp_socket_close(socket);
        return NULL;
    }
    job->tcp = tcp;
    job->id = hello->job;
    job->is_encrypted = tls_key != NULL;
    job->rate = traffic->rate;
    job->memory = memory;
    job->done = done;
    (void)snprintf(job->from, sizeof(job->from), "%s", from);
    /* Rank 0 may compute for long, and reads little; its host answers all the same. */
    mtree_tcp_socket_keep(socket, MTREE_RELAY_JOB_SILENCE);
    mtree_tcp_socket_give_up(socket, MTREE_RELAY_JOB_SILENCE);
    mtree_relay_channel_init(&job->channel, socket, tls_key);
    mtree_list_init(&job->link);
    mtree_relay_peers_init(&job->peers, tcp, hello, key, traffic->congestion,
                           (size_t)memory->most);
    job->peers.most = traffic->most_peers;
    mtree_relay_plans_init(&job->plans, (size_t)memory->most);
    mtree_list_init(&job->calls);
    mtree_info("job %02x%02x%02x of %s begins%s", job->id.bytes[0], job->id.bytes[1],
               job->id.bytes[2], from, job->is_encrypted ? ", encrypted" : "");
    return job;
}

/* A mtree_relay_peer_t. */
static mtree_tcp_peer_t *find_peer(void *arg, uint32_t number)
{
    mtree_relay_job_t *job = arg;

    return job->is_over ? NULL : mtree_relay_peers_get(&job->peers, number);
}

bool mtree_relay_job_connect(mtree_relay_job_t *job, uint32_t number, int socket,
                             const mtree_tls_key_t *key, const char *from)
{
    return mtree_relay_peers_connect(&job->peers, number, socket, key, from);
}

/* False: the job is to end.  Calls over a plan that is too long to keep are refused. */
static bool take_plan(mtree_relay_job_t *job, const mtree_relay_message_t *message,
                      double now)
{
    mtree_relay_plan_t *plan;
    mtree_status_t status = mtree_relay_plan_read(message->bytes, message->length, &plan);

    if (status == MTREE_OK) {
        status = mtree_relay_plans_add(&job->plans, plan, message->length);
    }
    if (status == MTREE_OK) {
        mtree_relay_peers_dial(&job->peers, plan, now);
    }
    return status == MTREE_OK || status == MTREE_ERR_LIMIT;
}

static void refuse(mtree_relay_job_t *job, const mtree_relay_start_t *start)
{
    unsigned char bytes[MTREE_RELAY_CALL_BYTES];

    mtree_relay_put32(bytes, start->plan);
    mtree_relay_put32(bytes + 4, start->number);
    job->done->failed++;
    (void)mtree_relay_channel_send(&job->channel, MTREE_RELAY_REFUSED, bytes,
                                   sizeof(bytes));
}

static mtree_status_t begin_call(mtree_relay_job_t *job, const mtree_relay_start_t *start)
{
    const mtree_relay_plan_t *plan = job->num_calls < MOST_CALLS
                                         ? mtree_relay_plans_use(&job->plans, start->plan)
                                         : NULL;
    mtree_relay_call_t *call;
    mtree_status_t status;

    if (plan == NULL) {
        return MTREE_ERR_LIMIT;
    }
    status = mtree_relay_call_begin(plan, start, job->rate, job->memory, find_peer, job,
                                    &call);
    if (status == MTREE_OK) {
        mtree_list_append(&job->calls, &call->link);
        job->num_calls++;
    } else {
        mtree_relay_plans_leave(&job->plans, start->plan);
    }
    return status;
}

static void end_call(mtree_relay_job_t *job, mtree_relay_call_t *call)
{
    mtree_relay_plans_leave(&job->plans, call->start.plan);
    mtree_relay_call_destroy(call);
    job->num_calls--;
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
        mtree_warn("job %02x%02x%02x: call of %zu bytes: %s", job->id.bytes[0],
                   job->id.bytes[1], job->id.bytes[2],
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
    call = find_call(job, mtree_relay_get32(message->bytes),
                     mtree_relay_get32(message->bytes + 4));
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
            mtree_warn("job %02x%02x%02x: %s sent what is no message for a relay",
                       job->id.bytes[0], job->id.bytes[1], job->id.bytes[2], job->from);
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

bool mtree_relay_job_poll(mtree_relay_job_t *job, double now)
{
    if (job->end <= 0 && !read_channel(job, now)) {
        return false;
    }
    mtree_relay_peers_poll(&job->peers, &job->channel, now);
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
            job->done->calls++;
            job->done->bytes += start->call.units * start->call.unit_bytes;
        } else if (ended < 0) {
            refuse(job, start);
        }
        if (ended != 0) {
            end_call(job, call);
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
        (void)mtree_tcp_hand_out(job->tcp);
        mtree_relay_job_reap(job);
    }
}

void mtree_relay_job_destroy(mtree_relay_job_t *job)
{
    mtree_info("job %02x%02x%02x of %s ends", job->id.bytes[0], job->id.bytes[1],
               job->id.bytes[2], job->from);
    mtree_relay_channel_cleanup(&job->channel);
    end_calls(job);
    job->is_over = true;
    mtree_relay_peers_cleanup(&job->peers);
    mtree_relay_plans_cleanup(&job->plans);
    mtree_list_remove(&job->link);
    free(job);
}
