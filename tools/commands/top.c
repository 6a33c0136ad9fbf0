/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mtree top: what the links of a running job carry.
 */
#include "tools/options.h"

#include "base/log.h"
#include "base/units.h"
#include "report/page.h"
#include "report/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define DEFAULT_DELAY 1.0
#define DEFAULT_LINKS 20
#define BAR           30 /* letters */

/* A file that was not written for this long, and for three looks, is stale. */
#define STALE_SECONDS 5.0

typedef struct {
    const char *path;
    double delay;   /* seconds between two frames */
    int frames;     /* 0: until the job ends */
    int links;      /* shown of each topology */
    bool is_screen; /* frames overwrite one another */
} arguments_t;

/*
 * One direction of a link.  What is counted when a call begins, and what the network
 * still holds, makes short times look like more than the capacity; that is shown where
 * the map is said to be wrong, and the capacity elsewhere.
 */
typedef struct {
    const char *from, *to;
    double rate, capacity; /* bits/s, since the last frame */
    double gave;           /* bits/s while it was full, lately; 0: it was not */
    double most;           /* bits/s that are shown of it */
    size_t arc;
} flow_t;

/* Whole per cent of the capacity. */
static long used_percent(const flow_t *flow)
{
    return flow->capacity > 0
               ? lround(100 * fmin(flow->rate, flow->most) / flow->capacity)
               : 0;
}

/* The fullest first; those shown as equally full keep the file's order in all frames. */
static int flow_compare(const void *left, const void *right)
{
    const flow_t *a = left, *b = right;
    const long used[2] = {used_percent(a), used_percent(b)};

    return used[0] != used[1] ? (used[0] < used[1]) - (used[0] > used[1])
                              : (a->arc > b->arc) - (a->arc < b->arc);
}

/* The links of @a topology, the fullest first, both directions of each, over @a seconds
 * since @a before (NULL: nothing was sent then); malloc'ed, NULL: no memory. */
static flow_t *find_flows(const json_t *topology, const json_t *before, double seconds,
                          size_t *count_p)
{
    bool is_wrong = json_is_true(json_object_get(topology, "disagrees"));

    const json_t *links = json_object_get(topology, "links");
    const json_t *earlier = json_object_get(before, "links");
    size_t count = 2 * json_array_size(links);
    flow_t *flows = calloc(count + 1, sizeof(*flows));

    for (size_t arc = 0; flows != NULL && arc < count; arc++) {
        const json_t *link = json_array_get(links, arc / 2);
        size_t direction = arc % 2;
        double bytes =
            mtree_page_direction(link, "bytes", direction) -
            mtree_page_direction(json_array_get(earlier, arc / 2), "bytes", direction);

        flows[arc] =
            (flow_t){.from = mtree_page_text(link, direction == 0 ? "from" : "to"),
                     .to = mtree_page_text(link, direction == 0 ? "to" : "from"),
                     .rate = 8 * fmax(bytes, 0) / fmax(seconds, 1e-3),
                     .capacity = mtree_page_direction(link, "capacity_bps", direction),
                     .gave = mtree_page_direction(link, "gave_bps", direction),
                     .arc = arc};
        flows[arc].most = is_wrong ? INFINITY : flows[arc].capacity;
    }
    if (flows != NULL) {
        qsort(flows, count, sizeof(*flows), flow_compare);
    }
    *count_p = count;
    return flows;
}

/* "40 Mb/s", or ">40 Mb/s" where there was more than is shown. */
static const char *rate_text(double rate, double most, char *text, size_t length)
{
    if (rate <= most) {
        return mtree_units_format_rate(rate, text, length);
    }
    text[0] = '>';
    (void)mtree_units_format_rate(most, text + 1, length - 1);
    return text;
}

static void print_flow(const flow_t *flow)
{
    const long used = used_percent(flow);
    const long full = (used < 100 ? used : 100) * BAR / 100;
    char rate[MTREE_UNITS_LENGTH + 1], name[160];

    snprintf(name, sizeof(name), "%s > %s", flow->from, flow->to);
    printf("  %-24s %10s %5ld %%  ", name,
           rate_text(flow->rate, flow->most, rate, sizeof(rate)), used);
    for (int i = 0; i < BAR; i++) {
        putchar(i < full ? '#' : '.');
    }
    if (flow->gave > 0) {
        printf("  %10s", rate_text(flow->gave, flow->most, rate, sizeof(rate)));
    }
    putchar('\n');
}

/* Topology number @a number, and what its links carried in @a seconds since the report
 * @a before. */
static void print_topology(const arguments_t *arguments, const json_t *report,
                           size_t number, const json_t *before, double seconds)
{
    const json_t *topology =
        json_array_get(json_object_get(report, "topologies"), number);
    size_t count;
    flow_t *flows = find_flows(
        topology, json_array_get(json_object_get(before, "topologies"), number), seconds,
        &count);

    mtree_page_topology(report, number, stdout);
    printf("\n  %-24s %10s %7s  %*s  %10s\n", "direction", "carries", "used", BAR, "",
           "when full");
    for (size_t i = 0; flows != NULL && i < count && i < (size_t)arguments->links; i++) {
        print_flow(&flows[i]);
    }
    free(flows);
    if (mtree_page_disagrees(report, number)) {
        mtree_page_disagreement(report, number, stdout);
        putchar('\n');
    }
}

/* The traffic since the report @a before (NULL: since the job began). */
static void print_frame(const arguments_t *arguments, const json_t *report,
                        const json_t *before)
{
    const json_t *topologies = json_object_get(report, "topologies");
    double seconds =
        mtree_page_number(report, "elapsed_s") - mtree_page_number(before, "elapsed_s");

    if (arguments->is_screen) {
        fputs("\033[H\033[2J", stdout);
    }
    mtree_page_job(report, 0, stdout);
    putchar('\n');
    mtree_page_served(report, 0, stdout);
    putchar('\n');
    for (size_t t = 0; t < json_array_size(topologies); t++) {
        print_topology(arguments, report, t, before, seconds);
    }
    fflush(stdout);
}

static void sleep_for(double seconds)
{
    struct timespec time = {.tv_sec = (time_t)seconds,
                            .tv_nsec = (long)((seconds - floor(seconds)) * 1e9)};

    (void)nanosleep(&time, NULL);
}

/* Has nothing been written since? */
static bool is_old(const json_t *report, const json_t *before)
{
    return before != NULL && json_real_value(json_object_get(report, "elapsed_s")) ==
                                 json_real_value(json_object_get(before, "elapsed_s"));
}

/* Print once per silence that what is shown is old.  The file is written after calls, so
 * the job computes, hangs or is gone. */
static void print_stale(const arguments_t *arguments, double *silent)
{
    double before = *silent, limit = fmax(STALE_SECONDS, 3 * arguments->delay);

    *silent += arguments->delay;
    if (before < limit && *silent >= limit) {
        printf("%s has not been written for %s: the job calls no collectives, or it is "
               "gone\n",
               arguments->path, MTREE_UNITS_TIME(*silent));
        fflush(stdout);
    }
}

/* Is the file not there yet?  At the first look, @a frame 0, one line says so. */
static bool is_awaited(const arguments_t *arguments, int frame)
{
    bool is_missing =
        strcmp(arguments->path, "-") != 0 && access(arguments->path, F_OK) != 0;

    if (is_missing && frame == 0) {
        printf("%s is not there yet; a job writes it after a call, with "
               "coll_mtree_report and coll_mtree_report_live\n",
               arguments->path);
        fflush(stdout);
    }
    return is_missing;
}

static int run_top(const arguments_t *arguments)
{
    json_t *before = NULL, *report;
    bool is_complete = false;
    double silent = 0;
    int frame = 0, code;

    while (!is_complete && (arguments->frames == 0 || frame < arguments->frames)) {
        if (frame > 0) {
            sleep_for(arguments->delay);
        }
        if (before == NULL && is_awaited(arguments, frame)) {
            frame++;
            continue;
        }
        if (mtree_report_read(arguments->path, &report) != MTREE_OK) {
            json_decref(before);
            return COMMAND_FAILED;
        }
        mtree_report_make_printable(report);
        is_complete = json_is_true(json_object_get(report, "complete"));
        frame++;
        if (is_old(report, before)) {
            json_decref(report);
            print_stale(arguments, &silent);
            continue;
        }
        silent = 0;
        print_frame(arguments, report, before);
        json_decref(before);
        before = report;
    }
    code = before == NULL ? COMMAND_FAILED : COMMAND_OK;
    json_decref(before);
    return code;
}

static int run(int argc, char **argv)
{
    static const option_t options[] = {
        {"delay", 'd', OPTION_NUMBER, offsetof(arguments_t, delay), .argument = "SECONDS",
         .help = "time between two looks at the file (default 1)", .least = 0.01,
         .most = 3600},
        {"frames", 'n', OPTION_WHOLE, offsetof(arguments_t, frames), .argument = "N",
         .help = "stop after N looks; 0: when the job ends (default)"},
        {"links", 'l', OPTION_WHOLE, offsetof(arguments_t, links), .argument = "N",
         .help = "directions of links shown (default 20)", .least = 1},
        {0}};
    arguments_t arguments = {.delay = DEFAULT_DELAY, .links = DEFAULT_LINKS};
    const option_group_t groups[] = {{options, .data = &arguments}, {0}};
    int code = options_parse(&command_top, groups, argc, argv);

    if (code != OPTIONS_GO_ON) {
        return code;
    }
    arguments.path = argv[optind];
    arguments.is_screen = isatty(STDOUT_FILENO) == 1;
    return run_top(&arguments);
}

const command_t command_top = {
    .name = "top",
    .summary = "follow the links of a running job",
    .usage = "[OPTION]... FILE",
    .help =
        "Show which links a running job fills, the fullest first, until it ends, and "
        "what "
        "those\n"
        "give that are full. FILE is its report, which rank 0 writes anew each second "
        "with\n"
        "    --mca coll_mtree_report FILE --mca coll_mtree_report_live 1\n"
        "It is waited for where it is not there yet. A line says so when it has not "
        "been\n"
        "written for some seconds.\n",
    .examples = {"mtree top report.json", "mtree top --delay 5 --links 8 report.json"},
    .least_arguments = 1,
    .most_arguments = 1,
    .needs = "one report file is needed",
    .run = run,
};
