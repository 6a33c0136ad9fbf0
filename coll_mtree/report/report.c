/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/report/report.h"

#include "coll_mtree/base/free_hook.h"
#include "coll_mtree/base/memory.h"
#include "coll_mtree/base/params.h"
#include "coll_mtree/base/safe_file.h"
#include "coll_mtree/base/tags.h"
#include "coll_mtree/control/message.h"
#include "coll_mtree/report/report_json.h"

#include "base/clock.h"
#include "base/log.h"
#include "report/report.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

static struct {
    coll_mtree_report_t report;
    mca_coll_mtree_module_t *world; /* NULL: mtree does not serve MPI_COMM_WORLD */
    double began, written;          /* when, by mtree_clock_seconds() */
    bool is_running;
} job;

/* Each rank but 0 sends it a message at the end: what its calls took, and what it sent to
 * others.  Both sides wait for a limited time, so that a rank that does not know of the
 * report delays no other: for all messages together, on rank 0 and on each other rank. */
#define TIMEOUT_SECONDS 10.0

/* What that message begins with; the times follow, and paths up to its end.  Sent as it
 * is. */
typedef struct {
    coll_mtree_rank_report_clock_t clock;
    uint64_t num_times;
} rank_header_t;

/* Append @a more elements of @a size bytes to the *count_p of an array of any type, whose
 * address is at @a all_p. */
static void append(void *all_p, size_t *count_p, size_t size, const void *from,
                   size_t more)
{
    char *all;

    if (more > 0) {
        memcpy(&all, all_p, sizeof(all));
        all = coll_mtree_realloc(all, (*count_p + more) * size);
        memcpy(all + *count_p * size, from, more * size);
        memcpy(all_p, &all, sizeof(all));
        *count_p += more;
    }
}

/* What the calls of @a record took on this rank. */
static void add_times(const coll_mtree_record_t *record,
                      coll_mtree_rank_report_t *gathered)
{
    for (int backend = 0; backend < COLL_MTREE_BACKENDS; backend++) {
        coll_mtree_rank_report_time_t one = {.identity = record->group->identity,
                                             .root = record->call_class.root,
                                             .size_class = record->call_class.size_class,
                                             .relayed = record->call_class.relayed,
                                             .backend = backend,
                                             .rank = coll_mtree_world_rank(),
                                             .timed = record->by[backend].timed,
                                             .seconds = record->by[backend].seconds};

        if (one.timed > 0) {
            snprintf(one.function, sizeof(one.function), "%s", record->function);
            append(&gathered->times, &gathered->num_times, sizeof(one), &one, 1);
        }
    }
}

static void add_own_times(const coll_mtree_group_t *groups,
                          coll_mtree_rank_report_t *gathered)
{
    for (const coll_mtree_group_t *g = groups; g != NULL; g = g->next) {
        for (const coll_mtree_record_t *r = g->records; r != NULL; r = r->next) {
            add_times(r, gathered);
        }
    }
}

static void add_clock(coll_mtree_rank_report_t *gathered,
                      const coll_mtree_rank_report_clock_t *clock)
{
    append(&gathered->clocks, &gathered->num_clocks, sizeof(*clock), clock, 1);
}

static coll_mtree_rank_report_clock_t own_clock(void)
{
    return (coll_mtree_rank_report_clock_t){
        coll_mtree_world_rank(),
        coll_mtree_call_clock_times(&coll_mtree_call_clock, mtree_clock_seconds())};
}

static void add_own_paths(const coll_mtree_group_t *groups,
                          coll_mtree_rank_report_t *gathered)
{
    for (const coll_mtree_group_t *g = groups; g != NULL; g = g->next) {
        for (int rank = 0; g->paths != NULL && rank < g->num_ranks; rank++) {
            const coll_mtree_rank_report_path_t path = {.identity = g->identity,
                                                        .from = g->rank,
                                                        .to = rank,
                                                        .path = g->paths[rank]};

            if (path.path.bytes > 0) {
                append(&gathered->paths, &gathered->num_paths, sizeof(path), &path, 1);
            }
        }
    }
}

static void gathered_cleanup(coll_mtree_rank_report_t *gathered)
{
    free(gathered->times);
    free(gathered->clocks);
    free(gathered->paths);
    *gathered = (coll_mtree_rank_report_t){.ranks = gathered->ranks};
}

static void send_own(const coll_mtree_channel_t *channel)
{
    double deadline = mtree_clock_seconds() + TIMEOUT_SECONDS;
    coll_mtree_rank_report_t own = {.ranks = 1};
    rank_header_t header = {.clock = own_clock()};
    const coll_mtree_group_t *groups = coll_mtree_statistics_lock();
    void *bytes = NULL;
    size_t length = 0;

    add_own_times(groups, &own);
    add_own_paths(groups, &own);
    coll_mtree_statistics_unlock();
    header.num_times = own.num_times;
    append(&bytes, &length, 1, &header, sizeof(header));
    append(&bytes, &length, 1, own.times, own.num_times * sizeof(*own.times));
    append(&bytes, &length, 1, own.paths, own.num_paths * sizeof(*own.paths));
    gathered_cleanup(&own);
    (void)coll_mtree_message_send_bulk(channel, 0, 0, bytes, length, deadline);
}

/* Add what the message of a rank holds, unless another mtree has written it. */
static void add_rank(coll_mtree_rank_report_t *gathered, const char *bytes, size_t length)
{
    const size_t time = sizeof(*gathered->times), path = sizeof(*gathered->paths);
    rank_header_t header;
    const char *times = bytes + sizeof(header);
    size_t rest, num_times;

    if (length < sizeof(header)) {
        return;
    }
    memcpy(&header, bytes, sizeof(header));
    rest = length - sizeof(header);
    if (header.num_times > rest / time || (rest - header.num_times * time) % path != 0) {
        return;
    }
    num_times = (size_t)header.num_times;
    rest -= num_times * time;
    add_clock(gathered, &header.clock);
    append(&gathered->times, &gathered->num_times, time, times, num_times);
    append(&gathered->paths, &gathered->num_paths, path, times + num_times * time,
           rest / path);
    gathered->ranks++;
}

static void collect(const coll_mtree_channel_t *channel,
                    coll_mtree_rank_report_t *gathered)
{
    double deadline = mtree_clock_seconds() + TIMEOUT_SECONDS;

    for (int rank = 1; rank < ompi_comm_size(channel->comm); rank++) {
        size_t length;
        void *bytes;

        if (coll_mtree_message_recv_bulk(channel, rank, 0, &bytes, &length, deadline)) {
            add_rank(gathered, bytes, length);
            free(bytes);
        }
    }
}

static bool is_wanted(void)
{
    const char *path = coll_mtree_params.report;

    return path != NULL && path[0] != '\0';
}

static bool goes_to_stdout(void)
{
    return strcmp(coll_mtree_params.report, "stdout") == 0;
}

/* Is @a path something else than a file, or a link that a file may replace? */
static bool is_special(const char *path)
{
    struct stat is;

    return lstat(path, &is) == 0 && !S_ISREG(is.st_mode) && !S_ISLNK(is.st_mode);
}

/* Write @a text to @a path and close it. */
static bool write_text(const char *path, const char *text, bool anew)
{
    FILE *file = coll_mtree_safe_file_open(path, anew);
    bool done = file != NULL && fputs(text, file) >= 0;

    return (file == NULL || fclose(file) == 0) && done;
}

/* Write @a text to a file beside @a path and rename that, so that a reader sees the old
 * one or the new one whole.  What is no file (/dev/null) is written to, never replaced.
 */
static void write_file(const char *path, const char *text)
{
    size_t bytes = strlen(path) + sizeof(".new");
    char *beside = coll_mtree_malloc(bytes);
    bool done;

    if (is_special(path)) {
        done = write_text(path, text, false);
    } else {
        done = snprintf(beside, bytes, "%s.new", path) > 0;
        done = done && write_text(beside, text, true) && rename(beside, path) == 0;
    }
    if (!done) {
        mtree_error("coll_mtree_report: %s: cannot be written: %s; the report is lost",
                    path, coll_mtree_safe_file_error());
    }
    free(beside);
}

static void write_report(void)
{
    const coll_mtree_rank_report_clock_t clock = own_clock();
    const coll_mtree_group_t *groups;
    char *text;

    job.report.seconds = mtree_clock_seconds() - job.began;
    coll_mtree_statistics_totals(&job.report.totals);
    groups = coll_mtree_statistics_lock();
    add_own_paths(groups, &job.report.gathered);
    add_clock(&job.report.gathered, &clock);
    coll_mtree_planning_context_lock();
    text = coll_mtree_report_json(&job.report, groups);
    coll_mtree_planning_context_unlock();
    coll_mtree_statistics_unlock();
    gathered_cleanup(&job.report.gathered);
    if (text == NULL) {
        mtree_error("coll_mtree_report: no memory for the report; it is lost");
    } else if (goes_to_stdout()) {
        (void)mtree_report_print_text(text, "the report", stdout);
        fflush(stdout);
    } else {
        write_file(coll_mtree_params.report, text);
    }
    free(text);
}

static void report_call(const coll_mtree_count_t *count, double seconds)
{
    double now = count->began + seconds;
    double live = coll_mtree_params.report_live;

    if (!job.is_running || job.report.timeline == NULL) {
        return;
    }
    (void)coll_mtree_statistics_lock();
    job.report.timeline[job.report.calls++ % COLL_MTREE_TIMELINE] =
        (coll_mtree_timeline_event_t){.record = count->record,
                                      .backend = count->backend,
                                      .began = count->began - job.began,
                                      .seconds = seconds,
                                      .bytes = count->bytes};
    coll_mtree_statistics_unlock();
    if (live > 0 && now - job.written >= live && !goes_to_stdout()) {
        job.written = now;
        write_report();
    }
}

/* A record that is freed: its calls in the timeline become those of @a sum; NULL: they
 * are none. */
static void report_sum(const coll_mtree_record_t *record, coll_mtree_record_t *sum)
{
    coll_mtree_timeline_event_t *timeline = job.report.timeline;

    for (size_t i = 0; timeline != NULL && i < COLL_MTREE_TIMELINE; i++) {
        if (timeline[i].record == record) {
            timeline[i].record = sum;
        }
    }
}

/* Gather what the calls of all ranks took; false: this rank does not write the report. */
static bool gather(void)
{
    coll_mtree_channel_t channel;

    if (job.world == NULL) {
        return true;
    }
    channel = (coll_mtree_channel_t){.comm = &ompi_mpi_comm_world.comm,
                                     .first_tag = coll_mtree_tags_control(job.world, 1),
                                     .longest = job.world->longest_bytes};
    if (ompi_comm_rank(channel.comm) != 0) {
        send_own(&channel);
        return false;
    }
    collect(&channel, &job.report.gathered);
    return true;
}

/* MPI_Finalize: the last report. */
static void report_end(void *unused)
{
    (void)unused;
    job.is_running = false;
    coll_mtree_statistics_set_hooks(NULL, NULL);
    if (!gather()) {
        return;
    }
    job.report.is_complete = true;
    write_report();
    free(job.report.timeline);
    job.report.timeline = NULL;
}

void coll_mtree_report_begin(mca_coll_mtree_module_t *module, const char *obstacle)
{
    bool writes = ompi_comm_rank(&ompi_mpi_comm_world.comm) == 0;

    if (!is_wanted() || (module == NULL && !writes)) {
        return;
    }
    job.began = job.written = mtree_clock_seconds();
    job.world = module;
    job.report = (coll_mtree_report_t){.started = (int64_t)time(NULL),
                                       .ranks = ompi_comm_size(&ompi_mpi_comm_world.comm),
                                       .gathered = {.ranks = 1},
                                       .obstacle = obstacle};
    if (writes) {
        job.report.timeline =
            coll_mtree_calloc(COLL_MTREE_TIMELINE, sizeof(*job.report.timeline));
    }
    coll_mtree_statistics_set_hooks(report_call, report_sum);
    job.is_running = true;
    coll_mtree_free_hook_add(&ompi_mpi_comm_self.comm, report_end, NULL);
}

static const char *advice(coll_mtree_fallback_reason_t reason)
{
    return reason == COLL_MTREE_REASON_TOPOLOGY
               ? "name a topology file, or probe at the first call "
                 "(coll_mtree_topology=probe)"
               : "coll_mtree_verbose 2 tells of each kind of call";
}

/* Calls that may be Open MPI's own do not count. */
static void tell_unserved(coll_mtree_totals_t *totals)
{
    coll_mtree_fallback_reason_t most = COLL_MTREE_REASON_CALL;
    uint64_t calls = 0;

    totals->reason[COLL_MTREE_REASON_INTERNAL] = 0;
    for (int reason = 0; reason < COLL_MTREE_REASONS; reason++) {
        calls += totals->reason[reason];
        if (totals->reason[reason] > totals->reason[most]) {
            most = (coll_mtree_fallback_reason_t)reason;
        }
    }
    if (calls > 0) {
        mtree_warn("served none of the %" PRIu64 " calls of rank 0, mostly since %s; %s",
                   calls, coll_mtree_reason_text(most), advice(most));
    }
}

void coll_mtree_report_outcome(void)
{
    coll_mtree_totals_t totals;
    uint64_t served = 0;

    if (coll_mtree_world_rank() != 0 || !coll_mtree_params_named()) {
        return;
    }
    coll_mtree_statistics_totals(&totals);
    for (int backend = 0; backend < COLL_MTREE_BACKENDS; backend++) {
        served += backend == COLL_MTREE_FALLBACK ? 0 : totals.calls[backend];
    }
    /* What keeps mtree from a communicator was told when it was found. */
    if (served == 0 && totals.reason[COLL_MTREE_REASON_GROUP] == 0) {
        tell_unserved(&totals);
    }
}
