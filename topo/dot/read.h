/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Topology files in Graphviz' format, DOT (docs/topology-file.md).
 */
#ifndef MTREE_TOPO_DOT_READ_H
#define MTREE_TOPO_DOT_READ_H

#include "topo/topology.h"

#include <stdio.h>

/*
 * Read the DOT file at @a path.  The result is checked: at least one host, no duplicate
 * link, every capacity positive, hosts connected; owned by the caller.  Each error is
 * logged once as "FILE:LINE: what is wrong; what to do".  Files over 64 MiB are refused
 * (MTREE_ERR_LIMIT).
 */
mtree_status_t mtree_topology_read(const char *path, mtree_topology_t **topology_p);

/* The same from memory; @a name stands for the file in messages. */
mtree_status_t mtree_topology_parse(const char *text, size_t length, const char *name,
                                    mtree_topology_t **topology_p);

/* Write @a topology as DOT to @a out, such that reading it back gives the same. */
mtree_status_t mtree_topology_write(const mtree_topology_t *topology, FILE *out);

#endif
