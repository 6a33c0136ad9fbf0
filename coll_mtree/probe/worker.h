/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the first rank on a host does for the probe: it carries out the commands of rank
 * 0, one at a time, and replies to each.
 */
#ifndef COLL_MTREE_PROBE_WORKER_H
#define COLL_MTREE_PROBE_WORKER_H

#include "coll_mtree/control/message.h"
#include "coll_mtree/probe/cables.h"

#include "topo/probe/probe.h"

/* worker.c has the types of the items and replies of each. */
typedef enum {
    COLL_MTREE_COMMAND_HANDSHAKE,
    COLL_MTREE_COMMAND_FIRST_HOPS,
    COLL_MTREE_COMMAND_EXPERIMENTS, /* replied: by the parts that report */
    COLL_MTREE_COMMAND_INTERFACES,
    COLL_MTREE_COMMAND_END /* no reply; no command follows */
} coll_mtree_command_kind_t;

/* Sent as it is; its items, unless they have no bytes, follow in a message of their own.
 */
typedef struct {
    int kind;
    int num_items, num_replies;
    double delay;    /* seconds to wait before experiments begin */
    double patience; /* timeout of a packet for a hop, seconds */
} coll_mtree_command_t;

/* Tags of the probe's channel; each experiment takes one. */
enum {
    COLL_MTREE_COMMAND_TAG,
    COLL_MTREE_ITEMS_TAG,
    COLL_MTREE_REPLY_TAG,
    COLL_MTREE_PIECES, /* of a command */
    COLL_MTREE_EXPERIMENT_TAG = COLL_MTREE_PIECES,
    COLL_MTREE_PROBE_TAGS = 1024
};

/* The bytes that pass with the tag @a tag for @a command. */
size_t coll_mtree_command_bytes(const coll_mtree_command_t *command, int tag);

/* The part of a host in an experiment, an item; sent as it is.  All parts of a host in a
 * round are of one kind. */
typedef struct {
    int number; /* of the experiment in its round */
    int sends;  /* this host is `from` */
    int peer;   /* rank of the other host's leader */
    int tag;    /* of the channel, this experiment's own */
    mtree_probe_experiment_t
        experiment;            /* of a TRACE with the hosts' addresses as ends */
    uint32_t port;             /* CABLE: of the other end */
    mtree_tcp_secret_t secret; /* CABLE: of the other end */
} coll_mtree_probe_part_t;

/* Sent as it is. */
typedef struct {
    int number;
    mtree_probe_result_t result; /* of a CABLE: as far as this end knows it */
} coll_mtree_probe_report_t;

/* Does this host report?  The sender of packets and round trips does, the receiver of a
 * stream, and both ends of a cable. */
static inline bool coll_mtree_probe_part_reports(const coll_mtree_probe_part_t *part)
{
    return part->experiment.kind == MTREE_PROBE_CABLE ||
           (part->experiment.kind == MTREE_PROBE_STREAM) == (part->sends == 0);
}

/* How one host carries out its part in an experiment of a kind. */
typedef struct {
    /* Begin, over @a channel; both stay. */
    void *(*begin)(const coll_mtree_channel_t *channel,
                   const coll_mtree_probe_part_t *part);
    /* Go on without waiting; true when it has ended, well or not, and from then on. */
    bool (*advance)(void *run);
    /* Free it; what was measured is in @a result, which says that it failed. */
    void (*end)(void *run, mtree_probe_result_t *result);
} coll_mtree_probe_runner_t;

extern const coll_mtree_probe_runner_t coll_mtree_ping_runner, coll_mtree_stream_runner,
    coll_mtree_cable_runner;

/* Experiments, all at the same time. */
typedef struct coll_mtree_probe_experiments coll_mtree_probe_experiments_t;

/*
 * Carry out @a command; @a replies are there when this returns NULL.  Experiments only
 * begin: @a items and @a replies stay until they end.  The reply to what cannot be done
 * is that it failed.
 */
coll_mtree_probe_experiments_t *
coll_mtree_probe_command_begin(const coll_mtree_channel_t *channel,
                               const coll_mtree_command_t *command, const void *items,
                               void *replies);

/* Go on, and wait for a moment, as suits what is measured; true when all experiments, if
 * there are some, have ended, well or not. */
bool coll_mtree_probe_experiments_advance(coll_mtree_probe_experiments_t *experiments);

/* Write the replies and free @a experiments, NULL or not, also before they have ended. */
void coll_mtree_probe_experiments_end(coll_mtree_probe_experiments_t *experiments);

/* Carry out the commands of rank 0 until the last: on the first rank of every other host.
 */
void coll_mtree_probe_worker_serve(const coll_mtree_channel_t *channel);

#endif
