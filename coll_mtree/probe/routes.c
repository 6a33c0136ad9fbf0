/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/probe/routes.h"

#include "base/clock.h"
#include "base/log.h"
#include "topo/probe/pair_sample.h"

#include <stdlib.h>
#include <string.h>

/* A probe for a hop is answered within the longest round trip and this many seconds. */
#define PATIENCE_SECONDS 0.2

/* Chooses the pairs of hosts to look at where there are too many. */
#define SAMPLE_SEED 1

/* A run may take so long: a host may be slow to look into its tables. */
#define MOST_SECONDS 10.0

static double longest_round_trip(const coll_mtree_probe_coordinator_t *coordinator)
{
    double longest = 0;

    for (int host = 0; host < coordinator->num_hosts; host++) {
        if (coordinator->round_trip[host] > longest) {
            longest = coordinator->round_trip[host];
        }
    }
    return longest;
}

static mtree_status_t want(void *search, int from, int to)
{
    return mtree_traceroute_search_want(search, from, to);
}

static int search_begin(const coll_mtree_probe_coordinator_t *coordinator,
                        const coll_mtree_host_t *hosts,
                        mtree_traceroute_search_t **search_p)
{
    mtree_traceroute_search_t *search;

    if (mtree_traceroute_search_create(coordinator->num_hosts, &search) != MTREE_OK) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    for (int host = 0; host < coordinator->num_hosts; host++) {
        for (int i = 0; i < COLL_MTREE_HOST_ADDRESSES; i++) {
            const mtree_address_t *address = &hosts[host].addresses[i];

            if (address->family != AF_UNSPEC &&
                mtree_traceroute_search_add_address(search, host, address) != MTREE_OK) {
                mtree_traceroute_search_destroy(search);
                return OMPI_ERR_OUT_OF_RESOURCE;
            }
        }
    }
    if (coordinator->num_hosts > MTREE_PROBE_SAMPLE_ALL &&
        mtree_probe_pair_sample(coordinator->num_hosts, SAMPLE_SEED, want, search) !=
            MTREE_OK) {
        mtree_traceroute_search_destroy(search);
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    *search_p = search;
    return OMPI_SUCCESS;
}

/* Give @a share a copy of @a count items. */
static int share_set(coll_mtree_share_t *share, const void *items, int count,
                     size_t item_bytes)
{
    share->items = malloc((size_t)count * item_bytes);
    if (share->items == NULL) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    memcpy(share->items, items, (size_t)count * item_bytes);
    share->command.num_items = count;
    return OMPI_SUCCESS;
}

/* Every host looks up the routes to all others in its own tables. */
static int ask_first_hops(coll_mtree_probe_coordinator_t *coordinator,
                          const coll_mtree_host_t *hosts,
                          mtree_traceroute_search_t *search)
{
    size_t num_hosts = (size_t)coordinator->num_hosts;
    mtree_address_t *all = malloc(num_hosts * sizeof(*all));
    int rc = all == NULL ? OMPI_ERR_OUT_OF_RESOURCE : OMPI_SUCCESS;
    double took;

    coll_mtree_probe_coordinator_clear(coordinator, COLL_MTREE_COMMAND_FIRST_HOPS);
    for (size_t host = 0; rc == OMPI_SUCCESS && host < num_hosts; host++) {
        all[host] = hosts[host].addresses[0];
    }
    for (size_t host = 0; rc == OMPI_SUCCESS && host < num_hosts; host++) {
        rc = share_set(&coordinator->share[host], all, coordinator->num_hosts,
                       sizeof(*all));
    }
    free(all);
    if (rc == OMPI_SUCCESS) {
        rc = coll_mtree_probe_coordinator_run(coordinator, MOST_SECONDS, &took);
    }
    for (int host = 0; rc == OMPI_SUCCESS && host < coordinator->num_hosts; host++) {
        const mtree_kernel_route_t *found = coordinator->share[host].reply;

        for (int target = 0; target < coordinator->num_hosts; target++) {
            mtree_traceroute_search_set_first_hop(search, host, target, &found[target]);
        }
    }
    return rc;
}

/* Make shares of the questions, which are ordered by host. */
static int shares_of_questions(coll_mtree_probe_coordinator_t *coordinator,
                               const coll_mtree_host_t *hosts,
                               const mtree_route_question_t *questions, int count)
{
    mtree_traceroute_probe_t *probes = calloc((size_t)count, sizeof(*probes));
    double patience = longest_round_trip(coordinator) + PATIENCE_SECONDS;
    int rc = probes == NULL ? OMPI_ERR_OUT_OF_RESOURCE : OMPI_SUCCESS;

    coll_mtree_probe_coordinator_clear(coordinator, COLL_MTREE_COMMAND_HOPS);
    for (int first = 0, next; rc == OMPI_SUCCESS && first < count; first = next) {
        coll_mtree_share_t *share = &coordinator->share[questions[first].host];

        for (next = first;
             next < count && questions[next].host == questions[first].host &&
             next - first < MTREE_HOPS_MAX_PROBES;
             next++) {
            probes[next].to = hosts[questions[next].target].addresses[0];
            probes[next].limit = questions[next].limit;
        }
        share->command.patience = patience;
        rc = share_set(share, probes + first, next - first, sizeof(*probes));
    }
    free(probes);
    return rc;
}

static int take_answers(coll_mtree_probe_coordinator_t *coordinator,
                        mtree_traceroute_search_t *search,
                        const mtree_route_question_t *questions, int count)
{
    for (int i = 0, of_host = 0; i < count; i++) {
        const coll_mtree_share_t *share = &coordinator->share[questions[i].host];
        const mtree_traceroute_probe_t *probes = share->reply;

        of_host = i > 0 && questions[i].host == questions[i - 1].host ? of_host + 1 : 0;
        if (of_host < share->command.num_items &&
            mtree_traceroute_search_answer(search, &questions[i], probes[of_host].answer,
                                           &probes[of_host].from) != MTREE_OK) {
            return OMPI_ERR_OUT_OF_RESOURCE;
        }
    }
    return OMPI_SUCCESS;
}

/* Round after round of questions, until all is found or the time is over. */
static int search_run(coll_mtree_probe_coordinator_t *coordinator,
                      const coll_mtree_host_t *hosts, mtree_traceroute_search_t *search,
                      double seconds)
{
    double deadline = mtree_clock_seconds() + seconds, took;
    int rc = ask_first_hops(coordinator, hosts, search);

    while (rc == OMPI_SUCCESS && mtree_clock_seconds() < deadline) {
        const mtree_route_question_t *questions;
        int count;

        if (mtree_traceroute_search_ask(search, &questions, &count) != MTREE_OK) {
            return OMPI_ERR_OUT_OF_RESOURCE;
        }
        if (count == 0) {
            break;
        }
        rc = shares_of_questions(coordinator, hosts, questions, count);
        if (rc == OMPI_SUCCESS) {
            rc = coll_mtree_probe_coordinator_run(coordinator, MOST_SECONDS, &took);
        }
        if (rc == OMPI_SUCCESS) {
            mtree_debug("probe: %d questions for hops, %.3f s", count, took);
            rc = take_answers(coordinator, search, questions, count);
        }
    }
    return rc;
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

int coll_mtree_probe_search(coll_mtree_probe_coordinator_t *coordinator,
                            const coll_mtree_host_t *hosts, double seconds,
                            mtree_traceroute_search_t **search_p)
{
    mtree_traceroute_search_t *search;
    int rc = search_begin(coordinator, hosts, &search);

    if (rc != OMPI_SUCCESS) {
        return rc;
    }
    rc = search_run(coordinator, hosts, search, seconds);
    if (rc != OMPI_SUCCESS) {
        mtree_traceroute_search_destroy(search);
        return rc;
    }
    *search_p = search;
    return OMPI_SUCCESS;
}
