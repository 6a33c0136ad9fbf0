/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Times of calls, on which the ranks agree afterwards (coll_mtree/select/agreed_time.h):
 * of several calls at once, since agreeing takes as long as a short call.
 *
 * No Open MPI header is used.
 */
#ifndef COLL_MTREE_SELECT_CALL_TIMES_H
#define COLL_MTREE_SELECT_CALL_TIMES_H

/* Calls between two agreements at most. */
#define COLL_MTREE_CALL_TIMES 4

/* Calls that have ended on this rank since the ranks agreed; zeros at first.  Times are
 * of this rank's clock. */
typedef struct {
    double agreed; /* when the ranks did; 0: not yet */
    int count;
    double began[COLL_MTREE_CALL_TIMES], ended[COLL_MTREE_CALL_TIMES];
} coll_mtree_call_times_t;

/* What the ranks agree on of a call, in seconds. */
typedef struct {
    double seconds; /* from the last rank's beginning to the last one's end */
    double elapsed; /* the same from the first one's beginning */
} coll_mtree_call_time_t;

/* A call that began at @a began has ended at @a ended.  There is room for it. */
static inline void coll_mtree_call_times_add(coll_mtree_call_times_t *times, double began,
                                             double ended)
{
    times->began[times->count] = began;
    times->ended[times->count++] = ended;
}

#endif
