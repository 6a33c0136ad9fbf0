/* SPDX-License-Identifier: BSD-3-Clause */
#include "schedule/lanes.h"

/* The turn @a count places behind @a turn; NULL: there are not so many. */
static mtree_turn_t *turn_behind(mtree_turn_t *turn, int count)
{
    for (int i = 0; i < count && turn != NULL; i++) {
        turn = turn->following;
    }
    return turn;
}

void mtree_turns_add(mtree_turns_t *turns, mtree_turn_t *turn, int lanes)
{
    int predecessor = turns->count - lanes;

    turn->following = NULL;
    turn->lane = turns->count % lanes;
    turn->is_open = predecessor < turns->dropped ||
                    turn_behind(turns->first, predecessor - turns->dropped)->is_ended;
    turn->is_ended = false;
    if (turns->last != NULL) {
        turns->last->following = turn;
    } else {
        turns->first = turn;
    }
    turns->last = turn;
    turns->count++;
}

void mtree_turns_drop(mtree_turns_t *turns)
{
    turns->first = turns->first->following;
    turns->dropped++;
    if (turns->first == NULL) {
        turns->last = NULL;
    }
}

mtree_turn_t *mtree_turn_end(mtree_turn_t *turn, int lanes)
{
    mtree_turn_t *successor = turn_behind(turn, lanes);

    turn->is_ended = true;
    if (successor != NULL) {
        successor->is_open = true;
    }
    return successor;
}
