/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the first rank on a host does for the probe: it carries out the commands of rank
 * 0, one at a time, and replies to each.
 */
#ifndef COLL_MTREE_PROBE_WORKER_H
#define COLL_MTREE_PROBE_WORKER_H

#include "coll_mtree/probe/experiments.h"

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
    COLL_MTREE_EXPERIMENT_TAG,
    COLL_MTREE_PROBE_TAGS = 1024
};

/* Bytes of an item of @a kind; of all items of @a command, and of all its replies. */
size_t coll_mtree_command_item_bytes(int kind);
size_t coll_mtree_command_items_bytes(const coll_mtree_command_t *command);
size_t coll_mtree_command_replies_bytes(const coll_mtree_command_t *command);

/*
 * Carry out @a command; @a replies are there when this returns NULL.  Experiments only
 * begin: @a items and @a replies stay until they end, which writes the replies.  The
 * reply to what cannot be done is that it failed.
 */
coll_mtree_probe_experiments_t *
coll_mtree_probe_command_begin(const coll_mtree_channel_t *channel,
                               const coll_mtree_command_t *command, void *items,
                               void *replies);

/* Carry out the commands of rank 0 until the last: on the first rank of every other host.
 */
void coll_mtree_probe_worker_serve(const coll_mtree_channel_t *channel);

#endif
