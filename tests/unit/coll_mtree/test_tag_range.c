/* SPDX-License-Identifier: BSD-3-Clause */
/* Which tags calls and persistent requests take. */
#include "coll_mtree/base/tag_range.h"
#include "tests/unit/runner.h"

#define LIMIT 8388607 /* UCX */

/* The tags that something has: [first - count + 1, first]. */
typedef struct {
    int first, count;
} tags_t;

static bool overlap(tags_t a, tags_t b)
{
    return a.first > b.first - b.count && b.first > a.first - a.count;
}

static void verify_far_half(tags_t tags)
{
    ck_assert_int_lt(tags.first, -(LIMIT / 2));
    ck_assert_int_ge(tags.first - tags.count + 1, -LIMIT);
}

static tags_t tags_of_call(unsigned long number)
{
    const coll_mtree_tag_range_t range = {.limit = LIMIT};

    return (tags_t){coll_mtree_tag_range_call(&range, number), COLL_MTREE_CALL_TAGS};
}

UNIT_TEST(calls_have_sets_of_tags_in_turn)
{
    for (unsigned long i = 0; i < 3 * COLL_MTREE_LIVE_CALLS; i++) {
        verify_far_half(tags_of_call(i));
        for (unsigned long j = 0; j < i; j++) {
            ck_assert(overlap(tags_of_call(i), tags_of_call(j)) ==
                      ((i - j) % COLL_MTREE_LIVE_CALLS == 0));
        }
    }
}

static bool has_slot(const coll_mtree_tag_range_t *range)
{
    return coll_mtree_tag_slots_look(&range->slots, coll_mtree_tag_range_most(LIMIT)) ==
           COLL_MTREE_TAG_SLOT_THERE;
}

/* The tags of a new request that is not freed. */
static tags_t tags_of_request(coll_mtree_tag_range_t *range)
{
    int slot;

    if (!has_slot(range)) {
        (void)coll_mtree_tag_slots_write(&range->slots);
        coll_mtree_tag_slots_learn(&range->slots);
    }
    ck_assert(has_slot(range));
    slot = coll_mtree_tag_slots_take(&range->slots);
    ck_assert_int_ge(slot, 0);
    return (tags_t){coll_mtree_tag_range_persistent(range, slot), COLL_MTREE_CALL_TAGS};
}

UNIT_TEST(persistent_requests_that_live_never_share_tags)
{
    coll_mtree_tag_range_t range;
    int lowest_free = -LIMIT, num_requests = 1900;

    coll_mtree_tag_range_init(&range, LIMIT);
    for (int i = 0; i < num_requests; i++) {
        tags_t tags = tags_of_request(&range);

        if (i % 100 == 0) {
            verify_far_half(tags);
        }
        if (tags.first - tags.count < lowest_free - 1) {
            ck_abort_msg("request %d has tags of another one", i);
        }
        lowest_free = tags.first + 1;
    }
    ck_assert_int_le(lowest_free, -(LIMIT / 2));
    coll_mtree_tag_slots_cleanup(&range.slots);
}

UNIT_TEST(control_messages_have_tags_of_their_own)
{
    coll_mtree_tag_range_t range;
    tags_t request;

    coll_mtree_tag_range_init(&range, LIMIT);
    request = tags_of_request(&range);
    for (int i = 0; i < 100000; i++) {
        tags_t before = {coll_mtree_tag_range_control(&range, 3), 3};
        tags_t tags = {coll_mtree_tag_range_control(&range, 1 + i % 1024), 1 + i % 1024};
        bool apart = !overlap(tags, before) && !overlap(tags, request);

        for (unsigned long call = 0; call < COLL_MTREE_LIVE_CALLS; call++) {
            apart = apart && !overlap(tags, tags_of_call(call));
        }
        if (!apart) {
            ck_abort_msg("%d tags from %d are not free", tags.count, tags.first);
        }
    }
    coll_mtree_tag_slots_cleanup(&range.slots);
}

UNIT_TEST(a_pml_with_few_tags_has_none)
{
    ck_assert_int_lt(coll_mtree_tag_range_most(1 << 15), 0);
    ck_assert_int_ge(coll_mtree_tag_range_most(1 << 20), 1);
}
