/* SPDX-License-Identifier: BSD-3-Clause */
#include "topo/dot/cables.h"

#include "base/address.h"
#include "base/log.h"
#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const attributes[2] = {"from_address", "to_address"};

/* Why packets cannot be sent to @a address, whatever the network; NULL: they can. */
static const char *fault_of(const mtree_address_t *address)
{
    static const mtree_address_t any_4 = {.family = AF_INET},
                                 any_6 = {.family = AF_INET6};

    if (address->family == AF_UNSPEC) {
        return "it is no IPv4 or IPv6 address";
    }
    if (mtree_address_equals(address, &any_4) || mtree_address_equals(address, &any_6)) {
        return "it stands for any address";
    }
    return mtree_address_is_link_local(address)
               ? "it holds on one link only and says not on which"
               : NULL;
}

/* Read the address of end number @a end of @a edge, if it is there. */
static mtree_status_t read_end(const char *name, const mtree_dot_edge_t *edge, int end,
                               const mtree_vertex_t *vertex, mtree_address_t *address_p)
{
    const char *text = mtree_dot_attributes_get(edge->attributes, attributes[end]);
    const char *fault = NULL;

    *address_p = (mtree_address_t){.family = AF_UNSPEC};
    if (text != NULL) {
        *address_p = mtree_address_parse(text);
        fault = vertex->kind == MTREE_VERTEX_SWITCH ? "a switch has no address here"
                                                    : fault_of(address_p);
    }
    if (fault != NULL) {
        mtree_error("%s:%d: link %s-%s: %s '%s': %s; write it like %s=\"10.1.0.1\", of "
                    "a host",
                    name, edge->line, edge->tail->name, edge->head->name, attributes[end],
                    text, fault, attributes[end]);
        return MTREE_ERR_INVALID;
    }
    return MTREE_OK;
}

/* Why the two @a ends of a link between @a u and @a v do not fit; NULL: they do. */
static const char *fault_of_ends(const mtree_address_t ends[2], const mtree_vertex_t *u,
                                 const mtree_vertex_t *v)
{
    if (ends[0].family == ends[1].family) {
        return mtree_address_equals(&ends[0], &ends[1]) ? "both ends have one address"
                                                        : NULL;
    }
    if (ends[0].family == AF_UNSPEC || ends[1].family == AF_UNSPEC) {
        return u->kind == MTREE_VERTEX_HOST && v->kind == MTREE_VERTEX_HOST
                   ? "one end of two has an address"
                   : NULL;
    }
    return "one end is IPv4 and the other IPv6";
}

mtree_status_t mtree_dot_cables_read(const char *name, const mtree_dot_edge_t *edge,
                                     mtree_topology_t *topology, int link)
{
    const mtree_link_t *at = &topology->links[link];
    mtree_cable_t cable = {.capacity = {at->capacity[0], at->capacity[1]}};
    const int vertices[2] = {at->u, at->v};
    const char *fault;

    for (int end = 0; end < 2; ++end) {
        mtree_status_t status = read_end(
            name, edge, end, &topology->vertices[vertices[end]], &cable.ends[end]);

        if (status != MTREE_OK) {
            return status;
        }
    }
    if (cable.ends[0].family == AF_UNSPEC && cable.ends[1].family == AF_UNSPEC) {
        return MTREE_OK;
    }
    fault =
        fault_of_ends(cable.ends, &topology->vertices[at->u], &topology->vertices[at->v]);
    if (fault != NULL) {
        mtree_error("%s:%d: link %s-%s: %s; give from_address and to_address of one kind",
                    name, edge->line, edge->tail->name, edge->head->name, fault);
        return MTREE_ERR_INVALID;
    }
    return mtree_topology_add_cable(topology, link, &cable);
}

static bool same_end(const mtree_address_t *a, const mtree_address_t *b)
{
    return a->family == b->family &&
           (a->family == AF_UNSPEC || mtree_address_equals(a, b));
}

/* The cable of @a link with the ends of @a cable; NULL: there is none. */
static mtree_cable_t *find_cable(const mtree_link_t *link, const mtree_cable_t *cable)
{
    for (int i = 0; i < link->num_cables; ++i) {
        mtree_cable_t *at = &link->cables[i];

        if (same_end(&at->ends[0], &cable->ends[0]) &&
            same_end(&at->ends[1], &cable->ends[1])) {
            return at;
        }
    }
    return NULL;
}

/* The first cable of @a link, seen from vertex @a u. */
static mtree_cable_t cable_from(const mtree_link_t *link, int u)
{
    const mtree_cable_t *cable = &link->cables[0];
    const int near = link->u == u ? 0 : 1;

    return (mtree_cable_t){.ends = {cable->ends[near], cable->ends[!near]},
                           .capacity = {cable->capacity[near], cable->capacity[!near]}};
}

/* Does @a cable carry nothing in a direction in which @a other carries something? */
static bool is_other_direction(const mtree_cable_t *cable, const mtree_cable_t *other)
{
    return (cable->capacity[0] == 0 || other->capacity[0] == 0) &&
           (cable->capacity[1] == 0 || other->capacity[1] == 0);
}

static mtree_status_t refuse(const char *name, const mtree_dot_edge_t *again,
                             const char *fault)
{
    mtree_error("%s:%d: link %s-%s: %s", name, again->line, again->tail->name,
                again->head->name, fault);
    return MTREE_ERR_INVALID;
}

mtree_status_t mtree_dot_cables_join(const char *name, const mtree_dot_edge_t *again,
                                     mtree_topology_t *topology, int first, int second)
{
    mtree_link_t *a = &topology->links[first], *b = &topology->links[second];
    mtree_status_t status = MTREE_OK;
    mtree_cable_t cable, *same;

    if (a->num_cables == 0 || b->num_cables == 0) {
        return refuse(name, again,
                      "another link joins these nodes, and one of the two names no ends; "
                      "name those of both, or keep one of them");
    }
    cable = cable_from(b, a->u);
    same = find_cable(a, &cable);
    if (same != NULL && !is_other_direction(same, &cable)) {
        return refuse(name, again,
                      "another link has these ends; keep one of them, or correct an "
                      "address");
    }
    if (same != NULL) {
        same->capacity[0] += cable.capacity[0];
        same->capacity[1] += cable.capacity[1];
    } else {
        status = mtree_topology_add_cable(topology, first, &cable);
    }
    if (status == MTREE_ERR_LIMIT) {
        return refuse(name, again, "more than 4 links join these nodes; keep 4 of them");
    }
    a->capacity[0] += cable.capacity[0];
    a->capacity[1] += cable.capacity[1];
    a->latency = fmax(a->latency, b->latency);
    b->capacity[0] = b->capacity[1] = 0;
    return status;
}

/* An end of an edge that has an address. */
typedef struct {
    mtree_address_t address;
    int vertex, line;
} end_t;

static int compare_ends(const void *a, const void *b)
{
    const end_t *one = a, *other = b;
    int order = memcmp(&one->address, &other->address, sizeof(one->address));

    return order != 0 ? order : one->line - other->line;
}

/* List the ends that have addresses; how many. */
static int list_ends(const mtree_dot_graph_t *graph, const mtree_topology_t *topology,
                     end_t *ends)
{
    int count = 0;

    for (int l = 0; l < topology->num_links; ++l) {
        const mtree_link_t *link = &topology->links[l];
        const int vertices[2] = {link->u, link->v};

        for (int end = 0; end < 2 && link->num_cables > 0; ++end) {
            if (link->cables[0].ends[end].family != AF_UNSPEC) {
                ends[count++] = (end_t){link->cables[0].ends[end], vertices[end],
                                        graph->edges[l]->line};
            }
        }
    }
    return count;
}

mtree_status_t mtree_dot_cables_check(const char *name, const mtree_dot_graph_t *graph,
                                      const mtree_topology_t *topology)
{
    end_t *ends = mtree_calloc(2 * (size_t)topology->num_links, sizeof(*ends));
    mtree_status_t status = MTREE_OK;
    char text[MTREE_ADDRESS_LENGTH];
    int count;

    count = list_ends(graph, topology, ends);
    qsort(ends, (size_t)count, sizeof(*ends), compare_ends);
    for (int i = 1; i < count && status == MTREE_OK; ++i) {
        if (mtree_address_equals(&ends[i - 1].address, &ends[i].address) &&
            ends[i - 1].vertex != ends[i].vertex) {
            mtree_error("%s:%d: %s is an address of node %s here and of node %s on line "
                        "%d; correct one of them",
                        name, ends[i].line, mtree_address_format(&ends[i].address, text),
                        topology->vertices[ends[i].vertex].name,
                        topology->vertices[ends[i - 1].vertex].name, ends[i - 1].line);
            status = MTREE_ERR_INVALID;
        }
    }
    free(ends);
    return status;
}

void mtree_dot_cable_write(const mtree_cable_t *cable, bool turned, FILE *out)
{
    char text[MTREE_ADDRESS_LENGTH];

    for (int end = 0; end < 2; ++end) {
        const mtree_address_t *address = &cable->ends[end ^ turned];

        if (address->family != AF_UNSPEC) {
            fprintf(out, " %s=\"%s\"", attributes[end],
                    mtree_address_format(address, text));
        }
    }
}
