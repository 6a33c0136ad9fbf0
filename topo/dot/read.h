/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Topology files in Graphviz' format, DOT (docs/topology-file.md).
 */
#ifndef MTREE_TOPO_DOT_READ_H
#define MTREE_TOPO_DOT_READ_H

#include "topo/topology.h"

#include <stdio.h>

/*
 * Read the DOT file at @a path; the result is the caller's.  It has been checked: at
 * least one host, no duplicate link, positive capacities, connected hosts.  An error is
 * logged in one line, "FILE:LINE: what is wrong; what to do".  MTREE_ERR_LIMIT for files
 * over 64 MiB.
 */
mtree_status_t mtree_topology_read(const char *path, mtree_topology_t **topology_p);

/* The same from memory; @a name stands for the file in messages. */
mtree_status_t mtree_topology_parse(const char *text, size_t length, const char *name,
                                    mtree_topology_t **topology_p);

/* Write @a topology to @a out as DOT; reading it gives the same topology. */
mtree_status_t mtree_topology_write(const mtree_topology_t *topology, FILE *out);

#endif
