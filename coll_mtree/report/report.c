/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/report/report.h"

#include "coll_mtree/base/counters.h"
#include "coll_mtree/base/free_hook.h"
#include "coll_mtree/base/params.h"
#include "coll_mtree/base/safe_file.h"
#include "coll_mtree/base/tuning.h"
#include "coll_mtree/control/message.h"
#include "coll_mtree/report/report_json.h"

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
    bool writes;                    /* this rank */
    mca_coll_mtree_module_t *world; /* NULL: mtree does not serve MPI_COMM_WORLD */
    double written;                 /* when, by mtree_clock_seconds() */
} job;

/* What this rank sent to the others of @a group in all calls: per rank the rate, the part
 * of the time for which more was ready for it, and the rate then. */
static json_t *own_paths(const coll_mtree_group_t *group)
{
    json_t *list = json_array();

    for (int rank = 0; group->paths != NULL && rank < group->num_ranks; rank++) {
        const mtree_path_total_t *total = &group->paths[rank];

        if (total->bytes > 0 && total->seconds > 0) {
            json_array_append_new(list,
                                  json_pack("[i, i, f, f, f]", group->rank, rank,
                                            8 * total->bytes / total->seconds,
                                            total->backlogged_seconds / total->seconds,
                                            mtree_path_backlogged_rate(total)));
        }
    }
    return list;
}

/* What calls of @a record took on this rank on the mean, by backend; 0: none was timed.
 */
static json_t *own_means(const coll_mtree_record_t *record)
{
    json_t *list = json_array();

    for (int backend = 0; backend < COLL_MTREE_BACKENDS; backend++) {
        const coll_mtree_durations_t *by = &record->by[backend];

        json_array_append_new(
            list, json_real(by->timed == 0 ? 0 : by->seconds / (double)by->timed));
    }
    return list;
}

/* What this rank hands over: its times, and by the keys of groups and records, which are
 * the same on all ranks, paths and means. */
static json_t *own_times(const coll_mtree_group_t *groups)
{
    const coll_mtree_clock_times_t times =
        coll_mtree_call_clock_times(&coll_mtree_call_clock, mtree_clock_seconds());
    json_t *paths = json_object(), *means = json_object();

    for (const coll_mtree_group_t *g = groups; g != NULL; g = g->next) {
        json_object_set_new(paths, g->key, own_paths(g));
        for (const coll_mtree_record_t *r = g->records; r != NULL; r = r->next) {
            json_object_set_new(means, r->key, own_means(r));
        }
    }
    return json_pack("{s:i, s:f, s:f, s:f, s:f, s:o, s:o}", "rank",
                     coll_mtree_world_rank(), "mtree_s", times.running, "openmpi_s",
                     times.openmpi, "planning_s", times.planning, "connecting_s",
                     times.connecting, "paths", paths, "means", means);
}

/* Each rank but 0 sends it a message at the end.  Both sides wait for a limited time, for
 * all messages together: a rank that does not know of the report delays no other. */
static void send_own(const coll_mtree_channel_t *channel)
{
    double deadline = mtree_clock_seconds() + COLL_MTREE_PATIENCE;
    json_t *own = own_times(coll_mtree_statistics_lock());
    char *text = json_dumps(own, JSON_COMPACT);

    coll_mtree_statistics_unlock();
    (void)coll_mtree_message_send_bulk(channel, 0, 0, text,
                                       text == NULL ? 0 : strlen(text), deadline);
    json_decref(own);
}

/* What is no JSON, as that of a rank without memory, is left out. */
static void collect(const coll_mtree_channel_t *channel, json_t *times)
{
    double deadline = mtree_clock_seconds() + COLL_MTREE_PATIENCE;

    for (int rank = 1; rank < ompi_comm_size(channel->comm); rank++) {
        size_t length;
        void *bytes;

        if (coll_mtree_message_recv_bulk(channel, rank, 0, &bytes, &length, deadline)) {
            json_array_append_new(times, json_loadb(bytes, length, 0, NULL));
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
    static opal_mutex_t writing = OPAL_MUTEX_STATIC_INIT;
    const coll_mtree_group_t *groups;
    char *text;

    /* Calls of several threads may end at once. */
    opal_mutex_lock(&writing);
    groups = coll_mtree_statistics_lock();

    json_array_append_new(job.report.times, own_times(groups));
    coll_mtree_planning_context_lock();
    text = coll_mtree_report_json(&job.report, groups);
    coll_mtree_planning_context_unlock();
    json_array_clear(job.report.times);
    coll_mtree_statistics_unlock();
    if (goes_to_stdout()) {
        write_stdout(text);
    } else {
        write_file(coll_mtree_params.report, text);
    }
    free(text);
    opal_mutex_unlock(&writing);
}

/* A call has ended. */
static void report_live(double now)
{
    double live = coll_mtree_params.report_live;

    if (job.writes && live > 0 && now - job.written >= live && !goes_to_stdout()) {
        job.written = now;
        write_report();
    }
}

/* Gather what the calls of all ranks took; false: this rank does not write the report. */
static bool gather(void)
{
    coll_mtree_channel_t channel;

    if (job.world == NULL) {
        return true;
    }
    channel = (coll_mtree_channel_t){
        .comm = &ompi_mpi_comm_world.comm,
        .first_tag = coll_mtree_tag_range_control(&job.world->tags, 1),
        .longest = job.world->longest_bytes};
    if (ompi_comm_rank(channel.comm) != 0) {
        send_own(&channel);
        return false;
    }
    collect(&channel, job.report.times);
    return true;
}

/* MPI_Finalize: the last report. */
static void report_end(void *unused)
{
    (void)unused;
    job.writes = false;
    if (gather()) {
        job.report.is_complete = true;
        write_report();
    }
    json_decref(job.report.times);
}

void coll_mtree_report_begin(mca_coll_mtree_module_t *module, const char *obstacle)
{
    job.writes = ompi_comm_rank(&ompi_mpi_comm_world.comm) == 0;
    if (!is_wanted() || (module == NULL && !job.writes)) {
        return;
    }
    job.written = mtree_clock_seconds();
    job.world = module;
    job.report = (coll_mtree_report_t){.began = job.written,
                                       .started = (int64_t)time(NULL),
                                       .ranks = ompi_comm_size(&ompi_mpi_comm_world.comm),
                                       .obstacle = obstacle,
                                       .times = json_array()};
    coll_mtree_statistics_begin(report_live);
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
static void tell_only_fallback(void)
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
        tell_only_fallback();
    }
}
