/* SPDX-License-Identifier: BSD-3-Clause */
#include "topo/dot/read.h"

#include "base/file.h"
#include "base/log.h"
#include "base/units.h"
#include "topo/dot/check.h"
#include "topo/dot/lexer.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Which vertex a node is. */
typedef struct {
    Agrec_t header;
    int vertex;
} node_record_t;

static const char node_record[] = "mtree";

/* Attributes for people and for Graphviz; any other may be a slip of the pen. */
static const char *const drawing_attributes[] = {
    "URL",         "arrowhead", "arrowsize",  "arrowtail",   "class",     "color",
    "colorscheme", "comment",   "constraint", "dir",         "fillcolor", "fontcolor",
    "fontname",    "fontsize",  "group",      "head_lp",     "headlabel", "height",
    "href",        "id",        "image",      "label",       "labelloc",  "len",
    "lp",          "margin",    "ordering",   "peripheries", "penwidth",  "rank",
    "shape",       "style",     "taillabel",  "target",      "tooltip",   "weight",
    "width",       "xlabel",    "xlp",        NULL,
};

static const char *const node_attributes[] = {"kind", "host", "pos", "lon", "lat", NULL};
static const char *const edge_attributes[] = {"capacity", "capacity_back", "latency",
                                              "pos", NULL};

static int vertex_of(Agnode_t *node)
{
    return ((node_record_t *)aggetrec(node, (char *)node_record, 0))->vertex;
}

/* The value of an attribute, or NULL when it is not given. */
static const char *attribute(void *object, const char *name)
{
    const char *value = agget(object, (char *)name);

    return (value == NULL || *value == '\0') ? NULL : value;
}

static int node_line(const mtree_reader_t *reader, Agnode_t *node)
{
    return mtree_dot_scan_node_line(reader->text, reader->length, agnameof(node));
}

/* Which of the edges between its two nodes @a edge is, in the order of the file. */
static int edge_occurrence(const mtree_reader_t *reader, Agedge_t *edge)
{
    Agnode_t *tail = agtail(edge);
    Agnode_t *head = aghead(edge);
    int count = 0;
    Agedge_t *other;

    for (other = agfstedge(reader->graph, tail); other != NULL;
         other = agnxtedge(reader->graph, other, tail)) {
        count += (other->node == head && AGSEQ(other) < AGSEQ(edge));
    }
    return count;
}

int mtree_reader_edge_line(const mtree_reader_t *reader, Agedge_t *edge)
{
    return mtree_dot_scan_edge_line(reader->text, reader->length, agnameof(agtail(edge)),
                                    agnameof(aghead(edge)),
                                    edge_occurrence(reader, edge));
}

static bool is_listed(const char *name, const char *const *list)
{
    for (; *list != NULL; ++list) {
        if (strcmp(name, *list) == 0) {
            return true;
        }
    }
    return false;
}

/* One warning for each name that nobody reads. */
static void warn_unknown_attributes(const mtree_reader_t *reader, int kind,
                                    const char *what, const char *const *known)
{
    Agsym_t *symbol = NULL;

    while ((symbol = agnxtattr(reader->graph, kind, symbol)) != NULL) {
        if (kind == AGEDGE && (strcmp(symbol->name, "headport") == 0 ||
                               strcmp(symbol->name, "tailport") == 0)) {
            mtree_warn(
                "%s: ports of nodes (\"a:p -- b\") have no meaning here and are not used",
                reader->name);
        } else if (!is_listed(symbol->name, known) &&
                   !is_listed(symbol->name, drawing_attributes)) {
            mtree_warn("%s: the %s attribute '%s' is not known and not used",
                       reader->name, what, symbol->name);
        }
    }
}

/* Longitude and latitude, or Graphviz's pos; what cannot be read is no position. */
static void read_position(Agnode_t *node, mtree_vertex_t *vertex)
{
    const char *lon = attribute(node, "lon");
    const char *lat = attribute(node, "lat");
    const char *pos = attribute(node, "pos");
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

static mtree_status_t read_kind(const mtree_reader_t *reader, Agnode_t *node,
                                mtree_vertex_kind_t *kind_p)
{
    const char *kind = attribute(node, "kind");

    if (kind == NULL || strcmp(kind, "host") == 0) {
        *kind_p = MTREE_VERTEX_HOST;
    } else if (strcmp(kind, "switch") == 0) {
        *kind_p = MTREE_VERTEX_SWITCH;
    } else {
        mtree_error(
            "%s:%d: node %s: kind '%s' is neither host nor switch; use one of them",
            reader->name, node_line(reader, node), agnameof(node), kind);
        return MTREE_ERR_INVALID;
    }
    return MTREE_OK;
}

static mtree_status_t read_node(mtree_reader_t *reader, Agnode_t *node)
{
    const char *host = attribute(node, "host");
    mtree_vertex_kind_t kind;
    node_record_t *record;
    mtree_status_t status;
    int vertex;

    if (!mtree_topology_name_valid(agnameof(node)) ||
        (host != NULL && !mtree_topology_name_valid(host))) {
        mtree_error(
            "%s:%d: the name of a node must be 1 to %d bytes of UTF-8 without quotes, "
            "backslashes and control characters; rename it",
            reader->name, node_line(reader, node), MTREE_TOPOLOGY_MAX_NAME);
        return MTREE_ERR_INVALID;
    }
    status = read_kind(reader, node, &kind);
    if (status != MTREE_OK) {
        return status;
    }
    status =
        mtree_topology_add_vertex(reader->topology, agnameof(node), host, kind, &vertex);
    if (status != MTREE_OK) {
        return status;
    }
    read_position(node, &reader->topology->vertices[vertex]);
    record = agbindrec(node, (char *)node_record, sizeof(*record), 0);
    if (record == NULL) {
        mtree_error("%s: out of memory for node %s", reader->name, agnameof(node));
        return MTREE_ERR_NO_MEMORY;
    }
    record->vertex = vertex;
    return MTREE_OK;
}

static mtree_status_t read_nodes(mtree_reader_t *reader)
{
    mtree_status_t status = MTREE_OK;
    Agnode_t *node;

    for (node = agfstnode(reader->graph); node != NULL && status == MTREE_OK;
         node = agnxtnode(reader->graph, node)) {
        status = read_node(reader, node);
    }
    return status;
}

/* Read the rate in attribute @a name of @a edge; zero is allowed where @a zero says so.
 */
static mtree_status_t read_capacity(const mtree_reader_t *reader, Agedge_t *edge,
                                    const char *name, bool zero, double *capacity_p)
{
    const char *text = attribute(edge, name);
    const char *why = "is missing";
    mtree_status_t status;
    double capacity;

    if (text != NULL) {
        status = mtree_units_parse_rate(text, &capacity, &why);
        if (status == MTREE_OK && (capacity > 0 || zero)) {
            *capacity_p = capacity;
            return MTREE_OK;
        }
        if (status == MTREE_OK) {
            why = "must be positive";
        }
    }
    mtree_error("%s:%d: link %s-%s: %s%s%s%s: %s; write it like %s=\"200Mbps\"",
                reader->name, mtree_reader_edge_line(reader, edge),
                agnameof(agtail(edge)), agnameof(aghead(edge)), name,
                (text != NULL) ? " '" : "", (text != NULL) ? text : "",
                (text != NULL) ? "'" : "", why, name);
    return MTREE_ERR_INVALID;
}

static mtree_status_t read_latency(const mtree_reader_t *reader, Agedge_t *edge,
                                   double *latency_p)
{
    const char *text = attribute(edge, "latency");
    double latency = 0;
    const char *why;

    if (text != NULL) {
        if (mtree_units_parse_time(text, &latency, &why) != MTREE_OK) {
            goto err;
        }
        if (latency > MTREE_TOPOLOGY_MAX_LATENCY) {
            why = "over 100 s";
            goto err;
        }
    }
    *latency_p = latency;
    return MTREE_OK;

err:
    mtree_error("%s:%d: link %s-%s: latency '%s': %s; write it like latency=\"38ms\"",
                reader->name, mtree_reader_edge_line(reader, edge),
                agnameof(agtail(edge)), agnameof(aghead(edge)), text, why);
    return MTREE_ERR_INVALID;
}

static mtree_status_t read_edge(mtree_reader_t *reader, Agedge_t *edge)
{
    bool directed = agisdirected(reader->graph);
    double forward, backward, latency;
    mtree_status_t status;

    if (agtail(edge) == aghead(edge)) {
        mtree_error("%s:%d: node %s is linked to itself; remove the link", reader->name,
                    mtree_reader_edge_line(reader, edge), agnameof(agtail(edge)));
        return MTREE_ERR_INVALID;
    }
    status = read_capacity(reader, edge, "capacity", false, &forward);
    if (status != MTREE_OK) {
        return status;
    }
    backward = directed ? 0 : forward;
    if (attribute(edge, "capacity_back") != NULL) {
        if (directed) {
            mtree_error(
                "%s:%d: link %s-%s: capacity_back is for undirected graphs; write the "
                "other direction as an edge of its own",
                reader->name, mtree_reader_edge_line(reader, edge),
                agnameof(agtail(edge)), agnameof(aghead(edge)));
            return MTREE_ERR_INVALID;
        }
        status = read_capacity(reader, edge, "capacity_back", true, &backward);
        if (status != MTREE_OK) {
            return status;
        }
    }
    status = read_latency(reader, edge, &latency);
    if (status != MTREE_OK) {
        return status;
    }
    return mtree_topology_add_link(reader->topology, vertex_of(agtail(edge)),
                                   vertex_of(aghead(edge)), forward, backward, latency,
                                   NULL);
}

static int compare_edges(const void *a, const void *b)
{
    const Agedge_t *x = *(Agedge_t *const *)a;
    const Agedge_t *y = *(Agedge_t *const *)b;

    return (AGSEQ(x) > AGSEQ(y)) - (AGSEQ(x) < AGSEQ(y));
}

/* Add the links in the order of the file. */
static mtree_status_t read_edges(mtree_reader_t *reader)
{
    mtree_status_t status = MTREE_OK;
    int num_edges = agnedges(reader->graph);
    int count = 0;
    Agnode_t *node;
    Agedge_t *edge;
    int i;

    reader->edges = malloc(((size_t)num_edges + 1) * sizeof(*reader->edges));
    if (reader->edges == NULL) {
        mtree_error("%s: out of memory for %d links", reader->name, num_edges);
        return MTREE_ERR_NO_MEMORY;
    }
    for (node = agfstnode(reader->graph); node != NULL;
         node = agnxtnode(reader->graph, node)) {
        for (edge = agfstout(reader->graph, node); edge != NULL;
             edge = agnxtout(reader->graph, edge)) {
            reader->edges[count++] = edge;
        }
    }
    qsort(reader->edges, (size_t)count, sizeof(*reader->edges), compare_edges);
    for (i = 0; i < count && status == MTREE_OK; ++i) {
        status = read_edge(reader, reader->edges[i]);
    }
    return status;
}

static mtree_status_t read_graph(mtree_reader_t *reader)
{
    mtree_status_t status;

    warn_unknown_attributes(reader, AGNODE, "node", node_attributes);
    warn_unknown_attributes(reader, AGEDGE, "edge", edge_attributes);
    if ((status = read_nodes(reader)) != MTREE_OK ||
        (status = mtree_reader_check_hosts(reader)) != MTREE_OK ||
        (status = read_edges(reader)) != MTREE_OK ||
        (status = mtree_reader_join_links(reader)) != MTREE_OK) {
        return status;
    }
    return mtree_reader_check_connected(reader);
}

mtree_status_t mtree_topology_parse(const char *text, size_t length, const char *name,
                                    mtree_topology_t **topology_p)
{
    mtree_reader_t reader = {.text = text, .length = length, .name = name};
    mtree_status_t status;
    const char *graph_name;

    status = mtree_dot_scan_check(text, length, name);
    if (status != MTREE_OK) {
        return status;
    }
    status = mtree_dot_graph_parse(text, length, name, &reader.graph);
    if (status != MTREE_OK) {
        return status;
    }
    /* cgraph names a graph without a name "%" and a number. */
    graph_name = agnameof(reader.graph);
    if (!mtree_topology_name_valid(graph_name) || graph_name[0] == '%') {
        graph_name = "network";
    }
    status = mtree_topology_create(graph_name, name, &reader.topology);
    if (status != MTREE_OK) {
        goto out_close;
    }
    status = read_graph(&reader);
    if (status == MTREE_OK) {
        *topology_p = reader.topology;
    } else {
        mtree_topology_destroy(reader.topology);
    }
    free(reader.edges);

out_close:
    agclose(reader.graph);
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
