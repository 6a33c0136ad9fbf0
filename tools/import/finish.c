/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From an imported network to a topology: names, kinds, and one link for every pair that
 * is joined.
 */
#include "tools/import/network.h"

#include "base/hash.h"
#include "base/log.h"

#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KM_PER_SECOND 200e3 /* light in glass */
#define EARTH_KM      6371.0
#define MAX_PATTERN   256

/* All links between two nodes, taken together. */
typedef struct {
    mtree_hash_link_t hash_link;
    int u, v;           /* the ends as the first of them has them */
    double capacity[2]; /* from u to v, and back */
    double latency_sum;
    int num_latencies;
} bundle_t;

static bool fits_host_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           c == '-' || c == '.' || c == '_';
}

/* Every run of characters that do not fit a host name becomes one underscore. */
static void fit_host_name(const char *text, char *name, size_t room)
{
    size_t length = 0;

    for (; *text != '\0' && length + 1 < room; ++text) {
        if (fits_host_name(*text)) {
            name[length++] = *text;
        } else if (length == 0 || name[length - 1] != '_') {
            name[length++] = '_';
        }
    }
    name[length] = '\0';
}

/* The label, unless it has characters that no host name has and the identifier is more
 * than a number. */
static const char *choose_text(const import_node_t *node)
{
    const char *at;

    if (node->label == NULL || *node->label == '\0') {
        return node->id;
    }
    for (at = node->label; fits_host_name(*at) || *at == ' '; ++at) {}
    if (*at != '\0' && node->id[strspn(node->id, "0123456789")] != '\0') {
        return node->id;
    }
    return node->label;
}

static mtree_status_t choose_name(const import_t *import, json_t *taken, int place,
                                  char *name, size_t room)
{
    const import_node_t *node = &import->nodes[place];
    size_t length;

    fit_host_name(choose_text(node), name, room - 64);
    if (json_object_get(taken, name) != NULL) {
        length = strlen(name);
        snprintf(name + length, room - length, "_n%d", place);
    }
    if (json_object_get(taken, name) != NULL) {
        mtree_error("%s: two nodes would be named %s; rename one", import->file, name);
        return MTREE_ERR_INVALID;
    }
    if (json_object_set_new(taken, name, json_true()) != 0) {
        mtree_error("%s: out of memory", import->file);
        return MTREE_ERR_NO_MEMORY;
    }
    return MTREE_OK;
}

/* Does one of the comma-separated @a patterns match? */
static bool matches(const char *patterns, const char *name)
{
    char pattern[MAX_PATTERN];
    size_t length;

    while (patterns != NULL && *patterns != '\0') {
        length = strcspn(patterns, ",");
        if (length < sizeof(pattern)) {
            memcpy(pattern, patterns, length);
            pattern[length] = '\0';
            if (fnmatch(pattern, name, 0) == 0) {
                return true;
            }
        }
        patterns += length + (patterns[length] == ',');
    }
    return false;
}

static mtree_status_t add_vertices(const import_t *import,
                                   const import_request_t *request,
                                   mtree_topology_t *topology)
{
    mtree_status_t status = MTREE_OK;
    json_t *taken = json_object();
    char name[MTREE_TOPOLOGY_MAX_NAME];
    mtree_vertex_kind_t kind;
    mtree_vertex_t *vertex;

    for (int i = 0; i < import->num_nodes; ++i) {
        status = choose_name(import, taken, i, name, sizeof(name));
        if (status != MTREE_OK) {
            break;
        }
        kind = (import->nodes[i].is_switch || matches(request->switches, name))
                   ? MTREE_VERTEX_SWITCH
                   : MTREE_VERTEX_HOST;
        status = mtree_topology_add_vertex(topology, name, NULL, kind, NULL);
        if (status != MTREE_OK) {
            break;
        }
        vertex = &topology->vertices[i];
        vertex->has_position = import->nodes[i].has_position;
        vertex->x = import->nodes[i].lon;
        vertex->y = import->nodes[i].lat;
    }
    json_decref(taken);
    return status;
}

/* Seconds along the great circle, 0 when a position is not known. */
static double latency_between(const import_node_t *a, const import_node_t *b)
{
    const double degree = M_PI / 180;
    double half_lat, half_lon, chord;

    if (!a->has_position || !b->has_position) {
        return 0;
    }
    half_lat = sin((a->lat - b->lat) * degree / 2);
    half_lon = sin((a->lon - b->lon) * degree / 2);
    chord = half_lat * half_lat +
            cos(a->lat * degree) * cos(b->lat * degree) * half_lon * half_lon;
    return 2 * EARTH_KM * asin(fmin(1, sqrt(chord))) / KM_PER_SECOND;
}

static bundle_t bundle_of(const import_t *import, const import_link_t *link,
                          double default_capacity)
{
    double capacity = (link->capacity > 0) ? link->capacity : default_capacity;

    return (bundle_t){.u = link->u,
                      .v = link->v,
                      .capacity = {capacity, import->directed ? 0 : capacity},
                      .latency_sum = fmax(link->latency, 0),
                      .num_latencies = link->latency >= 0};
}

/* The same for both orders of a link's ends. */
static uint64_t hash_ends(const bundle_t *bundle)
{
    const int ends[] = {bundle->u < bundle->v ? bundle->u : bundle->v,
                        bundle->u < bundle->v ? bundle->v : bundle->u};

    return mtree_hash_bytes(MTREE_HASH_INIT, ends, sizeof(ends));
}

static bool joins_same(const mtree_hash_link_t *link, const void *key)
{
    const bundle_t *a = MTREE_CONTAINER_OF(link, bundle_t, hash_link), *b = key;

    return (a->u == b->u && a->v == b->v) || (a->u == b->v && a->v == b->u);
}

static void merge(bundle_t *bundle, const bundle_t *more)
{
    const bool turned = bundle->u != more->u;

    bundle->capacity[0] += more->capacity[turned];
    bundle->capacity[1] += more->capacity[!turned];
    bundle->latency_sum += more->latency_sum;
    bundle->num_latencies += more->num_latencies;
}

/* One bundle for each pair of nodes, in the order of the file; their number in
 * *count_p. */
static mtree_status_t make_bundles(const import_t *import, double default_capacity,
                                   bundle_t *bundles, int *count_p)
{
    mtree_status_t status = MTREE_OK;
    mtree_hash_table_t table;
    int count = 0;

    mtree_hash_table_init(&table);
    for (int i = 0; i < import->num_links && status == MTREE_OK; i++) {
        bundle_t bundle = bundle_of(import, &import->links[i], default_capacity);
        mtree_hash_link_t *found =
            mtree_hash_table_find(&table, hash_ends(&bundle), joins_same, &bundle);

        if (found != NULL) {
            merge(MTREE_CONTAINER_OF(found, bundle_t, hash_link), &bundle);
        } else if (bundle.u != bundle.v) {
            bundles[count] = bundle;
            status = mtree_hash_table_add(&table, &bundles[count++].hash_link,
                                          hash_ends(&bundle));
        }
    }
    mtree_hash_table_cleanup(&table);
    *count_p = count;
    return status;
}

static mtree_status_t check_capacities(const import_t *import,
                                       const mtree_topology_t *topology)
{
    for (int i = 0; i < import->num_links; ++i) {
        if (import->links[i].capacity <= 0) {
            mtree_error(
                "%s: the capacity of link %s-%s is not known; give one with --capacity, "
                "or draw all with --skew",
                import->file, topology->vertices[import->links[i].u].name,
                topology->vertices[import->links[i].v].name);
            return MTREE_ERR_INVALID;
        }
    }
    return MTREE_OK;
}

static mtree_status_t add_bundle(const import_t *import, const bundle_t *bundle,
                                 mtree_topology_t *topology)
{
    const double latency =
        (bundle->num_latencies > 0)
            ? bundle->latency_sum / bundle->num_latencies
            : latency_between(&import->nodes[bundle->u], &import->nodes[bundle->v]);

    return mtree_topology_add_link(topology, bundle->u, bundle->v, bundle->capacity[0],
                                   bundle->capacity[1], latency, NULL);
}

static mtree_status_t add_links(const import_t *import, const import_request_t *request,
                                mtree_topology_t *topology)
{
    mtree_status_t status = MTREE_OK;
    bundle_t *bundles = malloc(((size_t)import->num_links + 1) * sizeof(*bundles));
    int count = 0;

    if (request->capacity <= 0) {
        status = check_capacities(import, topology);
    }
    if (status == MTREE_OK &&
        (bundles == NULL ||
         make_bundles(import, request->capacity, bundles, &count) != MTREE_OK)) {
        mtree_error("%s: out of memory for %d links", import->file, import->num_links);
        status = MTREE_ERR_NO_MEMORY;
    }
    for (int i = 0; i < count && status == MTREE_OK; i++) {
        status = add_bundle(import, &bundles[i], topology);
    }
    free(bundles);
    return status;
}

mtree_status_t import_finish(const import_t *import, const import_request_t *request,
                             mtree_topology_t **topology_p)
{
    mtree_topology_t *topology;
    mtree_status_t status;
    char name[MTREE_TOPOLOGY_MAX_NAME];

    fit_host_name((import->name != NULL && *import->name != '\0') ? import->name
                                                                  : "network",
                  name, sizeof(name));
    status = mtree_topology_create(name, import->file, &topology);
    if (status != MTREE_OK) {
        return status;
    }
    if ((status = add_vertices(import, request, topology)) != MTREE_OK ||
        (status = add_links(import, request, topology)) != MTREE_OK ||
        (status = mtree_topology_check_connected(topology)) != MTREE_OK) {
        goto err_destroy;
    }
    if (mtree_topology_num_hosts(topology) == 0) {
        mtree_error("%s: no host: there are no nodes, or all are switches", import->file);
        status = MTREE_ERR_INVALID;
        goto err_destroy;
    }
    *topology_p = topology;
    return MTREE_OK;

err_destroy:
    mtree_topology_destroy(topology);
    return status;
}
