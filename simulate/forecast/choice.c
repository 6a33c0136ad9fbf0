/* SPDX-License-Identifier: BSD-3-Clause */
#include "simulate/forecast/choice.h"

#include "planner/algorithms.h"
#include "planner/regular/direct_exchange.h"
#include "planner/regular/gateways.h"
#include "planner/relays/relays.h"
#include "simulate/forecast/forecast.h"
#include "simulate/forecast/prediction.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Times that differ by less are equal: the simulator knows no better.  Throughputs are
 * exact. */
#define CLOSE_SECONDS    0.03
#define CLOSE_THROUGHPUT 1e-6

/* Loads that differ by less are equal. */
#define CLOSE_LOAD 0.01

/* A plan that is predicted to take this many times as long as the planner's own is not
 * simulated: predictions, which know nothing of processors, are off by less. */
#define MOST_OFF 4.0

/*
 * What gateways may be predicted to take, in the time of others.  Of many connections
 * over a link each sends too little to learn of a loss before TCP's timeout, which the
 * simulator does not know (notes/performance.md).
 */
#define GATEWAYS_COST 1.25

/*
 * What a robust packing may be predicted to take, in the time of others, half of which
 * CLOSE_SECONDS is: that much for equal blocks is worth what it gains where a host sends
 * far more than others.
 */
#define ROBUST_COST 1.06

/* Between more hosts robust packings take seconds. */
#define MOST_ROBUST_HOSTS 32

/* Between more hosts one packing is enough work. */
#define MOST_HOSTS 64

/* Trees through relays that carry this part of the bound need no others beside them. */
#define WELL_FILLED 0.9

/* Low trees of a gathering collective, one per host, of which each is grown anew.  Beyond
 * so many that takes seconds, and the messages of so many blocks decide. */
#define MOST_LOW_TREES 256

/* The messages that a kind competes for. */
typedef enum { ALL, LONG, SHORT } length_t;

/* The kinds that compete with the planner's default, the simplest last.  Only the
 * simulator knows what a lockstep costs. */
static const struct {
    const char *algorithm;
    int max_trees; /* 0: as requested */
    length_t length;
} kinds[] = {{"packing", 3, LONG},        {"packing", 1, LONG},        {"ring", 0, LONG},
             {"segmented_ring", 0, LONG}, {"latency", 0, SHORT},       {"direct", 0, ALL},
             {"gateways", 0, LONG},       {MTREE_PLAN_ROBUST, 0, LONG}};

#define NUM_KINDS ((int)(sizeof(kinds) / sizeof(kinds[0])))

typedef struct {
    mtree_prediction_t on;
    mtree_plan_t *plans[1 + NUM_KINDS]; /* the first one is the planner's own */
    mtree_contender_t contenders[1 + NUM_KINDS];
    int count;
} choice_t;

int mtree_choice_best(const mtree_contender_t *contenders, int count, double close)
{
    double fastest = INFINITY, least = INFINITY;
    int best = -1;

    for (int c = 0; c < count; c++) {
        fastest = fmin(fastest, contenders[c].seconds);
    }
    for (int c = 0; c < count; c++) {
        if (contenders[c].seconds <= fastest * (1.0 + close)) {
            least = fmin(least, contenders[c].load);
        }
    }
    for (int c = 0; c < count; c++) {
        if (contenders[c].seconds <= fastest * (1.0 + close) &&
            contenders[c].load <= least * (1.0 + CLOSE_LOAD) &&
            (best < 0 || contenders[c].height <= contenders[best].height)) {
            best = c;
        }
    }
    return best < 0 ? 0 : best;
}

/* The seconds for which @a plan keeps each arc busy; of a plan for throughput alone, the
 * parts of its capacity. */
static mtree_status_t find_load(const choice_t *choice, const mtree_plan_t *plan,
                                double *squares_p, double *bits_p)
{
    const int num_arcs = 2 * choice->on.topology->num_links;
    double bits =
        8.0 * mtree_collective_root_bytes(plan->collective, plan->bytes, plan->num_hosts);
    double *load = calloc((size_t)num_arcs, sizeof(*load));

    if (load == NULL) {
        return MTREE_ERR_NO_MEMORY;
    }
    for (int t = 0; t < plan->num_trees; t++) {
        const mtree_tree_t *tree = &plan->trees[t];

        mtree_plan_tree_load(plan, t, choice->on.routes,
                             plan->bytes > 0.0 ? tree->share * bits : tree->rate, load);
    }
    *squares_p = 0.0;
    *bits_p = 0.0;
    for (int arc = 0; arc < num_arcs; arc++) {
        if (load[arc] > 0.0) {
            double busy = load[arc] / mtree_arc_capacity(choice->on.topology, arc);

            *squares_p += busy * busy;
            *bits_p += load[arc];
        }
    }
    free(load);
    return MTREE_OK;
}

static bool is_short(const mtree_plan_request_t *request)
{
    return request->bytes <= MTREE_FORECAST_SHORT_BYTES;
}

/* What @a plan may take, in the time of others. */
static double allowance(const mtree_plan_t *plan)
{
    if (strcmp(plan->algorithm, "gateways") == 0) {
        return GATEWAYS_COST;
    }
    return strcmp(plan->algorithm, MTREE_PLAN_ROBUST) == 0 ? ROBUST_COST : 1.0;
}

/* What is known of all contenders, the simulator's seconds for all or for none of
 * them. */
static mtree_status_t judge(choice_t *choice)
{
    double bytes = choice->on.request->bytes, bits = 0.0;
    mtree_status_t status = MTREE_OK;

    for (int c = 0; c < choice->count && status == MTREE_OK; c++) {
        const mtree_plan_t *plan = choice->plans[c];

        status = find_load(choice, plan, &choice->contenders[c].load, &bits);
        bytes = fmin(bytes, mtree_prediction_bytes(&choice->on, plan, bits));
    }
    for (int c = 0; c < choice->count && status == MTREE_OK; c++) {
        mtree_contender_t *contender = &choice->contenders[c];
        mtree_plan_t *plan = choice->plans[c];

        if (bytes > 0.0) {
            status = mtree_prediction_run(&choice->on, plan, bytes);
        }
        contender->seconds = bytes > 0.0         ? plan->seconds
                             : plan->bytes > 0.0 ? mtree_forecast_plan_seconds(plan)
                                                 : 1.0 / plan->throughput;
        contender->seconds /= allowance(plan);
        for (int t = 0; t < plan->num_trees; t++) {
            int height = mtree_tree_height(&plan->trees[t], plan->num_hosts);

            contender->height = height > contender->height ? height : contender->height;
        }
    }
    return status;
}

/* Does a plan of kind @a k compete? */
static bool competes(const choice_t *choice, int k)
{
    const mtree_plan_request_t *request = choice->on.request;
    const char *algorithm = kinds[k].algorithm;

    if (request->algorithm != NULL || request->keep != NULL || choice->on.num_hosts < 3 ||
        !mtree_algorithms_do(algorithm, request->collective) ||
        kinds[k].length == (is_short(request) ? LONG : SHORT)) {
        return false;
    }
    if (kinds[k].max_trees > 0) {
        return choice->on.num_hosts <= MOST_HOSTS &&
               (!mtree_collective_has_blocks(request->collective) ||
                mtree_collective_is_prefix(request->collective)) &&
               choice->plans[0]->num_trees > kinds[k].max_trees;
    }
    if (strcmp(algorithm, "latency") == 0) {
        return request->bytes > 0.0 && request->max_height == 0 &&
               (choice->on.num_hosts <= MOST_LOW_TREES ||
                !mtree_collective_has_blocks(request->collective));
    }
    if (strcmp(algorithm, "gateways") == 0) {
        return request->min_rate <= 0.0 && request->max_height == 0 &&
               mtree_gateways_fit(choice->on.routes, choice->on.num_hosts);
    }
    /* Behind switches packets go straight. */
    if (strcmp(algorithm, MTREE_PLAN_ROBUST) == 0) {
        return request->min_rate <= 0.0 && request->max_height == 0 &&
               choice->on.num_hosts <= MOST_ROBUST_HOSTS &&
               !mtree_direct_exchange_fits(choice->on.routes, choice->on.num_hosts);
    }
    /* Their trees have what height and rate they have, and are for neighbours. */
    return request->min_rate <= 0.0 &&
           mtree_direct_exchange_fits(choice->on.routes, choice->on.num_hosts) &&
           (strcmp(algorithm, "direct") == 0 ||
            (request->max_height == 0 && request->bytes > 0.0));
}

/* Is a plan of kind @a k worth a look beside the planner's @a own? */
static bool is_promising(int k, const mtree_plan_t *plan, const mtree_plan_t *own)
{
    return kinds[k].length == SHORT
               ? mtree_forecast_plan_seconds(plan) < mtree_forecast_plan_seconds(own)
               : plan->seconds <= own->seconds * MOST_OFF;
}

/* Plan all kinds that compete; those that are predicted to be much slower than the
 * planner's own leave. */
static mtree_status_t plan_kinds(choice_t *choice)
{
    mtree_plan_t *own = choice->plans[0];
    mtree_status_t status = MTREE_OK;

    for (int k = 0; k < NUM_KINDS && status == MTREE_OK; k++) {
        mtree_plan_request_t request = *choice->on.request;
        mtree_plan_t *plan;

        if (!competes(choice, k)) {
            continue;
        }
        request.algorithm = kinds[k].algorithm;
        request.max_trees =
            kinds[k].max_trees > 0 ? kinds[k].max_trees : request.max_trees;
        status = mtree_planner_run(choice->on.topology, choice->on.hosts,
                                   choice->on.num_hosts, &request, &plan);
        if (status != MTREE_OK) {
            break;
        }
        if (is_promising(k, plan, own)) {
            choice->plans[choice->count++] = plan;
        } else {
            mtree_plan_destroy(plan);
        }
    }
    return status;
}

/* The best plan; all have the bound that the planner's own has. */
static mtree_plan_t *take_best(choice_t *choice)
{
    int best = mtree_choice_best(choice->contenders, choice->count,
                                 choice->on.request->bytes > 0.0 ? CLOSE_SECONDS
                                                                 : CLOSE_THROUGHPUT);
    mtree_plan_t *own = choice->plans[0], *plan = choice->plans[best];

    if (best > 0) {
        free(plan->limit);
        plan->bound = own->bound;
        plan->limit = own->limit;
        own->limit = NULL;
    }
    choice->plans[best] = NULL;
    return plan;
}

/* The best of the kinds, which have no relays, over the routes of @a request. */
static mtree_status_t choose_kind(const mtree_topology_t *topology, const int *hosts,
                                  int num_hosts, const mtree_plan_request_t *request,
                                  mtree_plan_t **plan_p)
{
    choice_t choice = {.on = {.topology = topology,
                              .hosts = hosts,
                              .num_hosts = num_hosts,
                              .request = request,
                              .routes = request->routes}};
    mtree_status_t status =
        mtree_planner_run(topology, hosts, num_hosts, request, &choice.plans[0]);

    if (status != MTREE_OK) {
        return status;
    }
    choice.count = 1;
    status = plan_kinds(&choice);
    if (status == MTREE_OK) {
        status = judge(&choice);
    }
    if (status == MTREE_OK) {
        *plan_p = take_best(&choice);
    }
    for (int c = 0; c < choice.count; c++) {
        mtree_plan_destroy(choice.plans[c]);
    }
    return status;
}

/* Bits that @a plan puts on arcs in all, for a message of its size. */
static double relayed_bits(const mtree_plan_t *plan)
{
    double bits = 8.0 * mtree_collective_root_bytes(plan->collective, plan->bytes,
                                                    mtree_plan_num_active(plan));
    double sum = 0.0;

    for (int t = 0; t < plan->num_trees; t++) {
        for (int host = 0; host < plan->num_hosts; host++) {
            sum += plan->trees[t].parent[host] >= 0
                       ? plan->trees[t].share * bits *
                             mtree_collective_passes(plan->collective)
                       : 0.0;
        }
    }
    return sum;
}

/* A plan through relays with at most @a max_trees trees, and how long it takes; NULL:
 * none is needed. */
static mtree_status_t plan_relays(const mtree_prediction_t *on, int max_trees,
                                  mtree_plan_t **plan_p)
{
    mtree_plan_request_t request = *on->request;
    mtree_status_t status;
    double bytes = 0.0;

    request.max_trees = max_trees;
    status = mtree_relays_plan(on->topology, on->hosts, on->num_hosts, &request, plan_p);
    if (status == MTREE_OK && *plan_p != NULL && (*plan_p)->bytes > 0.0) {
        bytes = mtree_prediction_bytes(on, *plan_p, relayed_bits(*plan_p));
    }
    return status == MTREE_OK && bytes > 0.0 ? mtree_prediction_run(on, *plan_p, bytes)
                                             : status;
}

/* Do @a many trees through relays take clearly less time than @a few, or carry more? */
static bool is_faster(const mtree_plan_t *many, const mtree_plan_t *few)
{
    return few->bytes > 0.0 ? many->seconds * (1.0 + CLOSE_SECONDS) < few->seconds
                            : many->throughput > few->throughput * (1.0 + CLOSE_SECONDS);
}

/* Through relays lead far more ways than between the hosts alone.  Where few trees do not
 * fill them, *plan_p becomes one of more trees if that is faster.  A short message has
 * too few bytes for many. */
static mtree_status_t try_more_trees(const mtree_prediction_t *on, mtree_plan_t **plan_p)
{
    const mtree_plan_request_t *request = on->request;
    const mtree_plan_t *few = *plan_p;
    mtree_plan_t *many = NULL;
    mtree_status_t status;

    if (few == NULL || (request->bytes > 0.0 && is_short(request)) ||
        request->max_trees == 0 || few->throughput >= WELL_FILLED * few->bound) {
        return MTREE_OK;
    }
    status = plan_relays(on, MTREE_CHOICE_MORE_TREES * on->request->max_trees, &many);
    if (status == MTREE_OK && many != NULL && is_faster(many, few)) {
        mtree_plan_destroy(*plan_p);
        *plan_p = many;
    } else {
        mtree_plan_destroy(many);
    }
    return status;
}

mtree_status_t mtree_choice_relays(const mtree_topology_t *topology, const int *hosts,
                                   int num_hosts, const mtree_plan_request_t *request,
                                   const mtree_plan_t *plan, mtree_plan_t **relayed_p)
{
    const mtree_prediction_t on = {
        .topology = topology, .hosts = hosts, .num_hosts = num_hosts, .request = request};
    mtree_plan_t *relayed = NULL;
    mtree_status_t status = MTREE_OK;

    *relayed_p = NULL;
    if (mtree_relays_unavailable(request, num_hosts) == NULL) {
        status = plan_relays(&on, request->max_trees, &relayed);
    }
    if (status == MTREE_OK) {
        status = try_more_trees(&on, &relayed);
    }
    if (status == MTREE_OK && relayed != NULL && mtree_relays_gain(relayed, plan)) {
        *relayed_p = relayed;
    } else {
        mtree_plan_destroy(relayed);
    }
    return status;
}

mtree_status_t mtree_choice_plan(const mtree_topology_t *topology, const int *hosts,
                                 int num_hosts, const mtree_plan_request_t *request,
                                 mtree_plan_t **plan_p)
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
        status = choose_kind(topology, hosts, num_hosts, &alone, &plan);
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
