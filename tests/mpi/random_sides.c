/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/mpi/random_case.h"

#include <stdlib.h>

int block_items(const case_t *c, int from, int to)
{
    generator_t blocks = {.state = c->shape};
    int low =
        c->in_place && collective_is(c->collective, IS_ALLTOALL) && from > to ? to : from;

    if (!collective_is(c->collective, IS_UNEQUAL) ||
        (run.choice != NULL && run.choice->block >= 0)) {
        return c->block;
    }
    blocks.state = (blocks.state * 1009 + (unsigned)low) * 1013 + (unsigned)(from + to);
    (void)draw(&blocks, 2);
    return draw(&blocks, 5) == 0
               ? 0
               : 4 * (1 + draw(&blocks, draw(&blocks, 4) == 0 ? LARGEST_BLOCK / 4 : 40));
}

void block_fill(const case_t *c, int from, int to, char *packed)
{
    item_fill(c->kind, c->op, c->seed + 97 * (unsigned)to, from, 0,
              (size_t)block_items(c, from, to), packed);
}

int side_items(const case_t *c, bool receives, int peer)
{
    int only = c->sides[receives].only;

    if (only == -2 || (only >= 0 && only != peer)) {
        return 0;
    }
    return receives ? block_items(c, peer, c->rank) : block_items(c, c->rank, peer);
}

/* alltoallw: an element of the type of every other rank is a whole block. */
static void side_draw_types(const case_t *c, side_t *side, const item_layout_t *layout)
{
    MPI_Aint lower, extent;

    MPI_Type_get_extent(layout->type, &lower, &extent);
    for (int r = 0; r < c->ranks; r++) {
        side->places[r] *= (place_t)extent;
        MPI_Type_contiguous(r % 2 == 0 ? 1 : (int)side->counts[r], layout->type,
                            &side->types[r]);
        MPI_Type_commit(&side->types[r]);
        /* libnbc takes an empty element for a message that the other side leaves out. */
        if (r % 2 != 0 && (side->counts[r] > 0 || !is_tame(c))) {
            side->counts[r] = 1;
        }
    }
}

void side_create(case_t *c, bool receives, const item_layout_t *layout)
{
    side_t *side = &c->sides[receives];
    bool is_root = c->rank == c->root, apart;
    int first, at = 0;

    if (collective_is(c->collective, IS_ALLTOALL)) {
        side->only = -1;
    } else if (receives == (c->collective <= GATHERV)) {
        side->only = is_root ? -1 : -2;
    } else {
        side->only = c->in_place ? -2 : c->root;
    }
    apart = collective_is(c->collective, IS_UNEQUAL) && side->only == -1;
    first = apart ? draw(&run.own, c->ranks) : 0;
    side->counts = allocate((size_t)c->ranks * sizeof(*side->counts));
    side->places = allocate((size_t)c->ranks * sizeof(*side->places));
    side->first = allocate((size_t)c->ranks * sizeof(*side->first));
    for (int i = 0; i < c->ranks; i++) {
        int r = (first + i) % c->ranks;

        at += apart ? 4 * draw(&run.own, 3) : 0;
        side->first[r] = side->places[r] = at / layout->items;
        side->counts[r] = side_items(c, receives, r) / layout->items;
        at += side_items(c, receives, r);
    }
    side->total = at;
    side->types = allocate((size_t)c->ranks * sizeof(*side->types));
    if (c->collective == ALLTOALLW) {
        side_draw_types(c, side, layout);
    }
}

void side_free(const case_t *c, side_t *side)
{
    for (int r = 0; c->collective == ALLTOALLW && r < c->ranks; r++) {
        MPI_Type_free(&side->types[r]);
    }
    free(side->counts);
    free(side->places);
    free(side->first);
    free(side->types);
}

void exchange_fill(case_t *c)
{
    bool in_place = c->in_place && (collective_is(c->collective, IS_ALLTOALL) ||
                                    c->collective <= GATHERV);
    const side_t *side = &c->sides[in_place];

    for (int r = 0; r < c->ranks; r++) {
        int items = side_items(c, in_place, r);
        char *packed;

        if (items == 0 ||
            (in_place && !collective_is(c->collective, IS_ALLTOALL) && r != c->rank)) {
            continue;
        }
        packed = allocate((size_t)items * item_bytes(c->kind));
        block_fill(c, c->rank, r, packed);
        area_put(in_place ? &c->recv : &c->send, side->first[r],
                 items / (in_place ? c->recv_layout : c->send_layout)->items, packed);
        free(packed);
    }
}
