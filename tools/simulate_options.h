/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Options of `mtree simulate` and `mtree compare` that describe the network, and lines on
 * standard error while a long simulation runs.
 */
#ifndef MTREE_TOOLS_SIMULATE_OPTIONS_H
#define MTREE_TOOLS_SIMULATE_OPTIONS_H

#include "simulate/simulate.h"
#include "tools/options.h"
#include "tools/plan_options.h"

/* The size when neither options nor plan have one. */
#define SIMULATION_DEFAULT_BYTES ((size_t)16 << 20)

typedef struct {
    mtree_simulate_options_t options;
    double started, last_line; /* seconds of mtree_clock_seconds() */
    const char
        *what; /* is simulated now, for lines of progress; NULL: they leave it out */
} simulation_t;

/* Rows that fill a simulation_t; the second is for what runs Open MPI's algorithms. */
extern const option_t simulate_options[], simulate_segment_option[];

/*
 * Read the options of @a command, of which @a groups fill @a planning and @a simulation,
 * over the defaults of both; otherwise as options_parse().
 */
int simulation_parse(const command_t *command, const option_group_t *groups,
                     plan_options_t *planning, simulation_t *simulation, int argc,
                     char **argv);

/*
 * Have the simulator print on standard error how far it is once two seconds have passed,
 * and every two after that.  @a simulation must stay in place.
 */
void simulation_watch(simulation_t *simulation);

/* Is a line of progress due?  At most every two seconds, and not in the first two. */
bool simulation_line_is_due(simulation_t *simulation);

#endif
