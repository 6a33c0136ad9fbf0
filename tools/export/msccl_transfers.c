/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/export/msccl_transfers.h"

#include "base/array.h"
#include "tools/export/msccl_program.h"

#include <stdlib.h>

/* Does tree @a other share the chunks that tree @a tree has a part of? */
static bool are_cut_together(const mtree_plan_t *plan, int tree, int other)
{
    return !mtree_collective_has_blocks(plan->collective) ||
           plan->trees[tree].root == plan->trees[other].root;
}

/* Chunks that @a tree lacks of what its share says. */
static double lack(const mtree_plan_t *plan, int chunks, const int *count, int tree)
{
    return plan->trees[tree].share * chunks - count[tree];
}

/* Give the chunks that rounding has left of those of @a tree to the trees that lack
 * most. */
static void give_rest(const mtree_plan_t *plan, int chunks, int tree, int *count)
{
    int rest = chunks;

    for (int other = 0; other < plan->num_trees; other++) {
        rest -= are_cut_together(plan, tree, other) ? count[other] : 0;
    }
    while (rest-- > 0) {
        int most = tree;

        for (int other = 0; other < plan->num_trees; other++) {
            if (are_cut_together(plan, tree, other) &&
                lack(plan, chunks, count, other) > lack(plan, chunks, count, most)) {
                most = other;
            }
        }
        count[most]++;
    }
}

void msccl_transfers_cut(const mtree_plan_t *plan, int chunks, int *count)
{
    for (int tree = 0; tree < plan->num_trees; tree++) {
        count[tree] = (int)(plan->trees[tree].share * chunks);
    }
    for (int tree = 0; tree < plan->num_trees; tree++) {
        give_rest(plan, chunks, tree, count);
    }
}

/* The chunks before those of @a tree. */
static int first_of(const mtree_plan_t *plan, const int *count, int tree)
{
    int first = 0;

    for (int other = 0; other < tree; other++) {
        first += are_cut_together(plan, tree, other) ? count[other] : 0;
    }
    return first;
}

static mtree_status_t make_pieces(const mtree_plan_t *plan, int chunks,
                                  msccl_transfers_t *order)
{
    int *count = malloc((size_t)plan->num_trees * sizeof(*count));
    mtree_status_t status = count != NULL ? MTREE_OK : MTREE_ERR_NO_MEMORY;

    if (status == MTREE_OK) {
        msccl_transfers_cut(plan, chunks, count);
    }
    for (int tree = 0; tree < plan->num_trees && status == MTREE_OK; tree++) {
        int first = first_of(plan, count, tree), end = first + count[tree];

        while (first < end && status == MTREE_OK) {
            const int most =
                end - first < MSCCL_MAX_COUNT ? end - first : MSCCL_MAX_COUNT;

            status = mtree_array_reserve(&order->pieces, &order->piece_room,
                                         order->num_pieces + 1, sizeof(*order->pieces));
            if (status == MTREE_OK) {
                order->pieces[order->num_pieces++] = (msccl_piece_t){tree, first, most};
                first += most;
            }
        }
    }
    free(count);
    return status;
}

/* Steps down to @a host: of a plan with steps its own, else hops. */
static int depth_of(const mtree_tree_t *tree, int host)
{
    int depth = 0;

    if (tree->step[host] > 0) {
        return tree->step[host];
    }
    for (; host != tree->root; host = tree->parent[host]) {
        depth++;
    }
    return depth;
}

static int deepest(const mtree_plan_t *plan)
{
    int depth = 0;

    for (int t = 0; t < plan->num_trees; t++) {
        for (int host = 0; host < plan->num_hosts; host++) {
            const int this_depth = depth_of(&plan->trees[t], host);

            depth = this_depth > depth ? this_depth : depth;
        }
    }
    return depth;
}

static mtree_status_t add_transfer(msccl_transfers_t *order, msccl_transfer_t transfer)
{
    mtree_status_t status =
        mtree_array_reserve(&order->transfers, &order->transfer_room,
                            order->num_transfers + 1, sizeof(*order->transfers));

    if (status == MTREE_OK) {
        order->transfers[order->num_transfers++] = transfer;
    }
    return status;
}

static int compare_transfers(const void *first, const void *second)
{
    const msccl_transfer_t *a = first, *b = second;

    if (a->time != b->time) {
        return a->time < b->time ? -1 : 1;
    }
    if (a->piece != b->piece) {
        return a->piece < b->piece ? -1 : 1;
    }
    return a->host - b->host;
}

static mtree_status_t make_transfers(const mtree_plan_t *plan, msccl_transfers_t *order)
{
    const bool up = mtree_collective_goes_up(plan->collective),
               down = mtree_collective_goes_down(plan->collective);
    const int last = deepest(plan);
    mtree_status_t status = MTREE_OK;

    for (int piece = 0; piece < order->num_pieces; piece++) {
        const mtree_tree_t *tree = &plan->trees[order->pieces[piece].tree];

        for (int host = 0; host < plan->num_hosts && status == MTREE_OK; host++) {
            const int depth = depth_of(tree, host);

            if (host != tree->root && up) {
                status = add_transfer(
                    order, (msccl_transfer_t){last - depth, piece, host, true});
            }
            if (host != tree->root && down && status == MTREE_OK) {
                status = add_transfer(
                    order, (msccl_transfer_t){last + depth, piece, host, false});
            }
        }
    }
    if (status == MTREE_OK && order->num_transfers > 0) {
        qsort(order->transfers, (size_t)order->num_transfers, sizeof(*order->transfers),
              compare_transfers);
    }
    return status;
}

mtree_status_t msccl_transfers_make(const mtree_plan_t *plan, int chunks,
                                    msccl_transfers_t *order)
{
    mtree_status_t status;

    *order = (msccl_transfers_t){0};
    status = make_pieces(plan, chunks, order);
    return status == MTREE_OK ? make_transfers(plan, order) : status;
}

void msccl_transfers_cleanup(msccl_transfers_t *order)
{
    free(order->pieces);
    free(order->transfers);
    *order = (msccl_transfers_t){0};
}
