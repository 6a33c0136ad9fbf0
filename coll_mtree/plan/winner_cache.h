/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The winners (coll_mtree/plan/winners.h) between some hosts that the cache keeps from
 * job to job.  Trials of this job are for later ones: what serves its calls must not
 * depend on what happened to be tried before on another communicator.
 */
#ifndef COLL_MTREE_PLAN_WINNER_CACHE_H
#define COLL_MTREE_PLAN_WINNER_CACHE_H

#include "coll_mtree/plan/winners.h"
#include "coll_mtree/topology/cached_hosts.h"

typedef struct {
    coll_mtree_cached_hosts_t hosts; /* none: nothing is kept */
    coll_mtree_winners_t earlier;    /* of earlier jobs */
    coll_mtree_winners_t found;      /* by this job */
    bool is_garbage;                 /* the file, which has been logged */
} coll_mtree_winner_cache_t;

/* Empty; nothing is kept before it is opened. */
void coll_mtree_winner_cache_init(coll_mtree_winner_cache_t *cache);

/* Read those between the hosts of @a contributions [ranks], which @a numbers numbers.
 * There are none, with one line, where the file is of others, too old, or garbage. */
void coll_mtree_winner_cache_open(coll_mtree_winner_cache_t *cache,
                                  const coll_mtree_host_t *contributions,
                                  const coll_mtree_host_numbers_t *numbers);

/* Write what this job found beside what the file has, which stays as old as it was; free
 * all. */
void coll_mtree_winner_cache_close(coll_mtree_winner_cache_t *cache);

#endif
