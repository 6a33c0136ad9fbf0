/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From an imported network to a topology: names, kinds, and one link for every pair that
 * is joined.
 */
#include "tools/import/network.h"

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
    int low, high;
    int order;          /* place of the first of them in the file */
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

/* Labels are for people and may repeat; identifiers that are more than numbers are better
 * names than labels that no host can have. */
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
    int i;

    for (i = 0; i < import->num_nodes; ++i) {
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

static int compare_joined(const void *a, const void *b)
{
    const bundle_t *x = a;
    const bundle_t *y = b;

    if (x->low != y->low) {
        return (x->low < y->low) ? -1 : 1;
    }
    if (x->high != y->high) {
        return (x->high < y->high) ? -1 : 1;
    }
    return (x->order > y->order) - (x->order < y->order);
}

static int compare_order(const void *a, const void *b)
{
    const bundle_t *x = a;
    const bundle_t *y = b;

    return (x->order > y->order) - (x->order < y->order);
}

static bundle_t bundle_of(const import_t *import, int i, double default_capacity)
{
    const import_link_t *link = &import->links[i];
    double capacity = (link->capacity > 0) ? link->capacity : default_capacity;
    bundle_t bundle = {.low = (link->u < link->v) ? link->u : link->v,
                       .high = (link->u < link->v) ? link->v : link->u,
                       .order = i,
                       .u = link->u,
                       .v = link->v};

    bundle.capacity[0] = capacity;
    bundle.capacity[1] = import->directed ? 0 : capacity;
    if (link->latency >= 0) {
        bundle.latency_sum = link->latency;
        bundle.num_latencies = 1;
    }
    return bundle;
}

/* One bundle for each pair of nodes, in the order of the file; their number. */
static int make_bundles(const import_t *import, double default_capacity,
                        bundle_t *bundles)
{
    int count = 0;
    int kept = 0;
    bool turned;
    int i;

    for (i = 0; i < import->num_links; ++i) {
        if (import->links[i].u != import->links[i].v) {
            bundles[count++] = bundle_of(import, i, default_capacity);
        }
    }
    qsort(bundles, (size_t)count, sizeof(*bundles), compare_joined);
    for (i = 0; i < count; ++i) {
        bundle_t *last = &bundles[kept - 1];

        if (kept == 0 || last->low != bundles[i].low || last->high != bundles[i].high) {
            bundles[kept++] = bundles[i];
            continue;
        }
        turned = (last->u != bundles[i].u);
        last->capacity[0] += bundles[i].capacity[turned];
        last->capacity[1] += bundles[i].capacity[!turned];
        last->latency_sum += bundles[i].latency_sum;
        last->num_latencies += bundles[i].num_latencies;
    }
    qsort(bundles, (size_t)kept, sizeof(*bundles), compare_order);
    return kept;
}

static mtree_status_t check_capacities(const import_t *import,
                                       const mtree_topology_t *topology)
{
    int i;

    for (i = 0; i < import->num_links; ++i) {
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

static mtree_status_t add_links(const import_t *import, const import_request_t *request,
                                mtree_topology_t *topology)
{
    mtree_status_t status = MTREE_OK;
    bundle_t *bundles = malloc(((size_t)import->num_links + 1) * sizeof(*bundles));
    double latency;
    int count, i;

    if (bundles == NULL) {
        mtree_error("%s: out of memory for %d links", import->file, import->num_links);
        return MTREE_ERR_NO_MEMORY;
    }
    if (request->capacity <= 0) {
        status = check_capacities(import, topology);
    }
    count = (status == MTREE_OK) ? make_bundles(import, request->capacity, bundles) : 0;
    for (i = 0; i < count && status == MTREE_OK; ++i) {
        const bundle_t *bundle = &bundles[i];

        latency =
            (bundle->num_latencies > 0)
                ? bundle->latency_sum / bundle->num_latencies
                : latency_between(&import->nodes[bundle->u], &import->nodes[bundle->v]);
        status =
            mtree_topology_add_link(topology, bundle->u, bundle->v, bundle->capacity[0],
                                    bundle->capacity[1], latency, NULL);
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
