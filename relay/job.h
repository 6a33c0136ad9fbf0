/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A job at a relay: the plans, peers and calls that one rank 0 has begun over its control
 * channel.  It ends with the channel.  Jobs share only the memory of calls.
 */
#ifndef MTREE_RELAY_JOB_H
#define MTREE_RELAY_JOB_H

#include "relay/call.h"
#include "relay/channel.h"
#include "relay/greeting.h"
#include "relay/peers.h"
#include "relay/plan.h"

/* Plans that a job keeps.  Beyond them the least recently used one is forgotten, but none
 * that a call uses. */
#define MTREE_RELAY_PLANS 256

/* Bytes that peers may send before their calls begin, however little memory calls have:
 * those of a call that is refused for that. */
#define MTREE_RELAY_LEAST_EARLY ((size_t)64 << 20)

/* Counters of a relay. */
typedef struct {
    uint64_t calls, failed; /* that succeeded, and that failed */
    uint64_t bytes;         /* of vectors of the former */
} mtree_relay_done_t;

/* What the jobs of a relay share. */
typedef struct {
    mtree_tcp_t *tcp;
    mtree_relay_traffic_t traffic;
    mtree_tcp_budget_t memory; /* of calls */
    mtree_relay_done_t done;
} mtree_relay_shared_t;

typedef struct {
    mtree_list_t link; /* for a list of the caller's */
    mtree_relay_shared_t *shared;
    mtree_relay_channel_t channel;
    char from[80];
    mtree_relay_peers_t peers;
    mtree_list_t plans; /* in the order of their last use */
    int num_plans;
    size_t plan_bytes; /* of the messages that they came in */
    mtree_list_t calls;
    int num_calls;
    bool has_more; /* messages may be taken without waiting for the socket */
    double end;    /* clock of the latest end; 0: rank 0 is there */
} mtree_relay_job_t;

/*
 * The job of @a hello, with the key @a key, over the control connection @a socket from
 * @a from, which it takes over, with @a tls_key (NULL: nothing of the job is encrypted).
 * @a shared stays.
 */
mtree_relay_job_t *mtree_relay_job_create(mtree_relay_shared_t *shared,
                                          const mtree_relay_hello_t *hello,
                                          const mtree_tcp_secret_t *key, int socket,
                                          const mtree_tls_key_t *tls_key,
                                          const char *from);

/* End its calls and free it. */
void mtree_relay_job_destroy(mtree_relay_job_t *job);

/* Has it deadlines of its own (it dials another relay, or ends)?  Then it is to be polled
 * even when no descriptor is ready. */
static inline bool mtree_relay_job_is_timed(const mtree_relay_job_t *job)
{
    return job->peers.num_dialing > 0 || job->end > 0;
}

/* Read some of the channel; false: the job is over.  When rank 0 has closed the channel,
 * calls under way have a second to end. */
bool mtree_relay_job_poll(mtree_relay_job_t *job, double now);

/* After messages have ended: free the calls that have ended by that. */
void mtree_relay_job_reap(mtree_relay_job_t *job);

#endif
