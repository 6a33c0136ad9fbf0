/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/mpi/expect.h"
#include "tests/mpi/random_case.h"

#include <stdlib.h>

/* The ranks, from 0 on, whose parts are in this rank's result. */
static int num_folded(const case_t *c)
{
    return collective_is(c->collective, IS_PREFIX) ? c->rank + (c->collective == SCAN)
                                                   : c->ranks;
}

/* The packed image of items [from, to) of the folded vector, or of rank's own. */
static char *expected(const case_t *c, int from, int to, int rank)
{
    size_t first = (size_t)from, behind = (size_t)to, items = behind - first;
    char *sum = allocate(items * item_bytes(c->kind));
    char *in = allocate(items * item_bytes(c->kind));
    int last = !collective_is(c->collective, IS_FOLD) ? rank
               : num_folded(c) > 0                    ? num_folded(c) - 1
                                                      : 0;
    /* What is at absolute addresses is folded elsewhere here. */
    const item_layout_t *layout =
        c->recv_layout->pair != NULL ? item_layout(c->kind, ITEM_PAIR) : c->recv_layout;

    item_fill(c->kind, c->op, c->seed, last, first, behind, sum);
    for (int r = last - 1; collective_is(c->collective, IS_FOLD) && r >= 0; r--) {
        item_fill(c->kind, c->op, c->seed, r, first, behind, in);
        item_fold(layout, c->op, items, in, sum);
    }
    free(in);
    return sum;
}

/* Check @a items items, which are to be @a want and begin at @a element. */
static void verify_items(case_t *c, int element, int items, const char *want, int rank)
{
    size_t bytes = (size_t)items * item_bytes(c->kind);
    char *got = allocate(bytes);
    int elements = items / c->recv_layout->items;

    area_get(&c->recv, element, elements, got);
    mtree_expect(item_equal(c->kind, (size_t)items, want, got),
                 "%s %s, %s, %d ranks, %d %s%s: block of rank %d is wrong",
                 form_names[c->form], collective_table[c->collective].name,
                 run.where != NULL ? run.where : "anywhere", c->ranks, items,
                 item_get(c->kind)->name, c->in_place ? ", in place" : "", rank);
    area_clear(&c->recv, element, elements);
    free(got);
}

/* Check items [from, to) of what is expected (of rank), which begin at @a element. */
static void verify(case_t *c, int element, int from, int to, int rank)
{
    char *want = expected(c, from, to, rank);

    verify_items(c, element, to - from, want, rank);
    free(want);
}

static void verify_exchange(case_t *c)
{
    for (int r = 0; r < c->ranks; r++) {
        int items = side_items(c, true, r);
        char *want = allocate((size_t)items * item_bytes(c->kind));

        if (items > 0) {
            block_fill(c, r, c->rank, want);
            verify_items(c, c->sides[1].first[r], items, want, r);
        }
        free(want);
    }
}

void case_verify(case_t *c)
{
    if (c->collective == BARRIER) {
        return;
    }
    if (collective_is(c->collective, IS_EXCHANGE)) {
        verify_exchange(c);
    } else if (collective_is(c->collective, RECEIVES_ALL)) {
        for (int r = 0; r < c->ranks; r++) {
            verify(c, (int)c->recv_places[r], 0, c->counts[r], r);
        }
    } else if (collective_is(c->collective, SENDS_ALL)) {
        verify(c, 0, c->places[c->rank], c->places[c->rank] + c->counts[c->rank],
               c->rank);
        if (c->in_place) {
            area_clear(&c->recv, 0, c->total);
        }
    } else if (c->collective == EXSCAN && c->rank == 0) {
        /* Its receive area is what it was. */
        if (c->in_place) {
            verify(c, 0, 0, c->total, 0);
        }
    } else if (c->collective != REDUCE || c->rank == c->root) {
        verify(c, 0, 0, c->total, c->root);
    }
    mtree_expect(area_untouched(&c->recv), "%s %s: wrote where it must not",
                 form_names[c->form], collective_table[c->collective].name);
}
