/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/probe/networks.h"

#include "base/log.h"
#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* For each command. */
#define SECONDS 20.0

/* Have all hosts, which are known by @a contributions, describe their interfaces, and
 * find their networks. */
static mtree_status_t find_networks(coll_mtree_probe_coordinator_t *coordinator,
                                    const coll_mtree_host_t *contributions,
                                    coll_mtree_cable_host_t *described,
                                    mtree_networks_t *networks)
{
    const int num_hosts = coordinator->num_hosts;
    mtree_host_interfaces_t *list = mtree_calloc((size_t)num_hosts, sizeof(*list));
    mtree_status_t status = coll_mtree_probe_coordinator_ask(
        coordinator, COLL_MTREE_COMMAND_INTERFACES, SECONDS);

    for (int host = 0; host < num_hosts && status == MTREE_OK; host++) {
        memcpy(&described[host], coordinator->share[host].replies, sizeof(*described));
        list[host] = described[host].interfaces;
        list[host].own = contributions[host].addresses[0];
    }
    if (status == MTREE_OK) {
        mtree_networks_find(list, num_hosts, networks);
    }
    free(list);
    return status;
}

/* Give each host its ends of the trials of @a round. */
static void share_out(coll_mtree_probe_coordinator_t *coordinator,
                      const coll_mtree_cable_host_t *described,
                      const mtree_networks_t *networks, int round)
{
    coll_mtree_probe_coordinator_clear(coordinator, COLL_MTREE_COMMAND_EXPERIMENTS);
    for (int end = 0; end < 2 * networks->num_trials; end++) {
        const mtree_network_trial_t *trial = &networks->trials[end / 2];
        const int near = end % 2, other = trial->hosts[!near];
        const coll_mtree_probe_part_t part = {
            .number = end / 2,
            .is_cable = true,
            .cable = {.number = end / 2,
                      .dials = near == 0,
                      .ends = {trial->ends[near], trial->ends[!near]},
                      .port = described[other].port,
                      .secret = described[other].secret}};

        if (trial->round == round) {
            coll_mtree_probe_coordinator_add(coordinator, trial->hosts[near], &part);
        }
    }
}

/* What the ends of the trials have measured. */
static void take_reports(const coll_mtree_probe_coordinator_t *coordinator,
                         mtree_networks_t *networks)
{
    for (int host = 0; host < coordinator->num_hosts; host++) {
        const coll_mtree_share_t *share = &coordinator->share[host];
        const coll_mtree_probe_report_t *reports = share->replies;

        for (int i = 0; i < share->command.num_items; i++) {
            mtree_network_trial_t *to = &networks->trials[reports[i].number];

            /* What comes to the first host goes from the second one. */
            to->rate[to->hosts[0] == host] = reports[i].rate;
            to->latency = fmin(to->latency, reports[i].trip / 2);
        }
    }
}

/* Has the host at end @a end of @a trial exchanged bytes in another of its network? */
static bool has_been_joined(const mtree_networks_t *networks,
                            const mtree_network_trial_t *trial, int end)
{
    const int host = trial->hosts[end];

    for (int t = networks->first[trial->network]; t < networks->first[trial->network + 1];
         t++) {
        const mtree_network_trial_t *other = &networks->trials[t];

        if (other->rate[0] > 0 && (other->hosts[0] == host || other->hosts[1] == host)) {
            return true;
        }
    }
    return false;
}

/* Has a trial of @a round failed between hosts that seem to be joined? */
static bool has_failed(const mtree_networks_t *networks, int round)
{
    for (int t = 0; t < networks->num_trials; t++) {
        const mtree_network_trial_t *trial = &networks->trials[t];

        if (trial->round == round && (trial->rate[0] <= 0 || trial->rate[1] <= 0) &&
            has_been_joined(networks, trial, 0) && has_been_joined(networks, trial, 1)) {
            return true;
        }
    }
    return false;
}

mtree_status_t coll_mtree_probe_networks(coll_mtree_probe_coordinator_t *coordinator,
                                         const coll_mtree_host_t *contributions,
                                         mtree_networks_t *networks)
{
    coll_mtree_cable_host_t *described =
        mtree_calloc((size_t)coordinator->num_hosts, sizeof(*described));
    mtree_status_t status =
        find_networks(coordinator, contributions, described, networks);

    /* Rounds in which something has failed are repeated. */
    for (int i = 0; i < 2 * networks->num_rounds && status == MTREE_OK; i++) {
        const int round = i % networks->num_rounds;

        if (i > round && !has_failed(networks, round)) {
            continue;
        }
        share_out(coordinator, described, networks, round);
        status = coll_mtree_probe_coordinator_run(coordinator, SECONDS);
        if (status == MTREE_OK) {
            take_reports(coordinator, networks);
            mtree_debug("probe: networks: round %d of %d: %.3f s", round + 1,
                        networks->num_rounds, coordinator->took);
        }
    }
    free(described);
    return status;
}
