/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the first rank on a host does for the probe: orders of rank 0, one at a time, and
 * the reply to each.
 */
#ifndef COLL_MTREE_PROBE_WORKER_H
#define COLL_MTREE_PROBE_WORKER_H

#include "coll_mtree/probe/experiments.h"

#include "topo/host/kernel_route.h"
#include "topo/host/traceroute.h"

typedef enum {
    COLL_MTREE_COMMAND_HANDSHAKE,  /* no items, no reply but its arrival */
    COLL_MTREE_COMMAND_FIRST_HOPS, /* mtree_address_t; replied: mtree_kernel_route_t each
                                    */
    COLL_MTREE_COMMAND_HOPS, /* mtree_traceroute_probe_t; replied: the same, answered */
    COLL_MTREE_COMMAND_EXPERIMENTS, /* coll_mtree_probe_part_t; replied:
                                     coll_mtree_probe_report_t of each that reports */
    COLL_MTREE_COMMAND_END          /* nothing more comes */
} coll_mtree_command_kind_t;

/* Sent as it is; its items follow in a message of their own when there are some. */
typedef struct {
    int kind;
    int num_items;
    double delay;    /* seconds to wait before experiments begin */
    double patience; /* seconds to wait for the answer to a probe for a hop */
} coll_mtree_command_t;

/* Tags of the probe's channel; each experiment takes one. */
enum {
    COLL_MTREE_COMMAND_TAG,
    COLL_MTREE_ITEMS_TAG,
    COLL_MTREE_REPLY_TAG,
    COLL_MTREE_EXPERIMENT_TAG,
    COLL_MTREE_PROBE_TAGS = 1024
};

/* Bytes of an item of @a kind. */
size_t coll_mtree_command_item_bytes(int kind);

/* Bytes of the reply to @a command with @a items. */
size_t coll_mtree_command_reply_bytes(const coll_mtree_command_t *command,
                                      const void *items);

typedef struct coll_mtree_probe_worker coll_mtree_probe_worker_t;

/*
 * Begin what @a command asks for; @a items are used in place, until the end, and @a reply
 * has coll_mtree_command_reply_bytes() bytes.  What cannot be done is replied as failed
 * or silent.  NULL: no memory.
 */
coll_mtree_probe_worker_t *
coll_mtree_probe_worker_begin(const coll_mtree_channel_t *channel,
                              const coll_mtree_command_t *command, void *items,
                              void *reply);

/* Go on without waiting; true when the reply is there. */
bool coll_mtree_probe_worker_advance(coll_mtree_probe_worker_t *worker);

/* How it is to be waited for; NULL is allowed. */
coll_mtree_wait_t coll_mtree_probe_worker_wait(const coll_mtree_probe_worker_t *worker);

/* Free it, before its end too; NULL is allowed. */
void coll_mtree_probe_worker_end(coll_mtree_probe_worker_t *worker);

/* Carry out the commands of rank 0 until the last: on the first rank of every other host.
 */
void coll_mtree_probe_worker_serve(const coll_mtree_channel_t *channel);

#endif
