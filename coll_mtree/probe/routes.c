/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/probe/routes.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

/* Chooses the pairs of hosts to look at where there are too many. */
#define SAMPLE_SEED 1

/* A run may take so long: a host may be slow to look into its tables. */
#define MOST_SECONDS 10.0

static void want(void *search, int from, int to)
{
    mtree_traceroute_search_want(search, from, to);
}

static mtree_traceroute_search_t *
search_begin(const coll_mtree_probe_coordinator_t *coordinator,
             const coll_mtree_host_t *hosts)
{
    mtree_traceroute_search_t *search =
        mtree_traceroute_search_create(coordinator->num_hosts);

    for (int host = 0; host < coordinator->num_hosts; host++) {
        for (int i = 0; i < COLL_MTREE_HOST_ADDRESSES; i++) {
            const mtree_address_t *address = &hosts[host].addresses[i];

            if (address->family != AF_UNSPEC) {
                mtree_traceroute_search_add_address(search, host, address);
            }
        }
    }
    if (coordinator->num_hosts > MTREE_PROBE_SAMPLE_ALL) {
        mtree_probe_pair_sample(coordinator->num_hosts, SAMPLE_SEED, want, search);
    }
    return search;
}

/* Every host looks up the routes to all others in its own tables. */
static mtree_status_t ask_first_hops(coll_mtree_probe_coordinator_t *coordinator,
                                     const coll_mtree_host_t *hosts,
                                     mtree_traceroute_search_t *search)
{
    const int num_hosts = coordinator->num_hosts;
    mtree_status_t status;

    coll_mtree_probe_coordinator_clear(coordinator, COLL_MTREE_COMMAND_FIRST_HOPS);
    for (int pair = 0; pair < num_hosts * num_hosts; pair++) {
        coll_mtree_probe_coordinator_add(coordinator, pair / num_hosts,
                                         &hosts[pair % num_hosts].addresses[0]);
    }
    status = coll_mtree_probe_coordinator_run(coordinator, MOST_SECONDS);
    for (int host = 0; status == MTREE_OK && host < num_hosts; host++) {
        const mtree_kernel_route_t *found = coordinator->share[host].replies;

        for (int target = 0; target < num_hosts; target++) {
            mtree_traceroute_search_set_first_hop(search, host, target, &found[target]);
        }
    }
    return status;
}

/* Share the questions out. */
static void share_out(coll_mtree_probe_coordinator_t *coordinator,
                      const coll_mtree_host_t *hosts,
                      const mtree_route_question_t *questions, int count)
{
    coll_mtree_probe_coordinator_clear(coordinator, COLL_MTREE_COMMAND_HOPS);
    for (int i = 0; i < count; i++) {
        const mtree_traceroute_probe_t probe = {
            .to = hosts[questions[i].target].addresses[0], .limit = questions[i].limit};

        if (coordinator->share[questions[i].host].command.num_items <
            MTREE_HOPS_MAX_PROBES) {
            coll_mtree_probe_coordinator_add(coordinator, questions[i].host, &probe);
        }
    }
}

/* The questions of a host follow each other. */
static void take_answers(coll_mtree_probe_coordinator_t *coordinator,
                         mtree_traceroute_search_t *search,
                         const mtree_route_question_t *questions, int count)
{
    for (int i = 0, of_host = 0; i < count; i++) {
        const coll_mtree_share_t *share = &coordinator->share[questions[i].host];
        const mtree_traceroute_probe_t *probes = share->replies;

        of_host = i > 0 && questions[i].host == questions[i - 1].host ? of_host + 1 : 0;
        if (of_host < share->command.num_items) {
            mtree_traceroute_search_answer(search, &questions[i], probes[of_host].answer,
                                           &probes[of_host].from);
        }
    }
}

/* Round after round of questions, until all is found or the time is over. */
static mtree_status_t search_run(coll_mtree_probe_coordinator_t *coordinator,
                                 const coll_mtree_host_t *hosts,
                                 mtree_traceroute_search_t *search, double seconds)
{
    double deadline = mtree_clock_seconds() + seconds;
    mtree_status_t status = ask_first_hops(coordinator, hosts, search);

    while (status == MTREE_OK) {
        int count;
        const mtree_route_question_t *questions =
            mtree_traceroute_search_ask(search, &count);

        if (count == 0 || mtree_clock_seconds() >= deadline) {
            break;
        }
        share_out(coordinator, hosts, questions, count);
        status = coll_mtree_probe_coordinator_run(coordinator, MOST_SECONDS);
        if (status == MTREE_OK) {
            mtree_debug("probe: %d questions for hops, %.3f s", count, coordinator->took);
            take_answers(coordinator, search, questions, count);
        }
    }
    return status;
}

/* Hops between the two ends as text, "" for one that did not answer. */
static mtree_status_t add_route(mtree_probe_t *probe, int from, int to,
                                const mtree_address_t *hops, int num_hops)
{
    char text[MTREE_ROUTE_SEARCH_MAX_HOPS][MTREE_ADDRESS_LENGTH];
    const char *names[MTREE_ROUTE_SEARCH_MAX_HOPS];

    for (int i = 0; i < num_hops; i++) {
        names[i] =
            hops[i].family == AF_UNSPEC ? "" : mtree_address_format(&hops[i], text[i]);
    }
    return mtree_probe_add_route(probe, from, to, names, num_hops);
}

mtree_status_t coll_mtree_probe_add_routes(const mtree_traceroute_search_t *search,
                                           int num_hosts, mtree_probe_t *probe)
{
    mtree_address_t hops[MTREE_ROUTE_SEARCH_MAX_HOPS];
    mtree_status_t status = MTREE_OK;

    for (int from = 0; from < num_hosts; from++) {
        for (int to = 0; status == MTREE_OK && to < num_hosts; to++) {
            int num_hops =
                from == to ? 0 : mtree_traceroute_search_get(search, from, to, hops);

            if (num_hops > 0) {
                status = add_route(probe, from, to, hops, num_hops - 1);
            }
        }
    }
    return status;
}

mtree_status_t coll_mtree_probe_search(coll_mtree_probe_coordinator_t *coordinator,
                                       const coll_mtree_host_t *hosts, double seconds,
                                       mtree_traceroute_search_t **search_p)
{
    *search_p = search_begin(coordinator, hosts);
    return search_run(coordinator, hosts, *search_p, seconds);
}
