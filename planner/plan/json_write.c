/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/memory.h"
#include "planner/plan/json.h"

#include "base/log.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>

/* NULL where a name is not UTF-8 or a number not finite. */
static json_t *tree_to_json(const mtree_plan_t *plan, const mtree_tree_t *tree)
{
    json_t *edges = json_array();
    json_t *latencies = json_array();
    json_t *steps = json_array();
    json_t *object;
    int lost = 0;

    for (int i = 0; i < plan->num_hosts; ++i) {
        if (tree->parent[i] < 0) {
            continue;
        }
        lost |= json_array_append_new(
            edges, json_pack("[s, s]", plan->hosts[tree->parent[i]], plan->hosts[i]));
        lost |= json_array_append_new(latencies, json_real(tree->latency[i]));
        if (tree->step[i] > 0) {
            lost |= json_array_append_new(steps, json_integer(tree->step[i]));
        }
    }
    if (lost != 0 || steps == NULL) {
        json_decref(edges);
        json_decref(latencies);
        json_decref(steps);
        return NULL;
    }
    object =
        json_pack("{s:s, s:f, s:f, s:I, s:o, s:o}", "root", plan->hosts[tree->root],
                  "rate_bps", tree->rate, "share", tree->share, "chunk_bytes",
                  (json_int_t)tree->chunk_bytes, "edges", edges, "latency_s", latencies);
    if (json_array_size(steps) > 0 && json_object_set(object, "steps", steps) != 0) {
        json_decref(object);
        object = NULL;
    }
    json_decref(steps);
    return object;
}

/* Whole bits/s and nanoseconds say all that is known of a route.  Not 0 when anything was
 * lost. */
static int routes_to_json(const mtree_plan_t *plan, json_t *object)
{
    size_t pairs = (size_t)plan->num_hosts * (size_t)plan->num_hosts;
    json_t *rates, *latencies, *links;
    int lost = 0;

    if (plan->routes == NULL) {
        return 0;
    }
    rates = json_array();
    latencies = json_array();
    links = json_array();
    for (size_t i = 0; i < pairs; ++i) {
        lost |=
            json_array_append_new(rates, json_integer((json_int_t)plan->routes[i].rate));
        lost |= json_array_append_new(
            latencies, json_integer((json_int_t)llround(plan->routes[i].latency * 1e9)));
        lost |= json_array_append_new(links, json_integer(plan->routes[i].links));
    }
    lost |= json_object_set_new(object, "route_links", links);
    lost |= json_object_set_new(object, "route_bps", rates);
    lost |= json_object_set_new(object, "route_ns", latencies);
    return lost;
}

/* The order of the hosts in a program, and their shape.  Not 0 when anything was lost. */
static int order_to_json(const mtree_plan_t *plan, json_t *object)
{
    json_t *order, *shape;
    int lost = 0;

    if (plan->order == NULL) {
        return 0;
    }
    order = json_array();
    for (int i = 0; i < plan->num_hosts; ++i) {
        lost |= json_array_append_new(order, json_string(plan->hosts[plan->order[i]]));
    }
    lost |= json_object_set_new(object, "order", order);
    if (plan->message_bytes > 0) {
        lost |= json_object_set_new(object, "message_bytes",
                                    json_integer((json_int_t)plan->message_bytes));
    }
    if (plan->shape[0] == 0) {
        return lost;
    }
    shape = json_array();
    for (int d = 0; d < MTREE_SHAPE_DIMENSIONS && plan->shape[d] > 0; ++d) {
        lost |= json_array_append_new(shape, json_integer(plan->shape[d]));
    }
    return lost | json_object_set_new(object, "shape", shape);
}

/* Not json_dumps(): it leaves out what it has no memory for. */
static char *json_text(const json_t *object)
{
    size_t length = json_dumpb(object, NULL, 0, JSON_INDENT(1));
    char *text = length == 0 ? NULL : mtree_malloc(length + 1);

    if (text == NULL || json_dumpb(object, text, length, JSON_INDENT(1)) != length) {
        free(text);
        return NULL;
    }
    text[length] = '\0';
    return text;
}

mtree_status_t mtree_plan_to_json(const mtree_plan_t *plan, char **text_p)
{
    json_t *hosts = json_array(), *relays = json_array();
    json_t *trees = json_array();
    json_t *root = plan->root < 0 ? json_null() : json_string(plan->hosts[plan->root]);
    json_t *object;
    char *text;
    int lost = 0;

    for (int i = 0; i < plan->num_hosts; ++i) {
        lost |= json_array_append_new(i < mtree_plan_num_active(plan) ? hosts : relays,
                                      json_string(plan->hosts[i]));
    }
    for (int t = 0; t < plan->num_trees; ++t) {
        lost |= json_array_append_new(trees, tree_to_json(plan, &plan->trees[t]));
    }
    object = json_pack("{s:s, s:s, s:f, s:f, s:i, s:o, s:f, s:f, s:s?, s:o, s:o}",
                       "collective", mtree_collective_name(plan->collective), "algorithm",
                       plan->algorithm, "throughput_bps", plan->throughput, "bound_bps",
                       plan->bound, "height", mtree_plan_height(plan), "root", root,
                       "bytes", plan->bytes, "seconds", plan->seconds, "limit",
                       plan->limit, "hosts", hosts, "trees", trees);
    if (object != NULL) {
        lost |= routes_to_json(plan, object) | order_to_json(plan, object);
    }
    if (object != NULL && plan->num_relays > 0) {
        lost |= json_object_set(object, "relays", relays);
    }
    json_decref(relays);
    text = object == NULL || lost != 0 ? NULL : json_text(object);
    json_decref(object);
    if (text == NULL) {
        mtree_error(
            "plan: it cannot be written as JSON; a name is not UTF-8, a number is not "
            "finite, or memory is out");
        return MTREE_ERR_INVALID;
    }
    *text_p = text;
    return MTREE_OK;
}
