/* SPDX-License-Identifier: BSD-3-Clause */
#include "topo/dot/check.h"

#include "base/log.h"

#include <stdlib.h>
#include <string.h>

/*
 * Two edges join the same vertices.  Those of a directed graph become one link, the
 * first; the second is left without capacity.  Any others are duplicates.
 */
static mtree_status_t join_directions(const mtree_reader_t *reader, int first, int second)
{
    mtree_link_t *a = &reader->topology->links[first];
    mtree_link_t *b = &reader->topology->links[second];
    const mtree_dot_edge_t *again = reader->graph->edges[second];

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
    return MTREE_OK;
}

mtree_status_t mtree_reader_join_links(const mtree_reader_t *reader)
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
    return strcmp((*(const mtree_vertex_t *const *)a)->host,
                  (*(const mtree_vertex_t *const *)b)->host);
}

mtree_status_t mtree_reader_check_hosts(const mtree_reader_t *reader)
{
    const mtree_topology_t *topology = reader->topology;
    mtree_status_t status = MTREE_OK;
    const mtree_vertex_t **hosts =
        malloc(((size_t)topology->num_vertices + 1) * sizeof(*hosts));
    int count = 0;

    if (hosts == NULL) {
        return mtree_no_memory("the %d nodes of %s", topology->num_vertices,
                               reader->name);
    }
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
        if (strcmp(hosts[i - 1]->host, hosts[i]->host) == 0) {
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

mtree_status_t mtree_reader_check_connected(const mtree_reader_t *reader)
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
