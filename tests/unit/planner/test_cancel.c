/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Planning and simulating that is cancelled: at the beginning, or at any later moment
 * from another thread.  What comes after that is as if nothing had been.
 */
#include "tests/unit/maps.h"
#include "tests/unit/owned.h"
#include "tests/unit/planner/networks.h"

#include "base/cancel.h"
#include "planner/algorithms.h"
#include "simulate/forecast/forecast.h"

#include <pthread.h>
#include <time.h>

static mtree_status_t plan(const mtree_topology_t *topology, const char *algorithm,
                           mtree_collective_t collective, mtree_plan_t **plan_p)
{
    mtree_plan_request_t request = {
        .collective = collective, .algorithm = algorithm, .max_trees = 10, .bytes = 1e6};

    return mtree_planner_run(topology, map_vertices, topology->num_vertices, &request,
                             plan_p);
}

static int num_available(void)
{
    const char *const *name = mtree_algorithms_names();
    int num = 0;

    while (name[num] != NULL && mtree_algorithms_unavailable(name[num]) == NULL) {
        num++;
    }
    return num;
}

UNIT_LOOP(nothing_is_planned, 0, num_available())
{
    const char *algorithm = mtree_algorithms_names()[_i];
    OWNED(topology) *topology = network_b4(1);

    for (int c = 0; c < MTREE_COLLECTIVE_LAST; c++) {
        const mtree_plan_request_t request = {.collective = (mtree_collective_t)c,
                                              .bytes = 1e6};
        mtree_plan_t *made;

        if (mtree_algorithms_fit(algorithm, topology, topology->num_vertices, &request)) {
            mtree_cancel_set(true);
            ck_assert_int_eq(plan(topology, algorithm, (mtree_collective_t)c, &made),
                             MTREE_ERR_CANCELLED);
            mtree_cancel_set(false);
            unit_ok(plan(topology, algorithm, (mtree_collective_t)c, &made));
            mtree_plan_destroy(made);
        }
    }
}

UNIT_TEST(nothing_is_simulated)
{
    const mtree_openmpi_t stable = {0};
    mtree_plan_request_t request = {.collective = MTREE_ALLREDUCE, .bytes = 1e6};
    OWNED(topology) *topology = network_b4(1);
    int hosts[] = {0, 1, 2, 3};

    mtree_cancel_set(true);
    ck_assert_double_lt(
        mtree_forecast_fallback_seconds(stable, topology, hosts, 4, 1, &request), 0);
    mtree_cancel_set(false);
    ck_assert_double_gt(
        mtree_forecast_fallback_seconds(stable, topology, hosts, 4, 1, &request), 0);
}

static void *cancel_later(void *microseconds)
{
    struct timespec delay = {.tv_nsec = 1000 * *(const long *)microseconds};

    nanosleep(&delay, NULL);
    mtree_cancel_set(true);
    return NULL;
}

/* Each time at another moment, until planning is faster than that. */
UNIT_LOOP(any_moment_will_do, 0, MTREE_COLLECTIVE_LAST)
{
    mtree_collective_t collective = (mtree_collective_t)_i;
    OWNED(topology) *topology = network_random(16, 40, 3, true, 0.01);
    OWNED(plan) *first = NULL, *made = NULL;
    int faster = 0; /* times in succession: a thread may be late once */

    unit_ok(plan(topology, NULL, collective, &first));
    for (long delay = 1; delay < 1000000 && faster < 2; delay += delay / 2 + 1) {
        pthread_t canceller;
        mtree_status_t status;

        ck_assert_int_eq(pthread_create(&canceller, NULL, cancel_later, &delay), 0);
        status = plan(topology, NULL, collective, &made);
        pthread_join(canceller, NULL);
        mtree_cancel_set(false);
        faster = status == MTREE_OK ? faster + 1 : 0;
        if (status == MTREE_OK) {
            mtree_plan_destroy(made);
        } else {
            ck_assert_int_eq(status, MTREE_ERR_CANCELLED);
        }
    }
    unit_ok(plan(topology, NULL, collective, &made));
    ck_assert_int_eq(made->num_trees, first->num_trees);
    ck_assert_double_eq(made->seconds, first->seconds);
}
