/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rank programs: the steps of one rank in a collective algorithm, as one would write it
 * with nonblocking MPI calls.  The builders of simulate/baseline make them;
 * mtree_programs_run() runs them.
 *
 * Lengths and offsets are in elements.  A rank has four buffers, and sends from and
 * receives into any of them.
 */
#ifndef MTREE_SIMULATE_BASELINE_PROGRAM_H
#define MTREE_SIMULATE_BASELINE_PROGRAM_H

#include "simulate/pt2pt.h"

typedef enum {
    MTREE_BUFFER_INPUT, /* what the application gives */
    MTREE_BUFFER_RESULT,
    MTREE_BUFFER_WORK,
    MTREE_BUFFER_INBOX,
    MTREE_BUFFER_LAST
} mtree_buffer_t;

/* An element of a buffer. */
typedef struct {
    mtree_buffer_t buffer;
    size_t offset;
} mtree_place_t;

typedef enum {
    MTREE_STEP_SEND, /* starts; from, count, peer */
    MTREE_STEP_RECV, /* starts; to, count, peer */
    MTREE_STEP_WAIT, /* until the send or receive of step `request` is done */
    MTREE_STEP_FOLD, /* to = to + from, element by element */
    MTREE_STEP_COPY
} mtree_step_kind_t;

typedef struct {
    mtree_step_kind_t kind;
    int peer;
    size_t request;
    mtree_place_t to, from;
    size_t count;
} mtree_step_t;

typedef struct {
    size_t num_steps;
    int capacity; /* of steps */
    mtree_step_t *steps;
    size_t lengths[MTREE_BUFFER_LAST]; /* elements that the steps touch */
    bool
        without_copies; /* no data is carried: copies, which take no time, are left out */
    mtree_status_t status; /* the first failure to add a step */
} mtree_program_t;

/* Elements from @a offset of @a buffer on. */
static inline mtree_place_t mtree_place(mtree_buffer_t buffer, size_t offset)
{
    return (mtree_place_t){buffer, offset};
}

/*
 * Add a step to a program that was zeroed before its first step.  The first failure stays
 * in `status`.  A send or receive of 0 elements is left out, at both ends.
 * mtree_program_send() and mtree_program_recv() return the request for
 * mtree_program_wait().
 */
size_t mtree_program_send(mtree_program_t *program, int peer, mtree_place_t from,
                          size_t count);
size_t mtree_program_recv(mtree_program_t *program, int peer, mtree_place_t to,
                          size_t count);
void mtree_program_wait(mtree_program_t *program, size_t request);
void mtree_program_fold(mtree_program_t *program, mtree_place_t to, mtree_place_t from,
                        size_t count);
void mtree_program_copy(mtree_program_t *program, mtree_place_t to, mtree_place_t from,
                        size_t count);

/* Send and wait; receive and wait. */
void mtree_program_send_now(mtree_program_t *program, int peer, mtree_place_t from,
                            size_t count);
void mtree_program_recv_now(mtree_program_t *program, int peer, mtree_place_t to,
                            size_t count);

/*
 * Run @a programs, one per rank of @a pt2pt, whose unit is one element, until all have
 * ended.
 * @a buffers is NULL where no data is carried, else [num_ranks][MTREE_BUFFER_LAST] arrays
 * of uint32_t, at least as long as the programs say.  MTREE_STEP_FOLD adds modulo 2^32
 * and takes
 * @a fold_seconds per element.  Rank r begins at arrivals[r] seconds (NULL: all at 0).
 * *seconds_p is the time at which the last rank ended.  MTREE_ERR_TRANSPORT (logged): a
 * rank waits for ever.
 *
 * Where they have more than @a most_messages (0: no limit) in all, a microsecond or two
 * each, they are left when so many have been received, and *seconds_p is what all would
 * take at the pace of the second half of these.
 */
mtree_status_t mtree_programs_run(mtree_event_queue_t *queue, mtree_pt2pt_t *pt2pt,
                                  const mtree_program_t *programs, int num_ranks,
                                  uint32_t *(*buffers)[MTREE_BUFFER_LAST],
                                  double fold_seconds, const double *arrivals,
                                  size_t most_messages, double *seconds_p);

#endif
