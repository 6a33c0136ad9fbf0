/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/topo/probed.h"

#include "base/random.h"
#include "base/units.h"
#include "tests/unit/maps.h"
#include "tests/unit/owned.h"

#define NAME     600
#define OVERHEAD 30e-6 /* seconds, of the software in a round trip */
#define WINDOW   90e3  /* bytes, that a stream starts with */
#define MARKS    40

typedef struct {
    const mtree_topology_t *truth;
    const probed_options_t *options;
    int num_hosts;
    int *hosts;   /* vertices of truth */
    bool *silent; /* [num_vertices] */
    mtree_routes_t *routes;
    mtree_random_t random;
    mtree_probe_t *probe;
    double streamed; /* seconds of all rounds of streams */
} network_t;

/* About normal, of variance 1. */
static double draw(network_t *network)
{
    double sum = 0;

    for (int i = 0; i < 12; ++i) {
        sum += mtree_random_fraction(&network->random);
    }
    return sum - 6;
}

static double rtt(const network_t *network, int a, int b)
{
    return OVERHEAD + mtree_routes_latency(network->routes, a, b) +
           mtree_routes_latency(network->routes, b, a);
}

/* The address of @a vertex for packets that come from @a before. */
static void write_address(const network_t *network, int vertex, int before, char *text)
{
    const mtree_vertex_t *vertices = network->truth->vertices;

    if (network->options->interfaces) {
        snprintf(text, NAME, "%s.%s", vertices[vertex].name, vertices[before].name);
    } else {
        snprintf(text, NAME, "%s", vertices[vertex].name);
    }
}

/* Who is the hop that @a experiment asks for? */
static void trace(const network_t *network, const mtree_probe_experiment_t *experiment,
                  mtree_probe_result_t *result)
{
    const mtree_topology_t *truth = network->truth;
    const int target = network->hosts[experiment->to];
    int left = experiment->limit;

    MTREE_ROUTE_ARCS (arc, network->routes, experiment->from, experiment->to) {
        const int vertex = mtree_arc_to(truth, arc);

        left -= !network->options->no_switches ||
                truth->vertices[vertex].kind == MTREE_VERTEX_HOST;
        if (left == 0 || vertex == target) {
            char address[NAME];

            write_address(network, vertex, mtree_arc_from(truth, arc), address);
            ck_assert_uint_lt(strlen(address), sizeof(result->address));
            strcpy(result->address, address);
            result->answer = vertex == target          ? MTREE_HOP_TARGET
                             : network->silent[vertex] ? MTREE_HOP_SILENT
                                                       : MTREE_HOP_ROUTER;
            return;
        }
    }
}

static int compare_doubles(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;

    return (a > b) - (a < b);
}

static double ping(network_t *network, const mtree_probe_experiment_t *experiment,
                   mtree_probe_result_t *result)
{
    double base = rtt(network, experiment->from, experiment->to);
    double rtts[64], sum = 0;

    ck_assert_int_ge(experiment->repeats, 1);
    ck_assert_int_le(experiment->repeats, 64);
    for (int i = 0; i < experiment->repeats; ++i) {
        rtts[i] = base * (1 + network->options->noise * fabs(draw(network)));
        sum += rtts[i];
    }
    qsort(rtts, (size_t)experiment->repeats, sizeof(*rtts), compare_doubles);
    result->least = rtts[0];
    result->median = rtts[experiment->repeats / 2];
    return sum;
}

/* Bytes after @a seconds of a stream that opens its window until it has @a rate. */
static double sent(double seconds, double rate, double round_trip)
{
    double opening = fmax(0, round_trip * log2(rate / 8 * round_trip / WINDOW));
    double early = fmin(seconds, opening);

    return WINDOW / log(2) * (exp2(early / round_trip) - 1) +
           (seconds - early) * rate / 8;
}

/* Does the round begin within that second of the streams' time (0: none does)? */
static bool is_second(const network_t *network, int second)
{
    return second > 0 && (int)network->streamed == second - 1;
}

/* Seconds after which a stream of that rate has sent all that it may. */
static double end_of_bytes(const mtree_probe_experiment_t *experiment, double rate,
                           double round_trip)
{
    double seconds = experiment->seconds;

    while (sent(seconds, rate, round_trip) > (double)experiment->bytes) {
        seconds *= 0.99;
    }
    return seconds;
}

static void take_marks(network_t *network, const mtree_probe_experiment_t *experiment,
                       double rate, mtree_probe_result_t *result)
{
    double round_trip = rtt(network, experiment->from, experiment->to);
    double seconds = end_of_bytes(experiment, rate, round_trip);
    double bytes = 0, now, before = 0;

    result->num_samples = MARKS;
    result->samples[0] = (mtree_probe_rate_sample_t){0, 0};
    for (int i = 1; i < MARKS; ++i) {
        now = sent(seconds * i / (MARKS - 1), rate, round_trip);
        if (is_second(network, network->options->rising)) {
            now *= 0.5 * i / (MARKS - 1);
        }
        bytes += (now - before) * fmax(0, 1 + network->options->noise * draw(network));
        before = now;
        result->samples[i] =
            (mtree_probe_rate_sample_t){seconds * i / (MARKS - 1), bytes};
    }
}

/* Is a link of @a experiment full once each of its streams that grow has @a level? */
static bool is_stopped(const network_t *network,
                       const mtree_probe_experiment_t *experiment, const double *room,
                       const int *growing, double level)
{
    MTREE_ROUTE_ARCS (arc, network->routes, experiment->from, experiment->to) {
        if (room[arc] <= level * growing[arc] * (1 + 1e-9)) {
            return true;
        }
    }
    return false;
}

/* Let the streams whose rate is below 0 grow together: what is full first stops those
 * that cross it, the others go on (D. Bertsekas, R. Gallager, Data Networks, 6.5.2).
 * @a room is what links leave to the @a growing streams over each. */
static void fill(const network_t *network, const mtree_probe_round_t *round, double *room,
                 int *growing, double *rates)
{
    for (double level = 0; isfinite(level);) {
        level = INFINITY;
        for (int arc = 0; arc < 2 * network->truth->num_links; ++arc) {
            level = growing[arc] > 0 ? fmin(level, room[arc] / growing[arc]) : level;
        }
        for (int i = 0; i < round->num_experiments; ++i) {
            const mtree_probe_experiment_t *experiment = &round->experiments[i];

            if (rates[i] < 0 && is_stopped(network, experiment, room, growing, level)) {
                rates[i] = level;
                MTREE_ROUTE_ARCS (arc, network->routes, experiment->from,
                                  experiment->to) {
                    room[arc] -= level;
                    --growing[arc];
                }
            }
        }
    }
}

/* Max-min fair rates of all streams of @a round. */
static void share(const network_t *network, const mtree_probe_round_t *round,
                  double *rates)
{
    size_t num_arcs = 2 * (size_t)network->truth->num_links;
    UNIT_FREED double *room = calloc(num_arcs, sizeof(*room));
    UNIT_FREED int *growing = calloc(num_arcs, sizeof(*growing));

    for (size_t arc = 0; arc < num_arcs; ++arc) {
        room[arc] = mtree_arc_capacity(network->truth, (int)arc);
    }
    for (int i = 0; i < round->num_experiments; ++i) {
        const mtree_probe_experiment_t *experiment = &round->experiments[i];

        rates[i] = -1;
        MTREE_ROUTE_ARCS (arc, network->routes, experiment->from, experiment->to) {
            ++growing[arc];
        }
    }
    fill(network, round, room, growing, rates);
}

/* Of streams of links alone no two have a sender, a receiver or a link in common. */
static void check_alone(const mtree_probe_round_t *round)
{
    for (int i = 0; i < round->num_experiments; ++i) {
        const mtree_probe_experiment_t *a = &round->experiments[i];

        for (int j = 0; j < i && strstr(round->purpose, "alone") != NULL; ++j) {
            const mtree_probe_experiment_t *b = &round->experiments[j];

            ck_assert_int_ne(a->from, b->from);
            ck_assert_int_ne(a->to, b->to);
            ck_assert(a->from != b->to || a->to != b->from);
        }
    }
}

/* Carry out a round of streams; the seconds that it takes. */
static double stream(network_t *network, const mtree_probe_round_t *round,
                     mtree_probe_result_t *results)
{
    double *rates = calloc((size_t)round->num_experiments, sizeof(*rates));
    double slowness = is_second(network, network->options->slow) ? 0.5 : 1, longest = 0;

    check_alone(round);
    share(network, round, rates);
    for (int i = 0; i < round->num_experiments; ++i) {
        take_marks(network, &round->experiments[i], rates[i] * slowness, &results[i]);
        longest = fmax(longest, round->experiments[i].seconds);
    }
    free(rates);
    network->streamed += longest;
    return longest + network->options->lingers;
}

/* Carry out a round; the seconds that it takes. */
static double carry_out(network_t *network, const mtree_probe_round_t *round,
                        mtree_probe_result_t *results)
{
    mtree_probe_kind_t kind = round->experiments[0].kind;
    double longest = kind == MTREE_PROBE_STREAM ? stream(network, round, results) : 0;
    double farthest = 0;

    for (int i = 0; i < round->num_experiments; ++i) {
        const mtree_probe_experiment_t *experiment = &round->experiments[i];

        ck_assert_int_ne(experiment->from, experiment->to);
        ck_assert_int_eq(experiment->kind, kind);
        farthest = fmax(farthest, rtt(network, 0, experiment->from));
        if (kind == MTREE_PROBE_TRACE) {
            trace(network, experiment, &results[i]);
        } else if (kind == MTREE_PROBE_PING) {
            longest = fmax(longest, ping(network, experiment, &results[i]));
        }
    }
    return longest + farthest;
}

/* The probe of the hosts with all of their addresses. */
static void create(network_t *network)
{
    const mtree_topology_t *truth = network->truth;
    const mtree_probe_options_t options = {.seconds = network->options->seconds > 0
                                                          ? network->options->seconds
                                                          : PROBED_SECONDS,
                                           .seed = network->options->seed,
                                           .traces = !network->options->no_routes,
                                           .bytes = network->options->bytes};
    mtree_probe_host_t *hosts = calloc((size_t)network->num_hosts, sizeof(*hosts));
    char address[NAME];

    for (int i = 0; i < network->num_hosts; ++i) {
        hosts[i].name = truth->vertices[network->hosts[i]].name;
        hosts[i].address = hosts[i].name;
    }
    unit_ok(mtree_probe_create(hosts, network->num_hosts, &options, &network->probe));
    free(hosts);
    if (network->options->known != NULL) {
        mtree_probe_add_known(network->probe, network->options->known);
    }
    for (int arc = 0; network->options->interfaces && arc < 2 * truth->num_links; ++arc) {
        for (int i = 0; i < network->num_hosts; ++i) {
            if (network->hosts[i] == mtree_arc_to(truth, arc)) {
                write_address(network, network->hosts[i], mtree_arc_from(truth, arc),
                              address);
                mtree_probe_add_address(network->probe, i, address);
            }
        }
    }
}

void probed_run(const mtree_topology_t *truth, const probed_options_t *options,
                mtree_probe_findings_t *findings)
{
    network_t network = {.truth = truth, .options = options};
    mtree_probe_result_t *results;
    mtree_probe_round_t round;

    network.hosts = malloc((size_t)truth->num_vertices * sizeof(*network.hosts));
    network.num_hosts = map_hosts(truth, network.hosts);
    mtree_random_init(&network.random, options->seed);
    network.silent = calloc((size_t)truth->num_vertices, sizeof(*network.silent));
    ck_assert_ptr_nonnull(network.silent);
    for (int i = 0; i < truth->num_vertices; ++i) {
        network.silent[i] = mtree_random_fraction(&network.random) < options->silent;
    }
    unit_ok(
        mtree_routes_create(truth, network.hosts, network.num_hosts, &network.routes));
    create(&network);
    for (;;) {
        unit_ok(mtree_probe_next(network.probe, &round));
        if (round.num_experiments == 0) {
            break;
        }
        results = calloc((size_t)round.num_experiments, sizeof(*results));
        mtree_probe_record(network.probe, results, carry_out(&network, &round, results));
        free(results);
    }
    unit_ok(mtree_probe_finish(network.probe, findings));
    mtree_probe_destroy(network.probe);
    mtree_routes_destroy(network.routes);
    free(network.silent);
    free(network.hosts);
}

static void check_latency(double found, double truth, const char *from, const char *to)
{
    ck_assert_msg(fabs(found - truth) <= fmax(0.1 * truth, 2e-4),
                  "latency from %s to %s: found %g s, it is %g s", from, to, found,
                  truth);
}

void probed_check(const mtree_topology_t *truth, const mtree_probe_findings_t *findings,
                  double tolerance)
{
    const mtree_topology_t *found = findings->topology;
    OWNED(routes) *routes = NULL, *true_routes = NULL;
    const size_t room = (size_t)truth->num_vertices * sizeof(int);
    UNIT_FREED int *hosts = malloc(room), *found_hosts = malloc(room);
    const int num_hosts = map_hosts(truth, hosts);

    ck_assert_int_eq(found->num_vertices, truth->num_vertices);
    ck_assert_int_eq(found->num_links, truth->num_links);
    ck_assert_int_eq(map_hosts(found, found_hosts), num_hosts);
    unit_ok(mtree_routes_create(truth, hosts, num_hosts, &true_routes));
    unit_ok(mtree_routes_create(found, found_hosts, num_hosts, &routes));
    for (int i = 0; i < num_hosts * num_hosts; ++i) {
        int from = i / num_hosts, to = i % num_hosts;
        int true_count = mtree_routes_links(true_routes, from, to);
        int count = mtree_routes_links(routes, from, to);
        double rate = mtree_routes_capacity(routes, from, to);
        double true_rate = mtree_routes_capacity(true_routes, from, to);
        const char *from_name = found->vertices[from].name;
        const char *to_name = found->vertices[to].name;

        ck_assert_msg(count == true_count, "%s to %s: found %d links, there are %d",
                      from_name, to_name, count, true_count);
        check_latency(mtree_routes_latency(routes, from, to),
                      mtree_routes_latency(true_routes, from, to), from_name, to_name);
        ck_assert_msg(from == to || fabs(rate - true_rate) <= tolerance * true_rate,
                      "%s to %s: found %g bits/s, there are %g", from_name, to_name, rate,
                      true_rate);
    }
}

/* What the hosts from which routes cross @a arc can send, or those to which they do can
 * receive, whichever is less. */
static double usable(const mtree_topology_t *truth, int arc)
{
    OWNED(routes) *routes = NULL;
    double sent_most = 0, received_most = 0;
    UNIT_FREED int *hosts = malloc((size_t)truth->num_vertices * sizeof(*hosts));
    const int num_hosts = map_hosts(truth, hosts);

    unit_ok(mtree_routes_create(truth, hosts, num_hosts, &routes));
    for (int side = 0; side < 2; ++side) {
        for (int i = 0; i < num_hosts; ++i) {
            double rate = 0;

            for (int j = 0; j < num_hosts; ++j) {
                int from = (side == 0) ? i : j, to = (side == 0) ? j : i;

                MTREE_ROUTE_ARCS (on, routes, from, to) {
                    rate = (on == arc)
                               ? fmax(rate, mtree_routes_capacity(routes, from, to))
                               : rate;
                }
            }
            *((side == 0) ? &sent_most : &received_most) += rate;
        }
    }
    return fmin(mtree_arc_capacity(truth, arc), fmin(sent_most, received_most));
}

void probed_check_links(const mtree_topology_t *truth,
                        const mtree_probe_findings_t *findings, double tolerance)
{
    const mtree_topology_t *found = findings->topology;

    ck_assert_int_eq(found->num_vertices, truth->num_vertices);
    ck_assert_int_eq(found->num_links, truth->num_links);
    for (int arc = 0; arc < 2 * found->num_links; ++arc) {
        const char *from = found->vertices[mtree_arc_from(found, arc)].name;
        const char *to = found->vertices[mtree_arc_to(found, arc)].name;
        double rate = mtree_arc_capacity(found, arc);
        int there = map_arc(truth, from, to);
        double true_rate = mtree_arc_capacity(truth, there);

        ck_assert_double_eq(rate, mtree_units_round(rate));
        ck_assert_double_eq(found->links[arc >> 1].latency,
                            mtree_units_round(found->links[arc >> 1].latency));
        check_latency(found->links[arc >> 1].latency, truth->links[there >> 1].latency,
                      from, to);
        if (findings->links[arc >> 1].capacity[arc & 1].basis == MTREE_PROBE_AT_LEAST) {
            ck_assert_msg(rate >= 0.9 * usable(truth, there) && rate <= 1.1 * true_rate,
                          "%s to %s: found at least %g bits/s, %g of %g can be used",
                          from, to, rate, usable(truth, there), true_rate);
        } else {
            ck_assert_msg(fabs(rate - true_rate) <= tolerance * true_rate,
                          "%s to %s: found %g bits/s, there are %g", from, to, rate,
                          true_rate);
        }
    }
}
