/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/probe/probe.h"

#include "coll_mtree/base/counters.h"
#include "coll_mtree/base/log.h"
#include "coll_mtree/base/params.h"
#include "coll_mtree/base/safe_file.h"
#include "coll_mtree/base/tuning.h"
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

typedef struct {
    coll_mtree_probe_coordinator_t coordinator;
    mtree_cache_t *cache; /* NULL: nothing is known before */
    time_t oldest;        /* of what is known from it */
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

static const coll_mtree_host_t *host_of(const lead_t *lead, int host)
{
    return &lead->coordinator.hosts[host];
}

static const mtree_address_t *address_of(const lead_t *lead, int host)
{
    return &host_of(lead, host)->addresses[0];
}

/* Has each host an address of its own, all of one family, on the network that carries the
 * messages? */
static bool have_addresses(const lead_t *lead)
{
    const char *fabric = coll_mtree_host_fabric();

    if (strcmp(fabric, "tcp") != 0) {
        coll_mtree_verbose(lead->coordinator.channel->comm, 1,
                           "messages go over %s: the routes and speeds of the interfaces "
                           "for TCP are not theirs, and are not looked at",
                           fabric);
        return false;
    }
    for (int a = 0; a < lead->coordinator.num_hosts; a++) {
        if (address_of(lead, a)->family == AF_UNSPEC ||
            address_of(lead, a)->family != address_of(lead, 0)->family) {
            return false;
        }
        for (int b = 0; b < a; b++) {
            if (mtree_address_equals(address_of(lead, a), address_of(lead, b))) {
                return false;
            }
        }
    }
    return true;
}

/* Unless hosts @a are_addressed, their names stand for their addresses. */
static mtree_status_t create_probe(lead_t *lead, bool are_addressed)
{
    const mtree_probe_options_t options = {.seconds = coll_mtree_params.probe_seconds,
                                           .bytes = (double)coll_mtree_params.probe_bytes,
                                           .seed = 1,
                                           .traces = are_addressed,
                                           .log = lead->record,
                                           .byte_seconds = mtree_copy_seconds_per_byte()};
    const int hosts = lead->coordinator.num_hosts;
    mtree_probe_host_t *list = mtree_calloc((size_t)hosts, sizeof(*list));
    char(*text)[MTREE_ADDRESS_LENGTH] = mtree_calloc((size_t)hosts, sizeof(*text));
    mtree_status_t status;

    for (int h = 0; h < hosts; h++) {
        list[h].name = list[h].address = host_of(lead, h)->name;
        if (are_addressed) {
            list[h].address = mtree_address_format(address_of(lead, h), text[h]);
            list[h].speed = host_of(lead, h)->speed;
        }
    }
    status = mtree_probe_create(list, hosts, &options, &lead->probe);
    free(text);
    free(list);
    return status;
}

/* Tell the probe of all addresses of @a host, and its first hops @a found to the hosts.
 */
static void add_addresses(lead_t *lead, int host, const mtree_kernel_route_t *found)
{
    char text[MTREE_ADDRESS_LENGTH];

    for (int i = 1; i < COLL_MTREE_HOST_ADDRESSES; i++) {
        const mtree_address_t *address = &host_of(lead, host)->addresses[i];

        if (address->family != AF_UNSPEC) {
            mtree_probe_add_address(lead->probe, host,
                                    mtree_address_format(address, text));
        }
    }
    for (int target = 0; target < lead->coordinator.num_hosts; target++) {
        mtree_probe_set_first_hop(lead->probe, host, target, &found[target]);
    }
}

/* Have every host look up the routes to all others in its own tables. */
static mtree_status_t ask_first_hops(lead_t *lead)
{
    const int hosts = lead->coordinator.num_hosts;
    mtree_address_t *to = mtree_calloc((size_t)hosts, sizeof(*to));
    mtree_status_t status;

    for (int h = 0; h < hosts; h++) {
        to[h] = *address_of(lead, h);
    }
    status = coll_mtree_probe_coordinator_ask(&lead->coordinator,
                                              COLL_MTREE_COMMAND_FIRST_HOPS, to, hosts);
    for (int h = 0; h < hosts && status == MTREE_OK; h++) {
        add_addresses(lead, h, lead->coordinator.share[h].pieces[COLL_MTREE_REPLY_TAG]);
    }
    free(to);
    return status;
}

/* Have all hosts describe their interfaces, which tell networks apart. */
static mtree_status_t ask_interfaces(lead_t *lead)
{
    const int hosts = lead->coordinator.num_hosts;
    mtree_host_interfaces_t *list = mtree_calloc((size_t)hosts, sizeof(*list));
    mtree_status_t status = coll_mtree_probe_coordinator_ask(
        &lead->coordinator, COLL_MTREE_COMMAND_INTERFACES, NULL, 1);

    for (int h = 0; h < hosts && status == MTREE_OK; h++) {
        coll_mtree_share_t *share = &lead->coordinator.share[h];

        memcpy(&share->described, share->pieces[COLL_MTREE_REPLY_TAG],
               sizeof(share->described));
        list[h] = share->described.interfaces;
        list[h].own = *address_of(lead, h);
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
static void reuse(lead_t *lead)
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
static mtree_status_t prepare(lead_t *lead)
{
    mtree_status_t status = coll_mtree_probe_coordinator_begin(&lead->coordinator);
    const bool are_addressed = have_addresses(lead);

    lead->started = lead->logged = mtree_clock_seconds();
    if (status == MTREE_OK) {
        status = create_probe(lead, are_addressed);
    }
    if (status == MTREE_OK && are_addressed) {
        status = ask_first_hops(lead);
    }
    if (status == MTREE_OK && are_addressed) {
        status = ask_interfaces(lead);
    }
    if (status == MTREE_OK) {
        reuse(lead);
    }
    return status;
}

static void log_progress(lead_t *lead, const mtree_probe_round_t *round)
{
    double now = mtree_clock_seconds();

    if (now >= lead->logged + COLL_MTREE_PROGRESS_SECONDS) {
        lead->logged = now;
        coll_mtree_verbose(lead->coordinator.channel->comm, 1,
                           "probing the network, %.0f s of at most %g s: %s",
                           now - lead->started, coll_mtree_params.probe_seconds,
                           round->purpose);
    }
}

/* Until there is nothing more to measure, or no time. */
static mtree_status_t measure(lead_t *lead)
{
    mtree_probe_round_t round;
    mtree_status_t status = mtree_probe_next(lead->probe, &round);

    while (status == MTREE_OK && round.num_experiments > 0) {
        mtree_probe_result_t *results =
            mtree_calloc((size_t)round.num_experiments, sizeof(*results));

        log_progress(lead, &round);
        status = coll_mtree_probe_round_run(&lead->coordinator, &round, results);
        if (status == MTREE_OK) {
            mtree_probe_record(lead->probe, results, lead->coordinator.took);
            status = mtree_probe_next(lead->probe, &round);
        }
        free(results);
    }
    return status;
}

/* Why the probe was one under load, NULL: it was not.  What a host does not tell is no
 * reason. */
static const char *find_load(const lead_t *lead, const mtree_probe_findings_t *findings,
                             double seconds)
{
    const mtree_pressure_t *worst = &lead->coordinator.risen;
    const char *reason = mtree_probe_load_reason(findings, seconds, worst);

    mtree_debug("probe: a host waited %.3f s for a processor, %.3f s were stolen, "
                "%d of %d repeated measurements differ",
                worst->waited, worst->stolen, findings->num_unsteady,
                findings->num_repeated);
    if (reason != NULL) {
        coll_mtree_verbose(lead->coordinator.channel->comm, 1,
                           "the network was probed under load, %s: rates may be too low, "
                           "and are kept for a shorter time",
                           reason);
    }
    return reason;
}

/* Write down what @a findings are, and tell of it; as coll_mtree_probe_lead(). */
static char *tell(const lead_t *lead, const mtree_probe_findings_t *findings,
                  mtree_cache_stamp_t *stamp)
{
    double seconds = mtree_clock_seconds() - lead->started;
    int hosts = mtree_topology_num_hosts(findings->topology);
    char reused[64] = "";
    const char *load;

    if (findings->num_reused > 0) {
        snprintf(reused, sizeof(reused), ", %d of %d capacities from the cache",
                 findings->num_reused, 2 * findings->topology->num_links);
    }
    coll_mtree_verbose(lead->coordinator.channel->comm, 1,
                       "probed the network in %.1f s with %s: %d hosts, %d switches, "
                       "%d links, routes %s%s",
                       seconds, MTREE_UNITS_SIZE(findings->bytes), hosts,
                       findings->topology->num_vertices - hosts,
                       findings->topology->num_links,
                       findings->routes_known ? "from the network" : "inferred", reused);
    load = find_load(lead, findings, seconds);
    stamp->measured = findings->num_reused > 0 ? lead->oldest : time(NULL);
    stamp->is_loaded = load != NULL;
    return coll_mtree_probe_findings_text(findings, seconds, load);
}

/* Carry out the probe; as coll_mtree_probe_lead(). */
static mtree_status_t run(lead_t *lead, mtree_cache_stamp_t *stamp_p, char **text_p)
{
    mtree_probe_findings_t findings;
    mtree_status_t status = prepare(lead);

    if (status == MTREE_OK) {
        status = measure(lead);
    }
    if (status == MTREE_OK) {
        status = coll_mtree_probe_coordinator_handshake(&lead->coordinator);
    }
    coll_mtree_probe_coordinator_end(&lead->coordinator);
    coll_mtree_cables_close();
    if (status == MTREE_OK) {
        status = mtree_probe_finish(lead->probe, &findings);
    }
    if (status == MTREE_OK) {
        *text_p = tell(lead, &findings, stamp_p);
        mtree_probe_findings_clear(&findings);
    }
    return status;
}

mtree_status_t coll_mtree_probe_lead(const coll_mtree_channel_t *channel,
                                     const coll_mtree_hosts_t *hosts,
                                     mtree_cache_t *cache, mtree_cache_stamp_t *stamp_p,
                                     char **text_p)
{
    lead_t lead = {.coordinator = {.channel = channel,
                                   .num_hosts = hosts->numbers.num_hosts,
                                   .leader = hosts->numbers.first,
                                   .hosts = hosts->list},
                   .cache = cache,
                   .record = open_record()};
    mtree_status_t status;

    mtree_log_about("coll_mtree_topology", "the network is not known");
    status = run(&lead, stamp_p, text_p);
    mtree_log_about(NULL, NULL);
    if (status == MTREE_ERR_TRANSPORT) {
        coll_mtree_verbose(
            channel->comm, 0,
            "the probe of the network was given up, a host did not answer");
    }
    mtree_probe_destroy(lead.probe);
    if (lead.record != NULL) {
        fclose(lead.record);
    }
    return status;
}
