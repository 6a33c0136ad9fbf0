/* SPDX-License-Identifier: BSD-3-Clause */
#include "papers/published/integer.h"

#include "config/mtree_config.h"

#ifdef GLPK_LIBRARY

#include <dlfcn.h>
#include <glpk.h>
#include <stdbool.h>

/* What is called of GLPK, which planner/solver/lp.c has opened. */
#define FUNCTIONS(F)                                                                     \
    F(init_iocp)                                                                         \
    F(intopt)                                                                            \
    F(ios_terminate) F(ios_tree_size) F(mip_col_val) F(mip_status) F(set_col_kind)

static struct {
#define POINTER(name) __typeof__(glp_##name) *name;
    FUNCTIONS(POINTER)
} glpk;

/* What a call is about. */
typedef struct {
    int num_columns, first, every, max_nodes;
    double *values;
    bool is_solved;
} integer_t;

/* Call @a function with GLPK open. */
static mtree_status_t call(mtree_lp_t *lp, mtree_lp_call_t function, integer_t *integer)
{
    void *library = dlopen(GLPK_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    bool is_open = library != NULL;
    mtree_status_t status;

#define FIND(name)                                                                       \
    glpk.name = is_open ? (__typeof__(glpk.name))dlsym(library, "glp_" #name) : NULL;    \
    is_open = glpk.name != NULL;
    FUNCTIONS(FIND)
    status = is_open ? mtree_lp_call(lp, function, integer) : MTREE_ERR_UNSUPPORTED;
    if (library != NULL) {
        (void)dlclose(library);
    }
    return status;
}

static void make_binary(struct glp_prob *problem, void *arg)
{
    const integer_t *integer = arg;

    for (int c = integer->first; c < integer->num_columns; c += integer->every) {
        glpk.set_col_kind(problem, c + 1, GLP_BV);
    }
}

void mtree_integer_make_binary(mtree_lp_t *lp, int num_columns, int first, int every)
{
    integer_t integer = {.num_columns = num_columns, .first = first, .every = every};

    (void)call(lp, make_binary, &integer);
}

/* Called by GLPK at each node: stop at the limit. */
static void on_node(glp_tree *tree, void *info)
{
    int all;

    glpk.ios_tree_size(tree, NULL, NULL, &all);
    if (all > ((const integer_t *)info)->max_nodes) {
        glpk.ios_terminate(tree);
    }
}

static void solve(struct glp_prob *problem, void *arg)
{
    integer_t *integer = arg;
    glp_iocp parameters;
    int code, found;

    glpk.init_iocp(&parameters);
    parameters.msg_lev = GLP_MSG_OFF;
    parameters.cb_func = on_node;
    parameters.cb_info = integer;
    code = glpk.intopt(problem, &parameters);
    found = glpk.mip_status(problem);
    integer->is_solved =
        (code == 0 || code == GLP_ESTOP) && (found == GLP_OPT || found == GLP_FEAS);
    for (int c = 0; c < integer->num_columns && integer->is_solved; c++) {
        integer->values[c] = glpk.mip_col_val(problem, c + 1);
    }
}

mtree_status_t mtree_integer_solve(mtree_lp_t *lp, int num_columns, int max_nodes,
                                   double *values)
{
    integer_t integer = {
        .num_columns = num_columns, .max_nodes = max_nodes, .values = values};
    mtree_status_t status = call(lp, solve, &integer);

    return status == MTREE_OK && !integer.is_solved ? MTREE_ERR_NOT_FOUND : status;
}

#else

/* Without GLPK there are no programs. */
void mtree_integer_make_binary(mtree_lp_t *lp, int num_columns, int first, int every)
{
    (void)lp, (void)num_columns, (void)first, (void)every;
}

mtree_status_t mtree_integer_solve(mtree_lp_t *lp, int num_columns, int max_nodes,
                                   double *values)
{
    (void)lp, (void)num_columns, (void)max_nodes, (void)values;
    return MTREE_ERR_UNSUPPORTED;
}

#endif
