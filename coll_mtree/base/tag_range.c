/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/base/tag_range.h"

#include "base/array.h"
#include "base/memory.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* New slots that are made at least before the ranks tell each other what they use, which
 * takes a message of as many bits. */
#define LEAST_NEW 1024

void coll_mtree_tag_slots_cleanup(coll_mtree_tag_slots_t *slots)
{
    free(slots->slots);
    free(slots->bits);
    pthread_mutex_destroy(&slots->lock);
}

/* Where the slots of @a count tags are in `free`; -1: there is none yet. */
static int size_of(const coll_mtree_tag_slots_t *slots, int count)
{
    for (int size = 0; size < COLL_MTREE_TAG_SIZES; size++) {
        if (slots->sizes[size] == count) {
            return size;
        }
    }
    return -1;
}

static bool has_free(const coll_mtree_tag_slots_t *slots, int count)
{
    int size = size_of(slots, count);

    return size >= 0 && slots->free[size] >= 0;
}

/* Slots before the ranks tell each other what they use. */
static int most_of(const coll_mtree_tag_slots_t *slots)
{
    return slots->most == 0 ? LEAST_NEW : slots->most;
}

coll_mtree_tag_slot_state_t coll_mtree_tag_slots_look(const coll_mtree_tag_slots_t *slots,
                                                      int count, int most_tags)
{
    bool has_tags = most_tags - slots->tags >= count;

    if (has_free(slots, count) || (has_tags && slots->num < most_of(slots))) {
        return COLL_MTREE_TAG_SLOT_THERE;
    }
    return slots->num == 0 ? COLL_MTREE_TAG_SLOT_NONE : COLL_MTREE_TAG_SLOT_ASK;
}

/* A new slot. */
static int make_slot(coll_mtree_tag_slots_t *slots, int count)
{
    int size = size_of(slots, count);

    mtree_array_reserve(&slots->slots, &slots->capacity, slots->num + 1,
                        sizeof(*slots->slots));
    mtree_array_reserve(&slots->bits, &slots->bits_capacity, slots->num / CHAR_BIT + 1,
                        1);
    for (int s = 0; size < 0 && s < COLL_MTREE_TAG_SIZES; s++) {
        if (slots->sizes[s] == 0) {
            slots->sizes[s] = count;
            slots->free[s] = -1;
            size = s;
        }
    }
    slots->slots[slots->num] =
        (coll_mtree_tag_slot_t){.begin = slots->tags, .count = count, .next = -1};
    slots->tags += count;
    return slots->num++;
}

int coll_mtree_tag_slots_take(coll_mtree_tag_slots_t *slots, int count)
{
    int number;

    pthread_mutex_lock(&slots->lock);
    if (has_free(slots, count)) {
        int *first = &slots->free[size_of(slots, count)];

        number = *first;
        *first = slots->slots[number].next;
    } else {
        number = make_slot(slots, count);
    }
    slots->slots[number].is_used = true;
    pthread_mutex_unlock(&slots->lock);
    return number;
}

void coll_mtree_tag_slots_release(coll_mtree_tag_slots_t *slots, int number)
{
    pthread_mutex_lock(&slots->lock);
    slots->slots[number].is_used = false;
    pthread_mutex_unlock(&slots->lock);
}

size_t coll_mtree_tag_slots_write(coll_mtree_tag_slots_t *slots)
{
    size_t bytes = ((size_t)slots->num + CHAR_BIT - 1) / CHAR_BIT;

    pthread_mutex_lock(&slots->lock);
    memset(slots->bits, 0, bytes);
    for (int i = 0; i < slots->num; i++) {
        if (slots->slots[i].is_used) {
            slots->bits[i / CHAR_BIT] |= (unsigned char)(1u << i % CHAR_BIT);
        }
    }
    pthread_mutex_unlock(&slots->lock);
    return bytes;
}

/* As many new ones may be made as are used, so that what the ranks tell each other stays
 * cheap beside the requests. */
void coll_mtree_tag_slots_learn(coll_mtree_tag_slots_t *slots, int count)
{
    int used = 0;

    pthread_mutex_lock(&slots->lock);
    for (int size = 0; size < COLL_MTREE_TAG_SIZES; size++) {
        slots->free[size] = -1;
    }
    for (int i = slots->num - 1; i >= 0; i--) {
        int size = size_of(slots, slots->slots[i].count);

        if ((slots->bits[i / CHAR_BIT] & 1u << i % CHAR_BIT) != 0) {
            used++;
        } else if (size >= 0) {
            slots->slots[i].next = slots->free[size];
            slots->free[size] = i;
        }
    }
    slots->most = used + (used > LEAST_NEW ? used : LEAST_NEW);
    if (slots->most <= slots->num && !has_free(slots, count)) {
        slots->most = slots->num + LEAST_NEW;
    }
    pthread_mutex_unlock(&slots->lock);
}

/* Where the tags begin, as distances from the far end. */
enum {
    FIRST_CALL = COLL_MTREE_TCP_TAGS,
    FIRST_CONTROL = FIRST_CALL + COLL_MTREE_LIVE_CALLS * COLL_MTREE_CALL_TAGS,
    FIRST_PERSISTENT = FIRST_CONTROL + COLL_MTREE_CONTROL_TAGS
};

void coll_mtree_tag_range_init(coll_mtree_tag_range_t *range, int limit)
{
    *range = (coll_mtree_tag_range_t){.limit = limit};
    pthread_mutex_init(&range->slots.lock, NULL);
}

/* Open MPI has the near half. */
int coll_mtree_tag_range_most(int limit)
{
    return limit / 2 - FIRST_PERSISTENT;
}

/* The first of @a count tags, the last of which is @a distance from the far end. */
static int first_tag(int limit, int distance, int count)
{
    return distance + count - 1 - limit;
}

int coll_mtree_tag_range_tcp(int limit)
{
    return first_tag(limit, 0, COLL_MTREE_TCP_TAGS);
}

int coll_mtree_tag_range_call(const coll_mtree_tag_range_t *range, unsigned long number)
{
    int set = (int)(number % COLL_MTREE_LIVE_CALLS);

    return first_tag(range->limit, FIRST_CALL + set * COLL_MTREE_CALL_TAGS,
                     COLL_MTREE_CALL_TAGS);
}

int coll_mtree_tag_range_control(coll_mtree_tag_range_t *range, int count)
{
    if (range->control > COLL_MTREE_CONTROL_TAGS - count) {
        range->control = 0;
    }
    range->control += count;
    return first_tag(range->limit, FIRST_CONTROL + range->control - count, count);
}

int coll_mtree_tag_range_persistent(const coll_mtree_tag_range_t *range, int slot)
{
    const coll_mtree_tag_slot_t *at = &range->slots.slots[slot];

    return first_tag(range->limit, FIRST_PERSISTENT + at->begin, at->count);
}
