/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/tcp/streams.h"

#include "planner/plan/streams.h"
#include "tcp/tcp.h"
#include "tcp/width.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Files that are open beside connections to other hosts: Open MPI's and mtree's, and room
 * for the program's, where the limit may be raised. */
#define OTHERS 40
#define ROOM   256

/* Connections where the user leaves it to mtree: what a link with 1 % loss needs. */
#define CONNECTIONS 8

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

double coll_mtree_streams_files(int peers, int openmpi, int wanted)
{
    return OTHERS + ROOM + (double)peers * (openmpi + wanted);
}

int coll_mtree_streams_within(double limit, int peers, int openmpi, int wanted)
{
    const double left =
        peers > 0 ? floor((limit - OTHERS) / peers) - openmpi : (double)wanted;

    return (int)fmin(wanted, fmax(0, left));
}

int coll_mtree_streams_usual(const coll_mtree_streams_t *streams)
{
    return streams->is_auto           ? mtree_tcp_width(1, streams->connections)
           : streams->connections > 0 ? streams->connections
                                      : 1;
}

bool coll_mtree_streams_carry(const coll_mtree_streams_t *streams,
                              const mtree_plan_part_t *part)
{
    bool carry = streams->connections > 0 && (!streams->is_auto || streams->carry_all);

    for (int t = 0; t < part->num_trees && streams->is_auto && !carry; t++) {
        const mtree_part_tree_t *tree = &part->trees[t];

        carry =
            mtree_streams_pay(part->collective, part->bytes, tree->rate, tree->latency,
                              (double)tree->widest / part->num_hosts, tree->chunk_bytes);
    }
    return carry;
}
