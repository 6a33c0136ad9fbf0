/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/report/report.h"

#include "coll_mtree/base/counters.h"
#include "coll_mtree/base/free_hook.h"
#include "coll_mtree/base/params.h"
#include "coll_mtree/base/safe_file.h"
#include "coll_mtree/base/tags.h"
#include "coll_mtree/control/message.h"
#include "coll_mtree/report/report_json.h"

#include "base/array.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/memory.h"

#include <errno.h>
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
} job;

/* Each rank but 0 sends it a message at the end, its rows.  Both sides wait for a limited
 * time, so that a rank that does not know of the report delays no other: for all messages
 * together, on rank 0 and on each other rank. */
#define TIMEOUT_SECONDS 10.0

/* Append @a count rows. */
static void append(coll_mtree_rank_report_t *gathered, const void *rows, int count)
{
    if (count > 0) {
        mtree_require(mtree_array_reserve(&gathered->rows, &gathered->capacity,
                                          gathered->num_rows + count,
                                          sizeof(*gathered->rows)));
        memcpy(gathered->rows + gathered->num_rows, rows,
               (size_t)count * sizeof(*gathered->rows));
        gathered->num_rows += count;
    }
}

/* What the calls of @a record took on this rank. */
static void add_times(const coll_mtree_record_t *record,
                      coll_mtree_rank_report_t *gathered)
{
    for (int backend = 0; backend < COLL_MTREE_BACKENDS; backend++) {
        coll_mtree_rank_row_t row = {
            .kind = COLL_MTREE_ROW_TIMES,
            .identity = record->group->identity,
            .times = {.root = record->call_class.root,
                      .size_class = record->call_class.size_class,
                      .relayed = record->call_class.relayed,
                      .backend = backend,
                      .timed = record->by[backend].timed,
                      .seconds = record->by[backend].seconds}};

        if (row.times.timed > 0) {
            snprintf(row.times.function, sizeof(row.times.function), "%s",
                     record->function);
            append(gathered, &row, 1);
        }
    }
}

/* What this rank sent to the others of @a group. */
static void add_paths(const coll_mtree_group_t *group, coll_mtree_rank_report_t *gathered)
{
    for (int rank = 0; group->paths != NULL && rank < group->num_ranks; rank++) {
        const coll_mtree_rank_row_t row = {
            .kind = COLL_MTREE_ROW_PATH,
            .identity = group->identity,
            .path = {.from = group->rank, .to = rank, .total = group->paths[rank]}};

        if (row.path.total.bytes > 0) {
            append(gathered, &row, 1);
        }
    }
}

/* All that this rank hands over, of @a groups. */
static void add_own(const coll_mtree_group_t *groups, coll_mtree_rank_report_t *gathered)
{
    const coll_mtree_rank_row_t clock = {
        .kind = COLL_MTREE_ROW_CLOCK,
        .rank = coll_mtree_world_rank(),
        .clock =
            coll_mtree_call_clock_times(&coll_mtree_call_clock, mtree_clock_seconds())};

    append(gathered, &clock, 1);
    for (const coll_mtree_group_t *g = groups; g != NULL; g = g->next) {
        for (const coll_mtree_record_t *r = g->records; r != NULL; r = r->next) {
            add_times(r, gathered);
        }
        add_paths(g, gathered);
    }
}

static void send_own(const coll_mtree_channel_t *channel)
{
    double deadline = mtree_clock_seconds() + TIMEOUT_SECONDS;
    coll_mtree_rank_report_t own = {.rows = NULL};

    add_own(coll_mtree_statistics_lock(), &own);
    coll_mtree_statistics_unlock();
    (void)coll_mtree_message_send_bulk(
        channel, 0, 0, own.rows, (size_t)own.num_rows * sizeof(*own.rows), deadline);
}

static void collect(const coll_mtree_channel_t *channel,
                    coll_mtree_rank_report_t *gathered)
{
    double deadline = mtree_clock_seconds() + TIMEOUT_SECONDS;

    for (int rank = 1; rank < ompi_comm_size(channel->comm); rank++) {
        size_t length;
        void *bytes;

        if (coll_mtree_message_recv_bulk(channel, rank, 0, &bytes, &length, deadline)) {
            append(gathered, bytes, (int)(length / sizeof(*gathered->rows)));
            gathered->ranks++;
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
    char *beside = mtree_malloc(bytes);
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

/* Run `mtree report` on @a file: the mtree on PATH, else the one that was installed with
 * the component.  A program that ignores SIGCHLD has the system forget how it ended. */
static bool print_page(FILE *file)
{
    char command[sizeof(BINDIR) + 64];
    int ended;

    snprintf(command, sizeof(command), "PATH=\"$PATH:%s\" mtree report /dev/fd/%d",
             BINDIR, fileno(file));
    fflush(stdout);
    ended = system(command);
    return ended == 0 || (ended == -1 && errno == ECHILD);
}

static void write_stdout(const char *text)
{
    FILE *file = tmpfile();

    if (file == NULL || fputs(text, file) < 0 || fflush(file) != 0) {
        mtree_error("coll_mtree_report: stdout: no temporary file can be written: %s; is "
                    "the disk full?",
                    strerror(errno));
    } else if (!print_page(file)) {
        mtree_error("coll_mtree_report: stdout: 'mtree report' could not print the page; "
                    "name a file");
    }
    if (file != NULL) {
        fclose(file);
    }
}

static void write_report(void)
{
    coll_mtree_rank_report_t *gathered = &job.report.gathered;
    const coll_mtree_group_t *groups;
    char *text;

    job.report.seconds = mtree_clock_seconds() - job.began;
    groups = coll_mtree_statistics_lock();
    add_own(groups, gathered);
    coll_mtree_planning_context_lock();
    text = coll_mtree_report_json(&job.report, groups);
    coll_mtree_planning_context_unlock();
    coll_mtree_statistics_unlock();
    free(gathered->rows);
    *gathered = (coll_mtree_rank_report_t){.ranks = gathered->ranks};
    if (text == NULL) {
        mtree_error("coll_mtree_report: no memory for the report; it is lost");
    } else if (goes_to_stdout()) {
        write_stdout(text);
    } else {
        write_file(coll_mtree_params.report, text);
    }
    free(text);
}

static void report_call(const coll_mtree_count_t *count, double seconds)
{
    double now = count->began + seconds;
    double live = coll_mtree_params.report_live;

    if (job.report.timeline == NULL) {
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
            mtree_calloc(COLL_MTREE_TIMELINE, sizeof(*job.report.timeline));
    }
    coll_mtree_statistics_set_hooks(report_call, report_sum);
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
static void tell_unserved(void)
{
    coll_mtree_fallback_reason_t most = COLL_MTREE_REASON_CALL;
    uint64_t calls = 0, of_most = 0;

    for (unsigned reason = 0; reason < COLL_MTREE_REASONS; reason++) {
        uint64_t of_reason =
            reason == COLL_MTREE_REASON_INTERNAL
                ? 0
                : coll_mtree_counter_get(COLL_MTREE_COUNT_REASON + reason);

        calls += of_reason;
        if (of_reason > of_most) {
            most = (coll_mtree_fallback_reason_t)reason;
            of_most = of_reason;
        }
    }
    if (calls > 0) {
        mtree_warn("served none of the %" PRIu64 " calls of rank 0, mostly since %s; %s",
                   calls, coll_mtree_reason_text(most), advice(most));
    }
}

void coll_mtree_report_outcome(void)
{
    /* What keeps mtree from a communicator was told when it was found. */
    if (coll_mtree_world_rank() == 0 && coll_mtree_params_named() &&
        coll_mtree_counter_get(COLL_MTREE_COUNT_CALLS + COLL_MTREE_TREES) == 0 &&
        coll_mtree_counter_get(COLL_MTREE_COUNT_REASON + COLL_MTREE_REASON_GROUP) == 0) {
        tell_unserved();
    }
}
