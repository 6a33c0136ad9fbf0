/* SPDX-License-Identifier: BSD-3-Clause */
#include "topo/probe/shared.h"

#define NONE (-1)

typedef struct {
    const mtree_probe_graph_t *old;
    mtree_probe_graph_t *graph;
    int *group;    /* [num_hosts] the least of the hosts of the same switch, or NONE */
    int *size;     /* [num_hosts] hosts of the group whose least host it is */
    int *port;     /* [num_hosts] the switch of a group */
    int *vertices; /* of the current path */
    mtree_arena_t arena; /* of the arrays */
} splitter_t;

/* Is @a host linked to a host of @a group, and is no path of several links known from it
 * to one of them? */
static bool belongs(const splitter_t *splitter, int host, int group)
{
    const mtree_probe_graph_t *old = splitter->old;
    bool linked = false;

    MTREE_PROBE_ARCS_FROM (arc, old, host) {
        const int other = mtree_probe_arc_to(old, arc);

        linked |= other < old->num_hosts && splitter->group[other] == group;
    }
    for (int i = old->first_path[host]; linked && i < old->first_path[host + 1]; ++i) {
        if (old->paths[i].num_arcs > 1 && splitter->group[old->paths[i].to] == group) {
            return false;
        }
    }
    return linked;
}

/* Add to @a group every host that belongs to it; true if there was one. */
static bool grow_group(splitter_t *splitter, const bool *shared, int group)
{
    bool grown = false;

    for (int host = 0; host < splitter->old->num_hosts; ++host) {
        if (shared[host] && splitter->group[host] == NONE &&
            belongs(splitter, host, group)) {
            splitter->group[host] = group;
            ++splitter->size[group];
            grown = true;
        }
    }
    return grown;
}

/* Hosts of one Ethernet are linked, directly or, where not all routes were traced,
 * through others. */
static void form_groups(splitter_t *splitter, const bool *shared)
{
    int num_hosts = splitter->old->num_hosts;

    for (int host = 0; host < num_hosts; ++host) {
        splitter->group[host] = NONE;
    }
    for (int host = 0; host < num_hosts; ++host) {
        if (shared[host] && splitter->group[host] == NONE) {
            splitter->group[host] = host;
            splitter->size[host] = 1;
            while (grow_group(splitter, shared, host)) {}
        }
    }
    /* Two hosts are no network: each keeps an interface of its own. */
    for (int host = 0; host < num_hosts; ++host) {
        if (splitter->group[host] != NONE && splitter->size[splitter->group[host]] == 2) {
            splitter->group[host] = host;
        }
    }
}

static void add_switches(splitter_t *splitter)
{
    const mtree_probe_graph_t *old = splitter->old;

    for (int i = old->num_hosts; i < old->num_vertices; ++i) {
        (void)mtree_probe_graph_add_switch(splitter->graph, old->vertices[i].name);
    }
    for (int i = 0; i < old->num_hosts; ++i) {
        if (splitter->group[i] == i) {
            splitter->port[i] = mtree_probe_graph_add_switch(splitter->graph, NULL);
        }
    }
}

static int port_of(const splitter_t *splitter, int vertex)
{
    if (vertex >= splitter->old->num_hosts || splitter->group[vertex] == NONE) {
        return NONE;
    }
    return splitter->port[splitter->group[vertex]];
}

/* List the vertices of @a path with the switches between them; returns their number. */
static int lay_out(splitter_t *splitter, const mtree_probe_path_t *path)
{
    int *vertices = splitter->vertices;
    int last = path->from;
    int length = 0;
    int vertex, out, in;

    vertices[length++] = path->from;
    for (int i = 0; i < path->num_arcs; ++i) {
        vertex = mtree_probe_arc_to(splitter->old, path->arcs[i]);
        out = port_of(splitter, last);
        in = port_of(splitter, vertex);
        if (out != NONE && out != vertices[length - 1]) {
            /* Data that a host forwards enters and leaves by the same port, so the port
             * alone is on the path. */
            if (length >= 2 && vertices[length - 2] == out) {
                --length;
            } else {
                vertices[length++] = out;
            }
        }
        if (in != NONE && in != out) {
            vertices[length++] = in;
        }
        vertices[length++] = vertex;
        last = vertex;
    }
    return length;
}

void mtree_probe_split_shared(const mtree_probe_graph_t *graph, const bool *shared,
                              mtree_probe_graph_t *split)
{
    const size_t num_hosts = (size_t)graph->num_hosts;
    splitter_t splitter = {.old = graph, .graph = split};

    mtree_probe_graph_init(split, graph->num_hosts);
    MTREE_ARENA_ARRAY(&splitter.arena, splitter.group, num_hosts);
    MTREE_ARENA_ARRAY(&splitter.arena, splitter.size, num_hosts);
    MTREE_ARENA_ARRAY(&splitter.arena, splitter.port, num_hosts);
    MTREE_ARENA_ARRAY(&splitter.arena, splitter.vertices,
                      3 * ((size_t)graph->num_vertices + 1));
    form_groups(&splitter, shared);
    add_switches(&splitter);
    for (int i = 0; i < graph->num_paths; ++i) {
        const int length = lay_out(&splitter, &graph->paths[i]);

        mtree_probe_graph_add_path(split, splitter.vertices, length);
    }
    mtree_arena_cleanup(&splitter.arena);
    mtree_probe_graph_index(split);
}
