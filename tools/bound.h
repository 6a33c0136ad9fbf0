/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The least time of a call (planner/bound/least_time.h) as the commands show it.
 */
#ifndef MTREE_TOOLS_BOUND_H
#define MTREE_TOOLS_BOUND_H

#include "planner/bound/least_time.h"
#include "tools/planned_network.h"

#include <jansson.h>

/*
 * The least time of a call of @a bytes (0: no time) between the hosts of @a planned, with
 * the throughput @a cut that no plan exceeds (0: not known), which @a limit (may be NULL)
 * explains.  With @a simulated (may be NULL) it is that of what is simulated so, whose
 * processors are known.  Freed by mtree_least_time_clear().  Errors are logged.
 */
mtree_status_t bound_find(const planned_network_t *planned, double bytes, double cut,
                          const char *limit, const mtree_simulate_options_t *simulated,
                          mtree_least_time_t *time_p);

/* Print "27.5 ms, by flow: the flow from a to b" on standard output. */
void bound_print(const mtree_least_time_t *time);

/* Set the members bound_seconds, bound_by and bound_limit of @a object; none where there
 * is no bound. */
void bound_set_json(const mtree_least_time_t *time, json_t *object);

/* What part of @a seconds the least time is; 0: there is no bound. */
double bound_share(const mtree_least_time_t *time, double seconds);

#endif
