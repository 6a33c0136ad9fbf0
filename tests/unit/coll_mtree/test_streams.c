/* SPDX-License-Identifier: BSD-3-Clause */
/* What coll_mtree_streams asks for, and between whom. */
#include "coll_mtree/tcp/streams.h"
#include "tests/unit/runner.h"

#include "tcp/tcp.h"

static const struct {
    const char *text;
    int connections; /* -1: it is neither */
    bool is_auto;
} texts[] = {{NULL, 8, true},
             {"", 8, true},
             {"auto", 8, true},
             {"0", 0, false},
             {"1", 1, false},
             {"16", 16, false},
             {"99", MTREE_TCP_CONNECTIONS, false},
             {"-1", 0, false},
             {"x", -1, false},
             {"2x", -1, false},
             {"automatic", -1, false}};

UNIT_EACH(the_parameter_is_read, texts)
{
    coll_mtree_streams_t streams;
    mtree_status_t status = coll_mtree_streams_parse(texts[_i].text, &streams);

    ck_assert_int_eq(status, texts[_i].connections < 0 ? MTREE_ERR_INVALID : MTREE_OK);
    ck_assert_int_eq(streams.connections,
                     texts[_i].connections < 0 ? 0 : texts[_i].connections);
    ck_assert(streams.is_auto == texts[_i].is_auto);
}

/* 10 Mb/s over 20 ms hold 25 KB; of three sites of four hosts the link between two holds
 * 56 KB of four blocks. */
#define TREE(bits, seconds, hosts)                                                       \
    {                                                                                    \
        .rate = (bits), .latency = (seconds), .widest = (hosts)                          \
    }
#define NEAR    TREE(100e6, 0.0001, 0)
#define FAR     TREE(10e6, 0.01, 0)
#define SITE(n) TREE(60e6, 0.0111, n)

/* Do streams as @a text says carry what is between hosts? */
static const struct {
    const char *text;
    mtree_collective_t collective;
    int num_hosts, num_trees;
    double bytes;
    mtree_part_tree_t trees[2];
    bool required, carry;
} carried[] = {
    /* A number is for all calls. */
    {"3", 0, 0, 1, 1, {NEAR}, false, true},
    {"3", 0, 0, 1, 1, {{0}}, false, true},
    {"0", 0, 0, 1, 1e9, {FAR}, false, false},
    /* Left to mtree. */
    {"auto", 0, 0, 1, 64e6, {FAR}, false, true},
    {"auto", 0, 0, 1, 64e6, {NEAR}, false, false},
    {"auto", 0, 0, 1, 64e6, {{0}}, false, false},
    {"auto", 0, 0, 1, 64e3, {FAR}, false, false},
    /* Personalized calls have none where little is on a link. */
    {"auto", MTREE_ALLTOALL, 12, 1, 786432, {SITE(4)}, false, false},
    {"auto", MTREE_ALLTOALL, 12, 1, 786432, {SITE(8)}, false, true},
    {"auto", MTREE_ALLGATHER, 12, 1, 786432, {SITE(4)}, false, true},
    {"auto", MTREE_ALLTOALL, 12, 1, 786432, {SITE(4)}, true, true},
    /* A loss on a short edge holds up what is to go over the long one. */
    {"auto", 0, 0, 2, 16e6, {NEAR, FAR}, false, true},
    {"auto", 0, 0, 1, 16e6, {NEAR}, false, false},
};

UNIT_EACH(long_calls_over_long_links_have_them, carried)
{
    mtree_part_tree_t trees[] = {carried[_i].trees[0], carried[_i].trees[1]};
    mtree_plan_part_t part = {.collective = carried[_i].collective,
                              .num_hosts = carried[_i].num_hosts,
                              .num_trees = carried[_i].num_trees,
                              .bytes = carried[_i].bytes,
                              .trees = trees};
    coll_mtree_streams_t streams;

    (void)coll_mtree_streams_parse(carried[_i].text, &streams);
    if (carried[_i].required) {
        coll_mtree_streams_require(&streams);
    }
    ck_assert(coll_mtree_streams_carry(&streams, &part) == carried[_i].carry);
}

/* As many of them are used as before, but everywhere. */
UNIT_TEST(where_they_are_required_they_carry_all)
{
    mtree_plan_part_t part = {.num_trees = 0};
    static const char *const texts[] = {"auto", "0", "3"};

    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        coll_mtree_streams_t streams, before;

        (void)coll_mtree_streams_parse(texts[i], &before);
        streams = before;
        coll_mtree_streams_require(&streams);
        ck_assert(streams.is_auto == before.is_auto);
        ck_assert_int_eq(streams.connections,
                         before.connections > 0 ? before.connections : 1);
        ck_assert(coll_mtree_streams_carry(&streams, &part));
    }
}

static const struct {
    const char *text;
    int usual;
} shares[] = {{"auto", 2}, {"0", 1}, {"1", 1}, {"5", 5}};

UNIT_EACH(what_goes_between_two_hosts_is_shared, shares)
{
    coll_mtree_streams_t streams;

    (void)coll_mtree_streams_parse(shares[_i].text, &streams);
    ck_assert_int_eq(coll_mtree_streams_usual(&streams), shares[_i].usual);
}

/* Open MPI's connections come first. */
static const struct {
    double limit;
    int peers, openmpi, wanted, within;
} limits[] = {{1024, 11, 1, 8, 8},   {1024, 120, 1, 8, 7}, {4096, 1000, 1, 8, 3},
              {64, 11, 1, 8, 1},     {48, 11, 1, 8, 0},    {64, 11, 4, 2, 0},
              {1024, 4095, 1, 2, 0}, {20, 11, 1, 2, 0},    {1e19, 4095, 4, 16, 16},
              {64, 0, 1, 8, 8},      {64, 11, 1, 0, 0}};

UNIT_EACH(open_files_limit_connections, limits)
{
    const int peers = limits[_i].peers, openmpi = limits[_i].openmpi;
    const double files = coll_mtree_streams_files(peers, openmpi, limits[_i].wanted);

    ck_assert_int_eq(
        coll_mtree_streams_within(limits[_i].limit, peers, openmpi, limits[_i].wanted),
        limits[_i].within);
    ck_assert_int_eq(coll_mtree_streams_within(files, peers, openmpi, limits[_i].wanted),
                     limits[_i].wanted);
}
