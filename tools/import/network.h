/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A network as a file in another format has it, before it becomes a topology: nodes by
 * their identifiers, unknown figures left open, parallel and one-way links as they are.
 */
#ifndef MTREE_TOOLS_IMPORT_NETWORK_H
#define MTREE_TOOLS_IMPORT_NETWORK_H

#include "base/arena.h"
#include "topo/topology.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct {
    const char *id;
    const char *label; /* NULL: none */
    bool is_switch, has_position;
    double lon, lat;
} import_node_t;

typedef struct {
    int u, v;
    double capacity; /* bits/s from u to v (both ways when undirected); 0: not known */
    double latency;  /* seconds; negative: not known */
} import_link_t;

typedef struct {
    const char *file;   /* its name, for messages */
    const char *name;   /* of the network; NULL: none is given */
    const char *wanted; /* name of the topology to read, where a file has several; NULL:
                           its default */
    char *comments;     /* lines to keep: source, licence; NULL: none */
    bool directed;      /* links are one-way */
    json_t *places;     /* identifier -> place in nodes */
    int num_nodes, node_room;
    import_node_t *nodes;
    int num_links, link_room;
    import_link_t *links;
    mtree_arena_t arena; /* of names and of what records hold */
} import_t;

/* What a file says of a node or a link, gathered key by key. */
typedef struct {
    mtree_status_t status; /* the first failure */
    const char *id, *label, *source, *target;
    bool has_lon, has_lat;
    double lon, lat;
    double capacity, latency; /* as in import_link_t */
} import_record_t;

typedef struct {
    double capacity;      /* of links that have none, bits/s; 0: that is an error */
    const char *switches; /* patterns of switches' names, as fnmatch takes them, by
                             commas; or NULL */
} import_request_t;

/* An empty network, read from @a file. */
mtree_status_t import_init(import_t *import, const char *file);

/* Free what @a import holds. */
void import_cleanup(import_t *import);

/* The node @a id, added when it is not there; its place in *node_p. */
mtree_status_t import_node(import_t *import, const char *id, int line, int *node_p);

/* Append a line to the comments. */
mtree_status_t import_comment(import_t *import, const char *line, size_t length);

/* An empty record. */
void import_record_init(import_record_t *record);

/* The name of the network, unless it has one. */
mtree_status_t import_set_name(import_t *import, const char *name);

/*
 * Take a key and its value.  Known, whatever their case: id, label or name, source,
 * target, Longitude or lon, Latitude or lat, LinkSpeedRaw (bits/s), capacity or bandwidth
 * (with a unit, or Mb/s), latency or delay (with a unit, or ms).  Others are passed over.
 * A value that cannot be read is logged with @a line; the record then takes no more, and
 * the functions below return that failure.
 */
mtree_status_t import_record_take(import_record_t *record, import_t *import,
                                  const char *key, const char *value, int line);

/* Add what @a record has of a node or of a link. */
mtree_status_t import_add_node(import_t *import, const import_record_t *record, int line);
mtree_status_t import_add_link(import_t *import, const import_record_t *record, int line);

/* Add a link between two nodes. */
mtree_status_t import_join(import_t *import, const import_link_t *link, int line);

/*
 * The topology: names made fit for hosts, parallel links added up, links to oneself
 * dropped, latencies that are not known taken from the positions (200 km per millisecond
 * along the great circle) or zero. Not connected or without links is an error, logged.
 */
mtree_status_t import_finish(const import_t *import, const import_request_t *request,
                             mtree_topology_t **topology_p);

/* Take labels and positions from a table of nodes (node, label, lat, lon). */
mtree_status_t import_tsv_nodes(import_t *import, const char *file, const char *text,
                                size_t length);

#endif
