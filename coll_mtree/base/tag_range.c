/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/base/tag_range.h"

#include "coll_mtree/base/tuning.h"

#include "base/array.h"
#include "base/memory.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

void coll_mtree_tag_slots_cleanup(coll_mtree_tag_slots_t *slots)
{
    free(slots->is_used);
    free(slots->bits);
    pthread_mutex_destroy(&slots->lock);
}

coll_mtree_tag_slot_state_t coll_mtree_tag_slots_look(const coll_mtree_tag_slots_t *slots,
                                                      int most)
{
    if (slots->next < slots->num || (slots->num < most && slots->num < slots->most)) {
        return COLL_MTREE_TAG_SLOT_THERE;
    }
    return slots->num == 0 ? COLL_MTREE_TAG_SLOT_NONE : COLL_MTREE_TAG_SLOT_ASK;
}

/* The first slot from @a number on that no rank used at the last exchange, or a new one.
 */
static int next_free(const coll_mtree_tag_slots_t *slots, int number)
{
    while (number < slots->num &&
           (slots->bits[number / CHAR_BIT] & 1u << number % CHAR_BIT) != 0) {
        number++;
    }
    return number;
}

int coll_mtree_tag_slots_take(coll_mtree_tag_slots_t *slots)
{
    int number;

    pthread_mutex_lock(&slots->lock);
    number = slots->next;
    if (number == slots->num) {
        slots->num++;
        mtree_array_reserve(&slots->is_used, &slots->capacity, slots->num,
                            sizeof(*slots->is_used));
        mtree_array_reserve(&slots->bits, &slots->bits_capacity, number / CHAR_BIT + 1,
                            1);
    }
    slots->is_used[number] = true;
    slots->next = next_free(slots, number + 1);
    pthread_mutex_unlock(&slots->lock);
    return number;
}

void coll_mtree_tag_slots_release(coll_mtree_tag_slots_t *slots, int number)
{
    pthread_mutex_lock(&slots->lock);
    slots->is_used[number] = false;
    pthread_mutex_unlock(&slots->lock);
}

size_t coll_mtree_tag_slots_write(coll_mtree_tag_slots_t *slots)
{
    size_t bytes = ((size_t)slots->num + CHAR_BIT - 1) / CHAR_BIT;

    pthread_mutex_lock(&slots->lock);
    memset(slots->bits, 0, bytes);
    for (int i = 0; i < slots->num; i++) {
        if (slots->is_used[i]) {
            slots->bits[i / CHAR_BIT] |= (unsigned char)(1u << i % CHAR_BIT);
        }
    }
    pthread_mutex_unlock(&slots->lock);
    return bytes;
}

/* As many new ones may be made as are used, so that what the ranks tell each other stays
 * cheap beside the requests. */
void coll_mtree_tag_slots_learn(coll_mtree_tag_slots_t *slots)
{
    int used = slots->num;

    pthread_mutex_lock(&slots->lock);
    slots->next = next_free(slots, 0);
    for (int i = slots->next; i < slots->num; i = next_free(slots, i + 1)) {
        used--;
    }
    slots->most =
        used + (used > COLL_MTREE_LEAST_NEW_SLOTS ? used : COLL_MTREE_LEAST_NEW_SLOTS);
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
    *range = (coll_mtree_tag_range_t){.limit = limit,
                                      .slots.most = COLL_MTREE_LEAST_NEW_SLOTS};
    pthread_mutex_init(&range->slots.lock, NULL);
}

/* Open MPI has the near half. */
int coll_mtree_tag_range_most(int limit)
{
    int tags = limit / 2 - FIRST_PERSISTENT;

    return tags < 0 ? -1 : tags / COLL_MTREE_CALL_TAGS;
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
    return first_tag(range->limit, FIRST_PERSISTENT + slot * COLL_MTREE_CALL_TAGS,
                     COLL_MTREE_CALL_TAGS);
}
