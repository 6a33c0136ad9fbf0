/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The stage of the probe that traces routes, and the network that they show.
 */
#include "base/log.h"
#include "topo/probe/infer.h"
#include "topo/probe/state.h"

#include <math.h>
#include <stdio.h>

/* Of the budget, for routes; what they leave goes to the measurements. */
#define TRACE_SHARE 0.3

/* The measurements have so long at least. */
#define LEAST_SECONDS 0.5

void mtree_probe_fill_trace(mtree_probe_t *probe)
{
    const mtree_route_question_t *questions = NULL;
    int count = 0;

    if (probe->options.traces && probe->spent < TRACE_SHARE * probe->options.seconds) {
        questions = mtree_traceroute_search_ask(probe->search, &count);
    }
    for (int i = 0; i < count; ++i) {
        mtree_probe_add_experiment(
            probe, (mtree_probe_experiment_t){.kind = MTREE_PROBE_TRACE,
                                              .from = questions[i].host,
                                              .to = questions[i].target,
                                              .limit = questions[i].limit});
    }
    (void)snprintf(probe->purpose, sizeof(probe->purpose), "routes, %d questions", count);
}

void mtree_probe_keep_traces(mtree_probe_t *probe, const mtree_probe_result_t *results)
{
    for (int i = 0; i < probe->num_experiments; ++i) {
        const mtree_probe_experiment_t *asked = &probe->experiments[i];

        mtree_traceroute_search_answer(
            probe->search,
            &(mtree_route_question_t){asked->from, asked->to, asked->limit},
            results[i].failed ? MTREE_HOP_SILENT : results[i].answer, results[i].address);
    }
}

/* Add the routes that were found. */
static void take_routes(mtree_probe_t *probe)
{
    const char *hops[MTREE_PROBE_MAX_HOPS];

    for (int pair = 0; pair < probe->num_hosts * probe->num_hosts; ++pair) {
        const int from = pair / probe->num_hosts, to = pair % probe->num_hosts;
        const int count = mtree_traceroute_search_get(probe->search, from, to, hops);

        if (count > 0) {
            mtree_probe_write(probe, "route %d %d", from, to);
            for (int i = 0; i + 1 < count; ++i) {
                mtree_probe_write(probe, " %s", hops[i][0] == '\0' ? "-" : hops[i]);
            }
            mtree_probe_write(probe, "\n");
            mtree_probe_routes_add(probe->routes, from, to, hops, count - 1);
        }
    }
}

/* The first host that no links of the graph join with host 0; all hosts: there is none.
 */
static int find_apart(mtree_probe_t *probe)
{
    const mtree_probe_graph_t *graph = &probe->graph;
    int host = 0, *class_of;

    MTREE_ARENA_ARRAY(&probe->scratch, class_of, (size_t)graph->num_vertices);
    for (int vertex = 0; vertex < graph->num_vertices; ++vertex) {
        class_of[vertex] = vertex;
    }
    for (int link = 0; link < graph->num_links; ++link) {
        mtree_probe_class_join(class_of, graph->links[link].u, graph->links[link].v);
    }
    while (host < probe->num_hosts && mtree_probe_class_find(class_of, host) == 0) {
        ++host;
    }
    return host;
}

/* Make the graph that the routes show.  Without one, round trips must tell. */
static mtree_status_t make_graph(mtree_probe_t *probe)
{
    int host;

    if (mtree_probe_routes_count(probe->routes) > 0) {
        mtree_probe_routes_resolve(probe->routes, &probe->graph);
        host = find_apart(probe);
        probe->routes_known = host == probe->num_hosts;
        if (probe->routes_known) {
            probe->has_graph = true;
            return MTREE_OK;
        }
        mtree_probe_graph_clear(&probe->graph);
        mtree_warn("no route between %s and %s was traced: the network is inferred from "
                   "round trips; let ICMP \"time exceeded\" pass to see routes",
                   probe->names[0], probe->names[host]);
    }
    if (probe->num_hosts > MTREE_PROBE_INFER_MAX_HOSTS) {
        mtree_error(
            "the routes between %d hosts were not traced, and a network of more than "
            "%d is not inferred without; let ICMP \"time exceeded\" pass or give "
            "a topology file",
            probe->num_hosts, MTREE_PROBE_INFER_MAX_HOSTS);
        return MTREE_ERR_UNSUPPORTED;
    }
    return MTREE_OK;
}

mtree_status_t mtree_probe_end_routes(mtree_probe_t *probe)
{
    mtree_status_t status;

    take_routes(probe);
    probe->options.seconds = fmax(probe->options.seconds - probe->spent, LEAST_SECONDS);
    probe->spent = 0;
    status = make_graph(probe);
    if (status == MTREE_OK) {
        mtree_probe_list_pairs(probe);
    }
    return status;
}
