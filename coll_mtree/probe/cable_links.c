/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/probe/cable_links.h"

#include "coll_mtree/base/memory.h"

#include "base/log.h"
#include "base/units.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* For each of the two commands. */
#define SECONDS 20.0

/* Have all hosts describe their interfaces; Open MPI's code. */
static int ask_hosts(coll_mtree_probe_coordinator_t *coordinator,
                     coll_mtree_cable_host_t *described)
{
    double took;
    int rc;

    coll_mtree_probe_coordinator_clear(coordinator, COLL_MTREE_COMMAND_INTERFACES);
    for (int host = 0; host < coordinator->num_hosts; host++) {
        coordinator->share[host].command.num_items = 1;
    }
    rc = coll_mtree_probe_coordinator_run(coordinator, SECONDS, &took);
    for (int host = 0; host < coordinator->num_hosts && rc == OMPI_SUCCESS; host++) {
        memcpy(&described[host], coordinator->share[host].reply, sizeof(*described));
    }
    return rc;
}

/* The pairs of interfaces of the hosts. */
static void find_pairs(const coll_mtree_probe_coordinator_t *coordinator,
                       const coll_mtree_cable_host_t *described,
                       mtree_cable_pair_t **pairs_p, int *num_p)
{
    const int num_hosts = coordinator->num_hosts;
    mtree_host_interfaces_t *list = coll_mtree_calloc((size_t)num_hosts, sizeof(*list));

    for (int host = 0; host < num_hosts; host++) {
        memcpy(list[host].list, described[host].list, sizeof(list[host].list));
        list[host].count = described[host].count;
    }
    coll_mtree_require(mtree_cable_pairs_find(list, num_hosts, pairs_p, num_p));
    free(list);
}

/* Give each host its ends of the @a num pairs to try. */
static void share_out(coll_mtree_probe_coordinator_t *coordinator,
                      const coll_mtree_cable_host_t *described,
                      const mtree_cable_pair_t *pairs, int num)
{
    coll_mtree_probe_coordinator_clear(coordinator, COLL_MTREE_COMMAND_CABLES);
    for (int p = 0; p < 2 * num; p++) {
        const mtree_cable_pair_t *pair = &pairs[p / 2];
        const int near = p % 2, other = pair->hosts[!near];
        coll_mtree_share_t *share = &coordinator->share[pair->hosts[near]];
        coll_mtree_cable_part_t *items = coll_mtree_realloc(
            share->items, ((size_t)share->command.num_items + 1) * sizeof(*items));

        items[share->command.num_items++] =
            (coll_mtree_cable_part_t){.number = p / 2,
                                      .dials = near == 0,
                                      .ends = {pair->ends[near], pair->ends[!near]},
                                      .port = described[other].port,
                                      .secret = described[other].secret};
        share->items = items;
    }
}

/* What the ends of the pairs have measured; those that carry nothing are no cables. */
static void take_reports(const coll_mtree_probe_coordinator_t *coordinator,
                         const mtree_cable_pair_t *pairs, int num,
                         coll_mtree_probe_cables_t *cables)
{
    for (int p = 0; p < num; p++) {
        cables->list[p] = (coll_mtree_probe_cable_t){
            .hosts = {pairs[p].hosts[0], pairs[p].hosts[1]},
            .cable = {.ends = {pairs[p].ends[0], pairs[p].ends[1]}},
            .latency = INFINITY};
    }
    for (int host = 0; host < coordinator->num_hosts; host++) {
        const coll_mtree_share_t *share = &coordinator->share[host];
        const coll_mtree_cable_report_t *reports = share->reply;

        for (int i = 0; i < share->command.num_items; i++) {
            coll_mtree_probe_cable_t *to = &cables->list[reports[i].number];

            /* What comes to the first host goes from the second one. */
            to->cable.capacity[to->hosts[0] == host] = mtree_units_round(reports[i].rate);
            to->latency = fmin(to->latency, reports[i].trip / 2);
        }
    }
    for (int p = 0; p < num; p++) {
        cables->list[p].latency = mtree_units_round(cables->list[p].latency);
    }
    for (int p = 0; p < num; p++) {
        const double *capacity = cables->list[p].cable.capacity;

        if (capacity[0] > 0 && capacity[1] > 0) {
            cables->list[cables->num++] = cables->list[p];
        }
    }
}

static int try_pairs(coll_mtree_probe_coordinator_t *coordinator,
                     const coll_mtree_cable_host_t *described,
                     const mtree_cable_pair_t *pairs, int num,
                     coll_mtree_probe_cables_t *cables)
{
    double took;
    int rc;

    cables->list = coll_mtree_calloc((size_t)num, sizeof(*cables->list));
    share_out(coordinator, described, pairs, num);
    rc = coll_mtree_probe_coordinator_run(coordinator, SECONDS, &took);
    if (rc == OMPI_SUCCESS) {
        take_reports(coordinator, pairs, num, cables);
        mtree_debug("probe: %d of %d pairs of interfaces are cables, after %.3f s",
                    cables->num, num, took);
    }
    return rc;
}

int coll_mtree_probe_cables_find(coll_mtree_probe_coordinator_t *coordinator,
                                 coll_mtree_probe_cables_t *cables)
{
    coll_mtree_cable_host_t *described =
        coll_mtree_calloc((size_t)coordinator->num_hosts, sizeof(*described));
    mtree_cable_pair_t *pairs = NULL;
    int num = 0, rc = ask_hosts(coordinator, described);

    if (rc == OMPI_SUCCESS) {
        find_pairs(coordinator, described, &pairs, &num);
    }
    if (rc == OMPI_SUCCESS && num > 0) {
        rc = try_pairs(coordinator, described, pairs, num, cables);
    }
    free(pairs);
    free(described);
    return rc;
}

/* The link between vertices @a u and @a v; -1: there is none. */
static int find_link(const mtree_topology_t *topology, int u, int v)
{
    for (int l = 0; l < topology->num_links; l++) {
        const mtree_link_t *link = &topology->links[l];

        if ((link->u == u && link->v == v) || (link->u == v && link->v == u)) {
            return l;
        }
    }
    return -1;
}

/* The number of the link between the ends of @a found, which has cables, or none yet and
 * no capacity.  What streams have measured between two hosts that cables join is what the
 * cables carry. */
static mtree_status_t link_of(const coll_mtree_probe_cable_t *found,
                              mtree_probe_findings_t *findings, int *link_p)
{
    mtree_topology_t *topology = findings->topology;
    mtree_status_t status = MTREE_OK;
    mtree_probe_link_t *links;

    *link_p = find_link(topology, found->hosts[0], found->hosts[1]);
    if (*link_p >= 0 && topology->links[*link_p].num_cables > 0) {
        return MTREE_OK;
    }
    links = coll_mtree_realloc(findings->links, ((size_t)topology->num_links + 1) *
                                                    sizeof(*findings->links));
    findings->links = links;
    if (*link_p < 0) {
        status = mtree_topology_add_link(topology, found->hosts[0], found->hosts[1], 1, 1,
                                         found->latency, link_p);
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

static mtree_status_t add_one(const coll_mtree_probe_cable_t *found,
                              mtree_probe_findings_t *findings)
{
    mtree_cable_t cable = found->cable;
    mtree_link_t *link;
    mtree_status_t status;
    int number;

    status = link_of(found, findings, &number);
    if (status != MTREE_OK) {
        return status;
    }
    link = &findings->topology->links[number];
    if (link->u != found->hosts[0]) {
        cable = (mtree_cable_t){.ends = {cable.ends[1], cable.ends[0]},
                                .capacity = {cable.capacity[1], cable.capacity[0]}};
    }
    status = mtree_topology_add_cable(findings->topology, number, &cable);
    if (status == MTREE_OK) {
        link->capacity[0] += cable.capacity[0];
        link->capacity[1] += cable.capacity[1];
        link->latency = fmax(link->latency, found->latency);
    }
    /* Those beyond what a link may have are not used. */
    return status == MTREE_ERR_LIMIT ? MTREE_OK : status;
}

mtree_status_t coll_mtree_probe_cables_add(const coll_mtree_probe_cables_t *cables,
                                           mtree_probe_findings_t *findings)
{
    mtree_status_t status = MTREE_OK;

    for (int c = 0; c < cables->num && status == MTREE_OK; c++) {
        status = add_one(&cables->list[c], findings);
    }
    return status;
}

void coll_mtree_probe_cables_cleanup(coll_mtree_probe_cables_t *cables)
{
    free(cables->list);
    *cables = (coll_mtree_probe_cables_t){0};
}
