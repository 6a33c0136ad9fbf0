#include "simulate/baseline.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A full mesh of hosts, or a star around a switch: every pair has its own rate and
 * latency. */
typedef struct {
    mtree_topology_t *topology;
    mtree_clock_t *clock;
    mtree_network_t *network;
    mtree_world_t *world;
    mtree_program_t *programs;
    uint32_t *(*buffers)[MTREE_BUFFER_LAST];
} fixture_t;

static uint32_t input(int rank, size_t index)
{
    return (uint32_t)(rank + 1) * 2654435761u + (uint32_t)index * 40503u;
}

static uint32_t sum(int num_ranks, size_t index)
{
    uint32_t total = 0;
    int r;

    for (r = 0; r < num_ranks; r++) {
        total += input(r, index);
    }
    return total;
}

static mtree_topology_t *star(int num_hosts)
{
    mtree_topology_t *topology = NULL;
    char name[16];
    int h;

    ck_assert_int_eq(mtree_topology_create("star", "test", &topology), MTREE_OK);
    for (h = 0; h <= num_hosts; h++) {
        snprintf(name, sizeof(name), "v%d", h);
        ck_assert_int_eq(mtree_topology_add_vertex(topology, name, NULL,
                                                   h == num_hosts ? MTREE_VERTEX_SWITCH
                                                                  : MTREE_VERTEX_HOST,
                                                   NULL),
                         MTREE_OK);
    }
    for (h = 0; h < num_hosts; h++) {
        ck_assert_int_eq(mtree_topology_add_link(topology, h, num_hosts, 1e8 + 1e7 * h,
                                                 1e8, 1e-4 * (1 + h % 3), NULL),
                         MTREE_OK);
    }
    return topology;
}

static void make_buffers(fixture_t *fixture, const mtree_baseline_call_t *call)
{
    const mtree_program_t *program;
    size_t i;
    int r, b;

    fixture->buffers = calloc((size_t)call->num_ranks, sizeof(*fixture->buffers));
    ck_assert_ptr_nonnull(fixture->buffers);
    for (r = 0; r < call->num_ranks; r++) {
        program = &fixture->programs[r];
        for (b = 0; b < MTREE_BUFFER_LAST; b++) {
            fixture->buffers[r][b] = calloc(program->lengths[b] + 1, sizeof(uint32_t));
            ck_assert_ptr_nonnull(fixture->buffers[r][b]);
        }
        for (i = 0; i < program->lengths[MTREE_BUFFER_INPUT]; i++) {
            fixture->buffers[r][MTREE_BUFFER_INPUT][i] = input(r, i);
        }
    }
}

static double run(fixture_t *fixture, const mtree_baseline_t *baseline,
                  const mtree_baseline_call_t *call, int ranks_per_host, size_t eager)
{
    const mtree_world_options_t options = {.num_ranks = call->num_ranks,
                                           .ranks_per_host = ranks_per_host,
                                           .unit_bytes = sizeof(uint32_t),
                                           .data = true,
                                           .eager_bytes = eager,
                                           .overhead = 1e-6};
    const int num_hosts = (call->num_ranks + ranks_per_host - 1) / ranks_per_host;
    mtree_network_options_t network;
    double seconds = -1.0;
    int hosts[64], h;

    for (h = 0; h < num_hosts; h++) {
        hosts[h] = h;
    }
    mtree_network_default_options(&network);
    fixture->topology = star(num_hosts);
    ck_assert_int_eq(mtree_clock_create(&fixture->clock), MTREE_OK);
    ck_assert_int_eq(mtree_network_create(fixture->clock, fixture->topology, hosts,
                                          num_hosts, &network, &fixture->network),
                     MTREE_OK);
    ck_assert_int_eq(
        mtree_world_create(fixture->clock, fixture->network, &options, &fixture->world),
        MTREE_OK);
    ck_assert_int_eq(mtree_baseline_build(baseline, call, &fixture->programs), MTREE_OK);
    make_buffers(fixture, call);
    ck_assert_int_eq(mtree_programs_run(fixture->clock, fixture->world, fixture->programs,
                                        call->num_ranks, fixture->buffers, 1e-9,
                                        &seconds),
                     MTREE_OK);
    ck_assert_int_eq(mtree_world_pending(fixture->world), 0);
    return seconds;
}

static void clear(fixture_t *fixture, int num_ranks)
{
    int r, b;

    for (r = 0; r < num_ranks; r++) {
        for (b = 0; b < MTREE_BUFFER_LAST; b++) {
            free(fixture->buffers[r][b]);
        }
    }
    free(fixture->buffers);
    mtree_baseline_destroy(fixture->programs, num_ranks);
    mtree_world_destroy(fixture->world);
    mtree_network_destroy(fixture->network);
    mtree_clock_destroy(fixture->clock);
    mtree_topology_destroy(fixture->topology);
}

/* What rank @a rank must have at @a index of its RESULT; false: anything. */
static bool expected(mtree_collective_t collective, const mtree_baseline_call_t *call,
                     int rank, size_t index, uint32_t *value_p)
{
    const size_t size = (size_t)call->num_ranks;
    const size_t block = call->count / size;
    size_t start;

    *value_p = sum(call->num_ranks, index);
    switch (collective) {
    case MTREE_ALLREDUCE:
        return true;
    case MTREE_REDUCE:
        return rank == call->root;
    case MTREE_BCAST:
        *value_p = input(call->root, index);
        return true;
    case MTREE_ALLGATHER:
        *value_p = input((int)(index / block), index % block);
        return true;
    default:
        start = (size_t)rank * block +
                ((size_t)rank < call->count % size ? (size_t)rank : call->count % size);
        return index >= start &&
               index < start + block + ((size_t)rank < call->count % size ? 1 : 0);
    }
}

static void check_result(const fixture_t *fixture, const mtree_baseline_t *baseline,
                         const mtree_baseline_call_t *call)
{
    uint32_t value;
    size_t i;
    int r;

    for (r = 0; r < call->num_ranks; r++) {
        for (i = 0; i < call->count; i++) {
            if (!expected(baseline->collective, call, r, i, &value)) {
                continue;
            }
            ck_assert_msg(
                fixture->buffers[r][MTREE_BUFFER_RESULT][i] == value,
                "%s %s: %d ranks, root %d, %zu elements, segment %zu: element %zu "
                "of rank %d is wrong",
                mtree_collective_name(baseline->collective), baseline->name,
                call->num_ranks, call->root, call->count, call->segment, i, r);
        }
    }
}

static void check_one(const mtree_baseline_t *baseline, int num_ranks, int root,
                      size_t count, size_t segment)
{
    mtree_baseline_call_t call = {.num_ranks = num_ranks,
                                  .root = root,
                                  .count = count,
                                  .segment = segment,
                                  .element_bytes = sizeof(uint32_t)};
    fixture_t fixture = {0};

    if (baseline->collective == MTREE_ALLGATHER) {
        call.count =
            (count + (size_t)num_ranks - 1) / (size_t)num_ranks * (size_t)num_ranks;
    }
    ck_assert_double_gt(run(&fixture, baseline, &call, num_ranks > 20 ? 4 : 1, 200), 0.0);
    check_result(&fixture, baseline, &call);
    clear(&fixture, num_ranks);
}

static bool is_rooted(const mtree_baseline_t *baseline)
{
    return baseline->collective == MTREE_BCAST || baseline->collective == MTREE_REDUCE;
}

/* Right answers for 2 to 17 and 37 ranks, any root, few and many elements, whole and in
 * segments. */
START_TEST(test_results)
{
    static const size_t counts[] = {1, 7, 333};
    static const int sizes[] = {2, 3, 4, 5, 7, 8, 11, 12, 14, 16};
    size_t num, c, s;
    const mtree_baseline_t *baseline = &mtree_baselines(&num)[_i];
    int size, root;

    for (s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
        size = sizes[s];
        for (c = 0; c < sizeof(counts) / sizeof(counts[0]); c++) {
            for (root = 0; root < (is_rooted(baseline) ? size : 1);
                 root += 1 + size / 3) {
                check_one(baseline, size, root, counts[c], 0);
                if (baseline->segments) {
                    check_one(baseline, size, root, counts[c], 5);
                }
            }
        }
    }
    check_one(baseline, 37, is_rooted(baseline) ? 5 : 0, 1000,
              baseline->segments ? 64 : 0);
}
END_TEST

/* The same simulation twice gives the same time, bit by bit, and the same numbers. */
START_TEST(test_deterministic)
{
    const mtree_baseline_t *baseline =
        mtree_baseline_find(MTREE_ALLREDUCE, "rabenseifner");
    const mtree_baseline_call_t call = {
        .num_ranks = 11, .count = 5000, .element_bytes = sizeof(uint32_t)};
    fixture_t fixture = {0};
    double first, second;

    first = run(&fixture, baseline, &call, 1, 1000);
    clear(&fixture, 11);
    second = run(&fixture, baseline, &call, 1, 1000);
    clear(&fixture, 11);
    ck_assert_int_eq(memcmp(&first, &second, sizeof(first)), 0);
}
END_TEST

static const char *default_name(mtree_collective_t collective, int ranks, size_t bytes)
{
    return mtree_baseline_default(collective, ranks, bytes)->name;
}

/* Samples of Open MPI 4.1.4's fixed decision, taken from its source by hand. */
START_TEST(test_default)
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
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("baseline");
    TCase *tcase = tcase_create("baseline");
    SRunner *runner = srunner_create(suite);
    size_t num;
    int failed;

    mtree_baselines(&num);
    tcase_set_timeout(tcase, 120);
    tcase_add_loop_test(tcase, test_results, 0, (int)num);
    tcase_add_test(tcase, test_deterministic);
    tcase_add_test(tcase, test_default);
    suite_add_tcase(suite, tcase);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? 0 : 1;
}
