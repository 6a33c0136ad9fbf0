/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Options of `mtree generate` and `mtree import` that give links capacities and
 * latencies, and the file that both write.
 */
#ifndef MTREE_TOOLS_LINK_OPTIONS_H
#define MTREE_TOOLS_LINK_OPTIONS_H

#include "tools/options.h"
#include "topo/topology.h"

typedef struct {
    double capacity; /* bits/s; 0: not given */
    double skew;     /* negative: not given, capacities are not drawn */
    int seed;
    bool has_latency;
    double latency[2]; /* seconds; [0] < [1]: drawn from the capacities */
    const char *output;
    bool json;
} link_options_t;

/* Rows that fill a link_options_t; each command adds its own --capacity. */
extern const option_t link_options[];

/* The values when nothing is given. */
void link_options_init(link_options_t *options);

/* The mean to draw around when capacities are drawn, else the capacity given; 0: not
 * given. */
double link_options_capacity(const link_options_t *options);

/* Draw the capacities and latencies of @a topology as the options have it. */
void link_options_apply(const link_options_t *options, mtree_topology_t *topology);

/*
 * Write @a topology to the output: as JSON, or as DOT after comment lines: @a comments
 * (whole lines) and the command that made it, @a argv with folders
 * left out.
 */
void link_options_write(const link_options_t *options, const mtree_topology_t *topology,
                        const char *comments, int argc, char **argv);

#endif
