#include "planner/steiner.h"

#include "planner/candidates.h"
#include "planner/lp.h"
#include "topo/log.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A tree is worth a column when it is cheaper than its root's price by more than this;
 * prices are near 1. */
#define PRICE_TOLERANCE 1e-9

/* How near the bound counts as on it. */
#define GAP_TOLERANCE 1e-7

/* Part of the best prices so far in those that the oracle is asked at first. */
#define CENTER_PULL 0.8

/* Rounds over the roots that make the first columns, and how much dearer a full row
 * becomes in one. */
#define START_ROUNDS 16
#define START_STEP   0.3

/* Weights under this part of chi are rounding. */
#define WEIGHT_TOLERANCE 1e-9

/*
 * Rows of the program, with n roots and c rows of capacity (those that the mode has no
 * use for stay empty): n of (8a), sum of w_i >= chi_v; n of (8b), sum of w_k and w_j >=
 * chi_v; c of (8d); c of (8e). (8c) follows from (8b) and w_j >= 0.  Columns: chi_v of
 * each root, then one a tree.  Capacities are divided by `unit`.
 */
typedef struct {
    const mtree_steiner_request_t *request;
    int num_roots, first_root;
    mtree_routes_t *routes;
    mtree_candidates_t *candidates;
    mtree_steiner_oracle_t *oracle;
    mtree_lp_t *lp;
    double unit;
    int *edge_at;     /* [num_hosts * num_hosts] the edge between two hosts, -1: none */
    double *lp_price; /* [2 * num_rows] of the rows (8d) and (8e) by the last solution */
    double
        *center; /* [2 * num_rows] the prices that gave the bound, for trees of price 1 */
    double pull; /* part of the center in the prices that the oracle is asked at */
    double *row_price;  /* [2 * num_rows] those prices */
    double *edge_price; /* [num_edges] */
    double *price;      /* [num_hosts * num_hosts] */
    double *use;        /* [num_rows] zeros between calls */
    int *column_rows;   /* [num_rows + 1] */
    double *column_values;
    double *reduce_cost,
        *broadcast_cost; /* [num_roots] of the cheapest trees at the current prices */
    int *parent;         /* [num_hosts] */
    int num_trees, tree_room;
    mtree_steiner_tree_t *trees;
    double bound;
} solver_t;

/* The row (8a) or (8b) of root number @a r. */
static int root_row(const solver_t *solver, mtree_steiner_stage_t stage, int r)
{
    return stage == MTREE_STEINER_STAGE_REDUCE ? r : solver->num_roots + r;
}

/* Where a stage's rows begin among those of capacity. */
static int stage_row(const solver_t *solver, mtree_steiner_stage_t stage)
{
    return stage == MTREE_STEINER_STAGE_FINAL ? solver->candidates->num_rows : 0;
}

static bool has_stage(const solver_t *solver, mtree_steiner_stage_t stage)
{
    switch (stage) {
    case MTREE_STEINER_STAGE_REDUCE:
        return solver->request->mode != MTREE_STEINER_BROADCAST;
    case MTREE_STEINER_STAGE_OVERLAP:
        return solver->request->mode == MTREE_STEINER_OVERLAPPED;
    case MTREE_STEINER_STAGE_FINAL:
        break;
    }
    return true;
}

static mtree_status_t report_solver(mtree_status_t status)
{
    if (status == MTREE_ERR_SOLVER) {
        mtree_error(
            "steiner: the linear program could not be solved; use another algorithm");
    } else if (status == MTREE_ERR_NO_MEMORY) {
        mtree_error("steiner: no memory for the linear program; use fewer hosts");
    }
    return status;
}

/* Rows, and the columns chi_v. */
static mtree_status_t set_up_program(solver_t *solver)
{
    const mtree_candidates_t *candidates = solver->candidates;
    mtree_status_t status = mtree_lp_create(&solver->lp);

    if (status == MTREE_OK) {
        status = mtree_lp_add_rows(solver->lp, 2 * solver->num_roots, 0.0, INFINITY);
    }
    if (status == MTREE_OK) {
        status = mtree_lp_add_rows(solver->lp, 2 * candidates->num_rows, -INFINITY, 0.0);
    }
    for (int i = 0; i < 2 * candidates->num_rows && status == MTREE_OK; i++) {
        status = mtree_lp_bound_row(solver->lp, 2 * solver->num_roots + i, -INFINITY,
                                    candidates->capacity[i % candidates->num_rows] /
                                        solver->unit);
    }
    for (int r = 0; r < solver->num_roots && status == MTREE_OK; r++) {
        bool reduces = has_stage(solver, MTREE_STEINER_STAGE_REDUCE);
        const int rows[] = {root_row(solver, MTREE_STEINER_STAGE_FINAL, r),
                            root_row(solver, MTREE_STEINER_STAGE_REDUCE, r)};
        const double values[] = {-1.0, -1.0};

        status = mtree_lp_add_column(solver->lp, 1.0, reduces ? 2 : 1, rows, values);
    }
    return status;
}

/* The column of the tree in solver->parent; returns its number of rows. */
static int make_column(solver_t *solver, mtree_steiner_stage_t stage, int r)
{
    const mtree_candidates_t *candidates = solver->candidates;
    int num_hosts = candidates->num_hosts;
    bool inward = stage == MTREE_STEINER_STAGE_REDUCE;
    int first_row = 2 * solver->num_roots + stage_row(solver, stage);
    int count = 0;

    for (int v = 0; v < num_hosts; v++) {
        int up = solver->parent[v];

        if (up >= 0) {
            int edge = solver->edge_at[inward ? v * num_hosts + up : up * num_hosts + v];

            for (int i = candidates->first[edge]; i < candidates->first[edge + 1]; i++) {
                solver->use[candidates->rows[i]] += 1.0;
            }
        }
    }
    for (int row = 0; row < candidates->num_rows; row++) {
        if (solver->use[row] > 0.0) {
            solver->column_rows[count] = first_row + row;
            solver->column_values[count++] = solver->use[row];
            solver->use[row] = 0.0;
        }
    }
    solver->column_rows[count] = root_row(solver, stage, r);
    solver->column_values[count++] = 1.0;
    return count;
}

/* Is the column worth adding: cheaper, at the last solution's prices, than what its root
 * pays? */
static bool is_cheaper(const solver_t *solver, int count)
{
    double price = 0.0;

    for (int i = 0; i + 1 < count; i++) {
        price += solver->column_values[i] *
                 solver->lp_price[solver->column_rows[i] - 2 * solver->num_roots];
    }
    return price <
           -mtree_lp_price(solver->lp, solver->column_rows[count - 1]) - PRICE_TOLERANCE;
}

/* Add the tree in solver->parent, whose column is made. */
static mtree_status_t add_tree(solver_t *solver, mtree_steiner_stage_t stage, int r,
                               int count)
{
    size_t size = (size_t)solver->candidates->num_hosts * sizeof(*solver->parent);
    mtree_steiner_tree_t *tree;

    if (solver->num_trees == solver->tree_room) {
        int room = 2 * solver->tree_room + 64;
        mtree_steiner_tree_t *grown =
            realloc(solver->trees, (size_t)room * sizeof(*grown));

        if (grown == NULL) {
            return MTREE_ERR_NO_MEMORY;
        }
        solver->trees = grown;
        solver->tree_room = room;
    }
    tree = &solver->trees[solver->num_trees];
    tree->parent = malloc(size);
    if (tree->parent == NULL) {
        return MTREE_ERR_NO_MEMORY;
    }
    memcpy(tree->parent, solver->parent, size);
    tree->stage = stage;
    tree->root = solver->first_root + r;
    tree->weight = 0.0;
    solver->num_trees++;
    return mtree_lp_add_column(solver->lp, 0.0, count, solver->column_rows,
                               solver->column_values);
}

/* Let the oracle price a stage's trees at solver->row_price. */
static void set_prices(solver_t *solver, mtree_steiner_stage_t stage)
{
    int num_hosts = solver->candidates->num_hosts;

    mtree_candidates_price(solver->candidates,
                           solver->row_price + stage_row(solver, stage),
                           solver->edge_price);
    for (int i = 0; i < num_hosts * num_hosts; i++) {
        int edge = solver->edge_at[i];

        solver->price[i] = edge < 0 ? INFINITY : solver->edge_price[edge];
    }
    mtree_steiner_oracle_set_prices(solver->oracle, solver->price,
                                    stage == MTREE_STEINER_STAGE_REDUCE);
}

/* The cheapest tree of root number @a r into solver->parent. */
static mtree_status_t find_tree(solver_t *solver, int r, double *price_p)
{
    mtree_status_t status = mtree_steiner_oracle_find(
        solver->oracle, solver->first_root + r, solver->parent, price_p);

    if (status == MTREE_ERR_UNREACHABLE) {
        mtree_error(
            "steiner: no tree from host %d to all active hosts; check the topology",
            solver->first_root + r);
    }
    return status;
}

/*
 * The first columns of a stage: in turn the cheapest tree of each root, whose rows then
 * become dearer by the part that the tree's rate takes of them (multiplicative weights).
 * They fill the network evenly, which the program's own prices take far longer to do.
 */
static mtree_status_t start_stage(solver_t *solver, mtree_steiner_stage_t stage)
{
    const mtree_candidates_t *candidates = solver->candidates;
    bool shared = stage == MTREE_STEINER_STAGE_FINAL &&
                  has_stage(solver, MTREE_STEINER_STAGE_OVERLAP);
    double *row_price = solver->row_price + stage_row(solver, stage);
    mtree_status_t status = MTREE_OK;

    for (int row = 0; row < candidates->num_rows; row++) {
        row_price[row] = solver->unit / candidates->capacity[row];
    }
    for (int i = 0; i < START_ROUNDS * solver->num_roots && status == MTREE_OK; i++) {
        int r = i % solver->num_roots;
        double price, rate = INFINITY;
        int count;

        set_prices(solver, stage);
        status = find_tree(solver, r, &price);
        if (status != MTREE_OK) {
            return status;
        }
        count = make_column(solver, stage, r);
        status = report_solver(add_tree(solver, stage, r, count));
        for (int c = 0; c + 1 < count; c++) {
            int row =
                solver->column_rows[c] - 2 * solver->num_roots - stage_row(solver, stage);

            rate = fmin(rate, candidates->capacity[row] / solver->column_values[c]);
        }
        for (int c = 0; c + 1 < count; c++) {
            int row =
                solver->column_rows[c] - 2 * solver->num_roots - stage_row(solver, stage);

            row_price[row] *= 1.0 + START_STEP * rate * solver->column_values[c] /
                                        candidates->capacity[row];
        }
        if (shared && status == MTREE_OK) {
            count = make_column(solver, MTREE_STEINER_STAGE_OVERLAP, r);
            status =
                report_solver(add_tree(solver, MTREE_STEINER_STAGE_OVERLAP, r, count));
        }
    }
    return status;
}

/*
 * Ask the oracle for the cheapest tree of every root and @a stage.  cost[r] becomes the
 * lesser of itself and that tree's price; the tree is added when it is worth it;
 * *num_added_p counts those.
 */
static mtree_status_t price_stage(solver_t *solver, mtree_steiner_stage_t stage,
                                  double *cost, int *num_added_p)
{
    mtree_status_t status = MTREE_OK;

    set_prices(solver, stage);
    for (int r = 0; r < solver->num_roots && status == MTREE_OK; r++) {
        double found;
        int count;

        status = find_tree(solver, r, &found);
        if (status != MTREE_OK) {
            return status;
        }
        cost[r] = fmin(cost[r], found);
        count = make_column(solver, stage, r);
        if (is_cheaper(solver, count)) {
            status = report_solver(add_tree(solver, stage, r, count));
            ++*num_added_p;
        }
    }
    return status;
}

/* Prices to ask the oracle at; returns what all capacity costs at them. */
static double mix_prices(solver_t *solver)
{
    const mtree_candidates_t *candidates = solver->candidates;
    int num_rows = candidates->num_rows;
    int first = has_stage(solver, MTREE_STEINER_STAGE_REDUCE) ? 0 : num_rows;
    double sum = 0.0;

    for (int row = first; row < 2 * num_rows; row++) {
        double capacity = candidates->capacity[row % num_rows] / solver->unit;

        solver->row_price[row] = solver->pull * solver->center[row] +
                                 (1.0 - solver->pull) * solver->lp_price[row];
        sum += capacity * solver->row_price[row];
    }
    return sum;
}

/*
 * Any prices bound chi: when no root's reduce and broadcast trees together are cheaper
 * than s, each bit per second of chi takes at least s of what all capacity costs.
 */
static void take_bound(solver_t *solver, double all_capacity)
{
    double least = INFINITY;

    for (int r = 0; r < solver->num_roots; r++) {
        least = fmin(least, solver->reduce_cost[r] + solver->broadcast_cost[r]);
    }
    if (least > 0.0 && all_capacity / least < solver->bound) {
        solver->bound = all_capacity / least;
        for (int row = 0; row < 2 * solver->candidates->num_rows; row++) {
            solver->center[row] = solver->row_price[row] / least;
        }
    }
}

/* One round of pricing; *num_added_p is the number of new columns. */
static mtree_status_t price_all(solver_t *solver, int *num_added_p)
{
    static const mtree_steiner_stage_t stages[] = {MTREE_STEINER_STAGE_REDUCE,
                                                   MTREE_STEINER_STAGE_OVERLAP,
                                                   MTREE_STEINER_STAGE_FINAL};
    double all_capacity = mix_prices(solver);
    mtree_status_t status = MTREE_OK;

    *num_added_p = 0;
    for (int r = 0; r < solver->num_roots; r++) {
        solver->broadcast_cost[r] = INFINITY;
        solver->reduce_cost[r] =
            has_stage(solver, MTREE_STEINER_STAGE_REDUCE) ? INFINITY : 0.0;
    }
    for (int i = 0; i < 3 && status == MTREE_OK; i++) {
        if (has_stage(solver, stages[i])) {
            status = price_stage(solver, stages[i],
                                 stages[i] == MTREE_STEINER_STAGE_REDUCE
                                     ? solver->reduce_cost
                                     : solver->broadcast_cost,
                                 num_added_p);
        }
    }
    if (status == MTREE_OK) {
        take_bound(solver, all_capacity);
    }
    return status;
}

static mtree_status_t solve_program(solver_t *solver)
{
    mtree_status_t status = report_solver(mtree_lp_solve(solver->lp));

    for (int row = 0; row < 2 * solver->candidates->num_rows && status == MTREE_OK;
         row++) {
        solver->lp_price[row] =
            fmax(0.0, mtree_lp_price(solver->lp, 2 * solver->num_roots + row));
    }
    return status;
}

/*
 * Solve and price in turn until no tree is missing, or the rest to the bound is small
 * enough.  The program's own prices jump about; between them and the best ones so far the
 * oracle finds better trees.  Only when it finds none there, it is asked at the program's
 * own, which decide.
 */
static mtree_status_t generate(solver_t *solver)
{
    bool exact = mtree_steiner_oracle_exact(solver->oracle);
    int num_added = 1;
    mtree_status_t status = report_solver(set_up_program(solver));

    if (status == MTREE_OK && has_stage(solver, MTREE_STEINER_STAGE_REDUCE)) {
        status = start_stage(solver, MTREE_STEINER_STAGE_REDUCE);
    }
    if (status == MTREE_OK) {
        status = start_stage(solver, MTREE_STEINER_STAGE_FINAL);
    }
    while (status == MTREE_OK && num_added > 0) {
        status = solve_program(solver);
        if (status != MTREE_OK ||
            (exact && mtree_lp_objective(solver->lp) >=
                          (1.0 - solver->request->gap - GAP_TOLERANCE) * solver->bound)) {
            break;
        }
        solver->pull = CENTER_PULL;
        status = price_all(solver, &num_added);
        if (status == MTREE_OK && num_added == 0) {
            solver->pull = 0.0;
            status = price_all(solver, &num_added);
        }
    }
    return status;
}

/* The trees that carry something, with their weights. */
static mtree_status_t take_packing(solver_t *solver, mtree_steiner_packing_t **packing_p)
{
    mtree_steiner_packing_t *packing = calloc(1, sizeof(*packing));
    double chi = mtree_lp_objective(solver->lp);

    if (packing == NULL) {
        return report_solver(MTREE_ERR_NO_MEMORY);
    }
    packing->num_hosts = solver->candidates->num_hosts;
    packing->chi = chi * solver->unit;
    packing->bound =
        mtree_steiner_oracle_exact(solver->oracle) ? solver->bound * solver->unit : 0.0;
    for (int t = 0; t < solver->num_trees; t++) {
        double weight = mtree_lp_value(solver->lp, solver->num_roots + t);

        if (weight > WEIGHT_TOLERANCE * chi) {
            mtree_steiner_tree_t kept = solver->trees[t];

            kept.weight = weight * solver->unit;
            solver->trees[t] = solver->trees[packing->num_trees];
            solver->trees[packing->num_trees++] = kept;
        }
    }
    for (int t = packing->num_trees; t < solver->num_trees; t++) {
        free(solver->trees[t].parent);
    }
    packing->trees = solver->trees;
    solver->trees = NULL;
    solver->num_trees = 0;
    *packing_p = packing;
    return MTREE_OK;
}

static mtree_status_t solver_allocate(solver_t *solver)
{
    size_t num_hosts = (size_t)solver->candidates->num_hosts;
    size_t num_rows = (size_t)solver->candidates->num_rows;
    size_t num_roots = (size_t)solver->num_roots;

    solver->edge_at = malloc(num_hosts * num_hosts * sizeof(*solver->edge_at));
    solver->lp_price = calloc(2 * num_rows, sizeof(*solver->lp_price));
    solver->center = calloc(2 * num_rows, sizeof(*solver->center));
    solver->row_price = calloc(2 * num_rows, sizeof(*solver->row_price));
    solver->edge_price = malloc((size_t)solver->candidates->num_edges * sizeof(double));
    solver->price = malloc(num_hosts * num_hosts * sizeof(*solver->price));
    solver->use = calloc(num_rows, sizeof(*solver->use));
    solver->column_rows = malloc((num_rows + 1) * sizeof(*solver->column_rows));
    solver->column_values = malloc((num_rows + 1) * sizeof(*solver->column_values));
    solver->reduce_cost = malloc(num_roots * sizeof(*solver->reduce_cost));
    solver->broadcast_cost = malloc(num_roots * sizeof(*solver->broadcast_cost));
    solver->parent = malloc(num_hosts * sizeof(*solver->parent));
    if (solver->edge_at == NULL || solver->lp_price == NULL || solver->center == NULL ||
        solver->row_price == NULL || solver->edge_price == NULL ||
        solver->price == NULL || solver->use == NULL || solver->column_rows == NULL ||
        solver->column_values == NULL || solver->reduce_cost == NULL ||
        solver->broadcast_cost == NULL || solver->parent == NULL) {
        return report_solver(MTREE_ERR_NO_MEMORY);
    }
    return MTREE_OK;
}

static mtree_status_t solver_init(solver_t *solver,
                                  const mtree_steiner_request_t *request)
{
    const mtree_plan_request_t broadcast = {.collective = MTREE_BCAST};
    mtree_problem_t problem = {.topology = request->topology,
                               .request = &broadcast,
                               .hosts = request->hosts,
                               .num_hosts = request->num_hosts};
    mtree_status_t status;

    solver->request = request;
    solver->bound = INFINITY;
    solver->num_roots = request->root < 0 ? request->num_active : 1;
    solver->first_root = request->root < 0 ? 0 : request->root;
    status = mtree_routes_create(request->topology, request->hosts, request->num_hosts,
                                 &solver->routes);
    if (status == MTREE_OK) {
        problem.routes = solver->routes;
        status = mtree_candidates_create(&problem, &solver->candidates);
    }
    if (status == MTREE_OK) {
        status = solver_allocate(solver);
    }
    if (status == MTREE_OK) {
        status = mtree_steiner_oracle_create(request->num_hosts, request->num_active,
                                             &solver->oracle);
    }
    if (status != MTREE_OK) {
        return status;
    }
    for (int i = 0; i < request->num_hosts * request->num_hosts; i++) {
        solver->edge_at[i] = -1;
    }
    for (int e = 0; e < solver->candidates->num_edges; e++) {
        solver->edge_at[solver->candidates->from[e] * request->num_hosts +
                        solver->candidates->to[e]] = e;
    }
    for (int row = 0; row < solver->candidates->num_rows; row++) {
        solver->unit = fmax(solver->unit, solver->candidates->capacity[row]);
    }
    return MTREE_OK;
}

static void solver_cleanup(solver_t *solver)
{
    mtree_routes_destroy(solver->routes);
    mtree_candidates_destroy(solver->candidates);
    mtree_steiner_oracle_destroy(solver->oracle);
    mtree_lp_destroy(solver->lp);
    free(solver->edge_at);
    free(solver->lp_price);
    free(solver->center);
    free(solver->row_price);
    free(solver->edge_price);
    free(solver->price);
    free(solver->use);
    free(solver->column_rows);
    free(solver->column_values);
    free(solver->reduce_cost);
    free(solver->broadcast_cost);
    free(solver->parent);
    for (int t = 0; t < solver->num_trees; t++) {
        free(solver->trees[t].parent);
    }
    free(solver->trees);
}

mtree_status_t mtree_steiner_pack(const mtree_steiner_request_t *request,
                                  mtree_steiner_packing_t **packing_p)
{
    solver_t solver = {0};
    mtree_status_t status;

    if (request->num_active < 2 || request->num_hosts < request->num_active ||
        request->root >= request->num_active || request->gap < 0.0) {
        mtree_error(
            "steiner: %d of %d hosts active, root %d, gap %g; at least two must be "
            "active, the root one of them, and the gap not negative",
            request->num_active, request->num_hosts, request->root, request->gap);
        return MTREE_ERR_INVALID;
    }
    status = solver_init(&solver, request);
    if (status == MTREE_OK) {
        status = generate(&solver);
    }
    if (status == MTREE_OK) {
        status = take_packing(&solver, packing_p);
    }
    solver_cleanup(&solver);
    return status;
}

void mtree_steiner_packing_destroy(mtree_steiner_packing_t *packing)
{
    if (packing == NULL) {
        return;
    }
    for (int t = 0; t < packing->num_trees; t++) {
        free(packing->trees[t].parent);
    }
    free(packing->trees);
    free(packing);
}
