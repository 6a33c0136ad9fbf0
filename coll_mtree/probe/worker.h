/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the first rank on a host does for the probe: it carries out the commands of rank
 * 0, one at a time, and replies to each.
 */
#ifndef COLL_MTREE_PROBE_WORKER_H
#define COLL_MTREE_PROBE_WORKER_H

#include "coll_mtree/probe/cables.h"
#include "coll_mtree/probe/experiments.h"

#include "topo/host/processor.h"
#include "topo/host/traceroute.h"

typedef enum {
    COLL_MTREE_COMMAND_HANDSHAKE,  /* no items; replied: mtree_pressure_t */
    COLL_MTREE_COMMAND_FIRST_HOPS, /* mtree_address_t; replied: mtree_kernel_route_t each
                                    */
    COLL_MTREE_COMMAND_HOPS, /* mtree_traceroute_probe_t; replied: the same, answered */
    COLL_MTREE_COMMAND_EXPERIMENTS, /* coll_mtree_probe_part_t; replied:
                                     coll_mtree_probe_report_t of each that reports */
    COLL_MTREE_COMMAND_INTERFACES, /* one, without items; replied: coll_mtree_cable_host_t
                                    */
    COLL_MTREE_COMMAND_CABLES,     /* coll_mtree_cable_part_t; replied:
                                    coll_mtree_cable_report_t each */
    COLL_MTREE_COMMAND_END         /* no reply; no command follows */
} coll_mtree_command_kind_t;

/* Sent as it is; its items, if any, follow in a message of their own. */
typedef struct {
    int kind;
    int num_items;
    double delay;    /* seconds to wait before experiments begin */
    double patience; /* timeout of a probe for a hop, seconds */
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
 * Begin to carry out @a command; @a items are used in place, until the end, and @a reply
 * has coll_mtree_command_reply_bytes() bytes.  The reply to what cannot be done is that
 * it failed, or that no router answered.
 */
coll_mtree_probe_worker_t *
coll_mtree_probe_worker_begin(const coll_mtree_channel_t *channel,
                              const coll_mtree_command_t *command, void *items,
                              void *reply);

/* Go on without waiting; true when the reply is there. */
bool coll_mtree_probe_worker_advance(coll_mtree_probe_worker_t *worker);

/* How to wait for it; NULL is allowed. */
coll_mtree_wait_t coll_mtree_probe_worker_wait(const coll_mtree_probe_worker_t *worker);

/* Free it, also before its end; NULL is allowed. */
void coll_mtree_probe_worker_end(coll_mtree_probe_worker_t *worker);

/* Carry out the commands of rank 0 until the last: on the first rank of every other host.
 */
void coll_mtree_probe_worker_serve(const coll_mtree_channel_t *channel);

#endif
