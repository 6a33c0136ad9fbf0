/* SPDX-License-Identifier: BSD-3-Clause */
#include "planner/plan/plan.h"

#include "base/memory.h"
#include "planner/plan/messages.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of a message whose size is not known. */
#define ASSUMED_BYTES 1e6

static void tree_init(mtree_tree_t *tree, int num_hosts)
{
    tree->parent = mtree_malloc((size_t)num_hosts * sizeof(*tree->parent));
    tree->latency = mtree_calloc((size_t)num_hosts, sizeof(*tree->latency));
    tree->step = mtree_calloc((size_t)num_hosts, sizeof(*tree->step));
    for (int i = 0; i < num_hosts; ++i) {
        tree->parent[i] = -1;
    }
}

mtree_plan_t *mtree_plan_create(mtree_collective_t collective, const char *algorithm,
                                int num_hosts, const char *const *hosts, int num_trees)
{
    mtree_plan_t *plan;

    if (mtree_collective_check(collective) != MTREE_OK) {
        return NULL;
    }
    plan = mtree_calloc(1, sizeof(*plan));
    plan->collective = collective;
    plan->root = -1;
    plan->num_hosts = num_hosts;
    plan->num_trees = num_trees;
    plan->algorithm = mtree_strdup(algorithm);
    plan->hosts = mtree_calloc((size_t)num_hosts, sizeof(*plan->hosts));
    plan->trees = mtree_calloc((size_t)num_trees + 1, sizeof(*plan->trees));
    for (int i = 0; i < num_hosts; ++i) {
        plan->hosts[i] = mtree_strdup(hosts[i]);
    }
    for (int t = 0; t < num_trees; ++t) {
        tree_init(&plan->trees[t], num_hosts);
    }
    return plan;
}

mtree_status_t mtree_plan_add_relays(mtree_plan_t *plan, int num_relays,
                                     const char *const *addresses)
{
    if (num_relays < 0 || num_relays >= plan->num_hosts || plan->relays != NULL ||
        (plan->num_relays > 0 && plan->num_relays != num_relays)) {
        return MTREE_ERR_INVALID;
    }
    plan->relays = mtree_calloc((size_t)num_relays + 1, sizeof(*plan->relays));
    plan->num_relays = num_relays;
    for (int i = 0; i < num_relays; ++i) {
        plan->relays[i] = mtree_strdup(addresses[i]);
    }
    return MTREE_OK;
}

/* Element i of @a array, of @a count of @a size bytes (NULL: there is none), becomes
 * element @a number[i]. */
static void permute(void *array, int count, size_t size, const int *number)
{
    char *from;

    if (array == NULL) {
        return;
    }
    from = mtree_malloc((size_t)count * size);
    memcpy(from, array, (size_t)count * size);
    for (int i = 0; i < count; i++) {
        memcpy((char *)array + (size_t)number[i] * size, from + (size_t)i * size, size);
    }
    free(from);
}

static void tree_renumber(mtree_tree_t *tree, int num_hosts, const int *number)
{
    tree->root = number[tree->root];
    for (int i = 0; i < num_hosts; i++) {
        tree->parent[i] = tree->parent[i] < 0 ? tree->parent[i] : number[tree->parent[i]];
    }
    permute(tree->parent, num_hosts, sizeof(*tree->parent), number);
    permute(tree->latency, num_hosts, sizeof(*tree->latency), number);
    permute(tree->step, num_hosts, sizeof(*tree->step), number);
}

void mtree_plan_renumber(mtree_plan_t *plan, const int *number)
{
    const int hosts = plan->num_hosts;

    permute(plan->hosts, hosts, sizeof(*plan->hosts), number);
    plan->root = plan->root < 0 ? plan->root : number[plan->root];
    for (int i = 0; i < hosts && plan->order != NULL; i++) {
        plan->order[i] = number[plan->order[i]];
    }
    for (int t = 0; t < plan->num_trees; t++) {
        tree_renumber(&plan->trees[t], hosts, number);
    }
    if (plan->routes != NULL) {
        for (int i = 0; i < hosts; i++) {
            permute(&plan->routes[(size_t)i * (size_t)hosts], hosts,
                    sizeof(*plan->routes), number);
        }
        permute(plan->routes, hosts, (size_t)hosts * sizeof(*plan->routes), number);
    }
}

bool mtree_plan_is_by_arrival(const mtree_plan_t *plan)
{
    return plan->num_trees == 1 && strcmp(plan->algorithm, MTREE_PLAN_ARRIVAL) == 0;
}

double mtree_plan_route_seconds(const mtree_plan_t *plan, int from, int to)
{
    double bytes = plan->bytes > 0 ? plan->bytes : ASSUMED_BYTES;
    const mtree_plan_route_t *route;

    if (plan->routes == NULL || from == to) {
        return 0;
    }
    route = &plan->routes[(size_t)from * (size_t)plan->num_hosts + (size_t)to];
    return route->latency + route->links * 8 * bytes / route->rate;
}

mtree_plan_t *mtree_plan_retain(const mtree_plan_t *plan)
{
    mtree_plan_t *retained = (mtree_plan_t *)plan;

    if (retained != NULL) {
        (void)__atomic_fetch_add(&retained->references, 1, __ATOMIC_RELAXED);
    }
    return retained;
}

void mtree_plan_destroy(mtree_plan_t *plan)
{
    if (plan == NULL || __atomic_fetch_sub(&plan->references, 1, __ATOMIC_ACQ_REL) > 0) {
        return;
    }
    for (int t = 0; plan->trees != NULL && t < plan->num_trees; ++t) {
        free(plan->trees[t].parent);
        free(plan->trees[t].latency);
        free(plan->trees[t].step);
    }
    for (int i = 0; plan->hosts != NULL && i < plan->num_hosts; ++i) {
        free(plan->hosts[i]);
    }
    for (int i = 0; plan->relays != NULL && i < plan->num_relays; ++i) {
        free(plan->relays[i]);
    }
    free(plan->relays);
    free(plan->order);
    free(plan->trees);
    free(plan->hosts);
    free(plan->routes);
    free(plan->cables);
    free(plan->algorithm);
    free(plan->limit);
    free(plan);
}

/* Lockstep steps of @a tree; 0: its hosts do not wait for all that it carries. */
static int num_steps(const mtree_tree_t *tree, int num_hosts)
{
    int steps = 0;

    for (int i = 0; i < num_hosts; ++i) {
        steps = tree->step[i] > steps ? tree->step[i] : steps;
    }
    return steps;
}

int mtree_plan_num_steps(const mtree_plan_t *plan)
{
    int steps = 0;

    for (int t = 0; t < plan->num_trees; ++t) {
        int its = num_steps(&plan->trees[t], plan->num_hosts);

        steps = its > steps ? its : steps;
    }
    return steps;
}

/* Mark the hosts of @a tree that have others below them: the longest ways up to the root
 * begin at those that have none, which are few where the tree is high. */
static void mark_inner(const mtree_tree_t *tree, int num_hosts,
                       bool inner[MTREE_TOPOLOGY_MAX_VERTICES])
{
    memset(inner, 0, (size_t)num_hosts * sizeof(*inner));
    for (int i = 0; i < num_hosts; ++i) {
        if (tree->parent[i] >= 0) {
            inner[tree->parent[i]] = true;
        }
    }
}

int mtree_tree_path(const mtree_tree_t *tree, int num_hosts, int host, double *seconds_p)
{
    int hops = 0;

    *seconds_p = 0.0;
    for (int at = host; tree->parent[at] >= 0 && hops < num_hosts;
         at = tree->parent[at]) {
        *seconds_p += tree->latency[at];
        ++hops;
    }
    return hops;
}

/* The most hops, and seconds, of all ways up to the root. */
static int walk_all_up(const mtree_tree_t *tree, int num_hosts, double *depth_p)
{
    bool inner[MTREE_TOPOLOGY_MAX_VERTICES];
    int height = 0;

    *depth_p = 0.0;
    mark_inner(tree, num_hosts, inner);
    for (int i = 0; i < num_hosts; ++i) {
        double seconds;
        int hops = inner[i] ? 0 : mtree_tree_path(tree, num_hosts, i, &seconds);

        if (!inner[i]) {
            height = hops > height ? hops : height;
            *depth_p = seconds > *depth_p ? seconds : *depth_p;
        }
    }
    return height;
}

int mtree_tree_height(const mtree_tree_t *tree, int num_hosts)
{
    double depth;

    return walk_all_up(tree, num_hosts, &depth);
}

int mtree_plan_height(const mtree_plan_t *plan)
{
    int most = 0;

    for (int t = 0; t < plan->num_trees; ++t) {
        int height = mtree_tree_height(&plan->trees[t], plan->num_hosts);

        most = height > most ? height : most;
    }
    return most;
}

double mtree_tree_depth(const mtree_tree_t *tree, int num_hosts)
{
    double depth;

    (void)walk_all_up(tree, num_hosts, &depth);
    return depth;
}

void mtree_tree_turn(mtree_tree_t *tree, int root)
{
    int below = -1;

    for (int host = root, above; host >= 0; host = above) {
        above = tree->parent[host];
        tree->parent[host] = below;
        below = host;
    }
    tree->root = root;
}

int mtree_tree_target(const mtree_tree_t *tree, int num_hosts)
{
    return tree->root + 1 < num_hosts ? tree->root + 1 : -1;
}

/* A host's sum is complete, and goes to its parent, when those of all its children are.
 */
void mtree_tree_add_up(const int *parent, int num_hosts, int *waiting, int *sum)
{
    memset(waiting, 0, (size_t)num_hosts * sizeof(*waiting));
    for (int i = 0; i < num_hosts; ++i) {
        if (parent[i] >= 0) {
            ++waiting[parent[i]];
        }
    }
    for (int i = 0; i < num_hosts; ++i) {
        int at = i;

        while (at >= 0 && waiting[at] == 0) {
            int above = parent[at];

            waiting[at] = -1;
            if (above >= 0) {
                sum[above] += sum[at];
                --waiting[above];
            }
            /* A parent that comes later is met by the loop around. */
            at = above < i ? above : -1;
        }
    }
}

/* What a tree of a scan carries crosses the path to the next host. */
static void path_parts(const mtree_tree_t *tree, int num_hosts, double *part)
{
    int at = mtree_tree_target(tree, num_hosts);

    for (int i = 0; i < num_hosts; ++i) {
        part[i] = 0.0;
    }
    for (; at >= 0 && tree->parent[at] >= 0; at = tree->parent[at]) {
        part[at] = 1.0;
    }
}

void mtree_tree_parts(const mtree_tree_t *tree, int num_hosts,
                      mtree_collective_t collective, double *part)
{
    int waiting[MTREE_TOPOLOGY_MAX_VERTICES], below[MTREE_TOPOLOGY_MAX_VERTICES];
    bool is_personalized = mtree_collective_is_personalized(collective);

    if (mtree_collective_is_prefix(collective)) {
        path_parts(tree, num_hosts, part);
        return;
    }
    if (is_personalized) {
        for (int i = 0; i < num_hosts; ++i) {
            below[i] = 1;
        }
        mtree_tree_add_up(tree->parent, num_hosts, waiting, below);
    }
    for (int i = 0; i < num_hosts; ++i) {
        part[i] = tree->parent[i] < 0 ? 0.0
                  : is_personalized   ? (double)below[i] / num_hosts
                                      : 1.0;
    }
}

double mtree_tree_widest(const mtree_tree_t *tree, int num_hosts,
                         mtree_collective_t collective)
{
    double part[MTREE_TOPOLOGY_MAX_VERTICES], widest = 0.0;

    mtree_tree_parts(tree, num_hosts, collective, part);
    for (int i = 0; i < num_hosts; ++i) {
        widest = part[i] > widest ? part[i] : widest;
    }
    return widest;
}

/* Add the messages that each host sends and receives for @a tree, of which @a bytes go
 * through it. */
static void add_tree_messages(const mtree_plan_t *plan, const mtree_tree_t *tree,
                              double bytes, double *messages)
{
    double widest = bytes * mtree_tree_widest(tree, plan->num_hosts, plan->collective);
    bool is_whole = tree->chunk_bytes == 0 || num_steps(tree, plan->num_hosts) > 0;
    double chunk = is_whole ? widest : (double)tree->chunk_bytes;
    double per_edge = ceil(widest / chunk) * mtree_collective_passes(plan->collective);
    double part[MTREE_TOPOLOGY_MAX_VERTICES];

    mtree_tree_parts(tree, plan->num_hosts, plan->collective, part);
    for (int host = 0; host < plan->num_hosts; host++) {
        if (part[host] > 0) {
            messages[host] += per_edge;
            messages[tree->parent[host]] += per_edge;
        }
    }
}

/* Add those of a plan that names a program. */
static void add_program_messages(const mtree_plan_t *plan, double *messages)
{
    const double longest = (double)plan->message_bytes;
    mtree_arena_t arena = {0};
    const mtree_messages_t of = mtree_plan_program_messages(plan, NULL, 0.0, &arena);

    for (int m = 0; m < of.count; m++) {
        const mtree_message_t *message = &of.list[m];
        double pieces = longest > 0.0 ? ceil(message->part * plan->bytes / longest) : 1.0;

        messages[message->from] += fmax(pieces, 1.0);
        messages[message->to] += fmax(pieces, 1.0);
    }
    mtree_arena_cleanup(&arena);
}

double mtree_plan_messages(const mtree_plan_t *plan, double *total_p)
{
    double bytes = mtree_collective_root_bytes(plan->collective, plan->bytes,
                                               mtree_plan_num_active(plan));
    double *messages = mtree_calloc((size_t)plan->num_hosts, sizeof(*messages));
    double most = 0, sum = 0;

    if (plan->order != NULL) {
        add_program_messages(plan, messages);
    }
    for (int t = 0; t < plan->num_trees; t++) {
        if (plan->trees[t].share * bytes > 0.5) {
            add_tree_messages(plan, &plan->trees[t], plan->trees[t].share * bytes,
                              messages);
        }
    }
    for (int host = 0; host < plan->num_hosts; host++) {
        most = fmax(most, messages[host]);
        sum += messages[host];
    }
    free(messages);
    if (total_p != NULL) {
        *total_p = sum / 2;
    }
    return most;
}
