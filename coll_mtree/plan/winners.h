/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Winners: which backend trials have shown to be the fastest, by call class.
 *
 * Rank 0 keeps them in the cache (coll_mtree/plan/winner_cache.h), and a later job
 * between the same hosts begins with them.  A winner holds where its trial would be the
 * same again: where the trees are expected to take about the time that they were expected
 * to take then, and the same component of Open MPI is the fallback.  Classes for which
 * the communicator asks for an algorithm, arrival-ordered ones and those whose calls pass
 * through relays have none.
 *
 * As text it is one line each: collective, binary logarithm of the bytes, backend,
 * expected seconds, fallback and, where the collective has a root, that one's host.
 * Lines that begin with // are comments.
 */
#ifndef COLL_MTREE_PLAN_WINNERS_H
#define COLL_MTREE_PLAN_WINNERS_H

#include "coll_mtree/base/backend.h"
#include "coll_mtree/base/class_table.h"

#include "base/status.h"

/* Bytes of a fallback's name with its NUL. */
#define COLL_MTREE_WINNER_FALLBACK 48

typedef struct {
    bool is_known; /* false: no trial has been made */
    coll_mtree_backend_t backend;
    int base_algorithm; /* of COLL_MTREE_BASE_ALGORITHM; else 0 */
} coll_mtree_winner_t;

static inline coll_mtree_winner_t coll_mtree_winner_none(void)
{
    return (coll_mtree_winner_t){.is_known = false};
}

/* What else the result of a trial depends on. */
typedef struct {
    double seconds;       /* that the trees are expected to take; 0: nothing is */
    const char *fallback; /* a name without spaces; NULL: the user has set it up */
} coll_mtree_trial_conditions_t;

/* Of winners by class; a root is a host's number. */
typedef coll_mtree_class_table_t coll_mtree_winners_t;

void coll_mtree_winners_init(coll_mtree_winners_t *winners);
void coll_mtree_winners_cleanup(coll_mtree_winners_t *winners);

bool coll_mtree_winners_is_empty(const coll_mtree_winners_t *winners);

/* The winner of @a call_class that holds under @a conditions. */
coll_mtree_winner_t
coll_mtree_winners_find(const coll_mtree_winners_t *winners,
                        const coll_mtree_call_class_t *call_class,
                        const coll_mtree_trial_conditions_t *conditions);

/* A trial has ended.  False: the class has no winners, or there is no memory. */
bool coll_mtree_winners_put(coll_mtree_winners_t *winners,
                            const coll_mtree_call_class_t *call_class,
                            const coll_mtree_trial_conditions_t *conditions,
                            coll_mtree_winner_t winner);

/* Put those of @a others into @a winners.  False: no memory. */
bool coll_mtree_winners_merge(coll_mtree_winners_t *winners,
                              const coll_mtree_winners_t *others);

/* Put those of @a text, which ends with a NUL and is @a source in messages; @a hosts
 * [num_hosts] are named there.  MTREE_ERR_INVALID, MTREE_ERR_NO_MEMORY: one line says so,
 * and those of the lines before it are in @a winners. */
mtree_status_t coll_mtree_winners_read(coll_mtree_winners_t *winners, const char *text,
                                       const char *source, const char *const *hosts,
                                       int num_hosts);

/* All of them as text, malloc'ed; NULL: no memory. */
char *coll_mtree_winners_write(const coll_mtree_winners_t *winners,
                               const char *const *hosts);

#endif
