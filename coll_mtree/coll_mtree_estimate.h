/*
 * Estimates: how long a plan would take, how long what Open MPI would do, and what that
 * says about which of them to use.
 */
#ifndef MCA_COLL_MTREE_ESTIMATE_H
#define MCA_COLL_MTREE_ESTIMATE_H

#include "planner/planner.h"

/* Up to so many bytes what each message costs adds to what the network takes; above, it
 * is hidden behind it. */
#define COLL_MTREE_SHORT_BYTES (128 << 10)

/* What is expected of mtree, next to the fallback. */
typedef enum {
    COLL_MTREE_FASTER,       /* clearly */
    COLL_MTREE_MAYBE_FASTER, /* so close that only a trial tells */
    COLL_MTREE_MAYBE_SLOWER,
    COLL_MTREE_SLOWER
} coll_mtree_odds_t;

/*
 * Rivals: algorithms of Open MPI that are tried besides the one it takes by default, at
 * most so many of a collective, numbered from 1; 0 is none.
 */
#define COLL_MTREE_RIVALS 4

/* The bytes by which those that are pipelines cut messages. */
#define COLL_MTREE_RIVAL_SEGMENT 65536

/* The name of a collective's rival, as in simulate/baseline.h; NULL: there is none with
 * this number. */
const char *coll_mtree_rival_name(mtree_collective_t collective, int rival);

/* Is there one with this number that Open MPI does not take by default for @a bytes among
 * @a ranks ranks? */
bool coll_mtree_rival_is_other(mtree_collective_t collective, int rival, int ranks,
                               size_t bytes);

/* With what is expected of Open MPI's other algorithms. */
typedef struct {
    coll_mtree_odds_t odds;
    unsigned rivals; /* bit r: rival r may be faster than both */
} coll_mtree_forecast_t;

/* No others may be faster. */
static inline coll_mtree_forecast_t coll_mtree_forecast_of(coll_mtree_odds_t odds)
{
    return (coll_mtree_forecast_t){odds, 0};
}

/* A forecast as a number that is sent, and back. */
int coll_mtree_forecast_number(coll_mtree_forecast_t forecast);
coll_mtree_forecast_t coll_mtree_forecast_of_number(int number);

/* Seconds that @a plan promises for @a bytes: what it says, else by its throughput. */
double coll_mtree_estimate_promised(const mtree_plan_t *plan, double bytes);

/* Seconds that @a plan, which predicts them for its bytes, takes when the busiest host's
 * messages are counted, too. */
double coll_mtree_estimate_plan(const mtree_plan_t *plan);

/*
 * Seconds that Open MPI's default algorithm takes in the simulator (simulate/baseline.h)
 * for the collective, root and bytes of @a request between @a num_hosts hosts at @a
 * vertices, with @a ranks_per_host ranks each; negative when it cannot be told.
 */
double coll_mtree_estimate_fallback(const mtree_topology_t *topology, const int *vertices,
                                    int num_hosts, int ranks_per_host,
                                    const mtree_plan_request_t *request);

/* Seconds that rival @a rival takes, told in the same way; negative when there is none.
 */
double coll_mtree_estimate_rival(const mtree_topology_t *topology, const int *vertices,
                                 int num_hosts, int ranks_per_host,
                                 const mtree_plan_request_t *request, int rival);

/*
 * What follows from the estimates, in seconds, of trees, the fallback (negative: not
 * known) and @a others [1..COLL_MTREE_RIVALS] (negative: not to be tried).
 */
coll_mtree_forecast_t
coll_mtree_estimate_forecast(double trees, double fallback,
                             const double others[COLL_MTREE_RIVALS + 1]);

#endif
