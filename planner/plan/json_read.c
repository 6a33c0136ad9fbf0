/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/memory.h"
#include "planner/plan/json.h"

#include "base/log.h"

#include <jansson.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* A plan is at most this large: hosts, trees, and hosts x trees (each is 16 bytes of
 * memory, and at least as much of a file). */
#define MAX_HOSTS MTREE_TOPOLOGY_MAX_VERTICES
#define MAX_EDGES (1L << 25)
#define MAX_TEXT  ((size_t)1 << 30)

/* No message is longer.  A size_t and a double both hold this number exactly. */
#define MAX_BYTES ((double)(1L << 53))

/* What a reader carries along. */
typedef struct {
    const char *name;      /* of the source */
    int tree;              /* that is read; -1: none */
    json_t *numbers;       /* object: host name -> number */
    size_t length;         /* of the text */
    mtree_status_t status; /* where it fails */
} reader_t;

/* Log what is wrong, and what to do. */
static __attribute__((format(printf, 2, 3))) bool bad(const reader_t *reader,
                                                      const char *format, ...)
{
    char line[MTREE_LOG_LINE], tree[32] = "";
    va_list args;

    va_start(args, format);
    vsnprintf(line, sizeof(line), format, args);
    va_end(args);
    if (reader->tree >= 0) {
        snprintf(tree, sizeof(tree), "tree %d: ", reader->tree);
    }
    mtree_error("%s: %s%s", reader->name, tree, line);
    return false;
}

/* The number of the host that @a value names, or -1. */
static int host_number(const reader_t *reader, const json_t *value)
{
    const char *name = json_string_value(value);
    const json_t *number = name == NULL ? NULL : json_object_get(reader->numbers, name);

    return number == NULL ? -1 : (int)json_integer_value(number);
}

/* 0 where there is none. */
static bool read_number(const reader_t *reader, const json_t *object, const char *key,
                        double *value_p)
{
    const json_t *value = json_object_get(object, key);

    if (value != NULL && (!json_is_number(value) || json_number_value(value) < 0.0)) {
        return bad(reader,
                   "\"%s\" is not a number of at least 0; correct it or leave it out",
                   key);
    }
    *value_p = json_number_value(value);
    return true;
}

static bool read_rate(const reader_t *reader, const json_t *object, const char *key,
                      double *value_p)
{
    return read_number(reader, object, key, value_p) &&
           (mtree_plan_is_rate(*value_p) ||
            bad(reader, "\"%s\" is not 0 or a rate of %g to %g b/s; correct it", key,
                MTREE_PLAN_LEAST_RATE, MTREE_PLAN_MOST_RATE));
}

static bool read_bytes(const reader_t *reader, const json_t *object, const char *key,
                       size_t *value_p)
{
    double value = 0.0;
    const bool ok = read_number(reader, object, key, &value);

    *value_p = (size_t)fmin(value, MAX_BYTES);
    return ok;
}

/* The next hosts, with their names. */
static bool read_names(reader_t *reader, const json_t *array, const char **hosts)
{
    for (size_t i = 0; i < json_array_size(array); ++i) {
        const char *name = json_string_value(json_array_get(array, i));
        const size_t number = json_object_size(reader->numbers);

        if (name == NULL || json_object_get(reader->numbers, name) != NULL) {
            return bad(reader,
                       "host %zu is not a name, or is there twice; name each host once",
                       number);
        }
        hosts[number] = name;
        json_object_set_new(reader->numbers, name, json_integer((json_int_t)number));
    }
    return true;
}

/* The empty plan between these hosts, and behind them relays, within what is accepted. */
static bool read_hosts(reader_t *reader, const json_t *object,
                       mtree_collective_t collective, mtree_plan_t **plan_p)
{
    const char *algorithm = json_string_value(json_object_get(object, "algorithm"));
    const json_t *active = json_object_get(object, "hosts");
    const json_t *relays = json_object_get(object, "relays");
    const size_t num_trees = json_array_size(json_object_get(object, "trees"));
    const size_t count = json_array_size(active) + json_array_size(relays);
    const char **hosts;
    bool ok;

    if (json_array_size(active) == 0) {
        return bad(reader, "no \"hosts\"; give an array of host names");
    }
    if (relays != NULL && !json_is_array(relays)) {
        return bad(reader, "\"relays\" is no array; give host names, or leave it out");
    }
    if (num_trees == 0 && json_object_get(object, "order") == NULL) {
        return bad(reader, "no \"trees\"; give an array of at least one tree");
    }
    /* Relays outside a tree are not in its text, but in its memory. */
    if (count > MAX_HOSTS || num_trees > MTREE_PLAN_MOST_TREES ||
        (long)(num_trees * count) > MAX_EDGES || num_trees * count > reader->length) {
        reader->status = MTREE_ERR_LIMIT;
        return bad(reader,
                   "%zu trees over %zu hosts; at most %d hosts, %d trees and %ld edges "
                   "are accepted",
                   num_trees, count, MAX_HOSTS, MTREE_PLAN_MOST_TREES, MAX_EDGES);
    }
    hosts = mtree_calloc(count, sizeof(*hosts));
    ok = read_names(reader, active, hosts) && read_names(reader, relays, hosts);
    if (ok) {
        *plan_p = mtree_plan_create(collective, algorithm == NULL ? "file" : algorithm,
                                    (int)count, hosts, (int)num_trees);
        (*plan_p)->num_relays = (int)json_array_size(relays);
    }
    free(hosts);
    return ok;
}

/* Read edge @a e of a tree. */
static bool read_edge(const reader_t *reader, const json_t *object, size_t e,
                      mtree_tree_t *tree)
{
    const json_t *edge = json_array_get(json_object_get(object, "edges"), e);
    const json_t *latency = json_array_get(json_object_get(object, "latency_s"), e);
    const json_t *step = json_array_get(json_object_get(object, "steps"), e);
    int parent = host_number(reader, json_array_get(edge, 0));
    int child = host_number(reader, json_array_get(edge, 1));

    if (parent < 0 || child < 0 || json_array_size(edge) != 2) {
        return bad(reader,
                   "an edge is not two names from \"hosts\"; write [parent, child]");
    }
    if (tree->parent[child] >= 0) {
        return bad(reader, "a host has two parents; give each host one parent");
    }
    tree->parent[child] = parent;
    tree->latency[child] = json_number_value(latency);
    tree->step[child] = (int)fmin(fmax(json_number_value(step), -1.0), INT_MAX);
    return true;
}

static bool read_edges(const reader_t *reader, const json_t *object,
                       const mtree_plan_t *plan, mtree_tree_t *tree)
{
    static const char *const lists[] = {"steps", "latency_s"};
    const json_t *edges = json_object_get(object, "edges");
    const size_t count = json_array_size(edges);

    if (!json_is_array(edges) || count >= (size_t)plan->num_hosts ||
        count + 1 < (size_t)mtree_plan_num_active(plan)) {
        return bad(reader,
                   "not one edge for every host but the root; give \"edges\" as an "
                   "array of [parent, child]");
    }
    for (size_t l = 0; l < sizeof(lists) / sizeof(lists[0]); ++l) {
        const json_t *list = json_object_get(object, lists[l]);

        if (list != NULL && json_array_size(list) != count) {
            return bad(reader,
                       "\"%s\" and \"edges\" differ in length; give one of each edge, or "
                       "leave it out",
                       lists[l]);
        }
    }
    for (int relay = mtree_plan_num_active(plan); relay < plan->num_hosts; ++relay) {
        tree->parent[relay] = MTREE_PLAN_OUTSIDE;
    }
    for (size_t e = 0; e < count; ++e) {
        if (!read_edge(reader, object, e, tree)) {
            return false;
        }
    }
    return true;
}

static bool read_tree(const reader_t *reader, const json_t *object,
                      const mtree_plan_t *plan, mtree_tree_t *tree)
{
    const json_t *share = json_object_get(object, "share");
    const json_t *rate = json_object_get(object, "rate_bps");

    tree->root = host_number(reader, json_object_get(object, "root"));
    if (tree->root < 0) {
        return bad(reader, "\"root\" is not one of \"hosts\"; name the root");
    }
    if (!json_is_number(share) || !json_is_number(rate)) {
        return bad(reader, "no \"share\" or no \"rate_bps\"; give both as numbers");
    }
    tree->share = json_number_value(share);
    tree->rate = json_number_value(rate);
    return read_bytes(reader, object, "chunk_bytes", &tree->chunk_bytes) &&
           read_edges(reader, object, plan, tree);
}

static bool read_trees(reader_t *reader, const json_t *object, mtree_plan_t *plan)
{
    const json_t *trees = json_object_get(object, "trees");
    bool ok = true;

    for (int t = 0; t < plan->num_trees && ok; ++t) {
        reader->tree = t;
        ok = read_tree(reader, json_array_get(trees, (size_t)t), plan, &plan->trees[t]);
    }
    reader->tree = -1;
    return ok;
}

static bool read_head(const reader_t *reader, const json_t *object, mtree_plan_t *plan)
{
    const json_t *root = json_object_get(object, "root");
    const char *limit = json_string_value(json_object_get(object, "limit"));

    plan->limit = limit == NULL ? NULL : mtree_strdup(limit);
    if (root != NULL && !json_is_null(root)) {
        plan->root = host_number(reader, root);
        if (plan->root < 0) {
            return bad(reader,
                       "\"root\" is not one of \"hosts\"; name a host or write null");
        }
    }
    if (!read_number(reader, object, "bytes", &plan->bytes)) {
        return false;
    }
    plan->bytes = fmin(plan->bytes, MAX_BYTES);
    return read_rate(reader, object, "throughput_bps", &plan->throughput) &&
           read_rate(reader, object, "bound_bps", &plan->bound) &&
           read_number(reader, object, "seconds", &plan->seconds);
}

static bool read_routes(const reader_t *reader, const json_t *object, mtree_plan_t *plan)
{
    const json_t *rates = json_object_get(object, "route_bps");
    const json_t *latencies = json_object_get(object, "route_ns");
    const json_t *links = json_object_get(object, "route_links");
    const size_t pairs = (size_t)plan->num_hosts * (size_t)plan->num_hosts;

    if (rates == NULL && latencies == NULL && links == NULL) {
        return true;
    }
    if (json_array_size(rates) != pairs || json_array_size(latencies) != pairs ||
        json_array_size(links) != pairs) {
        return bad(reader,
                   "\"route_bps\", _ns and _links are not of every two hosts; give "
                   "hosts x hosts numbers in each, or none of them");
    }
    plan->routes = mtree_calloc(pairs, sizeof(*plan->routes));
    for (size_t i = 0; i < pairs; ++i) {
        const double rate = json_number_value(json_array_get(rates, i));
        const double latency = json_number_value(json_array_get(latencies, i)) * 1e-9;
        const double hops = json_number_value(json_array_get(links, i));
        const bool is_own = i % (size_t)plan->num_hosts == i / (size_t)plan->num_hosts;

        if (!mtree_plan_is_rate(rate) || latency < 0 || hops < 0 || hops > MAX_HOSTS) {
            return bad(reader, "a route's rate, latency or number of links is negative, "
                               "or too large; correct it, or leave all of them out");
        }
        if (rate <= 0 && !is_own) {
            return bad(reader, "a route between two hosts has no rate; correct "
                               "\"route_bps\", or leave all of them out");
        }
        plan->routes[i] = (mtree_plan_route_t){rate, latency, (int)hops};
    }
    return true;
}

/* Of a program for a torus; NULL: it needs none. */
static bool read_shape(const reader_t *reader, const json_t *shape, mtree_plan_t *plan)
{
    if (json_array_size(shape) > MTREE_SHAPE_DIMENSIONS) {
        return bad(reader, "\"shape\" has too many sizes; give up to six");
    }
    for (size_t d = 0; d < json_array_size(shape); ++d) {
        const json_int_t size = json_integer_value(json_array_get(shape, d));

        if (size < 2 || size > plan->num_hosts) {
            return bad(reader, "\"shape\" has a wrong size; give the hosts of a ring");
        }
        plan->shape[d] = (int)size;
    }
    return true;
}

/* Of a plan that names a program. */
static bool read_order(const reader_t *reader, const json_t *object, mtree_plan_t *plan)
{
    const json_t *order = json_object_get(object, "order");

    if (order == NULL) {
        return true;
    }
    if (json_array_size(order) != (size_t)plan->num_hosts) {
        return bad(reader, "\"order\" has not all hosts; name each host once");
    }
    plan->order = mtree_malloc((size_t)plan->num_hosts * sizeof(*plan->order));
    for (int i = 0; i < plan->num_hosts; ++i) {
        plan->order[i] = host_number(reader, json_array_get(order, (size_t)i));
    }
    return read_bytes(reader, object, "message_bytes", &plan->message_bytes) &&
           read_shape(reader, json_object_get(object, "shape"), plan);
}

/* A plan that was begun is there even when it fails. */
static bool read_plan(reader_t *reader, const json_t *object, mtree_plan_t **plan_p)
{
    const char *name = json_string_value(json_object_get(object, "collective"));
    mtree_collective_t collective;

    if (name == NULL || mtree_collective_parse(name, &collective) != MTREE_OK) {
        return bad(reader,
                   "no known \"collective\"; give one of " MTREE_COLLECTIVE_NAMES);
    }
    return read_hosts(reader, object, collective, plan_p) &&
           read_head(reader, object, *plan_p) && read_trees(reader, object, *plan_p) &&
           read_routes(reader, object, *plan_p) && read_order(reader, object, *plan_p) &&
           mtree_plan_check(*plan_p, NULL, NULL) == MTREE_OK;
}

mtree_status_t mtree_plan_from_json(const char *text, size_t length, const char *name,
                                    mtree_plan_t **plan_p)
{
    reader_t reader = {
        .name = name, .tree = -1, .length = length, .status = MTREE_ERR_INVALID};
    mtree_plan_t *plan = NULL;
    json_error_t error;
    json_t *object;

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
    if (read_plan(&reader, object, &plan)) {
        reader.status = MTREE_OK;
        *plan_p = plan;
    } else {
        mtree_plan_destroy(plan);
    }
    json_decref(reader.numbers);
    json_decref(object);
    return reader.status;
}
