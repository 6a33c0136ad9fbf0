/* SPDX-License-Identifier: BSD-3-Clause */
/* Parts of plans, cut and sent. */
#include "tests/unit/owned.h"
#include "tests/unit/runner.h"
#include "tests/unit/schedule/random_parts.h"

#include "base/address.h"
#include "schedule/plan_part_wire.h"

#define HOSTS 13

/* Random trees; of a gathering collective two for each root. */
static mtree_plan_t *plan_of(mtree_collective_t collective)
{
    const int root = mtree_collective_has_root(collective) ? 4 : -1;
    const int trees = mtree_collective_has_blocks(collective) ? 2 : 3;
    mtree_plan_t *plan = random_plan(collective, root, HOSTS, trees);

    plan->bytes = 1e6;
    plan->throughput = 1.5e9;
    plan->seconds = 0.0125;
    for (int t = 0; t < plan->num_trees; t++) {
        plan->trees[t].chunk_bytes = (size_t)t * 1000;
    }
    return plan;
}

/* A plan that names a program, its hosts in another order than that of their numbers. */
static mtree_plan_t *program_plan(void)
{
    mtree_plan_t *trees = plan_of(MTREE_ALLREDUCE), *plan;

    plan = mtree_plan_create(MTREE_ALLREDUCE, "exchange", HOSTS,
                             (const char *const *)trees->hosts, 0);
    plan->order = calloc(HOSTS, sizeof(*plan->order));
    for (int i = 0; i < HOSTS; i++) {
        plan->order[i] = (5 * i + 2) % HOSTS;
    }
    mtree_plan_destroy(trees);
    return plan;
}

/* The hosts on the way from @a host to @a root: the first of them. */
static int first_towards(const mtree_tree_t *tree, int host, int root)
{
    for (int at = root; at >= 0; at = tree->parent[at]) {
        if (tree->parent[at] == host) {
            return at;
        }
    }
    return tree->parent[host];
}

/* What is read from the two pieces. */
static mtree_status_t read_pieces(const mtree_piece_t piece[2],
                                  mtree_plan_part_t **part_p)
{
    return mtree_plan_part_read(piece[0].bytes, piece[0].length, piece[1].bytes,
                                piece[1].length, part_p);
}

static void free_pieces(mtree_piece_t piece[2])
{
    free(piece[0].bytes);
    free(piece[1].bytes);
}

static mtree_plan_part_t *sent(const mtree_plan_part_t *part)
{
    mtree_plan_part_t *copy;
    mtree_piece_t piece[2] = {{0}};

    mtree_plan_part_write(part, &piece[0], &piece[1]);
    unit_ok(read_pieces(piece, &copy));
    free_pieces(piece);
    return copy;
}

/* The part of @a host, as it is read. */
static mtree_plan_part_t *sent_part(const mtree_plan_t *plan, int host)
{
    OWNED(plan_part) *part = mtree_plan_part_create(plan, host);

    return sent(part);
}

/* Each host knows its own cables, with its own end first. */
UNIT_TEST(a_part_has_the_cables_of_its_host)
{
    OWNED(plan) *plan = plan_of(MTREE_ALLREDUCE);
    const mtree_cable_t near = {
        .ends = {mtree_address_parse("10.1.0.1"), mtree_address_parse("10.1.0.2")},
        .capacity = {1e6, 2e6}};
    const mtree_cable_t far = {
        .ends = {mtree_address_parse("2001:db8::1"), mtree_address_parse("2001:db8::2")},
        .capacity = {3e6, 4e6}};
    const mtree_plan_cable_t cables[] = {{0, 2, near}, {2, 3, far}, {2, 3, near}};
    const int counts[][4] = {{0, 0, 1, 0}, {0, 0, 0, 0}, {1, 0, 0, 2}, {0, 0, 2, 0}};
    const mtree_part_cable_t *found;
    OWNED(plan_part) *last = NULL;
    int count;

    plan->cables = malloc(sizeof(cables));
    memcpy(plan->cables, cables, sizeof(cables));
    plan->num_cables = 3;
    for (int host = 0; host < 4; host++) {
        OWNED(plan_part) *part = sent_part(plan, host);

        for (int other = 0; other < 4; other++) {
            (void)mtree_plan_part_cables(part, other, &count);
            ck_assert_int_eq(count, counts[host][other]);
        }
    }
    last = sent_part(plan, 3);
    found = mtree_plan_part_cables(last, 2, &count);
    ck_assert(mtree_address_equals(&found[0].cable.ends[0], &far.ends[1]));
    ck_assert(mtree_address_equals(&found[0].cable.ends[1], &far.ends[0]));
    ck_assert(mtree_address_equals(&found[1].cable.ends[1], &near.ends[0]));
    ck_assert_double_eq(found[0].cable.capacity[0], 4e6);
}

static bool is_below(const mtree_tree_t *tree, int host, int top)
{
    while (host >= 0 && host != top) {
        host = tree->parent[host];
    }
    return host == top;
}

/* The host and all below it, each behind its parent, and each subtree in one piece. */
static void check_below(const mtree_plan_part_t *part, const mtree_part_tree_t *mine,
                        const mtree_tree_t *tree)
{
    int num = 0;

    for (int host = 0; host < HOSTS; host++) {
        num += is_below(tree, host, part->host);
    }
    ck_assert_int_eq(mine->num_below, num);
    ck_assert_int_eq(mine->below[0], part->host);
    for (int i = 1; i < num; i++) {
        int before = mine->below[i - 1];

        while (before != tree->parent[mine->below[i]]) {
            ck_assert_int_ne(before, part->host);
            before = tree->parent[before];
        }
    }
}

static void check_tree(const mtree_plan_part_t *part, const mtree_tree_t *tree, int t)
{
    const mtree_part_tree_t *mine = &part->trees[t];
    int edges = 0, before = -1;

    ck_assert_int_eq(mine->root, tree->root);
    ck_assert(mine->rate == tree->rate && mine->share == tree->share);
    ck_assert_uint_eq(mine->chunk_bytes, tree->chunk_bytes);
    for (int host = 0; host < HOSTS; host++) {
        edges += tree->parent[host] == part->host || tree->parent[part->host] == host;
        ck_assert(mine->latency >= tree->latency[host]);
    }
    ck_assert_int_eq(mine->num_edges, edges);
    ck_assert_int_eq(mine->below != NULL,
                     mtree_collective_is_personalized(part->collective));
    if (mine->below != NULL) {
        check_below(part, mine, tree);
    }
    for (int e = 0; e < mine->num_edges; e++) {
        bool up = e == mine->parent;
        int other = mine->edges[e].host;

        ck_assert_int_gt(other, before);
        before = other;
        ck_assert_int_eq(tree->parent[up ? part->host : other], up ? other : part->host);
        ck_assert(mine->edges[e].latency == tree->latency[up ? part->host : other]);
    }
    for (int root = 0; root < HOSTS; root++) {
        int e = mtree_plan_part_towards(part, t, root);

        if (mine->order != NULL || root == tree->root) {
            ck_assert_int_eq(e < 0 ? -1 : mine->edges[e].host,
                             root == part->host ? -1
                                                : first_towards(tree, part->host, root));
        }
    }
}

UNIT_LOOP(a_part_has_the_edges_of_its_host, 0, MTREE_COLLECTIVE_LAST)
{
    OWNED(plan) *plan = plan_of((mtree_collective_t)_i);
    mtree_plan_cut_t *cut = mtree_plan_cut_create(plan);

    for (int host = 0; host < HOSTS; host++) {
        mtree_plan_part_t *part, *copy;

        part = mtree_plan_cut_part(cut, host);
        copy = sent(part);
        mtree_plan_part_destroy(part);
        ck_assert_int_eq(copy->host, host);
        ck_assert_int_eq(copy->root, plan->root);
        ck_assert(copy->seconds == plan->seconds && copy->bytes == plan->bytes);
        for (int t = 0; t < plan->num_trees; t++) {
            check_tree(copy, &plan->trees[t], t);
        }
        mtree_plan_part_destroy(copy);
    }
    mtree_plan_cut_destroy(cut);
}

/* Host 2 is a relay of the first tree of two: 0 - 2 - 1. */
static mtree_plan_t *relayed_plan(void)
{
    static const char *const names[] = {"a", "b", "r"}, *const addresses[] = {"r:1"};
    mtree_plan_t *plan = mtree_plan_create(MTREE_ALLREDUCE, "relayed", 3, names, 2);

    unit_ok(mtree_plan_add_relays(plan, 1, addresses));
    unit_invalid(mtree_plan_add_relays(plan, 1, addresses));
    plan->trees[0].parent[2] = 0;
    plan->trees[0].parent[1] = 2;
    plan->trees[1].parent[1] = 0;
    plan->trees[1].parent[2] = MTREE_PLAN_OUTSIDE;
    plan->trees[0].rate = plan->trees[1].rate = 1e6;
    plan->trees[0].share = plan->trees[1].share = 0.5;
    return plan;
}

UNIT_TEST(a_relay_has_no_part_in_a_tree_around_it)
{
    OWNED(plan) *plan = relayed_plan();

    for (int host = 0; host < 3; host++) {
        OWNED(plan_part) *copy = sent_part(plan, host);

        ck_assert_int_eq(copy->num_relays, 1);
        ck_assert_int_eq(copy->trees[0].num_edges, host == 2 ? 2 : 1);
        ck_assert_int_eq(copy->trees[1].num_edges, host == 2 ? 0 : 1);
        ck_assert_int_eq(copy->trees[1].parent, host == 1 ? 0 : -1);
        ck_assert_int_eq(mtree_plan_part_towards(copy, 1, 1), host == 0 ? 0 : -1);
    }
}

/* What would make it the root of a tree, or a leaf. */
UNIT_LOOP(a_relay_without_parent_or_child_is_refused, 0, 2)
{
    OWNED(plan) *plan = relayed_plan();
    mtree_piece_t piece[2] = {{0}};
    mtree_plan_part_t *part, *read;

    part = mtree_plan_part_create(plan, 2);
    if (_i == 0) {
        part->trees[0].parent = -1;
    } else {
        part->trees[0].num_edges = 1;
    }
    mtree_plan_part_write(part, &piece[0], &piece[1]);
    unit_invalid(read_pieces(piece, &read));
    ck_assert_int_eq(heard_lines(), 1);
    free_pieces(piece);
    mtree_plan_part_destroy(part);
}

/* A part is for the placement with its relays alone, and personalized calls have none. */
UNIT_TEST(relays_of_another_placement_are_refused)
{
    OWNED(plan) *plan = relayed_plan();
    mtree_call_t call = {.collective = MTREE_BCAST, .units = 100, .unit_bytes = 1};
    const int host[] = {0, 1, 2};
    OWNED(placement) *placement = NULL, *relayed = NULL;
    mtree_layout_t *layout;
    OWNED(plan_part) *part = mtree_plan_part_create(plan, 0);

    unit_ok(mtree_placement_create(3, 3, host, NULL, &placement));
    unit_invalid(mtree_layout_create(part, placement, &call, 0, &layout));
    unit_ok(mtree_placement_create_relayed(2, 3, 1, host, NULL, &relayed));
    call.collective = MTREE_SCATTER;
    ck_assert_int_eq(mtree_layout_create(part, relayed, &call, 0, &layout),
                     MTREE_ERR_UNSUPPORTED);
}

/* A gathering call holds memory for the streams of its blocks, not for all trees times
 * all ranks. */
UNIT_TEST(a_call_has_the_streams_of_its_blocks)
{
    const mtree_call_t call = {
        .collective = MTREE_ALLGATHER, .units = 26000, .unit_bytes = 1};
    OWNED(plan) *plan = plan_of(MTREE_ALLGATHER);
    OWNED(plan_part) *part = NULL;
    OWNED(placement) *placement = NULL;
    OWNED(layout) *layout = NULL;
    int host[2 * HOSTS];

    for (int rank = 0; rank < 2 * HOSTS; rank++) {
        host[rank] = rank % HOSTS;
    }
    unit_ok(mtree_placement_create(2 * HOSTS, HOSTS, host, NULL, &placement));
    part = mtree_plan_part_create(plan, 3);
    unit_ok(mtree_layout_create(part, placement, &call, 3, &layout));
    ck_assert_int_eq(layout->num_streams, 2 * 2 * HOSTS);
    for (int s = 0; s < layout->num_streams; s++) {
        ck_assert_int_eq(plan->trees[layout->streams[s].tree].root,
                         host[layout->streams[s].block]);
    }
    unit_invalid(mtree_layout_create(part, placement, &call, 4, &layout));
}

UNIT_TEST(a_part_names_the_program)
{
    OWNED(plan) *plan = program_plan();
    OWNED(plan_part) *part = sent_part(plan, 3);

    ck_assert_int_eq(part->program, MTREE_PROGRAM_EXCHANGE);
    ck_assert_int_eq(part->host, 3);
    ck_assert_int_eq(part->num_trees, 0);
    ck_assert_mem_eq(part->order, plan->order, HOSTS * sizeof(*plan->order));
}

/* Whatever is missing or changed, the reader says so or gives a part that holds. */
UNIT_LOOP(damaged_bytes_are_refused, 0, MTREE_COLLECTIVE_LAST + 1)
{
    OWNED(plan) *plan =
        _i == MTREE_COLLECTIVE_LAST ? program_plan() : plan_of((mtree_collective_t)_i);
    mtree_piece_t piece[2] = {{0}};
    mtree_plan_part_t *part = mtree_plan_part_create(plan, 2);

    mtree_plan_part_write(part, &piece[0], &piece[1]);
    mtree_plan_part_destroy(part);
    for (int i = 0; i < 2; i++) {
        const size_t whole = piece[i].length;

        for (piece[i].length = 0; piece[i].length < whole; piece[i].length++) {
            unit_invalid(read_pieces(piece, &part));
        }
    }
    ck_assert_int_eq(heard_lines(), (int)(piece[0].length + piece[1].length));
    piece[0].bytes[0]++;
    unit_invalid(read_pieces(piece, &part));
    heard_text("run the same mtree on all ranks");
    piece[0].bytes[0]--;
    for (int i = 0; i < 5000; i++) {
        const mtree_piece_t *changed = &piece[random_draw(2)];
        char *byte = &changed->bytes[random_draw((int)changed->length)], kept = *byte;

        *byte = (char)random_draw(256);
        if (read_pieces(piece, &part) == MTREE_OK) {
            mtree_plan_part_destroy(sent(part));
            mtree_plan_part_destroy(part);
        }
        *byte = kept;
    }
    free_pieces(piece);
}
