/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mtree plan: the trees for a collective on a topology.
 */
#include "tools/command.h"
#include "tools/plan_options.h"

#include "base/log.h"
#include "base/units.h"
#include "planner/plan/json.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A link direction is called full from here on: rates are rounded. */
#define FULL 0.999

static void print_branch(const mtree_plan_t *plan, const mtree_tree_t *tree, int host,
                         int indent)
{
    int child;

    printf("%*s%s\n", indent, "", plan->hosts[host]);
    for (child = 0; child < plan->num_hosts; ++child) {
        if (tree->parent[child] == host && child != tree->root) {
            print_branch(plan, tree, child, indent + 2);
        }
    }
}

static void print_tree(const mtree_plan_t *plan, int number)
{
    const mtree_tree_t *tree = &plan->trees[number];
    char rate[MTREE_UNITS_LENGTH], height[PLANNING_HEIGHT], chunk[MTREE_UNITS_LENGTH];

    printf("\ntree %d: %s, %.1f %% of %s, %s from root to leaf", number + 1,
           mtree_units_format_rate(tree->rate, rate, sizeof(rate)), 100 * tree->share,
           mtree_collective_has_blocks(plan->collective) ? "its root's block"
                                                           : "the message",
           planning_format_height(plan, tree, " and ", height));
    if (tree->chunk_bytes > 0) {
        printf(", chunks of %s",
               mtree_units_format_size((double)tree->chunk_bytes, chunk, sizeof(chunk)));
    }
    printf("\n");
    print_branch(plan, tree, tree->root, 2);
}

/* How many directions of links the plan fills, uses in part, and leaves idle. */
static mtree_status_t print_use(const planned_t *planned)
{
    const mtree_topology_t *topology = planned->topology;
    int num_arcs = 2 * topology->num_links;
    double *load = calloc((size_t)num_arcs + 1, sizeof(*load));
    int full = 0, used = 0, idle = 0;
    int arc;

    if (load == NULL) {
        mtree_error("out of memory for the use of %d links", topology->num_links);
        return MTREE_ERR_NO_MEMORY;
    }
    mtree_plan_load(planned->plan, planned->routes, load);
    for (arc = 0; arc < num_arcs; ++arc) {
        if (mtree_arc_capacity(topology, arc) > 0) {
            full += (load[arc] >= FULL * mtree_arc_capacity(topology, arc));
            idle += (load[arc] == 0);
            ++used;
        }
    }
    printf("links: %d of %d directions full, %d used in part, %d idle\n", full, used,
           used - full - idle, idle);
    free(load);
    return MTREE_OK;
}

static mtree_status_t print_plan(const planned_t *planned)
{
    const mtree_plan_t *plan = planned->plan;
    char rate[MTREE_UNITS_LENGTH], size[MTREE_UNITS_LENGTH], time[MTREE_UNITS_LENGTH];
    mtree_status_t status;
    int i;

    printf("%s over %d hosts of %s, planned by %s\n",
           mtree_collective_name(plan->collective), plan->num_hosts,
           planned->topology->name, plan->algorithm);
    printf("throughput: %s",
           mtree_units_format_rate(plan->throughput, rate, sizeof(rate)));
    if (plan->bound > 0) {
        printf(", %.1f %% of the %s that no plan can exceed",
               100 * plan->throughput / plan->bound,
               mtree_units_format_rate(plan->bound, rate, sizeof(rate)));
    }
    printf("\n");
    if (plan->limit != NULL) {
        printf("limited by: %s\n", plan->limit);
    }
    if (plan->bytes > 0 && plan->seconds > 0) {
        printf("predicted time of %s: %s\n",
               mtree_units_format_size(plan->bytes, size, sizeof(size)),
               mtree_units_format_time(plan->seconds, time, sizeof(time)));
    }
    status = print_use(planned);
    for (i = 0; i < plan->num_trees; ++i) {
        print_tree(plan, i);
    }
    return status;
}

/* Write the plan as JSON to @a path, or to standard output when it is NULL. */
static mtree_status_t write_plan(const mtree_plan_t *plan, const char *path)
{
    mtree_status_t status;
    FILE *out = stdout;
    int failed;
    char *text;

    status = mtree_plan_to_json(plan, &text);
    if (status != MTREE_OK) {
        return status;
    }
    if (path != NULL) {
        out = fopen(path, "we");
        if (out == NULL) {
            mtree_error("%s: cannot be written: %s", path, strerror(errno));
            free(text);
            return MTREE_ERR_IO;
        }
    }
    failed = (fprintf(out, "%s\n", text) < 0) + (fflush(out) != 0);
    free(text);
    if (out != stdout) {
        failed += (fclose(out) != 0);
    }
    if (failed > 0) {
        mtree_error("%s: cannot be written: %s",
                    (path != NULL) ? path : "standard output", strerror(errno));
        return MTREE_ERR_IO;
    }
    return MTREE_OK;
}

static int run(int argc, char **argv)
{
    static const struct option options[] = {
        {"help", no_argument, NULL, 'h'},
        {"json", no_argument, NULL, 'j'},
        {"output", required_argument, NULL, 'o'},
        PLANNING_OPTIONS,
        {NULL, 0, NULL, 0},
    };
    const char *output = NULL;
    bool with_json = false;
    mtree_status_t status;
    planning_t planning;
    planned_t planned;
    int option;

    planning_init(&planning);
    while ((option = getopt_long(argc, argv, "hjo:" PLANNING_LETTERS, options, NULL)) !=
           -1) {
        switch (option) {
        case 'h':
            command_help(&command_plan);
            planning_print_algorithms();
            return COMMAND_OK;
        case 'j':
            with_json = true;
            break;
        case 'o':
            output = optarg;
            break;
        default:
            if (planning_option(&planning, option, optarg) != MTREE_OK) {
                return COMMAND_MISUSED;
            }
        }
    }
    if (optind + 1 != argc) {
        return command_misuse(&command_plan, "one topology file is needed");
    }
    if (planning_run(&planning, argv[optind], &planned) != MTREE_OK) {
        return COMMAND_FAILED;
    }
    status = (output != NULL) ? write_plan(planned.plan, output) : MTREE_OK;
    if (status == MTREE_OK) {
        status = with_json ? write_plan(planned.plan, NULL) : print_plan(&planned);
    }
    planned_cleanup(&planned);
    return (status == MTREE_OK) ? COMMAND_OK : COMMAND_FAILED;
}

const command_t command_plan = {
    .name = "plan",
    .summary = "plan the trees for a collective on a topology",
    .help = "Usage: mtree plan [OPTION]... FILE.dot\n"
            "Plan a collective operation on that network: the trees, their rates and "
            "shares of "
            "the\nmessage, and the bound that no plan can exceed.\n\n" PLANNING_HELP
            "  -o, --output FILE     save the plan as JSON (docs/plan-file.md)\n"
            "  -j, --json            print the plan as JSON\n"
            "  -h, --help            this text\n",
    .run = run,
};
