/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls with relays, on random plans that pass through some of them: the parts travel as
 * bytes, and every rank gets the result that there would be without relays.
 */
#include "schedule/layout.h"
#include "schedule/operation.h"
#include "schedule/plan_part_wire.h"
#include "tests/unit/runner.h"
#include "tests/unit/schedule/chaos.h"
#include "tests/unit/schedule/random_parts.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define CASES  400
#define RELAYS 4
#define MOST   (RANDOM_RANKS + RELAYS)

typedef struct {
    mtree_call_t call;
    mtree_plan_t *plan;
    mtree_placement_t *placement;
    uint32_t *input[MOST], *output[MOST];
    mtree_layout_t *layout[MOST];
    mtree_operation_t *operation[MOST];
} job_t;

static int num_passed; /* trees that pass through a relay */

static void fold_add(void *arg, const void *a, const void *b, void *out, size_t count)
{
    const uint32_t *x = a, *y = b;

    (void)arg;
    for (size_t i = 0; i < count; i++) {
        ((uint32_t *)out)[i] = x[i] + y[i];
    }
}

static uint32_t value(int rank, size_t i)
{
    return (uint32_t)(rank + 1) * 2654435761u + (uint32_t)i * 40503u;
}

/* Trees over the first @a members hosts, with relays put on random edges. */
static mtree_plan_t *relayed_plan(int members, int relays)
{
    const char *names[MOST];
    static const char *const addresses[RELAYS] = {"a:1", "b:2", "c:3", "d:4"};
    mtree_plan_t *plan = random_plan(MTREE_ALLREDUCE, -1, members, 3), *relayed;
    int hosts = members + relays;

    for (int h = 0; h < hosts; h++) {
        names[h] = "host";
    }
    ck_assert_int_eq(mtree_plan_create(MTREE_ALLREDUCE, "random", hosts, names,
                                       plan->num_trees, &relayed),
                     MTREE_OK);
    ck_assert_int_eq(mtree_plan_add_relays(relayed, relays, addresses), MTREE_OK);
    ck_assert_int_eq(mtree_plan_add_relays(relayed, relays, addresses),
                     MTREE_ERR_INVALID);
    for (int t = 0; t < plan->num_trees; t++) {
        mtree_tree_t *to = &relayed->trees[t];

        to->root = plan->trees[t].root;
        to->rate = plan->trees[t].rate;
        to->share = plan->trees[t].share;
        memcpy(to->parent, plan->trees[t].parent, (size_t)members * sizeof(int));
        for (int relay = members; relay < hosts; relay++) {
            int child = random_draw(relay);

            to->parent[relay] = MTREE_PLAN_OUTSIDE;
            if (to->parent[child] >= 0 && random_draw(3) > 0) {
                to->parent[relay] = to->parent[child];
                to->parent[child] = relay;
                num_passed++;
            }
        }
    }
    mtree_plan_destroy(plan);
    return relayed;
}

/* The part of @a host as it arrives there. */
static mtree_plan_part_t *sent_part(const mtree_plan_t *plan, int host)
{
    mtree_wire_t common = {0}, own = {0};
    mtree_plan_part_t *part, *read;

    ck_assert_int_eq(mtree_plan_part_create(plan, host, &part), MTREE_OK);
    mtree_plan_part_write_common(part, &common);
    mtree_plan_part_write_own(part, &own);
    ck_assert_int_eq(mtree_plan_part_read(common.bytes, (size_t)common.length, own.bytes,
                                          (size_t)own.length, &read),
                     MTREE_OK);
    ck_assert_int_eq(read->num_relays, plan->num_relays);
    mtree_plan_part_destroy(part);
    free(common.bytes);
    free(own.bytes);
    return read;
}

static void job_random(job_t *job, unsigned seed)
{
    static const mtree_collective_t collectives[] = {MTREE_ALLREDUCE, MTREE_BCAST,
                                                     MTREE_REDUCE, MTREE_ALLGATHER};
    int members, relays, ranks, host[RANDOM_RANKS];

    memset(job, 0, sizeof(*job));
    random_seed(seed);
    members = 2 + random_draw(5);
    relays = 1 + random_draw(RELAYS);
    ranks = members + random_draw(6);
    for (int r = 0; r < ranks; r++) {
        host[r] = r < members ? r : random_draw(members);
    }
    job->plan = relayed_plan(members, relays);
    ck_assert_int_eq(mtree_placement_create_relayed(ranks, members + relays, relays, host,
                                                    NULL, &job->placement),
                     MTREE_OK);
    job->call = (mtree_call_t){.collective = collectives[seed % 4],
                               .root = random_draw(ranks),
                               .units = (size_t)(ranks * random_draw(400)),
                               .unit_bytes = 4,
                               .chunk_bytes = 4 * (size_t)(10 + random_draw(100))};
}

/* Relays have no vectors. */
static void job_start(job_t *job, chaos_t *chaos, int r)
{
    size_t units = job->call.units, block = units / (size_t)job->placement->num_ranks;
    bool is_rank = r < job->placement->num_ranks;
    mtree_plan_part_t *part = sent_part(job->plan, job->placement->host[r]);
    mtree_operation_data_t data = {.extent = 4, .span = 4, .fold = fold_add};

    ck_assert_int_eq(
        mtree_layout_create(part, job->placement, &job->call, r, &job->layout[r]),
        MTREE_OK);
    ck_assert_int_eq(job->layout[r]->is_relay, !is_rank);
    mtree_plan_part_destroy(part);
    if (is_rank) {
        job->input[r] = malloc(units * 4 + 4);
        job->output[r] = malloc(units * 4 + 4);
        memset(job->output[r], 0xee, units * 4 + 4);
    }
    for (size_t i = 0; i < units && is_rank; i++) {
        job->input[r][i] = value(r, i);
        if (job->call.collective == MTREE_BCAST
                ? r == job->call.root
                : job->call.collective == MTREE_ALLGATHER && i / block == (size_t)r) {
            job->output[r][i] = value(r, i);
        }
    }
    data.input = job->input[r];
    data.output = job->output[r];
    ck_assert_int_eq(mtree_operation_start(job->layout[r], chaos_transport(chaos, r),
                                           &data, NULL, NULL, &job->operation[r]),
                     MTREE_OK);
}

static uint32_t expected(const job_t *job, size_t i)
{
    int ranks = job->placement->num_ranks;
    uint32_t sum = 0;

    if (job->call.collective == MTREE_BCAST) {
        return value(job->call.root, i);
    }
    if (job->call.collective == MTREE_ALLGATHER) {
        return value((int)(i / (job->call.units / (size_t)ranks)), i);
    }
    for (int rank = 0; rank < ranks; rank++) {
        sum += value(rank, i);
    }
    return sum;
}

static void job_verify(const job_t *job, unsigned seed)
{
    int ranks = job->placement->num_ranks, all = ranks + job->placement->num_relays;

    for (int r = 0; r < all; r++) {
        ck_assert_msg(mtree_operation_done(job->operation[r], NULL),
                      "seed %u: number %d waits for ever", seed, r);
    }
    for (int r = 0; r < ranks; r++) {
        if (job->call.collective == MTREE_REDUCE && r != job->call.root) {
            continue;
        }
        for (size_t i = 0; i < job->call.units; i++) {
            ck_assert_msg(job->output[r][i] == expected(job, i),
                          "seed %u, rank %d: element %zu is wrong", seed, r, i);
        }
    }
}

static void job_free(job_t *job)
{
    for (int r = 0; r < job->placement->num_ranks + job->placement->num_relays; r++) {
        mtree_operation_free(job->operation[r]);
        mtree_layout_destroy(job->layout[r]);
        free(job->input[r]);
        free(job->output[r]);
    }
    mtree_placement_destroy(job->placement);
    mtree_plan_destroy(job->plan);
}

UNIT_TEST(relays_pass_on_and_sum_up)
{
    for (unsigned seed = 0; seed < CASES; seed++) {
        job_t job;
        chaos_t *chaos;
        int all;

        job_random(&job, seed);
        all = job.placement->num_ranks + job.placement->num_relays;
        chaos = chaos_create(all, 4, seed);
        for (int r = 0; r < all; r++) {
            job_start(&job, chaos, r);
        }
        while (chaos_step(chaos)) {}
        job_verify(&job, seed);
        ck_assert(chaos_is_quiet(chaos));
        job_free(&job);
        chaos_destroy(chaos);
    }
    ck_assert_int_gt(num_passed, CASES);
}

/* A part is for the placement with its relays alone, and personalized calls have none. */
UNIT_TEST(others_are_refused)
{
    mtree_plan_t *plan = relayed_plan(3, 1);
    mtree_call_t call = {.collective = MTREE_BCAST, .units = 100, .unit_bytes = 1};
    const int host[] = {0, 1, 2, 3};
    mtree_placement_t *placement;
    mtree_plan_part_t *part;
    mtree_layout_t *layout;

    ck_assert_int_eq(mtree_plan_part_create(plan, 0, &part), MTREE_OK);
    ck_assert_int_eq(mtree_placement_create(4, 4, host, NULL, &placement), MTREE_OK);
    ck_assert_int_eq(mtree_layout_create(part, placement, &call, 0, &layout),
                     MTREE_ERR_INVALID);
    mtree_placement_destroy(placement);
    ck_assert_int_eq(mtree_placement_create_relayed(3, 4, 1, host, NULL, &placement),
                     MTREE_OK);
    call.collective = MTREE_SCATTER;
    ck_assert_int_eq(mtree_layout_create(part, placement, &call, 0, &layout),
                     MTREE_ERR_UNSUPPORTED);
    mtree_placement_destroy(placement);
    mtree_plan_part_destroy(part);
    mtree_plan_destroy(plan);
}
