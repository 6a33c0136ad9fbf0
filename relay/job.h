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

/* Plans that a job keeps.  Beyond them the least recently used one is forgotten, but none
 * that a call uses. */
#define MTREE_RELAY_PLANS 256

/* Counters of a relay. */
typedef struct {
    uint64_t calls, failed; /* that succeeded, and that failed */
    uint64_t bytes;         /* of vectors of the former */
} mtree_relay_done_t;

/* Limits of a job's peers, and of the traffic to each. */
typedef struct {
    int most_peers;         /* connections at a time; 0: no limit */
    double patience;        /* seconds that another relay has to answer; 0: the usual */
    double rate;            /* bits/s at most; 0: no limit */
    const char *congestion; /* control of TCP; NULL: the kernel's default, which also
                               holds where the kernel does not allow this one */
} mtree_relay_traffic_t;

typedef struct {
    mtree_list_t link; /* for a list of the caller's */
    mtree_tcp_t *tcp;
    mtree_relay_job_id_t id;
    bool is_encrypted; /* all of it, or nothing */
    mtree_relay_channel_t channel;
    char from[80];
    double rate; /* bits/s to each peer at most; 0: no limit */
    mtree_relay_memory_t *memory;
    mtree_relay_done_t *done;
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
 * @a from, which it takes over even on failure, with @a tls_key (NULL: nothing of the job
 * is encrypted).  NULL: no memory.
 */
mtree_relay_job_t *
mtree_relay_job_create(mtree_tcp_t *tcp, const mtree_relay_hello_t *hello,
                       const mtree_relay_key_t *key, int socket,
                       const mtree_tls_key_t *tls_key, const char *from,
                       const mtree_relay_traffic_t *traffic, mtree_relay_memory_t *memory,
                       mtree_relay_done_t *done);

/* End its calls and free it. */
void mtree_relay_job_destroy(mtree_relay_job_t *job);

/* Has it deadlines of its own (it dials another relay, or ends)?  Then it is to be polled
 * even when no descriptor is ready. */
static inline bool mtree_relay_job_is_timed(const mtree_relay_job_t *job)
{
    return job->peers.num_dialing > 0 || job->end > 0;
}

/* Take over @a socket, which has proved to be that of number @a peer at @a from, with @a
 * key where the job is encrypted.  False: that peer has a connection, or there is no
 * memory; the caller keeps the socket. */
bool mtree_relay_job_connect(mtree_relay_job_t *job, uint32_t peer, int socket,
                             const mtree_tls_key_t *key, const char *from);

/* Read some of the channel; false: the job is over.  When rank 0 has closed the channel,
 * calls under way have a second to end. */
bool mtree_relay_job_poll(mtree_relay_job_t *job, double now);

/* After messages have ended: free the calls that have ended by that. */
void mtree_relay_job_reap(mtree_relay_job_t *job);

#endif
