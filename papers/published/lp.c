/* SPDX-License-Identifier: BSD-3-Clause */
#include "papers/published/lp.h"

#include "base/array.h"
#include "base/cancel.h"
#include "base/log.h"
#include "base/memory.h"
#include "config/mtree_config.h"

#include <dlfcn.h>
#include <glpk.h>
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdlib.h>

/* Pivots that one solution may take, for each row and column of the program, unless the
 * caller sets a limit. */
#define PIVOTS_PER_LINE 20

/* What is called of GLPK.  Only who plans opens it, so the other ranks of a job do not
 * have its libraries in memory. */
/* clang-format off */
#define FUNCTIONS(F)                                                                     \
    F(add_cols) F(add_rows) F(create_prob) F(delete_prob) F(error_hook) F(free_env)      \
    F(get_col_prim) F(get_it_cnt) F(get_num_cols) F(get_num_rows) F(get_obj_val)         \
    F(get_prim_stat) F(get_row_dual) F(get_status) F(init_env) F(init_iocp)              \
    F(init_smcp) F(intopt) F(ios_terminate) F(ios_tree_size) F(mip_col_val)              \
    F(mip_status) F(set_col_bnds) F(set_col_kind) F(set_mat_col) F(set_obj_coef)         \
    F(set_obj_dir) F(set_row_bnds) F(simplex) F(std_basis) F(term_hook) F(term_out)
/* clang-format on */

static struct {
#define POINTER(name) __typeof__(glp_##name) *name;
    FUNCTIONS(POINTER)
    bool is_open;
    pthread_once_t once;
} glpk = {.once = PTHREAD_ONCE_INIT};

static void open_glpk(void)
{
    void *library = dlopen(GLPK_LIBRARY, RTLD_NOW | RTLD_LOCAL);

    if (library == NULL) {
        mtree_warn("planner: %s; plans are made without GLPK: install it", dlerror());
        return;
    }
    glpk.is_open = true;
#define FIND(name)                                                                       \
    glpk.name = (__typeof__(glpk.name))dlsym(library, "glp_" #name);                     \
    glpk.is_open = glpk.is_open && glpk.name != NULL;
    FUNCTIONS(FIND)
}

/* So often the simplex method looks whether it is cancelled. */
#define OUTPUT_MILLISECONDS 20

/* GLPK has one state per thread, which goes with the thread's last program; an error
 * throws all of it away and starts the next generation. */
enum { FAILED = 1, CANCELLED };
static _Thread_local struct {
    jmp_buf guard;
    unsigned generation;
    int num_programs;
} of_thread;

static void on_error(void *info)
{
    (void)info;
    longjmp(of_thread.guard, FAILED);
}

/* GLPK's output, in the simplex method after each OUTPUT_MILLISECONDS: none is
 * printed. */
static int on_output(void *info, const char *text)
{
    (void)info;
    (void)text;
    if (mtree_cancel_is_set()) {
        longjmp(of_thread.guard, CANCELLED);
    }
    return 1;
}

/* Does this thread have GLPK's state?  Without memory for it glp_init_env() returns 2;
 * GLPK's other functions, which would make it themselves, end the process. */
static bool has_state(void)
{
    return glpk.init_env() <= 1;
}

/* Free all of GLPK's memory on this thread at once, the programs made before with it. */
static void drop_state(mtree_lp_t *lp, mtree_status_t status)
{
    glpk.error_hook(NULL, NULL);
    glpk.free_env();
    ++of_thread.generation;
    lp->status = status;
}

/* May GLPK be called for @a lp?  Then its errors and output are caught until leave(). */
static bool enter(mtree_lp_t *lp)
{
    if (lp->status == MTREE_OK && lp->generation != of_thread.generation) {
        lp->status = MTREE_ERR_SOLVER;
    }
    if (lp->status == MTREE_OK && !has_state()) {
        lp->status = MTREE_ERR_NO_MEMORY;
    }
    if (lp->status != MTREE_OK) {
        return false;
    }
    glpk.term_out(GLP_ON);
    glpk.term_hook(on_output, NULL);
    glpk.error_hook(on_error, NULL);
    return true;
}

static void leave(void)
{
    glpk.error_hook(NULL, NULL);
    glpk.term_hook(NULL, NULL);
    glpk.term_out(GLP_OFF);
}

/* Run statements that call GLPK, up to its first error, unless @a _lp has failed. */
#define GUARDED(_lp, ...)                                                                \
    if (enter(_lp)) {                                                                    \
        switch (setjmp(of_thread.guard)) {                                               \
        case 0: {                                                                        \
            __VA_ARGS__;                                                                 \
            leave();                                                                     \
            break;                                                                       \
        }                                                                                \
        case CANCELLED:                                                                  \
            drop_state(_lp, MTREE_ERR_CANCELLED);                                        \
            break;                                                                       \
        default:                                                                         \
            drop_state(_lp, MTREE_ERR_SOLVER);                                           \
        }                                                                                \
    }

bool mtree_lp_is_available(void)
{
    pthread_once(&glpk.once, open_glpk);
    return glpk.is_open;
}

mtree_status_t mtree_lp_create(mtree_lp_t **lp_p)
{
    mtree_lp_t *lp;
    mtree_status_t status;

    if (!mtree_lp_is_available()) {
        return MTREE_ERR_UNSUPPORTED;
    }
    lp = mtree_calloc(1, sizeof(*lp));
    lp->generation = of_thread.generation;
    GUARDED(lp, lp->problem = glpk.create_prob(); glpk.set_obj_dir(lp->problem, GLP_MAX));
    status = lp->status;
    if (status != MTREE_OK) {
        free(lp);
        return status;
    }
    of_thread.num_programs++;
    *lp_p = lp;
    return MTREE_OK;
}

void mtree_lp_destroy(mtree_lp_t *lp)
{
    if (lp == NULL) {
        return;
    }
    lp->status = MTREE_OK; /* of a failed one as well */
    GUARDED(lp, glpk.delete_prob(lp->problem));
    if (--of_thread.num_programs == 0) {
        (void)glpk.free_env();
    }
    free(lp->prices);
    free(lp->index);
    free(lp->value);
    free(lp);
}

static int bound_type(double lower, double upper)
{
    if (isinf(lower)) {
        return isinf(upper) ? GLP_FR : GLP_UP;
    }
    if (isinf(upper)) {
        return GLP_LO;
    }
    return lower == upper ? GLP_FX : GLP_DB;
}

void mtree_lp_add_rows(mtree_lp_t *lp, int count, double lower, double upper)
{
    GUARDED(
        lp, int first = glpk.add_rows(lp->problem, count);
        for (int row = first; row < first + count; ++row) {
            glpk.set_row_bnds(lp->problem, row, bound_type(lower, upper), lower, upper);
        });
}

void mtree_lp_bound_row(mtree_lp_t *lp, int row, double lower, double upper)
{
    GUARDED(lp, glpk.set_row_bnds(lp->problem, row + 1, bound_type(lower, upper), lower,
                                  upper));
}

/* Copy coefficients into GLPK's 1-based form. */
static void take_coefficients(mtree_lp_t *lp, int count, const int *rows,
                              const double *values)
{
    if (count > lp->room) {
        lp->index = mtree_realloc(lp->index, ((size_t)count + 1) * sizeof(*lp->index));
        lp->value = mtree_realloc(lp->value, ((size_t)count + 1) * sizeof(*lp->value));
        lp->room = count;
    }
    for (int i = 0; i < count; ++i) {
        lp->index[i + 1] = rows[i] + 1;
        lp->value[i + 1] = values[i];
    }
}

void mtree_lp_add_column(mtree_lp_t *lp, double objective, int count, const int *rows,
                         const double *values)
{
    take_coefficients(lp, count, rows, values);
    GUARDED(lp, int column = glpk.add_cols(lp->problem, 1);
            glpk.set_col_bnds(lp->problem, column, GLP_LO, 0.0, 0.0);
            glpk.set_obj_coef(lp->problem, column, objective);
            glpk.set_mat_col(lp->problem, column, count, lp->index, lp->value));
}

void mtree_lp_set_column(mtree_lp_t *lp, int column, int count, const int *rows,
                         const double *values)
{
    take_coefficients(lp, count, rows, values);
    GUARDED(lp, glpk.set_mat_col(lp->problem, column + 1, count, lp->index, lp->value));
}

void mtree_lp_make_binary(mtree_lp_t *lp, int column)
{
    GUARDED(lp, glpk.set_col_kind(lp->problem, column + 1, GLP_BV));
}

/* One run of the simplex method with at most @a pivots, from the basis at hand or (@a
 * afresh) from the one of the rows. */
static bool solve_once(mtree_lp_t *lp, int method, bool afresh, int pivots)
{
    glp_smcp parameters;
    int code;

    glpk.init_smcp(&parameters);
    parameters.msg_lev = GLP_MSG_ON;
    parameters.out_frq = OUTPUT_MILLISECONDS;
    parameters.meth = method;
    parameters.it_lim = pivots;
    if (afresh) {
        glpk.std_basis(lp->problem);
    }
    code = glpk.simplex(lp->problem, &parameters);
    return (code == 0 && glpk.get_status(lp->problem) == GLP_OPT) ||
           (code == GLP_EITLIM && lp->max_pivots > 0 &&
            glpk.get_prim_stat(lp->problem) == GLP_FEAS);
}

/* One way after another, until one finds a solution or, where pivots are limited, all
 * together have made as many. */
static bool solve(mtree_lp_t *lp)
{
    static const struct {
        int method;
        bool afresh;
    } ways[] = {{GLP_PRIMAL, false}, {GLP_DUALP, false}, {GLP_PRIMAL, true}};
    const int num_ways = (int)(sizeof(ways) / sizeof(ways[0]));
    const int begin = glpk.get_it_cnt(lp->problem);
    const int each = PIVOTS_PER_LINE * (glpk.get_num_rows(lp->problem) +
                                        glpk.get_num_cols(lp->problem) + 1);
    int left = lp->max_pivots > 0 ? lp->max_pivots : each;
    bool found = false;

    for (int i = 0; i < num_ways && !found && left > 0; i++) {
        found = solve_once(lp, ways[i].method, ways[i].afresh, left);
        left = lp->max_pivots > 0
                   ? lp->max_pivots - (glpk.get_it_cnt(lp->problem) - begin)
                   : each;
    }
    return found;
}

/* Take what is found out of GLPK. */
static void take_solution(mtree_lp_t *lp)
{
    const int rows = glpk.get_num_rows(lp->problem);
    const int columns = glpk.get_num_cols(lp->problem);

    mtree_array_reserve(&lp->prices, &lp->found_room, rows + columns,
                        sizeof(*lp->prices));
    lp->objective = glpk.get_obj_val(lp->problem);
    lp->values = lp->prices + rows;
    for (int row = 0; row < rows; ++row) {
        lp->prices[row] = glpk.get_row_dual(lp->problem, row + 1);
    }
    for (int column = 0; column < columns; ++column) {
        lp->values[column] = glpk.get_col_prim(lp->problem, column + 1);
    }
}

void mtree_lp_limit(mtree_lp_t *lp, int pivots)
{
    lp->max_pivots = pivots;
}

mtree_status_t mtree_lp_solve(mtree_lp_t *lp)
{
    lp->is_solved = false;
    GUARDED(
        lp, lp->is_solved = solve(lp); lp->pivots = glpk.get_it_cnt(lp->problem);
        if (lp->is_solved) { take_solution(lp); });
    return lp->status == MTREE_OK && !lp->is_solved ? MTREE_ERR_SOLVER : lp->status;
}

/* Called by GLPK at each node: stop at the limit. */
static void on_node(glp_tree *tree, void *info)
{
    int all;

    glpk.ios_tree_size(tree, NULL, NULL, &all);
    if (all > *(const int *)info) {
        glpk.ios_terminate(tree);
    }
}

static bool solve_integer(mtree_lp_t *lp, int max_nodes)
{
    const int columns = glpk.get_num_cols(lp->problem);
    glp_iocp parameters;
    int code, found;

    glpk.init_iocp(&parameters);
    parameters.msg_lev = GLP_MSG_OFF;
    parameters.cb_func = on_node;
    parameters.cb_info = &max_nodes;
    code = glpk.intopt(lp->problem, &parameters);
    found = glpk.mip_status(lp->problem);
    if ((code != 0 && code != GLP_ESTOP) || (found != GLP_OPT && found != GLP_FEAS)) {
        return false;
    }
    for (int column = 0; column < columns; ++column) {
        lp->values[column] = glpk.mip_col_val(lp->problem, column + 1);
    }
    return true;
}

mtree_status_t mtree_lp_solve_integer(mtree_lp_t *lp, int max_nodes)
{
    lp->is_solved = false;
    GUARDED(lp, lp->is_solved = solve_integer(lp, max_nodes));
    return lp->status == MTREE_OK && !lp->is_solved ? MTREE_ERR_NOT_FOUND : lp->status;
}
