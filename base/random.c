/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/random.h"

void mtree_random_init(mtree_random_t *random, uint64_t seed)
{
    random->state = seed;
}

uint64_t mtree_random_next(mtree_random_t *random)
{
    uint64_t mixed = (random->state += 0x9e3779b97f4a7c15u);

    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9u;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebu;
    return mixed ^ (mixed >> 31);
}

uint64_t mtree_random_below(mtree_random_t *random, uint64_t count)
{
    /* Numbers below this one are drawn again: their remainders would be too frequent. */
    uint64_t reject = -count % count;
    uint64_t drawn;

    do {
        drawn = mtree_random_next(random);
    } while (drawn < reject);
    return drawn % count;
}

double mtree_random_fraction(mtree_random_t *random)
{
    return (double)(mtree_random_next(random) >> 11) * 0x1p-53;
}
