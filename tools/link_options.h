/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Options of `mtree generate` and `mtree import` that give links capacities and
 * latencies, and the file that both write.
 */
#ifndef MTREE_TOOLS_LINK_OPTIONS_H
#define MTREE_TOOLS_LINK_OPTIONS_H

#include "topo/topology.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct {
    double capacity; /* bits/s; 0: not given */
    double skew;     /* negative: not given, capacities are not drawn */
    uint64_t seed;
    bool has_latency;
    double latency[2]; /* seconds; [0] < [1]: drawn from the capacities */
    const char *output;
    bool json;
} drawing_t;

/* Letters and long names for getopt_long, and their lines of --help. */
#define DRAWING_LETTERS "c:l:s:k:o:j"
#define DRAWING_OPTIONS                                                                  \
    {"capacity", required_argument, NULL, 'c'},                                          \
        {"latency", required_argument, NULL, 'l'},                                       \
        {"skew", required_argument, NULL, 'k'}, {"seed", required_argument, NULL, 's'},  \
        {"output", required_argument, NULL, 'o'},                                        \
    {                                                                                    \
        "json", no_argument, NULL, 'j'                                                   \
    }
#define DRAWING_HELP                                                                     \
    "  -l, --latency L|A:B   of each link, like 5ms; A:B: from A (widest) to B, "        \
    "falling\n"                                                                          \
    "                        with the inverse of the capacity\n"                         \
    "  -k, --skew SK         draw capacities at random, as whole twentieths of the "     \
    "mean\n"                                                                             \
    "                        between mean*(1-SK/2) and mean*(1+SK/2)\n"                  \
    "  -s, --seed N          of what is drawn at random (default 1)\n"                   \
    "  -o, --output FILE     write there instead of standard output\n"                   \
    "  -j, --json            write JSON, as mtree topology --json does\n"

/* Nothing given. */
void drawing_init(drawing_t *drawing);

/*
 * Take the option @a letter with @a value.  MTREE_ERR_NOT_FOUND when it is none of these
 * options, MTREE_ERR_INVALID (logged) when its value is not of its form.
 */
mtree_status_t drawing_option(drawing_t *drawing, int letter, const char *value);

/* The mean to draw around when capacities are drawn, else the capacity given; 0: not
 * given. */
double drawing_capacity(const drawing_t *drawing);

/* Draw what was asked for onto @a topology. */
void drawing_apply(const drawing_t *drawing, mtree_topology_t *topology);

/*
 * Write @a topology to the output: as JSON, or as DOT after comment lines: @a comments
 * (lines without a mark, may be NULL) and the command that made it, @a argv with folders
 * left out.
 */
mtree_status_t drawing_write(const drawing_t *drawing, const mtree_topology_t *topology,
                             const char *comments, int argc, char **argv);

#endif
