/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A plan as the programs of GPUs that MSCCL's interpreter runs
 * (github.com/microsoft/msccl, src/collectives/device/msccl_interpreter.h).
 *
 * Host i of the plan is GPU i.  A GPU's thread blocks run at the same time; each sends to
 * one GPU, or receives from one, and its steps follow each other.  A step may wait for
 * one step of another thread block of its GPU.  The data of a call are chunks of one size
 * in three buffers: 'i', the input; 'o', the output; 's', scratch memory.  Input and
 * output may be the same memory: no step needs what another one has overwritten.
 */
#ifndef MTREE_TOOLS_EXPORT_MSCCL_PROGRAM_H
#define MTREE_TOOLS_EXPORT_MSCCL_PROGRAM_H

#include "planner/plan/plan.h"

/* What MSCCL holds (src/include/msccl.h there). */
#define MSCCL_MAX_STEPS  256 /* of a thread block */
#define MSCCL_MAX_BLOCKS 216 /* of a GPU */
#define MSCCL_MAX_PEERS                                                                  \
    32 /* that thread blocks of a channel send to, or receive from                       \
        */
#define MSCCL_MAX_CHANNELS 32
#define MSCCL_MAX_COUNT    71   /* chunks of a step */
#define MSCCL_MAX_NODES    4096 /* XML elements that a GPU reads */

typedef enum {
    MSCCL_SEND,
    MSCCL_RECV,
    MSCCL_RECV_REDUCE, /* writes the sum of what comes and of the source, a local one */
    MSCCL_COPY
} msccl_kind_t;

typedef struct {
    char buffer; /* 'i', 'o' or 's' */
    int first;   /* chunk in it */
} msccl_place_t;

typedef struct {
    msccl_kind_t kind;
    msccl_place_t source, target; /* of a send the target, of a receive the source is that
                                     on the other GPU */
    int count;                    /* chunks */
    int wait_block, wait_step;    /* the step that it waits for; -1: none */
    bool is_awaited;
} msccl_step_t;

typedef struct {
    int send, recv; /* GPU; -1: none */
    int channel;
    int num_steps, step_room;
    msccl_step_t *steps;
} msccl_block_t;

typedef struct {
    int scratch; /* chunks */
    int num_blocks, block_room;
    msccl_block_t *blocks;
} msccl_gpu_t;

typedef struct {
    int chunks; /* of the vector, or, where each rank has a block, of a block */
    int num_channels;
    int num_gpus;
    msccl_gpu_t *gpus;
} msccl_program_t;

/* Why no plan of @a collective is such a program, in words; NULL: it can be one. */
const char *msccl_program_obstacle(mtree_collective_t collective);

/*
 * Make the program of @a plan, of a collective without an obstacle and without relays,
 * with @a chunks chunks.  Its trees are spread over as many channels as it takes to keep
 * to the limits above.  MTREE_ERR_LIMIT: no number of channels does; MTREE_ERR_NO_MEMORY.
 * Neither is logged.  Release *program with msccl_program_cleanup().
 */
mtree_status_t msccl_program_make(const mtree_plan_t *plan, int chunks,
                                  msccl_program_t *program);

/* Free what @a program holds. */
void msccl_program_cleanup(msccl_program_t *program);

#endif
