/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rank programs: the steps of one rank in a collective algorithm, as one would write it
 * with nonblocking MPI calls.  Builders make them: those of planner/program for plans,
 * those of simulate/baseline for Open MPI's algorithms.  schedule/program/run.h runs
 * them.
 *
 * Lengths and offsets are in units, such as elements of a datatype.  A rank has four
 * buffers, and sends from and receives into any of them.
 */
#ifndef MTREE_PLANNER_PROGRAM_PROGRAM_H
#define MTREE_PLANNER_PROGRAM_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>

typedef enum {
    MTREE_BUFFER_INPUT, /* what the application gives */
    MTREE_BUFFER_RESULT,
    MTREE_BUFFER_WORK,
    MTREE_BUFFER_INBOX,
    MTREE_BUFFER_LAST
} mtree_buffer_t;

/* A unit of a buffer. */
typedef struct {
    mtree_buffer_t buffer;
    size_t offset;
} mtree_place_t;

typedef enum {
    MTREE_STEP_SEND, /* starts; from, count, peer */
    MTREE_STEP_RECV, /* starts; to, count, peer */
    MTREE_STEP_WAIT, /* until the send or receive of step `request` is done */
    MTREE_STEP_FOLD, /* to = from + to, unit by unit, by the operation of the call */
    MTREE_STEP_COPY
} mtree_step_kind_t;

typedef struct {
    mtree_step_kind_t kind;
    int peer; /* of a copy of a block the rank that has it */
    size_t request;
    mtree_place_t to, from;
    size_t count;
} mtree_step_t;

typedef struct {
    size_t num_steps;
    int capacity; /* of steps */
    mtree_step_t *steps;
    size_t lengths[MTREE_BUFFER_LAST]; /* units that the steps touch */
    const int *ranks; /* of the numbers by which peers are called; NULL: the same */
    bool
        without_copies; /* no data is carried: copies, which take no time, are left out */
    size_t piece;       /* units: longer messages are cut into such; 0: none is */
    size_t overlap; /* units by which the data of a vector reaches beyond its last unit */
    bool early; /* all receives are to begin before everything else: each has a place of
                   its own in INBOX, from which mtree_program_wait() copies */
} mtree_program_t;

/* Units from @a offset of @a buffer on. */
static inline mtree_place_t mtree_place(mtree_buffer_t buffer, size_t offset)
{
    return (mtree_place_t){buffer, offset};
}

/*
 * Add a step to a program that was zeroed before its first step.  A send or receive of 0
 * units is left out, at both ends.
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

/* Copy the block of @a rank, or a part of it, from or into the user's result, where
 * blocks need not follow one another. */
void mtree_program_copy_block(mtree_program_t *program, int rank, mtree_place_t to,
                              mtree_place_t from, size_t count);

/* Wait for all sends and receives, or for all sends, that were added since step number @a
 * first.  Receives are waited for once. */
void mtree_program_wait_all(mtree_program_t *program, size_t first);
void mtree_program_wait_sends(mtree_program_t *program, size_t first);

/* A place in INBOX for a vector of @a count units that no other step uses, but those that
 * the caller adds. The next one begins `overlap` units behind its end. */
mtree_place_t mtree_program_slot(mtree_program_t *program, size_t count);

/* Send and wait; receive and wait. */
void mtree_program_send_now(mtree_program_t *program, int peer, mtree_place_t from,
                            size_t count);
void mtree_program_recv_now(mtree_program_t *program, int peer, mtree_place_t to,
                            size_t count);

/* Receive a vector in a slot, wait for it and fold it into that at @a to. */
void mtree_program_recv_and_fold(mtree_program_t *program, int peer, mtree_place_t to,
                                 size_t count);

/*
 * Of an `early` program that is complete: move its receives to the front.  So no message
 * waits at its receiver for anything but the beginning of the program.
 */
void mtree_program_hoist(mtree_program_t *program);

/* Free the steps of a program that was zeroed before its first step. */
void mtree_program_clear(mtree_program_t *program);

#endif
