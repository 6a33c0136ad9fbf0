/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/tcp/streams.h"

#include "tcp/tcp.h"
#include "tcp/width.h"

#include <stdlib.h>
#include <string.h>

/* Connections where the user leaves it to mtree: what a link with 1 % loss needs. */
#define CONNECTIONS 8

/* Seconds of the shortest round trip that is long enough for a loss to matter. */
#define LEAST_TRIP 0.002

/* What a call has to move at least, in what the link holds: less of it is over before
 * congestion control has found the rate. */
#define LEAST_LINKFULS 4

/*
 * Bytes that a link holds at least of the blocks of one host for those behind another,
 * where calls are personalized.  Pairs of hosts share the links between sites.  Where
 * such a part is less, and goes over two connections, too few packets follow a lost one
 * to show it before TCP's timeout (notes/performance.md).
 */
#define LEAST_BLOCKS_LINKFUL 65536

mtree_status_t coll_mtree_streams_parse(const char *text, coll_mtree_streams_t *streams)
{
    char *end;
    long number;

    *streams = (coll_mtree_streams_t){.connections = 0};
    if (text == NULL || text[0] == '\0' || strcmp(text, "auto") == 0) {
        *streams = (coll_mtree_streams_t){.connections = CONNECTIONS, .is_auto = true};
        return MTREE_OK;
    }
    number = strtol(text, &end, 10);
    if (end == text || *end != '\0') {
        return MTREE_ERR_INVALID;
    }
    if (number > 0) {
        streams->connections =
            number < MTREE_TCP_CONNECTIONS ? (int)number : MTREE_TCP_CONNECTIONS;
    }
    return MTREE_OK;
}

void coll_mtree_streams_require(coll_mtree_streams_t *streams)
{
    streams->carry_all = true;
    streams->connections = streams->connections > 0 ? streams->connections : 1;
}

int coll_mtree_streams_usual(const coll_mtree_streams_t *streams)
{
    return streams->is_auto           ? mtree_tcp_width(1, streams->connections)
           : streams->connections > 0 ? streams->connections
                                      : 1;
}

/* Do they pay on the longest edge of @a tree of @a part? */
static bool pays(const mtree_plan_part_t *part, const mtree_part_tree_t *tree)
{
    double trip = 2 * tree->latency, linkful = tree->rate / 8 * trip;

    if (mtree_collective_is_personalized(part->collective) &&
        linkful * tree->widest < LEAST_BLOCKS_LINKFUL * part->num_hosts) {
        return false;
    }
    return trip >= LEAST_TRIP && part->bytes >= LEAST_LINKFULS * linkful;
}

bool coll_mtree_streams_carry(const coll_mtree_streams_t *streams,
                              const mtree_plan_part_t *part)
{
    bool carry = streams->connections > 0 && (!streams->is_auto || streams->carry_all);

    for (int t = 0; t < part->num_trees && streams->is_auto && !carry; t++) {
        carry = pays(part, &part->trees[t]);
    }
    return carry;
}
