/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/maps.h"
#include "tests/unit/owned.h"

static mtree_topology_t *parse(const char *text)
{
    mtree_topology_t *topology = NULL;

    heard_start();
    unit_ok(mtree_topology_parse(text, strlen(text), "t.dot", &topology));
    return topology;
}

UNIT_TEST(test_example)
{
    OWNED(topology) *topology =
        parse("// three sites\n"
              "graph three {\n"
              "    paris  [pos=\"2.35,48.86!\"];\n"
              "    berlin [host=\"berlin.example.org\" lon=13.4 lat=52.5];\n"
              "    sw     [kind=switch];\n"
              "    paris -- berlin [capacity=\"200Mbps\" latency=\"10ms\"];\n"
              "    paris -- sw     [capacity=\"1Gbps\" capacity_back=\"0bps\"];\n"
              "    berlin -- sw    [capacity=\"25MBps\" label=\"a label\"];\n"
              "}\n");
    UNIT_FREED char *text = map_written(topology);

    ck_assert_int_eq(heard_lines(), 0);
    ck_assert_str_eq(topology->source, "t.dot");
    ck_assert_int_eq(mtree_topology_num_hosts(topology), 2);
    ck_assert_str_eq(topology->vertices[0].host, "paris");
    ck_assert_double_eq(topology->vertices[0].y, 48.86);
    ck_assert_str_eq(
        text,
        "graph \"three\" {\n"
        "    \"paris\" [kind=host pos=\"2.35,48.86\"];\n"
        "    \"berlin\" [kind=host host=\"berlin.example.org\" pos=\"13.4,52.5\"];\n"
        "    \"sw\" [kind=switch];\n"
        "    \"paris\" -- \"berlin\" [capacity=\"200Mbps\" latency=\"10ms\"];\n"
        "    \"paris\" -- \"sw\" [capacity=\"1Gbps\" capacity_back=\"0Tbps\"];\n"
        "    \"berlin\" -- \"sw\" [capacity=\"200Mbps\"];\n"
        "}\n");
}

UNIT_TEST(test_directed)
{
    OWNED(topology) *topology =
        parse("digraph {\n a -> b [capacity=\"1Mbps\"]\n c -> a [capacity=\"4Mbps\"]\n"
              " b -> a [capacity=\"2Mbps\"]\n b -> c [capacity=\"3Mbps\"]\n}\n");

    ck_assert_int_eq(topology->num_links, 3);
    ck_assert_double_eq(topology->links[0].capacity[0], 1e6);
    ck_assert_double_eq(topology->links[0].capacity[1], 2e6);
    ck_assert_double_eq(topology->links[1].capacity[0], 4e6);
    ck_assert_double_eq(topology->links[1].capacity[1], 0);
    ck_assert_str_eq(topology->name, "network");
}

/* Two cables between a and b, one of them written the other way round, a third link with
 * IPv6, and one end at a switch. */
static const char cables[] =
    "graph {\n s [kind=switch]\n"
    " a -- b [capacity=\"100Mbps\" from_address=\"10.1.0.1\" to_address=\"10.1.0.2\"]\n"
    " b -- a [capacity=\"40Mbps\" capacity_back=\"30Mbps\" latency=\"1ms\" "
    "from_address=\"10.2.0.2\" to_address=\"10.2.0.1\"]\n"
    " b -- c [capacity=\"1Gbps\" from_address=\"2001:db8::1\" "
    "to_address=\"2001:DB8:0::2\"]\n"
    " c -- s [capacity=\"1Gbps\" from_address=\"10.3.0.1\"]\n"
    " a -- s [capacity=\"1Gbps\"]\n}\n";

/* The addresses and the rates of the two are those of the order that is first. */
static const char written_cables[] =
    "graph \"network\" {\n"
    "    \"s\" [kind=switch];\n    \"a\" [kind=host];\n    \"b\" [kind=host];\n"
    "    \"c\" [kind=host];\n"
    "    \"a\" -- \"b\" [capacity=\"100Mbps\" latency=\"1ms\" "
    "from_address=\"10.1.0.1\" to_address=\"10.1.0.2\"];\n"
    "    \"a\" -- \"b\" [capacity=\"30Mbps\" capacity_back=\"40Mbps\" latency=\"1ms\" "
    "from_address=\"10.2.0.1\" to_address=\"10.2.0.2\"];\n"
    "    \"b\" -- \"c\" [capacity=\"1Gbps\" from_address=\"2001:db8::1\" "
    "to_address=\"2001:db8::2\"];\n"
    "    \"c\" -- \"s\" [capacity=\"1Gbps\" from_address=\"10.3.0.1\"];\n"
    "    \"a\" -- \"s\" [capacity=\"1Gbps\"];\n}\n";

UNIT_LOOP(test_cables, 0, 2)
{
    OWNED(topology) *topology = parse(_i == 0 ? cables : written_cables);
    UNIT_FREED char *text = map_written(topology);
    const mtree_link_t *links = topology->links;

    ck_assert_int_eq(heard_lines(), 0);
    ck_assert_str_eq(text, written_cables);
    ck_assert_int_eq(topology->num_links, 4);
    ck_assert_double_eq(links[0].capacity[0], 130e6);
    ck_assert_double_eq(links[0].capacity[1], 140e6);
    ck_assert(links[0].num_cables == 2 && links[1].num_cables == 1 &&
              links[2].num_cables == 1 && links[3].num_cables == 0);
}

/* A link that was found to carry half, and one that is gone. */
UNIT_TEST(test_cables_have_what_their_link_has)
{
    OWNED(topology) *topology = parse(cables), *again = NULL;
    UNIT_FREED char *text = NULL;

    topology->links[0].capacity[0] *= 0.5;
    topology->links[1].capacity[0] = topology->links[1].capacity[1] = 0;
    text = map_written(topology);
    again = parse(text);
    ck_assert_int_eq(again->num_links, 3);
    ck_assert_double_eq(again->links[0].cables[0].capacity[0], 50e6);
    ck_assert_double_eq(again->links[0].cables[0].capacity[1], 100e6);
    ck_assert_double_eq(again->links[0].capacity[0], 65e6);
}

/* The directions of a cable in a directed graph are told by their ends. */
UNIT_TEST(test_directed_cables)
{
    OWNED(topology) *topology = parse(
        "digraph {\n"
        " a -> b [capacity=\"1Mbps\" from_address=\"10.1.0.1\" to_address=\"10.1.0.2\"]\n"
        " b -> a [capacity=\"2Mbps\" from_address=\"10.2.0.2\" to_address=\"10.2.0.1\"]\n"
        " b -> a [capacity=\"4Mbps\" from_address=\"10.1.0.2\" to_address=\"10.1.0.1\"]\n"
        " a -> b [capacity=\"8Mbps\" from_address=\"10.2.0.1\" "
        "to_address=\"10.2.0.2\"]\n}\n");

    ck_assert_int_eq(topology->num_links, 1);
    ck_assert_double_eq(topology->links[0].capacity[0], 9e6);
    ck_assert_double_eq(topology->links[0].capacity[1], 6e6);
    ck_assert_int_eq(topology->links[0].num_cables, 2);
    ck_assert_double_eq(topology->links[0].cables[0].capacity[1], 4e6);
    ck_assert_double_eq(topology->links[0].cables[1].capacity[0], 8e6);
}

#define LINK_OF(nodes, from, to)                                                         \
    " " nodes " [capacity=\"1Mbps\" from_address=\"" from "\" to_address=\"" to "\"];\n"
#define ENDS(from, to) LINK_OF("a -- b", from, to)

#define LINK(attributes) "graph {\n a -- b [capacity=\"1Mbps\" " attributes "];\n}"
#define NODE(attributes) "graph {\n a\n b [" attributes "];\n}"
#define MBPS             " [capacity=\"1Mbps\"];\n"
#define GRAPH(attribute) "graph {\n " attribute ";\n a -- b" MBPS "}"

/* Text that is wrong, and what the user must read behind "t.dot". */
static const struct {
    const char *text, *message;
} bad[] = {
    {"hello", ":1: syntax error near 'hello'"},
    {"graph {\n a -- b [capacity=\"1Mbps\"]\n a [ c\n}", ":4: syntax error near '}'"},
    {"graph { }", ":1: no host"},
    {"graph { a [kind=switch]; }", ":1: no host"},
    {NODE("kind=swich"), ":3: node b: kind 'swich' is neither host nor switch"},
    {NODE("relay=\"b.example.org\""),
     ":3: node b: relay 'b.example.org': it is no address"},
    {NODE("relay=\"b:65536\""), ":3: node b: relay 'b:65536': it is no address"},
    {NODE("relay=\":7000\""), ":3: node b: relay ':7000': it is no address"},
    {NODE("kind=switch relay=\"b:7000\""),
     ":3: node b: relay 'b:7000': a switch cannot relay"},
    {"graph {\n a -- b" MBPS " /* c\n -- */ b -- c [capacity=\"1Mps\"];\n}",
     ":4: link b-c: capacity '1Mps': unknown unit"},
    {"graph {\n\n a -- b [capacity=\"0Mbps\"];\n}",
     ":3: link a-b: capacity '0Mbps': must be at least 1 b/s"},
    {LINK("capacity_back=\"0.5bps\""),
     ":2: link a-b: capacity_back '0.5bps': must be 0 or at least 1 b/s"},
    {"graph {\n\n a -- b [capacity=\"-5Mbps\"];\n}",
     ":3: link a-b: capacity '-5Mbps': must not be negative"},
    {"graph {\n a -- b;\n}",
     ":2: link a-b has no capacity; write it like capacity=\"200Mbps\""},
    {LINK("latency=5"), ":2: link a-b: latency '5': no unit"},
    {LINK("latency=\"101s\""), ":2: link a-b: latency '101s': over 100 s"},
    {LINK("mtu=1500.5"),
     ":2: link a-b: mtu '1500.5': not a whole number from 576 to 65535"},
    {LINK("loss=\"1%\""),
     ":2: link a-b: loss '1%': not a number from 0 to 1; write it like loss=\"0.001\""},
    {LINK("jitter=5"), ":2: link a-b: jitter '5': no unit"},
    {LINK("cross=\"-1Mbps\""), ":2: link a-b: cross '-1Mbps': must not be negative"},
    {GRAPH("message_cost=9"), ": message_cost '9': no unit"},
    {GRAPH("message_cost=\"2s\""),
     ": message_cost '2s': not from 1 ns to 1 s; write it like message_cost="},
    {GRAPH("copy_rate=\"0bps\""),
     ": copy_rate '0bps': must be at least 1 b/s; write it like"},
    {LINK("burst=x"), ":2: link a-b: burst 'x': not a number"},
    {LINK("capacity_back=\"x\""), ":2: link a-b: capacity_back 'x': not a number"},
    {"graph {\n a -- a" MBPS "}", ":2: node a is linked to itself"},
    {"graph {\n a -- b" MBPS " b -- c" MBPS " b -- a" MBPS "}",
     ":4: link b-a is there already, on line 2"},
    {"graph {\n" ENDS("10.0.0.300", "10.0.0.1") "}",
     ":2: link a-b: from_address '10.0.0.300': it is no IPv4 or IPv6 address; write "
     "it like from_address=\"10.1.0.1\""},
    {"graph {\n" ENDS("10.0.0.1", "0.0.0.0") "}",
     ":2: link a-b: to_address '0.0.0.0': it stands for any address"},
    {"graph {\n" ENDS("fe80::1", "fe80::2") "}",
     ":2: link a-b: from_address 'fe80::1': it holds on one link only"},
    {"graph {\n" ENDS("10.0.0.1", "") "}", ":2: link a-b: one end of two has an address"},
    {"graph {\n" ENDS("10.0.0.1", "2001:db8::1") "}",
     ":2: link a-b: one end is IPv4 and the other IPv6"},
    {"graph {\n" ENDS("10.0.0.1", "10.0.0.1") "}",
     ":2: link a-b: both ends have one address"},
    {"graph {\n b [kind=switch];\n" ENDS("10.0.0.1", "10.0.0.2") "}",
     ":3: link a-b: to_address '10.0.0.2': a switch has no address here"},
    {"graph {\n" ENDS("10.0.0.1", "10.0.0.2") ENDS("10.0.0.1", "10.0.0.2") "}",
     ":3: link a-b: another link has these ends"},
    {"graph {\n" ENDS("10.0.0.1", "10.0.0.2") " b -- a" MBPS "}",
     ":3: link b-a: another link joins these nodes"},
    {"graph {\n" ENDS("10.0.0.1", "10.0.0.2")
         LINK_OF("b -- c", "10.0.0.1", "10.0.0.3") "}",
     ":3: 10.0.0.1 is an address of node b here and of node a on line 2"},
    {"graph {\n" ENDS("10.0.0.1", "10.1.0.1") ENDS("10.0.0.1", "10.1.0.2")
         ENDS("10.0.0.1", "10.1.0.3") ENDS("10.0.0.1", "10.1.0.4")
             ENDS("10.0.0.1", "10.1.0.5") "}",
     ":6: link a-b: more than 4 links join these nodes"},
    {"digraph {\n a -> b" MBPS " a -> b" MBPS "}",
     ":3: link a-b is there already, on line 2"},
    {"digraph {\n a -> b" MBPS " b -> a [capacity=\"1Mbps\" latency=\"1s\"];\n}",
     ":3: link b-a has another latency"},
    {"digraph {\n a -> b [capacity=\"1Mbps\" capacity_back=\"1Mbps\"];\n}",
     ":2: link a-b: capacity_back is for undirected graphs"},
    {"digraph {\n a -> b" MBPS "}", ":2: host b has no path to host a"},
    {"graph {\n a -- b" MBPS " c -- d" MBPS "}", ":3: host a has no path to host c"},
    {"graph {\n a [host=x];\n b [host=x];\n a -- b" MBPS "}",
     ":3: nodes a and b both stand for host x"},
    {"graph {\n a -- \"\"" MBPS "}", ":2: the name of a node must be"},
    {"graph {\n a;\n \"\xff\";\n}", ":3: the name of a node must be"},
};

UNIT_EACH(test_bad_input, bad)
{
    const bool is_cut = strstr(bad[_i].message, "no path") != NULL;
    mtree_topology_t *topology = NULL;
    char message[160];

    (void)snprintf(message, sizeof(message), "t.dot%s", bad[_i].message);
    ck_assert_int_eq(
        mtree_topology_parse(bad[_i].text, strlen(bad[_i].text), "t.dot", &topology),
        is_cut ? MTREE_ERR_UNREACHABLE : MTREE_ERR_INVALID);
    ck_assert_ptr_null(topology);
    heard_line(message);
    /* The parser must be fit for the next file. */
    mtree_topology_destroy(parse("graph { a -- b [capacity=\"1Mbps\"]; }"));
    ck_assert_int_eq(heard_lines(), 0);
}

/* What is not known, and what may be meant. */
static const struct {
    const char *text, *unknown, *meant;
    int lines;
} unknown[] = {
    {LINK("capacty=3"), "edge attribute 'capacty'", "capacity", 1},
    {"graph { a [hots=x]; a -- b" MBPS "}", "node attribute 'hots'", "host", 1},
    {LINK("Bandwidth=3 capacty=1"), "edge attribute 'capacty'", "capacity", 2},
    {LINK("Bandwidth=3"), "edge attribute 'Bandwidth'", "capacity", 1},
    {LINK("mut=1"), "edge attribute 'mut'", "mtu", 1},
};

UNIT_EACH(test_unknown_attributes, unknown)
{
    char line[128];

    (void)snprintf(line, sizeof(line),
                   "t.dot: the %s is not known and not used (did you mean %s?)",
                   unknown[_i].unknown, unknown[_i].meant);
    mtree_topology_destroy(parse(unknown[_i].text));
    ck_assert_int_eq(heard_lines(), unknown[_i].lines);
    heard_is(line);
}

UNIT_TEST(test_warnings)
{
    char text[10000] = "graph { a -- b [capacity=\"1Mbps\" ";
    size_t at = strlen(text);

    /* Ports are for drawing. */
    mtree_topology_destroy(parse("graph { a:x -- b [capacity=\"1Mbps\" tailport=n]; }"));
    ck_assert_int_eq(heard_lines(), 0);
    /* Of a line that is too long the end is told, too. */
    while (at < 9000) {
        at += (size_t)snprintf(text + at, sizeof(text) - at, "ninefold_");
    }
    (void)snprintf(text + at, sizeof(text) - at, "=3]; }");
    mtree_topology_destroy(parse(text));
    heard_text("the edge attribute 'ninefold_ninefold_");
    heard_text("ninefold_' is not known and not used");
    heard_text(" ... ");
}

UNIT_TEST(test_files)
{
    mtree_topology_t *topology;

    ck_assert_int_eq(mtree_topology_read(FIXTURES "/no-such-file.dot", &topology),
                     MTREE_ERR_IO);
    heard_text("no-such-file.dot: cannot be opened");
    ck_assert_int_eq(mtree_topology_read("/", &topology), MTREE_ERR_IO);
    ck_assert_int_eq(heard_lines(), 2);
}

static const struct {
    const char *path;
    int num_hosts, num_links;
} files[] = {
    {TOPOLOGIES "/b4.dot", 12, 19},    {TOPOLOGIES "/abilene.dot", 12, 15},
    {TOPOLOGIES "/geant.dot", 22, 36}, {TOPOLOGIES "/torus-4x4.dot", 16, 32},
    {TOPOLOGIES "/star-8.dot", 8, 8},
};

UNIT_EACH(test_shipped, files)
{
    OWNED(topology) *topology = map_file(files[_i].path);

    ck_assert_int_eq(heard_lines(), 0);
    ck_assert_int_eq(mtree_topology_num_hosts(topology), files[_i].num_hosts);
    ck_assert_int_eq(topology->num_links, files[_i].num_links);
}

/* The capacities of b4.dot are drawn as papers/mtree IV-A says, its latencies follow
 * them. */
UNIT_TEST(test_b4_is_drawn_as_the_paper_says)
{
    OWNED(topology) *topology = map_file(TOPOLOGIES "/b4.dot");

    for (int i = 0; i < topology->num_links; ++i) {
        const mtree_link_t *link = &topology->links[i];
        double place;

        ck_assert_double_ge(link->capacity[0], 130e6);
        ck_assert_double_le(link->capacity[0], 270e6);
        ck_assert_double_eq(fmod(link->capacity[0], 10e6), 0);
        ck_assert_double_eq(link->capacity[0], link->capacity[1]);
        place = (1 / link->capacity[0] - 1 / 270e6) / (1 / 130e6 - 1 / 270e6);
        ck_assert_double_eq_tol(link->latency, 0.005 + place * 0.035, 1e-6);
    }
}

/* Either way may say them. */
UNIT_TEST(test_conditions_of_links)
{
    OWNED(topology) *topology =
        parse("digraph { edge [capacity=\"1Mbps\"]; a -> b [mtu=1500 burst=\"64K\"];\n"
              "b -> a [loss=\"0.5\"]; }");
    const mtree_link_conditions_t *of = &topology->links[0].conditions;

    ck_assert_int_eq(heard_lines(), 0);
    ck_assert(of->mtu == 1500 && of->loss == 0.5 && of->burst == 65536);
    ck_assert(of->jitter < 0 && of->cross < 0);
}

UNIT_TEST(test_costs_are_those_of_the_graph)
{
    OWNED(topology) *topology =
        parse("graph { message_cost=\"9us\"; subgraph { message_cost=\"1us\"; a; }\n"
              "a -- b [capacity=\"1Mbps\"]; }");

    ck_assert_double_eq(mtree_message_cost(&topology->cost).message, 9e-6);
    ck_assert_double_eq(mtree_message_cost(&topology->cost).byte, 0);
    ck_assert_double_eq_tol(mtree_message_cost_hop(&topology->cost), 13.5e-6, 1e-12);
    mtree_topology_destroy(topology);
    topology = parse("graph { a -- b [capacity=\"1Mbps\"]; }");
    ck_assert_double_eq(topology->cost.message, 0);
    ck_assert_double_eq(mtree_message_cost(&topology->cost).message, 20e-6);
}

/* Of all that a file may say nothing is lost, or changed by reading and writing again. */
UNIT_TEST(test_write_reads_back)
{
    static const char written[] =
        "graph \"a b\" {\n"
        "    graph [message_cost=\"1.5us\" copy_rate=\"20Gbps\"];\n"
        "    \"x\" [kind=host host=\"x.y\" pos=\"0.1,-3\"];\n"
        "    \"y\" [kind=host relay=\"[::1]:7000\"];\n"
        "    \"s\" [kind=switch];\n"
        "    \"x\" -- \"s\" [capacity=\"33.3Mbps\" latency=\"0.0001ms\" mtu=1500 "
        "jitter=\"1.5ms\"];\n"
        "    \"s\" -- \"y\" [capacity=\"1bps\" capacity_back=\"100Mbps\" loss=\"0\" "
        "cross=\"1Mbps\" burst=3028];\n"
        "    \"y\" -- \"x\" [capacity=\"1Mbps\" capacity_back=\"0Tbps\"];\n"
        "}\n";
    OWNED(topology) *topology = parse(written);
    UNIT_FREED char *text = map_written(topology);

    ck_assert_int_eq(heard_lines(), 0);
    ck_assert_str_eq(text, written);
    ck_assert_double_eq_tol(topology->cost.message, 1.5e-6, 1e-15);
    ck_assert_double_eq_tol(topology->cost.byte, 4e-10, 1e-18);
    ck_assert_double_eq(topology->links[0].capacity[0], 33.3e6);
    ck_assert_double_eq(topology->links[0].latency, 1e-7);
    ck_assert_double_eq(topology->links[0].conditions.jitter, 0.0015);
    ck_assert_double_eq(topology->links[1].capacity[1], 0.1e9);
    ck_assert_double_eq(topology->links[1].conditions.cross, 1e6);
}
