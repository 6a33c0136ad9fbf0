/* SPDX-License-Identifier: BSD-3-Clause */
#include "topo/topology.h"

#include "base/host_name.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/nearest.h"
#include "base/printable.h"
#include "base/units.h"
#include "topo/adjacency.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of TCP. */
#define MAX_PORT 65535

/* Of a message, where nobody measured. */
#define MESSAGE_SECONDS 20e-6

/* Of the two ends of a message, those whose work does not overlap: with MESSAGE_SECONDS
 * what chunks showed to cost on their way. */
#define ENDS 1.5

/* Add a copy of @a vertex and its strings. */
static void add_vertex(mtree_topology_t *topology, mtree_vertex_t vertex)
{
    mtree_arena_t *arena = &topology->arena;
    mtree_vertex_t *added = MTREE_ARENA_APPEND(
        arena, topology->vertices, topology->num_vertices, topology->vertex_capacity);

    vertex.name = mtree_arena_strdup(arena, vertex.name);
    vertex.host = mtree_arena_strdup(arena, vertex.host);
    vertex.relay = vertex.relay == NULL ? NULL : mtree_arena_strdup(arena, vertex.relay);
    *added = vertex;
}

/* The same of a link, without its cables. */
static mtree_link_t *add_link(mtree_topology_t *topology, mtree_link_t link)
{
    mtree_link_t *added = MTREE_ARENA_APPEND(
        &topology->arena, topology->links, topology->num_links, topology->link_capacity);

    link.num_cables = 0;
    link.cables = NULL;
    *added = link;
    return added;
}

/* Add a copy of @a cable to @a link, which has room for it. */
static void add_cable(mtree_topology_t *topology, mtree_link_t *link,
                      const mtree_cable_t *cable)
{
    if (link->cables == NULL) {
        MTREE_ARENA_ARRAY(&topology->arena, link->cables, MTREE_TOPOLOGY_MAX_CABLES);
    }
    link->cables[link->num_cables++] = *cable;
}

mtree_topology_t *mtree_topology_create(const char *name, const char *source)
{
    mtree_topology_t *topology = mtree_calloc(1, sizeof(*topology));

    topology->name = mtree_arena_strdup(&topology->arena, name);
    topology->source = mtree_arena_strdup(&topology->arena, source);
    (void)mtree_make_printable(topology->source);
    mtree_make_utf8(topology->source);
    return topology;
}

void mtree_topology_destroy(mtree_topology_t *topology)
{
    if (topology != NULL) {
        mtree_arena_cleanup(&topology->arena);
        free(topology);
    }
}

mtree_topology_t *mtree_topology_copy(const mtree_topology_t *from)
{
    mtree_topology_t *to = mtree_topology_create(from->name, from->source);

    to->cost = from->cost;
    for (int v = 0; v < from->num_vertices; v++) {
        add_vertex(to, from->vertices[v]);
    }
    for (int l = 0; l < from->num_links; l++) {
        const mtree_link_t *link = &from->links[l];
        mtree_link_t *added = add_link(to, *link);

        for (int c = 0; c < link->num_cables; c++) {
            add_cable(to, added, &link->cables[c]);
        }
    }
    return to;
}

static mtree_status_t check_room(int count, int max, const char *what)
{
    if (count >= max) {
        mtree_error("the topology has more than %d %s; mtree takes no larger one", max,
                    what);
        return MTREE_ERR_LIMIT;
    }
    return MTREE_OK;
}

bool mtree_topology_name_valid(const char *name)
{
    size_t total = strlen(name);
    int length;

    if (total == 0 || total > MTREE_TOPOLOGY_MAX_NAME) {
        return false;
    }
    for (const char *at = name; *at != '\0'; at += length) {
        length = mtree_utf8_length(at);
        if (length == 0 || (unsigned char)*at < ' ' || *at == 0x7f || *at == '"' ||
            *at == '\\') {
            return false;
        }
    }
    return true;
}

mtree_status_t mtree_topology_add_vertex(mtree_topology_t *topology, const char *name,
                                         const char *host, mtree_vertex_kind_t kind,
                                         int *vertex_p)
{
    mtree_status_t status;

    if (host == NULL) {
        host = name;
    }
    if (!mtree_topology_name_valid(name) || !mtree_topology_name_valid(host)) {
        mtree_error("the name of a vertex must be 1 to %d bytes of UTF-8 without quotes, "
                    "backslashes and control characters; rename it",
                    MTREE_TOPOLOGY_MAX_NAME);
        return MTREE_ERR_INVALID;
    }
    status = check_room(topology->num_vertices, MTREE_TOPOLOGY_MAX_VERTICES, "vertices");
    if (status != MTREE_OK) {
        return status;
    }
    add_vertex(topology, (mtree_vertex_t){
                             .name = (char *)name, .host = (char *)host, .kind = kind});
    if (vertex_p != NULL) {
        *vertex_p = topology->num_vertices - 1;
    }
    return MTREE_OK;
}

/* Is @a address a name or a number, a colon and a port? */
static bool address_valid(const char *address)
{
    const char *colon = strrchr(address, ':');
    char *end;
    long port;

    if (!mtree_topology_name_valid(address) || colon == NULL || colon == address ||
        colon[1] < '0' || colon[1] > '9') {
        return false;
    }
    port = strtol(colon + 1, &end, 10);
    return *end == '\0' && port > 0 && port <= MAX_PORT;
}

mtree_status_t mtree_topology_set_relay(mtree_topology_t *topology, int vertex,
                                        const char *address, const char **why_p)
{
    mtree_vertex_t *at = &topology->vertices[vertex];

    if (at->kind != MTREE_VERTEX_HOST) {
        *why_p = "a switch cannot relay; leave relay out, or make it a host";
        return MTREE_ERR_INVALID;
    }
    if (!address_valid(address)) {
        *why_p = "it is no address; write relay=\"host:port\" with a port of 1 to 65535";
        return MTREE_ERR_INVALID;
    }
    at->relay = mtree_arena_strdup(&topology->arena, address);
    return MTREE_OK;
}

static bool capacity_valid(double capacity)
{
    return capacity == 0 ||
           (capacity >= MTREE_TOPOLOGY_MIN_CAPACITY && capacity <= MTREE_UNITS_MOST_RATE);
}

mtree_status_t mtree_topology_add_link(mtree_topology_t *topology, int u, int v,
                                       double forward, double backward, double latency,
                                       int *link_p)
{
    mtree_status_t status;

    if (u == v || !capacity_valid(forward) || !capacity_valid(backward) ||
        (forward == 0 && backward == 0)) {
        mtree_error("link %s-%s: a link joins two vertices and has a capacity of %g to "
                    "%g b/s; correct it",
                    topology->vertices[u].name, topology->vertices[v].name,
                    MTREE_TOPOLOGY_MIN_CAPACITY, MTREE_UNITS_MOST_RATE);
        return MTREE_ERR_INVALID;
    }
    if (!(latency >= 0 && latency <= MTREE_TOPOLOGY_MAX_LATENCY)) {
        mtree_error("link %s-%s: a latency is 0 to %g s; correct it",
                    topology->vertices[u].name, topology->vertices[v].name,
                    MTREE_TOPOLOGY_MAX_LATENCY);
        return MTREE_ERR_INVALID;
    }
    status = check_room(topology->num_links, MTREE_TOPOLOGY_MAX_LINKS, "links");
    if (status != MTREE_OK) {
        return status;
    }
    add_link(topology,
             (mtree_link_t){
                 .u = u,
                 .v = v,
                 .capacity = {forward, backward},
                 .latency = latency,
                 .conditions = {
                     .mtu = -1, .loss = -1, .jitter = -1, .cross = -1, .burst = -1}});
    if (link_p != NULL) {
        *link_p = topology->num_links - 1;
    }
    return MTREE_OK;
}

mtree_status_t mtree_topology_add_cable(mtree_topology_t *topology, int link,
                                        const mtree_cable_t *cable)
{
    mtree_link_t *at = &topology->links[link];

    if (at->num_cables == MTREE_TOPOLOGY_MAX_CABLES) {
        return MTREE_ERR_LIMIT;
    }
    add_cable(topology, at, cable);
    return MTREE_OK;
}

int mtree_topology_find_vertex(const mtree_topology_t *topology, const char *name)
{
    for (int i = 0; i < topology->num_vertices; ++i) {
        if (strcmp(topology->vertices[i].name, name) == 0) {
            return i;
        }
    }
    return -1;
}

int mtree_topology_find_host(const mtree_topology_t *topology, const char *host)
{
    int found = -1;
    int matches = 0;

    for (int i = 0; i < topology->num_vertices; ++i) {
        const mtree_vertex_t *vertex = &topology->vertices[i];

        if (vertex->kind != MTREE_VERTEX_HOST) {
            continue;
        }
        if (mtree_host_name_compare(vertex->host, host) == 0) {
            return i;
        }
        if (mtree_host_name_same_label(vertex->host, host)) {
            found = i;
            ++matches;
        }
    }
    return (matches == 1) ? found : -1;
}

/* The part of @a host up to the first dot. */
static void copy_label(const char *host, char label[MTREE_TOPOLOGY_MAX_NAME + 1])
{
    (void)snprintf(label, MTREE_TOPOLOGY_MAX_NAME + 1, "%.*s",
                   (int)mtree_host_name_label(host), host);
}

const char *mtree_topology_nearest_host(const mtree_topology_t *topology,
                                        const char *host)
{
    char wanted[MTREE_TOPOLOGY_MAX_NAME + 1], label[MTREE_TOPOLOGY_MAX_NAME + 1];
    mtree_nearest_t nearest;
    const char *found = NULL;

    copy_label(host, wanted);
    nearest = mtree_nearest_begin(wanted);
    for (int i = 0; i < topology->num_vertices; ++i) {
        const int edits = nearest.edits;

        if (topology->vertices[i].kind == MTREE_VERTEX_HOST) {
            copy_label(topology->vertices[i].host, label);
            mtree_nearest_offer(&nearest, label);
            found = nearest.edits < edits ? topology->vertices[i].host : found;
        }
    }
    return found;
}

int mtree_topology_num_hosts(const mtree_topology_t *topology)
{
    int count = 0;

    for (int i = 0; i < topology->num_vertices; ++i) {
        count += (topology->vertices[i].kind == MTREE_VERTEX_HOST);
    }
    return count;
}

typedef struct {
    const mtree_topology_t *topology;
    mtree_adjacency_t adjacency;
    int *queue; /* [num_vertices] */
    bool *seen; /* [num_vertices] */
} walk_t;

/* The first host that is not reached from host @a start (against the arcs when
 * @a backward), or -1. */
static int walk_from(walk_t *walk, int start, bool backward)
{
    const mtree_topology_t *topology = walk->topology;
    const int *first = walk->adjacency.first;
    int length = 0;

    memset(walk->seen, 0, (size_t)topology->num_vertices * sizeof(*walk->seen));
    walk->queue[length++] = start;
    walk->seen[start] = true;
    for (int head = 0; head < length; ++head) {
        for (int i = first[walk->queue[head]]; i < first[walk->queue[head] + 1]; ++i) {
            int arc = walk->adjacency.arcs[i];
            int next = mtree_arc_to(topology, arc);

            if (!walk->seen[next] && mtree_arc_capacity(topology, arc ^ backward) > 0) {
                walk->seen[next] = true;
                walk->queue[length++] = next;
            }
        }
    }
    for (int i = 0; i < topology->num_vertices; ++i) {
        if (!walk->seen[i] && topology->vertices[i].kind == MTREE_VERTEX_HOST) {
            return i;
        }
    }
    return -1;
}

static int first_host(const mtree_topology_t *topology)
{
    int i = 0;

    while (i < topology->num_vertices &&
           topology->vertices[i].kind != MTREE_VERTEX_HOST) {
        ++i;
    }
    return i;
}

mtree_status_t mtree_topology_find_unreachable(const mtree_topology_t *topology,
                                               int *from_p, int *to_p)
{
    const int start = first_host(topology);
    walk_t walk = {.topology = topology};
    mtree_arena_t arena = {0};
    int to, from;

    if (start == topology->num_vertices) {
        return MTREE_OK;
    }
    mtree_adjacency_init(&walk.adjacency, topology, &arena);
    MTREE_ARENA_ARRAY(&arena, walk.queue, (size_t)topology->num_vertices);
    MTREE_ARENA_ARRAY(&arena, walk.seen, (size_t)topology->num_vertices);
    to = walk_from(&walk, start, false);
    from = to < 0 ? walk_from(&walk, start, true) : start;
    mtree_arena_cleanup(&arena);
    if (from < 0) {
        return MTREE_OK;
    }
    *from_p = from;
    *to_p = to < 0 ? start : to;
    return MTREE_ERR_UNREACHABLE;
}

mtree_message_cost_t mtree_message_cost(const mtree_message_cost_t *measured)
{
    return (mtree_message_cost_t){.message = measured->message > 0.0 ? measured->message
                                                                     : MESSAGE_SECONDS,
                                  .byte = measured->byte};
}

double mtree_message_cost_hop(const mtree_message_cost_t *measured)
{
    return ENDS * mtree_message_cost(measured).message;
}
