/*
 * Guards: whether mtree or the fallback serves the blocking calls of one kind.
 *
 * Where the forecast leaves it open, both get turns, one call each, and all ranks
 * together find out which is faster; after many calls they try again.  Whose turn it is
 * follows from the number of calls, and what was measured is made one by the fallback's
 * allreduce after every call that is tried, so all ranks come to the same end.
 */
#ifndef MCA_COLL_MTREE_GUARD_H
#define MCA_COLL_MTREE_GUARD_H

#include "coll_mtree_network.h"

/* Pairs of calls that are tried at most, after one that warms both up. */
#define COLL_MTREE_GUARD_PAIRS 16

typedef struct {
    coll_mtree_kind_t kind;
    bool open;     /* the forecast left it open */
    bool fallback; /* who serves, when nothing is being tried */
    bool trying;
    int turns;     /* of the trial that is under way, or calls since the last one */
    int trials;    /* that have ended */
    int64_t spent; /* nanoseconds in the trial that is under way */
    int64_t time[2][COLL_MTREE_GUARD_PAIRS]; /* nanoseconds, mtree's and the fallback's */
} coll_mtree_guard_t;

/* One blocking call in a guard's books; all zero: none of its business. */
typedef struct {
    coll_mtree_guard_t *guard;
    int64_t begin; /* nanoseconds */
} coll_mtree_turn_t;

/* A guard of calls of @a kind, of whose plan @a forecast is told. */
void coll_mtree_guard_init(coll_mtree_guard_t *guard, const coll_mtree_kind_t *kind,
                           coll_mtree_forecast_t forecast);

/* A blocking call begins: true when the fallback is to serve it. */
bool coll_mtree_guard_begin(coll_mtree_guard_t *guard, coll_mtree_turn_t *turn);

/* The call has ended, whoever served it.  What was measured is agreed by @a module's
 * fallback. */
void coll_mtree_guard_end(coll_mtree_turn_t *turn, mca_coll_mtree_module_t *module,
                          ompi_communicator_t *comm);

#endif
