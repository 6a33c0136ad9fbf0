/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Members: of ranks, or of places, those that take part where an algorithm goes in log2
 * rounds between a power of two of them.  Of the first 2 * excess, each two of which are
 * a pair, one takes part for both.
 */
#ifndef MTREE_PLANNER_PROGRAM_MEMBERS_H
#define MTREE_PLANNER_PROGRAM_MEMBERS_H

#include <stdbool.h>

typedef struct {
    int power, excess; /* how many take part, and how many do not */
    int odd;           /* 1: of a pair the odd rank takes part; 0: the even one */
    int mine;          /* the rank's number among those that take part; -1: it sits out */
} mtree_members_t;

/* The greatest power of two that is not greater than @a n > 0. */
static inline int mtree_power_of_two(int n)
{
    int power = 1;

    while (power <= n / 2) {
        power *= 2;
    }
    return power;
}

/* The number of the one that takes part for @a rank. */
static inline int mtree_member_of(const mtree_members_t *members, int rank)
{
    return rank < 2 * members->excess ? rank / 2 : rank - members->excess;
}

/* The rank that takes part as @a number. */
static inline int mtree_member_rank(const mtree_members_t *members, int number)
{
    return number < members->excess ? 2 * number + members->odd
                                    : number + members->excess;
}

/* Does @a rank take no part? */
static inline bool mtree_member_sits(const mtree_members_t *members, int rank)
{
    return rank < 2 * members->excess && rank % 2 != members->odd;
}

/* Those of @a num, as @a rank sees them. */
static inline mtree_members_t mtree_members_find(int num, int rank, int odd)
{
    const int power = mtree_power_of_two(num);
    mtree_members_t members = {power, num - power, odd, -1};

    if (!mtree_member_sits(&members, rank)) {
        members.mine = mtree_member_of(&members, rank);
    }
    return members;
}

#endif
