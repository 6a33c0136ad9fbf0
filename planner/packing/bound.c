/* SPDX-License-Identifier: BSD-3-Clause */
#include "planner/packing/bound.h"

#include "base/memory.h"
#include "planner/tuning.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Links that are named before the rest is counted. */
#define MAX_NAMED 12

/* A constraint counts when price x capacity is at least this part of the greatest. */
#define LEAST_PRICE 1e-6

/* Mark the links of the constraints that count; returns how many there are. */
static int mark_links(const mtree_problem_t *problem,
                      const mtree_candidates_t *candidates,
                      const double *constraint_price, bool *marked)
{
    double most = 0.0;
    int count = 0;

    for (int c = 0; c < candidates->num_constraints; ++c) {
        double price = constraint_price[c] * candidates->capacity[c];

        most = price > most ? price : most;
    }
    for (int c = 0; c < candidates->num_constraints; ++c) {
        if (constraint_price[c] * candidates->capacity[c] > most * LEAST_PRICE) {
            marked[candidates->arc[c] >> 1] = true;
        }
    }
    for (int link = 0; link < problem->topology->num_links; ++link) {
        count += marked[link];
    }
    return count;
}

static void write_links(const mtree_topology_t *topology, const bool *marked, int count,
                        FILE *out)
{
    int named = 0;

    fputs(count == 1 ? "link " : "links ", out);
    for (int link = 0; link < topology->num_links && named < MAX_NAMED; ++link) {
        if (!marked[link]) {
            continue;
        }
        fprintf(out, "%s%s-%s",
                named == 0           ? ""
                : named == count - 1 ? " and "
                                     : ", ",
                topology->vertices[topology->links[link].u].name,
                topology->vertices[topology->links[link].v].name);
        ++named;
    }
    if (named < count) {
        fprintf(out, " and %d more", count - named);
    }
}

void mtree_bound_describe(const mtree_problem_t *problem,
                          const mtree_candidates_t *candidates,
                          const double *constraint_price, char **text_p)
{
    bool *marked;
    char *text;
    size_t length;
    FILE *out;
    int count;

    MTREE_ARENA_ARRAY(problem->arena, marked, (size_t)problem->topology->num_links);
    out = mtree_text_begin(&text, &length);
    count = mark_links(problem, candidates, constraint_price, marked);
    if (count > 0) {
        write_links(problem->topology, marked, count, out);
    }
    mtree_text_end(out);
    free(*text_p);
    *text_p = text;
}

/* How far below the fullest constraint, as a part of its load, another one may be to
 * count as filled like it; each is tried. */
static const double margins[] = {1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 0.1};

#define NUM_MARGINS ((int)(sizeof(margins) / sizeof(margins[0])))

/* Can constraint @a c of an edge into the host be what enters it?  Every edge uses it. */
static bool is_entrance(const mtree_packer_t *packer, int host, int c)
{
    const mtree_candidates_t *candidates = packer->candidates;

    return packer->uses[c] >= candidates->in_first[host + 1] - candidates->in_first[host];
}

/* Count in packer->uses how often the edges into @a host use each constraint. */
static void count_entrances(mtree_packer_t *packer, int host)
{
    const mtree_candidates_t *candidates = packer->candidates;

    memset(packer->uses, 0, (size_t)candidates->num_constraints * sizeof(*packer->uses));
    for (int e = candidates->in_first[host]; e < candidates->in_first[host + 1]; ++e) {
        for (int use = candidates->first[candidates->in[e]];
             use < candidates->first[candidates->in[e] + 1]; ++use) {
            ++packer->uses[candidates->constraints[use]];
        }
    }
}

/* What the trees of all groups that are rooted elsewhere carry into @a host at least. */
static double carried_into(const mtree_packer_t *packer, int host, int num_trees)
{
    const mtree_candidates_t *candidates = packer->candidates;
    size_t num_hosts = (size_t)candidates->num_hosts;
    double sum = 0.0;

    if (candidates->blocks == NULL) {
        return num_trees;
    }
    for (size_t root = 0; root < num_hosts; ++root) {
        sum += candidates->blocks[root * num_hosts + (size_t)host];
    }
    return sum;
}

/* Price constraints of which each edge into @a host uses one at least, of its own the one
 * that most others use, too; packer->uses counts these. */
static void price_entrances(mtree_packer_t *packer, int host)
{
    const mtree_candidates_t *candidates = packer->candidates;

    for (int e = candidates->in_first[host]; e < candidates->in_first[host + 1]; ++e) {
        int edge = candidates->in[e];
        int shared = candidates->constraints[candidates->first[edge]];

        for (int use = candidates->first[edge]; use < candidates->first[edge + 1];
             ++use) {
            int c = candidates->constraints[use];

            shared = packer->uses[c] > packer->uses[shared] ? c : shared;
        }
        packer->constraint_price[shared] = 1.0;
    }
}

static void clear_prices(mtree_packer_t *packer)
{
    memset(packer->constraint_price, 0,
           (size_t)packer->candidates->num_constraints *
               sizeof(*packer->constraint_price));
}

void mtree_bound_by_entrances(mtree_packer_t *packer)
{
    const mtree_candidates_t *candidates = packer->candidates;
    int num_groups = packer->num_groups;
    double *constraint_price = packer->constraint_price;

    clear_prices(packer);
    for (int host = 0; host < candidates->num_active; ++host) {
        int rooted = num_groups > 1 ||
                     (candidates->directed && mtree_packer_root(packer, 0) == host);
        bool has_one = false;
        double carried;

        if (candidates->in_first[host] == candidates->in_first[host + 1] ||
            num_groups == rooted) {
            continue;
        }
        count_entrances(packer, host);
        carried = carried_into(packer, host, num_groups - rooted);
        for (int c = 0; c < candidates->num_constraints; ++c) {
            if (is_entrance(packer, host, c)) {
                has_one = true;
                constraint_price[c] = 1.0;
                mtree_packer_offer_bound(packer, constraint_price, carried);
                constraint_price[c] = 0.0;
            }
        }
        if (!has_one) {
            price_entrances(packer, host);
            mtree_packer_offer_bound(packer, constraint_price, carried);
            clear_prices(packer);
        }
    }
}

/* What enters all hosts together: an undirected tree uses the links of two at each
 * edge. */
static void bound_by_all_entrances(mtree_packer_t *packer)
{
    const mtree_candidates_t *candidates = packer->candidates;
    double *constraint_price = packer->constraint_price;

    clear_prices(packer);
    for (int host = 0; host < candidates->num_hosts; ++host) {
        bool has_one = false;

        count_entrances(packer, host);
        for (int c = 0; c < candidates->num_constraints; ++c) {
            if (is_entrance(packer, host, c)) {
                has_one = true;
                constraint_price[c] = 1.0;
            }
        }
        if (!has_one) {
            price_entrances(packer, host);
        }
    }
    mtree_packer_prove(packer, NULL);
}

void mtree_bound_by_load(mtree_packer_t *packer, const double *load)
{
    const mtree_candidates_t *candidates = packer->candidates;
    double worst = 0.0;
    int last = 0;

    for (int c = 0; c < candidates->num_constraints; ++c) {
        worst = fmax(worst, load[c] / candidates->capacity[c]);
    }
    for (int m = 0; m < NUM_MARGINS; ++m) {
        int count = 0;

        for (int c = 0; c < candidates->num_constraints; ++c) {
            bool is_full =
                load[c] >= (1.0 - margins[m]) * worst * candidates->capacity[c];

            packer->constraint_price[c] = is_full;
            count += is_full;
        }
        /* A wider margin adds constraints; where it adds none, it proves nothing new. */
        if (count > last) {
            mtree_packer_prove(packer, NULL);
        }
        last = count;
    }
}

static bool is_close(const mtree_packer_t *packer, const mtree_plan_t *plan)
{
    return plan->throughput >=
           packer->bound * mtree_packer_num_blocks(packer) * (1.0 - MTREE_TUNED_HARDLY);
}

static void bound_by_plan(mtree_packer_t *packer, const mtree_plan_t *plan)
{
    const mtree_candidates_t *candidates = packer->candidates;
    const mtree_problem_t *problem = packer->problem;
    double *arc_load, *load;

    MTREE_ARENA_ARRAY(problem->arena, arc_load, 2 * (size_t)problem->topology->num_links);
    MTREE_ARENA_ARRAY(problem->arena, load, (size_t)candidates->num_constraints);
    mtree_plan_load(plan, problem->routes, arc_load);
    for (int c = 0; c < candidates->num_constraints; ++c) {
        load[c] = arc_load[candidates->arc[c]];
    }
    mtree_bound_by_load(packer, load);
}

static void bound_below(mtree_packer_t *packer, const mtree_plan_t *plan)
{
    mtree_bound_by_entrances(packer);
    if (packer->num_groups == 1 && !packer->candidates->directed &&
        !is_close(packer, plan)) {
        bound_by_all_entrances(packer);
    }
    if (packer->num_groups == 1 && !is_close(packer, plan)) {
        bound_by_plan(packer, plan);
    }
}

mtree_status_t mtree_bound_plan(const mtree_problem_t *problem, mtree_plan_t *plan)
{
    mtree_candidates_t *candidates;
    mtree_packer_t *packer = NULL;
    mtree_status_t status = mtree_candidates_create(problem, &candidates);

    if (status == MTREE_OK) {
        packer = mtree_packer_create(problem, candidates);
        bound_below(packer, plan);
        status = packer->status;
    }
    if (status == MTREE_OK) {
        plan->bound = packer->bound * mtree_packer_num_blocks(packer);
        mtree_bound_describe(problem, candidates, packer->bound_price, &plan->limit);
    }
    mtree_packer_destroy(packer);
    return status;
}
