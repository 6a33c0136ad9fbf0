/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A topology, the hosts of it that take part, the routes between them and a plan: what
 * most commands work on.
 */
#ifndef MTREE_TOOLS_PLANNED_NETWORK_H
#define MTREE_TOOLS_PLANNED_NETWORK_H

#include "planner/bound/least_time.h"
#include "planner/plan/plan.h"
#include "simulate/forecast/choice.h"
#include "tools/plan_options.h"

#include <jansson.h>

typedef struct {
    mtree_topology_t *topology;
    mtree_routes_t *routes; /* numbered as the plan numbers its hosts */
    int num_hosts;
    int *hosts;  /* [num_hosts] their vertices, and behind them those of the plan's relays
                  */
    int *relays; /* those of the request */
    mtree_plan_request_t
        request;        /* with its root; of a plan that was read, what the plan says */
    mtree_plan_t *plan; /* NULL: none yet */
    mtree_candidate_list_t candidates; /* that competed with it; of a plan that was read
                                          none */
} planned_network_t;

/*
 * Read the topology @a file and find hosts, root and routes in it; `plan` stays NULL.
 * What fails, here and in the functions below, ends the command.
 */
void planned_network_prepare(const plan_options_t *options, const char *file,
                             planned_network_t *planned);

/* The same, and plan. */
void planned_network_run(const plan_options_t *options, const char *file,
                         planned_network_t *planned);

/* Make another plan for the hosts of @a planned; @a candidates (may be NULL) becomes what
 * competed.  From two seconds on, lines on standard error say that this is under way.
 * What fails is logged, and does not end the command. */
mtree_status_t planned_network_plan(const planned_network_t *planned,
                                    const mtree_plan_request_t *request,
                                    mtree_plan_t **plan_p,
                                    mtree_candidate_list_t *candidates);

/*
 * Read the plan in @a plan_file, checked for form; with @a topology_file (may be NULL)
 * the topology too, where the plan's hosts must be found, and the routes.
 */
void planned_network_read(const char *plan_file, const char *topology_file,
                          planned_network_t *planned);

/* End the command if the message of @a simulated, in the pieces that it or @a plan (may
 * be NULL) cuts it into, would take too long to simulate on @a num_hosts. */
void simulated_check(const command_t *command, const mtree_simulate_options_t *simulated,
                     int num_hosts, const mtree_plan_t *plan);

/* @a plan as a JSON object. */
json_t *planned_network_json(const mtree_plan_t *plan);

/*
 * The least time of a call of @a bytes (0: no time) between the hosts of @a planned, with
 * the throughput @a cut that no plan exceeds (0: not known), which @a limit (may be NULL)
 * explains.  With @a simulated (may be NULL) it is that of what is simulated so, whose
 * processors are known.
 */
mtree_least_time_t bound_find(const planned_network_t *planned, double bytes, double cut,
                              const char *limit,
                              const mtree_simulate_options_t *simulated);

/* Print "least possible time: 27.5 ms, by flow: the flow from a to b", a line, on
 * standard output; nothing where there is no bound. */
void bound_print(const mtree_least_time_t *time);

/* Set the members bound_seconds, bound_by and bound_limit of @a object; none where there
 * is no bound. */
void bound_set_json(const mtree_least_time_t *time, json_t *object);

/* What part of @a seconds the least time is; 0: there is no bound. */
double bound_share(const mtree_least_time_t *time, double seconds);

#endif
