/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/plan_options.h"

#include "base/log.h"
#include "planner/algorithms.h"
#include "simulate/pt2pt.h"

#define DEFAULT_TREES 10

void plan_options_init(plan_options_t *options)
{
    *options = (plan_options_t){.request = {.collective = MTREE_ALLREDUCE,
                                            .max_trees = DEFAULT_TREES,
                                            .seed = 1}};
}

static mtree_status_t take_collective(const command_t *command, void *data,
                                      const char *value)
{
    plan_options_t *options = data;

    if (mtree_collective_parse(value, &options->request.collective) != MTREE_OK) {
        mtree_error("%s: --collective '%s': use one of " MTREE_COLLECTIVE_NAMES,
                    command->name, value);
        return MTREE_ERR_INVALID;
    }
    options->names_collective = true;
    return MTREE_OK;
}

const option_t plan_options[] = {
    {"collective", 'C', OPTION_OTHER, .argument = "C",
     .help = MTREE_COLLECTIVE_NAMES " (default: allreduce)", .take = take_collective},
    {"root", 'R', OPTION_TEXT, offsetof(plan_options_t, root), .argument = "HOST",
     .help = "root, of collectives that have one (default: the first host)"},
    {"hosts", 'H', OPTION_TEXT, offsetof(plan_options_t, hosts), .argument = "LIST",
     .help = "hosts that take part, separated by commas (default: all)"},
    {"relays", 'r', OPTION_TEXT, offsetof(plan_options_t, relays), .argument = "LIST",
     .help =
         "hosts that may forward and combine for --hosts, separated by commas; all: "
         "every other host; marked: those with relay=... in the file (default: none)"},
    {"algorithm", 'a', OPTION_TEXT, offsetof(plan_options_t, request.algorithm),
     .argument = "A",
     .help = "algorithm, one of those below (default: the fastest of several)"},
    {"trees", 't', OPTION_WHOLE, offsetof(plan_options_t, request.max_trees),
     .argument = "K",
     .help = "at most K trees (per root, if many; through relays up to 4 K); 0: no limit "
             "(default 10)"},
    {"height", 'e', OPTION_WHOLE, offsetof(plan_options_t, request.max_height),
     .argument = "H", .help = "at most H hops from root to leaf; 0: no limit (default)"},
    {"min-rate", 'm', OPTION_RATE, offsetof(plan_options_t, request.min_rate),
     .argument = "R",
     .help = "leave out trees below this rate, like 5Mbps, but the fastest",
     .example = "5Mbps"},
    {"seed", 's', OPTION_WHOLE, offsetof(plan_options_t, request.seed), .argument = "N",
     .help = "seed of algorithms that draw at random (default 1)"},
    {0}};

const option_t plan_size_option[] = {
    {"size", 'b', OPTION_SIZE, offsetof(plan_options_t, bytes), .argument = "BYTES",
     .example = "16M", .not_zero = true,
     .help = "plan for the least time of this size, like 16M (default: for the most "
             "throughput)"},
    {0}};

const option_t message_size_option[] = {
    {"size", 'b', OPTION_SIZE, offsetof(plan_options_t, bytes), .argument = "BYTES",
     .example = "16M", .not_zero = true,
     .help = "size of the message (default 16M, or what the plan is for)"},
    {0}};

void plan_options_print_algorithms(void)
{
    const char *const *names = mtree_algorithms_names();

    printf("\nAlgorithms:\n");
    for (int a = 0; names[a] != NULL; ++a) {
        const char *why = mtree_algorithms_unavailable(names[a]);

        printf("  %-15s %s%s%s%s\n", names[a], mtree_algorithms_help(names[a]),
               why != NULL ? " (not supported: " : "", why != NULL ? why : "",
               why != NULL ? ")" : "");
    }
}

#define MEMBER(_name) offsetof(mtree_simulate_options_t, _name)

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
    {"window", 0, OPTION_SIZE, MEMBER(network.window_bytes), .argument = "BYTES",
     .help = "most bytes in flight per connection (default: no limit)", .example = "64K"},
    {0}};

const option_t simulate_segment_option[] = {
    {"segment", 0, OPTION_SIZE, MEMBER(segment_bytes), .argument = "BYTES",
     .help = "segments of Open MPI's pipelining algorithms (default: whole messages, as "
             "Open MPI does)",
     .example = "64K"},
    {0}};
