/* SPDX-License-Identifier: BSD-3-Clause */
#include "planner/published/steiner_tree.h"

#include "planner/graph/arborescence.h"
#include "planner/tuning.h"

#include <math.h>
#include <string.h>

typedef enum { OVER_ACTIVE, OVER_RELAYS, BY_PATHS } method_t;

struct mtree_steiner_oracle {
    int num_vertices, num_active;
    method_t method;
    double *price; /* [n * n] of the edge from parent to child, whatever the direction
                      asked for */
    /* Dreyfus-Wagner: shortest paths, and the cheapest tree from each vertex to each set
     * of active ones. */
    double *distance; /* [n * n] */
    int *step;        /* [n * n] the next vertex on the shortest path */
    double *cheapest; /* [sets * n] */
    int *split; /* [sets * n] the part of the set that branches off there, or -1 - the
                   vertex moved to */
    /* Arborescences over some of the vertices. */
    int *from, *to; /* [n * n] */
    double *edge_price;
    int *enter, *children; /* [n] */
    bool *used;            /* [n] vertices that the tree in the making may use */
};

static double over_active_work(double n, double num_active)
{
    return pow(3, num_active - 1) * n + pow(2, num_active - 1) * n * n;
}

static double over_relays_work(double n, double num_active)
{
    return pow(2, n - num_active) * n * n * 4;
}

static method_t choose_method(int num_vertices, int num_active)
{
    double over_active = over_active_work(num_vertices, num_active);
    double over_relays = over_relays_work(num_vertices, num_active);

    if (num_active == num_vertices ||
        (over_relays <= over_active && over_relays <= MTREE_TUNED_STEP_WORK)) {
        return OVER_RELAYS;
    }
    return over_active <= MTREE_TUNED_STEP_WORK ? OVER_ACTIVE : BY_PATHS;
}

bool mtree_steiner_oracle_exact(const mtree_steiner_oracle_t *oracle)
{
    return oracle->method != BY_PATHS;
}

double mtree_steiner_oracle_work(const mtree_steiner_oracle_t *oracle)
{
    double n = oracle->num_vertices, paths = n * n * n;

    switch (oracle->method) {
    case OVER_ACTIVE:
        return paths + over_active_work(n, oracle->num_active);
    case OVER_RELAYS:
        return over_relays_work(n, oracle->num_active);
    default:
        return paths * oracle->num_active;
    }
}

mtree_steiner_oracle_t *mtree_steiner_oracle_create(mtree_arena_t *arena,
                                                    int num_vertices, int num_active)
{
    method_t method = choose_method(num_vertices, num_active);
    size_t n = (size_t)num_vertices;
    size_t sets = method == OVER_ACTIVE ? (size_t)1 << (num_active - 1) : 1;
    mtree_steiner_oracle_t *oracle;

    MTREE_ARENA_ARRAY(arena, oracle, 1);
    oracle->num_vertices = num_vertices;
    oracle->num_active = num_active;
    oracle->method = method;
    MTREE_ARENA_ARRAY(arena, oracle->price, n * n);
    MTREE_ARENA_ARRAY(arena, oracle->distance, n * n);
    MTREE_ARENA_ARRAY(arena, oracle->step, n * n);
    MTREE_ARENA_ARRAY(arena, oracle->cheapest, sets * n);
    MTREE_ARENA_ARRAY(arena, oracle->split, sets * n);
    MTREE_ARENA_ARRAY(arena, oracle->from, n * n);
    MTREE_ARENA_ARRAY(arena, oracle->to, n * n);
    MTREE_ARENA_ARRAY(arena, oracle->edge_price, n * n);
    MTREE_ARENA_ARRAY(arena, oracle->enter, n);
    MTREE_ARENA_ARRAY(arena, oracle->children, n);
    MTREE_ARENA_ARRAY(arena, oracle->used, n);
    return oracle;
}

/* All shortest paths, by Floyd and Warshall. */
static void find_paths(mtree_steiner_oracle_t *oracle)
{
    int n = oracle->num_vertices;
    double *distance = oracle->distance;
    int *step = oracle->step;

    memcpy(distance, oracle->price, (size_t)n * (size_t)n * sizeof(*distance));
    for (int u = 0; u < n; u++) {
        for (int v = 0; v < n; v++) {
            step[u * n + v] = v;
        }
        distance[u * n + u] = 0;
    }
    for (int by = 0; by < n; by++) {
        for (int u = 0; u < n; u++) {
            for (int v = 0; v < n; v++) {
                double length = distance[u * n + by] + distance[by * n + v];

                if (length < distance[u * n + v]) {
                    distance[u * n + v] = length;
                    step[u * n + v] = step[u * n + by];
                }
            }
        }
    }
}

void mtree_steiner_oracle_set_prices(mtree_steiner_oracle_t *oracle, const double *price,
                                     bool inward)
{
    int n = oracle->num_vertices;

    for (int u = 0; u < n; u++) {
        for (int v = 0; v < n; v++) {
            oracle->price[u * n + v] = inward ? price[v * n + u] : price[u * n + v];
        }
    }
    if (oracle->method != OVER_RELAYS) {
        find_paths(oracle);
    }
}

/* List the edges between the used vertices.  The others hang on the root for nothing. */
static int list_edges(mtree_steiner_oracle_t *oracle, int root)
{
    int n = oracle->num_vertices, num_edges = 0;

    for (int u = 0; u < n; u++) {
        for (int v = 0; v < n; v++) {
            double price = oracle->used[v] ? oracle->price[u * n + v] : 0;

            if (u != v && isfinite(price) &&
                (oracle->used[v] ? oracle->used[u] : u == root)) {
                oracle->from[num_edges] = u;
                oracle->to[num_edges] = v;
                oracle->edge_price[num_edges++] = price;
            }
        }
    }
    return num_edges;
}

/* Cut off relays below which there is no active vertex. */
static void prune(mtree_steiner_oracle_t *oracle, int *parent)
{
    int n = oracle->num_vertices;
    int *children = oracle->children;

    memset(children, 0, (size_t)n * sizeof(*children));
    for (int v = 0; v < n; v++) {
        if (parent[v] >= 0) {
            children[parent[v]]++;
        }
    }
    for (int v = oracle->num_active; v < n; v++) {
        for (int leaf = v;
             leaf >= oracle->num_active && parent[leaf] >= 0 && children[leaf] == 0;) {
            int above = parent[leaf];

            parent[leaf] = MTREE_STEINER_ABSENT;
            children[above]--;
            leaf = above;
        }
    }
}

/*
 * The cheapest arborescence over the used vertices, with relays at its leaves cut off,
 * into @a parent.
 */
static mtree_status_t span_used(mtree_steiner_oracle_t *oracle, int root, int *parent,
                                double *price_p)
{
    int n = oracle->num_vertices, num_edges = list_edges(oracle, root);
    mtree_status_t status = mtree_arborescence_find(
        n, root, num_edges, oracle->from, oracle->to, oracle->edge_price, oracle->enter);

    if (status != MTREE_OK) {
        return status;
    }
    for (int v = 0; v < n; v++) {
        int edge = oracle->enter[v];

        parent[v] = !oracle->used[v] ? MTREE_STEINER_ABSENT
                    : edge < 0       ? -1
                                     : oracle->from[edge];
    }
    prune(oracle, parent);
    *price_p = 0;
    for (int v = 0; v < n; v++) {
        *price_p += parent[v] >= 0 ? oracle->price[parent[v] * n + v] : 0;
    }
    return MTREE_OK;
}

static void use_path(mtree_steiner_oracle_t *oracle, int from, int to)
{
    while (from != to) {
        from = oracle->step[from * oracle->num_vertices + to];
        oracle->used[from] = true;
    }
}

/* The relays are those of @a set, one bit each; of none there may be more than bits. */
static void use_relays(mtree_steiner_oracle_t *oracle, int set)
{
    for (int v = 0; v < oracle->num_vertices; v++) {
        oracle->used[v] = v < oracle->num_active ||
                          (set != 0 && ((set >> (v - oracle->num_active)) & 1) != 0);
    }
}

/* Try every set of relays. */
static mtree_status_t find_over_relays(mtree_steiner_oracle_t *oracle, int root,
                                       int *parent_p, double *price_p)
{
    int num_relays = oracle->num_vertices - oracle->num_active;
    int best = -1;
    double least = INFINITY;

    for (int set = 0; set < 1 << num_relays; set++) {
        double price;
        mtree_status_t status;

        use_relays(oracle, set);
        status = span_used(oracle, root, parent_p, &price);
        if (status != MTREE_OK && status != MTREE_ERR_UNREACHABLE) {
            return status;
        }
        if (status == MTREE_OK && price < least) {
            least = price;
            best = set;
        }
    }
    if (best < 0) {
        return MTREE_ERR_UNREACHABLE;
    }
    use_relays(oracle, best);
    return span_used(oracle, root, parent_p, price_p);
}

/* The active vertex that bit @a bit of a set stands for: all but the root have one. */
static int bit_vertex(int bit, int root)
{
    return bit < root ? bit : bit + 1;
}

/* Where the row of @a set starts in cheapest and split. */
static size_t set_row(const mtree_steiner_oracle_t *oracle, unsigned set)
{
    return (size_t)set * (size_t)oracle->num_vertices;
}

/* Fill in the cheapest trees for @a set, those for its subsets being there. */
static void extend_set(mtree_steiner_oracle_t *oracle, unsigned set)
{
    int n = oracle->num_vertices;
    double *cheapest = &oracle->cheapest[set_row(oracle, set)];
    int *split = &oracle->split[set_row(oracle, set)];

    for (int v = 0; v < n; v++) {
        cheapest[v] = INFINITY;
        split[v] = 0;
    }
    /* Each pair of parts once: the part with the lowest bit branches off. */
    for (unsigned part = (set - 1) & set; part > 0; part = (part - 1) & set) {
        const double *one = &oracle->cheapest[set_row(oracle, part)];
        const double *other = &oracle->cheapest[set_row(oracle, set ^ part)];

        if ((part & (set & -set)) == 0) {
            continue;
        }
        for (int v = 0; v < n; v++) {
            if (one[v] + other[v] < cheapest[v]) {
                cheapest[v] = one[v] + other[v];
                split[v] = (int)part;
            }
        }
    }
    /* Or a path to where it branches; distances obey the triangle inequality, so one pass
     * does. */
    memcpy(oracle->edge_price, cheapest, (size_t)n * sizeof(*cheapest));
    for (int u = 0; u < n; u++) {
        for (int v = 0; v < n; v++) {
            double price = oracle->distance[u * n + v] + oracle->edge_price[v];

            if (price < cheapest[u]) {
                cheapest[u] = price;
                split[u] = -1 - v;
            }
        }
    }
}

/* Mark the vertices of the cheapest tree from @a v to @a set. */
static void use_tree(mtree_steiner_oracle_t *oracle, unsigned set, int v, int root)
{
    while (true) {
        int split = oracle->split[set_row(oracle, set) + (size_t)v];

        if ((set & (set - 1)) == 0) {
            use_path(oracle, v, bit_vertex(__builtin_ctz(set), root));
            return;
        }
        if (split < 0) {
            use_path(oracle, v, -1 - split);
            v = -1 - split;
        } else {
            use_tree(oracle, (unsigned)split, v, root);
            set ^= (unsigned)split;
        }
    }
}

/* Dreyfus and Wagner. */
static mtree_status_t find_over_active(mtree_steiner_oracle_t *oracle, int root,
                                       int *parent_p, double *price_p)
{
    int n = oracle->num_vertices;
    unsigned sets = 1u << (oracle->num_active - 1);

    for (unsigned set = 1; set < sets; set++) {
        if ((set & (set - 1)) != 0) {
            extend_set(oracle, set);
            continue;
        }
        for (int v = 0; v < n; v++) {
            oracle->cheapest[set_row(oracle, set) + (size_t)v] =
                oracle->distance[v * n + bit_vertex(__builtin_ctz(set), root)];
        }
    }
    use_relays(oracle, 0);
    if (sets > 1) {
        if (!isfinite(oracle->cheapest[set_row(oracle, sets - 1) + (size_t)root])) {
            return MTREE_ERR_UNREACHABLE;
        }
        use_tree(oracle, sets - 1, root, root);
    }
    /* The union of the paths holds a tree of that price, so the arborescence costs no
     * more. */
    return span_used(oracle, root, parent_p, price_p);
}

/* Join the nearest active vertex that is not yet joined, again and again. */
static mtree_status_t find_by_paths(mtree_steiner_oracle_t *oracle, int root,
                                    int *parent_p, double *price_p)
{
    int n = oracle->num_vertices;

    for (int v = 0; v < n; v++) {
        oracle->used[v] = v == root;
    }
    for (int joined = 1; joined < oracle->num_active;) {
        double nearest = INFINITY;
        int from = root, to = root;

        for (int u = 0; u < n; u++) {
            for (int v = 0; oracle->used[u] && v < oracle->num_active; v++) {
                if (!oracle->used[v] && oracle->distance[u * n + v] < nearest) {
                    nearest = oracle->distance[u * n + v];
                    from = u;
                    to = v;
                }
            }
        }
        if (!isfinite(nearest)) {
            return MTREE_ERR_UNREACHABLE;
        }
        use_path(oracle, from, to);
        joined = 0;
        for (int v = 0; v < oracle->num_active; v++) {
            joined += oracle->used[v];
        }
    }
    return span_used(oracle, root, parent_p, price_p);
}

mtree_status_t mtree_steiner_oracle_find(mtree_steiner_oracle_t *oracle, int root,
                                         int *parent_p, double *price_p)
{
    return oracle->method == OVER_ACTIVE
               ? find_over_active(oracle, root, parent_p, price_p)
           : oracle->method == OVER_RELAYS
               ? find_over_relays(oracle, root, parent_p, price_p)
               : find_by_paths(oracle, root, parent_p, price_p);
}
