/* SPDX-License-Identifier: BSD-3-Clause */
#include "topo/dot/read.h"

#include "base/file.h"
#include "base/host_name.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/units.h"
#include "topo/dot/cables.h"
#include "topo/dot/parse.h"
#include "topo/dot/values.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const char *name; /* of the file, for messages */
    const mtree_dot_graph_t *graph;
    mtree_topology_t *topology; /* its vertices and links are numbered as the graph's */
} reader_t;

/* The position is lon and lat, or Graphviz' pos; a value that is no number is ignored. */
static void read_position(const mtree_dot_node_t *node, mtree_vertex_t *vertex)
{
    const char *lon = mtree_dot_attributes_get(node->attributes, "lon");
    const char *lat = mtree_dot_attributes_get(node->attributes, "lat");
    const char *pos = mtree_dot_attributes_get(node->attributes, "pos");
    const char *end;

    if (lon != NULL && lat != NULL) {
        vertex->has_position =
            mtree_units_parse_number(lon, &vertex->x, &end) == MTREE_OK && *end == '\0' &&
            mtree_units_parse_number(lat, &vertex->y, &end) == MTREE_OK && *end == '\0';
    } else if (pos != NULL) {
        vertex->has_position =
            mtree_units_parse_number(pos, &vertex->x, &end) == MTREE_OK && *end == ',' &&
            mtree_units_parse_number(end + 1, &vertex->y, &end) == MTREE_OK;
    }
}

static mtree_status_t read_kind(const reader_t *reader, const mtree_dot_node_t *node,
                                mtree_vertex_kind_t *kind_p)
{
    const char *kind = mtree_dot_attributes_get(node->attributes, "kind");

    if (kind == NULL || strcmp(kind, "host") == 0) {
        *kind_p = MTREE_VERTEX_HOST;
    } else if (strcmp(kind, "switch") == 0) {
        *kind_p = MTREE_VERTEX_SWITCH;
    } else {
        mtree_error(
            "%s:%d: node %s: kind '%s' is neither host nor switch; use one of them",
            reader->name, node->line, node->name, kind);
        return MTREE_ERR_INVALID;
    }
    return MTREE_OK;
}

/* Where a relay of the host listens, if there is one. */
static mtree_status_t read_relay(const reader_t *reader, const mtree_dot_node_t *node,
                                 int vertex)
{
    const char *relay = mtree_dot_attributes_get(node->attributes, "relay");
    const char *why = NULL;
    mtree_status_t status =
        relay == NULL ? MTREE_OK
                      : mtree_topology_set_relay(reader->topology, vertex, relay, &why);

    if (status != MTREE_OK) {
        mtree_error("%s:%d: node %s: relay '%s': %s", reader->name, node->line,
                    node->name, relay, why);
    }
    return status;
}

static mtree_status_t read_node(reader_t *reader, const mtree_dot_node_t *node)
{
    const char *host = mtree_dot_attributes_get(node->attributes, "host");
    mtree_vertex_kind_t kind;
    mtree_status_t status;
    int vertex;

    if (!mtree_topology_name_valid(node->name) ||
        (host != NULL && !mtree_topology_name_valid(host))) {
        mtree_error(
            "%s:%d: the name of a node must be 1 to %d bytes of UTF-8 without quotes, "
            "backslashes and control characters; rename it",
            reader->name, node->line, MTREE_TOPOLOGY_MAX_NAME);
        return MTREE_ERR_INVALID;
    }
    status = read_kind(reader, node, &kind);
    if (status != MTREE_OK) {
        return status;
    }
    status = mtree_topology_add_vertex(reader->topology, node->name, host, kind, &vertex);
    if (status != MTREE_OK) {
        return status;
    }
    read_position(node, &reader->topology->vertices[vertex]);
    return read_relay(reader, node, vertex);
}

/* Add the vertices, numbered as the nodes. */
static mtree_status_t read_nodes(reader_t *reader)
{
    mtree_status_t status = MTREE_OK;

    for (int i = 0; i < reader->graph->num_nodes && status == MTREE_OK; ++i) {
        status = read_node(reader, reader->graph->nodes[i]);
    }
    return status;
}

static mtree_status_t read_edge(reader_t *reader, const mtree_dot_edge_t *edge)
{
    const mtree_dot_graph_t *graph = reader->graph;
    double forward = 0, backward, latency = 0;
    mtree_status_t status;
    int link;

    if (edge->tail == edge->head) {
        mtree_error("%s:%d: node %s is linked to itself; remove the link", reader->name,
                    edge->line, edge->tail->name);
        return MTREE_ERR_INVALID;
    }
    if (mtree_dot_attributes_get(edge->attributes, "capacity") == NULL) {
        mtree_error("%s:%d: link %s-%s has no capacity; write it like "
                    "capacity=\"200Mbps\"",
                    reader->name, edge->line, edge->tail->name, edge->head->name);
        return MTREE_ERR_INVALID;
    }
    if (graph->directed &&
        mtree_dot_attributes_get(edge->attributes, "capacity_back") != NULL) {
        mtree_error("%s:%d: link %s-%s: capacity_back is for undirected graphs; write "
                    "the other direction as an edge of its own",
                    reader->name, edge->line, edge->tail->name, edge->head->name);
        return MTREE_ERR_INVALID;
    }
    status = mtree_dot_value_read(reader->name, graph, edge, "capacity", &forward);
    backward = graph->directed ? 0 : forward;
    if (status != MTREE_OK ||
        (status = mtree_dot_value_read(reader->name, graph, edge, "capacity_back",
                                       &backward)) != MTREE_OK ||
        (status = mtree_dot_value_read(reader->name, graph, edge, "latency", &latency)) !=
            MTREE_OK ||
        (status = mtree_topology_add_link(reader->topology, edge->tail->index,
                                          edge->head->index, forward, backward, latency,
                                          &link)) != MTREE_OK) {
        return status;
    }
    status = mtree_dot_cables_read(reader->name, edge, reader->topology, link);
    if (status != MTREE_OK) {
        return status;
    }
    return mtree_dot_conditions_read(reader->name, edge,
                                     &reader->topology->links[link].conditions);
}

/* Add the links, numbered as the edges. */
static mtree_status_t read_edges(reader_t *reader)
{
    mtree_status_t status = MTREE_OK;

    for (int i = 0; i < reader->graph->num_edges && status == MTREE_OK; ++i) {
        status = read_edge(reader, reader->graph->edges[i]);
    }
    return status;
}

/*
 * Two edges join the same vertices.  Those of a directed graph, and those that name their
 * ends, become one link, the first; the second is left without capacity.  Any others are
 * duplicates.
 */
static mtree_status_t join_directions(const reader_t *reader, int first, int second)
{
    mtree_link_t *a = &reader->topology->links[first];
    mtree_link_t *b = &reader->topology->links[second];
    const mtree_dot_edge_t *again = reader->graph->edges[second];

    if (a->num_cables > 0 || b->num_cables > 0) {
        mtree_status_t status =
            mtree_dot_cables_join(reader->name, again, reader->topology, first, second);

        return status == MTREE_OK
                   ? mtree_dot_conditions_read(reader->name, again, &a->conditions)
                   : status;
    }
    if (!reader->graph->directed || a->u == b->u || a->capacity[1] > 0) {
        mtree_error("%s:%d: link %s-%s is there already, on line %d; keep one of them",
                    reader->name, again->line, again->tail->name, again->head->name,
                    reader->graph->edges[first]->line);
        return MTREE_ERR_INVALID;
    }
    if (a->latency != b->latency) {
        mtree_error(
            "%s:%d: link %s-%s has another latency than its other direction on line %d; "
            "give both the same",
            reader->name, again->line, again->tail->name, again->head->name,
            reader->graph->edges[first]->line);
        return MTREE_ERR_INVALID;
    }
    a->capacity[1] = b->capacity[0];
    b->capacity[0] = 0;
    /* The conditions hold both ways: what either edge gives, the second where both do. */
    return mtree_dot_conditions_read(reader->name, again, &a->conditions);
}

/* Make one link of all edges between the same two vertices. */
static mtree_status_t join_links(const reader_t *reader)
{
    mtree_topology_t *topology = reader->topology;
    mtree_status_t status = MTREE_OK;
    int first, kept = 0;

    for (int i = 0; i < topology->num_links && status == MTREE_OK; ++i) {
        first = reader->graph->edges[i]->first;
        if (first != i) {
            status = join_directions(reader, first, i);
        }
    }
    for (int i = 0; i < topology->num_links && status == MTREE_OK; ++i) {
        if (topology->links[i].capacity[0] > 0 || topology->links[i].capacity[1] > 0) {
            topology->links[kept++] = topology->links[i];
        }
    }
    topology->num_links = status == MTREE_OK ? kept : topology->num_links;
    return status;
}

static int compare_hosts(const void *a, const void *b)
{
    return mtree_host_name_compare((*(const mtree_vertex_t *const *)a)->host,
                                   (*(const mtree_vertex_t *const *)b)->host);
}

/* Check that there is a host and that no two nodes stand for the same one. */
static mtree_status_t check_hosts(const reader_t *reader)
{
    const mtree_topology_t *topology = reader->topology;
    mtree_status_t status = MTREE_OK;
    const mtree_vertex_t **hosts =
        mtree_malloc(((size_t)topology->num_vertices + 1) * sizeof(*hosts));
    int count = 0;

    for (int i = 0; i < topology->num_vertices; ++i) {
        if (topology->vertices[i].kind == MTREE_VERTEX_HOST) {
            hosts[count++] = &topology->vertices[i];
        }
    }
    if (count == 0) {
        mtree_error("%s:1: no host: every node is a switch, or there is none; add hosts",
                    reader->name);
        status = MTREE_ERR_INVALID;
    }
    qsort(hosts, (size_t)count, sizeof(*hosts), compare_hosts);
    for (int i = 1; i < count && status == MTREE_OK; ++i) {
        if (compare_hosts(&hosts[i - 1], &hosts[i]) == 0) {
            mtree_error(
                "%s:%d: nodes %s and %s both stand for host %s; give each a host of its "
                "own",
                reader->name, reader->graph->nodes[hosts[i] - topology->vertices]->line,
                hosts[i - 1]->name, hosts[i]->name, hosts[i]->host);
            status = MTREE_ERR_INVALID;
        }
    }
    free(hosts);
    return status;
}

/* Check that every host reaches every other, and log the line of one that does not. */
static mtree_status_t check_connected(const reader_t *reader)
{
    const mtree_topology_t *topology = reader->topology;
    mtree_status_t status;
    const char *from_name, *to_name;
    int from, to;

    status = mtree_topology_find_unreachable(topology, &from, &to);
    if (status == MTREE_ERR_UNREACHABLE) {
        from_name = topology->vertices[from].name;
        to_name = topology->vertices[to].name;
        mtree_error("%s:%d: host %s has no path to host %s; join them with links",
                    reader->name, reader->graph->nodes[to]->line, from_name, to_name);
    }
    return status;
}

/* What messages cost processors, where the file says it. */
static mtree_status_t read_costs(const reader_t *reader)
{
    mtree_message_cost_t *cost = &reader->topology->cost;
    double copy_rate = INFINITY;
    mtree_status_t status = mtree_dot_value_read(reader->name, reader->graph, NULL,
                                                 "message_cost", &cost->message);

    if (status == MTREE_OK) {
        status = mtree_dot_value_read(reader->name, reader->graph, NULL, "copy_rate",
                                      &copy_rate);
    }
    cost->byte = 8.0 / copy_rate;
    return status;
}

static mtree_status_t read_graph(reader_t *reader)
{
    mtree_status_t status;

    mtree_dot_attributes_warn(reader->name, reader->graph);
    if ((status = read_costs(reader)) != MTREE_OK ||
        (status = read_nodes(reader)) != MTREE_OK ||
        (status = check_hosts(reader)) != MTREE_OK ||
        (status = read_edges(reader)) != MTREE_OK ||
        (status = mtree_dot_cables_check(reader->name, reader->graph,
                                         reader->topology)) != MTREE_OK ||
        (status = join_links(reader)) != MTREE_OK) {
        return status;
    }
    return check_connected(reader);
}

mtree_status_t mtree_topology_parse(const char *text, size_t length, const char *name,
                                    mtree_topology_t **topology_p)
{
    reader_t reader = {.name = name};
    mtree_dot_graph_t *graph;
    mtree_status_t status;
    bool is_named;

    status = mtree_dot_parse(text, length, name, &graph);
    if (status != MTREE_OK) {
        return status;
    }
    is_named = graph->name != NULL && mtree_topology_name_valid(graph->name);
    reader.topology = mtree_topology_create(is_named ? graph->name : "network", name);
    reader.graph = graph;
    status = read_graph(&reader);
    if (status == MTREE_OK) {
        *topology_p = reader.topology;
    } else {
        mtree_topology_destroy(reader.topology);
    }
    mtree_dot_graph_destroy(graph);
    return status;
}

mtree_status_t mtree_topology_read(const char *path, mtree_topology_t **topology_p)
{
    mtree_status_t status;
    size_t length;
    char *text;

    status = mtree_file_read(path, &text, &length);
    if (status != MTREE_OK) {
        return status;
    }
    status = mtree_topology_parse(text, length, path, topology_p);
    free(text);
    return status;
}
