/* SPDX-License-Identifier: BSD-3-Clause */
#include "planner/relays/columns.h"

#include "base/array.h"
#include "planner/graph/candidate_trees.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

mtree_status_t mtree_relay_columns_init(mtree_relay_columns_t *columns,
                                        mtree_arena_t *arena,
                                        const mtree_candidates_t *candidates,
                                        int num_active, int root)
{
    size_t hosts = (size_t)candidates->num_hosts;

    *columns = (mtree_relay_columns_t){.arena = arena,
                                       .candidates = candidates,
                                       .num_active = num_active,
                                       .num_groups = root < 0 ? num_active : 1,
                                       .first_root = root < 0 ? 0 : root};
    MTREE_ARENA_ARRAY(arena, columns->edge_at, hosts * hosts);
    MTREE_ARENA_ARRAY(arena, columns->uses, (size_t)candidates->num_constraints);
    if (arena->status != MTREE_OK) {
        return MTREE_ERR_NO_MEMORY;
    }
    memset(columns->edge_at, -1, hosts * hosts * sizeof(int));
    for (int e = 0; e < candidates->num_edges; e++) {
        int from = candidates->from[e], to = candidates->to[e];

        columns->edge_at[from * candidates->num_hosts + to] = e;
        if (!candidates->directed) {
            columns->edge_at[to * candidates->num_hosts + from] = e;
        }
    }
    for (int c = 0; c < candidates->num_constraints; c++) {
        columns->unit = fmax(columns->unit, candidates->capacity[c]);
    }
    return MTREE_OK;
}

void mtree_relay_columns_cleanup(mtree_relay_columns_t *columns)
{
    free(columns->columns);
}

/* How often a tree uses each constraint. */
static void count_uses(mtree_relay_columns_t *columns, const int *parent)
{
    const mtree_candidates_t *candidates = columns->candidates;
    int num_hosts = candidates->num_hosts;

    memset(columns->uses, 0, (size_t)candidates->num_constraints * sizeof(int));
    for (int host = 0; host < num_hosts; host++) {
        int edge =
            parent[host] < 0 ? -1 : columns->edge_at[parent[host] * num_hosts + host];

        for (int i = edge < 0 ? 0 : candidates->first[edge];
             edge >= 0 && i < candidates->first[edge + 1]; i++) {
            columns->uses[candidates->constraints[i]]++;
        }
    }
}

mtree_status_t mtree_relay_columns_add(mtree_relay_columns_t *columns, int group,
                                       const int *parent)
{
    const mtree_candidates_t *candidates = columns->candidates;
    size_t hosts = (size_t)candidates->num_hosts;
    size_t room = (size_t)candidates->num_constraints + 1;
    mtree_relay_column_t *column;
    int *kept, *rows;
    double *values;

    MTREE_ARENA_ARRAY(columns->arena, kept, hosts);
    MTREE_ARENA_ARRAY(columns->arena, rows, room);
    MTREE_ARENA_ARRAY(columns->arena, values, room);
    if (columns->arena->status != MTREE_OK ||
        mtree_array_reserve(&columns->columns, &columns->capacity,
                            columns->num_columns + 1,
                            sizeof(*columns->columns)) != MTREE_OK) {
        return MTREE_ERR_NO_MEMORY;
    }
    memcpy(kept, parent, hosts * sizeof(*kept));
    count_uses(columns, parent);
    column = &columns->columns[columns->num_columns++];
    *column = (mtree_relay_column_t){
        .group = group, .parent = kept, .rows = rows, .values = values};
    column->length = mtree_candidates_column(candidates, columns->uses, rows, values);
    for (int i = 0; i < column->length; i++) {
        rows[i] += columns->num_groups;
    }
    rows[column->length] = group;
    values[column->length++] = 1.0;
    return MTREE_OK;
}

void mtree_relay_columns_extend(const mtree_relay_columns_t *columns, mtree_lp_t *lp)
{
    const mtree_relay_column_t *column = &columns->columns[columns->num_columns - 1];

    mtree_lp_add_column(lp, 0.0, column->length, column->rows, column->values);
}

mtree_status_t mtree_relay_columns_program(const mtree_relay_columns_t *columns,
                                           mtree_lp_t **lp_p)
{
    const mtree_candidates_t *candidates = columns->candidates;
    int *rows = calloc((size_t)columns->num_groups, sizeof(*rows));
    double *values = calloc((size_t)columns->num_groups, sizeof(*values));
    mtree_status_t status =
        rows == NULL || values == NULL ? MTREE_ERR_NO_MEMORY : mtree_lp_create(lp_p);

    if (status == MTREE_OK) {
        mtree_lp_add_rows(*lp_p, columns->num_groups, 0.0, INFINITY);
        mtree_lp_add_rows(*lp_p, candidates->num_constraints, -INFINITY, 0.0);
        for (int c = 0; c < candidates->num_constraints; c++) {
            mtree_lp_bound_row(*lp_p, columns->num_groups + c, -INFINITY,
                               candidates->capacity[c] / columns->unit);
        }
        for (int g = 0; g < columns->num_groups; g++) {
            rows[g] = g;
            values[g] = -1.0;
        }
        mtree_lp_add_column(*lp_p, 1.0, columns->num_groups, rows, values);
        for (int i = 0; i < columns->num_columns; i++) {
            const mtree_relay_column_t *column = &columns->columns[i];

            if (!column->is_left_out) {
                mtree_lp_add_column(*lp_p, 0.0, column->length, column->rows,
                                    column->values);
            }
        }
    }
    free(rows);
    free(values);
    return status;
}

mtree_status_t mtree_relay_columns_solve(mtree_relay_columns_t *columns, double *rate_p)
{
    mtree_lp_t *lp = NULL;
    mtree_status_t status = mtree_relay_columns_program(columns, &lp);
    int number = 1;

    if (status == MTREE_OK) {
        status = mtree_lp_solve(lp);
    }
    for (int i = 0; i < columns->num_columns && status == MTREE_OK; i++) {
        mtree_relay_column_t *column = &columns->columns[i];

        column->rate = column->is_left_out ? 0.0 : mtree_lp_value(lp, number++);
    }
    if (status == MTREE_OK) {
        *rate_p = mtree_lp_objective(lp) * columns->unit;
    }
    mtree_lp_destroy(lp);
    return status;
}
