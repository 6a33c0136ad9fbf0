/* SPDX-License-Identifier: BSD-3-Clause */
#include "papers/published/gost.h"

#include "base/arena.h"
#include "base/log.h"
#include "papers/published/chunk_times.h"
#include "planner/plan/finish.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Less than this part of the largest capacity is nothing left: rounding. */
#define LEAST_PART 1e-9

/* r-bar when the request has none, as a part of the largest capacity: no edge with
 * a useful capacity is left out. */
#define DEFAULT_MIN_PART 1e-3

/* A tree takes no more than its narrowest edge has left, and may come again: beside wide
 * edges a narrow one would let it come a thousand million times. */
#define MOST_TRIES (16 * MTREE_GOST_MAX_TREES)

typedef struct {
    double wide;
    int edge;
} ranked_t;

/* One run of GBST.  Matrices are by pair of hosts. */
typedef struct {
    mtree_arena_t arena; /* of the arrays */
    const mtree_gost_t *gost;
    double least;       /* capacities below are none */
    double *left;       /* [num_constraints] capacity not given to a tree yet */
    double *wide;       /* [num_edges] b_j */
    ranked_t *by_width; /* [num_edges] edges by non-increasing b_j */
    int *uses;          /* [num_constraints] of the tree in the making */
    int *lengths;       /* [n * n] L, quantized latencies: hops */
    bool *tree;         /* [n * n] M */
    bool *in_tree;      /* [n] V_s */
    int *edges;         /* [n - 1] E_s */
    int *height;        /* [n] D* */
    int *joined;        /* [n] D_j */
    int *best;          /* [n] D of the edge chosen so far */
    int *scratch;       /* [2 * n] */
} gbst_t;

static void init_gbst(gbst_t *gbst)
{
    const mtree_candidates_t *candidates = gbst->gost->candidates;
    size_t n = (size_t)candidates->num_hosts,
           num_constraints = (size_t)candidates->num_constraints;

    MTREE_ARENA_ARRAY(&gbst->arena, gbst->left, num_constraints);
    MTREE_ARENA_ARRAY(&gbst->arena, gbst->wide, (size_t)candidates->num_edges);
    MTREE_ARENA_ARRAY(&gbst->arena, gbst->by_width, (size_t)candidates->num_edges);
    MTREE_ARENA_ARRAY(&gbst->arena, gbst->uses, num_constraints);
    MTREE_ARENA_ARRAY(&gbst->arena, gbst->lengths, n * n);
    MTREE_ARENA_ARRAY(&gbst->arena, gbst->tree, n * n);
    MTREE_ARENA_ARRAY(&gbst->arena, gbst->in_tree, n);
    MTREE_ARENA_ARRAY(&gbst->arena, gbst->edges, n);
    MTREE_ARENA_ARRAY(&gbst->arena, gbst->height, n);
    MTREE_ARENA_ARRAY(&gbst->arena, gbst->joined, n);
    MTREE_ARENA_ARRAY(&gbst->arena, gbst->best, n);
    MTREE_ARENA_ARRAY(&gbst->arena, gbst->scratch, 2 * n);
    for (int c = 0; c < candidates->num_constraints; c++) {
        gbst->left[c] = candidates->capacity[c];
        gbst->least = fmax(gbst->least, candidates->capacity[c] * LEAST_PART);
    }
    for (int edge = 0; edge < candidates->num_edges; edge++) {
        int u = candidates->from[edge], v = candidates->to[edge];

        gbst->lengths[(size_t)u * n + (size_t)v] = 1;
        gbst->lengths[(size_t)v * n + (size_t)u] = 1;
    }
}

void mtree_gost_heights(int num_hosts, const bool *in_tree, const bool *tree,
                        const int *lengths, int u, int v, const int *height, int *joined,
                        int *queue, int *distance)
{
    int n = num_hosts, head = 0, tail = 0, farthest = 0;

    memcpy(joined, height, (size_t)n * sizeof(*joined));
    for (int i = 0; i < n; i++) {
        distance[i] = -1; /* not visited */
    }
    queue[tail++] = u;
    distance[u] = lengths[v * n + u];
    while (head < tail) {
        int p = queue[head++];

        farthest = distance[p] > farthest ? distance[p] : farthest;
        for (int next = 0; next < n; next++) {
            if (!in_tree[next] || distance[next] >= 0 || !tree[p * n + next]) {
                continue;
            }
            distance[next] = distance[p] + lengths[p * n + next];
            joined[next] = distance[next] > joined[next] ? distance[next] : joined[next];
            queue[tail++] = next;
        }
    }
    joined[v] = farthest;
}

static int most_of(const int *numbers, int n)
{
    int most = numbers[0];

    for (int i = 1; i < n; i++) {
        most = numbers[i] > most ? numbers[i] : most;
    }
    return most;
}

/* Orders edges by non-increasing b_j, then by number. */
static int compare_widths(const void *a, const void *b)
{
    const ranked_t *x = a, *y = b;

    if (x->wide != y->wide) {
        return x->wide < y->wide ? 1 : -1;
    }
    return (x->edge > y->edge) - (x->edge < y->edge);
}

/* b_j of every edge, and their order. */
static void measure_edges(gbst_t *gbst)
{
    const mtree_candidates_t *candidates = gbst->gost->candidates;

    for (int edge = 0; edge < candidates->num_edges; edge++) {
        double wide = INFINITY;

        for (int at = candidates->first[edge]; at < candidates->first[edge + 1]; at++) {
            wide = fmin(wide, gbst->left[candidates->constraints[at]]);
        }
        gbst->wide[edge] = wide < gbst->least ? 0 : wide;
        gbst->by_width[edge] = (ranked_t){gbst->wide[edge], edge};
    }
    qsort(gbst->by_width, (size_t)candidates->num_edges, sizeof(*gbst->by_width),
          compare_widths);
}

/* Lines 8 to 13: the edge e_kappa that extends the tree, or -1.  gbst->best becomes its
 * D. */
static int choose_edge(gbst_t *gbst)
{
    const mtree_candidates_t *candidates = gbst->gost->candidates;
    int n = candidates->num_hosts, chosen = -1,
        chosen_height = 2 * gbst->gost->max_height;

    for (int i = 0; i < candidates->num_edges; i++) {
        int edge = gbst->by_width[i].edge, height;
        int u = candidates->from[edge], v = candidates->to[edge];

        if (gbst->wide[edge] < gbst->gost->min_rate ||
            (chosen >= 0 && gbst->wide[edge] < gbst->wide[chosen])) {
            break;
        }
        if (gbst->in_tree[u] == gbst->in_tree[v]) {
            continue;
        }
        mtree_gost_heights(n, gbst->in_tree, gbst->tree, gbst->lengths,
                           gbst->in_tree[u] ? u : v, gbst->in_tree[u] ? v : u,
                           gbst->height, gbst->joined, gbst->scratch, gbst->scratch + n);
        height = most_of(gbst->joined, n);
        if (height <= chosen_height) {
            chosen = edge;
            chosen_height = height;
            memcpy(gbst->best, gbst->joined, (size_t)n * sizeof(*gbst->best));
        }
    }
    return chosen;
}

/* Lines 3 to 18: grow one tree from a random vertex.  False: it does not reach every
 * vertex. */
static bool grow_tree(gbst_t *gbst, mtree_random_t *random)
{
    const mtree_candidates_t *candidates = gbst->gost->candidates;
    int n = candidates->num_hosts;

    memset(gbst->tree, 0, (size_t)n * (size_t)n * sizeof(*gbst->tree));
    memset(gbst->in_tree, 0, (size_t)n * sizeof(*gbst->in_tree));
    memset(gbst->height, 0, (size_t)n * sizeof(*gbst->height));
    gbst->in_tree[mtree_random_below(random, (uint64_t)n)] = true;
    for (int i = 0; i < n - 1; i++) {
        int edge = choose_edge(gbst), u, v;

        if (edge < 0) {
            return false;
        }
        u = candidates->from[edge];
        v = candidates->to[edge];
        gbst->in_tree[u] = gbst->in_tree[v] = true;
        gbst->tree[u * n + v] = gbst->tree[v * n + u] = true;
        gbst->edges[i] = edge;
        memcpy(gbst->height, gbst->best, (size_t)n * sizeof(*gbst->height));
    }
    return true;
}

/* Line 22, with edges that share capacities; then lines 24 and 25. */
static double take_rate(gbst_t *gbst)
{
    const mtree_candidates_t *candidates = gbst->gost->candidates;
    double rate = INFINITY;

    for (int edge = 0; edge < candidates->num_edges; edge++) {
        if (gbst->wide[edge] > 0) {
            rate = fmin(rate, gbst->wide[edge]);
        }
    }
    rate = fmin(rate, mtree_forest_fit(candidates, gbst->edges, gbst->left, gbst->uses));
    for (int c = 0; c < candidates->num_constraints; c++) {
        gbst->left[c] -= rate * gbst->uses[c];
    }
    return rate;
}

/* Line 20: the root tau of least D*. */
static int choose_root(const gbst_t *gbst)
{
    int root = 0;

    for (int host = 1; host < gbst->gost->candidates->num_hosts; host++) {
        root = gbst->height[host] < gbst->height[root] ? host : root;
    }
    return root;
}

mtree_forest_t *mtree_gost_gbst(const mtree_gost_t *gost, mtree_random_t *random)
{
    gbst_t gbst = {.gost = gost};
    mtree_forest_t *forest = mtree_forest_create(gost->candidates);

    init_gbst(&gbst);
    for (int i = 0; i < MOST_TRIES && forest->num_trees < MTREE_GOST_MAX_TREES; i++) {
        measure_edges(&gbst);
        if (!grow_tree(&gbst, random)) {
            break;
        }
        mtree_forest_add(forest, gbst.edges, choose_root(&gbst), take_rate(&gbst));
    }
    mtree_arena_cleanup(&gbst.arena);
    return forest;
}

mtree_forest_t *mtree_gost_ith(const mtree_gost_t *gost, double rho,
                               mtree_random_t *random, int *height_p)
{
    mtree_gost_t lower = *gost;
    mtree_forest_t *best = mtree_gost_gbst(gost, random);
    const double threshold = rho * mtree_forest_rate(best);
    int least = 1, most = gost->max_height;

    while (least < most) {
        mtree_forest_t *tried;

        lower.max_height = (least + most) / 2;
        tried = mtree_gost_gbst(&lower, random);
        if (mtree_forest_rate(tried) >= threshold) {
            most = lower.max_height;
            mtree_forest_destroy(best);
            best = tried;
        } else {
            least = lower.max_height + 1;
            mtree_forest_destroy(tried);
        }
    }
    if (height_p != NULL) {
        *height_p = most;
    }
    return best;
}

static double default_min_rate(const mtree_candidates_t *candidates)
{
    double largest = 0;

    for (int c = 0; c < candidates->num_constraints; c++) {
        largest = fmax(largest, candidates->capacity[c]);
    }
    return largest * DEFAULT_MIN_PART;
}

/*
 * Equation 7 for every tree; latencies are those of the routes.  It charges a message
 * nothing but latency: where that is next to nothing its chunks are too small to run
 * with, and are left to mtree_plan_finish().
 */
static void set_chunks(const mtree_problem_t *problem, mtree_plan_t *plan)
{
    double bytes = problem->request->bytes, sum = 0;

    for (int t = 0; t < plan->num_trees; t++) {
        sum += plan->trees[t].rate;
    }
    for (int t = 0; t < plan->num_trees; t++) {
        mtree_tree_t *tree = &plan->trees[t];
        mtree_chunk_path_t path;
        size_t chunk;

        for (int host = 0; host < plan->num_hosts; host++) {
            tree->latency[host] =
                tree->parent[host] < 0
                    ? 0
                    : mtree_routes_latency(problem->routes, tree->parent[host], host);
        }
        path = mtree_chunk_path(tree, plan->num_hosts, plan->collective);
        tree->share = tree->rate / sum;
        chunk = mtree_chunk_bytes(
            mtree_chunk_published_size(&path, fmax(1, tree->share * bytes)));
        tree->chunk_bytes = chunk < MTREE_CHUNK_LEAST ? 0 : chunk;
    }
}

static mtree_status_t make_forest(const mtree_problem_t *problem,
                                  const mtree_candidates_t *candidates,
                                  mtree_forest_t **forest_p)
{
    const mtree_plan_request_t *request = problem->request;
    mtree_random_t random = {.state = request->seed};
    mtree_gost_t gost = {.candidates = candidates,
                         .max_height = request->max_height > 0 ? request->max_height
                                                               : problem->num_hosts - 1,
                         .min_rate = request->min_rate > 0
                                         ? request->min_rate
                                         : default_min_rate(candidates)};

    *forest_p = mtree_gost_ith(&gost, MTREE_GOST_RHO, &random, NULL);
    if ((*forest_p)->num_trees == 0) {
        mtree_error(
            "gost: no spanning tree of height %d with %g Mb/s on every link; allow a "
            "larger height or a lower least rate",
            gost.max_height, gost.min_rate / 1e6);
        return MTREE_ERR_NOT_FOUND;
    }
    return MTREE_OK;
}

mtree_status_t mtree_gost_plan(const mtree_problem_t *problem, mtree_plan_t **plan_p)
{
    mtree_candidates_t *candidates;
    mtree_forest_t *forest = NULL;
    mtree_status_t status = mtree_candidates_create(problem, &candidates);

    if (status == MTREE_OK) {
        status = make_forest(problem, candidates, &forest);
    }
    if (status == MTREE_OK) {
        status = mtree_forest_select(forest, problem->request->max_trees,
                                     problem->request->min_rate);
    }
    if (status == MTREE_OK) {
        *plan_p = mtree_forest_plan(forest, problem, "gost");
        if (problem->request->bytes > 0) {
            set_chunks(problem, *plan_p);
        }
    }
    mtree_forest_destroy(forest);
    return status;
}
