/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The table of collectives, what planner, engine and simulator make of each row, and of a
 * value that has no row.
 */
#include "planner/algorithms.h"
#include "planner/plan/collective.h"
#include "tests/unit/given.h"

#include "planner/planner.h"
#include "schedule/arrival/arrival.h"
#include "simulate/simulate.h"
#include "tests/unit/whole_plan.h"

#define HOSTS 8
#define ELSE  1 /* a rank that is not the root, 0 */

static const mtree_collective_t strange[] = {
    MTREE_COLLECTIVE_LAST, (mtree_collective_t)-1, (mtree_collective_t)1000};

#define NUM_STRANGE (int)(sizeof(strange) / sizeof(strange[0]))

static void start(void)
{
    given(map_file(TOPOLOGIES "/star-8.dot"));
    ck_assert_int_eq(num_hosts, HOSTS);
}

UNIT_TEST(each_has_a_name_that_is_parsed_and_listed)
{
    mtree_collective_t parsed;

    for (int c = 0; c < MTREE_COLLECTIVE_LAST; c++) {
        const char *name = mtree_collective_name((mtree_collective_t)c);

        unit_ok(mtree_collective_check((mtree_collective_t)c));
        unit_ok(mtree_collective_parse(name, &parsed));
        ck_assert_int_eq(parsed, c);
        unit_has(MTREE_COLLECTIVE_NAMES, name);
    }
    ck_assert_int_eq(mtree_collective_parse("barrier", &parsed), MTREE_ERR_NOT_FOUND);
}

/* The columns depend on each other. */
UNIT_LOOP(each_row_is_consistent, 0, MTREE_COLLECTIVE_LAST)
{
    const mtree_collective_traits_t *row =
        mtree_collective_traits((mtree_collective_t)_i);

    ck_assert(row->up || row->down);
    ck_assert(!(row->has_root && row->has_blocks));
    ck_assert_int_eq(row->root_result == row->result && row->root_input == row->input,
                     !row->has_root);
    ck_assert(row->root_input != MTREE_PART_NONE && row->root_result != MTREE_PART_NONE);
    ck_assert_int_eq(mtree_collective_reduces((mtree_collective_t)_i),
                     (row->up && !row->is_personalized) || row->is_prefix);
    ck_assert_int_eq(mtree_collective_broadcasts((mtree_collective_t)_i),
                     row->down && !row->is_personalized && !row->is_prefix);
    if (row->up && !row->is_personalized) {
        ck_assert_int_eq(row->input, MTREE_PART_VECTOR);
    }
    if (row->down && !row->is_personalized) {
        ck_assert_int_eq(row->result, MTREE_PART_VECTOR);
    }
    if (row->is_personalized) {
        ck_assert(row->up != row->down && row->has_root != row->has_blocks);
    }
    if (row->is_prefix) {
        ck_assert(row->down && !row->up && row->has_blocks && !row->is_personalized);
        ck_assert_int_eq(row->input, MTREE_PART_VECTOR);
    }
    ck_assert_int_eq(mtree_collective_passes((mtree_collective_t)_i),
                     row->up && row->down ? 2 : 1);
}

UNIT_LOOP(each_says_what_mpi_says, 0, MTREE_COLLECTIVE_LAST)
{
    const mtree_part_t NONE = MTREE_PART_NONE, BLOCK = MTREE_PART_BLOCK;
    const mtree_part_t VECTOR = MTREE_PART_VECTOR;
    const struct {
        mtree_collective_t collective;
        mtree_part_t input, root_input, result, root_result;
    } facts[MTREE_COLLECTIVE_LAST] = {
        {MTREE_ALLREDUCE, VECTOR, VECTOR, VECTOR, VECTOR},
        {MTREE_REDUCE, VECTOR, VECTOR, NONE, VECTOR},
        {MTREE_BCAST, NONE, VECTOR, VECTOR, VECTOR},
        {MTREE_ALLGATHER, BLOCK, BLOCK, VECTOR, VECTOR},
        {MTREE_REDUCE_SCATTER, VECTOR, VECTOR, BLOCK, BLOCK},
        {MTREE_SCATTER, NONE, VECTOR, BLOCK, BLOCK},
        {MTREE_GATHER, BLOCK, BLOCK, NONE, VECTOR},
        {MTREE_ALLTOALL, VECTOR, VECTOR, VECTOR, VECTOR},
        {MTREE_SCAN, VECTOR, VECTOR, VECTOR, VECTOR},
    };
    mtree_collective_t c = facts[_i].collective;

    ck_assert_int_eq(c, _i);
    ck_assert_int_eq(mtree_collective_input(c, ELSE, 0), facts[_i].input);
    ck_assert_int_eq(mtree_collective_input(c, 0, 0), facts[_i].root_input);
    ck_assert_int_eq(mtree_collective_result(c, ELSE, 0), facts[_i].result);
    ck_assert_int_eq(mtree_collective_result(c, 0, 0), facts[_i].root_result);
}

/* The default algorithm plans it, the engine runs the plan, and so does Open MPI's
 * default. */
UNIT_LOOP(each_is_planned_simulated_and_compared, 0, MTREE_COLLECTIVE_LAST)
{
    const mtree_collective_t collective = (mtree_collective_t)_i;
    const mtree_plan_request_t request = {.collective = collective, .bytes = 64e3};
    const mtree_baseline_t *baseline =
        mtree_baseline_default((mtree_openmpi_t){0}, collective, HOSTS, 64000);
    mtree_simulate_options_t options;
    mtree_simulate_result_t result;
    OWNED(plan) *plan = NULL;

    mtree_simulate_default_options(&options);
    options.bytes = 64000;
    unit_ok(mtree_planner_run(topology, hosts, HOSTS, &request, &plan));
    unit_ok(
        mtree_simulate_plan(topology, hosts, HOSTS, plan, collective, &options, &result));
    mtree_simulate_result_clear(&result);
    ck_assert_ptr_nonnull(baseline);
    unit_ok(mtree_simulate_baseline(topology, hosts, HOSTS, baseline, &options, &result));
    mtree_simulate_result_clear(&result);
}

UNIT_LOOP(another_value_has_no_row, 0, NUM_STRANGE)
{
    ck_assert_ptr_null(mtree_collective_traits(strange[_i]));
    ck_assert_str_eq(mtree_collective_name(strange[_i]), "unknown");
    ck_assert(!mtree_algorithms_do("packing", strange[_i]));
    ck_assert(!mtree_arrival_serves(strange[_i]));
    ck_assert_ptr_null(
        mtree_baseline_default((mtree_openmpi_t){0}, strange[_i], HOSTS, 64000));
    ck_assert_ptr_null(mtree_baseline_find(strange[_i], "ring"));
    ck_assert_int_eq(heard_lines(), 0);
    unit_invalid(mtree_collective_check(strange[_i]));
    ck_assert_int_eq(heard_lines(), 1);
}

UNIT_LOOP(another_value_is_not_planned, 0, NUM_STRANGE)
{
    const mtree_plan_request_t request = {.collective = strange[_i], .bytes = 64e3};
    const char *const name = "a";
    mtree_plan_t *plan = NULL;

    unit_invalid(mtree_planner_run(topology, hosts, HOSTS, &request, &plan));
    ck_assert_int_eq(heard_lines(), 1);
    ck_assert_ptr_null(mtree_plan_create(strange[_i], "packing", 1, &name, 1));
    ck_assert_int_eq(heard_lines(), 2);
    ck_assert_ptr_null(plan);
}

/* An allreduce's plan serves every collective, but no other value. */
UNIT_LOOP(another_value_is_not_run, 0, NUM_STRANGE)
{
    const mtree_plan_request_t request = {.collective = MTREE_ALLREDUCE};
    const mtree_call_t call = {.collective = strange[_i], .units = 8, .unit_bytes = 4};
    mtree_simulate_options_t options;
    mtree_simulate_result_t result;
    OWNED(placement) *placement = NULL;
    mtree_layout_t *layout;
    OWNED(plan) *plan = NULL;

    unit_ok(mtree_planner_run(topology, hosts, HOSTS, &request, &plan));
    unit_ok(mtree_placement_create(HOSTS, HOSTS, map_vertices, NULL, &placement));
    mtree_simulate_default_options(&options);
    options.bytes = 64000;
    unit_invalid(layout_from_plan(plan, placement, &call, 0, &layout));
    ck_assert_int_eq(heard_lines(), 1);
    unit_invalid(mtree_simulate_plan(topology, hosts, HOSTS, plan, strange[_i], &options,
                                     &result));
    ck_assert_int_eq(heard_lines(), 2);
}

UNIT_FIXTURE(start, forget)
