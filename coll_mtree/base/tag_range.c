/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/base/tag_range.h"

/* Where the tags begin, as distances from the far end. */
enum {
    FIRST_CALL = COLL_MTREE_TCP_TAGS,
    FIRST_CONTROL = FIRST_CALL + COLL_MTREE_LIVE_CALLS * COLL_MTREE_CALL_TAGS,
    FIRST_PERSISTENT = FIRST_CONTROL + COLL_MTREE_CONTROL_TAGS
};

void coll_mtree_tag_range_cleanup(coll_mtree_tag_range_t *range)
{
    coll_mtree_tag_slots_cleanup(&range->slots);
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

int coll_mtree_tag_range_call(int limit, unsigned long number)
{
    int set = (int)(number % COLL_MTREE_LIVE_CALLS);

    return first_tag(limit, FIRST_CALL + set * COLL_MTREE_CALL_TAGS,
                     COLL_MTREE_CALL_TAGS);
}

int coll_mtree_tag_range_control(coll_mtree_tag_range_t *range, int limit, int count)
{
    if (range->control > COLL_MTREE_CONTROL_TAGS - count) {
        range->control = 0;
    }
    range->control += count;
    return first_tag(limit, FIRST_CONTROL + range->control - count, count);
}

int coll_mtree_tag_range_persistent(const coll_mtree_tag_range_t *range, int limit,
                                    int slot)
{
    const coll_mtree_tag_slot_t *at = &range->slots.slots[slot];

    return first_tag(limit, FIRST_PERSISTENT + at->begin, at->count);
}
