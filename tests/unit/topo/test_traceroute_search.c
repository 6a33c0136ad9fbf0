/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/given.h"
#include "topo/probe/traceroute_search.h"

/* Answers that a router gives one host in a burst, as Linux does. */
#define BURST 6

/* What the imitated network is like. */
static struct {
    bool has_first_hops; /* hosts know the device that packets leave by */
    int silent;          /* a vertex that never answers, or -1 */
} traits = {.silent = -1};

static int *answers; /* [vertex * num_hosts + host]: given so far */
static int num_questions, num_rounds;
static mtree_probe_routes_t *known; /* addresses */
static mtree_traceroute_search_t *search;

static const char *address_of(int vertex)
{
    static char texts[256][16];

    snprintf(texts[vertex % 256], sizeof(texts[0]), "10.0.0.%d", vertex);
    return texts[vertex % 256];
}

/* A search between @a count hosts, which are vertices @a hosts, or as many from 0 on. */
static void search_create(int count, const int *list)
{
    const char *texts[256];

    for (int h = 0; h < count; h++) {
        texts[h] = address_of(list != NULL ? list[h] : h);
    }
    known = mtree_probe_routes_create(texts, count);
    search = mtree_traceroute_search_create(known);
}

/* A shape, or the map of a file. */
static void network_load(const char *shape)
{
    given_routes(shape[0] == '/' || shape[0] == '.' ? map_file(shape)
                                                    : map_shape(shape, 1e9, 0));
    num_questions = num_rounds = 0;
    answers = calloc((size_t)(topology->num_vertices * num_hosts), sizeof(*answers));
}

static void network_unload(void)
{
    mtree_traceroute_search_destroy(search);
    mtree_probe_routes_destroy(known);
    forget();
    free(answers);
}

static void search_begin(void)
{
    search_create(num_hosts, hosts);
    for (int h = 0; h < num_hosts; h++) {
        for (int t = 0; traits.has_first_hops && t < num_hosts; t++) {
            int arc = mtree_routes_first(routes, h, t);

            if (arc >= 0) {
                mtree_kernel_route_t first = {.device = arc + 1};

                mtree_traceroute_search_set_first_hop(search, h, t, &first);
            }
        }
    }
}

static void answer(const mtree_route_question_t *question)
{
    int arcs[MTREE_PROBE_MAX_HOPS];
    int num_arcs = mtree_routes_list(routes, question->host, question->target, arcs);
    int vertex = mtree_arc_to(topology, arcs[question->limit - 1]);
    mtree_traceroute_answer_t said =
        question->limit == num_arcs ? MTREE_HOP_TARGET : MTREE_HOP_ROUTER;

    ck_assert_int_le(question->limit, num_arcs);
    if (vertex == traits.silent ||
        ++answers[vertex * num_hosts + question->host] > BURST) {
        said = MTREE_HOP_SILENT;
    }
    mtree_traceroute_search_answer(search, question, said, address_of(vertex));
}

/* Answer all questions. */
static void search_end(void)
{
    const mtree_route_question_t *questions;
    int number;

    do {
        questions = mtree_traceroute_search_ask(search, &number);
        num_rounds += number > 0;
        num_questions += number;
        for (int q = 0; q < number; q++) {
            ck_assert_int_ne(questions[q].host, questions[q].target);
            answer(&questions[q]);
        }
    } while (number > 0);
}

static void search_run(void)
{
    search_begin();
    search_end();
}

/* Every route is the network's own; hops of the silent vertex have no address. */
static void assert_routes(void)
{
    const char *hops[MTREE_PROBE_MAX_HOPS];

    for (int from = 0; from < num_hosts; from++) {
        for (int to = 0; to < num_hosts; to++) {
            int arcs[MTREE_PROBE_MAX_HOPS];
            int num_arcs = mtree_routes_list(routes, from, to, arcs);

            ck_assert_int_eq(mtree_traceroute_search_get(search, from, to, hops),
                             num_arcs);
            for (int i = 0; i < num_arcs; i++) {
                int vertex = mtree_arc_to(topology, arcs[i]);

                ck_assert_str_eq(hops[i],
                                 vertex == traits.silent ? "" : address_of(vertex));
            }
        }
    }
}

static const struct {
    const char *shape;
    int least_questions, most_questions, most_rounds;
    bool has_first_hops;
} shapes[] = {
    {"star:8", 0, 16, 2, true},
    {"star:24", 0, 48, 2, true},
    {"ring:9", 0, 60, 6, true},
    {"mesh:3x4", 0, 100, 8, true},
    {"torus:3x3", 0, 60, 6, true},
    {"fattree:4", 0, 240, 8, true},
    {"fattree:4x4", 0, 150, 6, true},
    {"bigraph:4x4", 0, 150, 6, true},
    {"random:12:18", 0, 80, 6, true},
    {"random:16:40", 0, 150, 6, true},
    {TOPOLOGIES "/b4.dot", 0, 60, 8, true},
    /* A host that does not know its devices asks for each target. */
    {"star:6", 6 * 5 + 6, 6 * 5 + 6, 8, false},
};

/* All routes are found, although routers answer six times only, with few questions. */
UNIT_EACH(test_shapes, shapes)
{
    traits.has_first_hops = shapes[_i].has_first_hops;
    network_load(shapes[_i].shape);
    search_run();
    assert_routes();
    ck_assert_int_ge(num_questions, shapes[_i].least_questions);
    ck_assert_int_le(num_questions, shapes[_i].most_questions);
    ck_assert_int_le(num_rounds, shapes[_i].most_rounds);
}

/* So many hosts, whose packets to each other all leave by @a first. */
static void search_begin_alike(int count, const mtree_kernel_route_t *first)
{
    search_create(count, NULL);
    for (int h = 0; h < count; h++) {
        for (int t = 0; t < count; t++) {
            mtree_traceroute_search_set_first_hop(search, h, t, first);
        }
    }
}

/* The number of questions of a round, all of @a limit (0: any) and answered alike, from
 * @a from; NULL: from the target. */
static int answer_alike(mtree_traceroute_answer_t said, int limit, const char *from)
{
    int number;
    const mtree_route_question_t *questions =
        mtree_traceroute_search_ask(search, &number);

    for (int q = 0; q < number; q++) {
        ck_assert(limit == 0 || questions[q].limit == limit);
        mtree_traceroute_search_answer(search, &questions[q], said,
                                       said == MTREE_HOP_SILENT ? NULL
                                       : from != NULL           ? from
                                                      : address_of(questions[q].target));
    }
    return number;
}

/* The gateway's answer for one target holds for all behind it, itself included. */
UNIT_TEST(test_gateway)
{
    const char *hop = address_of(201);
    const mtree_kernel_route_t first = {.device = 2,
                                        .gateway = mtree_address_parse("10.0.0.200")};
    const char *hops[MTREE_PROBE_MAX_HOPS];

    search_begin_alike(4, &first);
    ck_assert_int_eq(answer_alike(MTREE_HOP_ROUTER, 1, hop), 4);
    ck_assert_int_eq(answer_alike(MTREE_HOP_TARGET, 2, hop), 4);
    ck_assert_int_eq(answer_alike(MTREE_HOP_TARGET, 0, hop), 0);
    ck_assert_int_eq(mtree_traceroute_search_get(search, 3, 1, hops), 2);
    ck_assert_str_eq(hops[0], hop);
}

/* On a network that all are on, every target answers for itself. */
UNIT_TEST(test_network_without_hops)
{
    const mtree_kernel_route_t first = {.device = 2};
    const char *hops[MTREE_PROBE_MAX_HOPS];
    int asked = 0;

    search_begin_alike(5, &first);
    /* Of each host: one target, another, and then the others. */
    for (int round = 0; round < 3; round++) {
        int number = answer_alike(MTREE_HOP_TARGET, 0, NULL);

        ck_assert_int_gt(number, 0);
        asked += number;
    }
    ck_assert_int_eq(answer_alike(MTREE_HOP_TARGET, 0, NULL), 0);
    ck_assert_int_eq(asked, 5 * 4);
    ck_assert_int_eq(mtree_traceroute_search_get(search, 0, 4, hops), 1);
}

/* Where few routes are wanted, a host on the way asks for the rest of one, which is not
 * among its own. */
UNIT_TEST(test_wanted_route_over_hosts)
{
    const char *hops[MTREE_PROBE_MAX_HOPS];

    network_load("mesh:1x5");
    search_begin();
    mtree_traceroute_search_want(search, 0, 4);
    search_end();
    ck_assert_int_eq(mtree_traceroute_search_get(search, 0, 4, hops), 4);
}

/* A router that never answers is a hop without an address, and what follows is found. */
UNIT_TEST(test_silent_router)
{
    network_load("fattree:2x3");
    for (int v = 0; v < topology->num_vertices; v++) {
        if (topology->vertices[v].kind == MTREE_VERTEX_SWITCH) {
            traits.silent = v;
            break;
        }
    }
    search_run();
    assert_routes();
}

/* Where nobody answers at all, or says who it is, the search ends, without routes. */
UNIT_LOOP(test_silent_network, 0, 2)
{
    const char *hops[MTREE_PROBE_MAX_HOPS];
    int rounds = 0;

    traits.has_first_hops = true;
    network_load("ring:5");
    search_begin();
    while (answer_alike(_i == 0 ? MTREE_HOP_SILENT : MTREE_HOP_ROUTER, 0, "") > 0) {
        ck_assert_int_lt(++rounds, 20);
    }
    ck_assert_int_eq(mtree_traceroute_search_get(search, 0, 2, hops), 0);
}

/* Somebody says that there is no way: nothing more is asked. */
UNIT_TEST(test_refused)
{
    const char *hops[MTREE_PROBE_MAX_HOPS], *router = address_of(99);

    network_load("star:2");
    search_begin();
    ck_assert_int_eq(answer_alike(MTREE_HOP_REFUSED, 0, router), 2);
    ck_assert_int_eq(answer_alike(MTREE_HOP_REFUSED, 0, router), 0);
    ck_assert_int_eq(mtree_traceroute_search_get(search, 0, 1, hops), 0);
}

UNIT_FIXTURE(NULL, network_unload)
