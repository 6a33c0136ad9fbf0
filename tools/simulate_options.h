/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Options of `mtree simulate` and `mtree compare` that say how the network behaves, and a
 * word now and then on standard error while a long simulation runs.
 */
#ifndef MTREE_TOOLS_SIMULATE_OPTIONS_H
#define MTREE_TOOLS_SIMULATE_OPTIONS_H

#include "simulate/pt2pt.h"
#include "simulate/simulate.h"

#include <getopt.h>

/* What is simulated when neither options nor plan say a size. */
#define SIMULATING_DEFAULT_BYTES ((size_t)16 << 20)

/* Time on the wall since the start, for what takes longer than people wait without a
 * word. */
typedef struct {
    double start, last; /* seconds */
} simulating_sample_t;

typedef struct {
    mtree_simulate_options_t options;
    simulating_sample_t sample;
    const char *what; /* is simulated now, for words of progress; NULL: not said */
} simulating_t;

/* Long names for getopt_long, and their lines of --help. */
enum {
    SIMULATING_RANKS = 2048,
    SIMULATING_MODEL,
    SIMULATING_CHUNK,
    SIMULATING_SEGMENT,
    SIMULATING_EAGER,
    SIMULATING_OVERHEAD,
    SIMULATING_WINDOW,
    SIMULATING_CHECK
};
#define SIMULATING_OPTIONS                                                               \
    {"ranks-per-host", required_argument, NULL, SIMULATING_RANKS},                       \
        {"model", required_argument, NULL, SIMULATING_MODEL},                            \
        {"chunk", required_argument, NULL, SIMULATING_CHUNK},                            \
        {"eager", required_argument, NULL, SIMULATING_EAGER},                            \
        {"overhead", required_argument, NULL, SIMULATING_OVERHEAD},                      \
        {"window", required_argument, NULL, SIMULATING_WINDOW},                          \
    {                                                                                    \
        "check", no_argument, NULL, SIMULATING_CHECK                                     \
    }
#define SIMULATING_SEGMENT_OPTION                                                        \
    {                                                                                    \
        "segment", required_argument, NULL, SIMULATING_SEGMENT                           \
    }
#define SIMULATING_HELP                                                                  \
    "  -b, --size BYTES      of the message (default 16M, or what the plan is for)\n"    \
    "      --ranks-per-host N  (default 1)\n"                                            \
    "      --model M         flow (default): messages share links max-min fairly;\n"     \
    "                        queue: links send one message after the other\n"            \
    "      --chunk BYTES     of a plan's messages (default: the plan's)\n"               \
    "      --eager BYTES     longest message sent without asking (default 64K)\n"        \
    "      --overhead TIME   a rank spends on a message, at both ends (default 20us)\n"  \
    "      --window BYTES    a connection's bytes in flight (default: no limit)\n"       \
    "      --check           carry real data and check the result\n"

/* Of what runs Open MPI's algorithms. */
#define SIMULATING_SEGMENT_HELP                                                          \
    "      --segment BYTES   of Open MPI's pipelining algorithms (default: whole\n"      \
    "                        messages, as Open MPI does)\n"

/* The defaults. */
void simulating_init(simulating_t *simulating);

/* As planning_option(). */
mtree_status_t simulating_option(simulating_t *simulating, int letter, const char *value);

/*
 * Have the simulator tell on standard error how far it is once two seconds have passed,
 * and every two after that.  @a simulating must stay in place.
 */
void simulating_watch(simulating_t *simulating);

/* True, at most every two seconds and not in the first two: a word of progress is due. */
bool simulating_due(simulating_sample_t *sample);

#endif
