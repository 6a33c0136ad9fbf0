/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Drift: slow links are found, changed and tried again, with rates from a lab and with
 * rates of paths whose narrowest links are known.
 */
#include "tests/unit/given.h"
#include "topo/drift/drift.h"

#define MAX_SAMPLES 600
#define LAB_SCALE   0.2
#define LAB_CALLS   14
#define CUT_AFTER   7 /* the lab's link was cut after this call */

static mtree_drift_t *drift;

static void begin(mtree_topology_t *of)
{
    mtree_drift_destroy(drift);
    given(of);
    unit_ok(mtree_drift_create(of, hosts, num_hosts, &drift));
}

static void begin_text(const char *text)
{
    begin(map_text(text));
}

static void begin_b4(void)
{
    mtree_topology_t *b4 = map_file(TOPOLOGIES "/b4.dot");

    for (int l = 0; l < b4->num_links; l++) {
        map_scale(b4, l, LAB_SCALE);
    }
    begin(b4);
}

static void end(void)
{
    mtree_drift_destroy(drift);
    drift = NULL;
    forget();
}

static int host_number(const char *name)
{
    int vertex = mtree_topology_find_vertex(topology, name);

    for (int h = 0; h < num_hosts; h++) {
        if (hosts[h] == vertex) {
            return h;
        }
    }
    ck_abort_msg("no host %s", name);
    return -1;
}

/* The capacity of a link of @a of, Mb/s. */
static double capacity(const mtree_topology_t *of, const char *from, const char *to)
{
    return mtree_arc_capacity(of, map_arc(of, from, to)) / 1e6;
}

static double believed(const char *from, const char *to)
{
    return capacity(mtree_drift_topology(drift), from, to);
}

static int count_changed_arcs(void)
{
    const mtree_topology_t *now = mtree_drift_topology(drift);
    int changed = 0;

    for (int a = 0; a < 2 * now->num_links; a++) {
        double was = mtree_arc_capacity(topology, a);

        changed += fabs(mtree_arc_capacity(now, a) - was) > 1e-6 * was;
    }
    return changed;
}

/* The samples of a call of the lab; returns their number. */
static int read_lab(int wanted, mtree_path_sample_t *samples)
{
    FILE *in = fopen(FIXTURES "/paces/b4-cut.txt", "r");
    char line[256], from[32], to[32];
    float rate, backlogged_rate, backlogged;
    int call, num = 0;

    ck_assert_ptr_nonnull(in);
    while (fgets(line, sizeof(line), in) != NULL) {
        if (sscanf(line, "%d %31s %31s %f %f %f", &call, from, to, &rate,
                   &backlogged_rate, &backlogged) == 6 &&
            call == wanted) {
            samples[num++] =
                (mtree_path_sample_t){.from = host_number(from),
                                      .to = host_number(to),
                                      .rate = rate * 1e6F,
                                      .backlogged_rate = backlogged_rate * 1e6F,
                                      .backlogged = backlogged};
        }
    }
    fclose(in);
    ck_assert_int_gt(num, 30);
    return num;
}

static unsigned long long state;

static float draw_factor(float spread)
{
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return 1 + spread * (2 * (float)(state >> 40) / (float)(1 << 24) - 1);
}

UNIT_TEST(test_cut_link_of_the_lab_is_found)
{
    mtree_path_sample_t samples[MAX_SAMPLES];

    begin_b4();
    for (int call = 0; call <= CUT_AFTER; call++) {
        ck_assert(!mtree_drift_update(drift, samples, read_lab(call, samples)));
    }
    /* A quarter is two octaves: two observations reach the threshold. */
    ck_assert(!mtree_drift_update(drift, samples, read_lab(CUT_AFTER + 1, samples)));
    ck_assert_int_eq(count_changed_arcs(), 0);
    ck_assert(mtree_drift_update(drift, samples, read_lab(CUT_AFTER + 2, samples)));
    unit_has(mtree_drift_change_summary(drift), "US6->EU2 gives ");
    ck_assert_double_eq_tol(believed("US6", "EU2"), 10, 1);
    for (int call = CUT_AFTER + 3; call < LAB_CALLS; call++) {
        mtree_drift_update(drift, samples, read_lab(call, samples));
    }
    ck_assert_double_eq_tol(believed("US6", "EU2"), 10, 1);
    ck_assert_double_eq_tol(believed("EU2", "US6"), 10, 1);
    ck_assert_int_eq(count_changed_arcs(), 2);
}

UNIT_LOOP(test_jitter_of_a_fifth_changes_nothing, 0, 5)
{
    mtree_path_sample_t samples[MAX_SAMPLES];

    begin_b4();
    state = (unsigned long long)_i;
    for (int observation = 0; observation < 200; observation++) {
        int num = read_lab(1 + observation % CUT_AFTER, samples);

        for (int i = 0; i < num; i++) {
            float factor = draw_factor(0.2F);

            samples[i].rate *= factor;
            samples[i].backlogged_rate *= factor;
        }
        ck_assert(!mtree_drift_update(drift, samples, num));
    }
    ck_assert_int_eq(count_changed_arcs(), 0);
}

UNIT_TEST(test_one_bad_call_in_ten_changes_nothing)
{
    mtree_path_sample_t samples[MAX_SAMPLES];

    begin_b4();
    for (int observation = 0; observation < 100; observation++) {
        int call = observation % 10 == 0 ? CUT_AFTER + 3 : 1 + observation % CUT_AFTER;

        ck_assert(!mtree_drift_update(drift, samples, read_lab(call, samples)));
    }
    ck_assert_int_eq(count_changed_arcs(), 0);
}

UNIT_TEST(test_slow_processors_are_no_slow_link)
{
    mtree_path_sample_t samples[MAX_SAMPLES];

    begin_b4();
    for (int observation = 0; observation < 20; observation++) {
        int num = read_lab(1 + observation % CUT_AFTER, samples);

        for (int i = 0; i < num; i++) {
            const char *from = topology->vertices[hosts[samples[i].from]].name;
            const char *to = topology->vertices[hosts[samples[i].to]].name;

            samples[i].rate = (float)(0.285e6 * capacity(topology, from, to));
            samples[i].backlogged_rate = samples[i].rate;
            samples[i].backlogged = 1;
        }
        ck_assert(!mtree_drift_update(drift, samples, num));
    }
    /* All capacities change together, so that plans stay as good; and they change back.
     */
    ck_assert_double_eq_tol(believed("US6", "EU2"), 12, 0.1);
    unit_near(believed("US6", "EU2") / 40, believed("AS1", "AS2") / 36);
}

#define STAR                                                                             \
    "graph { s [kind=switch]; a -- s [capacity=\"10Mbps\"]; b -- s "                     \
    "[capacity=\"10Mbps\"];"                                                             \
    "c -- s [capacity=\"10Mbps\"]; d -- s [capacity=\"10Mbps\"] }"

/* A sample like @a like of every way between two hosts; their number. */
static int all_ways(mtree_path_sample_t like, mtree_path_sample_t *samples)
{
    int num = 0;

    for (like.from = 0; like.from < num_hosts; like.from++) {
        for (like.to = 0; like.to < num_hosts; like.to++) {
            if (like.from != like.to) {
                samples[num++] = like;
            }
        }
    }
    return num;
}

/* Every host of the star sends to every other; @a slow sends at @a rate. */
static int star_samples(const char *slow, float rate, mtree_path_sample_t *samples)
{
    const mtree_path_sample_t like = {.rate = rate / 3, .backlogged_rate = rate / 3};
    const int num = all_ways(like, samples);

    for (int i = 0; i < num; i++) {
        samples[i].backlogged = samples[i].from == host_number(slow) ? 1 : 0;
    }
    return num;
}

UNIT_TEST(test_shared_link_is_the_cause)
{
    mtree_path_sample_t samples[MAX_SAMPLES];

    begin_text(STAR);
    ck_assert(!mtree_drift_update(drift, samples, star_samples("c", 9.5e6F, samples)));
    ck_assert(!mtree_drift_update(drift, samples, star_samples("c", 2.375e6F, samples)));
    ck_assert(mtree_drift_update(drift, samples, star_samples("c", 2.375e6F, samples)));
    ck_assert_double_eq_tol(believed("c", "s"), 2.5, 1e-3);
    ck_assert_int_eq(count_changed_arcs(), 1);
}

#define PAIR                                                                             \
    "graph { a -- b [capacity=\"8Mbps\"]; b -- c [capacity=\"8Mbps\"];"                  \
    "c -- a [capacity=\"8Mbps\"] }"

/* Three links in both directions; a to b gives @a rate and is backlogged for a part of
 * the time.  The number of ways. */
static int triangle_samples(double rate, double backlogged, mtree_path_sample_t *samples)
{
    const mtree_path_sample_t like = {
        .rate = 4e6F, .backlogged_rate = 7.6e6F, .backlogged = 0.4F};
    const int num = all_ways(like, samples);

    samples[0].rate = samples[0].backlogged_rate = (float)rate;
    samples[0].backlogged = (float)backlogged;
    return num;
}

static mtree_drift_change_t hear_pair(double rate, double backlogged)
{
    mtree_path_sample_t samples[6];
    int num = triangle_samples(rate, backlogged, samples);

    return mtree_drift_update(drift, samples, num);
}

static mtree_drift_change_t last_change;

/* Observations until the topology changes, at most @a most. */
static int hear_until_changed(double rate, double backlogged, int most)
{
    int observation = 1;

    while (observation <= most &&
           (last_change = hear_pair(rate, backlogged)) == MTREE_DRIFT_NOTHING) {
        observation++;
    }
    return observation;
}

UNIT_TEST(test_recovered_link_is_tried)
{
    begin_text(PAIR);
    ck_assert_int_eq(hear_until_changed(1.9e6, 0.9, 10), 2);
    ck_assert_double_eq_tol(believed("a", "b"), 2, 1e-3);
    /* As long as it is backlogged at that rate, nothing is tried. */
    ck_assert_int_eq(hear_until_changed(1.9e6, 0.9, 1000), 1001);
    /* It is no longer backlogged: soon it is tried at twice the capacity, then at all of
     * it. */
    ck_assert_int_le(hear_until_changed(1.8e6, 0.05, 10), 5);
    ck_assert_double_eq_tol(believed("a", "b"), 4, 1e-3);
    unit_has(mtree_drift_change_summary(drift), "a->b is tried at 4 Mb/s");
    ck_assert_int_le(hear_until_changed(3.6e6, 0.05, 20), 10);
    ck_assert_double_eq_tol(believed("a", "b"), 8, 1e-3);
    ck_assert_int_eq(hear_until_changed(3.6e6, 0.05, 1000), 1001);
}

UNIT_TEST(test_failed_trials_become_rare)
{
    int trials = 0;

    begin_text(PAIR);
    ck_assert_int_eq(hear_until_changed(1.9e6, 0.9, 10), 2);
    /* The plan avoids it: nothing is known until it is tried. */
    for (int observation = 0; observation < 1000; observation++) {
        if (hear_pair(0.1e6, 0) != MTREE_DRIFT_NOTHING) {
            ck_assert_double_eq_tol(believed("a", "b"), 4, 1e-3);
            trials++;
            /* It gives no more than before: one observation is enough. */
            ck_assert_int_eq(hear_until_changed(1.9e6, 0.9, 10), 1);
            ck_assert_double_eq_tol(believed("a", "b"), 2, 1e-3);
        }
    }
    ck_assert_int_ge(trials, 3);
    ck_assert_int_le(trials, 4);
}

UNIT_TEST(test_faster_link)
{
    begin_text(PAIR);
    ck_assert_int_le(hear_until_changed(15.2e6, 0.9, 10), 4);
    ck_assert_double_eq_tol(believed("a", "b"), 16, 1e-3);
    ck_assert_int_eq(count_changed_arcs(), 1);
}

/* Observations at one rate, then as many at the other one, and so on. */
static const struct {
    int period, observations;
    double slow;
    int least, most; /* changes */
} oscillations[] = {
    {10, 400, 1.9e6, 0, 16},  /* of 40 */
    {30, 600, 6.08e6, 1, 10}, /* of 20 */
};

UNIT_EACH(test_oscillating_link_is_changed_rarely, oscillations)
{
    int changes = 0;

    begin_text(PAIR);
    for (int i = 0; i < oscillations[_i].observations; i++) {
        const bool is_slow = i / oscillations[_i].period % 2 == 0;

        changes += hear_pair(is_slow ? oscillations[_i].slow : 7.6e6, 0.9) !=
                   MTREE_DRIFT_NOTHING;
    }
    ck_assert_int_ge(changes, oscillations[_i].least);
    ck_assert_int_le(changes, oscillations[_i].most);
}

UNIT_TEST(test_invalid_samples_are_ignored)
{
    mtree_path_sample_t samples[] = {{.from = -1, .to = 1, .rate = 1e6F, .backlogged = 1},
                                     {.from = 0, .to = 9, .rate = 1e6F, .backlogged = 1},
                                     {.from = 1, .to = 1, .rate = 1e6F, .backlogged = 1},
                                     {.from = 0, .to = 1, .rate = 0, .backlogged = 1}};

    begin_text(PAIR);
    for (int observation = 0; observation < 10; observation++) {
        ck_assert(!mtree_drift_update(drift, samples, 4));
        ck_assert(!mtree_drift_update(drift, samples, 0));
    }
    ck_assert_int_eq(count_changed_arcs(), 0);
}

/* The same of a gradual correction. */
static int hear_until_corrected(double rate, double backlogged, int most)
{
    const int observation = hear_until_changed(rate, backlogged, most);

    ck_assert_int_ne(last_change, MTREE_DRIFT_LARGE);
    return observation;
}

UNIT_TEST(test_gradual_correction)
{
    int waited;

    begin_text(PAIR);
    ck_assert_int_eq(hear_until_corrected(7.6e6, 0.9, 100), 101);
    waited = hear_until_corrected(6.08e6, 0.9, 40);
    ck_assert_int_ge(waited, 4);
    ck_assert_int_le(waited, 40);
    ck_assert_double_eq_tol(believed("a", "b"), 6.4, 0.8);
    unit_has(mtree_drift_change_summary(drift), "a->b gives ");
    ck_assert_int_eq(count_changed_arcs(), 1);
}

/* A link that has stopped is one that a file may have. */
UNIT_TEST(test_a_link_that_stands_still_has_a_capacity)
{
    begin_text(PAIR);
    for (int i = 0; i < 2000; i++) {
        (void)hear_pair(1e-3, 0.9);
    }
    ck_assert_double_ge(believed("a", "b"), MTREE_TOPOLOGY_MIN_CAPACITY / 1e6);
}

UNIT_TEST(test_corrected_link_recovers)
{
    begin_text(PAIR);
    ck_assert_int_le(hear_until_corrected(6.08e6, 0.9, 40), 40);
    /* It is backlogged at its former capacity, which is observed. */
    ck_assert_int_le(hear_until_corrected(7.6e6, 0.9, 60), 60);
    ck_assert_double_eq_tol(believed("a", "b"), 8, 0.4);
    begin_text(PAIR);
    ck_assert_int_le(hear_until_corrected(6.08e6, 0.9, 40), 40);
    /* It carries less and is no longer backlogged: it is tried. */
    ck_assert_int_le(hear_until_corrected(2e6, 0.05, 80), 80);
    ck_assert_double_eq_tol(believed("a", "b"), 8, 1e-3);
    unit_has(mtree_drift_change_summary(drift), "a->b is tried at 8 Mb/s");
}

UNIT_TEST(test_conditions_stay)
{
    const mtree_link_t *link;

    begin_text("graph g { a -- b [capacity=\"8Mbps\" latency=\"2ms\" loss=0.01 mtu=1400 "
               "burst=\"64K\" from_address=\"10.0.0.1\" to_address=\"10.0.0.2\"]; }");
    link = &mtree_drift_topology(drift)->links[0];
    unit_near(link->latency, 2e-3);
    ck_assert_mem_eq(&link->conditions, &topology->links[0].conditions,
                     sizeof(link->conditions));
    ck_assert_double_eq(link->conditions.burst, 65536);
    ck_assert_int_eq(link->num_cables, 1);
    ck_assert_mem_eq(link->cables, topology->links[0].cables, sizeof(*link->cables));
}

#define CABLE(_network)                                                                  \
    "[capacity=\"8Mbps\" from_address=\"10.0." _network                                  \
    ".1\" to_address=\"10.0." _network ".2\"]"

/* Three cables, and a link of d to c. */
#define CABLES                                                                           \
    "graph { a -- b " CABLE("1") "; b -- c " CABLE("2") "; c -- a " CABLE(               \
        "3") "; c -- d [capacity=\"8Mbps\"] }"

/* What changes when the link of two hosts has @a state, and @a rate goes between them. */
static mtree_drift_change_t hear_link(const char *from, const char *to,
                                      mtree_link_state_t state, float rate)
{
    const mtree_path_sample_t sample = {.from = host_number(from),
                                        .to = host_number(to),
                                        .rate = rate,
                                        .backlogged_rate = rate,
                                        .backlogged = 0.9F,
                                        .link = state};

    return mtree_drift_update(drift, &sample, 1);
}

UNIT_TEST(test_a_link_that_is_gone_is_left_out)
{
    begin_text(CABLES);
    ck_assert_int_eq(hear_link("b", "a", MTREE_LINK_GONE, 7.6e6F), MTREE_DRIFT_GONE);
    ck_assert_str_eq(mtree_drift_change_summary(drift), "a--b is gone");
    ck_assert_double_eq(believed("a", "b"), 0);
    ck_assert_double_eq(believed("b", "a"), 0);
    ck_assert_int_eq(count_changed_arcs(), 2);
    /* Others say so, too, and again. */
    ck_assert_int_eq(hear_link("a", "b", MTREE_LINK_GONE, 7.6e6F), MTREE_DRIFT_NOTHING);
    ck_assert_str_eq(mtree_drift_change_summary(drift), "");
    /* What is measured between them is of the links that are left. */
    while (hear_link("a", "b", MTREE_LINK_GONE, 1e6F) == MTREE_DRIFT_NOTHING) {}
    ck_assert_double_lt(believed("a", "c") + believed("c", "b"), 16);
    ck_assert_double_eq(believed("a", "b"), 0);
}

UNIT_TEST(test_a_link_without_which_hosts_are_apart_stays)
{
    begin_text(CABLES);
    ck_assert_int_eq(hear_link("a", "b", MTREE_LINK_GONE, 7.6e6F), MTREE_DRIFT_GONE);
    ck_assert_int_eq(hear_link("b", "c", MTREE_LINK_GONE, 7.6e6F), MTREE_DRIFT_NOTHING);
    ck_assert_double_eq(believed("b", "c"), 8);
}

UNIT_TEST(test_only_links_with_ends_are_left_out)
{
    begin_text(CABLES);
    ck_assert_int_eq(hear_link("c", "d", MTREE_LINK_GONE, 7.6e6F), MTREE_DRIFT_NOTHING);
    ck_assert_int_eq(hear_link("a", "d", MTREE_LINK_GONE, 7.6e6F), MTREE_DRIFT_NOTHING);
    ck_assert_int_eq(count_changed_arcs(), 0);
}

UNIT_TEST(test_while_a_link_is_lost_rates_show_nothing)
{
    begin_text(CABLES);
    for (int i = 0; i < 100; i++) {
        ck_assert_int_eq(hear_link("a", "b", MTREE_LINK_LOST, 1e6F), MTREE_DRIFT_NOTHING);
    }
    ck_assert_int_eq(count_changed_arcs(), 0);
}

UNIT_FIXTURE(NULL, end)
