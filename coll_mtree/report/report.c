/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/report/report.h"

#include "coll_mtree/base/free_hook.h"
#include "coll_mtree/base/memory.h"
#include "coll_mtree/base/params.h"
#include "coll_mtree/base/safe_file.h"
#include "coll_mtree/base/tags.h"
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

/* Calls in the timeline: the newest. */
#define MOST_TIMELINE_EVENTS 4096

static coll_mtree_report_t report;
static mca_coll_mtree_module_t *world_module; /* NULL: mtree does not serve the world */
static coll_mtree_timeline_event_t
    *timeline_events;         /* [MOST_TIMELINE_EVENTS] on rank 0 */
static double began, written; /* when, by mtree_clock_seconds() */
static bool is_running;

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
    const coll_mtree_group_t *groups;
    char *text;

    report.seconds = mtree_clock_seconds() - began;
    coll_mtree_statistics_totals(&report.totals);
    groups = coll_mtree_statistics_lock();
    coll_mtree_rank_report_add_own(groups, &report.gathered);
    coll_mtree_planning_context_lock();
    text = coll_mtree_report_json(&report, groups);
    coll_mtree_planning_context_unlock();
    coll_mtree_statistics_unlock();
    coll_mtree_rank_report_cleanup(&report.gathered);
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

    if (!is_running || timeline_events == NULL) {
        return;
    }
    (void)coll_mtree_statistics_lock();
    timeline_events[report.calls % MOST_TIMELINE_EVENTS] =
        (coll_mtree_timeline_event_t){.record = count->record,
                                      .backend = count->backend,
                                      .began = count->began - began,
                                      .seconds = seconds,
                                      .bytes = count->bytes};
    report.calls++;
    report.first_timeline_event = report.calls < MOST_TIMELINE_EVENTS
                                      ? 0
                                      : (size_t)(report.calls % MOST_TIMELINE_EVENTS);
    report.num_timeline_events =
        report.calls < MOST_TIMELINE_EVENTS ? (size_t)report.calls : MOST_TIMELINE_EVENTS;
    coll_mtree_statistics_unlock();
    if (live > 0 && now - written >= live && !goes_to_stdout()) {
        written = now;
        write_report();
    }
}

/* A record that is freed: its calls in the timeline become those of @a sum; NULL: they
 * are none. */
static void report_sum(const coll_mtree_record_t *record, coll_mtree_record_t *sum)
{
    for (size_t i = 0; i < report.num_timeline_events; i++) {
        if (timeline_events[i].record == record) {
            timeline_events[i].record = sum;
        }
    }
}

/* Gather what the calls of all ranks took; false: this rank does not write the report. */
static bool gather(void)
{
    coll_mtree_channel_t channel;

    if (world_module == NULL) {
        return true;
    }
    channel = (coll_mtree_channel_t){
        .comm = &ompi_mpi_comm_world.comm,
        .first_tag = coll_mtree_tags_control(world_module, COLL_MTREE_RANK_REPORT_TAGS),
        .longest = world_module->longest_bytes};
    if (ompi_comm_rank(channel.comm) != 0) {
        coll_mtree_rank_report_send(&channel);
        return false;
    }
    coll_mtree_rank_report_collect(&channel, &report.gathered);
    return true;
}

/* MPI_Finalize: the last report. */
static void report_end(void *unused)
{
    (void)unused;
    is_running = false;
    coll_mtree_statistics_set_hooks(NULL, NULL);
    if (!gather()) {
        return;
    }
    report.is_complete = true;
    write_report();
    free(timeline_events);
    timeline_events = NULL;
}

void coll_mtree_report_begin(mca_coll_mtree_module_t *module, const char *obstacle)
{
    bool writes = ompi_comm_rank(&ompi_mpi_comm_world.comm) == 0;

    if (!is_wanted() || (module == NULL && !writes)) {
        return;
    }
    began = written = mtree_clock_seconds();
    world_module = module;
    report = (coll_mtree_report_t){.started = (int64_t)time(NULL),
                                   .ranks = ompi_comm_size(&ompi_mpi_comm_world.comm),
                                   .gathered = {.ranks = 1},
                                   .obstacle = obstacle};
    timeline_events =
        writes ? coll_mtree_calloc(MOST_TIMELINE_EVENTS, sizeof(*timeline_events)) : NULL;
    report.timeline_events = timeline_events;
    coll_mtree_statistics_set_hooks(report_call, report_sum);
    is_running = true;
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
