/* SPDX-License-Identifier: BSD-3-Clause */
#include "schedule/lanes.h"

void mtree_turns_add(mtree_turns_t *turns, mtree_turn_t *turn, int lanes)
{
    turn->following = NULL;
    turn->lane = turns->count % lanes;
    turn->is_open = turns->count < lanes;
    if (turns->last != NULL) {
        turns->last->following = turn;
    }
    turns->last = turn;
    turns->count++;
}

mtree_turn_t *mtree_turn_end(mtree_turn_t *turn, int lanes)
{
    for (int i = 0; i < lanes && turn != NULL; i++) {
        turn = turn->following;
    }
    if (turn != NULL) {
        turn->is_open = true;
    }
    return turn;
}
