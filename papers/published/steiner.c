/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/memory.h"
#include "papers/published/steiner_solver.h"

#include "base/log.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* How near the bound counts as on it. */
#define GAP_TOLERANCE 1e-7

/* Part of the best prices so far in those that the oracle is asked at first. */
#define CENTER_PULL 0.8

/* Weights under this part of chi are rounding. */
#define WEIGHT_TOLERANCE 1e-9

int mtree_steiner_root_row(const mtree_steiner_solver_t *solver,
                           mtree_steiner_stage_t stage, int r)
{
    return stage == MTREE_STEINER_STAGE_REDUCE ? r : solver->num_roots + r;
}

bool mtree_steiner_has_stage(const mtree_steiner_solver_t *solver,
                             mtree_steiner_stage_t stage)
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

/* Log why the linear program failed, if it did; returns @a status. */
static mtree_status_t report(mtree_status_t status)
{
    if (status == MTREE_ERR_SOLVER) {
        mtree_error(
            "steiner: the linear program could not be solved; use another algorithm");
    }
    return status;
}

/* Rows, and the columns chi_v. */
static mtree_status_t set_up_program(mtree_steiner_solver_t *solver)
{
    const mtree_candidates_t *candidates = solver->candidates;
    bool reduces = mtree_steiner_has_stage(solver, MTREE_STEINER_STAGE_REDUCE);
    mtree_status_t status = mtree_lp_create(&solver->lp);

    if (status != MTREE_OK) {
        return status;
    }
    mtree_lp_add_rows(solver->lp, 2 * solver->num_roots, 0.0, INFINITY);
    mtree_lp_add_rows(solver->lp, 2 * candidates->num_constraints, -INFINITY, 0.0);
    for (int i = 0; i < 2 * candidates->num_constraints; i++) {
        mtree_lp_bound_row(solver->lp, 2 * solver->num_roots + i, -INFINITY,
                           candidates->capacity[i % candidates->num_constraints] /
                               solver->unit);
    }
    for (int r = 0; r < solver->num_roots; r++) {
        const int rows[] = {
            mtree_steiner_root_row(solver, MTREE_STEINER_STAGE_FINAL, r),
            mtree_steiner_root_row(solver, MTREE_STEINER_STAGE_REDUCE, r)};
        const double values[] = {-1.0, -1.0};

        mtree_lp_add_column(solver->lp, 1.0, reduces ? 2 : 1, rows, values);
    }
    return MTREE_OK;
}

static mtree_status_t solve_program(mtree_steiner_solver_t *solver)
{
    mtree_status_t status = report(mtree_lp_solve(solver->lp));

    for (int row = 0; row < 2 * solver->candidates->num_constraints && status == MTREE_OK;
         row++) {
        solver->lp_price[row] =
            fmax(0.0, solver->lp->prices[2 * solver->num_roots + row]);
    }
    return status;
}

/*
 * Solve and price in turn until no tree is missing, or the rest to the bound is small
 * enough.  The program's own prices jump about; between them and the best ones so far the
 * oracle finds better trees.  Only when it finds none there, it is asked at the program's
 * own, which decide.
 */
static mtree_status_t generate(mtree_steiner_solver_t *solver)
{
    bool exact = mtree_steiner_oracle_exact(solver->oracle);
    int num_added = 1;
    mtree_status_t status = report(set_up_program(solver));

    if (status == MTREE_OK &&
        mtree_steiner_has_stage(solver, MTREE_STEINER_STAGE_REDUCE)) {
        status = mtree_steiner_start_stage(solver, MTREE_STEINER_STAGE_REDUCE);
    }
    if (status == MTREE_OK) {
        status = mtree_steiner_start_stage(solver, MTREE_STEINER_STAGE_FINAL);
    }
    while (status == MTREE_OK && num_added > 0) {
        status = solve_program(solver);
        if (status != MTREE_OK ||
            (exact && solver->lp->objective >=
                          (1.0 - solver->request->gap - GAP_TOLERANCE) * solver->bound)) {
            break;
        }
        solver->pull = CENTER_PULL;
        status = mtree_steiner_price_all(solver, &num_added);
        if (status == MTREE_OK && num_added == 0) {
            solver->pull = 0.0;
            status = mtree_steiner_price_all(solver, &num_added);
        }
    }
    return status;
}

/* The trees that carry something, with their weights. */
static mtree_steiner_packing_t *take_packing(mtree_steiner_solver_t *solver)
{
    size_t num_hosts = (size_t)solver->candidates->num_hosts;
    mtree_steiner_packing_t *packing = mtree_calloc(1, sizeof(*packing));
    double chi = solver->lp->objective;

    packing->num_hosts = (int)num_hosts;
    packing->chi = chi * solver->unit;
    packing->bound =
        mtree_steiner_oracle_exact(solver->oracle) ? solver->bound * solver->unit : 0.0;
    MTREE_ARENA_ARRAY(&packing->arena, packing->trees, (size_t)solver->num_trees);
    for (int t = 0; t < solver->num_trees; t++) {
        double weight = solver->lp->values[solver->num_roots + t];
        mtree_steiner_tree_t *tree = &packing->trees[packing->num_trees];

        if (weight <= WEIGHT_TOLERANCE * chi) {
            continue;
        }
        *tree = solver->trees[t];
        tree->weight = weight * solver->unit;
        MTREE_ARENA_ARRAY(&packing->arena, tree->parent, num_hosts);
        memcpy(tree->parent, solver->trees[t].parent, num_hosts * sizeof(*tree->parent));
        packing->num_trees++;
    }
    return packing;
}

static void solver_allocate(mtree_steiner_solver_t *solver)
{
    size_t num_hosts = (size_t)solver->candidates->num_hosts;
    size_t num_constraints = (size_t)solver->candidates->num_constraints;
    size_t num_roots = (size_t)solver->num_roots;

    MTREE_ARENA_ARRAY(&solver->arena, solver->edge_at, num_hosts * num_hosts);
    MTREE_ARENA_ARRAY(&solver->arena, solver->lp_price, 2 * num_constraints);
    MTREE_ARENA_ARRAY(&solver->arena, solver->center, 2 * num_constraints);
    MTREE_ARENA_ARRAY(&solver->arena, solver->constraint_price, 2 * num_constraints);
    MTREE_ARENA_ARRAY(&solver->arena, solver->edge_price,
                      (size_t)solver->candidates->num_edges);
    MTREE_ARENA_ARRAY(&solver->arena, solver->price, num_hosts * num_hosts);
    MTREE_ARENA_ARRAY(&solver->arena, solver->use, num_constraints);
    MTREE_ARENA_ARRAY(&solver->arena, solver->column_rows, num_constraints + 1);
    MTREE_ARENA_ARRAY(&solver->arena, solver->column_values, num_constraints + 1);
    MTREE_ARENA_ARRAY(&solver->arena, solver->reduce_cost, num_roots);
    MTREE_ARENA_ARRAY(&solver->arena, solver->broadcast_cost, num_roots);
    MTREE_ARENA_ARRAY(&solver->arena, solver->parent, num_hosts);
}

static mtree_status_t solver_init(mtree_steiner_solver_t *solver,
                                  const mtree_steiner_request_t *request)
{
    const mtree_plan_request_t broadcast = {.collective = MTREE_BCAST};
    mtree_problem_t problem = {.topology = request->topology,
                               .request = &broadcast,
                               .hosts = request->hosts,
                               .num_hosts = request->num_hosts,
                               .arena = &solver->arena};
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
    if (status != MTREE_OK) {
        return status;
    }
    solver_allocate(solver);
    solver->oracle = mtree_steiner_oracle_create(&solver->arena, request->num_hosts,
                                                 request->num_active);
    for (int i = 0; i < request->num_hosts * request->num_hosts; i++) {
        solver->edge_at[i] = -1;
    }
    for (int e = 0; e < solver->candidates->num_edges; e++) {
        solver->edge_at[solver->candidates->from[e] * request->num_hosts +
                        solver->candidates->to[e]] = e;
    }
    for (int row = 0; row < solver->candidates->num_constraints; row++) {
        solver->unit = fmax(solver->unit, solver->candidates->capacity[row]);
    }
    return MTREE_OK;
}

static void solver_cleanup(mtree_steiner_solver_t *solver)
{
    mtree_routes_destroy(solver->routes);
    mtree_lp_destroy(solver->lp);
    mtree_arena_cleanup(&solver->arena);
    free(solver->trees);
}

mtree_status_t mtree_steiner_pack(const mtree_steiner_request_t *request,
                                  mtree_steiner_packing_t **packing_p)
{
    mtree_steiner_solver_t solver = {0};
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
        *packing_p = take_packing(&solver);
    }
    solver_cleanup(&solver);
    return status;
}

void mtree_steiner_packing_destroy(mtree_steiner_packing_t *packing)
{
    if (packing == NULL) {
        return;
    }
    mtree_arena_cleanup(&packing->arena);
    free(packing);
}
