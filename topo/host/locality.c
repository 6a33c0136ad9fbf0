/* SPDX-License-Identifier: BSD-3-Clause */
#include "topo/host/locality.h"

mtree_locality_t mtree_locality_unknown(void)
{
    return (mtree_locality_t){
        .package = -1, .numa = -1, .cache = -1, .core = -1, .near = MTREE_NEAR_HOST};
}

bool mtree_locality_is_known(const mtree_locality_t *locality)
{
    return locality->package >= 0 || locality->numa >= 0;
}

int mtree_locality_part(const mtree_locality_t *locality, int level)
{
    switch (level) {
    case 0:
        return locality->wide_numa ? locality->numa : locality->package;
    case 1:
        return locality->wide_numa ? locality->package : locality->numa;
    case 2:
        return locality->cache;
    default:
        return locality->core;
    }
}

int mtree_locality_compare(const mtree_locality_t *a, const mtree_locality_t *b)
{
    for (int level = 0; level < MTREE_LOCALITY_LEVELS; level++) {
        int difference = mtree_locality_part(a, level) - mtree_locality_part(b, level);

        if (difference != 0) {
            return difference;
        }
    }
    return 0;
}

static int distance(const mtree_locality_t *locality, const mtree_nic_t *nic)
{
    if (nic->numa >= 0 && nic->numa == locality->numa) {
        return MTREE_NEAR_NUMA;
    }
    if (nic->package >= 0 && nic->package == locality->package) {
        /* An interface of the package is near all of its NUMA nodes. */
        return nic->numa < 0 ? MTREE_NEAR_NUMA : MTREE_NEAR_PACKAGE;
    }
    return MTREE_NEAR_HOST;
}

void mtree_locality_measure(mtree_locality_t *locality, const mtree_nic_t *nics,
                            int num_nics)
{
    double fastest = 0;
    int least = MTREE_NEAR_HOST;

    for (int i = 0; i < num_nics; i++) {
        fastest = nics[i].speed > fastest ? nics[i].speed : fastest;
    }
    for (int i = 0; i < num_nics; i++) {
        int here = distance(locality, &nics[i]);

        least = nics[i].speed >= fastest / 2 && here < least ? here : least;
    }
    locality->near = (int16_t)least;
}
