/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The checks on a topology that need the lines of its DOT file.  Internal to the reader;
 * programs use topo/dot/read.h.
 */
#ifndef MTREE_TOPO_DOT_CHECK_H
#define MTREE_TOPO_DOT_CHECK_H

#include "topo/dot/graph.h"
#include "topo/topology.h"

typedef struct {
    const char *name; /* of the file, for messages */
    const mtree_dot_graph_t *graph;
    mtree_topology_t *topology; /* its vertices and links are numbered as the graph's */
} mtree_reader_t;

/* Check that there is a host and that no two nodes stand for the same one.  Logs the
 * fault; MTREE_ERR_INVALID. */
mtree_status_t mtree_reader_check_hosts(const mtree_reader_t *reader);

/*
 * Make one link from the two directions of a directed graph.  Any other two links between
 * the same vertices are a fault, which is logged; MTREE_ERR_INVALID.
 */
mtree_status_t mtree_reader_join_links(const mtree_reader_t *reader);

/* Check that every host reaches every other.  Logs the two that do not;
 * MTREE_ERR_UNREACHABLE. */
mtree_status_t mtree_reader_check_connected(const mtree_reader_t *reader);

#endif
