/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mtree compare: the planner's algorithms and Open MPI's own, side by side on one
 * simulated network.
 */
#include "tools/planned_network.h"

#include "base/log.h"
#include "base/nearest.h"
#include "base/units.h"
#include "planner/algorithms.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The prefix of Open MPI's algorithms; alone it is Open MPI's default. */
#define OPENMPI        "openmpi"
#define OPENMPI_PREFIX OPENMPI ":"

/* The best plan that may use the relays. */
#define RELAYS "relays"

#define MAX_ROWS 128

typedef struct {
    char name[64];
    const mtree_baseline_t *baseline; /* NULL: an algorithm of the planner */
    bool done;                        /* else `why` says why not */
    int num_trees;
    double seconds, predicted;
    double ratio; /* to the fastest of all */
    char why[160];
} row_t;

typedef struct {
    plan_options_t planning;
    mtree_simulate_options_t simulated;
    planned_network_t planned; /* topology and hosts; its plan is not used */
    char *list;                /* --algorithms; NULL: all */
    bool json;
    int num_rows;
    row_t rows[MAX_ROWS];
    double cut;  /* bits/s, the least that any plan proves; 0: none */
    char *limit; /* of it, in words; may be NULL */
    mtree_least_time_t bound;
    const row_t *plan, *openmpi; /* the fastest of each that ran; NULL: none did */
} session_t;

static int num_ranks(const session_t *session)
{
    return session->planned.num_hosts * session->simulated.ranks_per_host;
}

static void add_row(session_t *session, const char *name,
                    const mtree_baseline_t *baseline)
{
    row_t *row = &session->rows[session->num_rows];

    if (session->num_rows == MAX_ROWS) {
        command_fail("compare: more than %d algorithms; name fewer", MAX_ROWS);
    }
    *row = (row_t){.baseline = baseline};
    snprintf(row->name, sizeof(row->name), "%s", name);
    session->num_rows++;
}

/* Open MPI has no algorithm @a name for the collective. */
static void refuse_baseline(mtree_collective_t collective, const char *name)
{
    mtree_nearest_t nearest = mtree_nearest_begin(name);
    char advice[MTREE_NEAREST_ADVICE];
    size_t num;
    const mtree_baseline_t *baselines = mtree_baselines(collective, &num);

    for (size_t b = 0; b < num; b++) {
        mtree_nearest_offer(&nearest, baselines[b].name);
    }
    command_fail("compare: Open MPI has no %s by '%s'%s; 'mtree compare' without "
                 "--algorithms lists what there is",
                 mtree_collective_name(collective), name,
                 mtree_nearest_advice(&nearest, "", advice));
}

/* "openmpi" with the algorithm that it means here. */
static void add_default(session_t *session)
{
    const mtree_baseline_t *baseline =
        mtree_baseline_default((mtree_openmpi_t){0}, session->planned.request.collective,
                               num_ranks(session), session->simulated.bytes);
    char name[64];

    snprintf(name, sizeof(name), OPENMPI " (%s)", baseline->name);
    add_row(session, name, baseline);
}

static void add_named(session_t *session, const char *name)
{
    const mtree_collective_t collective = session->planned.request.collective;
    const mtree_baseline_t *baseline = NULL;
    const mtree_algorithm_t *algorithm;

    if (strcmp(name, OPENMPI) == 0) {
        add_default(session);
        return;
    }
    if (strncmp(name, OPENMPI_PREFIX, strlen(OPENMPI_PREFIX)) == 0) {
        baseline = mtree_baseline_find(collective, name + strlen(OPENMPI_PREFIX));
        if (baseline == NULL) {
            refuse_baseline(collective, name + strlen(OPENMPI_PREFIX));
        }
    } else if (strcmp(name, RELAYS) != 0 && mtree_algorithms_help(name) == NULL) {
        /* It says that there is none. */
        command_must(mtree_algorithms_choose(&(mtree_plan_request_t){.algorithm = name},
                                             &algorithm));
    }
    add_row(session, name, baseline);
}

/* All that there is; where there are relays, the plan with them first. */
static void add_all(session_t *session)
{
    const char *const *names = mtree_algorithms_names();
    const mtree_baseline_t *baselines;
    char name[64];
    size_t num;

    if (session->planned.request.num_relays > 0) {
        add_row(session, RELAYS, NULL);
    }
    for (int a = 0; names[a] != NULL; a++) {
        add_row(session, names[a], NULL);
    }
    add_default(session);
    baselines = mtree_baselines(session->planned.request.collective, &num);
    for (size_t b = 0; b < num; b++) {
        if (num_ranks(session) == 2 || strcmp(baselines[b].name, "two_proc") != 0) {
            snprintf(name, sizeof(name), OPENMPI_PREFIX "%s", baselines[b].name);
            add_row(session, name, &baselines[b]);
        }
    }
}

static void add_rows(session_t *session)
{
    char *name, *rest;

    if (session->list == NULL) {
        add_all(session);
        return;
    }
    for (name = strtok_r(session->list, ",", &rest); name != NULL;
         name = strtok_r(NULL, ",", &rest)) {
        add_named(session, name);
    }
}

/* Keeps what is logged about one algorithm for its row. */
static void keep_reason(mtree_log_level_t level, const char *message, void *arg)
{
    row_t *row = arg;

    if (level == MTREE_LOG_ERROR) {
        snprintf(row->why, sizeof(row->why), "%s", message);
    }
}

static void say_simulates(const session_t *session, const row_t *row)
{
    command_say("simulating %s, %d of %d", row->name, (int)(row - session->rows) + 1,
                session->num_rows);
}

static mtree_status_t run_plan(session_t *session, row_t *row,
                               mtree_simulate_result_t *result)
{
    const planned_network_t *planned = &session->planned;
    mtree_plan_request_t request = planned->request;
    mtree_plan_t *plan = NULL;
    mtree_status_t status;

    if (strcmp(row->name, RELAYS) == 0) {
        request.algorithm = NULL;
    } else {
        request.algorithm = row->name;
        request.num_relays = 0;
    }
    status = planned_network_plan(planned, &request, &plan, NULL);
    if (status != MTREE_OK) {
        return status;
    }
    if (plan->bound > 0.0 && request.num_relays == planned->request.num_relays &&
        (session->cut == 0.0 || plan->bound < session->cut)) {
        session->cut = plan->bound;
        free(session->limit);
        session->limit = plan->limit;
        plan->limit = NULL;
    }
    row->num_trees = plan->num_trees;
    row->predicted = plan->seconds;
    say_simulates(session, row);
    status = mtree_simulate_plan(planned->topology, planned->hosts, planned->num_hosts,
                                 plan, request.collective, &session->simulated, result);
    mtree_plan_destroy(plan);
    return status;
}

static mtree_status_t run_row(session_t *session, row_t *row)
{
    const planned_network_t *planned = &session->planned;
    mtree_simulate_result_t result = {0};
    mtree_status_t status;

    mtree_log_set(keep_reason, row, MTREE_LOG_ERROR);
    if (row->baseline == NULL) {
        status = run_plan(session, row, &result);
    } else {
        say_simulates(session, row);
        status =
            mtree_simulate_baseline(planned->topology, planned->hosts, planned->num_hosts,
                                    row->baseline, &session->simulated, &result);
    }
    mtree_log_set(NULL, NULL, MTREE_LOG_WARN);
    row->done = status == MTREE_OK;
    if (status != MTREE_OK && row->why[0] == '\0') {
        snprintf(row->why, sizeof(row->why), "%s", mtree_status_string(status));
    }
    row->seconds = result.seconds;
    mtree_simulate_result_clear(&result);
    return status;
}

/* Run all; rows that are not wanted make room for those after them. */
static void run_rows(session_t *session)
{
    row_t *kept = session->rows;
    bool any = false;

    for (int i = 0; i < session->num_rows; i++) {
        const mtree_status_t status = run_row(session, &session->rows[i]);

        /* What was asked for by name is shown even if it does not do the collective. */
        if (session->list != NULL || status != MTREE_ERR_UNSUPPORTED) {
            any = any || session->rows[i].done;
            *kept++ = session->rows[i];
        }
    }
    session->num_rows = (int)(kept - session->rows);
    if (!any) {
        command_fail("compare: none of the algorithms could run; the first: %s",
                     session->num_rows > 0 ? session->rows[0].why : "none was named");
    }
}

/* Find the fastest rows, and compare all with them. */
static void judge_rows(session_t *session)
{
    double least = INFINITY;

    for (int i = 0; i < session->num_rows; i++) {
        const row_t *row = &session->rows[i];
        const row_t **best_p = row->baseline != NULL ? &session->openmpi : &session->plan;

        if (row->done && (*best_p == NULL || row->seconds < (*best_p)->seconds)) {
            *best_p = row;
            least = fmin(least, row->seconds);
        }
    }
    for (int i = 0; i < session->num_rows; i++) {
        row_t *row = &session->rows[i];

        row->ratio = least > 0.0 ? row->seconds / least : 1.0;
    }
}

static json_t *row_json(const session_t *session, const row_t *row)
{
    return row->done ? json_pack("{s:s, s:i, s:f, s:f, s:f, s:f}", "algorithm", row->name,
                                 "trees", row->num_trees, "seconds", row->seconds,
                                 "ratio", row->ratio, "share_of_bound",
                                 bound_share(&session->bound, row->seconds),
                                 "predicted_s", row->predicted)
                     : json_pack("{s:s, s:s}", "algorithm", row->name, "error", row->why);
}

static void print_json(const session_t *session)
{
    const row_t *plan = session->plan, *openmpi = session->openmpi;
    json_t *list = json_array(), *object;

    for (int i = 0; i < session->num_rows; i++) {
        json_array_append_new(list, row_json(session, &session->rows[i]));
    }
    object = json_pack("{s:s, s:I, s:i, s:f, s:s?, s:s?, s:o}", "collective",
                       mtree_collective_name(session->planned.request.collective),
                       "bytes", (json_int_t)session->simulated.bytes, "ranks",
                       num_ranks(session), "bound_bps", session->cut, "fastest_plan",
                       plan == NULL ? NULL : plan->name, "fastest_openmpi",
                       openmpi == NULL ? NULL : openmpi->name, "algorithms", list);
    bound_set_json(&session->bound, object);
    command_must(command_print_json(object, stdout));
}

/* Print whether Open MPI would be faster here; nothing where no call takes time, as on
 * one host. */
static void print_verdict(const row_t *plan, const row_t *openmpi)
{
    if (plan == NULL || openmpi == NULL || plan->seconds <= 0.0) {
        return;
    }
    if (openmpi->seconds < plan->seconds) {
        printf("\n%s, Open MPI's own, is %.2f times as fast as %s, the best plan.\n",
               openmpi->name, plan->seconds / openmpi->seconds, plan->name);
    } else {
        printf("\n%s is %.2f times as fast as %s, Open MPI's best here.\n", plan->name,
               openmpi->seconds / plan->seconds, openmpi->name);
    }
}

static void print_row(const session_t *session, const row_t *row)
{
    char trees[16] = "-";

    if (!row->done) {
        printf("  %-32s        %s\n", row->name, row->why);
        return;
    }
    if (row->num_trees > 0) {
        snprintf(trees, sizeof(trees), "%d", row->num_trees);
    }
    printf("  %-32s %5s  %10s  %6.2f", row->name, trees, MTREE_UNITS_TIME(row->seconds),
           row->ratio);
    if (session->bound.seconds > 0.0) {
        printf("  %7.1f %%", 100.0 * bound_share(&session->bound, row->seconds));
    }
    putchar('\n');
}

static void print_table(const session_t *session)
{
    printf("%s of %s, %d ranks on %d hosts of %s\n",
           mtree_collective_name(session->planned.request.collective),
           MTREE_UNITS_SIZE((double)session->simulated.bytes), num_ranks(session),
           session->planned.num_hosts, session->planned.topology->name);
    bound_print(&session->bound);
    printf("\n  %-32s %5s  %10s  %6s  %9s\n", "algorithm", "trees", "time", "ratio",
           "of bound");
    for (int i = 0; i < session->num_rows; i++) {
        print_row(session, &session->rows[i]);
    }
    print_verdict(session->plan, session->openmpi);
}

static void compare(session_t *session, const char *path)
{
    planned_network_prepare(&session->planning, path, &session->planned);
    session->simulated.bytes = session->planning.bytes;
    session->simulated.root = session->planned.request.root;
    simulated_check(&command_compare, &session->simulated, session->planned.num_hosts,
                    NULL);
    add_rows(session);
    run_rows(session);
    judge_rows(session);
    session->bound = bound_find(&session->planned, 0, session->cut, session->limit,
                                &session->simulated);
    if (session->json) {
        print_json(session);
    } else {
        print_table(session);
    }
}

static const option_t options[] = {
    {"algorithms", 'a', OPTION_TEXT, offsetof(session_t, list), .argument = "LIST",
     .help = "only these, separated by commas: names of 'mtree plan', openmpi: what Open "
             "MPI takes by default, and openmpi:NAME: another of its (default: all)"},
    {"json", 'j', OPTION_FLAG, offsetof(session_t, json), .help = "print JSON"},
    {0}};

static int run(int argc, char **argv)
{
    static session_t session;
    const option_group_t groups[] = {
        {options, .data = &session},
        {plan_options, .data = &session.planning, .without = "a"},
        {message_size_option, .data = &session.planning},
        {simulate_options, .data = &session.simulated},
        {simulate_segment_option, .data = &session.simulated},
        {0}};

    plan_options_init(&session.planning);
    session.planning.bytes = SIMULATED_BYTES;
    mtree_simulate_default_options(&session.simulated);
    options_parse(&command_compare, groups, argc, argv);
    compare(&session, argv[optind]);
    return COMMAND_OK;
}

const command_t command_compare = {
    .name = "compare",
    .summary = "simulate the algorithms side by side",
    .usage = "[OPTION]... FILE.dot",
    .help =
        "Simulate the planner's algorithms and Open MPI's own on the network of that\n"
        "topology and print their times, side by side, and which is the fastest.\n",
    .examples = {"mtree compare --size 1M examples/sites.dot",
                 "mtree compare --algorithms packing,latency,openmpi examples/sites.dot"},
    .least_arguments = 1,
    .most_arguments = 1,
    .needs = "one topology file is needed",
    .run = run,
};
