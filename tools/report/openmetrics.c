/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/report/openmetrics.h"

#include <stdlib.h>
#include <string.h>

#define MAX_LABELS 6

/* A metric with the members that become its labels. */
typedef struct {
    const char *name, *value;
} label_t;

typedef struct {
    int count;
    label_t labels[MAX_LABELS];
} labels_t;

typedef struct metric metric_t;

/* Writes the samples of @a metric, of all objects of one kind in @a report. */
typedef void (*walk_t)(const metric_t *metric, const json_t *report, FILE *out);

struct metric {
    const char *name;   /* without the prefix "mtree_" */
    const char *type;   /* gauge, counter or info */
    const char *member; /* of an info: the members that are its labels, by commas */
    walk_t walk;
    const char *help;
};

static void write_escaped(const char *text, FILE *out)
{
    for (; *text != '\0'; text++) {
        if (*text == '\n') {
            fputs("\\n", out);
        } else {
            if (*text == '\\' || *text == '"') {
                fputc('\\', out);
            }
            fputc(*text, out);
        }
    }
}

static void write_labels(const labels_t *labels, FILE *out)
{
    for (int i = 0; i < labels->count; i++) {
        fprintf(out, "%c%s=\"", i == 0 ? '{' : ',', labels->labels[i].name);
        write_escaped(labels->labels[i].value, out);
        fputc('"', out);
    }
    fputs(labels->count > 0 ? "}" : "", out);
}

/* One more label, unless it has no value. */
static void add_label(labels_t *labels, const char *name, const char *value)
{
    if (value != NULL && labels->count < MAX_LABELS) {
        labels->labels[labels->count++] = (label_t){name, value};
    }
}

/* A number as the value of a label, in @a buffer. */
typedef struct {
    char text[32];
} number_text_t;

static const char *number_text(double number, number_text_t *buffer)
{
    snprintf(buffer->text, sizeof(buffer->text), "%.15g", number);
    return buffer->text;
}

/* A sample, unless @a value is no number: it is missing in the report. */
static void write_sample(const metric_t *metric, const labels_t *labels,
                         const json_t *value, FILE *out)
{
    if (!json_is_number(value) && !json_is_boolean(value)) {
        return;
    }
    fprintf(out, "mtree_%s%s", metric->name,
            strcmp(metric->type, "counter") == 0 ? "_total" : "");
    write_labels(labels, out);
    fprintf(out, " %.15g\n",
            json_is_boolean(value) ? json_is_true(value) : json_number_value(value));
}

/* The sample of an info: its labels, and those members of @a object that are there. */
static void write_info(const metric_t *metric, labels_t labels, const json_t *object,
                       FILE *out)
{
    char *names = strdup(metric->member), *rest = names, *name;
    number_text_t numbers[MAX_LABELS];

    while (names != NULL && labels.count < MAX_LABELS &&
           (name = strtok_r(rest, ",", &rest)) != NULL) {
        const json_t *value = json_object_get(object, name);

        if (json_is_number(value)) {
            add_label(&labels, name,
                      number_text(json_number_value(value), &numbers[labels.count]));
        } else {
            add_label(&labels, name, json_string_value(value));
        }
    }
    if (names != NULL && labels.count > 0) {
        fprintf(out, "mtree_%s_info", metric->name);
        write_labels(&labels, out);
        fputs(" 1\n", out);
    }
    free(names);
}

static void write_object(const metric_t *metric, const labels_t *labels,
                         const json_t *object, FILE *out)
{
    if (strcmp(metric->type, "info") == 0) {
        write_info(metric, *labels, object, out);
    } else {
        write_sample(metric, labels, json_object_get(object, metric->member), out);
    }
}

static void walk_job(const metric_t *metric, const json_t *report, FILE *out)
{
    write_object(metric, &(labels_t){0}, report, out);
}

static void walk_totals(const metric_t *metric, const json_t *report, FILE *out)
{
    write_object(metric, &(labels_t){0}, json_object_get(report, "totals"), out);
}

/* The objects of a list of the report, with their number as a label called @a name. */
static void walk_list(const metric_t *metric, const json_t *report, const char *list,
                      const char *name, FILE *out)
{
    number_text_t number;
    json_t *object;
    size_t i;

    json_array_foreach (json_object_get(report, list), i, object) {
        const labels_t labels = {1, {{name, number_text((double)i, &number)}}};

        write_object(metric, &labels, object, out);
    }
}

static void walk_topologies(const metric_t *metric, const json_t *report, FILE *out)
{
    walk_list(metric, report, "topologies", "topology", out);
}

/* The ranks' times, with their rank as a label. */
static void walk_times(const metric_t *metric, const json_t *report, FILE *out)
{
    number_text_t number;
    json_t *object;
    size_t i;

    json_array_foreach (json_object_get(report, "times"), i, object) {
        double rank = json_number_value(json_object_get(object, "rank"));
        const labels_t labels = {1, {{"rank", number_text(rank, &number)}}};

        write_object(metric, &labels, object, out);
    }
}

static void walk_plans(const metric_t *metric, const json_t *report, FILE *out)
{
    walk_list(metric, report, "plans", "plan", out);
}

static void walk_communicators(const metric_t *metric, const json_t *report, FILE *out)
{
    walk_list(metric, report, "communicators", "communicator", out);
}

/* Both directions of a link; what has one value is the same for both. */
static void write_link(const metric_t *metric, const char *topology, const json_t *link,
                       FILE *out)
{
    const json_t *value = json_object_get(link, metric->member);
    const char *from = json_string_value(json_object_get(link, "from")),
               *to = json_string_value(json_object_get(link, "to"));

    for (size_t direction = 0; direction < 2; direction++) {
        labels_t labels = {0};

        add_label(&labels, "topology", topology);
        add_label(&labels, "from", direction == 0 ? from : to);
        add_label(&labels, "to", direction == 0 ? to : from);
        write_sample(metric, &labels,
                     json_is_array(value) ? json_array_get(value, direction) : value,
                     out);
    }
}

static void walk_links(const metric_t *metric, const json_t *report, FILE *out)
{
    number_text_t number;
    json_t *topology, *link;
    size_t t, l;

    json_array_foreach (json_object_get(report, "topologies"), t, topology) {
        json_array_foreach (json_object_get(topology, "links"), l, link) {
            write_link(metric, number_text((double)t, &number), link, out);
        }
    }
}

/* Writes the samples of one object, whose labels are @a labels. */
typedef void (*object_writer_t)(const metric_t *metric, const labels_t *labels,
                                const json_t *object, FILE *out);

/* A list of the report, whose objects have lists in turn, and the labels that have the
 * numbers of both objects. */
typedef struct {
    const char *outer, *outer_label;
    const char *inner, *inner_label;
} nested_list_t;

static void walk_nested(const nested_list_t *list, const metric_t *metric,
                        const json_t *report, object_writer_t write, FILE *out)
{
    number_text_t numbers[2];
    json_t *outer, *inner;
    size_t o, i;

    json_array_foreach (json_object_get(report, list->outer), o, outer) {
        json_array_foreach (json_object_get(outer, list->inner), i, inner) {
            labels_t labels = {0};

            add_label(&labels, list->outer_label, number_text((double)o, &numbers[0]));
            add_label(&labels, list->inner_label, number_text((double)i, &numbers[1]));
            write(metric, &labels, inner, out);
        }
    }
}

static void walk_trees(const metric_t *metric, const json_t *report, FILE *out)
{
    static const nested_list_t trees = {"plans", "plan", "trees", "tree"};

    walk_nested(&trees, metric, report, write_object, out);
}

/* All lines of calls of all communicators. */
static void walk_calls_with(const metric_t *metric, const json_t *report,
                            object_writer_t write, FILE *out)
{
    static const nested_list_t lines = {"communicators", "communicator", "calls",
                                        "calls"};

    walk_nested(&lines, metric, report, write, out);
}

static void walk_calls(const metric_t *metric, const json_t *report, FILE *out)
{
    walk_calls_with(metric, report, write_object, out);
}

/* The objects of a list of a line of calls, told apart by their member @a name. */
static void write_members(const metric_t *metric, const labels_t *labels,
                          const json_t *calls, const char *list, const char *name,
                          FILE *out)
{
    json_t *object;
    size_t i;

    json_array_foreach (json_object_get(calls, list), i, object) {
        labels_t with_name = *labels;

        add_label(&with_name, name, json_string_value(json_object_get(object, name)));
        write_object(metric, &with_name, object, out);
    }
}

static void write_served(const metric_t *metric, const labels_t *labels,
                         const json_t *calls, FILE *out)
{
    write_members(metric, labels, calls, "served", "by", out);
}

static void walk_served(const metric_t *metric, const json_t *report, FILE *out)
{
    walk_calls_with(metric, report, write_served, out);
}

static void write_fallbacks(const metric_t *metric, const labels_t *labels,
                            const json_t *calls, FILE *out)
{
    write_members(metric, labels, calls, "fallbacks", "why", out);
}

static void walk_fallbacks(const metric_t *metric, const json_t *report, FILE *out)
{
    walk_calls_with(metric, report, write_fallbacks, out);
}

static void write_rates(const metric_t *metric, const labels_t *labels,
                        const json_t *calls, FILE *out)
{
    number_text_t number;
    json_t *rate;
    size_t tree;

    json_array_foreach (json_object_get(calls, metric->member), tree, rate) {
        labels_t with_tree = *labels;

        add_label(&with_tree, "tree", number_text((double)tree, &number));
        write_sample(metric, &with_tree, rate, out);
    }
}

static void walk_rates(const metric_t *metric, const json_t *report, FILE *out)
{
    walk_calls_with(metric, report, write_rates, out);
}

/* clang-format off */
static const metric_t metrics[] = {
    {"job", "info", "format,mtree,open_mpi,started", walk_job, "Versions, and when the job began (UTC)"},
    {"job_obstacle", "info", "obstacle", walk_job, "Why mtree could not serve MPI_COMM_WORLD"},
    {"job_complete", "gauge", "complete", walk_job, "1: the job has ended"},
    {"job_elapsed_seconds", "gauge", "elapsed_s", walk_job, "Since MPI_Init"},
    {"job_ranks", "gauge", "ranks", walk_job, "Ranks of the job"},
    {"job_ranks_heard", "gauge", "ranks_heard", walk_job, "Ranks whose times are in the report"},
    {"rank_mtree_seconds", "counter", "mtree_s", walk_times, "Time in calls that mtree served, overlapping ones once"},
    {"rank_openmpi_seconds", "counter", "openmpi_s", walk_times, "Time in blocking calls that Open MPI served, beside that"},
    {"rank_planning_seconds", "counter", "planning_s", walk_times, "Time of waiting for plans, beside that"},
    {"rank_connecting_seconds", "counter", "connecting_s", walk_times, "Time of opening connections, beside that"},
    {"chunks", "counter", "chunks", walk_totals, "Chunks sent by rank 0"},
    {"chunk_bytes", "counter", "chunk_bytes", walk_totals, "Bytes of these chunks"},
    {"plans", "counter", "plans", walk_totals, "Plans made"},
    {"probe_bytes", "counter", "probe_bytes", walk_totals, "Bytes sent by rank 0 to probe the network"},
    {"most_scratch_bytes", "gauge", "most_scratch_bytes", walk_totals, "Most scratch memory of rank 0"},
    {"timeline_calls", "gauge", "timeline_calls", walk_totals, "Timed calls that the timeline has"},
    {"timeline_lost", "gauge", "timeline_lost", walk_totals, "Timed calls that the timeline has no more"},
    {"topology", "info", "name,origin", walk_topologies, "Topologies and where they came from"},
    {"topology_calls_seconds", "gauge", "seconds", walk_topologies, "Time of mtree's calls on it, connecting included"},
    {"topology_disagrees", "gauge", "disagrees", walk_topologies, "1: calls found another network, by more than two"},
    {"link_capacity_bits_per_second", "gauge", "capacity_bps", walk_links, "Capacity of a direction of a link"},
    {"link_latency_seconds", "gauge", "latency_s", walk_links, "Its latency, one way"},
    {"link_bytes", "gauge", "bytes", walk_links, "What plans put on it"},
    {"link_use_ratio", "gauge", "use", walk_links, "Part of what fits into the time of mtree's calls"},
    {"link_gave_bits_per_second", "gauge", "gave_bps", walk_links, "What it gave while paths over it were full"},
    {"link_full_ratio", "gauge", "pressed", walk_links, "Part of the time for which they were"},
    {"link_map_bits_per_second", "gauge", "map_bps", walk_links, "Capacity on the map, where calls have found another one"},
    {"link_found_bits_per_second", "gauge", "found_bps", walk_links, "What calls found, where the map differs by more than two; else 0"},
    {"link_narrowest", "gauge", "narrowest", walk_links, "1: it limits such a path"},
    {"plan", "info", "collective,algorithm,root,topology,limit", walk_plans, "Plans, and what limits them"},
    {"plan_throughput_bits_per_second", "gauge", "throughput_bps", walk_plans, "What all trees carry together"},
    {"plan_bound_bits_per_second", "gauge", "bound_bps", walk_plans, "What no plan can exceed; 0: not known"},
    {"plan_height", "gauge", "height", walk_plans, "Hops from a root to its farthest leaf"},
    {"plan_message_bytes", "gauge", "bytes", walk_plans, "Size planned for; 0: throughput alone"},
    {"plan_predicted_seconds", "gauge", "seconds", walk_plans, "Predicted time of that size; 0: not predicted"},
    {"plan_tree", "info", "root", walk_trees, "The roots of a plan's trees"},
    {"plan_tree_rate_bits_per_second", "gauge", "rate_bps", walk_trees, "Planned rate of a tree"},
    {"plan_tree_share_ratio", "gauge", "share", walk_trees, "Part of the message that a tree carries"},
    {"plan_tree_chunk_bytes", "gauge", "chunk_bytes", walk_trees, "Its chunks; 0: chosen at run time"},
    {"communicator", "info", "name,leader,topology", walk_communicators, "Groups of ranks"},
    {"communicator_ranks", "gauge", "ranks", walk_communicators, "Ranks of a group"},
    {"communicator_hosts", "gauge", "hosts", walk_communicators, "Its hosts"},
    {"communicator_communicators", "gauge", "communicators", walk_communicators, "Communicators over it"},
    {"calls", "info", "function,root,plan,direct_plan", walk_calls, "Lines of calls: one function, size class and root"},
    {"calls_least_bytes", "gauge", "bytes_from", walk_calls, "The least size of the class"},
    {"calls_most_bytes", "gauge", "bytes_to", walk_calls, "The greatest size of the class"},
    {"calls_made", "counter", "calls", walk_calls, "Calls on rank 0"},
    {"calls_bytes", "counter", "bytes", walk_calls, "Bytes of their messages"},
    {"calls_seconds", "counter", "shared_s", walk_calls, "Their time on rank 0, shared by the calls that ran then"},
    {"calls_planned_seconds", "gauge", "planned_s", walk_calls, "What was expected of a call of the plan's size"},
    {"calls_planned_openmpi_seconds", "gauge", "planned_openmpi_s", walk_calls, "The same of Open MPI, at that time"},
    {"calls_forecast_seconds", "gauge", "forecast_s", walk_calls, "The same of a call of the mean size; not measured"},
    {"calls_forecast_openmpi_seconds", "gauge", "openmpi_forecast_s", walk_calls, "The same of Open MPI; not measured"},
    {"calls_host_share", "gauge", "host_share", walk_calls, "Size of a call in terms of its plan, per its bytes"},
    {"calls_relayed", "counter", "relayed", walk_calls, "Calls that passed through relays"},
    {"calls_relayed_bytes", "counter", "relayed_bytes", walk_calls, "Bytes of their messages"},
    {"calls_bound_seconds", "gauge", "bound_seconds", walk_calls, "The least possible time for it"},
    {"calls_bound_ratio", "gauge", "share_of_bound", walk_calls, "That, as a part of the slowest rank's mean"},
    {"calls_disagrees", "gauge", "disagrees", walk_calls, "1: they took less than half of the least possible time"},
    {"calls_tree_bits_per_second", "gauge", "trees_bps", walk_rates, "What each tree of the plan gave"},
    {"served_calls", "counter", "calls", walk_served, "Calls served by trees or Open MPI"},
    {"served_bytes", "counter", "bytes", walk_served, "Bytes of their messages"},
    {"served_timed", "counter", "timed", walk_served, "Those that were timed"},
    {"served_seconds", "counter", "seconds", walk_served, "Time of the timed ones on rank 0"},
    {"served_shared_seconds", "counter", "shared_s", walk_served, "The same, shared by the calls that ran then"},
    {"served_median_seconds", "gauge", "median_s", walk_served, "Median of the latest ones"},
    {"served_least_seconds", "gauge", "least_s", walk_served, "The shortest one"},
    {"served_most_seconds", "gauge", "most_s", walk_served, "The longest one"},
    {"served_ranks", "gauge", "ranks", walk_served, "Ranks whose times are in the next two"},
    {"served_mean_of_ranks_seconds", "gauge", "mean_of_ranks_s", walk_served, "Mean over ranks"},
    {"served_slowest_rank_seconds", "gauge", "slowest_rank_s", walk_served, "Mean of the slowest rank"},
    {"fallbacks", "counter", "calls", walk_fallbacks, "Calls that Open MPI served, by the reason"},
};
/* clang-format on */

/* What a metric is counted in, which is the end of its name; NULL: nothing. */
static const char *unit_of(const char *name)
{
    static const char *const units[] = {"_bits_per_second", "_seconds", "_bytes",
                                        "_ratio"};
    const size_t length = strlen(name);

    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
        const size_t end = strlen(units[i]);

        if (length > end && strcmp(name + length - end, units[i]) == 0) {
            return units[i] + 1;
        }
    }
    return NULL;
}

void report_openmetrics_write(const json_t *report, FILE *out)
{
    for (size_t i = 0; i < sizeof(metrics) / sizeof(metrics[0]); i++) {
        const metric_t *metric = &metrics[i];
        const char *unit = unit_of(metric->name);

        fprintf(out, "# TYPE mtree_%s %s\n", metric->name, metric->type);
        if (unit != NULL) {
            fprintf(out, "# UNIT mtree_%s %s\n", metric->name, unit);
        }
        fprintf(out, "# HELP mtree_%s %s.\n", metric->name, metric->help);
        metric->walk(metric, report, out);
    }
    fputs("# EOF\n", out);
}
