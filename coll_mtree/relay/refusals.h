/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The calls that a relay has refused, or that have failed there.  Threads may have
 * several calls under way, and the one that hears of a refusal may wait for another.
 */
#ifndef COLL_MTREE_RELAY_REFUSALS_H
#define COLL_MTREE_RELAY_REFUSALS_H

#include <stdbool.h>
#include <stdint.h>

/* As many calls of a job as a relay has under way. */
#define COLL_MTREE_REFUSALS 64

/* The newest ones; zeros are the initial value, since plans are numbered from 1. */
typedef struct {
    struct {
        uint32_t plan, call;
    } list[COLL_MTREE_REFUSALS];
    unsigned next;
} coll_mtree_refusals_t;

/* Number @a call of plan number @a plan was refused. */
void coll_mtree_refusals_add(coll_mtree_refusals_t *refusals, uint32_t plan,
                             uint32_t call);

/* Was it? */
bool coll_mtree_refusals_have(const coll_mtree_refusals_t *refusals, uint32_t plan,
                              uint32_t call);

#endif
