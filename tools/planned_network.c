/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/planned_network.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/nearest.h"
#include "base/units.h"
#include "planner/algorithms.h"
#include "planner/plan/json.h"
#include "planner/relays/relays.h"
#include "simulate/forecast/choice.h"
#include "topo/dot/read.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Each piece is a message to every other rank, which takes some 0.5 us between two hosts
 * and 10 between a thousand: so many take up to half an hour.  What is sent whole crosses
 * links in parts of WHOLE_PIECE bytes. */
#define MOST_MESSAGES 1e8
#define WHOLE_PIECE   65536.0

static const char *host_advice(const mtree_topology_t *topology, const char *name,
                               char *advice)
{
    mtree_nearest_t nearest = mtree_nearest_begin(name);

    for (int i = 0; i < topology->num_vertices; ++i) {
        if (topology->vertices[i].kind == MTREE_VERTEX_HOST) {
            mtree_nearest_offer(&nearest, topology->vertices[i].host);
            mtree_nearest_offer(&nearest, topology->vertices[i].name);
        }
    }
    return mtree_nearest_advice(&nearest, "", advice);
}

/* The host that @a name means: a host name as mpirun has it, or a node of the file. */
static int find_host(const mtree_topology_t *topology, const char *name)
{
    int host = mtree_topology_find_host(topology, name);
    char advice[MTREE_NEAREST_ADVICE];

    if (host < 0) {
        host = mtree_topology_find_vertex(topology, name);
    }
    if (host < 0 || topology->vertices[host].kind != MTREE_VERTEX_HOST) {
        command_fail("%s: no host '%s'%s; 'mtree topology' lists the hosts",
                     topology->source, name, host_advice(topology, name, advice));
    }
    return host;
}

/* The place of @a vertex among the first @a count of @a hosts; -1: it is not there. */
static int place_of(int vertex, const int *hosts, int count)
{
    int i = count - 1;

    while (i >= 0 && hosts[i] != vertex) {
        --i;
    }
    return i;
}

/* All hosts, or those in the comma-separated @a list of @a option, each once; @a hosts
 * has room for all vertices.  Returns their number. */
static int list_hosts(const mtree_topology_t *topology, const char *option,
                      const char *list, int *hosts)
{
    char name[MTREE_TOPOLOGY_MAX_NAME + 1];
    int count = 0;
    size_t length;

    for (int i = 0; list == NULL && i < topology->num_vertices; ++i) {
        if (topology->vertices[i].kind == MTREE_VERTEX_HOST) {
            hosts[count++] = i;
        }
    }
    while (list != NULL && *list != '\0') {
        length = strcspn(list, ",");
        snprintf(name, sizeof(name), "%.*s", (int)length, list);
        if (count == topology->num_vertices) {
            command_fail("%s names more hosts than there are", option);
        }
        hosts[count] = find_host(topology, name);
        if (place_of(hosts[count], hosts, count) >= 0) {
            command_fail("%s names host '%s' twice", option, name);
        }
        ++count;
        list += length + (list[length] == ',');
    }
    if (count == 0) {
        command_fail("%s names no host", option);
    }
    return count;
}

/* The hosts that may relay: those in @a list, or all others, or those of them that the
 * file marks. */
static void find_relays(const char *list, planned_network_t *planned)
{
    const mtree_topology_t *topology = planned->topology;
    bool marked = strcmp(list, "marked") == 0;
    bool all = marked || strcmp(list, "all") == 0;
    int num, count = 0;

    planned->relays = mtree_calloc((size_t)topology->num_vertices, sizeof(int));
    num = list_hosts(topology, "--relays", all ? NULL : list, planned->relays);
    for (int i = 0; i < num; ++i) {
        const mtree_vertex_t *vertex = &topology->vertices[planned->relays[i]];

        if (place_of(planned->relays[i], planned->hosts, planned->num_hosts) < 0) {
            planned->relays[count] = planned->relays[i];
            count += !marked || vertex->relay != NULL;
        } else if (!all) {
            command_fail("--relays names host '%s', which is one of --hosts; a relay is "
                         "another host",
                         vertex->host);
        }
    }
    planned->request.relays = planned->relays;
    planned->request.num_relays = count;
}

/* The vertices of the plan's relays behind the hosts, which has memory for them, and the
 * routes between all of them. */
static void add_relays(planned_network_t *planned)
{
    const mtree_plan_t *plan = planned->plan;

    if (plan->num_relays > 0) {
        mtree_routes_destroy(planned->routes);
        planned->routes = NULL;
        command_must(mtree_relays_find(plan, planned->topology,
                                       planned->hosts + planned->num_hosts));
    }
    if (planned->routes == NULL) {
        command_must(mtree_routes_create(planned->topology, planned->hosts,
                                         plan->num_hosts, &planned->routes));
    }
}

static void find_root(const char *name, planned_network_t *planned)
{
    const int vertex = find_host(planned->topology, name);

    planned->request.root = place_of(vertex, planned->hosts, planned->num_hosts);
    if (planned->request.root < 0) {
        command_fail("--root '%s' is not among --hosts", name);
    }
}

void planned_network_prepare(const plan_options_t *options, const char *file,
                             planned_network_t *planned)
{
    mtree_topology_t *topology;

    *planned = (planned_network_t){.request = options->request};
    planned->request.bytes = (double)options->bytes;
    command_must(mtree_topology_read(file, &planned->topology));
    topology = planned->topology;
    planned->hosts = mtree_calloc((size_t)topology->num_vertices, sizeof(int));
    planned->num_hosts = list_hosts(topology, "--hosts", options->hosts, planned->hosts);
    if (options->relays != NULL) {
        find_relays(options->relays, planned);
    }
    if (options->root != NULL) {
        find_root(options->root, planned);
    }
    command_must(mtree_routes_create(topology, planned->hosts, planned->num_hosts,
                                     &planned->routes));
}

mtree_status_t planned_network_plan(const planned_network_t *planned,
                                    const mtree_plan_request_t *request,
                                    mtree_plan_t **plan_p,
                                    mtree_candidate_list_t *candidates)
{
    mtree_plan_request_t routed = *request;

    /* Those of a plan may lead to its relays as well. */
    routed.routes = planned->plan == NULL ? planned->routes : NULL;
    command_say("planning with %s for %d hosts",
                request->algorithm == NULL ? mtree_algorithms_names()[0]
                                           : request->algorithm,
                planned->num_hosts);
    return mtree_choice_plan(planned->topology, planned->hosts, planned->num_hosts,
                             &routed, plan_p, candidates);
}

void planned_network_run(const plan_options_t *options, const char *file,
                         planned_network_t *planned)
{
    planned_network_prepare(options, file, planned);
    command_must(planned_network_plan(planned, &planned->request, &planned->plan,
                                      &planned->candidates));
    add_relays(planned);
}

/* Routes between the plan's hosts, wherever the topology has them.  No two are one host
 * there, as two spellings of its name would be. */
static void route_plan(planned_network_t *planned)
{
    const mtree_plan_t *plan = planned->plan;

    planned->hosts = mtree_calloc((size_t)plan->num_hosts, sizeof(int));
    planned->num_hosts = mtree_plan_num_active(plan);
    planned->request.collective = plan->collective;
    planned->request.root = plan->root < 0 ? 0 : plan->root;
    planned->request.bytes = plan->bytes;
    for (int i = 0; i < planned->num_hosts; ++i) {
        const int host = find_host(planned->topology, plan->hosts[i]);
        const int first = place_of(host, planned->hosts, i);

        if (first >= 0) {
            command_fail("plan: hosts %s and %s are one host of %s; name each host once",
                         plan->hosts[first], plan->hosts[i], planned->topology->source);
        }
        planned->hosts[i] = host;
    }
    add_relays(planned);
}

void planned_network_read(const char *plan_file, const char *topology_file,
                          planned_network_t *planned)
{
    size_t length;
    char *text;

    *planned = (planned_network_t){0};
    command_must(mtree_file_read(plan_file, &text, &length));
    command_must(mtree_plan_from_json(text, length, plan_file, &planned->plan));
    free(text);
    if (topology_file != NULL) {
        command_must(mtree_topology_read(topology_file, &planned->topology));
        route_plan(planned);
    }
}

/* The shorter one of @a piece and @a bytes, which are none if they are 0. */
static double shorter(double piece, size_t bytes)
{
    return bytes > 0 ? fmin(piece, (double)bytes) : piece;
}

/* The mean of the pieces of the trees of @a plan, by what they carry. */
static double tree_piece(const mtree_plan_t *plan)
{
    double shares = 0.0, pieces = 0.0;

    for (int t = 0; t < plan->num_trees; ++t) {
        shares += plan->trees[t].share;
        pieces += plan->trees[t].share / shorter(WHOLE_PIECE, plan->trees[t].chunk_bytes);
    }
    return pieces > 0.0 ? shares / pieces : WHOLE_PIECE;
}

void simulated_check(const command_t *command, const mtree_simulate_options_t *simulated,
                     int num_hosts, const mtree_plan_t *plan)
{
    const double bytes = (double)simulated->bytes;
    const double others = (double)num_hosts * simulated->ranks_per_host - 1;
    double piece =
        shorter(shorter(WHOLE_PIECE, simulated->segment_bytes), simulated->chunk_bytes);

    if (plan != NULL) {
        piece = shorter(piece, plan->message_bytes);
        piece = simulated->chunk_bytes > 0 ? piece : fmin(piece, tree_piece(plan));
    }
    if (bytes / piece * others > MOST_MESSAGES) {
        command_fail("%s: %s in pieces of %s take too long to simulate; give longer "
                     "pieces or a shorter message, %s at most of these",
                     command->name, MTREE_UNITS_SIZE(bytes), MTREE_UNITS_SIZE(piece),
                     MTREE_UNITS_SIZE(MOST_MESSAGES / others * piece));
    }
}

json_t *planned_network_json(const mtree_plan_t *plan)
{
    json_t *json;
    char *text;

    command_must(mtree_plan_to_json(plan, &text));
    json = json_loads(text, 0, NULL);
    free(text);
    return json;
}

mtree_least_time_t bound_find(const planned_network_t *planned, double bytes, double cut,
                              const char *limit,
                              const mtree_simulate_options_t *simulated)
{
    const mtree_plan_request_t *request = &planned->request;
    mtree_least_time_call_t call = {.collective = request->collective,
                                    .root = request->root,
                                    .bytes = bytes,
                                    .cut = cut,
                                    .limit = limit,
                                    .num_relays = request->num_relays};
    mtree_least_time_t time;

    if (planned->plan != NULL && planned->plan->num_relays > call.num_relays) {
        call.num_relays = planned->plan->num_relays;
    }
    if (simulated != NULL) {
        call.costs = mtree_simulate_costs(planned->topology, simulated);
        call.bytes = mtree_simulate_planned_bytes(request->collective, simulated,
                                                  planned->num_hosts);
    }
    command_must(mtree_least_time(planned->topology, planned->hosts, planned->num_hosts,
                                  &call, &time));
    return time;
}

void bound_print(const mtree_least_time_t *time)
{
    if (time->seconds > 0.0) {
        printf("least possible time: %s, by %s: %s\n", MTREE_UNITS_TIME(time->seconds),
               mtree_bound_name(time->by), time->limit);
    }
}

void bound_set_json(const mtree_least_time_t *time, json_t *object)
{
    if (time->seconds > 0.0) {
        json_object_set_new(object, "bound_seconds", json_real(time->seconds));
        json_object_set_new(object, "bound_by", json_string(mtree_bound_name(time->by)));
        json_object_set_new(object, "bound_limit", json_string(time->limit));
    }
}

double bound_share(const mtree_least_time_t *time, double seconds)
{
    return seconds > 0.0 ? time->seconds / seconds : 0.0;
}
