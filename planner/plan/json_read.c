/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/memory.h"
#include "planner/plan/json.h"

#include "base/log.h"

#include <jansson.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A plan is at most this large: hosts, trees, and hosts x trees (each is 12 bytes of
 * memory). */
#define MAX_HOSTS MTREE_TOPOLOGY_MAX_VERTICES
#define MAX_TREES (1 << 18)
#define MAX_EDGES (1L << 25)
#define MAX_TEXT  ((size_t)1 << 30)

/* What a reader carries along: the source's name for messages, and host names to numbers.
 */
typedef struct {
    const char *name;
    json_t *numbers; /* object: host name -> number */
    size_t length;   /* of the text */
} reader_t;

static mtree_status_t bad(const reader_t *reader, const char *what, const char *fix)
{
    mtree_error("%s: %s; %s", reader->name, what, fix);
    return MTREE_ERR_INVALID;
}

static mtree_status_t bad_tree(const reader_t *reader, size_t tree, const char *what,
                               const char *fix)
{
    mtree_error("%s: tree %zu: %s; %s", reader->name, tree, what, fix);
    return MTREE_ERR_INVALID;
}

/* The number of the host that @a value names, or -1. */
static int host_number(const reader_t *reader, const json_t *value)
{
    const char *name = json_string_value(value);
    const json_t *number = name == NULL ? NULL : json_object_get(reader->numbers, name);

    return number == NULL ? -1 : (int)json_integer_value(number);
}

/* The names in @a array to @a hosts, numbered from @a first on. */
static mtree_status_t read_names(reader_t *reader, const json_t *array, size_t first,
                                 const char **hosts)
{
    for (size_t i = 0; i < json_array_size(array); ++i) {
        const char *name = json_string_value(json_array_get(array, i));

        if (name == NULL || json_object_get(reader->numbers, name) != NULL) {
            mtree_error(
                "%s: host %zu is not a name, or is there twice; name each host once",
                reader->name, first + i);
            return MTREE_ERR_INVALID;
        }
        hosts[first + i] = name;
        json_object_set_new(reader->numbers, name, json_integer((json_int_t)(first + i)));
    }
    return MTREE_OK;
}

/* Hosts, and behind them relays. */
static mtree_status_t read_hosts(reader_t *reader, const json_t *object,
                                 const char ***hosts_p, int *num_hosts_p,
                                 int *num_relays_p)
{
    const json_t *array = json_object_get(object, "hosts");
    const json_t *relays = json_object_get(object, "relays");
    size_t active = json_array_size(array), count = active + json_array_size(relays);
    mtree_status_t status;
    const char **hosts;

    if (active == 0) {
        return bad(reader, "no \"hosts\"", "give an array of host names");
    }
    if (relays != NULL && !json_is_array(relays)) {
        return bad(reader, "\"relays\" is no array", "give host names, or leave it out");
    }
    if (count > MAX_HOSTS) {
        mtree_error("%s: %zu hosts; at most %d are accepted", reader->name, count,
                    MAX_HOSTS);
        return MTREE_ERR_LIMIT;
    }
    hosts = mtree_calloc(count, sizeof(*hosts));
    status = read_names(reader, array, 0, hosts);
    if (status == MTREE_OK) {
        status = read_names(reader, relays, active, hosts);
    }
    if (status != MTREE_OK) {
        free(hosts);
        return status;
    }
    *hosts_p = hosts;
    *num_hosts_p = (int)count;
    *num_relays_p = (int)(count - active);
    return MTREE_OK;
}

/* Read edge @a e of a tree. */
static mtree_status_t read_edge(const reader_t *reader, const json_t *object, size_t t,
                                size_t e, mtree_tree_t *tree)
{
    const json_t *edge = json_array_get(json_object_get(object, "edges"), e);
    const json_t *latency = json_array_get(json_object_get(object, "latency_s"), e);
    const json_t *step = json_array_get(json_object_get(object, "steps"), e);
    int parent = host_number(reader, json_array_get(edge, 0));
    int child = host_number(reader, json_array_get(edge, 1));

    if (parent < 0 || child < 0 || json_array_size(edge) != 2) {
        return bad_tree(reader, t, "an edge is not two names from \"hosts\"",
                        "write [parent, child]");
    }
    if (tree->parent[child] >= 0) {
        return bad_tree(reader, t, "a host has two parents", "give each host one parent");
    }
    tree->parent[child] = parent;
    tree->latency[child] = json_number_value(latency);
    tree->step[child] = (int)fmin(fmax(json_number_value(step), -1.0), INT_MAX);
    return MTREE_OK;
}

static mtree_status_t read_edges(const reader_t *reader, const json_t *object, size_t t,
                                 const mtree_plan_t *plan, mtree_tree_t *tree)
{
    const json_t *edges = json_object_get(object, "edges");
    const json_t *latencies = json_object_get(object, "latency_s");
    const json_t *steps = json_object_get(object, "steps");

    if (!json_is_array(edges) || json_array_size(edges) >= (size_t)plan->num_hosts ||
        json_array_size(edges) + 1 < (size_t)mtree_plan_num_active(plan)) {
        return bad_tree(reader, t, "not one edge for every host but the root",
                        "give \"edges\" as an array of [parent, child]");
    }
    if (steps != NULL && json_array_size(steps) != json_array_size(edges)) {
        return bad_tree(reader, t, "\"steps\" and \"edges\" differ in length",
                        "give one step per edge, or leave them out");
    }
    if (latencies != NULL && json_array_size(latencies) != json_array_size(edges)) {
        return bad_tree(reader, t, "\"latency_s\" and \"edges\" differ in length",
                        "give one latency per edge");
    }
    for (int relay = mtree_plan_num_active(plan); relay < plan->num_hosts; ++relay) {
        tree->parent[relay] = MTREE_PLAN_OUTSIDE;
    }
    for (size_t e = 0; e < json_array_size(edges); ++e) {
        mtree_status_t status = read_edge(reader, object, t, e, tree);

        if (status != MTREE_OK) {
            return status;
        }
    }
    return MTREE_OK;
}

static mtree_status_t read_tree(const reader_t *reader, const json_t *object, size_t t,
                                const mtree_plan_t *plan, mtree_tree_t *tree)
{
    const json_t *share = json_object_get(object, "share");
    const json_t *rate = json_object_get(object, "rate_bps");
    json_int_t chunk = json_integer_value(json_object_get(object, "chunk_bytes"));

    tree->root = host_number(reader, json_object_get(object, "root"));
    if (tree->root < 0) {
        return bad_tree(reader, t, "\"root\" is not one of \"hosts\"", "name the root");
    }
    if (!json_is_number(share) || !json_is_number(rate)) {
        return bad_tree(reader, t, "no \"share\" or no \"rate_bps\"",
                        "give both as numbers");
    }
    if (chunk < 0) {
        return bad_tree(reader, t, "\"chunk_bytes\" is negative", "give bytes, or 0");
    }
    tree->share = json_number_value(share);
    tree->rate = json_number_value(rate);
    tree->chunk_bytes = (size_t)chunk;
    return read_edges(reader, object, t, plan, tree);
}

/* The numbers of the plan's head: 0 when one is missing, an error when it is not a number
 * or negative. */
static mtree_status_t read_numbers(const reader_t *reader, const json_t *object,
                                   mtree_plan_t *plan)
{
    const struct {
        const char *key;
        double *value;
    } numbers[] = {{"throughput_bps", &plan->throughput},
                   {"bound_bps", &plan->bound},
                   {"bytes", &plan->bytes},
                   {"seconds", &plan->seconds}};

    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        const json_t *value = json_object_get(object, numbers[i].key);

        if (value != NULL && (!json_is_number(value) || json_number_value(value) < 0.0)) {
            mtree_error(
                "%s: \"%s\" is not a number of at least 0; correct it or leave it out",
                reader->name, numbers[i].key);
            return MTREE_ERR_INVALID;
        }
        *numbers[i].value = json_number_value(value);
    }
    return MTREE_OK;
}

static mtree_status_t read_head(const reader_t *reader, const json_t *object,
                                mtree_plan_t *plan)
{
    const json_t *root = json_object_get(object, "root");
    const char *limit = json_string_value(json_object_get(object, "limit"));
    mtree_status_t status = read_numbers(reader, object, plan);

    if (status != MTREE_OK) {
        return status;
    }
    if (root != NULL && !json_is_null(root)) {
        plan->root = host_number(reader, root);
        if (plan->root < 0) {
            return bad(reader, "\"root\" is not one of \"hosts\"",
                       "name a host or write null");
        }
    }
    if (limit != NULL) {
        plan->limit = mtree_strdup(limit);
    }
    return MTREE_OK;
}

static mtree_status_t read_routes(const reader_t *reader, const json_t *object,
                                  mtree_plan_t *plan)
{
    const json_t *rates = json_object_get(object, "route_bps");
    const json_t *latencies = json_object_get(object, "route_ns");
    const json_t *links = json_object_get(object, "route_links");
    size_t pairs = (size_t)plan->num_hosts * (size_t)plan->num_hosts;

    if (rates == NULL && latencies == NULL && links == NULL) {
        return MTREE_OK;
    }
    if (json_array_size(rates) != pairs || json_array_size(latencies) != pairs ||
        json_array_size(links) != pairs) {
        return bad(reader, "\"route_bps\", _ns and _links are not of every two hosts",
                   "give hosts x hosts numbers in each, or none of them");
    }
    plan->routes = mtree_calloc(pairs, sizeof(*plan->routes));
    for (size_t i = 0; i < pairs; ++i) {
        double rate = json_number_value(json_array_get(rates, i));
        double latency = json_number_value(json_array_get(latencies, i)) * 1e-9;
        double hops = json_number_value(json_array_get(links, i));

        bool is_own = i % (size_t)plan->num_hosts == i / (size_t)plan->num_hosts;

        if (rate < 0 || latency < 0 || hops < 0 || hops > MAX_HOSTS) {
            return bad(reader, "a route's rate, latency or number of links is negative",
                       "correct it, or leave all of them out");
        }
        if (rate <= 0 && !is_own) {
            return bad(reader, "a route between two hosts has no rate",
                       "correct \"route_bps\", or leave all of them out");
        }
        plan->routes[i] = (mtree_plan_route_t){rate, latency, (int)hops};
    }
    return MTREE_OK;
}

/* Of a program for a torus; NULL: it needs none. */
static mtree_status_t read_shape(const reader_t *reader, const json_t *shape,
                                 mtree_plan_t *plan)
{
    const size_t dimensions = json_array_size(shape);

    if (dimensions > MTREE_SHAPE_DIMENSIONS) {
        return bad(reader, "\"shape\" has too many sizes", "give up to six");
    }
    for (size_t d = 0; d < dimensions; ++d) {
        const json_int_t size = json_integer_value(json_array_get(shape, d));

        if (size < 2 || size > plan->num_hosts) {
            return bad(reader, "\"shape\" has a wrong size", "give the hosts of a ring");
        }
        plan->shape[d] = (int)size;
    }
    return MTREE_OK;
}

/* Of a plan that names a program. */
static mtree_status_t read_order(const reader_t *reader, const json_t *object,
                                 mtree_plan_t *plan)
{
    const json_t *order = json_object_get(object, "order");
    json_int_t message;

    if (order == NULL) {
        return MTREE_OK;
    }
    if (json_array_size(order) != (size_t)plan->num_hosts) {
        return bad(reader, "\"order\" has not all hosts", "name each host once");
    }
    plan->order = mtree_malloc((size_t)plan->num_hosts * sizeof(*plan->order));
    for (int i = 0; i < plan->num_hosts; ++i) {
        plan->order[i] = host_number(reader, json_array_get(order, (size_t)i));
    }
    message = json_integer_value(json_object_get(object, "message_bytes"));
    if (message < 0) {
        return bad(reader, "\"message_bytes\" is negative", "leave it out");
    }
    plan->message_bytes = (size_t)message;
    return read_shape(reader, json_object_get(object, "shape"), plan);
}

static mtree_status_t read_trees(const reader_t *reader, const json_t *object,
                                 mtree_plan_t *plan)
{
    const json_t *trees = json_object_get(object, "trees");
    mtree_status_t status = MTREE_OK;

    for (size_t t = 0; t < json_array_size(trees) && status == MTREE_OK; ++t) {
        status = read_tree(reader, json_array_get(trees, t), t, plan, &plan->trees[t]);
    }
    return status;
}

/* The number of trees, within what is accepted for @a num_hosts hosts.  A program has
 * none. */
static mtree_status_t count_trees(const reader_t *reader, const json_t *object,
                                  int num_hosts, int *num_trees_p)
{
    const json_t *trees = json_object_get(object, "trees");
    size_t count = json_array_size(trees);

    if (count == 0 && json_object_get(object, "order") == NULL) {
        return bad(reader, "no \"trees\"", "give an array of at least one tree");
    }
    /* Relays outside a tree are not in its text, but in its memory. */
    if (count > MAX_TREES || (long)count * num_hosts > MAX_EDGES ||
        count * (size_t)num_hosts > reader->length) {
        mtree_error(
            "%s: %zu trees over %d hosts; at most %d trees and %ld edges are accepted",
            reader->name, count, num_hosts, MAX_TREES, MAX_EDGES);
        return MTREE_ERR_LIMIT;
    }
    *num_trees_p = (int)count;
    return MTREE_OK;
}

static mtree_status_t plan_from_object(reader_t *reader, const json_t *object,
                                       mtree_plan_t **plan_p)
{
    const char *collective_name =
        json_string_value(json_object_get(object, "collective"));
    const char *algorithm = json_string_value(json_object_get(object, "algorithm"));
    static mtree_status_t (*const read[])(const reader_t *, const json_t *,
                                          mtree_plan_t *) = {read_head, read_trees,
                                                             read_routes, read_order};
    const char **hosts = NULL;
    int num_hosts = 0, num_relays = 0, num_trees = 0;
    mtree_plan_t *plan = NULL;
    mtree_collective_t collective;
    mtree_status_t status;

    if (collective_name == NULL ||
        mtree_collective_parse(collective_name, &collective) != MTREE_OK) {
        return bad(reader, "no known \"collective\"",
                   "give one of " MTREE_COLLECTIVE_NAMES);
    }
    status = read_hosts(reader, object, &hosts, &num_hosts, &num_relays);
    if (status != MTREE_OK) {
        return status;
    }
    status = count_trees(reader, object, num_hosts, &num_trees);
    if (status == MTREE_OK) {
        plan = mtree_plan_create(collective, algorithm == NULL ? "file" : algorithm,
                                 num_hosts, hosts, num_trees);
        plan->num_relays = num_relays;
    }
    for (size_t i = 0; i < sizeof(read) / sizeof(read[0]) && status == MTREE_OK; ++i) {
        status = read[i](reader, object, plan);
    }
    if (status == MTREE_OK) {
        status = mtree_plan_check(plan, NULL, NULL);
    }
    free(hosts);
    if (status != MTREE_OK) {
        mtree_plan_destroy(plan);
        return status;
    }
    *plan_p = plan;
    return MTREE_OK;
}

mtree_status_t mtree_plan_from_json(const char *text, size_t length, const char *name,
                                    mtree_plan_t **plan_p)
{
    reader_t reader = {.name = name, .length = length};
    json_error_t error;
    json_t *object;
    mtree_status_t status;

    if (length > MAX_TEXT) {
        mtree_error("%s: %zu bytes; at most %zu are accepted", name, length, MAX_TEXT);
        return MTREE_ERR_LIMIT;
    }
    object = json_loadb(text, length, JSON_REJECT_DUPLICATES, &error);
    if (object == NULL) {
        mtree_error("%s:%d: %s; a plan is one JSON object", name, error.line, error.text);
        return MTREE_ERR_INVALID;
    }
    reader.numbers = mtree_existing(json_object());
    status = plan_from_object(&reader, object, plan_p);
    json_decref(reader.numbers);
    json_decref(object);
    return status;
}
