/* SPDX-License-Identifier: BSD-3-Clause */
#include "simulate/simulate.h"
#include "tests/unit/maps.h"
#include "tests/unit/owned.h"

#include <stdio.h>
#include <string.h>

/* A star around a switch; its links have different rates and latencies. */
static mtree_topology_t *star(int num_hosts)
{
    mtree_topology_t *topology = NULL;
    char name[16];
    int h;

    unit_ok(mtree_topology_create("star", "test", &topology));
    for (h = 0; h <= num_hosts; h++) {
        snprintf(name, sizeof(name), "v%d", h);
        unit_ok(mtree_topology_add_vertex(
            topology, name, NULL,
            h == num_hosts ? MTREE_VERTEX_SWITCH : MTREE_VERTEX_HOST, NULL));
    }
    for (h = 0; h < num_hosts; h++) {
        unit_ok(mtree_topology_add_link(topology, h, num_hosts, 1e8 + 1e7 * h, 1e8,
                                        1e-4 * (1 + h % 3), NULL));
    }
    return topology;
}

/* Run with real data and have the result checked; the eager limit makes both protocols
 * occur. */
static double run(const mtree_baseline_t *baseline, int num_hosts, int ranks_per_host,
                  int root, size_t elements, size_t segment)
{
    OWNED(topology) *topology = star(num_hosts);
    UNIT_OWNED(mtree_simulate_result_clear) mtree_simulate_result_t result = {0};
    mtree_simulate_options_t options;
    double seconds;

    mtree_simulate_default_options(&options);
    options.bytes = elements * 4;
    options.segment_bytes = segment * 4;
    options.root = root;
    options.ranks_per_host = ranks_per_host;
    options.eager_bytes = 200;
    options.check = true;
    ck_assert_msg(mtree_simulate_baseline(topology, map_vertices, num_hosts, baseline,
                                          &options, &result) == MTREE_OK,
                  "%s %s: %d hosts of %d ranks, root %d, %zu elements, segment %zu",
                  mtree_collective_name(baseline->collective), baseline->name, num_hosts,
                  ranks_per_host, root, elements, segment);
    seconds = result.seconds;
    ck_assert_double_gt(seconds, 0.0);
    return seconds;
}

/* Algorithm number @a index of all collectives together; NULL behind the last. */
static const mtree_baseline_t *baseline_at(size_t index)
{
    for (int c = 0; c < MTREE_COLLECTIVE_LAST; c++) {
        size_t num;
        const mtree_baseline_t *baselines = mtree_baselines((mtree_collective_t)c, &num);

        if (index < num) {
            return &baselines[index];
        }
        index -= num;
    }
    return NULL;
}

static bool is_rooted(const mtree_baseline_t *baseline)
{
    return mtree_collective_has_root(baseline->collective);
}

static int num_baselines(void)
{
    int num = 0;

    while (baseline_at((size_t)num) != NULL) {
        num++;
    }
    return num;
}

/* Right answers for powers of two and others, several roots, few and many elements, whole
 * and in segments. */
UNIT_LOOP(test_results, 0, num_baselines())
{
    static const size_t counts[] = {1, 7, 333};
    static const int sizes[] = {2, 3, 4, 5, 7, 8, 11, 12, 14, 16};
    size_t c, s;
    const mtree_baseline_t *baseline = baseline_at((size_t)_i);
    int size, root;

    for (s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
        size = sizes[s];
        for (c = 0; c < sizeof(counts) / sizeof(counts[0]); c++) {
            for (root = 0; root < (is_rooted(baseline) ? size : 1);
                 root += 1 + size / 3) {
                run(baseline, size, 1, root, counts[c], 0);
                if (baseline->segments) {
                    run(baseline, size, 1, root, counts[c], 5);
                }
            }
        }
    }
    run(baseline, 9, 4, is_rooted(baseline) ? 5 : 0, 1000, baseline->segments ? 64 : 0);
}

/* The same simulation twice gives the same time, bit by bit. */
UNIT_TEST(test_deterministic)
{
    const mtree_baseline_t *baseline =
        mtree_baseline_find(MTREE_ALLREDUCE, "rabenseifner");
    double first = run(baseline, 11, 1, 0, 5000, 0);
    double second = run(baseline, 11, 1, 0, 5000, 0);

    ck_assert_int_eq(memcmp(&first, &second, sizeof(first)), 0);
}

/* Left after a part of its messages, a ring takes as long as it would have. */
UNIT_TEST(test_left)
{
    const mtree_baseline_t *baseline = mtree_baseline_find(MTREE_ALLREDUCE, "ring");
    mtree_simulate_options_t options;
    UNIT_OWNED(mtree_simulate_result_clear) mtree_simulate_result_t whole, part;
    OWNED(topology) *topology = map_shape("ring:40", 1e9, 0);

    mtree_simulate_default_options(&options);
    options.bytes = 1000000;
    unit_ok(
        mtree_simulate_baseline(topology, map_vertices, 40, baseline, &options, &whole));
    options.most_messages = 400;
    unit_ok(
        mtree_simulate_baseline(topology, map_vertices, 40, baseline, &options, &part));
    ck_assert_uint_lt(part.messages, whole.messages / 4);
    ck_assert_double_eq_tol(part.seconds, whole.seconds, 0.1 * whole.seconds);
}

static const char *default_name(mtree_collective_t collective, int ranks, size_t bytes)
{
    return mtree_baseline_default((mtree_openmpi_t){0}, collective, ranks, bytes)->name;
}

static const char *apart_name(mtree_openmpi_release_t release,
                              mtree_collective_t collective, int ranks, size_t bytes)
{
    const mtree_openmpi_t openmpi = {.release = release, .apart = true};

    return mtree_baseline_default(openmpi, collective, ranks, bytes)->name;
}

/* Samples of the decisions of Open MPI's main of August 2026 for ranks on a host each,
 * taken from its source by hand.  All others are those of 4.1. */
UNIT_TEST(hosts_of_their_own_have_other_rules)
{
    static const struct {
        mtree_collective_t collective;
        int ranks;
        size_t bytes;
        const char *name;
    } samples[] = {
        {MTREE_ALLREDUCE, 2, 8, "recursive_doubling"},
        {MTREE_ALLREDUCE, 3, 1 << 24, "allgather_reduce"},
        {MTREE_ALLREDUCE, 7, 1048575, "allgather_reduce"},
        {MTREE_ALLREDUCE, 8, 262144, "rabenseifner"},
        {MTREE_ALLREDUCE, 15, 1048576, "recursive_doubling"},
        {MTREE_ALLREDUCE, 16, 32768, "nonoverlapping"},
        {MTREE_ALLREDUCE, 64, 32767, "allgather_reduce"},
        {MTREE_ALLREDUCE, 65, 32767, "recursive_doubling"},
        {MTREE_ALLREDUCE, 5000, 100, "nonoverlapping"},
        {MTREE_BCAST, 3, 1 << 24, "basic_linear"},
        {MTREE_BCAST, 12, 1048576, "binary_tree"},
        {MTREE_BCAST, 16, 262144, "knomial"},
        {MTREE_BCAST, 1000, 65535, "basic_linear"},
    };

    for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
        ck_assert_str_eq(apart_name(MTREE_OPENMPI_6_1, samples[i].collective,
                                    samples[i].ranks, samples[i].bytes),
                         samples[i].name);
        ck_assert_str_eq(
            apart_name(MTREE_OPENMPI_4_1, samples[i].collective, samples[i].ranks,
                       samples[i].bytes),
            default_name(samples[i].collective, samples[i].ranks, samples[i].bytes));
    }
    ck_assert_str_eq(apart_name(MTREE_OPENMPI_6_1, MTREE_ALLGATHER, 12, 16 << 20),
                     "recursive_doubling");
}

/* Samples of Open MPI 4.1.4's fixed decision, taken from its source by hand. */
UNIT_TEST(test_default)
{
    ck_assert_str_eq(default_name(MTREE_ALLREDUCE, 12, 8191), "recursive_doubling");
    ck_assert_str_eq(default_name(MTREE_ALLREDUCE, 12, 16 << 20), "rabenseifner");
    ck_assert_str_eq(default_name(MTREE_ALLREDUCE, 3, 100000), "segmented_ring");
    ck_assert_str_eq(default_name(MTREE_ALLREDUCE, 5000, 100), "nonoverlapping");
    ck_assert_str_eq(default_name(MTREE_BCAST, 12, 16 << 20), "basic_linear");
    ck_assert_str_eq(default_name(MTREE_BCAST, 7, 16 << 20), "pipeline");
    ck_assert_str_eq(default_name(MTREE_BCAST, 20, 16 << 20), "scatter_allgather");
    ck_assert_str_eq(default_name(MTREE_REDUCE, 12, 16 << 20), "binomial");
    ck_assert_str_eq(default_name(MTREE_REDUCE, 7, 16 << 20), "linear");
    ck_assert_str_eq(default_name(MTREE_REDUCE_SCATTER, 12, 16 << 20), "ring");
    ck_assert_str_eq(default_name(MTREE_ALLGATHER, 2, 1), "two_proc");
    ck_assert_str_eq(default_name(MTREE_ALLGATHER, 12, 16 << 20), "recursive_doubling");
    /* Decided on a rank's part: 40 times 1000 bytes. */
    ck_assert_str_eq(default_name(MTREE_ALLGATHER, 40, 40000), "recursive_doubling");
    ck_assert_str_eq(default_name(MTREE_ALLGATHER, 40, 80000), "neighbor");
    /* Decided on a block, too. */
    ck_assert_str_eq(default_name(MTREE_SCATTER, 12, 5 << 20), "linear_nb");
    ck_assert_str_eq(default_name(MTREE_SCATTER, 12, 16 << 20), "basic_linear");
    ck_assert_str_eq(default_name(MTREE_SCATTER, 100, 100 * 511), "binomial");
    ck_assert_str_eq(default_name(MTREE_GATHER, 3, 3 * 131072), "linear_sync");
    ck_assert_str_eq(default_name(MTREE_GATHER, 12, 16 << 20), "binomial");
    ck_assert_str_eq(default_name(MTREE_GATHER, 300, 300 * 4096), "basic_linear");
    ck_assert_str_eq(default_name(MTREE_ALLTOALL, 2, 2 * 100), "pairwise");
    ck_assert_str_eq(default_name(MTREE_ALLTOALL, 12, 12 * 400000), "linear");
    ck_assert_str_eq(default_name(MTREE_ALLTOALL, 20, 20 * 400), "modified_bruck");
    ck_assert_str_eq(default_name(MTREE_SCAN, 12, 16 << 20), "linear");
    ck_assert_str_eq(default_name(MTREE_ALLTOALL, 5000, 5000 * 100000), "linear_sync");
}

UNIT_SECONDS(120)
