/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An arrival-ordered collective, inside, in layers: control_msg.c (messages of the
 * coordination), member.c (every rank but the coordinator), coordinator.c, and arrival.c
 * (life).  Only the thread that holds the operation's inbox touches any of it.
 */
#ifndef MTREE_SCHEDULE_ARRIVAL_PRIVATE_H
#define MTREE_SCHEDULE_ARRIVAL_PRIVATE_H

#include "schedule/arrival/arrival.h"
#include "schedule/arrival/chain.h"
#include "schedule/arrival/directory.h"
#include "schedule/dynamic_peers.h"

#include <stdint.h>

/*
 * What the coordinator says to a rank, in this order: of a reduction GATHER and PASS, of
 * a broadcast TAKE, any number of GIVEs, SETTLED perhaps, LEAVE.  Nothing follows the
 * last of them.
 */
typedef enum {
    MTREE_COMMAND_GATHER,  /* add the sums of these ranks to your own */
    MTREE_COMMAND_PASS,    /* send the sum to this rank */
    MTREE_COMMAND_TAKE,    /* the result comes from this rank */
    MTREE_COMMAND_GIVE,    /* send the result to this rank, too */
    MTREE_COMMAND_SETTLED, /* you will have to give to nobody else */
    MTREE_COMMAND_LEAVE /* you are not needed any more; give this rank, if any, no more */
} mtree_command_kind_t;

typedef struct {
    int32_t kind;
    int32_t num_ranks;
    int32_t ranks[MTREE_CHAIN_CHILDREN];
} mtree_command_t;

/*
 * What a rank says to the coordinator: HERE, and where a broadcast has a directory HOLD,
 * unless LEAVE comes before, and BYE in answer to LEAVE.
 *
 * A source that is to give a rank no more stops before a chunk, which BYE tells the root,
 * who gives that rank the rest.  The rank itself learns it from empty messages
 * (schedule/dynamic_peers.h) and takes the rest from the root.  So nobody waits for an
 * answer, and what a source has sent is received from it.
 */
typedef enum {
    MTREE_REPORT_HERE,
    MTREE_REPORT_HOLD, /* everything is here */
    MTREE_REPORT_BYE
} mtree_report_kind_t;

typedef struct {
    int32_t kind;
    int64_t chunk; /* with BYE: the first that the rank in LEAVE was not given */
} mtree_report_t;

typedef struct mtree_arrival_run mtree_arrival_run_t;

/* An order or a report on its way. */
typedef struct mtree_control_msg mtree_control_msg_t;
struct mtree_control_msg {
    mtree_event_t event; /* must be first */
    mtree_arrival_run_t *run;
    mtree_control_msg_t *link, *all;
    union {
        mtree_command_t command;
        mtree_report_t report;
    } text;
};

/* The coordinator's receive of what one rank reports, or a rank's of its next order. */
typedef struct {
    mtree_event_t event; /* must be first */
    mtree_arrival_run_t *run;
    int rank;
    int relieved; /* the rank that it was to give no more; -1: none */
    union {
        mtree_command_t command;
        mtree_report_t report;
    } text;
} mtree_posted_recv_t;

struct mtree_arrival_run {
    mtree_arrival_t arrival;
    mtree_operation_t *operation;
    mtree_layout_t layout;
    mtree_stream_t stream;
    int coordinator;
    bool has_directory; /* a broadcast, and not straight from the root */
    int children[MTREE_CHAIN_CHILDREN];
    bool reported_hold;
    bool settled; /* will not have to give to anybody else */
    bool dismissed;
    int handing_over;             /* the coordinator: who have yet to tell their chunk */
    mtree_chain_t *chain;         /* the coordinator's, of a reduction */
    mtree_directory_t *directory; /* the coordinator's, of a broadcast */
    mtree_posted_recv_t *posted_recvs; /* [num_ranks] of the coordinator; else one */
    mtree_control_msg_t *free_control_msgs, *all_control_msgs;
    double began;      /* clock, where those that come are noted */
    size_t kept_aside; /* bytes */
    void (*released)(void *arg);
    void *arg;
};

static inline bool mtree_arrival_coordinates(const mtree_arrival_run_t *run)
{
    return run->arrival.rank == run->coordinator;
}

static inline double mtree_arrival_now(const mtree_arrival_run_t *run)
{
    return run->arrival.transport->ops->now(run->arrival.transport);
}

/* control_msg.c: a message to be filled in and sent.  NULL: no memory, and the operation
 * has failed. */
mtree_control_msg_t *mtree_control_msg_get(mtree_arrival_run_t *run);

/* Send it to @a rank on @a tag of the coordination. */
void mtree_control_msg_send(mtree_control_msg_t *control_msg, int rank, int tag,
                            size_t bytes);

/* Free all messages of @a run; none is on its way. */
void mtree_control_msgs_free(mtree_arrival_run_t *run);

/* member.c: begin; do what the coordinator says; report what came to pass. */
void mtree_arrival_enter(mtree_arrival_run_t *run);
void mtree_arrival_obey(mtree_arrival_run_t *run, const mtree_command_t *command);
void mtree_arrival_report(mtree_arrival_run_t *run);

/* coordinator.c: begin; decide what can be decided now. */
void mtree_arrival_convene(mtree_arrival_run_t *run);
void mtree_arrival_coordinate(mtree_arrival_run_t *run);

#endif
