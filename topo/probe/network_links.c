/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/arena.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/units.h"
#include "topo/probe/graph.h"
#include "topo/probe/networks.h"
#include "topo/routes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NONE (-1)

/* Networks of the same hosts that carry less than this part of what they carry one by
 * one share something. */
#define SHARING 0.65

/* Hosts use a switch over which they are so many times as fast as without it. */
#define FASTER 1.1

/* What the switch adds to the latency of a way is at most this part of it. */
#define SHORTER 0.49

/* What one network shows of a host; rates are bits/s from it and to it. */
typedef struct {
    double rate[2]; /* the most */
    double sum[2];  /* in the host's turn */
    double alone;   /* of both, in another turn; 0: there was none */
    mtree_address_t address;
} port_t;

typedef struct {
    const mtree_networks_t *networks;
    mtree_probe_findings_t *findings;
    int hub;            /* the switch that is the only neighbour of all hosts, or NONE */
    double (*known)[2]; /* [num_hosts] bits/s of links without ends from it, and to it */
    int num_lanes;      /* networks of a group that are used: */
    port_t *ports;      /* [MTREE_TOPOLOGY_MAX_CABLES][num_hosts] */
    int *members;       /* [num_hosts] scratch: hosts that are to join a switch */
    int *class_of;      /* [num_hosts] scratch: hosts that are joined */
    double latency;     /* seconds, from a host to the switch; infinite: not known */
} adder_t;

/* The link between vertices @a u and @a v, or NONE. */
static int find_link(const mtree_topology_t *topology, int u, int v)
{
    for (int l = 0; l < topology->num_links; l++) {
        const mtree_link_t *link = &topology->links[l];

        if ((link->u == u && link->v == v) || (link->u == v && link->v == u)) {
            return l;
        }
    }
    return NONE;
}

/* The number of the link between vertices @a u and @a v, which has cables, or none yet
 * and no capacity.  What streams have measured between two that cables join is what the
 * cables carry. */
static mtree_status_t link_of(mtree_probe_findings_t *findings, int u, int v,
                              double latency, int *link_p)
{
    mtree_topology_t *topology = findings->topology;
    mtree_status_t status = MTREE_OK;
    mtree_probe_link_t *links;

    *link_p = find_link(topology, u, v);
    if (*link_p >= 0 && topology->links[*link_p].num_cables > 0) {
        return MTREE_OK;
    }
    links = mtree_realloc(findings->links,
                          ((size_t)topology->num_links + 1) * sizeof(*findings->links));
    findings->links = links;
    if (*link_p < 0) {
        status = mtree_topology_add_link(topology, u, v, 1, 1, latency, link_p);
    }
    if (status == MTREE_OK) {
        links[*link_p] =
            (mtree_probe_link_t){.capacity = {{.basis = MTREE_PROBE_MEASURED},
                                              {.basis = MTREE_PROBE_MEASURED}},
                                 .latency = {.basis = MTREE_PROBE_MEASURED}};
        topology->links[*link_p].capacity[0] = topology->links[*link_p].capacity[1] = 0;
    }
    return status;
}

/* Join vertices @a u and @a v by @a cable, with its ends at these.  Those beyond what a
 * link may have are not used. */
static mtree_status_t add_cable(mtree_probe_findings_t *findings, int u, int v,
                                mtree_cable_t cable, double latency)
{
    mtree_link_t *link;
    mtree_status_t status;
    int number;

    latency = mtree_units_round(latency);
    cable.capacity[0] = mtree_units_round(cable.capacity[0]);
    cable.capacity[1] = mtree_units_round(cable.capacity[1]);
    status = link_of(findings, u, v, latency, &number);
    if (status != MTREE_OK) {
        return status;
    }
    link = &findings->topology->links[number];
    if (link->u != u) {
        cable = (mtree_cable_t){.ends = {cable.ends[1], cable.ends[0]},
                                .capacity = {cable.capacity[1], cable.capacity[0]}};
    }
    status = mtree_topology_add_cable(findings->topology, number, &cable);
    if (status == MTREE_OK) {
        link->capacity[0] += cable.capacity[0];
        link->capacity[1] += cable.capacity[1];
        link->latency = fmax(link->latency, latency);
    }
    return status == MTREE_ERR_LIMIT ? MTREE_OK : status;
}

static bool has_carried(const mtree_network_trial_t *trial)
{
    return trial->rate[0] > 0 && trial->rate[1] > 0;
}

static bool is_live(const port_t *port)
{
    return port->rate[0] > 0 && port->rate[1] > 0;
}

/* Take what @a trial shows of the host at its end @a end. */
static void read_trial(const mtree_network_trial_t *trial, int end, port_t *port)
{
    port->address = trial->ends[end];
    for (int way = 0; way < 2; way++) {
        const double rate = trial->rate[end ^ way];

        if (trial->is_alone) {
            port->alone += end == 0 ? rate : 0;
        } else {
            port->sum[way] += end == 0 ? rate : 0;
            port->rate[way] = fmax(port->rate[way], fmax(rate, port->sum[way]));
        }
    }
}

/* Are all hosts that @a network joins with some joined with each other? */
static bool are_joined(const adder_t *adder, int network, const port_t *ports)
{
    const mtree_networks_t *networks = adder->networks;
    int first = NONE;

    for (int host = 0; host < networks->num_hosts; host++) {
        adder->class_of[host] = host;
    }
    for (int t = networks->first[network]; t < networks->first[network + 1]; t++) {
        if (has_carried(&networks->trials[t])) {
            mtree_probe_class_join(adder->class_of, networks->trials[t].hosts[0],
                                   networks->trials[t].hosts[1]);
        }
    }
    for (int host = 0; host < networks->num_hosts; host++) {
        if (is_live(&ports[host])) {
            first = first == NONE ? host : first;
            if (mtree_probe_class_find(adder->class_of, host) != first) {
                return false;
            }
        }
    }
    return first != NONE;
}

/* Read @a network into @a ports.  False: it joins no hosts, or some of them not with each
 * other. */
static bool read_network(adder_t *adder, int network, port_t *ports)
{
    const mtree_networks_t *networks = adder->networks;

    memset(ports, 0, (size_t)networks->num_hosts * sizeof(*ports));
    for (int t = networks->first[network]; t < networks->first[network + 1]; t++) {
        const mtree_network_trial_t *trial = &networks->trials[t];

        read_trial(trial, 0, &ports[trial->hosts[0]]);
        read_trial(trial, 1, &ports[trial->hosts[1]]);
        adder->latency = fmin(adder->latency, trial->latency / 2);
    }
    return are_joined(adder, network, ports);
}

/* Do the networks that have been read share something?  All hosts that tell say so. */
static bool do_share(const adder_t *adder)
{
    const int hosts = adder->networks->num_hosts;
    bool is_told = false;

    for (int host = 0; host < hosts; host++) {
        double together = 0, alone = 0;

        for (int lane = 0; lane < adder->num_lanes; lane++) {
            const port_t *port = &adder->ports[lane * hosts + host];

            together += port->sum[0] + port->sum[1];
            alone += port->alone;
        }
        if (alone > 0 && together >= SHARING * alone) {
            return false;
        }
        is_told = is_told || alone > 0;
    }
    return is_told;
}

/* Were all hosts of a network that showed @a ports joined by it? */
static bool joins_all(const adder_t *adder, const port_t *ports)
{
    for (int host = 0; host < adder->networks->num_hosts; host++) {
        if (ports[host].address.family != AF_UNSPEC && !is_live(&ports[host])) {
            return false;
        }
    }
    return true;
}

/* Read the networks of @a group that are used: one, or several that join all hosts of the
 * group.  The one that is shared is part of the hub, or of what cannot be replaced. */
static void read_group(adder_t *adder, int group)
{
    const mtree_networks_t *networks = adder->networks;
    bool is_whole = true;

    adder->num_lanes = 0;
    adder->latency = INFINITY;
    for (int network = group; network < networks->num_networks; network++) {
        port_t *ports = adder->ports + adder->num_lanes * networks->num_hosts;

        if (networks->group[network] == group && is_whole &&
            (network != networks->shared || adder->hub != NONE) &&
            adder->num_lanes < MTREE_TOPOLOGY_MAX_CABLES &&
            read_network(adder, network, ports)) {
            is_whole = joins_all(adder, ports);
            adder->num_lanes += is_whole || adder->num_lanes == 0;
        }
    }
    adder->num_lanes = do_share(adder) ? 0 : adder->num_lanes;
}

/* What all networks that are used carry from @a host (@a way 0) or to it. */
static double lanes_rate(const adder_t *adder, int host, int way)
{
    double sum = 0;

    for (int lane = 0; lane < adder->num_lanes; lane++) {
        sum += adder->ports[lane * adder->networks->num_hosts + host].rate[way];
    }
    return sum;
}

/* List the hosts that are @a times as fast over these networks as without them; how many.
 */
static int find_faster(adder_t *adder, double times)
{
    int count = 0;

    for (int host = 0; host < adder->networks->num_hosts; host++) {
        const double *known = adder->known[host];

        if (lanes_rate(adder, host, 0) > times * known[0] &&
            lanes_rate(adder, host, 1) > times * known[1]) {
            adder->members[count++] = host;
        }
    }
    return count;
}

/* Routes are to lead over what joins @a count members, where it is no longer way. */
static mtree_status_t limit_latency(adder_t *adder, int count)
{
    mtree_routes_t *routes;
    mtree_status_t status =
        mtree_routes_create(adder->findings->topology, adder->members, count, &routes);

    for (int pair = 0; status == MTREE_OK && pair < count * count; pair++) {
        if (pair / count != pair % count) {
            adder->latency =
                fmin(adder->latency,
                     SHORTER * mtree_routes_latency(routes, pair / count, pair % count));
        }
    }
    if (status == MTREE_OK) {
        mtree_routes_destroy(routes);
    }
    return status;
}

/* Join @a count members to @a vertex, by a cable for each network. */
static mtree_status_t join_members(const adder_t *adder, int count, int vertex)
{
    const int hosts = adder->networks->num_hosts;
    mtree_status_t status = MTREE_OK;

    for (int i = 0; i < count * adder->num_lanes && status == MTREE_OK; i++) {
        const int host = adder->members[i / adder->num_lanes];
        const port_t *port = &adder->ports[i % adder->num_lanes * hosts + host];

        status = add_cable(adder->findings, host, vertex,
                           (mtree_cable_t){.ends = {port->address},
                                           .capacity = {port->rate[0], port->rate[1]}},
                           adder->latency);
    }
    return status;
}

/* A new switch in *vertex_p. */
static mtree_status_t add_switch(mtree_topology_t *topology, int *vertex_p)
{
    char name[32];
    int number = 1;

    do {
        (void)snprintf(name, sizeof(name), "network%d", number++);
    } while (mtree_topology_find_vertex(topology, name) >= 0);
    return mtree_topology_add_vertex(topology, name, NULL, MTREE_VERTEX_SWITCH, vertex_p);
}

/* Add the switch of the networks of @a group, if it is of use; or its networks to the
 * hub, if the shared one is among them. */
static mtree_status_t add_group(adder_t *adder, int group)
{
    const mtree_networks_t *networks = adder->networks;
    const bool has_hub = networks->shared != NONE && adder->hub != NONE &&
                         networks->group[networks->shared] == group;
    int vertex = adder->hub, count;
    mtree_status_t status = MTREE_OK;

    read_group(adder, group);
    count = find_faster(adder, has_hub ? 0 : FASTER);
    if (count < 2 || adder->num_lanes < 1 + has_hub) {
        return MTREE_OK;
    }
    if (has_hub) {
        /* What is not known changes nothing. */
        adder->latency = isfinite(adder->latency) ? adder->latency : 0;
    } else {
        status = limit_latency(adder, count);
        if (status == MTREE_OK) {
            status = add_switch(adder->findings->topology, &vertex);
        }
    }
    return status == MTREE_OK ? join_members(adder, count, vertex) : status;
}

/* The switch that is the only neighbour of each of the first @a hosts vertices. */
static int find_hub(const mtree_topology_t *topology, int hosts)
{
    bool is_star = topology->num_vertices == hosts + 1 && topology->num_links == hosts;

    for (int l = 0; l < topology->num_links && is_star; l++) {
        is_star = topology->links[l].u == hosts || topology->links[l].v == hosts;
    }
    return is_star ? hosts : NONE;
}

static void adder_init(adder_t *adder, mtree_arena_t *arena)
{
    const mtree_topology_t *topology = adder->findings->topology;
    const int hosts = adder->networks->num_hosts;

    MTREE_ARENA_ARRAY(arena, adder->known, (size_t)hosts);
    MTREE_ARENA_ARRAY(arena, adder->members, (size_t)hosts);
    MTREE_ARENA_ARRAY(arena, adder->class_of, (size_t)hosts);
    MTREE_ARENA_ARRAY(arena, adder->ports, MTREE_TOPOLOGY_MAX_CABLES * (size_t)hosts);
    for (int arc = 0; arc < 2 * topology->num_links; arc++) {
        const int ends[2] = {mtree_arc_from(topology, arc), mtree_arc_to(topology, arc)};

        for (int end = 0; end < 2; end++) {
            if (ends[end] < hosts) {
                adder->known[ends[end]][end] += mtree_arc_capacity(topology, arc);
            }
        }
    }
    adder->hub = find_hub(topology, hosts);
}

/* Add the cable that @a network is, if it joins its hosts. */
static mtree_status_t add_pair(adder_t *adder, int network)
{
    const mtree_network_trial_t *trial =
        &adder->networks->trials[adder->networks->first[network]];
    const port_t *port = &adder->ports[trial->hosts[0]];
    mtree_status_t status = MTREE_OK;

    adder->latency = INFINITY;
    if (!read_network(adder, network, adder->ports)) {
        return MTREE_OK;
    }
    if (!isfinite(adder->latency)) {
        memcpy(adder->members, trial->hosts, sizeof(trial->hosts));
        status = limit_latency(adder, 2);
    }
    return status == MTREE_OK
               ? add_cable(adder->findings, trial->hosts[0], trial->hosts[1],
                           (mtree_cable_t){.ends = {trial->ends[0], trial->ends[1]},
                                           .capacity = {port->rate[0], port->rate[1]}},
                           2 * adder->latency)
               : status;
}

mtree_status_t mtree_networks_add(const mtree_networks_t *networks,
                                  mtree_probe_findings_t *findings)
{
    adder_t adder = {.networks = networks, .findings = findings};
    mtree_arena_t arena = {0};
    mtree_status_t status = MTREE_OK;

    adder_init(&adder, &arena);
    /* Switches first: their latencies follow from those of ways without cables. */
    for (int i = 0; i < 2 * networks->num_networks && status == MTREE_OK; i++) {
        const int network = i % networks->num_networks;
        const int num_trials = networks->first[network + 1] - networks->first[network];

        if (i == network && num_trials > 2 && networks->group[network] == network) {
            status = add_group(&adder, network);
        } else if (i > network && num_trials == 2) {
            status = add_pair(&adder, network);
        }
    }
    mtree_arena_cleanup(&arena);
    return status;
}
