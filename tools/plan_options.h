/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The options of the commands that plan and simulate.
 */
#ifndef MTREE_TOOLS_PLAN_OPTIONS_H
#define MTREE_TOOLS_PLAN_OPTIONS_H

#include "planner/plan/request.h"
#include "simulate/simulate.h"
#include "tools/options.h"

#include <stdbool.h>

typedef struct {
    mtree_plan_request_t
        request;           /* its root and bytes are set when the hosts are known */
    size_t bytes;          /* 0: not given */
    bool names_collective; /* else it is the default */
    const char *root;      /* the host's name; NULL: the first host */
    const char *hosts;     /* names by commas; NULL: all of the topology */
    const char *relays;    /* likewise of other hosts; "all"; NULL: none */
} plan_options_t;

/* Rows that fill a plan_options_t: what to plan, and --size, which plan for it, and
 * --size, which simulate a message of it. */
extern const option_t plan_options[], plan_size_option[], message_size_option[];

/* The size to simulate when neither options nor plan have one. */
#define SIMULATED_BYTES ((size_t)16 << 20)

/* Rows that fill a mtree_simulate_options_t, which begins with the simulator's defaults;
 * the second is for what runs Open MPI's algorithms. */
extern const option_t simulate_options[], simulate_segment_option[];

/* The values when nothing is given. */
void plan_options_init(plan_options_t *options);

/* Print "Algorithms: packing latency ..." on standard output, the end of --help. */
void plan_options_print_algorithms(void);

#endif
