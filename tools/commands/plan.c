/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mtree plan: the trees for a collective on a topology.
 */
#include "tools/planned_network.h"

#include "base/memory.h"
#include "base/units.h"
#include "planner/plan/json.h"
#include "planner/relays/relays.h"
#include "simulate/forecast/prediction.h"

#include <stdlib.h>
#include <string.h>

/* A link direction is called full from here on: rates are rounded. */
#define FULL 0.999

/* The children of a host: the first one, and from each the next; -1: none. */
typedef struct {
    int first[MTREE_TOPOLOGY_MAX_VERTICES], next[MTREE_TOPOLOGY_MAX_VERTICES];
} children_t;

static void list_children(const mtree_plan_t *plan, const mtree_tree_t *tree,
                          children_t *children)
{
    memset(children, -1, sizeof(*children));
    for (int host = plan->num_hosts - 1; host >= 0; --host) {
        if (tree->parent[host] >= 0 && host != tree->root) {
            children->next[host] = children->first[tree->parent[host]];
            children->first[tree->parent[host]] = host;
        }
    }
}

static void print_branch(const mtree_plan_t *plan, const children_t *children, int host,
                         int indent)
{
    printf("%*s%s%s\n", indent, "", plan->hosts[host],
           host < mtree_plan_num_active(plan) ? "" : " (relay)");
    for (int child = children->first[host]; child >= 0; child = children->next[child]) {
        print_branch(plan, children, child, indent + 2);
    }
}

/* What the shares of trees are parts of. */
static const char *whole_of(mtree_collective_t collective)
{
    if (!mtree_collective_has_blocks(collective)) {
        return "the message";
    }
    return mtree_collective_has_demands(collective) ? "what its root sends"
                                                    : "its root's block";
}

static void print_tree(const mtree_plan_t *plan, int number)
{
    const mtree_tree_t *tree = &plan->trees[number];
    const int hops = mtree_tree_height(tree, plan->num_hosts);
    const double depth = mtree_tree_depth(tree, plan->num_hosts);
    children_t children;

    printf("\ntree %d: %s, %.1f %% of %s, %d hop%s%s%s from root to leaf", number + 1,
           MTREE_UNITS_RATE(tree->rate), 100 * tree->share, whole_of(plan->collective),
           hops, MTREE_UNITS_PLURAL(hops), depth > 0 ? " and " : "",
           depth > 0 ? MTREE_UNITS_TIME(depth) : "");
    if (tree->chunk_bytes > 0) {
        printf(", chunks of %s", MTREE_UNITS_SIZE((double)tree->chunk_bytes));
    }
    printf("\n");
    list_children(plan, tree, &children);
    print_branch(plan, &children, tree->root, 2);
}

/* The hosts as a program takes them. */
static void print_order(const mtree_plan_t *plan)
{
    printf("\norder of hosts:");
    for (int i = 0; i < plan->num_hosts; ++i) {
        printf(" %s", plan->hosts[plan->order[i]]);
    }
    printf("\n");
}

/* How many directions of links the plan fills, uses in part, and leaves idle. */
static void print_use(const planned_network_t *planned)
{
    const mtree_topology_t *topology = planned->topology;
    int num_arcs = 2 * topology->num_links;
    double *load = mtree_calloc((size_t)num_arcs, sizeof(*load));
    int full = 0, used = 0, idle = 0;

    mtree_plan_load(planned->plan, planned->routes, load);
    for (int arc = 0; arc < num_arcs; ++arc) {
        if (mtree_arc_capacity(topology, arc) > 0) {
            full += (load[arc] >= FULL * mtree_arc_capacity(topology, arc));
            idle += (load[arc] == 0);
            ++used;
        }
    }
    printf("links: %d of %d directions full, %d used in part, %d idle\n", full, used,
           used - full - idle, idle);
    free(load);
}

/* What relays are compared with. */
typedef struct {
    double without; /* bits/s of the plan without relays */
    double cut;     /* bits/s that no algorithm exceeds (planner/relays/relays.h) */
} gain_t;

/* Plan the same without relays. */
static gain_t find_gain(const planned_network_t *planned)
{
    mtree_plan_request_t request = planned->request;
    mtree_plan_t *without;
    gain_t gain;

    request.num_relays = 0;
    command_must(planned_network_plan(planned, &request, &without, NULL));
    gain.without = without->throughput;
    mtree_plan_destroy(without);
    gain.cut =
        mtree_relays_cut_bound(planned->topology, planned->hosts, planned->num_hosts,
                               request.collective, request.root);
    return gain;
}

static void print_gain(const planned_network_t *planned, const gain_t *gain)
{
    const mtree_plan_t *plan = planned->plan;
    const char *why = mtree_relays_unavailable(&planned->request, planned->num_hosts);

    if (why != NULL) {
        printf("relays: none used, %s", why);
    } else if (plan->num_relays == 0) {
        printf("relays: none of %d gains enough", planned->request.num_relays);
    } else {
        printf("relays: %d of %d used, %.2f times the %s without them", plan->num_relays,
               planned->request.num_relays, plan->throughput / gain->without,
               MTREE_UNITS_RATE(gain->without));
    }
    if (gain->cut > 0) {
        printf("; no algorithm exceeds %s", MTREE_UNITS_RATE(gain->cut));
    }
    printf("\n");
}

/* What competed for the call, and what each takes. */
static void print_candidates(const mtree_candidate_list_t *candidates)
{
    printf("\ncandidates:\n");
    for (int c = 0; c < candidates->count; ++c) {
        const mtree_candidate_t *candidate = &candidates->list[c];

        printf("  %-19s", candidate->algorithm);
        if (candidate->seconds > 0.0) {
            printf(" %9s%s", MTREE_UNITS_TIME(candidate->seconds),
                   candidate->is_simulated ? "" : " estimated");
        }
        if (candidate->sends_whole) {
            printf(" (times %g: whole blocks fill queues)", MTREE_PREDICTION_WHOLE);
        }
        if (candidate->num_trees > 0 && candidate->chunk_bytes > 0) {
            printf(", %d tree%s, chunks of %s", candidate->num_trees,
                   candidate->num_trees == 1 ? "" : "s",
                   MTREE_UNITS_SIZE((double)candidate->chunk_bytes));
        }
        printf("%s%s\n", candidate->reason == NULL ? "" : ": ",
               candidate->reason == NULL ? "" : candidate->reason);
    }
}

static json_t *candidates_json(const mtree_candidate_list_t *candidates)
{
    json_t *list = json_array();

    for (int c = 0; c < candidates->count; ++c) {
        const mtree_candidate_t *candidate = &candidates->list[c];
        json_t *object =
            json_pack("{s:s, s:i, s:b}", "algorithm", candidate->algorithm, "max_trees",
                      candidate->max_trees, "simulated", candidate->is_simulated);

        if (candidate->seconds > 0.0) {
            json_object_set_new(object, "seconds", json_real(candidate->seconds));
            json_object_set_new(object, "trees", json_integer(candidate->num_trees));
        }
        if (candidate->sends_whole) {
            json_object_set_new(object, "counts", json_real(MTREE_PREDICTION_WHOLE));
        }
        if (candidate->chunk_bytes > 0) {
            json_object_set_new(object, "chunk_bytes",
                                json_integer((json_int_t)candidate->chunk_bytes));
        }
        if (candidate->reason != NULL) {
            json_object_set_new(object, "reason", json_string(candidate->reason));
        }
        json_array_append_new(list, object);
    }
    return list;
}

static void print_plan(const planned_network_t *planned, const gain_t *gain,
                       const mtree_least_time_t *bound)
{
    const mtree_plan_t *plan = planned->plan;

    printf("%s over %d hosts of %s, planned by %s\n",
           mtree_collective_name(plan->collective), mtree_plan_num_active(plan),
           planned->topology->name, plan->algorithm);
    printf("throughput: %s", MTREE_UNITS_RATE(plan->throughput));
    if (plan->bound > 0) {
        printf(", %.1f %% of the %s that no plan can exceed",
               100 * plan->throughput / plan->bound, MTREE_UNITS_RATE(plan->bound));
    }
    printf("\n");
    if (gain != NULL) {
        print_gain(planned, gain);
    }
    if (plan->limit != NULL) {
        printf("limited by: %s\n", plan->limit);
    }
    if (plan->bytes > 0 && plan->seconds > 0) {
        printf("predicted time of %s: %s\n", MTREE_UNITS_SIZE(plan->bytes),
               MTREE_UNITS_TIME(plan->seconds));
    }
    bound_print(bound);
    print_use(planned);
    for (int i = 0; i < plan->num_trees; ++i) {
        print_tree(plan, i);
    }
    if (plan->order != NULL) {
        print_order(plan);
    }
}

/* Print the plan as JSON, its bound, what relays are compared with, and what competed
 * (NULL: that is not asked for). */
static void print_json(const mtree_plan_t *plan, const gain_t *gain,
                       const mtree_least_time_t *bound,
                       const mtree_candidate_list_t *candidates)
{
    json_t *object = planned_network_json(plan);

    bound_set_json(bound, object);
    if (gain != NULL) {
        json_object_set_new(object, "without_relays_bps", json_real(gain->without));
        json_object_set_new(object, "cut_bound_bps", json_real(gain->cut));
    }
    if (candidates != NULL) {
        json_object_set_new(object, "candidates", candidates_json(candidates));
    }
    command_must(command_print_json(object, stdout));
}

/* Write the plan as JSON to @a path. */
static void write_plan(const mtree_plan_t *plan, const char *path)
{
    FILE *out;
    char *text;

    command_must(mtree_plan_to_json(plan, &text));
    out = command_open(path);
    fprintf(out, "%s\n", text);
    command_close(path, out);
    free(text);
}

typedef struct {
    plan_options_t planning;
    const char *output;
    bool why, json;
} arguments_t;

static const option_t options[] = {{"output", 'o', OPTION_TEXT,
                                    offsetof(arguments_t, output), .argument = "FILE",
                                    .help = "save the plan as JSON (docs/plan-file.md)"},
                                   {"why", 0, OPTION_FLAG, offsetof(arguments_t, why),
                                    .help = "list what competed, and what each takes"},
                                   {"json", 'j', OPTION_FLAG, offsetof(arguments_t, json),
                                    .help = "print the plan as JSON"},
                                   {0}};

/* Print the plan and what it is compared with. */
static void show(const arguments_t *arguments, const planned_network_t *planned)
{
    const mtree_plan_t *plan = planned->plan;
    const mtree_least_time_t bound =
        bound_find(planned, plan->bytes, plan->bound, plan->limit, NULL);
    gain_t gain, *relays = NULL;

    if (arguments->planning.relays != NULL) {
        gain = find_gain(planned);
        relays = &gain;
    }
    if (arguments->json) {
        print_json(plan, relays, &bound, arguments->why ? &planned->candidates : NULL);
        return;
    }
    print_plan(planned, relays, &bound);
    if (arguments->why) {
        print_candidates(&planned->candidates);
    }
}

static int run(int argc, char **argv)
{
    static planned_network_t planned;
    arguments_t arguments = {0};
    const option_group_t groups[] = {{plan_options, .data = &arguments.planning},
                                     {plan_size_option, .data = &arguments.planning},
                                     {options, .data = &arguments},
                                     {0}};

    plan_options_init(&arguments.planning);
    options_parse(&command_plan, groups, argc, argv);
    planned_network_run(&arguments.planning, argv[optind], &planned);
    if (arguments.output != NULL) {
        write_plan(planned.plan, arguments.output);
    }
    show(&arguments, &planned);
    return COMMAND_OK;
}

const command_t command_plan = {
    .name = "plan",
    .summary = "plan the trees for a collective on a topology",
    .usage = "[OPTION]... FILE.dot",
    .help = "Plan a collective operation on that network: the trees, their rates and "
            "shares of "
            "the\nmessage, and the bound that no plan can exceed.\n",
    .examples = {"mtree plan --size 64M -o plan.json examples/sites.dot",
                 "mtree plan --collective bcast --root rome1 --hosts "
                 "rome1,paris1,berlin1 examples/sites.dot"},
    .print_more = plan_options_print_algorithms,
    .least_arguments = 1,
    .most_arguments = 1,
    .needs = "one topology file is needed",
    .run = run,
};
