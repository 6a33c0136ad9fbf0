/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mtree check: is a plan well formed, and does it keep within a network's capacities?
 */
#include "tools/command.h"
#include "tools/plan_options.h"

static mtree_status_t check(const char *plan_file, const char *topology_file,
                            bool with_json)
{
    mtree_status_t status;
    planned_t planned;

    status = planned_read(plan_file, topology_file, &planned);
    if (status == MTREE_OK) {
        status = mtree_plan_check(planned.plan, planned.topology, planned.routes);
        if (status == MTREE_OK && !with_json) {
            printf(
                "%s: %s, %d trees over %d hosts: every tree spans, shares sum to one%s\n",
                plan_file, mtree_collective_name(planned.plan->collective),
                planned.plan->num_trees, planned.plan->num_hosts,
                (topology_file != NULL) ? ", no link is over its capacity" : "");
        }
        planned_cleanup(&planned);
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
    static const struct option options[] = {{"help", no_argument, NULL, 'h'},
                                            {"json", no_argument, NULL, 'j'},
                                            {NULL, 0, NULL, 0}};
    bool with_json = false;
    int option;

    while ((option = getopt_long(argc, argv, "hj", options, NULL)) != -1) {
        switch (option) {
        case 'h':
            return command_help(&command_check);
        case 'j':
            with_json = true;
            break;
        default:
            return COMMAND_MISUSED;
        }
    }
    if (optind + 1 != argc && optind + 2 != argc) {
        return command_misuse(&command_check,
                              "a plan, and maybe a topology file, are needed");
    }
    return (check(argv[optind], (optind + 2 == argc) ? argv[optind + 1] : NULL,
                  with_json) == MTREE_OK)
               ? COMMAND_OK
               : COMMAND_FAILED;
}

const command_t command_check = {
    .name = "check",
    .summary = "check a plan, and whether it fits a topology",
    .help = "Usage: mtree check [--json] PLAN.json [TOPOLOGY.dot]\n"
            "Check that every tree of the plan spans its hosts without a cycle and that "
            "shares\n"
            "sum to one; with a topology also that no link is given more than its "
            "capacity.\n\n"
            "  -j, --json    as JSON\n"
            "  -h, --help    this text\n",
    .run = run,
};
