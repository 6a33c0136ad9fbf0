/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mtree check: is a plan well formed, and does it keep within a network's capacities?
 */
#include "tools/planned_network.h"

#include "base/units.h"

static mtree_status_t check(const char *plan_file, const char *topology_file,
                            bool with_json)
{
    mtree_status_t status;
    planned_network_t planned;

    status = planned_network_read(plan_file, topology_file, &planned);
    if (status == MTREE_OK) {
        status = mtree_plan_check(planned.plan, planned.topology, planned.routes);
        if (status == MTREE_OK && !with_json) {
            printf("%s: %s, %d tree%s over %d hosts: every tree spans, shares sum to "
                   "one%s\n",
                   plan_file, mtree_collective_name(planned.plan->collective),
                   planned.plan->num_trees, MTREE_UNITS_PLURAL(planned.plan->num_trees),
                   planned.plan->num_hosts,
                   (topology_file != NULL) ? ", no link is over its capacity" : "");
        }
        planned_network_cleanup(&planned);
    }
    if (with_json) {
        command_print_json(json_pack("{s:s, s:b, s:b}", "plan", plan_file, "valid",
                                     status == MTREE_OK, "capacities_checked",
                                     status == MTREE_OK && topology_file != NULL),
                           stdout);
    }
    return status;
}

static int run(int argc, char **argv)
{
    static const option_t options[] = {{"json", 'j', OPTION_FLAG, .help = "print JSON"},
                                       {0}};
    bool with_json = false;
    const option_group_t groups[] = {{options, .data = &with_json}, {0}};

    options_parse(&command_check, groups, argc, argv);
    /* Without a second argument, argv ends in NULL there. */
    return command_exit(check(argv[optind], argv[optind + 1], with_json));
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
