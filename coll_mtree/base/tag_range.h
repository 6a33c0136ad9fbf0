/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The tags of a communicator's messages, among those that neither users nor Open MPI
 * take.
 *
 * Tags are negative; @a limit is the farthest that the PML distinguishes.  Users have
 * those from 0 up, Open MPI counts its calls from -1 down, and mtree has the far end:
 *
 * - Calls: COLL_MTREE_LIVE_CALLS sets of tags, in turn.  A call begins when the one that
 *   had its tags before it has released them on this rank
 *   (coll_mtree/base/call_window.h).
 * - Control messages: COLL_MTREE_CONTROL_TAGS in turn, so that the exchange that had a
 * tag before has ended long ago.
 * - Persistent requests: a slot of as many tags as a call each while they live.  They
 * come last, so that Open MPI's count stays away as long as there are few of them.
 *
 * Ranks free requests without a message, each at its own time, but must give a new one
 * the same tags.  So slots are taken in the order in which requests are made, and what
 * has been freed counts only once the ranks have exchanged which slots they still use:
 * when a number of new slots has been taken, or there are no more tags.  Any thread may
 * free a request.
 */
#ifndef COLL_MTREE_BASE_TAG_RANGE_H
#define COLL_MTREE_BASE_TAG_RANGE_H

#include "base/status.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

/* None yet: all zero but for the lock and COLL_MTREE_LEAST_NEW_SLOTS at most. */
typedef struct {
    pthread_mutex_t lock;
    bool *is_used; /* [num] by this rank */
    int num, capacity;
    unsigned char *bits; /* [num bits] of those that were used at the last exchange */
    int bits_capacity;
    int most; /* slots before the next exchange of those in use */
    int next; /* that is to be taken: one that no rank used then, or a new one */
} coll_mtree_tag_slots_t;

void coll_mtree_tag_slots_cleanup(coll_mtree_tag_slots_t *slots);

/* What is needed for one more slot, when there may be @a most. */
typedef enum {
    COLL_MTREE_TAG_SLOT_THERE, /* nothing */
    COLL_MTREE_TAG_SLOT_ASK,   /* an exchange of the slots in use */
    COLL_MTREE_TAG_SLOT_NONE   /* tags: there are too few */
} coll_mtree_tag_slot_state_t;

coll_mtree_tag_slot_state_t coll_mtree_tag_slots_look(const coll_mtree_tag_slots_t *slots,
                                                      int most);

/* Take a slot that is there; its number. */
int coll_mtree_tag_slots_take(coll_mtree_tag_slots_t *slots);

/* This rank does not use slot @a number any more. */
void coll_mtree_tag_slots_release(coll_mtree_tag_slots_t *slots, int number);

/* Write into `bits` which slots this rank uses; their bytes. */
size_t coll_mtree_tag_slots_write(coll_mtree_tag_slots_t *slots);

/* Now `bits` say which slots some rank uses: the others are free.  A slot is there now,
 * if there are tags for one. */
void coll_mtree_tag_slots_learn(coll_mtree_tag_slots_t *slots);

/* Calls of a communicator that may be under way, and the tags that each of them, or a
 * persistent request, may use. */
#define COLL_MTREE_LIVE_CALLS 32
#define COLL_MTREE_CALL_TAGS  2048

/* Tags of coll_mtree/tcp/handshake.c. */
#define COLL_MTREE_TCP_TAGS 2

/* Tags of control messages. */
#define COLL_MTREE_CONTROL_TAGS 131072

/* One communicator's. */
typedef struct {
    int limit;
    int control; /* tags of control messages taken so far in this round */
    coll_mtree_tag_slots_t slots; /* of persistent requests */
    bool
        is_spent; /* there were too few for a persistent request, which has been logged */
} coll_mtree_tag_range_t;

void coll_mtree_tag_range_init(coll_mtree_tag_range_t *range, int limit);

/* The slots that there may be; below 0: there are too few tags even for calls. */
int coll_mtree_tag_range_most(int limit);

/*
 * The first tag of a call, of a control protocol with @a count tags, of the persistent
 * request that has slot @a slot.  The others are the next lower ones.
 */
int coll_mtree_tag_range_tcp(int limit);
int coll_mtree_tag_range_call(const coll_mtree_tag_range_t *range, unsigned long number);
int coll_mtree_tag_range_control(coll_mtree_tag_range_t *range, int count);
int coll_mtree_tag_range_persistent(const coll_mtree_tag_range_t *range, int slot);

#endif
