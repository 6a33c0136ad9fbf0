/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/probe/probe.h"

#include "coll_mtree/base/counters.h"
#include "coll_mtree/base/log.h"
#include "coll_mtree/base/params.h"
#include "coll_mtree/base/safe_file.h"
#include "coll_mtree/probe/coordinator.h"
#include "coll_mtree/probe/findings.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/units.h"
#include "topo/host/processor.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* For a handshake with all hosts, once they are there. */
#define HANDSHAKE_SECONDS 20.0

/* For a command: a host may be slow to look into its tables. */
#define COMMAND_SECONDS 20.0

/* From one line about progress to the next. */
#define PROGRESS_SECONDS 2.0

typedef struct {
    ompi_communicator_t *comm;
    int num_hosts;
    const int *leader;        /* [num_hosts] the first rank on each */
    coll_mtree_host_t *hosts; /* [num_hosts] */
    coll_mtree_probe_coordinator_t coordinator;
    bool is_addressed;                  /* hosts have addresses of their own */
    coll_mtree_cable_host_t *described; /* [num_hosts] */
    mtree_cache_t *cache;               /* NULL: nothing is known before */
    time_t oldest;                      /* of what is known from it */
    mtree_cache_stamp_t *stamp;
    mtree_pressure_t worst; /* of the hosts, in the time of the probe */
    mtree_probe_t *probe;
    FILE *record;           /* NULL: the user wants none */
    double started, logged; /* when; the latter: the last line of progress */
} lead_t;

coll_mtree_channel_t coll_mtree_probe_channel(mca_coll_mtree_module_t *module,
                                              ompi_communicator_t *comm)
{
    return (coll_mtree_channel_t){
        .comm = comm,
        .first_tag = coll_mtree_tag_range_control(&module->tags, COLL_MTREE_PROBE_TAGS),
        .longest = module->longest_bytes,
        .wait = COLL_MTREE_WAIT_LATER,
        .count_sent = coll_mtree_counters_add_probe};
}

static void lead_init(lead_t *lead, const coll_mtree_channel_t *channel,
                      const coll_mtree_host_t *contributions)
{
    lead->hosts = mtree_calloc((size_t)lead->num_hosts, sizeof(*lead->hosts));
    lead->described = mtree_calloc((size_t)lead->num_hosts, sizeof(*lead->described));
    for (int host = 0; host < lead->num_hosts; host++) {
        lead->hosts[host] = contributions[lead->leader[host]];
    }
    coll_mtree_probe_coordinator_init(&lead->coordinator, channel, lead->num_hosts,
                                      lead->leader);
    lead->coordinator.hosts = lead->hosts;
    lead->coordinator.described = lead->described;
}

static void lead_cleanup(lead_t *lead)
{
    coll_mtree_probe_coordinator_cleanup(&lead->coordinator);
    coll_mtree_cables_close();
    mtree_probe_destroy(lead->probe);
    if (lead->record != NULL) {
        fclose(lead->record);
    }
    free(lead->described);
    free(lead->hosts);
}

/* Has each host an address of its own, all of one family, on the network that carries the
 * messages? */
static bool have_addresses(const lead_t *lead)
{
    const char *fabric = coll_mtree_host_fabric();

    if (strcmp(fabric, "tcp") != 0) {
        coll_mtree_verbose(lead->comm, 1,
                           "messages go over %s: the routes and speeds of the interfaces "
                           "for TCP are not theirs, and are not looked at",
                           fabric);
        return false;
    }
    for (int a = 0; a < lead->num_hosts; a++) {
        const mtree_address_t *address = &lead->hosts[a].addresses[0];

        if (address->family == AF_UNSPEC ||
            address->family != lead->hosts[0].addresses[0].family) {
            return false;
        }
        for (int b = 0; b < a; b++) {
            if (mtree_address_equals(address, &lead->hosts[b].addresses[0])) {
                return false;
            }
        }
    }
    return true;
}

/* Where hosts have no addresses of their own, their names stand for them. */
static mtree_status_t lead_create_probe(lead_t *lead, double seconds)
{
    mtree_probe_options_t options = {.seconds = seconds,
                                     .bytes = (double)coll_mtree_params.probe_bytes,
                                     .seed = 1,
                                     .traces = lead->is_addressed,
                                     .log = lead->record,
                                     .byte_seconds = mtree_copy_seconds_per_byte()};
    size_t hosts = (size_t)lead->num_hosts;
    mtree_probe_host_t *list = mtree_calloc(hosts, sizeof(*list));
    char(*text)[MTREE_ADDRESS_LENGTH] = mtree_calloc(hosts, sizeof(*text));
    mtree_status_t status;

    for (size_t h = 0; h < hosts; h++) {
        list[h].name = lead->hosts[h].name;
        list[h].address =
            lead->is_addressed
                ? mtree_address_format(&lead->hosts[h].addresses[0], text[h])
                : list[h].name;
        list[h].speed = lead->is_addressed ? lead->hosts[h].speed : 0;
    }
    status = mtree_probe_create(list, lead->num_hosts, &options, &lead->probe);
    free(text);
    free(list);
    return status;
}

/* Have every host look up the routes to all others in its own tables. */
static mtree_status_t ask_first_hops(lead_t *lead)
{
    coll_mtree_probe_coordinator_t *coordinator = &lead->coordinator;

    coll_mtree_probe_coordinator_clear(coordinator, COLL_MTREE_COMMAND_FIRST_HOPS);
    for (int pair = 0; pair < lead->num_hosts * lead->num_hosts; pair++) {
        coll_mtree_probe_coordinator_add(
            coordinator, pair / lead->num_hosts,
            &lead->hosts[pair % lead->num_hosts].addresses[0]);
    }
    return coll_mtree_probe_coordinator_run(coordinator, COMMAND_SECONDS);
}

/* Tell the probe of all addresses, and of the first hops that were asked for. */
static void add_addresses(lead_t *lead)
{
    char text[MTREE_ADDRESS_LENGTH];

    for (int h = 0; h < lead->num_hosts; h++) {
        const mtree_kernel_route_t *found = lead->coordinator.share[h].replies;

        for (int i = 1; i < COLL_MTREE_HOST_ADDRESSES; i++) {
            const mtree_address_t *address = &lead->hosts[h].addresses[i];

            if (address->family != AF_UNSPEC) {
                mtree_probe_add_address(lead->probe, h,
                                        mtree_address_format(address, text));
            }
        }
        for (int target = 0; target < lead->num_hosts; target++) {
            mtree_probe_set_first_hop(lead->probe, h, target, &found[target]);
        }
    }
}

/* Have all hosts describe their interfaces, which tell networks apart. */
static mtree_status_t ask_interfaces(lead_t *lead)
{
    mtree_host_interfaces_t *list = mtree_calloc((size_t)lead->num_hosts, sizeof(*list));
    mtree_status_t status = coll_mtree_probe_coordinator_ask(
        &lead->coordinator, COLL_MTREE_COMMAND_INTERFACES, COMMAND_SECONDS);

    for (int h = 0; h < lead->num_hosts && status == MTREE_OK; h++) {
        memcpy(&lead->described[h], lead->coordinator.share[h].replies,
               sizeof(lead->described[h]));
        list[h] = lead->described[h].interfaces;
        list[h].own = lead->hosts[h].addresses[0];
    }
    if (status == MTREE_OK) {
        mtree_probe_set_interfaces(lead->probe, list);
    }
    free(list);
    return status;
}

/* The file for the record; without it the probe goes on. */
static FILE *open_record(void)
{
    const char *path = coll_mtree_params.probe_record;
    FILE *record;

    if (path == NULL || path[0] == '\0') {
        return NULL;
    }
    record = coll_mtree_safe_file_open(path, false);
    if (record == NULL) {
        mtree_error("coll_mtree_probe_record: %s: cannot be written: %s", path,
                    coll_mtree_safe_file_error());
    }
    return record;
}

/* Reuse the files of the cache that have two of the hosts at least. */
static void lead_reuse(lead_t *lead)
{
    mtree_cache_walk_t walk;

    lead->oldest = time(NULL);
    if (lead->cache == NULL || lead->cache->num_hosts == 0 ||
        mtree_cache_open(lead->cache, lead->oldest) != MTREE_OK) {
        return;
    }
    for (walk = mtree_cache_walk(lead->cache); mtree_cache_walk_next(&walk);) {
        const mtree_cached_t *file = &walk.file;

        if (file->fault == NULL && file->num_common >= 2 && !file->stamp.is_loaded) {
            /* What cannot be read is measured. */
            (void)coll_mtree_probe_findings_reuse(file->text, lead->probe);
            if (difftime(file->stamp.measured, lead->oldest) < 0) {
                lead->oldest = file->stamp.measured;
            }
        }
    }
}

/* Meet all hosts, and create the probe with what they know without measuring. */
static mtree_status_t lead_prepare(lead_t *lead)
{
    mtree_status_t status =
        coll_mtree_probe_coordinator_meet(&lead->coordinator, HANDSHAKE_SECONDS);

    lead->is_addressed = have_addresses(lead);
    lead->started = lead->logged = mtree_clock_seconds();
    if (status == MTREE_OK && lead->is_addressed) {
        status = ask_first_hops(lead);
    }
    if (status == MTREE_OK) {
        status = lead_create_probe(lead, coll_mtree_params.probe_seconds -
                                             (mtree_clock_seconds() - lead->started));
    }
    if (status == MTREE_OK && lead->is_addressed) {
        add_addresses(lead);
        status = ask_interfaces(lead);
    }
    if (status == MTREE_OK) {
        lead_reuse(lead);
    }
    return status;
}

static void log_progress(lead_t *lead, const mtree_probe_round_t *round)
{
    double now = mtree_clock_seconds();

    if (now >= lead->logged + PROGRESS_SECONDS) {
        lead->logged = now;
        coll_mtree_verbose(
            lead->comm, 1, "probing the network, %.0f s of at most %g s: %s",
            now - lead->started, coll_mtree_params.probe_seconds, round->purpose);
    }
}

static mtree_status_t lead_round(lead_t *lead, const mtree_probe_round_t *round)
{
    mtree_probe_result_t *results =
        mtree_calloc((size_t)round->num_experiments, sizeof(*results));
    mtree_status_t status =
        coll_mtree_probe_round_run(&lead->coordinator, round, results);

    if (status == MTREE_OK) {
        mtree_probe_record(lead->probe, results, lead->coordinator.took);
    }
    free(results);
    return status;
}

/* Until there is nothing more to measure, or no time. */
static mtree_status_t lead_measure(lead_t *lead)
{
    mtree_probe_round_t round;
    mtree_status_t status = mtree_probe_next(lead->probe, &round);

    while (status == MTREE_OK && round.num_experiments > 0) {
        log_progress(lead, &round);
        status = lead_round(lead, &round);
        status = status == MTREE_OK ? mtree_probe_next(lead->probe, &round) : status;
    }
    return status;
}

/* Why the probe was one under load, NULL: it was not.  What a host does not tell is no
 * reason. */
static const char *find_load(lead_t *lead, const mtree_probe_findings_t *findings,
                             double seconds)
{
    const mtree_pressure_t *worst = &lead->worst;
    const char *reason = mtree_probe_load_reason(findings, seconds, worst);

    mtree_debug("probe: a host waited %.3f s for a processor, %.3f s were stolen, "
                "%d of %d repeated measurements differ",
                worst->waited, worst->stolen, findings->num_unsteady,
                findings->num_repeated);
    if (reason != NULL) {
        coll_mtree_verbose(lead->comm, 1,
                           "the network was probed under load, %s: rates may be too low, "
                           "and are kept for a shorter time",
                           reason);
    }
    lead->stamp->is_loaded = reason != NULL;
    return reason;
}

/* Write down what @a findings are, and tell of it. */
static char *lead_tell(lead_t *lead, const mtree_probe_findings_t *findings)
{
    double seconds = mtree_clock_seconds() - lead->started;
    int hosts = mtree_topology_num_hosts(findings->topology);
    char reused[64] = "";

    if (findings->num_reused > 0) {
        snprintf(reused, sizeof(reused), ", %d of %d capacities from the cache",
                 findings->num_reused, 2 * findings->topology->num_links);
    }
    lead->stamp->measured = findings->num_reused > 0 ? lead->oldest : time(NULL);
    coll_mtree_verbose(lead->comm, 1,
                       "probed the network in %.1f s with %s: %d hosts, %d switches, "
                       "%d links, routes %s%s",
                       seconds, MTREE_UNITS_SIZE(findings->bytes), hosts,
                       findings->topology->num_vertices - hosts,
                       findings->topology->num_links,
                       findings->routes_known ? "from the network" : "inferred", reused);
    return coll_mtree_probe_findings_text(findings, seconds,
                                          find_load(lead, findings, seconds));
}

static mtree_status_t lead_finish(lead_t *lead, char **text_p)
{
    mtree_probe_findings_t findings;
    mtree_status_t status = mtree_probe_finish(lead->probe, &findings);

    if (status == MTREE_OK) {
        *text_p = lead_tell(lead, &findings);
        mtree_probe_findings_clear(&findings);
    }
    return status;
}

/* Carry out the probe. */
static mtree_status_t lead_run(lead_t *lead, const coll_mtree_channel_t *channel,
                               const coll_mtree_host_t *contributions, char **text_p)
{
    mtree_status_t status;

    lead_init(lead, channel, contributions);
    status = lead_prepare(lead);
    if (status == MTREE_OK) {
        status = lead_measure(lead);
    }
    if (status == MTREE_OK) {
        status = coll_mtree_probe_coordinator_handshake(&lead->coordinator,
                                                        HANDSHAKE_SECONDS, &lead->worst);
    }
    coll_mtree_probe_coordinator_end(&lead->coordinator);
    return status == MTREE_OK ? lead_finish(lead, text_p) : status;
}

mtree_status_t coll_mtree_probe_lead(const coll_mtree_channel_t *channel,
                                     const coll_mtree_host_numbers_t *numbers,
                                     const coll_mtree_host_t *contributions,
                                     mtree_cache_t *cache, mtree_cache_stamp_t *stamp_p,
                                     char **text_p)
{
    lead_t lead = {.comm = channel->comm,
                   .num_hosts = numbers->num_hosts,
                   .leader = numbers->first,
                   .cache = cache,
                   .stamp = stamp_p,
                   .record = open_record()};
    mtree_status_t status;

    mtree_log_about("coll_mtree_topology", "the network is not known");
    status = lead_run(&lead, channel, contributions, text_p);
    mtree_log_about(NULL, NULL);
    if (status == MTREE_ERR_TRANSPORT) {
        coll_mtree_verbose(
            channel->comm, 0,
            "the probe of the network was given up, a host did not answer");
    }
    lead_cleanup(&lead);
    return status;
}
