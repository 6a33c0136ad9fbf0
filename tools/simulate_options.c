/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/simulate_options.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/units.h"
#include "simulate/pt2pt.h"

#include <string.h>

#define LINE_SECONDS 2.0 /* between lines of progress */

int simulation_parse(const command_t *command, const option_group_t *groups,
                     plan_options_t *planning, simulation_t *simulation, int argc,
                     char **argv)
{
    plan_options_init(planning);
    mtree_simulate_default_options(&simulation->options);
    simulation->started = mtree_clock_seconds();
    simulation->last_line = simulation->started;
    return options_parse(command, groups, argc, argv);
}

static mtree_status_t take_window(const command_t *command, void *data, const char *value)
{
    simulation_t *simulation = data;
    const char *why;
    size_t bytes;

    if (mtree_units_parse_size(value, &bytes, &why) != MTREE_OK) {
        mtree_error("%s: --window '%s': %s; write it like 64K", command->name, value,
                    why);
        return MTREE_ERR_INVALID;
    }
    simulation->options.network.window_bytes = (double)bytes;
    return MTREE_OK;
}

#define MEMBER(_name) offsetof(simulation_t, options._name)

const option_t simulate_options[] = {
    {"ranks-per-host", 0, OPTION_WHOLE, MEMBER(ranks_per_host), .argument = "N",
     .help = "ranks on each host (default 1)", .least = 1, .most = MTREE_PT2PT_MAX_RANKS},
    {"chunk", 0, OPTION_SIZE, MEMBER(chunk_bytes), .argument = "BYTES",
     .help = "size of a plan's messages (default: the plan's)", .example = "64K"},
    {"eager", 0, OPTION_SIZE, MEMBER(eager_bytes), .argument = "BYTES",
     .help = "longest message that Open MPI sends without a rendezvous (default 64K)",
     .example = "64K"},
    {"overhead", 0, OPTION_TIME, MEMBER(overhead), .argument = "TIME",
     .help = "time that a rank spends on a message, at both ends (default: as the file "
             "says, else 20us)",
     .example = "20us"},
    {"window", 0, OPTION_OTHER, .argument = "BYTES", .take = take_window,
     .help = "most bytes in flight per connection (default: no limit)"},
    {"check", 0, OPTION_FLAG, MEMBER(check),
     .help = "carry real data and check the result"},
    {0}};

const option_t simulate_segment_option[] = {
    {"segment", 0, OPTION_SIZE, MEMBER(segment_bytes), .argument = "BYTES",
     .help = "segments of Open MPI's pipelining algorithms (default: whole messages, as "
             "Open MPI does)",
     .example = "64K"},
    {0}};

bool simulation_line_is_due(simulation_t *simulation)
{
    const double now = mtree_clock_seconds();

    if (now - simulation->last_line < LINE_SECONDS) {
        return false;
    }
    simulation->last_line = now;
    return true;
}

static void progress(double now, void *arg)
{
    simulation_t *simulation = arg;
    char text[MTREE_UNITS_LENGTH];

    if (simulation_line_is_due(simulation)) {
        fprintf(stderr, "mtree: %.0f s: simulated %s of the network's time%s%s\n",
                simulation->last_line - simulation->started,
                mtree_units_format_time(now, text, sizeof(text)),
                simulation->what == NULL ? "" : " with ",
                simulation->what == NULL ? "" : simulation->what);
    }
}

void simulation_watch(simulation_t *simulation)
{
    simulation->options.progress = progress;
    simulation->options.progress_arg = simulation;
}
