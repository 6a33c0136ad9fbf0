/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/runner.h"
#include "topo/probe/record.h"

#include <stdlib.h>

static const mtree_probe_host_t hosts[] = {{"a", "192.0.2.1", 1e9},
                                           {"b", "192.0.2.2", 0}};
static const char *const hops[] = {"192.0.2.9", "", "192.0.2.2"};

/* All that there is of a small probe. */
static void write_record(FILE *log)
{
    mtree_probe_experiment_t ping = {.kind = MTREE_PROBE_PING, .from = 0, .to = 1};
    mtree_probe_experiment_t stream = {.kind = MTREE_PROBE_STREAM, .from = 1, .to = 0};
    mtree_probe_result_t rtts = {.least = 0.001, .median = 0.0015};
    mtree_probe_result_t moved = {.num_samples = 2,
                                  .samples = {{0.25, 1e6}, {1, 4000001}}};
    mtree_probe_result_t failed = {
        .failed = true, .least = 1, .num_samples = 1, .samples = {{1, 1}}};

    mtree_probe_log_hosts(log, hosts, 2);
    mtree_probe_log_address(log, 1, "198.51.100.2");
    mtree_probe_log_route(log, 0, 1, hops, 3);
    mtree_probe_log_round(log, 3, 0.5, "pairs");
    mtree_probe_log_result(log, &ping, &rtts);
    mtree_probe_log_result(log, &stream, &moved);
    mtree_probe_log_result(log, &ping, &failed);
    mtree_probe_log_result(log, &stream, &failed);
}

/* As the header says; what failed has no figures. */
UNIT_TEST(test_lines)
{
    char *text = NULL;
    size_t length = 0;
    FILE *log = open_memstream(&text, &length);

    ck_assert_ptr_nonnull(log);
    write_record(log);
    ck_assert_int_eq(fclose(log), 0);
    ck_assert_str_eq(text, "host a 192.0.2.1 1e+09\n"
                           "host b 192.0.2.2 0\n"
                           "address 1 198.51.100.2\n"
                           "route 0 1 192.0.2.9 - 192.0.2.2\n"
                           "round 3 0.500000 pairs\n"
                           "ping 0 1 0.001000 0.001500\n"
                           "stream 1 0 0.2500 1000000 1.0000 4000001\n"
                           "ping 0 1\n"
                           "stream 1 0\n");
    free(text);
}

/* Who wants no record gives none to write to. */
UNIT_TEST(test_no_log)
{
    write_record(NULL);
}
