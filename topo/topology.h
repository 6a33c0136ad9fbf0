/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A network: hosts and switches joined by full-duplex links.
 *
 * The planner and the simulator work on *arcs*: arc 2*l is link l from its `u` to its
 * `v`, arc 2*l+1 the reverse direction.  A capacity is in bits per second, a latency in
 * seconds, one way.
 */
#ifndef MTREE_TOPO_TOPOLOGY_H
#define MTREE_TOPO_TOPOLOGY_H

#include "base/address_value.h"
#include "base/arena.h"
#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>

#define MTREE_TOPOLOGY_MAX_VERTICES 16384
#define MTREE_TOPOLOGY_MAX_LINKS    262144
#define MTREE_TOPOLOGY_MAX_NAME     255   /* bytes of a name */
#define MTREE_TOPOLOGY_MAX_LATENCY  100.0 /* seconds, of one link */
#define MTREE_TOPOLOGY_MIN_CAPACITY 1.0   /* bits/s, of a direction that has any */
#define MTREE_TOPOLOGY_MAX_CABLES   4     /* of one link */

typedef enum {
    MTREE_VERTEX_HOST,  /* ranks may run here; computes */
    MTREE_VERTEX_SWITCH /* forwards only */
} mtree_vertex_kind_t;

typedef struct {
    char *name; /* node name in the file; unique */
    char *host; /* host name that mpirun uses; equals name unless the file has another */
    mtree_vertex_kind_t kind;
    bool has_position;
    double x, y; /* position on a map (longitude, latitude, or any plane) for drawing */
    char *relay; /* "host:port" where a relay of this host listens; NULL: it may not relay
                  */
} mtree_vertex_t;

/*
 * What happens to the packets of a link, the same both ways.  A lab (netlab(1)) plays it;
 * the simulator knows the first two.  Negative: not given.
 */
typedef struct {
    double mtu;    /* bytes */
    double loss;   /* the part of packets that is lost, 0 to 1 */
    double jitter; /* most seconds beyond the latency */
    double cross;  /* bits/s of other traffic */
    double burst;  /* bytes that may follow at once, beyond the capacity, after a pause */
} mtree_link_conditions_t;

/*
 * One of the cables, or pairs of interfaces, that a link consists of.  Of a switch no end
 * has an address.
 */
typedef struct {
    mtree_address_t ends[2]; /* at u and at v of the link */
    double capacity[2];      /* bits/s, as of the link */
} mtree_cable_t;

typedef struct {
    int u, v;           /* indices into vertices */
    double capacity[2]; /* bits/s; [0] from u to v, [1] from v to u; 0: no traffic */
    double latency;     /* seconds, one way */
    mtree_link_conditions_t conditions; /* none are given when the link is added */
    int num_cables;        /* 0: packets take the hosts' own addresses and routes */
    mtree_cable_t *cables; /* [num_cables]; their capacities are the link's in sum */
} mtree_link_t;

/* What the two hosts at its ends know of a link that names these. */
typedef enum {
    MTREE_LINK_CARRIES, /* or nothing was sent over it */
    MTREE_LINK_LOST,    /* messages go another way; it may come back */
    MTREE_LINK_GONE     /* it has not come back for long */
} mtree_link_state_t;

/* What a message costs the processor of its sender, and as much its receiver's. */
typedef struct {
    double message; /* seconds; 0: not measured */
    double byte;    /* seconds for each byte beyond that; 0: not measured */
} mtree_message_cost_t;

typedef struct {
    char *name;   /* graph name, never NULL */
    char *source; /* its origin ("file b4.dot", "generated"), never NULL */
    int num_vertices;
    mtree_vertex_t *vertices;
    int num_links;
    mtree_link_t *links;
    int vertex_capacity, link_capacity;
    mtree_message_cost_t cost; /* as it was measured between these hosts */
    mtree_arena_t arena;       /* of all of these */
} mtree_topology_t;

/* A new, empty topology, owned by the caller.  @a name and @a source are copied. */
mtree_topology_t *mtree_topology_create(const char *name, const char *source);

/* A copy of @a from, owned by the caller. */
mtree_topology_t *mtree_topology_copy(const mtree_topology_t *from);

/* Free @a topology and all in it; NULL is allowed. */
void mtree_topology_destroy(mtree_topology_t *topology);

/*
 * Is @a name valid for a vertex?  It has 1 to MTREE_TOPOLOGY_MAX_NAME bytes of UTF-8
 * without double quotes, backslashes and control characters: any file format can hold it.
 */
bool mtree_topology_name_valid(const char *name);

/*
 * Add a vertex; @a host may be NULL for "same as name".  Names are copied.  On success
 * *vertex_p (may be NULL) is its index.  MTREE_ERR_LIMIT beyond the maximum,
 * MTREE_ERR_INVALID for an invalid name.  Duplicate names are not checked here: readers
 * report them with their line.
 */
mtree_status_t mtree_topology_add_vertex(mtree_topology_t *topology, const char *name,
                                         const char *host, mtree_vertex_kind_t kind,
                                         int *vertex_p);

/*
 * Vertex @a vertex may relay, and listens at @a address, "host:port", which is copied.
 * MTREE_ERR_INVALID: it is no address, or the vertex is no host; *why_p (static) says so.
 */
mtree_status_t mtree_topology_set_relay(mtree_topology_t *topology, int vertex,
                                        const char *address, const char **why_p);

/*
 * Add a link.  @a forward and @a backward are bits/s, @a latency is seconds.  Neither
 * capacity may be negative or not finite, not both may be zero, and @a u must not be @a
 * v: MTREE_ERR_INVALID.
 */
mtree_status_t mtree_topology_add_link(mtree_topology_t *topology, int u, int v,
                                       double forward, double backward, double latency,
                                       int *link_p);

/* Add @a cable to link number @a link, whose capacity stays as it is.  MTREE_ERR_LIMIT:
 * there are MTREE_TOPOLOGY_MAX_CABLES; nothing is logged. */
mtree_status_t mtree_topology_add_cable(mtree_topology_t *topology, int link,
                                        const mtree_cable_t *cable);

/*
 * Index of the vertex named @a name, or -1.
 */
int mtree_topology_find_vertex(const mtree_topology_t *topology, const char *name);

/*
 * Index of the vertex of the host @a host, or -1: that whose `host` is the same
 * (base/host_name.h), else the only one whose name is the same up to the first dot, as
 * mpirun and the file may differ in the domain.  -1 when there are several.
 */
int mtree_topology_find_host(const mtree_topology_t *topology, const char *host);

/* The `host` of the host whose name, up to the first dot, is the nearest to that of @a
 * host (base/nearest.h); NULL: there is no host. */
const char *mtree_topology_nearest_host(const mtree_topology_t *topology,
                                        const char *host);

/* Number of vertices that are hosts. */
int mtree_topology_num_hosts(const mtree_topology_t *topology);

/*
 * Does every host reach every other over arcs of positive capacity?
 * MTREE_ERR_UNREACHABLE, not logged, with two that do not in *from_p and *to_p.
 */
mtree_status_t mtree_topology_find_unreachable(const mtree_topology_t *topology,
                                               int *from_p, int *to_p);

/* Capacity of arc @a arc in bits/s. */
static inline double mtree_arc_capacity(const mtree_topology_t *topology, int arc)
{
    return topology->links[arc >> 1].capacity[arc & 1];
}

/* Seconds of its capacity that arc @a arc lets through at once after a pause. */
static inline double mtree_arc_burst(const mtree_topology_t *topology, int arc)
{
    const double bytes = topology->links[arc >> 1].conditions.burst;
    const double capacity = mtree_arc_capacity(topology, arc);

    return bytes > 0.0 && capacity > 0.0 ? 8.0 * bytes / capacity : 0.0;
}

/* The vertex an arc leaves. */
static inline int mtree_arc_from(const mtree_topology_t *topology, int arc)
{
    const mtree_link_t *link = &topology->links[arc >> 1];

    return (arc & 1) ? link->v : link->u;
}

/* The vertex an arc enters. */
static inline int mtree_arc_to(const mtree_topology_t *topology, int arc)
{
    const mtree_link_t *link = &topology->links[arc >> 1];

    return (arc & 1) ? link->u : link->v;
}

/* What @a measured says, else what Open MPI's TCP showed in labs. */
mtree_message_cost_t mtree_message_cost(const mtree_message_cost_t *measured);

/*
 * Seconds that a message delays what follows it at both of its ends, besides its bytes.
 * They work at the same time in part.
 */
double mtree_message_cost_hop(const mtree_message_cost_t *measured);

#endif
