/* SPDX-License-Identifier: BSD-3-Clause */
#include "planner/plan/finish.h"

#include "planner/plan/messages.h"
#include "planner/plan/predict.h"

#include <math.h>

/* The multiple of bytes that longer chunks are. */
#define CHUNK_ALIGN 64.0

double mtree_tree_delay(const mtree_tree_t *tree, int num_hosts,
                        mtree_collective_t collective)
{
    double depth = 0.0;
    int target = mtree_tree_target(tree, num_hosts);

    if (!mtree_collective_is_prefix(collective)) {
        depth = mtree_tree_depth(tree, num_hosts);
    } else if (target >= 0) {
        (void)mtree_tree_path(tree, num_hosts, target, &depth);
    }
    return mtree_collective_passes(collective) * depth;
}

static void fill_latencies(const mtree_problem_t *problem, mtree_plan_t *plan)
{
    for (int t = 0; t < plan->num_trees; ++t) {
        mtree_tree_t *tree = &plan->trees[t];

        for (int i = 0; i < plan->num_hosts; ++i) {
            if (tree->parent[i] >= 0) {
                tree->latency[i] =
                    mtree_routes_latency(problem->routes, tree->parent[i], i);
            }
        }
    }
}

/*
 * The time by which the trees of one message have delivered @a bits, each sending from
 * its delay on; those whose delay is later take no part.  @a members are @a count trees.
 */
static double common_time(const mtree_plan_t *plan, const double *delay,
                          const int *members, int count, double bits)
{
    double time = INFINITY;
    bool changed;

    do {
        double rate = 0.0, head = 0.0, next;

        for (int m = 0; m < count; ++m) {
            const mtree_tree_t *tree = &plan->trees[members[m]];

            if (delay[members[m]] < time) {
                rate += tree->rate;
                head += tree->rate * delay[members[m]];
            }
        }
        if (rate <= 0.0) {
            return INFINITY;
        }
        next = (bits + head) / rate;
        changed = next < time * (1.0 - 1e-12);
        time = changed ? next : time;
    } while (changed);
    return time;
}

/* Shares of the trees that carry one message of @a bits. */
static void share_out(mtree_plan_t *plan, const double *delay, const int *members,
                      int count, double bits)
{
    double time = bits > 0.0 ? common_time(plan, delay, members, count, bits) : INFINITY;
    double sum = 0.0;

    for (int m = 0; m < count; ++m) {
        mtree_tree_t *tree = &plan->trees[members[m]];

        tree->share = isfinite(time) ? tree->rate * fmax(0.0, time - delay[members[m]])
                                     : tree->rate;
        sum += tree->share;
    }
    for (int m = 0; m < count; ++m) {
        mtree_tree_t *tree = &plan->trees[members[m]];

        tree->share = sum > 0.0 ? tree->share / sum : 1.0 / count;
    }
}

static void fill_shares(mtree_plan_t *plan, const double *delay, int *members)
{
    bool gathering = mtree_collective_has_blocks(plan->collective);
    int num_groups = gathering ? mtree_plan_num_active(plan) : 1;

    for (int t = 0; t < plan->num_trees; ++t) {
        if (plan->trees[t].share > 0.0) {
            return;
        }
    }
    for (int group = 0; group < num_groups; ++group) {
        int count = 0;

        for (int t = 0; t < plan->num_trees; ++t) {
            if (!gathering || plan->trees[t].root == group) {
                members[count++] = t;
            }
        }
        share_out(plan, delay, members, count, mtree_plan_message_bits(plan));
    }
}

/* For one message the sum of the rates; for all-to-all and scan what the slowest root
 * sends; for gathering that times the roots. */
static double plan_throughput(const mtree_plan_t *plan)
{
    double least = INFINITY, sum = 0.0;

    if (!mtree_collective_has_blocks(plan->collective)) {
        for (int t = 0; t < plan->num_trees; ++t) {
            sum += plan->trees[t].rate;
        }
        return sum;
    }
    for (int root = 0; root < mtree_collective_num_groups(plan->collective,
                                                          mtree_plan_num_active(plan));
         ++root) {
        sum = 0.0;
        for (int t = 0; t < plan->num_trees; ++t) {
            sum += plan->trees[t].root == root ? plan->trees[t].rate : 0.0;
        }
        least = fmin(least, sum);
    }
    return mtree_collective_has_demands(plan->collective)
               ? least
               : least * mtree_plan_num_active(plan);
}

/* The bytes that cross the widest edge of @a tree. */
static double tree_bytes(const mtree_plan_t *plan, const mtree_tree_t *tree)
{
    return tree->share * mtree_plan_message_bits(plan) / 8.0 *
           mtree_tree_widest(tree, plan->num_hosts, plan->collective);
}

/*
 * The least size of a chunk of a tree that carries @a bytes, of which one carries @a
 * most. What a message costs a processor is not in the model; it is why chunks of long
 * messages are not made as small as the model would have them.  The size is the same for
 * all trees that are long enough: trees with shorter chunks fell behind the others.
 */
static double chunk_floor(double bytes, double most)
{
    double size = fmax(fmin(most / MTREE_CHUNK_MANY, (double)MTREE_CHUNK_MAX),
                       (double)MTREE_CHUNK_MIN);

    return fmin(fmax(bytes / MTREE_CHUNK_FEWEST, (double)MTREE_CHUNK_LEAST), size);
}

/* The hops of a chunk of a scan from the first host to the last one, over the paths of
 * most hops. */
static int chain_hops(const mtree_plan_t *plan)
{
    int hops = 0;

    for (int root = 0; root + 1 < plan->num_hosts; ++root) {
        int most = 0;

        for (int t = 0; t < plan->num_trees; ++t) {
            double seconds;
            int path = plan->trees[t].root != root
                           ? 0
                           : mtree_tree_path(&plan->trees[t], plan->num_hosts, root + 1,
                                             &seconds);

            most = path > most ? path : most;
        }
        hops += most;
    }
    return hops;
}

/* bits/s of its widest edge. */
static double widest_rate(const mtree_plan_t *plan, const mtree_tree_t *tree)
{
    return tree->rate * mtree_tree_widest(tree, plan->num_hosts, plan->collective);
}

/* The longest chunk of @a tree: half of what a queue holds of a peer's data, where the
 * root sends to all of them itself. */
static double chunk_most(const mtree_plan_t *plan, const mtree_tree_t *tree)
{
    if (mtree_tree_height(tree, plan->num_hosts) > 1) {
        return (double)MTREE_CHUNK_MAX;
    }
    return fmin(fmax(widest_rate(plan, tree) / 8 * MTREE_CHUNK_PAYLOAD_SECONDS / 2,
                     (double)MTREE_CHUNK_LEAST),
                (double)MTREE_CHUNK_MAX);
}

/* The minimum of a/mu + b mu over 0 < mu <= bytes, where the overhead is paid v/mu
 * times. */
double mtree_chunk_size(int num_links, double rate, double bytes, double overhead)
{
    const double beta = 8.0 / rate;

    return num_links < 2 ? bytes
                         : fmin(bytes, sqrt(bytes * overhead / ((num_links - 1) * beta)));
}

size_t mtree_chunk_bytes(double size)
{
    if (size < CHUNK_ALIGN) {
        return size < 1 ? 1 : (size_t)ceil(size);
    }
    return (size_t)(ceil(size / CHUNK_ALIGN) * CHUNK_ALIGN);
}

/* Equal numbers of chunks for all trees, the most that any tree wants, within the limits
 * of size. */
static void fill_chunks(const mtree_problem_t *problem, mtree_plan_t *plan)
{
    double chunks = 1.0, most = 0.0;
    bool is_prefix = mtree_collective_is_prefix(plan->collective);
    int hops = is_prefix ? chain_hops(plan) : 0;

    for (int t = 0; t < plan->num_trees; ++t) {
        const mtree_tree_t *tree = &plan->trees[t];
        int links = is_prefix ? hops
                              : mtree_collective_passes(plan->collective) *
                                    mtree_tree_height(tree, plan->num_hosts);
        double bytes = tree_bytes(plan, tree);
        double best = mtree_chunk_size(links, widest_rate(plan, tree), bytes,
                                       mtree_problem_hop(problem));

        chunks = best > 0.0 ? fmax(chunks, bytes / best) : chunks;
        most = fmax(most, bytes);
    }
    for (int t = 0; t < plan->num_trees; ++t) {
        mtree_tree_t *tree = &plan->trees[t];
        double bytes = tree_bytes(plan, tree);

        if (tree->chunk_bytes == 0) {
            tree->chunk_bytes = mtree_chunk_bytes(fmin(
                fmax(bytes / chunks, chunk_floor(bytes, most)), chunk_most(plan, tree)));
        }
    }
}

double mtree_plan_filling(const mtree_plan_t *plan)
{
    double longest = 0.0;

    for (int t = 0; t < plan->num_trees; ++t) {
        const mtree_tree_t *tree = &plan->trees[t];
        double rate = widest_rate(plan, tree);

        if (rate > 0.0) {
            longest = fmax(longest, 8.0 * (double)tree->chunk_bytes / rate *
                                        mtree_tree_height(tree, plan->num_hosts));
        }
    }
    return mtree_collective_passes(plan->collective) * longest;
}

/*
 * Where rates are high, what messages cost the busiest host's processor lasts longer than
 * what links need for them.  Chunks that are f times as long cost 1/f of that, and take f
 * times as long to fill the trees.
 */
static void lengthen_chunks(const mtree_problem_t *problem, mtree_plan_t *plan)
{
    double seconds = 8.0 * plan->bytes / plan->throughput;
    double messages = mtree_plan_messages(plan, NULL) * mtree_problem_hop(problem);
    double factor = fmin(messages / (MTREE_CHUNK_PROCESSOR_PART * seconds),
                         sqrt(messages / mtree_plan_filling(plan)));

    for (int t = 0; t < plan->num_trees && factor > 1.0; ++t) {
        mtree_tree_t *tree = &plan->trees[t];
        double longer = fmin(factor * (double)tree->chunk_bytes,
                             fmin(tree_bytes(plan, tree), (double)MTREE_CHUNK_LONGEST));

        if (longer > (double)tree->chunk_bytes) {
            tree->chunk_bytes = mtree_chunk_bytes(longer);
        }
    }
}

void mtree_plan_scale_rates(const mtree_problem_t *problem, mtree_plan_t *plan)
{
    double *load, busiest;

    MTREE_ARENA_ARRAY(problem->arena, load, 2 * (size_t)problem->topology->num_links);
    mtree_plan_load(plan, problem->routes, load);
    busiest = mtree_plan_busiest(problem->topology, load);
    for (int t = 0; t < plan->num_trees; ++t) {
        plan->trees[t].rate = busiest > 0.0 ? plan->trees[t].rate / busiest : 0.0;
    }
}

/* When no tree has a rate: one for all, the highest that no arc is overloaded by. */
static void fill_rates(const mtree_problem_t *problem, mtree_plan_t *plan)
{
    for (int t = 0; t < plan->num_trees; ++t) {
        if (plan->trees[t].rate > 0.0) {
            return;
        }
    }
    for (int t = 0; t < plan->num_trees; ++t) {
        plan->trees[t].rate = 1.0;
    }
    mtree_plan_scale_rates(problem, plan);
}

/*
 * The sender of a message above the eager limit asks the receiver first, which takes a
 * round trip.  Where that is longer than what the pieces of a message cost processors,
 * messages are cut.  @a longest is a part of the vector.
 */
static void cut_messages(const mtree_problem_t *problem, double longest, double latency,
                         mtree_plan_t *plan)
{
    double pieces = ceil(longest * plan->bytes / (double)MTREE_CHUNK_EAGER);

    if (plan->bytes > (double)MTREE_CHUNK_EAGER && pieces > 1.0 &&
        latency > pieces * mtree_problem_hop(problem)) {
        plan->message_bytes = MTREE_CHUNK_EAGER;
    }
}

/* Of a plan that names a program, and is not finished yet: its longest chain of messages,
 * and what the busiest arc needs for all of them. */
static void finish_program(const mtree_problem_t *problem, mtree_plan_t *plan)
{
    const mtree_routes_t *routes = problem->routes;
    double busiest, *load, longest = 0.0, latency = 0.0;
    mtree_arena_t arena = {0};
    mtree_messages_t messages;

    if (plan->throughput > 0.0) {
        return;
    }
    messages =
        mtree_plan_program_messages(plan, routes, mtree_problem_hop(problem), &arena);
    MTREE_ARENA_ARRAY(&arena, load, 2 * (size_t)problem->topology->num_links);
    for (int m = 0; m < messages.count; ++m) {
        const mtree_message_t *message = &messages.list[m];

        MTREE_ROUTE_ARCS (arc, routes, message->from, message->to) {
            load[arc] += message->part;
        }
        longest = fmax(longest, message->part);
        latency = fmax(latency, mtree_routes_latency(routes, message->from, message->to));
    }
    busiest = mtree_plan_busiest(problem->topology, load);
    plan->throughput = busiest > 0.0 ? 1.0 / busiest : 0.0;
    if (plan->bytes > 0.0 && plan->throughput > 0.0) {
        cut_messages(problem, longest, latency, plan);
        plan->seconds = messages.chain + 8.0 * plan->bytes * busiest;
    }
    mtree_arena_cleanup(&arena);
}

void mtree_plan_finish(const mtree_problem_t *problem, mtree_plan_t *plan)
{
    double *delay;
    int *members;

    if (plan->order != NULL) {
        finish_program(problem, plan);
        return;
    }
    MTREE_ARENA_ARRAY(problem->arena, delay, (size_t)plan->num_trees);
    MTREE_ARENA_ARRAY(problem->arena, members, (size_t)plan->num_trees);
    fill_latencies(problem, plan);
    fill_rates(problem, plan);
    for (int t = 0; t < plan->num_trees; ++t) {
        delay[t] = mtree_tree_delay(&plan->trees[t], plan->num_hosts, plan->collective);
    }
    fill_shares(plan, delay, members);
    plan->throughput = plan_throughput(plan);
    if (plan->bytes > 0.0) {
        fill_chunks(problem, plan);
        lengthen_chunks(problem, plan);
        mtree_plan_predict(problem, plan);
    }
}
