/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tag slots: the tags of one communicator's persistent requests, which are used again
 * when the requests are freed.
 *
 * Ranks free requests without a message, each at its own time, but must give a new one
 * the same tags.  So slots are taken in the order in which requests are made, and what
 * has been freed counts only once the ranks have exchanged which slots they still use:
 * when a number of new slots has been taken, or there are no more tags.
 *
 * Under the caller's lock, since any thread may free a request.
 */
#ifndef COLL_MTREE_BASE_TAG_SLOTS_H
#define COLL_MTREE_BASE_TAG_SLOTS_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>

/* Different numbers of tags that slots may have. */
#define COLL_MTREE_TAG_SIZES 2

typedef struct {
    int begin, count; /* its tags, counted from the first one of all slots */
    int next;         /* of the same size that is free, -1: the last one */
    bool is_used;     /* by this rank */
} coll_mtree_tag_slot_t;

/* All zero: none yet. */
typedef struct {
    coll_mtree_tag_slot_t *slots; /* [num] in the order in which they were made */
    int num, capacity;
    unsigned char *bits; /* [num bits] of those that are used, for the exchange */
    int bits_capacity;
    int tags; /* of all of them */
    int most; /* slots before the next exchange of those in use; 0: some */
    int free[COLL_MTREE_TAG_SIZES];  /* by size, the first that no rank uses; -1: none */
    int sizes[COLL_MTREE_TAG_SIZES]; /* 0: no such slot yet */
} coll_mtree_tag_slots_t;

void coll_mtree_tag_slots_cleanup(coll_mtree_tag_slots_t *slots);

/* What is needed for one more slot of @a count tags, when there may be @a most_tags. */
typedef enum {
    COLL_MTREE_TAG_SLOT_THERE, /* nothing */
    COLL_MTREE_TAG_SLOT_ASK,   /* an exchange of the slots in use */
    COLL_MTREE_TAG_SLOT_NONE   /* tags: there are too few */
} coll_mtree_tag_slot_state_t;

coll_mtree_tag_slot_state_t coll_mtree_tag_slots_look(const coll_mtree_tag_slots_t *slots,
                                                      int count, int most_tags);

/* Take a slot that is there; its number. */
int coll_mtree_tag_slots_take(coll_mtree_tag_slots_t *slots, int count);

/* This rank does not use slot @a number any more. */
void coll_mtree_tag_slots_release(coll_mtree_tag_slots_t *slots, int number);

/* Write into `bits` which slots this rank uses; their bytes. */
size_t coll_mtree_tag_slots_write(coll_mtree_tag_slots_t *slots);

/* Now `bits` say which slots some rank uses: the others are free.  A slot of @a count
 * tags is there now, if there are tags for one. */
void coll_mtree_tag_slots_learn(coll_mtree_tag_slots_t *slots, int count);

#endif
