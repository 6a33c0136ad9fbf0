/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Bcast, reduce and allreduce by arrival: ranks come in random order at random moments,
 * and some only when all that can happen without them has happened.
 */
#include "planner/regular/chains.h"
#include "schedule/arrival/arrival.h"
#include "schedule/operation_private.h"
#include "tests/unit/runner.h"
#include "tests/unit/schedule/chaos.h"
#include "tests/unit/schedule/vectors.h"

#define MAX_RANKS 12

/* A process for each loop. */
#define LOOPS        unit_loops(2, 8)
#define CASES_A_LOOP 500

/* One collective on all ranks. */
typedef struct {
    mtree_call_t call;
    mtree_plan_t *plan;
    mtree_placement_t *placement;
    chaos_t *network, *control;
    size_t room;
    bool lasting;
    bool packed; /* the data of a bcast */
    bool fails;  /* operations end with this: */
    mtree_status_t status;
    atomic_size_t aside;
    int num_ranks;
    vectors_t vectors;
    mtree_operation_t *operations[MAX_RANKS];
    mtree_operation_data_t data[MAX_RANKS];
    bool started[MAX_RANKS], finished[MAX_RANKS], released[MAX_RANKS];
} world_t;

typedef struct {
    world_t *world;
    int rank;
} seat_t;

static seat_t seats[MAX_RANKS];

/* From here on the buffers are the user's again, who uses them. */
static void finish(mtree_operation_t *operation, mtree_status_t status, void *arg)
{
    seat_t *seat = arg;
    world_t *world = seat->world;

    world->status = status;
    if (world->fails) {
        return;
    }
    unit_ok(status);
    ck_assert(!world->finished[seat->rank]);
    vectors_verify(&world->vectors, seat->rank);
    world->finished[seat->rank] = true;
    memset(world->vectors.input[seat->rank], 0xee, 4 * world->vectors.units);
    memset(world->vectors.output[seat->rank], 0xee, 4 * world->vectors.units);
    mtree_operation_free(operation);
}

static void release(void *arg)
{
    seat_t *seat = arg;

    ck_assert(seat->world->finished[seat->rank]);
    ck_assert(!seat->world->released[seat->rank]);
    seat->world->released[seat->rank] = true;
}

/* Each other rank is a peer at the rate of the route to its host. */
static void verify_peers(const world_t *world, int rank)
{
    const mtree_layout_t *layout = world->operations[rank]->layout;
    const int *host = world->placement->host;

    ck_assert_int_eq(layout->num_peers, world->num_ranks - 1);
    for (int p = 0; p < layout->num_peers && world->plan->routes != NULL; p++) {
        const int route =
            host[rank] * world->plan->num_hosts + host[layout->peers[p].rank];

        ck_assert_double_eq(layout->peers[p].rate, world->plan->routes[route].rate);
    }
}

static void start(world_t *world, int rank)
{
    mtree_operation_data_t *data = &world->data[rank];
    mtree_arrival_t arrival = {.plan = world->plan,
                               .placement = world->placement,
                               .call = &world->call,
                               .rank = rank,
                               .transport = chaos_transport(world->network, rank),
                               .control = chaos_transport(world->control, rank),
                               .window_bytes = world->room,
                               .copy_budget = &world->aside,
                               .reuses_tags = world->lasting};

    seats[rank] = (seat_t){world, rank};
    *data = (mtree_operation_data_t){.input = world->vectors.input[rank],
                                     .output = world->vectors.output[rank],
                                     .extent = (ptrdiff_t)world->call.unit_bytes,
                                     .span = world->call.unit_bytes,
                                     .fold = chaos_fold_add,
                                     .arg = world->vectors.output[rank]};
    if (world->packed) {
        data->pack = chaos_pack;
        data->unpack = chaos_unpack;
    }
    world->started[rank] = true;
    mtree_arrival_start(&arrival, data, finish, release, &seats[rank],
                        &world->operations[rank]);
    if (!world->finished[rank] && !world->fails) {
        verify_peers(world, rank);
    }
}

/* One thing on either network; false: nothing can happen. */
static bool step(world_t *world)
{
    if (random_draw(2) == 0) {
        return chaos_step(world->network) || chaos_step(world->control);
    }
    return chaos_step(world->control) || chaos_step(world->network);
}

static void add_plan(world_t *world, int hosts)
{
    static const char *names[MAX_RANKS] = {"a", "b", "c", "d", "e", "f",
                                           "g", "h", "i", "j", "k", "l"};
    mtree_chains_link_t link = {.bytes = 1 + random_draw(2000000), .bandwidth = 1e9};
    int root = world->placement->host[world->call.root];
    int command[MAX_RANKS], num = 0;

    link.latency = random_draw(3) * 1e-3;
    world->plan =
        mtree_plan_create(world->call.collective, MTREE_PLAN_ARRIVAL, hosts, names, 1);
    for (int host = 0; host < hosts; host++) {
        if (host != root) {
            command[num++] = host;
        }
    }
    world->plan->trees[0].root = root;
    mtree_chains_build(command, num, root, &link, world->plan->trees[0].parent);
    if (random_draw(2) == 0) {
        world->plan->routes =
            calloc((size_t)(hosts * hosts), sizeof(*world->plan->routes));
        for (int i = 0; i < hosts * hosts; i++) {
            world->plan->routes[i] = (mtree_plan_route_t){1e6 * (1 + random_draw(100)),
                                                          1e-3, 1 + random_draw(3)};
        }
    }
}

static void world_open(world_t *world, mtree_collective_t collective, int num_ranks,
                       int hosts, size_t units)
{
    int host[MAX_RANKS];

    memset(world, 0, sizeof(*world));
    world->num_ranks = num_ranks;
    world->call = (mtree_call_t){.collective = collective,
                                 .root = random_draw(num_ranks),
                                 .units = units,
                                 .unit_bytes = collective == MTREE_BCAST ? 1 : 4,
                                 .chunk_bytes = (size_t)(256 + 4 * random_draw(2000))};
    if (collective == MTREE_BCAST) {
        world->call.units *= 4;
    }
    for (int r = 0; r < num_ranks; r++) {
        host[r] = r < hosts ? r : random_draw(hosts);
    }
    world->vectors = (vectors_t){.collective = collective,
                                 .root = world->call.root,
                                 .ranks = num_ranks,
                                 .units = units};
    vectors_fill(&world->vectors);
    unit_ok(mtree_placement_create(num_ranks, hosts, host, NULL, &world->placement));
    add_plan(world, hosts);
    world->network =
        chaos_create(num_ranks, world->call.unit_bytes, (unsigned)random_draw(1 << 30));
    world->control = chaos_create(num_ranks, 1, (unsigned)random_draw(1 << 30));
    world->room = (size_t)random_draw(3) * 20000;
    atomic_init(&world->aside, 1 << 20);
}

/* Nothing may be left over: a later call's messages would meet it. */
static void world_close(world_t *world)
{
    while (step(world)) {}
    for (int r = 0; r < world->num_ranks; r++) {
        ck_assert_msg(world->released[r], "rank %d of %d hangs in %s of %zu units", r,
                      world->num_ranks, mtree_collective_name(world->call.collective),
                      world->call.units);
    }
    ck_assert_uint_eq(atomic_load(&world->aside), 1 << 20);
    if (world->call.longest_bytes > 0) {
        ck_assert_uint_le(chaos_longest(world->network) * world->call.unit_bytes,
                          world->call.longest_bytes);
    }
    ck_assert(chaos_is_quiet(world->network));
    ck_assert(chaos_is_quiet(world->control));
    vectors_free(&world->vectors);
    chaos_destroy(world->network);
    chaos_destroy(world->control);
    mtree_plan_destroy(world->plan);
    mtree_placement_destroy(world->placement);
}

static size_t draw_units(void)
{
    return random_draw(3) == 0 ? (size_t)(1 + random_draw(16000))
                               : (size_t)(17000 + random_draw(20000));
}

UNIT_LOOP(test_random_arrivals, 0, LOOPS)
{
    random_seed((unsigned)_i * 1000);
    for (int c = 0; c < CASES_A_LOOP; c++) {
        static const mtree_collective_t kinds[] = {MTREE_BCAST, MTREE_REDUCE,
                                                   MTREE_ALLREDUCE};
        int num_ranks = 2 + random_draw(MAX_RANKS - 1);
        world_t world;
        int command[MAX_RANKS];

        world_open(&world, kinds[random_draw(3)], num_ranks, 1 + random_draw(num_ranks),
                   draw_units());
        world.call.longest_bytes = c % 3 == 0 ? (size_t)(100 + 4 * c) : 0;
        world.lasting = random_draw(3) == 0;
        world.packed = world.call.collective == MTREE_BCAST && random_draw(2) == 0;
        for (int r = 0; r < num_ranks; r++) {
            int other = random_draw(r + 1);

            command[r] = command[other];
            command[other] = r;
        }
        for (int r = 0; r < num_ranks; r++) {
            int pause = random_draw(4) == 0 ? 1 << 30 : random_draw(200);

            start(&world, command[r]);
            while (pause-- > 0 && step(&world)) {}
        }
        world_close(&world);
    }
}

/* Who has left, when all but @a late have come and nothing more can happen. */
static int num_finished_without(world_t *world, int late)
{
    int finished = 0;

    for (int r = 0; r < world->num_ranks; r++) {
        if (r != late) {
            start(world, r);
        }
    }
    while (step(world)) {}
    for (int r = 0; r < world->num_ranks; r++) {
        finished += world->finished[r];
    }
    start(world, late);
    return finished;
}

static int rank_but(int num_ranks, int root)
{
    return (root + 1 + random_draw(num_ranks - 1)) % num_ranks;
}

/*
 * Of a bcast everyone leaves before the late one comes, the root, too, where it may keep
 * a copy.  Of a reduce everyone does but the root and those whose sum the late one is to
 * take; with a rank a host and one chain that is one.
 */
UNIT_LOOP(test_one_late, 0, 3)
{
    static const struct {
        mtree_collective_t collective;
        bool lasting;
        int others; /* that stay */
    } rows[] = {
        {MTREE_BCAST, false, 0}, {MTREE_BCAST, true, 1}, {MTREE_REDUCE, false, 2}};
    const bool sums = rows[_i].collective == MTREE_REDUCE;

    for (int c = 0; c < 100 + 100 * sums; c++) {
        int num_ranks = 3 + random_draw(MAX_RANKS - 2);
        world_t world;

        random_seed((unsigned)c + 76);
        world_open(&world, rows[_i].collective, num_ranks,
                   sums ? num_ranks : 1 + random_draw(num_ranks), 20000);
        world.lasting = rows[_i].lasting;
        for (int host = 0; host < num_ranks && sums; host++) {
            /* Not an order of places, so that there is one chain. */
            if (host != world.plan->trees[0].root) {
                world.plan->trees[0].parent[host] = host;
            }
            world.room = 1 << 20;
        }
        ck_assert_int_eq(
            num_finished_without(&world, rank_but(num_ranks, world.call.root)),
            num_ranks - 1 - rows[_i].others);
        world_close(&world);
    }
}

/* A message that cannot be sent ends the operation of the rank that was to send it. */
UNIT_TEST(test_failure_is_told)
{
    /* What is under way stays so, where LeakSanitizer finds it. */
    static world_t world;

    random_seed(4);
    world_open(&world, MTREE_REDUCE, 4, 4, 20000);
    world.fails = true;
    chaos_fail_after(world.control, 0);
    start(&world, rank_but(4, world.call.root));
    while (step(&world)) {}
    ck_assert_int_eq(world.status, MTREE_ERR_TRANSPORT);
}

UNIT_SECONDS(120)
