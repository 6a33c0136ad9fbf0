/* SPDX-License-Identifier: BSD-3-Clause */
#include "simulate/forecast/contest.h"

#include "planner/algorithms.h"
#include "planner/bound/least_time.h"
#include "planner/plan/finish.h"
#include "planner/program/build.h"
#include "planner/regular/gateways.h"
#include "planner/regular/trees.h"
#include "simulate/forecast/choice_relays.h"
#include "simulate/forecast/prediction.h"
#include "simulate/simulate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A search must be able to gain this part of the time: between more hosts, where it takes
 * tenths of a second, or seconds. */
#define SEARCH_GAIN      0.04
#define MANY_SEARCH_GAIN 0.1
#define MOST_SEARCH_GAIN 0.5

/* A search is quick where hosts forward over so few links, and worth it for so many
 * bytes. */
#define FEW_LINKS  4096
#define LONG_BYTES 8e6

/* Between more hosts robust packings take seconds; one packing is enough work; and trees
 * from each host take more than a millisecond. */
#define MOST_ROBUST_HOSTS 32
#define MOST_HOSTS        64
#define MOST_ROOTS        256
#define MANY_SEARCH_HOSTS 512

/* Why a candidate was not compared. */
#define NO_PLAN    "it has no plan for this call"
#define LIMITS     "its trees do not keep the limits of the request"
#define TOO_MANY   "a tree from each of so many hosts takes too long to make"
#define NOT_PLACED "these hosts do not form sites, or pass through one another"
#define SAME       "another one has such trees"

/* Do its trees keep the limits?  Where each host has one, their number is not limited. */
static bool keeps_limits(const mtree_plan_request_t *request, const mtree_plan_t *plan)
{
    return (request->max_height == 0 || mtree_plan_height(plan) <= request->max_height) &&
           (request->max_trees == 0 || plan->num_trees <= request->max_trees ||
            plan->num_trees >= plan->num_hosts);
}

/* Has a plan of @a algorithm a tree from each host? */
static bool has_tree_per_host(const char *algorithm, mtree_collective_t collective)
{
    static const char *const names[] = {"multitree", "ring", "segmented_ring", "direct"};

    for (size_t n = 0; n < sizeof(names) / sizeof(names[0]); n++) {
        if (strcmp(algorithm, names[n]) == 0) {
            return !mtree_collective_has_root(collective);
        }
    }
    return mtree_program_find(algorithm) == MTREE_PROGRAM_NONE &&
           mtree_collective_has_block_per_host(collective);
}

/* Is direct exchange a plan where any search takes minutes?  Of an all-to-all each host
 * has trees of its own. */
static bool is_direct_at_once(const mtree_prediction_t *on)
{
    return on->num_hosts >= MANY_SEARCH_HOSTS && on->request->min_rate <= 0.0 &&
           mtree_collective_is_transposed(on->request->collective) &&
           mtree_direct_exchange_passes_nobody(on->routes, on->num_hosts);
}

/* Why @a algorithm, which is planned at once, does not compete; NULL: it does. */
static const char *excluded(const mtree_contest_t *contest, const char *algorithm)
{
    const mtree_prediction_t *on = &contest->on;
    const mtree_plan_request_t *request = on->request;

    if (!mtree_algorithms_fit(algorithm, on->topology, on->num_hosts, request)) {
        return NO_PLAN;
    }
    if (request->min_rate > 0.0) {
        return LIMITS;
    }
    if (strcmp(algorithm, "direct") == 0 && is_direct_at_once(on)) {
        return NULL;
    }
    if (request->bytes <= 0.0 &&
        (strcmp(algorithm, "direct") != 0 ||
         !mtree_direct_exchange_fits(on->routes, on->num_hosts))) {
        return NO_PLAN;
    }
    if (on->num_hosts > MOST_ROOTS && has_tree_per_host(algorithm, request->collective)) {
        return TOO_MANY;
    }
    return strcmp(algorithm, "direct") == 0 && on->num_hosts > MOST_HOSTS ? TOO_MANY
                                                                          : NULL;
}

static int entrant_compare(const void *left, const void *right)
{
    const mtree_entrant_t *a = *(mtree_entrant_t *const *)left,
                          *b = *(mtree_entrant_t *const *)right;

    if (a->plan->seconds != b->plan->seconds) {
        return a->plan->seconds < b->plan->seconds ? -1 : 1;
    }
    return a < b ? -1 : 1;
}

/* Plan by all algorithms that need no search, and judge those plans, the one that is
 * estimated to be the fastest first. */
static mtree_status_t compare_at_once(mtree_contest_t *contest)
{
    const char *const *names = mtree_algorithms_names();
    const mtree_plan_request_t *request = contest->on.request;
    mtree_entrant_t *order[MTREE_CHOICE_MOST];
    mtree_status_t status = MTREE_OK;
    int count = 0;

    for (int n = 0; names[n] != NULL && status == MTREE_OK; n++) {
        mtree_entrant_t *entrant;

        if (mtree_algorithms_effort(names[n]) != MTREE_AT_ONCE ||
            !mtree_algorithms_do(names[n], request->collective)) {
            continue;
        }
        status = mtree_contest_enter(contest, names[n], request->max_trees,
                                     excluded(contest, names[n]), &entrant);
        if (entrant->plan != NULL && !keeps_limits(request, entrant->plan)) {
            mtree_contest_drop(entrant, LIMITS);
        } else if (entrant->plan != NULL) {
            order[count++] = entrant;
        }
    }
    qsort(order, status == MTREE_OK ? (size_t)count : 0, sizeof(order[0]),
          entrant_compare);
    for (int e = 0; e < count && status == MTREE_OK; e++) {
        status = mtree_contest_judge(contest, order[e]);
    }
    return status;
}

/* The least time of the call, as far as no search is needed to know it. */
static mtree_status_t least_seconds(const mtree_contest_t *contest,
                                    mtree_processor_costs_t costs, double *seconds_p)
{
    const mtree_prediction_t *on = &contest->on;
    mtree_least_time_call_t call = {.collective = on->request->collective,
                                    .root = on->request->root,
                                    .bytes = on->request->bytes,
                                    .costs = costs};
    mtree_least_time_t time = {0};
    mtree_status_t status =
        mtree_least_time(on->topology, on->hosts, on->num_hosts, &call, &time);

    *seconds_p = time.seconds;
    mtree_least_time_clear(&time);
    return status;
}

/* The least time of trees that a search may find.  Where each host has one to all others
 * at least, as many messages cross their edges, so on average a host sends and receives
 * one for each other host. */
static double least_tree_seconds(const mtree_contest_t *contest,
                                 mtree_processor_costs_t costs)
{
    const mtree_prediction_t *on = &contest->on;
    mtree_collective_t collective = on->request->collective;

    return mtree_collective_has_block_per_host(collective)
               ? 2.0 * (on->num_hosts - 1) * costs.overhead
               : 0.0;
}

/* The fastest plan so far, by its estimate where none was simulated; NULL: there is
 * none. */
static mtree_entrant_t *fastest(mtree_contest_t *contest)
{
    mtree_entrant_t *best = mtree_contest_fastest(contest);
    const bool is_simulated = best != NULL;

    for (int e = 0; e < contest->count && !is_simulated; e++) {
        if (contest->entrants[e].plan != NULL &&
            (best == NULL || contest->entrants[e].facts.seconds < best->facts.seconds)) {
            best = &contest->entrants[e];
        }
    }
    return best;
}

/* The part of the time that a search must be able to gain. */
static double needed_gain(const mtree_prediction_t *on)
{
    bool is_quick = on->num_hosts == on->topology->num_vertices &&
                    on->topology->num_links <= FEW_LINKS &&
                    on->request->bytes >= LONG_BYTES;

    return on->num_hosts <= MOST_HOSTS                     ? SEARCH_GAIN
           : on->num_hosts < MANY_SEARCH_HOSTS || is_quick ? MANY_SEARCH_GAIN
                                                           : MOST_SEARCH_GAIN;
}

/* The seconds that the bits of @a plan need on their way beyond what they would at the
 * bound.  Between few hosts, where a search costs little, none is sought. */
static mtree_status_t carrying_seconds(const mtree_contest_t *contest, mtree_plan_t *plan,
                                       double *seconds_p)
{
    const mtree_prediction_t *on = &contest->on;
    mtree_status_t status = MTREE_OK;

    *seconds_p = 8.0 * plan->bytes / plan->throughput;
    if (on->num_hosts > MOST_HOSTS) {
        status = mtree_planner_bound(on->topology, on->hosts, on->num_hosts, on->request,
                                     plan);
        *seconds_p -= plan->bound > 0.0 ? 8.0 * plan->bytes / plan->bound : 0.0;
    }
    return status;
}

/* Might trees that a search finds be clearly faster than the fastest plan so far?  They
 * gain no more than what its bits need on their way and what its messages cost the
 * busiest processor, and no plan is faster than the least time. */
static mtree_status_t is_search_worth_it(mtree_contest_t *contest, bool *worth_p)
{
    mtree_entrant_t *best = fastest(contest);
    mtree_simulate_options_t options;
    mtree_processor_costs_t costs;
    const double needed = needed_gain(&contest->on);
    double carrying = 0.0, least = 0.0;
    mtree_status_t status;

    mtree_simulate_default_options(&options);
    costs = mtree_simulate_costs(contest->on.topology, &options);
    *worth_p = best == NULL;
    if (best == NULL || least_tree_seconds(contest, costs) >=
                            (1.0 - needed) * mtree_contest_fastest_seconds(contest)) {
        return MTREE_OK;
    }
    status = least_seconds(contest, costs, &least);
    if (status == MTREE_OK) {
        status = carrying_seconds(contest, best->plan, &carrying);
    }
    *worth_p = fmin(carrying + best->load.busiest, best->facts.seconds - least) >
               needed * best->facts.seconds;
    return status;
}

/* Why a search of @a algorithm for @a max_trees trees is not made after the planner's
 * default, @a own; NULL: it is. */
static const char *search_excluded(const mtree_contest_t *contest, const char *algorithm,
                                   int max_trees, const mtree_entrant_t *own)
{
    const mtree_prediction_t *on = &contest->on;
    const mtree_plan_request_t *request = on->request;

    if (strcmp(algorithm, "packing") == 0) {
        return on->num_hosts > MOST_HOSTS || own->facts.num_trees <= max_trees ||
                       mtree_collective_has_block_per_host(request->collective)
                   ? SAME
                   : NULL;
    }
    if (request->min_rate > 0.0 || request->max_height > 0) {
        return LIMITS;
    }
    if (request->bytes <= 0.0) {
        return NO_PLAN;
    }
    if (strcmp(algorithm, "gateways") == 0) {
        return mtree_gateways_fit(on->routes, on->num_hosts) ? NULL : NOT_PLACED;
    }
    /* Behind switches packets go straight. */
    return on->num_hosts <= MOST_ROBUST_HOSTS &&
                   !mtree_direct_exchange_fits(on->routes, on->num_hosts)
               ? NULL
               : NOT_PLACED;
}

/* Search for trees, and judge them. */
static mtree_status_t compare_searched(mtree_contest_t *contest)
{
    static const struct {
        const char *algorithm;
        int max_trees; /* 0: as requested */
    } searches[] = {
        {"packing", 3}, {"packing", 1}, {"gateways", 0}, {MTREE_PLAN_ROBUST, 0}};
    const mtree_plan_request_t *request = contest->on.request;
    mtree_entrant_t *own, *entrant;
    mtree_status_t status =
        mtree_contest_enter(contest, "packing", request->max_trees, NULL, &own);

    if (status == MTREE_OK) {
        status = mtree_contest_judge(contest, own);
    }
    for (size_t s = 0; s < sizeof(searches) / sizeof(searches[0]) && status == MTREE_OK;
         s++) {
        const char *algorithm = searches[s].algorithm;
        const int max_trees =
            searches[s].max_trees > 0 ? searches[s].max_trees : request->max_trees;

        if (!mtree_algorithms_do(algorithm, request->collective)) {
            continue;
        }
        status = mtree_contest_enter(contest, algorithm, max_trees,
                                     search_excluded(contest, algorithm, max_trees, own),
                                     &entrant);
        if (status == MTREE_OK && entrant->plan != NULL) {
            status = mtree_contest_judge(contest, entrant);
        }
    }
    return status;
}

/* Give @a plan the least bound that any of the contest has found. */
static mtree_status_t take_bound(mtree_contest_t *contest, mtree_plan_t *plan)
{
    const mtree_prediction_t *on = &contest->on;

    if (contest->bound <= 0.0) {
        return plan->bound > 0.0 ? MTREE_OK
                                 : mtree_planner_bound(on->topology, on->hosts,
                                                       on->num_hosts, on->request, plan);
    }
    free(plan->limit);
    plan->bound = contest->bound;
    plan->limit = contest->limit;
    contest->limit = NULL;
    return MTREE_OK;
}

static void list_candidates(const mtree_contest_t *contest,
                            mtree_candidate_list_t *candidates)
{
    candidates->count = contest->count;
    for (int e = 0; e < contest->count; e++) {
        const mtree_entrant_t *entrant = &contest->entrants[e];

        candidates->list[e] = entrant->facts;
        candidates->list[e].chunk_bytes =
            entrant->plan != NULL && entrant->plan->num_trees > 0
                ? entrant->plan->trees[0].chunk_bytes
                : 0;
    }
}

/* All that compete for the request of @a contest. */
static mtree_status_t compare_all(mtree_contest_t *contest)
{
    bool worth = true;
    mtree_status_t status = compare_at_once(contest);

    if (is_direct_at_once(&contest->on)) {
        worth = false;
    } else if (status == MTREE_OK && contest->on.request->bytes > 0.0) {
        status = is_search_worth_it(contest, &worth);
    }
    mtree_contest_begin_second_half(contest);
    if (status == MTREE_OK && worth) {
        status = compare_searched(contest);
    }
    return status == MTREE_OK ? mtree_contest_tune(contest) : status;
}

/* The one algorithm that the request asks for. */
static mtree_status_t compare_one(mtree_contest_t *contest)
{
    const mtree_plan_request_t *request = contest->on.request;
    mtree_entrant_t *entrant;
    mtree_status_t status = mtree_contest_enter(contest, request->algorithm,
                                                request->max_trees, NULL, &entrant);

    if (status == MTREE_OK) {
        status = mtree_contest_judge(contest, entrant);
    }
    return status == MTREE_OK ? mtree_contest_tune(contest) : status;
}

/* The best plan without relays, over the routes of @a request. */
static mtree_status_t choose(const mtree_topology_t *topology, const int *hosts,
                             int num_hosts, const mtree_plan_request_t *request,
                             mtree_plan_t **plan_p, mtree_candidate_list_t *candidates)
{
    mtree_contest_t contest = {.on = {.topology = topology,
                                      .hosts = hosts,
                                      .num_hosts = num_hosts,
                                      .request = request,
                                      .routes = request->routes}};
    mtree_status_t status;

    mtree_contest_begin(&contest);
    status = request->algorithm == NULL && request->keep == NULL && num_hosts > 1
                 ? compare_all(&contest)
                 : compare_one(&contest);
    if (status == MTREE_OK && candidates != NULL) {
        list_candidates(&contest, candidates);
    }
    if (status == MTREE_OK) {
        mtree_entrant_t *best = mtree_contest_best(&contest);

        status = take_bound(&contest, best->plan);
        *plan_p = status == MTREE_OK ? best->plan : NULL;
        best->plan = status == MTREE_OK ? NULL : best->plan;
    }
    mtree_contest_clear(&contest);
    return status;
}

mtree_status_t mtree_choice_plan(const mtree_topology_t *topology, const int *hosts,
                                 int num_hosts, const mtree_plan_request_t *request,
                                 mtree_plan_t **plan_p,
                                 mtree_candidate_list_t *candidates)
{
    mtree_plan_request_t alone = *request;
    mtree_plan_t *plan = NULL, *relayed = NULL;
    mtree_routes_t *found = NULL;
    mtree_status_t status = MTREE_OK;

    alone.num_relays = 0;
    if (request->routes == NULL) {
        status = mtree_routes_create(topology, hosts, num_hosts, &found);
        alone.routes = found;
    }
    if (status == MTREE_OK) {
        status = choose(topology, hosts, num_hosts, &alone, &plan, candidates);
    }
    mtree_routes_destroy(found);
    if (status == MTREE_OK) {
        status = mtree_choice_relays(topology, hosts, num_hosts, request, plan, &relayed);
    }
    if (status != MTREE_OK || relayed != NULL) {
        mtree_plan_destroy(plan);
        plan = relayed;
    }
    if (status == MTREE_OK) {
        *plan_p = plan;
    }
    return status;
}
