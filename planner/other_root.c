/* SPDX-License-Identifier: BSD-3-Clause */
#include "planner/other_root.h"

#include "planner/plan/finish.h"
#include "planner/planner.h"
#include "planner/tuning.h"

#include <math.h>

typedef struct {
    const mtree_topology_t *topology;
    const int *hosts;
    int num_hosts;
    const mtree_plan_request_t *request;
    const mtree_plan_t *other;
    mtree_plan_t *plan; /* the fastest so far; NULL: none */
    double enough;      /* seconds; no faster plan is sought */
} search_t;

/* Seconds of latency from the root to the farthest host, over the slowest tree. */
static double plan_delay(const mtree_plan_t *plan)
{
    double delay = 0.0;

    for (int t = 0; t < plan->num_trees; t++) {
        delay = fmax(
            delay, mtree_tree_delay(&plan->trees[t], plan->num_hosts, plan->collective));
    }
    return delay;
}

/* What @a host can send, or receive where calls only go up, bits/s. */
static double host_capacity(const search_t *search, int host)
{
    const mtree_topology_t *topology = search->topology;
    bool sends = mtree_collective_goes_down(search->request->collective);
    double sum = 0.0;

    for (int l = 0; l < topology->num_links; l++) {
        const mtree_link_t *link = &topology->links[l];

        if (link->u == search->hosts[host]) {
            sum += link->capacity[sends ? 0 : 1];
        } else if (link->v == search->hosts[host]) {
            sum += link->capacity[sends ? 1 : 0];
        }
    }
    return sum;
}

/* Plan by @a algorithm, or with the trees of @a keep, unless it is NULL, and keep the
 * faster plan. */
static mtree_status_t try_plan(search_t *search, const char *algorithm,
                               const mtree_plan_t *keep)
{
    mtree_plan_request_t request = *search->request;
    mtree_plan_t *plan, *slower;
    mtree_status_t status;

    request.algorithm = algorithm;
    request.keep = keep;
    status = mtree_planner_run(search->topology, search->hosts, search->num_hosts,
                               &request, &plan);
    if (status == MTREE_OK) {
        slower = search->plan;
        if (slower != NULL && plan->seconds >= slower->seconds) {
            slower = plan;
            plan = search->plan;
        }
        search->plan = plan;
        mtree_plan_destroy(slower);
    }
    return status;
}

static bool is_found(const search_t *search)
{
    return search->plan != NULL && search->plan->seconds <= search->enough;
}

/* *again_p: the plan for the other root, with the seconds that the planner predicts.
 * Who chose it may know better (simulate/forecast/choice.h). */
static mtree_status_t predict_other(const search_t *search, mtree_plan_t **again_p)
{
    mtree_plan_request_t request = *search->request;

    request.root = search->other->root;
    request.bytes = search->other->bytes;
    request.keep = search->other;
    return mtree_planner_run(search->topology, search->hosts, search->num_hosts, &request,
                             again_p);
}

/* How much faster than from the other root calls may be: where that one's own links are
 * what limits them, a root with more capacity has an advantage. */
static double advantage(const search_t *search)
{
    double capacity = host_capacity(search, search->request->root);
    double others = host_capacity(search, search->other->root);

    return others <= MTREE_TUNED_ROOT_COST * search->other->bound && capacity > others
               ? capacity / others
               : 1.0;
}

/* The seconds that are enough; @a again is the plan for the other root. */
static double enough_seconds(const search_t *search, const mtree_plan_t *again)
{
    double longer = search->request->bytes > again->bytes && again->bytes > 0.0
                        ? search->request->bytes / again->bytes
                        : 1.0;

    return MTREE_TUNED_ROOT_COST * longer * again->seconds / advantage(search);
}

mtree_status_t mtree_other_root_plan(const mtree_topology_t *topology, const int *hosts,
                                     int num_hosts, const mtree_plan_request_t *request,
                                     const mtree_plan_t *other, mtree_plan_t **plan_p)
{
    search_t search = {topology, hosts, num_hosts, request, other, NULL, 0.0};
    mtree_plan_t *again = NULL;
    mtree_status_t status = predict_other(&search, &again);

    if (status == MTREE_OK) {
        search.enough = enough_seconds(&search, again);
    }
    /* Where latency is the greater part: one tree of least latencies, which no plan can
     * beat by much where it takes little longer than these. */
    if (status == MTREE_OK && plan_delay(again) > again->seconds / 2) {
        status = try_plan(&search, "latency", NULL);
        search.enough =
            status == MTREE_OK
                ? fmax(search.enough, MTREE_TUNED_ROOT_COST * plan_delay(search.plan))
                : 0.0;
    }
    if (status == MTREE_OK && !is_found(&search)) {
        status = try_plan(&search, request->algorithm, other);
    }
    if (status == MTREE_OK && !is_found(&search)) {
        status = try_plan(&search, other->algorithm, NULL);
    }
    if (status == MTREE_OK) {
        search.plan->seconds *=
            again->seconds > 0.0 ? other->seconds / again->seconds : 1;
        *plan_p = search.plan;
    } else {
        mtree_plan_destroy(search.plan);
    }
    mtree_plan_destroy(again);
    return status;
}
