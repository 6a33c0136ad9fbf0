/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mtree check: is a plan well formed, and does it keep within a network's capacities?
 */
#include "tools/planned_network.h"

#include "base/units.h"

#include <stdlib.h>
#include <unistd.h>

typedef struct {
    const char *plan, *topology; /* files; topology may be NULL */
    bool json;
    bool is_valid;
} arguments_t;

static arguments_t arguments;

/* At the end of the command, wherever that is. */
static void print_json(void)
{
    if (command_print_json(json_pack("{s:s, s:b, s:b}", "plan", arguments.plan, "valid",
                                     arguments.is_valid, "capacities_checked",
                                     arguments.is_valid && arguments.topology != NULL),
                           stdout) != MTREE_OK) {
        _exit(COMMAND_FAILED);
    }
}

static int run(int argc, char **argv)
{
    static const option_t options[] = {
        {"json", 'j', OPTION_FLAG, offsetof(arguments_t, json), .help = "print JSON"},
        {0}};
    static planned_network_t planned;
    const option_group_t groups[] = {{options, .data = &arguments}, {0}};

    options_parse(&command_check, groups, argc, argv);
    arguments.plan = argv[optind];
    arguments.topology = argv[optind + 1]; /* argv ends in NULL */
    if (arguments.json) {
        (void)atexit(print_json);
    }
    planned_network_read(arguments.plan, arguments.topology, &planned);
    command_must(mtree_plan_check(planned.plan, planned.topology, planned.routes));
    arguments.is_valid = true;
    if (!arguments.json) {
        printf("%s: %s, %d tree%s over %d hosts: every tree spans, shares sum to one%s\n",
               arguments.plan, mtree_collective_name(planned.plan->collective),
               planned.plan->num_trees, MTREE_UNITS_PLURAL(planned.plan->num_trees),
               planned.plan->num_hosts,
               arguments.topology != NULL ? ", no link is over its capacity" : "");
    }
    return COMMAND_OK;
}

const command_t command_check = {
    .name = "check",
    .summary = "check a plan, and whether it fits a topology",
    .usage = "[--json] PLAN.json [TOPOLOGY.dot]",
    .help = "Check that every tree of the plan spans its hosts without a cycle and that "
            "shares\n"
            "sum to one; with a topology also that no link is given more than its "
            "capacity.\n",
    .examples = {"mtree check plan.json", "mtree check plan.json examples/sites.dot"},
    .least_arguments = 1,
    .most_arguments = 2,
    .needs = "a plan, and maybe a topology file, are needed",
    .run = run,
};
