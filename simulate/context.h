/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The parts of a simulation: event queue, network and ranks, and what each rank runs.
 * Private to simulate/simulate*.c.
 */
#ifndef MTREE_SIMULATE_CONTEXT_H
#define MTREE_SIMULATE_CONTEXT_H

#include "base/arena.h"
#include "schedule/layout.h"
#include "schedule/program/run.h"
#include "simulate/pt2pt.h"
#include "simulate/simulate.h"

/* One rank, or relay, and what it runs: a program, or an operation. */
typedef struct mtree_simulated_rank mtree_simulated_rank_t;

/* What a rank does on arrival: it begins an operation with @a data, addresses that nobody
 * reads, and sums that take time; mtree_simulated_ended() is to be called at its end. */
typedef mtree_status_t (*mtree_simulated_start_t)(mtree_simulated_rank_t *rank,
                                                  mtree_operation_data_t *data);

typedef struct {
    const mtree_simulate_options_t *options;
    mtree_collective_t collective;
    int num_arcs;
    int num_ranks;   /* without relays */
    int num_members; /* ranks, and behind them relays */
    int root;        /* rank */
    size_t count;    /* elements of the vector */
    mtree_event_queue_t *queue;
    mtree_network_t *network;
    mtree_pt2pt_t *pt2pt;
    mtree_arena_t arena;           /* freed with the simulation */
    mtree_simulated_rank_t *ranks; /* [num_members] */
} mtree_simulation_t;

/*
 * Check @a options and make the parts; the last @a num_relays of the hosts are relays.
 * @a streams: messages go over mtree's own connections, which know no eager limit, are
 * paced, and use BBR, so that losses do not make them slow; else over those of Open MPI,
 * with the kernel's usual congestion control.  mtree_simulation_close() frees the parts,
 * and what ranks run, after failures, too.
 */
mtree_status_t mtree_simulation_open(const mtree_topology_t *topology, const int *hosts,
                                     int num_hosts, int num_relays, bool streams,
                                     mtree_collective_t collective,
                                     const mtree_simulate_options_t *options,
                                     mtree_simulation_t *simulation_p);
void mtree_simulation_close(mtree_simulation_t *simulation);

struct mtree_simulated_rank {
    mtree_simulation_t *simulation;
    int number;
    mtree_simulated_start_t start;
    void *arg; /* of mtree_simulation_run() */
    mtree_timer_t arrival;
    mtree_operation_t *operation;
    bool has_ended;
    double left;            /* time at which it left the call */
    mtree_layout_t *layout; /* of a plan; else NULL */
};

/* The operation of @a arg, a rank, has ended. */
void mtree_simulated_ended(mtree_operation_t *operation, mtree_status_t status,
                           void *arg);

/* Run @a program. */
void mtree_simulated_start(mtree_simulated_rank_t *rank, const mtree_program_t *program,
                           const mtree_operation_data_t *data);

/* Have all ranks of @a simulation @a start, which finds @a arg in them, and run to their
 * end, or to the limit of their messages.  *result_p is all but the trees.
 * MTREE_ERR_TRANSPORT (logged): some wait for ever. */
mtree_status_t mtree_simulation_run(mtree_simulation_t *simulation,
                                    mtree_simulated_start_t start, void *arg,
                                    mtree_simulate_result_t *result_p);

#endif
