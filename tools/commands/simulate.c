/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mtree simulate: how long a plan takes, and what the links do meanwhile.
 */
#include "tools/planned_network.h"

#include "base/units.h"

#include <stdlib.h>

typedef struct {
    plan_options_t planning;
    mtree_simulate_options_t simulated;
    const char *plan_path;
    bool json;
    planned_network_t planned;
    mtree_simulate_result_t result;
    mtree_least_time_t bound;
} session_t;

static const char *arc_end(const session_t *session, int arc, bool to)
{
    const mtree_topology_t *topology = session->planned.topology;

    return topology
        ->vertices[to ? mtree_arc_to(topology, arc) : mtree_arc_from(topology, arc)]
        .name;
}

static json_t *json_links(const session_t *session)
{
    json_t *list = json_array();

    for (int arc = 0; arc < session->result.num_arcs; arc++) {
        json_array_append_new(list, json_pack("{s:s, s:s, s:f}", "from",
                                              arc_end(session, arc, false), "to",
                                              arc_end(session, arc, true), "busy",
                                              session->result.busy[arc]));
    }
    return list;
}

static json_t *json_trees(const session_t *session)
{
    const mtree_plan_t *plan = session->planned.plan;
    json_t *list = json_array();

    for (int t = 0; t < plan->num_trees; t++) {
        json_array_append_new(list, json_pack("{s:s, s:f, s:f}", "root",
                                              plan->hosts[plan->trees[t].root], "share",
                                              plan->trees[t].share, "seconds",
                                              session->result.tree_seconds[t]));
    }
    return list;
}

static void print_json(const session_t *session)
{
    const mtree_simulate_result_t *result = &session->result;
    json_t *object =
        json_pack("{s:s, s:s, s:I, s:f, s:f, s:I, s:o, s:o}", "collective",
                  mtree_collective_name(session->planned.request.collective), "algorithm",
                  session->planned.plan->algorithm, "bytes",
                  (json_int_t)session->simulated.bytes, "seconds", result->seconds,
                  "share_of_bound", bound_share(&session->bound, result->seconds),
                  "messages", (json_int_t)result->messages, "links", json_links(session),
                  "trees", json_trees(session));

    bound_set_json(&session->bound, object);
    command_must(command_print_json(object, stdout));
}

static void print_trees(const session_t *session)
{
    const mtree_plan_t *plan = session->planned.plan;

    printf("\n  tree  root              share      done\n");
    for (int i = 0; i < plan->num_trees; i++) {
        printf("  %4d  %-16s %5.1f %%  %s\n", i, plan->hosts[plan->trees[i].root],
               100.0 * plan->trees[i].share,
               MTREE_UNITS_TIME(session->result.tree_seconds[i]));
    }
}

static void print_table(const session_t *session)
{
    const mtree_simulate_result_t *result = &session->result;
    const mtree_plan_t *plan = session->planned.plan;
    char trees[32] = "";

    if (plan->order == NULL) {
        snprintf(trees, sizeof(trees), ", %d tree%s", plan->num_trees,
                 MTREE_UNITS_PLURAL(plan->num_trees));
    }
    printf("%s of %s by %s%s: %s",
           mtree_collective_name(session->planned.request.collective),
           MTREE_UNITS_SIZE((double)session->simulated.bytes), plan->algorithm, trees,
           MTREE_UNITS_TIME(result->seconds));
    if (session->bound.seconds > 0.0) {
        printf(", %.1f %% of the bound",
               100.0 * bound_share(&session->bound, result->seconds));
    }
    printf("\n");
    bound_print(&session->bound);
    printf("%zu messages\n", result->messages);
    if (plan->order == NULL) {
        print_trees(session);
    }
    printf("\n  link                               busy\n");
    for (int i = 0; i < result->num_arcs; i++) {
        printf("  %-14s > %-14s %7.1f %%\n", arc_end(session, i, false),
               arc_end(session, i, true), 100.0 * result->busy[i]);
    }
}

/* A plan is for one collective. */
static void read_plan(session_t *session, const char *path)
{
    const plan_options_t *planning = &session->planning;
    mtree_collective_t collective;

    planned_network_read(session->plan_path, path, &session->planned);
    collective = session->planned.request.collective;
    if (planning->names_collective && planning->request.collective != collective) {
        command_fail(
            "simulate: --collective %s: %s is a plan for %s; leave one of them out",
            mtree_collective_name(planning->request.collective), session->plan_path,
            mtree_collective_name(collective));
    }
}

/* The plan: made, or read; and the size: given, else the plan's, else a default. */
static void get_plan(session_t *session, const char *path)
{
    size_t *bytes = &session->planning.bytes;

    if (session->plan_path == NULL) {
        *bytes = *bytes > 0 ? *bytes : SIMULATED_BYTES;
        planned_network_run(&session->planning, path, &session->planned);
    } else {
        read_plan(session, path);
    }
    *bytes = *bytes > 0 ? *bytes : (size_t)session->planned.request.bytes;
    session->simulated.bytes = *bytes > 0 ? *bytes : SIMULATED_BYTES;
    session->simulated.root = session->planned.request.root;
}

static void simulate(session_t *session)
{
    const planned_network_t *planned = &session->planned;

    simulated_check(&command_simulate, &session->simulated, planned->num_hosts,
                    planned->plan);
    command_say("simulating");
    command_must(mtree_simulate_plan(
        planned->topology, planned->hosts, planned->num_hosts, planned->plan,
        planned->request.collective, &session->simulated, &session->result));
    session->bound = bound_find(planned, 0, planned->plan->bound, planned->plan->limit,
                                &session->simulated);
}

static const option_t options[] = {
    {"plan", 'p', OPTION_TEXT, offsetof(session_t, plan_path), .argument = "PLAN.json",
     .help = "run this plan; it says hosts and collective"},
    {"json", 'j', OPTION_FLAG, offsetof(session_t, json), .help = "print JSON"},
    {0}};

static int run(int argc, char **argv)
{
    static session_t session;
    const option_group_t groups[] = {{options, .data = &session},
                                     {plan_options, .data = &session.planning},
                                     {message_size_option, .data = &session.planning},
                                     {simulate_options, .data = &session.simulated},
                                     {0}};

    plan_options_init(&session.planning);
    mtree_simulate_default_options(&session.simulated);
    options_parse(&command_simulate, groups, argc, argv);
    get_plan(&session, argv[optind]);
    simulate(&session);
    if (session.json) {
        print_json(&session);
    } else {
        print_table(&session);
    }
    return COMMAND_OK;
}

const command_t command_simulate = {
    .name = "simulate",
    .summary = "run a plan on a simulated network",
    .usage = "[OPTION]... FILE.dot",
    .help = "Run the engine of the component on the network of that topology, on a\n"
            "virtual clock, and print the time and how busy each link is.\n",
    .examples = {"mtree simulate --size 64M examples/sites.dot",
                 "mtree simulate --plan plan.json --json examples/sites.dot"},
    .least_arguments = 1,
    .most_arguments = 1,
    .needs = "one topology file is needed",
    .run = run,
};
