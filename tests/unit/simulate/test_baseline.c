/* SPDX-License-Identifier: BSD-3-Clause */
#include "schedule/program/run.h"
#include "simulate/simulate.h"
#include "tests/unit/maps.h"
#include "tests/unit/owned.h"
#include "tests/unit/schedule/chaos.h"

#define MOST_RANKS 36

/* Element @a index of the vector as @a rank contributes it: no two ranks and no two
 * adjacent elements are equal. */
static uint32_t value_of(int rank, size_t index)
{
    return (uint32_t)(rank + 1) * 2654435761u + (uint32_t)index * 40503u;
}

static bool has_block_input(mtree_collective_t collective)
{
    return mtree_collective_traits(collective)->input == MTREE_PART_BLOCK;
}

/* The first element of a rank's block; of lengths that differ the longer ones come first.
 */
static size_t block_begin(const mtree_baseline_call_t *call, int rank)
{
    const size_t ranks = (size_t)call->num_ranks, r = (size_t)rank;
    const size_t longer = call->count % ranks;

    return r * (call->count / ranks) + (r < longer ? r : longer);
}

static uint32_t expected_value(mtree_collective_t collective,
                               const mtree_baseline_call_t *call, int rank, size_t i)
{
    const size_t block = call->count / (size_t)call->num_ranks;
    const int end = mtree_collective_is_prefix(collective) ? rank + 1 : call->num_ranks;
    uint32_t sum = 0;

    if (mtree_collective_is_transposed(collective)) {
        return value_of((int)(i / block), (size_t)rank * block + i % block);
    }
    if (!mtree_collective_reduces(collective)) {
        return value_of(has_block_input(collective) ? (int)(i / block) : call->root, i);
    }
    for (int r = 0; r < end; r++) {
        sum += value_of(r, i);
    }
    return sum;
}

/* Is the result of @a rank right, as far as the collective defines one? */
static bool is_right(mtree_collective_t collective, const mtree_baseline_call_t *call,
                     int rank, const uint32_t *result)
{
    const mtree_part_t part = mtree_collective_result(collective, rank, call->root);
    const bool is_block = part == MTREE_PART_BLOCK;
    size_t i = is_block ? block_begin(call, rank) : 0;
    const size_t end = part == MTREE_PART_NONE ? 0
                       : is_block              ? block_begin(call, rank + 1)
                                               : call->count;

    while (i < end && result[i] == expected_value(collective, call, rank, i)) {
        i++;
    }
    return i >= end;
}

/* The program of one rank, and its buffers. */
typedef struct {
    uint32_t *buffers[MTREE_BUFFER_LAST];
    mtree_operation_t *operation;
} seat_t;

static void seat_open(seat_t *seat, const mtree_program_t *program, chaos_t *chaos,
                      int rank, size_t first)
{
    const mtree_operation_data_t data = {
        .extent = sizeof(uint32_t), .span = sizeof(uint32_t), .fold = chaos_fold_add};

    for (int b = 0; b < MTREE_BUFFER_LAST; b++) {
        seat->buffers[b] = calloc(program->lengths[b] + 1, sizeof(uint32_t));
    }
    for (size_t i = 0; i < program->lengths[MTREE_BUFFER_INPUT]; i++) {
        seat->buffers[MTREE_BUFFER_INPUT][i] = value_of(rank, first + i);
    }
    mtree_program_start(program, chaos_transport(chaos, rank), &data,
                        (void *const *)seat->buffers, NULL, NULL, NULL, &seat->operation);
}

static void seat_close(seat_t *seat)
{
    mtree_operation_free(seat->operation);
    for (int b = 0; b < MTREE_BUFFER_LAST; b++) {
        free(seat->buffers[b]);
    }
}

/* Run on real data, with messages that come at any time. */
static void run(const mtree_baseline_t *baseline, int num_ranks, int root,
                size_t elements, size_t segment)
{
    const mtree_collective_t collective = baseline->collective;
    const size_t ranks = (size_t)num_ranks;
    mtree_baseline_call_t call = {.num_ranks = num_ranks,
                                  .root = root,
                                  .count = elements,
                                  .segment = segment,
                                  .element_bytes = sizeof(uint32_t)};
    chaos_t *chaos = chaos_create(num_ranks, sizeof(uint32_t), (unsigned)elements);
    seat_t seats[MOST_RANKS];
    mtree_program_t *programs;

    if (has_block_input(collective) || mtree_collective_is_personalized(collective)) {
        call.count = (elements + ranks - 1) / ranks * ranks;
    }
    unit_ok(mtree_baseline_build(baseline, &call, &programs));
    for (int r = 0; r < num_ranks; r++) {
        seat_open(&seats[r], &programs[r], chaos, r,
                  has_block_input(collective) ? block_begin(&call, r) : 0);
    }
    while (chaos_step(chaos)) {}
    ck_assert(chaos_is_quiet(chaos));
    for (int r = 0; r < num_ranks; r++) {
        ck_assert_msg(
            mtree_operation_done(seats[r].operation, NULL) &&
                is_right(collective, &call, r, seats[r].buffers[MTREE_BUFFER_RESULT]),
            "%s %s: rank %d of %d, root %d, %zu elements, segment %zu",
            mtree_collective_name(collective), baseline->name, r, num_ranks, root,
            elements, segment);
        seat_close(&seats[r]);
    }
    mtree_baseline_destroy(programs, num_ranks);
    chaos_destroy(chaos);
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
                run(baseline, size, root, counts[c], 0);
                if (baseline->segments) {
                    run(baseline, size, root, counts[c], 5);
                }
            }
        }
    }
    run(baseline, 36, is_rooted(baseline) ? 20 : 0, 1000, baseline->segments ? 64 : 0);
}

/* Their steps would not fit in memory, not even those of one rank. */
UNIT_TEST(too_many_segments_are_refused)
{
    const mtree_baseline_call_t call = {
        .num_ranks = 2, .count = (size_t)1 << 40, .segment = 1, .element_bytes = 1};
    mtree_program_t *programs;

    ck_assert_int_eq(mtree_baseline_build(mtree_baseline_find(MTREE_BCAST, "pipeline"),
                                          &call, &programs),
                     MTREE_ERR_LIMIT);
    heard_text("ask for longer segments");
}

/* Twice the same time, bit by bit.  Left after a part of its messages, a ring takes as
 * long as it would have. */
UNIT_TEST(test_left)
{
    const mtree_baseline_t *baseline = mtree_baseline_find(MTREE_ALLREDUCE, "ring");
    mtree_simulate_options_t options;
    UNIT_OWNED(mtree_simulate_result_clear) mtree_simulate_result_t whole, again, part;
    OWNED(topology) *topology = map_shape("ring:40", 1e9, 0);

    mtree_simulate_default_options(&options);
    options.bytes = 1000000;
    unit_ok(
        mtree_simulate_baseline(topology, map_vertices, 40, baseline, &options, &whole));
    unit_ok(
        mtree_simulate_baseline(topology, map_vertices, 40, baseline, &options, &again));
    ck_assert_mem_eq(&again.seconds, &whole.seconds, sizeof(double));
    options.most_messages = 400;
    unit_ok(
        mtree_simulate_baseline(topology, map_vertices, 40, baseline, &options, &part));
    ck_assert_uint_lt(part.messages, whole.messages / 4);
    ck_assert_double_eq_tol(part.seconds, whole.seconds, 0.1 * whole.seconds);
}

enum { STABLE, APART };

/* Samples of the decisions of Open MPI 4.1.4, taken from its source by hand, and those of
 * main of August 2026 for ranks on a host each. */
static const struct {
    int openmpi;
    mtree_collective_t collective;
    int ranks;
    size_t bytes;
    const char *name;
} decisions[] = {
    {STABLE, MTREE_ALLREDUCE, 12, 8191, "recursive_doubling"},
    {STABLE, MTREE_ALLREDUCE, 12, 16 << 20, "rabenseifner"},
    {STABLE, MTREE_ALLREDUCE, 3, 100000, "segmented_ring"},
    {STABLE, MTREE_ALLREDUCE, 5000, 100, "nonoverlapping"},
    {STABLE, MTREE_BCAST, 12, 16 << 20, "basic_linear"},
    {STABLE, MTREE_BCAST, 7, 16 << 20, "pipeline"},
    {STABLE, MTREE_BCAST, 20, 16 << 20, "scatter_allgather"},
    {STABLE, MTREE_REDUCE, 12, 16 << 20, "binomial"},
    {STABLE, MTREE_REDUCE, 7, 16 << 20, "linear"},
    {STABLE, MTREE_REDUCE_SCATTER, 12, 16 << 20, "ring"},
    {STABLE, MTREE_ALLGATHER, 2, 1, "two_proc"},
    {STABLE, MTREE_ALLGATHER, 12, 16 << 20, "recursive_doubling"},
    /* Decided on a rank's part: 40 times 1000 bytes. */
    {STABLE, MTREE_ALLGATHER, 40, 40000, "recursive_doubling"},
    {STABLE, MTREE_ALLGATHER, 40, 80000, "neighbor"},
    /* Decided on a block, too. */
    {STABLE, MTREE_SCATTER, 12, 5 << 20, "linear_nb"},
    {STABLE, MTREE_SCATTER, 12, 16 << 20, "basic_linear"},
    {STABLE, MTREE_SCATTER, 100, 100 * 511, "binomial"},
    {STABLE, MTREE_GATHER, 3, 3 * 131072, "linear_sync"},
    {STABLE, MTREE_GATHER, 12, 16 << 20, "binomial"},
    {STABLE, MTREE_GATHER, 300, 300 * 4096, "basic_linear"},
    {STABLE, MTREE_ALLTOALL, 2, 2 * 100, "pairwise"},
    {STABLE, MTREE_ALLTOALL, 12, 12 * 400000, "linear"},
    {STABLE, MTREE_ALLTOALL, 20, 20 * 400, "modified_bruck"},
    {STABLE, MTREE_SCAN, 12, 16 << 20, "linear"},
    {STABLE, MTREE_ALLTOALL, 5000, 5000 * 100000, "linear_sync"},
    {APART, MTREE_ALLREDUCE, 2, 8, "recursive_doubling"},
    {APART, MTREE_ALLREDUCE, 3, 1 << 24, "allgather_reduce"},
    {APART, MTREE_ALLREDUCE, 7, 1048575, "allgather_reduce"},
    {APART, MTREE_ALLREDUCE, 8, 262144, "rabenseifner"},
    {APART, MTREE_ALLREDUCE, 15, 1048576, "recursive_doubling"},
    {APART, MTREE_ALLREDUCE, 16, 32768, "nonoverlapping"},
    {APART, MTREE_ALLREDUCE, 64, 32767, "allgather_reduce"},
    {APART, MTREE_ALLREDUCE, 65, 32767, "recursive_doubling"},
    {APART, MTREE_ALLREDUCE, 5000, 100, "nonoverlapping"},
    {APART, MTREE_BCAST, 3, 1 << 24, "basic_linear"},
    {APART, MTREE_BCAST, 12, 1048576, "binary_tree"},
    {APART, MTREE_BCAST, 16, 262144, "knomial"},
    {APART, MTREE_BCAST, 1000, 65535, "basic_linear"},
    {APART, MTREE_ALLGATHER, 12, 16 << 20, "recursive_doubling"},
};

static const char *default_name(mtree_openmpi_t openmpi, int decision)
{
    return mtree_baseline_default(openmpi, decisions[decision].collective,
                                  decisions[decision].ranks, decisions[decision].bytes)
        ->name;
}

/* Hosts of their own change nothing for 4.1. */
UNIT_EACH(defaults_are_those_of_open_mpi, decisions)
{
    const mtree_openmpi_t stable = {.release = MTREE_OPENMPI_4_1, .apart = true};
    const mtree_openmpi_t later = {.release = MTREE_OPENMPI_6_1, .apart = true};

    ck_assert_str_eq(default_name(stable, _i), default_name((mtree_openmpi_t){0}, _i));
    ck_assert_str_eq(default_name(decisions[_i].openmpi == APART ? later : stable, _i),
                     decisions[_i].name);
}

UNIT_SECONDS(120)
