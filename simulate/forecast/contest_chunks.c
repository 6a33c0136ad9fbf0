/* SPDX-License-Identifier: BSD-3-Clause */
/* The chunks of plans that compete. */
#include "simulate/forecast/contest.h"

#include "base/memory.h"
#include "planner/plan/finish.h"
#include "planner/plan/predict.h"

#include <math.h>
#include <stdlib.h>

/*
 * Other chunks must gain CHUNK_GAIN of the time.  They are sought for MOST_TUNED plans.
 * Longer chunks spare messages, which may need MESSAGES_PART of the time; shorter ones
 * fill the trees sooner, which may need FILLING_PART of it.
 */
#define CHUNK_GAIN    0.02
#define MOST_TUNED    4
#define MESSAGES_PART 0.3
#define FILLING_PART  0.04

/* Bytes of chunks. */
#define LEAST_CHUNK ((size_t)4 << 10)
#define MOST_CHUNK  ((size_t)4 << 20)

/* Make the chunks of @a plan @a factor times as long, each within the limits and no
 * longer than what its tree carries.  False: that changes nothing. */
static bool scale_chunks(mtree_plan_t *plan, double factor)
{
    double bytes = mtree_plan_message_bits(plan) / 8.0;
    bool has_changed = false;

    for (int t = 0; t < plan->num_trees; t++) {
        mtree_tree_t *tree = &plan->trees[t];
        double whole = tree->share * bytes *
                       mtree_tree_widest(tree, plan->num_hosts, plan->collective);
        double most = fmin((double)MOST_CHUNK, fmax(whole, (double)LEAST_CHUNK));
        size_t chunk = mtree_chunk_bytes(
            fmin(fmax(factor * (double)tree->chunk_bytes, (double)LEAST_CHUNK), most));

        if (factor > 1.0 ? chunk > tree->chunk_bytes : chunk < tree->chunk_bytes) {
            tree->chunk_bytes = chunk;
            has_changed = true;
        }
    }
    return has_changed;
}

/* Cut chunks that are longer than MTREE_CHUNK_EAGER.  False: there are none. */
static bool cut_chunks(mtree_plan_t *plan)
{
    bool has_changed = false;

    for (int t = 0; t < plan->num_trees; t++) {
        if (plan->trees[t].chunk_bytes > MTREE_CHUNK_EAGER) {
            plan->trees[t].chunk_bytes = MTREE_CHUNK_EAGER;
            has_changed = true;
        }
    }
    return has_changed;
}

static void keep_chunks(const mtree_plan_t *plan, size_t *chunks)
{
    for (int t = 0; t < plan->num_trees; t++) {
        chunks[t] = plan->trees[t].chunk_bytes;
    }
}

/* The plan of @a entrant has other chunks than @a before.  It gets these again unless the
 * new ones gain. */
static mtree_status_t try_chunks(mtree_contest_t *contest, mtree_entrant_t *entrant,
                                 const size_t *before, bool *gains_p)
{
    mtree_plan_t *plan = entrant->plan;
    double seconds = plan->seconds;
    mtree_status_t status;
    bool is_done;

    (void)mtree_plan_messages(plan, &entrant->load.messages);
    status = mtree_contest_simulate(contest, entrant, &is_done);
    *gains_p =
        status == MTREE_OK && is_done && plan->seconds * (1.0 + CHUNK_GAIN) <= seconds;
    if (!*gains_p) {
        plan->seconds = seconds;
        for (int t = 0; t < plan->num_trees; t++) {
            plan->trees[t].chunk_bytes = before[t];
        }
        (void)mtree_plan_messages(plan, &entrant->load.messages);
    }
    entrant->facts.seconds = plan->seconds;
    return status;
}

/* Make the chunks of @a entrant @a factor times as long, again and again while that
 * gains; *gains_p: it did. */
static mtree_status_t scale_while_faster(mtree_contest_t *contest,
                                         mtree_entrant_t *entrant, double factor,
                                         size_t *before, bool *gains_p)
{
    mtree_status_t status = MTREE_OK;
    bool gains = true;

    *gains_p = false;
    while (status == MTREE_OK && gains) {
        keep_chunks(entrant->plan, before);
        if (!scale_chunks(entrant->plan, factor)) {
            break;
        }
        status = try_chunks(contest, entrant, before, &gains);
        *gains_p = *gains_p || gains;
    }
    return status;
}

/* Seconds that messages of @a plan cost the processor of its busiest host. */
static double message_seconds(const mtree_contest_t *contest, const mtree_plan_t *plan)
{
    return mtree_plan_messages(plan, NULL) *
           mtree_message_cost_hop(&contest->on.topology->cost);
}

/* Find the chunks with which @a entrant is the fastest. */
static mtree_status_t tune(mtree_contest_t *contest, mtree_entrant_t *entrant)
{
    double messages = message_seconds(contest, entrant->plan);
    size_t *before = mtree_malloc((size_t)entrant->plan->num_trees * sizeof(*before));
    mtree_status_t status = MTREE_OK;
    bool gains = false;

    keep_chunks(entrant->plan, before);
    if (cut_chunks(entrant->plan)) {
        status = try_chunks(contest, entrant, before, &gains);
    }
    if (status == MTREE_OK && !gains &&
        messages > MESSAGES_PART * entrant->facts.seconds) {
        status = scale_while_faster(contest, entrant, 2.0, before, &gains);
    }
    if (status == MTREE_OK && !gains &&
        mtree_plan_filling(entrant->plan) > FILLING_PART * entrant->facts.seconds) {
        status = scale_while_faster(contest, entrant, 0.5, before, &gains);
    }
    free(before);
    return status;
}

/* The least seconds that @a entrant might take with other chunks: without the time in
 * which they fill trees, or with links alone; 0 where receivers are asked first. */
static double least_with_chunks(const mtree_contest_t *contest,
                                const mtree_entrant_t *entrant)
{
    const mtree_plan_t *plan = entrant->plan;
    double messages = message_seconds(contest, plan);
    double spared =
        fmax(messages - 8.0 * plan->bytes / plan->throughput, mtree_plan_filling(plan));

    for (int t = 0; t < plan->num_trees; t++) {
        if (plan->trees[t].chunk_bytes > MTREE_CHUNK_EAGER) {
            return 0.0;
        }
    }
    return entrant->facts.seconds - spared;
}

/* The fastest plan whose chunks are not tuned yet, of those that may become the fastest;
 * NULL: none. */
static mtree_entrant_t *next_to_tune(mtree_contest_t *contest, const bool *tuned)
{
    double most = mtree_contest_fastest_seconds(contest);
    mtree_entrant_t *next = NULL;

    for (int e = 0; e < contest->count; e++) {
        mtree_entrant_t *entrant = &contest->entrants[e];

        if (entrant->plan != NULL && !tuned[e] && entrant->facts.is_simulated &&
            entrant->plan->num_trees > 0 && mtree_plan_num_steps(entrant->plan) == 0 &&
            least_with_chunks(contest, entrant) <= most &&
            (next == NULL || entrant->facts.seconds < next->facts.seconds)) {
            next = entrant;
        }
    }
    return next;
}

mtree_status_t mtree_contest_tune(mtree_contest_t *contest)
{
    bool tuned[MTREE_CHOICE_MOST] = {false};
    mtree_status_t status = MTREE_OK;

    for (int t = 0; t < MOST_TUNED && status == MTREE_OK; t++) {
        mtree_entrant_t *entrant = next_to_tune(contest, tuned);

        if (entrant == NULL || contest->left <= 0.0) {
            break;
        }
        tuned[entrant - contest->entrants] = true;
        status = tune(contest, entrant);
    }
    return status;
}
