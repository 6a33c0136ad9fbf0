/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The topology from the graph, the capacities and the latencies of a probe.
 */
#include "base/log.h"
#include "base/memory.h"
#include "base/units.h"
#include "topo/probe/state.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* The capacity of arcs when none is known, bits/s. */
#define UNKNOWN_RATE 1e9

/* Measurements of a link differ when they do by so much. */
#define UNSTEADY 0.08

/* Parts of the time.  A thread that mostly sleeps waits for less than 1 % of it on an
 * idle machine, and for most of it where as many others want each processor. */
#define MOST_WAITED 0.1
#define MOST_STOLEN 0.05

/* Repetitions are asked for where a measurement was not clear: one may differ by chance.
 */
#define MOST_UNSTEADY  0.5
#define LEAST_REPEATED 4

static mtree_status_t add_vertices(const mtree_probe_t *probe, mtree_topology_t *topology)
{
    char name[32];
    const char *address;
    mtree_status_t status = MTREE_OK;
    int i, number = 0;

    for (i = 0; status == MTREE_OK && i < probe->num_hosts; ++i) {
        status = mtree_topology_add_vertex(topology, probe->names[i], NULL,
                                           MTREE_VERTEX_HOST, NULL);
    }
    for (i = probe->num_hosts; status == MTREE_OK && i < probe->graph.num_vertices; ++i) {
        address = probe->graph.vertices[i].name;
        if (address == NULL || !mtree_topology_name_valid(address) ||
            mtree_topology_find_vertex(topology, address) >= 0) {
            do {
                (void)snprintf(name, sizeof(name), "switch%d", ++number);
            } while (mtree_topology_find_vertex(topology, name) >= 0);
            address = name;
        }
        status =
            mtree_topology_add_vertex(topology, address, NULL, MTREE_VERTEX_SWITCH, NULL);
    }
    return status;
}

/* What a stream showed an arc to carry, if the arc is known or had a stream of its own;
 * else 0. */
static double seen_capacity(const mtree_probe_t *probe, int arc)
{
    const mtree_probe_arc_t *seen = &probe->arcs[arc];

    return seen->known                                          ? seen->value
           : mtree_probe_graph_is_neighbour(&probe->graph, arc) ? seen->most
                                                                : 0;
}

/* The capacity of the seen arc whose latency is next to @a latency, since far hosts often
 * reach each other slowly; or UNKNOWN_RATE. */
static double capacity_of_alike(const mtree_probe_t *probe, double latency)
{
    double capacity = UNKNOWN_RATE, least = INFINITY;

    for (int arc = 0; arc < 2 * probe->graph.num_links; ++arc) {
        const double distance = fabs(probe->latency[arc >> 1] - latency);

        if (distance < least && seen_capacity(probe, arc) > 0) {
            capacity = seen_capacity(probe, arc);
            least = distance;
        }
    }
    return capacity;
}

/* The speed of the interfaces at the ends of @a link, the lesser of two; 0: not known. */
static double end_speed(const mtree_probe_t *probe, int link)
{
    const mtree_probe_edge_t *edge = &probe->graph.links[link];
    double at_u = (edge->u < probe->num_hosts) ? probe->speeds[edge->u] : 0;
    double at_v = (edge->v < probe->num_hosts) ? probe->speeds[edge->v] : 0;

    return (at_u > 0 && at_v > 0) ? fmin(at_u, at_v) : fmax(at_u, at_v);
}

/* The capacity of an arc, and its confidence. */
static double judge(const mtree_probe_t *probe, int arc,
                    mtree_probe_confidence_t *confidence)
{
    const mtree_probe_arc_t *there = &probe->arcs[arc], *back = &probe->arcs[arc ^ 1];
    double speed = end_speed(probe, arc >> 1);

    *confidence = (mtree_probe_confidence_t){MTREE_PROBE_ASSUMED, 0};
    if (there->known) {
        *confidence = (mtree_probe_confidence_t){MTREE_PROBE_MEASURED, there->spread};
        return there->value;
    }
    /* An arc without a test of its own is better known from its other direction. */
    if (there->most > 0 &&
        (there->tries > 0 || !back->known || back->value < there->most)) {
        *confidence = (mtree_probe_confidence_t){MTREE_PROBE_AT_LEAST, 0};
        return there->most;
    }
    if (back->known || back->most > 0) {
        return back->known ? back->value : back->most;
    }
    return (speed > 0) ? speed : capacity_of_alike(probe, probe->latency[arc >> 1]);
}

static mtree_status_t add_links(const mtree_probe_t *probe, mtree_topology_t *topology,
                                mtree_probe_link_t *links)
{
    mtree_status_t status = MTREE_OK;
    const mtree_probe_edge_t *edge;
    double forward, backward;

    for (int i = 0; status == MTREE_OK && i < probe->graph.num_links; ++i) {
        edge = &probe->graph.links[i];
        forward = judge(probe, 2 * i, &links[i].capacity[0]);
        backward = judge(probe, 2 * i + 1, &links[i].capacity[1]);
        links[i].latency =
            probe->latency[i] > 0
                ? (mtree_probe_confidence_t){MTREE_PROBE_MEASURED, probe->latency_error}
                : (mtree_probe_confidence_t){MTREE_PROBE_ASSUMED, 0};
        status = mtree_topology_add_link(
            topology, edge->u, edge->v, mtree_units_round(forward),
            mtree_units_round(backward), mtree_units_round(probe->latency[i]), NULL);
    }
    return status;
}

/* How often arcs were measured anew, and how steady they were then. */
static void count_tries(const mtree_probe_t *probe, mtree_probe_findings_t *findings)
{
    for (int i = 0; i < 2 * probe->graph.num_links; ++i) {
        const bool repeated = probe->arcs[i].known && probe->arcs[i].tries > 1;

        findings->num_reused += probe->arcs[i].reused > 0;
        findings->num_repeated += repeated;
        findings->num_unsteady += repeated && probe->arcs[i].spread > UNSTEADY;
    }
}

/* Make the topology and the list of its links, which the caller clears on errors. */
static mtree_status_t make_topology(mtree_probe_t *probe,
                                    mtree_probe_findings_t *findings)
{
    mtree_status_t status;

    findings->topology = mtree_topology_create("probed", "the link probe");
    findings->links =
        mtree_calloc((size_t)probe->graph.num_links, sizeof(*findings->links));
    status = add_vertices(probe, findings->topology);
    if (status == MTREE_OK) {
        status = add_links(probe, findings->topology, findings->links);
    }
    if (status == MTREE_OK) {
        mtree_probe_find_cost(probe, &findings->topology->cost);
    }
    return status;
}

mtree_status_t mtree_probe_finish(mtree_probe_t *probe,
                                  mtree_probe_findings_t *findings_p)
{
    mtree_probe_findings_t findings = {.routes_known = probe->routes_known,
                                       .num_routes = probe->graph.num_paths,
                                       .num_rounds = probe->num_rounds,
                                       .seconds = probe->spent,
                                       .bytes = probe->bytes};
    mtree_status_t status;

    if (!probe->has_graph || probe->latency == NULL) {
        mtree_error(
            "the probe of %d hosts ended before it had found their network; give it "
            "more than %g seconds (coll_mtree_probe_seconds)",
            probe->num_hosts, probe->options.seconds);
        return MTREE_ERR_UNREACHABLE;
    }
    status = make_topology(probe, &findings);
    if (status == MTREE_OK) {
        status = mtree_networks_add(&probe->networks, &findings);
    }
    if (status != MTREE_OK) {
        mtree_probe_findings_clear(&findings);
        return status;
    }
    count_tries(probe, &findings);
    *findings_p = findings;
    return MTREE_OK;
}

void mtree_probe_findings_clear(mtree_probe_findings_t *findings)
{
    mtree_topology_destroy(findings->topology);
    free(findings->links);
    *findings = (mtree_probe_findings_t){0};
}

const char *mtree_probe_load_reason(const mtree_probe_findings_t *findings,
                                    double seconds, const mtree_pressure_t *worst)
{
    if (worst->waited > MOST_WAITED * seconds) {
        return "a host had no processor free";
    }
    if (worst->stolen > MOST_STOLEN * seconds) {
        return "a hypervisor took a host's processors";
    }
    if (findings->num_repeated >= LEAST_REPEATED &&
        findings->num_unsteady > MOST_UNSTEADY * findings->num_repeated) {
        return "repeated measurements differ";
    }
    return NULL;
}
