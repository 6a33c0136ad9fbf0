/* SPDX-License-Identifier: BSD-3-Clause */
#include "topo/probe/state.h"

#include <math.h>
#include <stdio.h>

#define NONE (-1)

/* A network that an earlier one has all interfaces of. */
#define COVERED (-2)

/* With how many others a host exchanges bytes at once. */
#define FAN 3

/* Hosts that tell whether networks share something. */
#define WITNESSES 2

typedef struct {
    const mtree_host_interfaces_t *hosts;
    int num_hosts;
    int (*of)[MTREE_HOST_INTERFACES]; /* [num_hosts] the network of each interface */
    int *members;                     /* [num_hosts] scratch: hosts of a network */
    mtree_networks_t *to;
} finder_t;

/* Are the two in one network? */
static bool are_together(const mtree_interface_t *a, const mtree_interface_t *b)
{
    return a->prefix == b->prefix && mtree_interface_reaches(a, &b->address) &&
           !mtree_address_equals(&a->address, &b->address);
}

/* The interface of @a host in @a network, or NONE. */
static int find_interface(const finder_t *finder, int host, int network)
{
    for (int i = 0; i < finder->hosts[host].count; i++) {
        if (finder->of[host][i] == network) {
            return i;
        }
    }
    return NONE;
}

/* List the hosts of @a network in finder->members; how many. */
static int list_members(const finder_t *finder, int network)
{
    int count = 0;

    for (int host = 0; host < finder->num_hosts; host++) {
        if (find_interface(finder, host, network) != NONE) {
            finder->members[count++] = host;
        }
    }
    return count;
}

/* Is each host of @a network in network @a other, and if @a by_device by the same device?
 */
static bool is_covered(const finder_t *finder, int network, int other, bool by_device)
{
    for (int host = 0; host < finder->num_hosts; host++) {
        const mtree_interface_t *list = finder->hosts[host].list;
        const int i = find_interface(finder, host, network);
        const int j = i == NONE ? NONE : find_interface(finder, host, other);

        if (i != NONE && (j == NONE || (by_device && list[j].device != list[i].device))) {
            return false;
        }
    }
    return true;
}

/* Is an earlier network at @a host one that covers @a network? */
static bool is_needless(const finder_t *finder, int host, int network)
{
    for (int i = 0; i < finder->hosts[host].count; i++) {
        const int before = finder->of[host][i];

        if (before >= 0 && before < network &&
            is_covered(finder, network, before, true)) {
            return true;
        }
    }
    return false;
}

/* Number the network of interface @a i of @a host if later hosts are in it. */
static void number_network(finder_t *finder, int host, int i)
{
    const mtree_interface_t *own = &finder->hosts[host].list[i];
    const int network = finder->to->num_networks;

    for (int other = host + 1; other < finder->num_hosts; other++) {
        const mtree_host_interfaces_t *at = &finder->hosts[other];

        for (int j = 0; j < at->count; j++) {
            if (finder->of[other][j] == NONE && are_together(own, &at->list[j])) {
                finder->of[host][i] = finder->of[other][j] = network;
                break;
            }
        }
    }
    if (finder->of[host][i] == network && !is_needless(finder, host, network)) {
        finder->to->num_networks++;
        return;
    }
    for (int other = host; other < finder->num_hosts; other++) {
        const int j = find_interface(finder, other, network);

        if (j != NONE) {
            finder->of[other][j] = COVERED;
        }
    }
}

static void number_networks(finder_t *finder)
{
    static const sa_family_t families[2] = {AF_INET, AF_INET6};

    for (int host = 0; host < finder->num_hosts; host++) {
        for (int i = 0; i < MTREE_HOST_INTERFACES; i++) {
            finder->of[host][i] = NONE;
        }
    }
    for (int f = 0; f < 2; f++) {
        for (int host = 0; host < finder->num_hosts; host++) {
            for (int i = 0; i < finder->hosts[host].count; i++) {
                if (finder->of[host][i] == NONE &&
                    finder->hosts[host].list[i].address.family == families[f]) {
                    number_network(finder, host, i);
                }
            }
        }
    }
}

/* Is network @a a that of all hosts' own addresses? */
static bool is_shared(const finder_t *finder, int network)
{
    for (int host = 0; host < finder->num_hosts; host++) {
        const mtree_host_interfaces_t *at = &finder->hosts[host];
        const int i = find_interface(finder, host, network);

        if (i == NONE || !mtree_address_equals(&at->list[i].address, &at->own)) {
            return false;
        }
    }
    return true;
}

/* The first network of the hosts of @a network. */
static int find_group(const finder_t *finder, int network)
{
    int group = network, host;

    (void)list_members(finder, network);
    host = finder->members[0];
    for (int i = 0; i < finder->hosts[host].count; i++) {
        const int other = finder->of[host][i];

        if (other >= 0 && other < group && is_covered(finder, network, other, false) &&
            is_covered(finder, other, network, false)) {
            group = other;
        }
    }
    return group;
}

/* Find the groups, and which network is shared. */
static void group_networks(finder_t *finder)
{
    mtree_networks_t *to = finder->to;

    for (int network = 0; network < to->num_networks; network++) {
        to->group[network] = find_group(finder, network);
        if (to->shared == NONE && is_shared(finder, network)) {
            to->shared = network;
        }
    }
}

static void add_trial(finder_t *finder, int network, int a, int b, int round,
                      bool is_alone)
{
    mtree_networks_t *to = finder->to;
    const int i = find_interface(finder, a, network),
              j = find_interface(finder, b, network);
    mtree_network_trial_t *trial =
        MTREE_ARENA_APPEND(&to->arena, to->trials, to->num_trials, to->capacity);

    *trial = (mtree_network_trial_t){
        .network = network,
        .round = round,
        .is_alone = is_alone,
        .hosts = {a, b},
        .ends = {finder->hosts[a].list[i].address, finder->hosts[b].list[j].address},
        .latency = INFINITY};
    to->num_rounds = round >= to->num_rounds ? round + 1 : to->num_rounds;
}

/* Each host of @a network has a turn; in a round those of few hosts overlap.  The first
 * ones have another later, after those of @a earlier networks of the same hosts, if there
 * are such. */
static void add_trials(finder_t *finder, int network, bool has_others, int earlier)
{
    const int *members = finder->members, count = list_members(finder, network);
    const int width = count > FAN ? FAN + 1 : count, at_once = count / width;
    const int rounds = (count + at_once - 1) / at_once;
    const int turns = count + (has_others && count > 2 ? WITNESSES : 0);

    for (int turn = 0; turn < turns; turn++) {
        const bool is_alone = turn >= count;
        const int host = turn % count;
        const int round = is_alone ? rounds + WITNESSES * earlier + host : turn % rounds;

        for (int k = 1; k < width; k++) {
            add_trial(finder, network, members[host], members[(host + k) % count], round,
                      is_alone);
        }
    }
}

static void choose_trials(finder_t *finder)
{
    mtree_networks_t *to = finder->to;

    for (int network = 0; network < to->num_networks; network++) {
        int earlier = 0, all = 0;

        for (int other = 0; other < to->num_networks; other++) {
            all += to->group[other] == to->group[network];
            earlier += to->group[other] == to->group[network] && other < network;
        }
        if (all > 1 || network != to->shared || to->num_hosts == 2) {
            add_trials(finder, network, all > 1, earlier);
        }
        to->first[network + 1] = to->num_trials;
    }
}

void mtree_networks_find(const mtree_host_interfaces_t *hosts, int num_hosts,
                         mtree_networks_t *networks)
{
    finder_t finder = {.hosts = hosts, .num_hosts = num_hosts, .to = networks};
    mtree_arena_t scratch = {0};

    *networks = (mtree_networks_t){.num_hosts = num_hosts, .shared = NONE};
    MTREE_ARENA_ARRAY(&scratch, finder.of, (size_t)num_hosts);
    MTREE_ARENA_ARRAY(&scratch, finder.members, (size_t)num_hosts);
    number_networks(&finder);
    MTREE_ARENA_ARRAY(&networks->arena, networks->group, (size_t)networks->num_networks);
    MTREE_ARENA_ARRAY(&networks->arena, networks->first,
                      (size_t)networks->num_networks + 1);
    group_networks(&finder);
    choose_trials(&finder);
    mtree_arena_cleanup(&scratch);
}

void mtree_networks_cleanup(mtree_networks_t *networks)
{
    mtree_arena_cleanup(&networks->arena);
    *networks = (mtree_networks_t){0};
}

void mtree_probe_set_interfaces(mtree_probe_t *probe,
                                const mtree_host_interfaces_t *hosts)
{
    mtree_networks_find(hosts, probe->num_hosts, &probe->networks);
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

void mtree_probe_fill_networks(mtree_probe_t *probe)
{
    const mtree_networks_t *networks = &probe->networks;
    const int rounds = networks->num_rounds;

    /* Rounds in which something has failed are repeated. */
    while (probe->num_experiments == 0 && probe->num_network_rounds < 2 * rounds) {
        const int number = probe->num_network_rounds++, round = number % rounds;
        const bool is_due = number < rounds || has_failed(networks, round);

        for (int t = 0; is_due && t < networks->num_trials; t++) {
            const mtree_network_trial_t *trial = &networks->trials[t];

            if (trial->round == round) {
                mtree_probe_add_experiment(
                    probe,
                    (mtree_probe_experiment_t){.kind = MTREE_PROBE_CABLE,
                                               .from = trial->hosts[0],
                                               .to = trial->hosts[1],
                                               .ends = {trial->ends[0], trial->ends[1]}});
            }
        }
    }
    (void)snprintf(probe->purpose, sizeof(probe->purpose), "networks, %d pairs",
                   probe->num_experiments);
}

void mtree_probe_keep_networks(mtree_probe_t *probe, const mtree_probe_result_t *results)
{
    const mtree_networks_t *networks = &probe->networks;

    for (int t = 0; t < networks->num_trials; t++) {
        mtree_network_trial_t *trial = &networks->trials[t];

        if (trial->round == (probe->num_network_rounds - 1) % networks->num_rounds) {
            trial->rate[0] = results->failed ? 0 : results->rate[0];
            trial->rate[1] = results->failed ? 0 : results->rate[1];
            trial->latency =
                results->failed ? trial->latency : fmin(trial->latency, results->latency);
            results++;
        }
    }
}
